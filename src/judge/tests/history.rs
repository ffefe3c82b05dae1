//! The history of the groups: what a group's parents must be, and who must know what.

use super::work::told;
use super::*;
use protocol::{ApplicationFacts, FormedGroup, HistoryWork, Task, TaskId, Work};
use record::Missed;

fn lab() -> Trace {
    let needs = Assumption::first(10);
    let mut head = head(3, &[Property::History], needs);
    head.facts.application = Some(ApplicationFacts {
        name: "history".into(),
        title: "Group history".into(),
        bystanders: 0,
        needs: needs.to_vec(),
        promises: vec![Property::History],
        shards: None,
        services: None,
        section: None,
        weights: Vec::new(),
        orders: Vec::new(),
    });
    let mut trace = Trace::new(&head);
    (1..=3).for_each(|of| trace.start(of, 0, between()));
    trace
}

fn number(author: u16, serial: u32) -> TaskId {
    TaskId { author: node(author), incarnation: Incarnation(1), serial }
}

fn group(author: u16, serial: u32, members: &str, depth: u32, parents: &[(u16, u32)]) -> FormedGroup {
    let parents = parents.iter().map(|(author, serial)| number(*author, *serial)).collect();
    FormedGroup { number: number(author, serial), members: members.parse().unwrap(), parents, depth }
}

/// At work in this group, with this digest of its history.
fn within(group: &FormedGroup, digest: &str) -> StateVector {
    let work =
        HistoryWork { group: Some(group.clone()), groups: 1, digest: digest.to_owned(), ..HistoryWork::default() };
    let author = group.coordinator();
    let mut members = group.members;
    members.remove(author);
    let task = Task { author, incarnation: Incarnation(1), serial: group.number.serial, members };
    StateVector { task: Some(task), work: Some(Box::new(Work::History(work))), ..normal(author.get()) }
}

/// In an election.
fn between() -> StateVector {
    StateVector { work: Some(Box::new(Work::History(HistoryWork::default()))), ..electing() }
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
fn the_groups_in_which_the_members_were_are_the_parents() {
    let first = group(3, 1, "1-3", 1, &[]);
    let second = group(2, 1, "1,2", 2, &[(3, 1)]);
    let mut trace = after(&first);
    trace.become_state(2, 300, within(&second, "b"));
    trace.become_state(1, 310, within(&second, "b"));
    trace.become_state(3, 320, between());
    let held = trace.judge.tallies().get(Property::History);
    assert_eq!((held.due, told(trace)), (5, vec![]));
}

#[test]
fn a_parent_in_which_no_member_was_is_told_and_so_is_one_that_is_missing() {
    let first = group(3, 1, "1-3", 1, &[]);
    let second = group(2, 1, "1,2", 2, &[(3, 1), (3, 7)]);
    let mut trace = after(&first);
    trace.become_state(2, 300, within(&second, "b"));
    trace.become_state(3, 320, within(&group(3, 2, "3", 1, &[]), "c"));
    let stranger = "no member of group 2.1.1 was in 3.1.7, which is given for a parent of it";
    assert_eq!(told(trace), [stranger, "3 was in group 3.1.1, which is no parent of its next group 3.1.2"]);
}

#[test]
fn members_that_are_told_different_things_are_told() {
    let first = group(3, 1, "1-3", 1, &[]);
    let mut trace = after(&first);
    trace.become_state(2, 300, within(&group(2, 1, "1,2", 2, &[(3, 1)]), "b"));
    trace.become_state(1, 310, within(&group(2, 1, "1,2", 3, &[(3, 1)]), "c"));
    let what = ["1 was told another past of group 2.1.1 than 2", "2 and 1 know two histories of group 2.1.1"];
    assert_eq!(told(trace), what);
}

#[test]
fn other_members_than_those_of_the_task_are_told() {
    let mut trace = lab();
    let other = FormedGroup { members: "1-3".parse().unwrap(), ..group(2, 1, "1,2", 1, &[]) };
    let task = within(&group(2, 1, "1,2", 1, &[]), "b").task;
    trace.become_state(2, 300, StateVector { task, ..within(&other, "b") });
    assert_eq!(told(trace), ["2 takes 1-3 for the members of group 2.1.1"]);
}

#[test]
fn a_depth_that_its_parents_do_not_make_is_told() {
    let first = group(3, 1, "1-3", 1, &[]);
    let mut trace = after(&first);
    trace.become_state(2, 300, within(&group(2, 1, "2", 4, &[(3, 1)]), "b"));
    assert_eq!(told(trace), ["group 2.1.1 has depth 4, and its parents make it 2"]);
}

#[test]
fn what_is_learnt_wrongly_is_told() {
    let first = group(3, 1, "1-3", 1, &[]);
    let mut trace = after(&first);
    let second = group(2, 1, "1,2", 2, &[(3, 1)]);
    let learnt = vec![group(3, 1, "1,3", 1, &[])];
    let Some(Work::History(work)) = within(&second, "b").work.as_deref().cloned() else { panic!("it is a history") };
    let work = Some(Box::new(Work::History(HistoryWork { learnt, ..work })));
    trace.become_state(2, 300, StateVector { work, ..within(&second, "b") });
    assert_eq!(told(trace), ["2 has learnt of group 3.1.1 what is not so"]);
}

#[test]
fn a_process_goes_on_from_the_group_before_its_last_one_if_its_last_step_was_lost() {
    for (parents, depth, tells) in [([(3, 1)], 2, false), ([(2, 1)], 3, false), ([(1, 9)], 3, true)] {
        let first = group(3, 1, "1-3", 1, &[]);
        let mut trace = after(&first);
        trace.become_state(2, 300, within(&group(2, 1, "1,2", 2, &[(3, 1)]), "b"));
        trace.crash(2, 310);
        trace.recover(2, 320, between());
        trace.become_state(2, 400, within(&group(2, 2, "2", depth, &parents), "c"));
        assert_eq!(!told(trace).is_empty(), tells, "{parents:?}");
    }
}

#[test]
fn of_a_node_with_a_gap_nothing_is_told_until_it_is_in_a_group_again() {
    let first = group(3, 1, "1-3", 1, &[]);
    let mut trace = after(&first);
    trace.happened(2, 250, Body::Gap(Missed { count: 1, place: "on their way".into() }));
    trace.become_state(2, 300, within(&group(2, 1, "2", 1, &[(1, 9)]), "b"));
    assert_eq!(told(trace), Vec::<String>::new());
}
