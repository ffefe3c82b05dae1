//! Words about updates: the logs, what conflicts, what is in doubt, what blocks, and what was refused.

use super::card as line;
use crate::counter::{counters, refusal};
use crate::words::{Emphasis, Field, RowPart, is_running, joined, keeps, sends, together, took, words, working};
use protocol::{ApplicationFacts, ConflictingUpdate, NodeId, UpdateWork, Work};
use record::{Input, Step};
use world::World;

/// What a step did with an update.
pub fn did(work: &Work, step: &Step) -> Option<String> {
    let Work::Updates(work) = work else { return None };
    let concerns = |kind: &str| {
        let is_given = matches!(&step.input, Input::Message { message, .. } if message.kind == kind);
        is_given || sends(step, kind)
    };
    let mut said = Vec::new();
    match (keeps(step), work.in_doubt, work.last) {
        (true, Some(prepared), _) if concerns("Prepare") => {
            said.push(format!("prepares update {}: {:+}", prepared.position, prepared.update.value));
        }
        (true, None, _) if concerns("Abort") => said.push("aborts the update that it had prepared".to_owned()),
        (true, None, Some(last)) if concerns("Commit") || concerns("Entries") => {
            let UpdateWork { length, counter, .. } = work;
            said.push(format!("does update {length}: {:+}, which makes {counter}", last.value));
        }
        _ => {}
    }
    if !work.learnt.is_empty() {
        let noun = if work.learnt.len() == 1 { "update" } else { "updates" };
        let (new, UpdateWork { length, counter, .. }) = (work.learnt.len(), work);
        said.push(format!("takes in {new} {noun} of another log: {length} make {counter}"));
    }
    if let (Some(conflicts), true) = (&work.conflicts, took(step, line::CONFLICT)) {
        said.push(format!("lists {conflicts}"));
    }
    if let (Some(acknowledged), true) = (work.acknowledged, took(step, line::ACKNOWLEDGE)) {
        said.push(format!("acknowledges order {}: it is update {}", acknowledged.id, acknowledged.position));
    }
    if let (Some(refused), true) = (work.refused, took(step, line::REFUSE)) {
        said.push(format!("refuses to add {}: {}", refused.value, refused.why));
    }
    joined(&said)
}

/// The logs, longest first; then what blocks, what conflicts, what was refused, and what is in doubt.
pub fn row(world: &World, _: &ApplicationFacts) -> Vec<RowPart> {
    let at_work: Vec<(NodeId, &UpdateWork)> = working(world, is_running)
        .filter_map(|(id, _, work)| match work {
            Work::Updates(work) => Some((id, work)),
            _ => None,
        })
        .collect();
    let mut row: Vec<RowPart> = counters(at_work.iter().map(|(id, work)| (*id, work.length, work.counter))).collect();
    for (id, work) in &at_work {
        if let Some(blocked) = work.blocked {
            row.push(words(format!("{id} is blocked: {blocked}  "), Emphasis::Bad));
        }
    }
    let lists = at_work.iter().filter_map(|(id, work)| Some((*id, work.conflicts.as_deref()?)));
    for (list, nodes) in together(lists) {
        let text = match nodes.len() {
            // All list the same.
            all if all == at_work.len() => format!("{list}  "),
            1 => format!("{nodes} lists {list}  "),
            _ => format!("{nodes} list {list}  "),
        };
        row.push(words(text, Emphasis::Bad));
    }
    let is_blocked = at_work.iter().any(|(_, work)| work.blocked.is_some());
    row.extend(at_work.iter().filter_map(|(id, work)| refusal(world, *id, work.refused, is_blocked)));
    let in_doubt = at_work.iter().filter_map(|(id, work)| Some((*id, work.in_doubt?.position)));
    for (position, nodes) in together(in_doubt) {
        row.push(words(format!("{nodes} in doubt of {position}  "), Emphasis::Doubt));
    }
    row
}

