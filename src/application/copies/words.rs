//! Words about weighed copies: who controls how much of the weight, and what was refused or given up.

use super::card as line;
use crate::counter::{counters, refusal};
use crate::words::{Emphasis, Field, RowPart, is_running, joined, keeps, sends, times, took, words, working};
use protocol::{ApplicationFacts, CopyWork, NodeId, Work};
use record::Step;
use world::World;

/// What a step did with a copy.
pub fn did(work: &Work, step: &Step) -> Option<String> {
    let Work::Copies(work) = work else { return None };
    let held = work.held;
    let mut said = Vec::new();
    if took(step, line::WRITE) {
        said.push(format!("writes update {}, which makes {}", held.count, held.counter));
    } else if keeps(step) && sends(step, "Wrote") {
        said.push(format!("holds update {}: {}", held.count, held.counter));
    }
    if let (Some(acknowledged), true) = (work.acknowledged, took(step, line::ACKNOWLEDGE)) {
        said.push(format!("acknowledges order {}: it is update {}", acknowledged.id, acknowledged.held.count));
    }
    if let (Some(refused), true) = (work.refused, took(step, line::REFUSE)) {
        said.push(format!("refuses to add {}: {}", refused.value, refused.why));
    }
    if let (Some(doubted), true) = (work.doubted, took(step, line::DOUBT)) {
        said.push(format!("does not know whether {:+} is done", doubted.value));
    }
    joined(&said)
}

/// Who has control, the copies, and what was refused or given up.
pub fn row(world: &World, _: &ApplicationFacts) -> Vec<RowPart> {
    let at_work: Vec<(NodeId, &CopyWork)> = working(world, is_running)
        .filter_map(|(id, _, work)| match work {
            Work::Copies(work) => Some((id, work)),
            _ => None,
        })
        .collect();
    let mut row = Vec::new();
    for (id, control) in at_work.iter().filter_map(|(id, work)| Some((*id, work.control?))) {
        row.push(match control.is_majority() {
            true => words(format!("{id} controls {control} of the weight  "), Emphasis::Good),
            false => words(format!("{id} has no majority of the weight: {control}  "), Emphasis::Doubt),
        });
    }
    if row.is_empty() {
        row.push(words("nobody has control  ", Emphasis::Doubt));
    }
    row.extend(counters(at_work.iter().map(|(id, work)| (*id, work.held.count, work.held.counter))));
    for (id, work) in &at_work {
        row.extend(refusal(world, *id, work.refused, false));
        if let Some(doubted) = work.doubted {
            row.push(words(format!("{id} in doubt of {:+}  ", doubted.value), Emphasis::Doubt));
        }
    }
    row
}

/// All about a process.
pub fn fields(work: &Work) -> Vec<Field> {
    let Work::Copies(work) = work else { return Vec::new() };
    let held = work.held;
    let of = held.version.map_or_else(|| "never written".to_owned(), |version| format!("of write {version}"));
    let mut fields = vec![("its copy", format!("counter {} after {} updates, {of}", held.counter, held.count))];
    if let Some(control) = work.control {
        fields.push(("control", format!("of {control} of the weight")));
    }
    if let Some(acknowledged) = work.acknowledged {
        fields.push(("its orders", format!("{} acknowledged, the last is {}", acknowledged.times, acknowledged.id)));
    }
    if let Some(refused) = work.refused {
        let told = format!("{}, the last {:+}: {}", times(refused.times.into()), refused.value, refused.why);
        fields.push(("refused", told));
    }
    if let Some(doubted) = work.doubted {
        fields.push(("in doubt", format!("{}, the last {:+}", times(doubted.times.into()), doubted.value)));
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{ToldLab, fields, node, order};
    use judge::trial::application;
    use protocol::{AcknowledgedCopy, CopyVersion, DoubtedUpdate, HeldCopy, RefusalReason, RefusedUpdate, WeightShare};

    #[test]
    fn the_row_says_who_controls_and_refuses() {
        let mut lab = ToldLab::new(ApplicationFacts { weights: vec![3, 1, 1, 1, 1], ..application("copies", &[], 0) });
        assert_eq!(lab.row(), "nobody has control");
        let held = HeldCopy { version: Some(CopyVersion { number: 2, author: node(5) }), count: 2, counter: 12 };
        let holds = CopyWork { held, ..CopyWork::default() };
        let controls = CopyWork { control: Some(WeightShare { have: 7, of: 7 }), ..holds.clone() };
        let row = lab.works(5, Work::Copies(controls), &[line::WRITE]);
        assert_eq!(row, "5 controls 7 of 7 of the weight  5: 2 updates, counter 12");
        let acknowledged = Some(AcknowledgedCopy { times: 1, id: order(3, 1), held });
        lab.works(3, Work::Copies(CopyWork { acknowledged, ..holds.clone() }), &[line::ACKNOWLEDGE]);
        let share = WeightShare { have: 3, of: 7 };
        let refused = Some(RefusedUpdate { times: 1, value: 7, why: RefusalReason::NoWeight(share) });
        let alone = Work::Copies(CopyWork { control: Some(share), refused, ..holds.clone() });
        let row = lab.works(5, alone.clone(), &[line::REFUSE]);
        let expected = "5 has no majority of the weight: 3 of 7  3,5: 2 updates, counter 12  5 refused +7: 3 of 7: no \
                        majority of the weight";
        assert_eq!(row, expected);
        let doubted = Some(DoubtedUpdate { times: 1, value: 5 });
        let row = lab.works(3, Work::Copies(CopyWork { doubted, ..holds }), &[line::DOUBT]);
        assert!(row.contains("counter 12  3 in doubt of +5  5 refused"), "{row}");
        let expected = [
            "5 writes update 2, which makes 12",
            "3 acknowledges order 3.1.1: it is update 2",
            "5 refuses to add 7: 3 of 7: no majority of the weight",
            "3 does not know whether +5 is done",
        ];
        assert_eq!(lab.did, expected);
        let told = fields(&alone);
        let expected = "its copy: counter 12 after 2 updates, of write 2.5\ncontrol: of 3 of 7 of the weight\nrefused: \
                        once, the last +7: 3 of 7: no majority of the weight";
        assert_eq!(told, expected);
    }
}
