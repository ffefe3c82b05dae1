//! The history of the groups: what a group's parents must be, and who must know what.

use crate::tests::judged;
use judge::trial::*;
use protocol::{FormedGroup, HistoryWork, Incarnation, Property, StateVector, Task, TaskId, Work};

fn lab() -> Trace {
    let mut trace = judged(&head_with(3, application("history", &[Property::History], 10)));
    trace.start_all(3, &between());
    trace
}

fn number(author: u16, serial: u32) -> TaskId {
    TaskId { author: node(author), incarnation: Incarnation(1), serial }
}

fn group(author: u16, serial: u32, members: &str, depth: u32, parents: &[(u16, u32)]) -> FormedGroup {
    let parents = parents.iter().map(|(author, serial)| number(*author, *serial)).collect();
    FormedGroup { number: number(author, serial), members: set(members), parents, depth }
}

/// At work in this group, with this digest of its history.
fn within(group: &FormedGroup, digest: &str) -> StateVector {
    let work =
        HistoryWork { group: Some(group.clone()), groups: 1, digest: digest.to_owned(), ..HistoryWork::default() };
    let author = group.coordinator();
    let mut members = group.members;
    members.remove(author);
    let task = Task { author, incarnation: Incarnation(1), serial: group.number.serial, members };
    at_work(Work::History(work), StateVector { task: Some(task), ..normal(author.get()) })
}

/// In an election.
fn between() -> StateVector {
    at_work(Work::History(HistoryWork::default()), electing())
}

/// All three have been in this group, and are in an election.
fn after(first: &FormedGroup) -> Trace {
    let mut trace = lab();
    for of in [3, 2, 1] {
        trace.become_state(of, 100 + i64::from(of), within(first, "a"));
        trace.become_state(of, 200 + i64::from(of), between());
    }
    trace
}

#[test]
fn the_last_groups_of_the_members_are_parents() {
    let first = group(3, 1, "1-3", 1, &[]);
    let second = |depth, parents| group(2, 1, "1,2", depth, parents);
    let right = second(2, &[(3, 1)]);
    let mut wrongly_learnt = within(&right, "b");
    if let Some(Work::History(work)) = wrongly_learnt.work.as_deref_mut() {
        work.learnt = vec![group(3, 1, "1,3", 1, &[])];
    }
    for (states, told) in [
        (vec![(2, within(&right, "b")), (1, within(&right, "b")), (3, between())], vec![]),
        (
            vec![(2, within(&second(2, &[(3, 1), (3, 7)]), "b")), (3, within(&group(3, 2, "3", 1, &[]), "c"))],
            vec![
                "no member of group 2.1.1 was in 3.1.7, which is given for a parent of it",
                "3 was in group 3.1.1, which is no parent of its next group 3.1.2",
            ],
        ),
        (
            vec![(2, within(&right, "b")), (1, within(&second(3, &[(3, 1)]), "c"))],
            vec!["1 was told another past of group 2.1.1 than 2", "2 and 1 know two histories of group 2.1.1"],
        ),
        (
            vec![(2, within(&group(2, 1, "2", 4, &[(3, 1)]), "b"))],
            vec!["group 2.1.1 has depth 4, and its parents make it 2"],
        ),
        (vec![(2, wrongly_learnt)], vec!["2 has learnt of group 3.1.1 what is not so"]),
    ] {
        let mut trace = after(&first);
        (300..).step_by(10).zip(states).for_each(|(at, (of, state))| trace.become_state(of, at, state));
        if told.is_empty() {
            assert_eq!(trace.tally(Property::History).due, 5);
        }
        assert_eq!(trace.told(), told);
    }
}

#[test]
fn members_of_another_task_are_told() {
    let mut trace = lab();
    let other = FormedGroup { members: set("1-3"), ..group(2, 1, "1,2", 1, &[]) };
    let task = within(&group(2, 1, "1,2", 1, &[]), "b").task;
    trace.become_state(2, 300, StateVector { task, ..within(&other, "b") });
    assert_eq!(trace.told(), ["2 takes 1-3 for the members of group 2.1.1"]);
}

#[test]
fn a_lost_step_goes_back_one_group() {
    for (parents, depth, tells) in [([(3, 1)], 2, false), ([(2, 1)], 3, false), ([(1, 9)], 3, true)] {
        let first = group(3, 1, "1-3", 1, &[]);
        let mut trace = after(&first);
        trace.become_state(2, 300, within(&group(2, 1, "1,2", 2, &[(3, 1)]), "b"));
        trace.crash(2, 310);
        trace.recover(2, 320, between());
        trace.become_state(2, 400, within(&group(2, 2, "2", depth, &parents), "c"));
        assert_eq!(!trace.told().is_empty(), tells, "{parents:?}");
    }
}

#[test]
fn behind_a_gap_no_group_is_judged() {
    let first = group(3, 1, "1-3", 1, &[]);
    let mut trace = after(&first);
    trace.gap(Some(2), 250);
    trace.become_state(2, 300, within(&group(2, 1, "2", 1, &[(1, 9)]), "b"));
    assert_eq!(trace.told(), Vec::<String>::new());
}
