//! Words about services: who serves whom and how far, and whose requests nobody serves.

use super::card as line;
use crate::words::{Emphasis, Field, RowPart, joined, took, words, working};
use protocol::{ApplicationFacts, NodeId, NodeSet, ServiceWork, Work};
use record::Step;
use world::{ProcessState, World};

/// What a step did.
pub fn did(work: &Work, step: &Step) -> Option<String> {
    let Work::Service(work) = work else { return None };
    let mut said = Vec::new();
    if took(step, line::ASK) {
        said.push(match work.asked {
            Some(log) if log.done == 0 && log.server.is_none() => {
                format!("asks for service {}", log.id)
            }
            _ => format!("keeps {} more requests", work.waiting),
        });
    }
    if let Some(part) = work.part.filter(|_| took(step, line::PART)) {
        let is_last = if took(step, line::FINISH) { ", the last" } else { "" };
        said.push(format!("does part {} of service {}{is_last}", part.part, part.id));
    }
    if took(step, line::TAKE_UP) {
        said.push(format!("serves {}", work.serves));
    }
    if took(step, line::STOP) {
        said.push("leaves a service to another".to_owned());
    }
    if took(step, line::SILENT) {
        said.push("hears nothing of a server".to_owned());
    }
    joined(&said)
}

/// Who serves whom and how far, whose requests nobody serves, and how many services each has finished.
pub fn row(world: &World, facts: &ApplicationFacts) -> Vec<RowPart> {
    let parts = facts.services.map_or(0, |facts| facts.parts);
    let works: Vec<(NodeId, &ServiceWork)> = working(world, ProcessState::is_up)
        .filter_map(|(id, _, work)| match work {
            Work::Service(work) => Some((id, work)),
            _ => None,
        })
        .collect();
    let mut row = Vec::new();
    for (id, work) in works.iter().filter(|(_, work)| !work.serves.is_empty()) {
        let far = work.serves.iter().map(|asker| {
            let log = works.iter().find(|(of, _)| *of == asker).and_then(|(_, work)| work.asked);
            let own = work.part.filter(|part| part.id.node == asker).map(|part| (part.id, part.part));
            match own.max(log.map(|log| (log.id, log.done))) {
                Some((_, done)) => format!("{asker} ({done} of {parts})"),
                None => asker.to_string(),
            }
        });
        let far: Vec<String> = far.collect();
        row.push(words(format!("{id} serves {}  ", far.join(", ")), Emphasis::Strong));
    }
    let is_served = |asker: NodeId| works.iter().any(|(_, work)| work.serves.contains(asker));
    let left: NodeSet =
        works.iter().filter(|(id, work)| work.asked.is_some() && !is_served(*id)).map(|(id, _)| *id).collect();
    if !left.is_empty() {
        row.push(words(format!("nobody serves {left}  "), Emphasis::Doubt));
    }
    if row.is_empty() {
        row.push(words("nobody asks for anything  ", Emphasis::Dim));
    }
    let waiting: u32 = works.iter().map(|(_, work)| work.waiting).sum();
    if waiting > 0 {
        row.push(words(format!("{waiting} more wait  "), Emphasis::Normal));
    }
    let finished: Vec<String> = (works.iter().filter(|(_, work)| work.finished > 0))
        .map(|(id, work)| format!("{id}:{}", work.finished))
        .collect();
    if !finished.is_empty() {
        row.push(words(format!("finished {}", finished.join(" ")), Emphasis::Dim));
    }
    row
}

/// All about a process.
pub fn fields(work: &Work) -> Vec<Field> {
    let Work::Service(work) = work else { return Vec::new() };
    let mut fields = Vec::new();
    if let Some(log) = work.asked {
        let server = log.server.map_or_else(|| "nobody serves it".to_owned(), |server| format!("{server} serves it"));
        fields.push(("asks for", format!("service {}: {} parts are done, {server}", log.id, log.done)));
    }
    if work.waiting > 0 {
        fields.push(("requests", format!("{} more wait", work.waiting)));
    }
    fields.push(("serves", format!("{}; it has finished {}", work.serves, work.finished)));
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{ToldLab, nodes, order};
    use judge::trial::application;
    use protocol::{DonePart, Incarnation, ServiceFacts, ServiceLog, TaskId};

    fn did_part(part: u16) -> Option<DonePart> {
        let task = TaskId { author: NodeId::new(5)?, incarnation: Incarnation(0), serial: 1 };
        Some(DonePart { id: order(1, 1), part, primes: 0, task, times: u32::from(part) })
    }

    #[test]
    fn the_row_says_who_serves_and_waits() {
        let services = Some(ServiceFacts { parts: 8, numbers: 10, pace_ms: 100 });
        let mut lab = ToldLab::new(ApplicationFacts { services, ..application("service", &[], 0) });
        assert_eq!(lab.row(), "nobody asks for anything");
        let asked = Some(ServiceLog { id: order(1, 1), done: 0, turn: 1, server: None, primes: 0 });
        let asks = ServiceWork { asked, waiting: 2, ..ServiceWork::default() };
        assert_eq!(lab.works(1, Work::Service(asks), &[line::ASK]), "nobody serves 1  2 more wait");
        let serves = ServiceWork { serves: nodes("1"), ..ServiceWork::default() };
        let row = lab.works(5, Work::Service(serves.clone()), &[line::TAKE_UP]);
        assert_eq!(row, "5 serves 1 (0 of 8)  2 more wait");
        let row = lab.works(5, Work::Service(ServiceWork { part: did_part(3), finished: 4, ..serves }), &[line::PART]);
        assert_eq!(row, "5 serves 1 (3 of 8)  2 more wait  finished 5:4");
        let last = ServiceWork { part: did_part(8), finished: 5, ..ServiceWork::default() };
        lab.works(5, Work::Service(last.clone()), &[line::PART, line::FINISH]);
        lab.works(5, Work::Service(last), &[line::STOP]);
        let expected = [
            "1 asks for service 1.1.1",
            "5 serves 1",
            "5 does part 3 of service 1.1.1",
            "5 does part 8 of service 1.1.1, the last",
            "5 leaves a service to another",
        ];
        assert_eq!(lab.did, expected);
    }
}