/// The updates that conflict, the last ones by name.
pub fn fields(work: &Work) -> Vec<Field> {
    let Work::Updates(UpdateWork { conflicts: Some(conflicts), .. }) = work else { return Vec::new() };
    let pairs = if conflicts.pairs == 1 { "1 pair".to_owned() } else { format!("{} pairs", conflicts.pairs) };
    let mut fields = vec![("updates", format!("{conflicts}; {pairs} of which neither builds on the other"))];
    for ConflictingUpdate { position, update, others } in &conflicts.last {
        let (id, value, author) = (update.id, update.value, update.by.task.author);
        fields.push(("", format!("update {position}: {value:+}, order {id}, done under {author}, against {others}")));
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{ToldLab, at_work, fields, given, node, nodes, normal, order};
    use judge::trial::application;
    use protocol::{
        AcknowledgedUpdate, BlockedUpdate, ConflictList, Incarnation, LineNumber, LoggedUpdate, PreparedUpdate,
        RefusalReason, RefusedUpdate, StateVector, Task, TaskId, TransactionId,
    };
    use record::EffectText;

    fn lab() -> ToldLab {
        ToldLab::new(application("updates", &[], 0))
    }

    fn update(serial: u32) -> LoggedUpdate {
        let task = TaskId { author: node(5), incarnation: Incarnation(1), serial: 1 };
        LoggedUpdate { id: order(2, serial), value: 7, by: TransactionId { task, attempt: serial } }
    }

    /// So many updates of 7.
    fn logged(length: u32) -> UpdateWork {
        let last = (length > 0).then(|| update(length));
        UpdateWork { length, counter: i64::from(length) * 7, last, ..UpdateWork::default() }
    }

    /// For this message a process keeps that work, at these lines, in a group of 5 with these.
    fn keeps_work(kind: &'static str, work: UpdateWork, lines: &[LineNumber], members: Option<&str>) -> Step {
        let task = |members| Task { author: node(5), incarnation: Incarnation(1), serial: 1, members: nodes(members) };
        let state = StateVector { task: members.map(task), ..normal(5, 1) };
        let (input, effects) = (given(5, kind), vec![EffectText::Save { body: "00".into() }]);
        Step { input, effects, lines: lines.to_vec(), ..at_work(state, Work::Updates(work)) }
    }

    #[test]
    fn the_row_says_who_doubts_and_blocks() {
        let mut lab = lab();
        for who in [1, 2] {
            let in_doubt = Some(PreparedUpdate { update: update(17), position: 17, voters: nodes("1-5") });
            lab.takes(who, keeps_work("Prepare", UpdateWork { in_doubt, ..logged(16) }, &[], None));
        }
        lab.takes(3, keeps_work("Have", logged(15), &[], None));
        let blocked = Some(BlockedUpdate { position: 17, knows: nodes("5") });
        let row = lab.takes(4, keeps_work("Have", UpdateWork { blocked, ..logged(16) }, &[], None));
        let expected = "1,2,4: 16 updates, counter 112  3: 15 updates, counter 105  4 is blocked: update 17, only 5 knows  \
                        1,2 in doubt of 17";
        assert_eq!(row, expected);
        assert_eq!(lab.did, ["1 prepares update 17: +7", "2 prepares update 17: +7"]);
    }

    #[test]
    fn a_refusal_says_why_while_that_holds() {
        let mut lab = lab();
        let why = RefusalReason::NoMajority { have: 2, of: 5 };
        let refused = Some(RefusedUpdate { times: 1, value: 7, why });
        let row = lab.takes(2, keeps_work("Refuse", UpdateWork { refused, ..logged(0) }, &[line::REFUSE], None));
        assert_eq!(row, "2: no update  2 refused +7: 2 of 5: no majority");
        // In a group with a majority that reason is over.
        let row = lab.takes(2, keeps_work("Have", UpdateWork { refused, ..logged(1) }, &[], Some("1-4")));
        assert_eq!(row, "2: 1 update, counter 7");
        let acknowledged = Some(AcknowledgedUpdate { times: 1, id: update(3).id, position: 3 });
        lab.takes(2, keeps_work("Commit", UpdateWork { acknowledged, ..logged(3) }, &[line::ACKNOWLEDGE], None));
        let expected = [
            "2 refuses to add 7: 2 of 5: no majority",
            "2 does update 3: +7, which makes 21, and acknowledges order 2.1.3: it is update 3",
        ];
        assert_eq!(lab.did, expected);
    }

    #[test]
    fn updates_in_conflict_are_told() {
        let mut lab = lab();
        let last = [3, 4].map(|position| ConflictingUpdate { position, update: update(position), others: 1 }).into();
        let conflicts =
            Some(Box::new(ConflictList { updates: 2, pairs: 1, under: [(node(2), 1), (node(5), 1)].into(), last }));
        let joined = UpdateWork { conflicts, learnt: vec![update(3)], ..logged(4) };
        lab.takes(5, keeps_work("Have", logged(3), &[], None));
        let mut lists = |who: u16| lab.takes(who, keeps_work("Lacking", joined.clone(), &[line::CONFLICT], None));
        lists(1);
        let expected =
            "1,2: 4 updates, counter 28  5: 3 updates, counter 21  1,2 list 2 in conflict: 1 under 2, 1 under 5";
        assert_eq!(lists(2), expected);
        drop([3, 4].map(&mut lists));
        assert_eq!(lists(5), "1-5: 4 updates, counter 28  2 in conflict: 1 under 2, 1 under 5");
        let told = "2 takes in 1 update of another log: 4 make 28, and lists 2 in conflict: 1 under 2, 1 under 5";
        assert_eq!(lab.did[1], told);
        let expected = "updates: 2 in conflict: 1 under 2, 1 under 5; 1 pair of which neither builds on the other\n\
                        : update 3: +7, order 2.1.3, done under 5, against 1\n\
                        : update 4: +7, order 2.1.4, done under 5, against 1";
        assert_eq!(fields(&Work::Updates(joined)), expected);
    }
}
