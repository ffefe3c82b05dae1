//! State, one input, the exact effects.

use super::*;
use crate::tests::{cancels, node, nodes, sends as send, sets, setup};
use protocol::{APPLICATION_LINES, ApplicationEffect, Incarnation, Roster};

const CHECK: Span = Span::from_millis(200);

fn number(author: u16, serial: u32) -> TaskId {
    TaskId { author: node(author), incarnation: Incarnation(1), serial }
}

fn place(depth: u32, author: u16, serial: u32) -> GroupPlace {
    GroupPlace { depth, number: number(author, serial) }
}

fn group(author: u16, serial: u32, members: &str, depth: u32, parents: &[TaskId]) -> FormedGroup {
    FormedGroup { number: number(author, serial), members: nodes(members), parents: parents.into(), depth }
}

/// What 1 to 3 had in common: the group of 3.
fn common() -> FormedGroup {
    group(3, 1, "1-3", 1, &[])
}

/// Node `me` of three, which was in the common group last.
fn machine(me: u16, beside: &[FormedGroup]) -> History {
    let setup = setup(me, Roster::new(3).unwrap(), CHECK, Span::from_millis(1_000));
    let groups = [common()].into_iter().chain(beside.iter().cloned()).collect();
    let cells = HistoryCells { last: Some(place(1, 3, 1)), older: 0, groups };
    History::start(&setup, &Settings::default(), Some(cells))
}

/// A state under `under`, which gives out this task to these members.
fn state(status: Status, under: u16, serial: u32, members: &str) -> StateVector {
    let members = nodes(members);
    let task = Task { author: node(under), incarnation: Incarnation(1), serial, members };
    StateVector { task: Some(task), up: members, ..StateVector::new(status, status.word(), Some(node(under))) }
}

type Did = (Vec<ApplicationEffect<History>>, Vec<u16>, Option<usize>);

/// The effects, the lines, and how many groups are kept.
fn did(run: impl FnOnce(&mut HistoryEffects)) -> Did {
    let (effects, lines, saved) = crate::tests::did(run);
    (effects, lines, saved.map(|cells| cells.groups.len()))
}

fn timer() -> ApplicationEffect<History> {
    sets(HistoryTimer::Part, CHECK)
}

fn no_timer() -> ApplicationEffect<History> {
    cancels(HistoryTimer::Part)
}

fn fetch(part: u16) -> HistoryMessage {
    HistoryMessage::Fetch { part }
}

fn part(of: &GroupHistory, digest: Option<u64>) -> HistoryMessage {
    let groups = of.parts().remove(0);
    HistoryMessage::Part { part: 0, parts: 1, digest, older: of.older(), groups }
}

/// The group that 2 forms with 1.
fn second() -> FormedGroup {
    group(2, 1, "1,2", 2, &[number(3, 1)])
}

/// 2, which coordinates 1 since this moment; 1 reported a history with this digest.
fn leading(digest: u64) -> (History, Did) {
    let mut two = machine(2, &[]);
    two.on_state(&state(Status::Election, 2, 0, "-"), &mut HistoryEffects::default());
    let report = HistoryMessage::Report { last: Some(place(1, 3, 1)), digest };
    let noted = did(|fx| two.on_report(node(1), report, fx));
    assert_eq!(noted, (vec![], vec![1], None));
    two.on_state(&state(Status::Reorganization, 2, 1, "1"), &mut HistoryEffects::default());
    let led = did(|fx| two.on_state(&state(Status::Normal, 2, 1, "1"), fx));
    (two, led)
}

/// 1, which has come to work under 2.
fn following(digest: Option<u64>) -> (History, Did) {
    let mut one = machine(1, &[]);
    one.on_state(&state(Status::Normal, 2, 1, "1"), &mut HistoryEffects::default());
    let definition = HistoryMessage::Definition { group: Box::new(second()), digest };
    let followed = did(|fx| one.on_message(node(2), definition, fx));
    (one, followed)
}

/// The whole history of both.
fn whole() -> GroupHistory {
    GroupHistory::new([common(), second()], 0)
}

#[test]
fn the_members_last_groups_are_the_parents() {
    let mut two = machine(2, &[]);
    two.on_state(&state(Status::Election, 2, 0, "-"), &mut HistoryEffects::default());
    let of_one = HistoryMessage::Report { last: Some(place(4, 1, 9)), digest: 0 };
    let of_three = HistoryMessage::Report { last: Some(place(2, 3, 2)), digest: 0 };
    two.on_report(node(1), of_one, &mut HistoryEffects::default());
    two.on_report(node(3), of_three, &mut HistoryEffects::default());
    two.on_state(&state(Status::Reorganization, 2, 1, "1"), &mut HistoryEffects::default());
    let Some(HistoryMessage::Definition { group, digest }) = two.definition() else { panic!("it gives it out") };
    assert_eq!(*group, self::group(2, 1, "1,2", 5, &[number(1, 9), number(3, 1)]), "3 is no member of it");
    assert_eq!(digest, None, "2 lacks what 1 knows");
}

#[test]
fn reports_of_an_earlier_election_count_for_nothing() {
    let (mut two, _) = leading(0);
    two.on_state(&state(Status::Election, 2, 1, "1"), &mut HistoryEffects::default());
    two.on_state(&state(Status::Reorganization, 2, 2, "1"), &mut HistoryEffects::default());
    let Some(HistoryMessage::Definition { group, .. }) = two.definition() else { panic!("it gives it out") };
    assert_eq!(*group.parents, [number(2, 1)]);
}

#[test]
fn a_coordinator_fetches_what_differs() {
    let (two, led) = leading(GroupHistory::new([common()], 0).digest());
    assert_eq!(led, (vec![], vec![2], Some(2)));
    assert_eq!(two.known, whole());
    let digest = Some(whole().digest());
    assert_eq!(two.definition(), Some(HistoryMessage::Definition { group: Box::new(second()), digest }));
    let (two, led) = leading(7);
    assert_eq!(led, (vec![send(1, fetch(0)), timer()], vec![2, 4], Some(2)));
    assert_eq!(two.waits_for(HistoryTimer::Part), nodes("1"));
    let Work::History(work) = two.work() else { panic!("it is a history") };
    assert_eq!((work.group, work.groups, work.fetches), (Some(second()), 2, nodes("1")));
}

#[test]
fn a_member_fetches_if_it_lacks_something() {
    let (one, followed) = following(Some(whole().digest()));
    assert_eq!((followed, &one.known), ((vec![], vec![3], Some(2)), &whole()));
    let (mut one, followed) = following(None);
    assert_eq!(followed, (vec![send(2, fetch(0)), timer()], vec![3, 4], Some(2)));
    let again = HistoryMessage::Definition { group: Box::new(group(2, 1, "1-3", 9, &[])), digest: None };
    assert_eq!(did(|fx| one.on_message(node(2), again, fx)), (vec![], vec![], None), "once");
}

#[test]
fn a_part_says_what_its_sender_lacks() {
    let (mut two, _) = leading(GroupHistory::new([common()], 0).digest());
    let given = did(|fx| two.on_message(node(1), fetch(0), fx));
    assert_eq!(given, (vec![send(1, part(&whole(), Some(whole().digest())))], vec![5], None));
    assert_eq!(did(|fx| two.on_message(node(1), fetch(1), fx)), (vec![], vec![], None), "there is no such part");
    let (mut two, _) = leading(7);
    let given = did(|fx| two.on_message(node(1), fetch(0), fx));
    assert_eq!(given, (vec![send(1, part(&whole(), None))], vec![5], None));
}

#[test]
fn a_coordinator_takes_all_that_a_member_knows() {
    let (mut two, _) = leading(7);
    let other = group(1, 1, "1", 1, &[]);
    let of_one = GroupHistory::new([common(), other.clone()], 4);
    let taken = did(|fx| two.on_message(node(1), part(&of_one, Some(of_one.digest())), fx));
    assert_eq!(taken, (vec![no_timer()], vec![6], Some(3)));
    assert_eq!((two.learnt.clone(), two.known.older()), (vec![other], 4));
    let late = did(|fx| two.on_message(node(1), part(&of_one, None), fx));
    assert_eq!(late, (vec![], vec![], None), "nothing is fetched any more");
}

#[test]
fn a_member_asks_until_histories_are_equal() {
    let (mut one, _) = following(None);
    let taken = did(|fx| one.on_message(node(2), part(&whole(), None), fx));
    assert_eq!(taken, (vec![], vec![6], Some(2)), "the coordinator lacks something yet");
    let again = did(|fx| one.on_timer(HistoryTimer::Part, fx));
    assert_eq!(again, (vec![send(2, fetch(0)), timer()], vec![7], None));
    let more = GroupHistory::new([common(), second(), group(1, 1, "1", 1, &[])], 4);
    let taken = did(|fx| one.on_message(node(2), part(&more, Some(more.digest())), fx));
    assert_eq!((taken, &one.known), ((vec![no_timer()], vec![6], Some(3)), &more));
}

#[test]
fn a_long_history_comes_part_by_part() {
    let (mut one, _) = following(None);
    let long =
        GroupHistory::new((3..40).map(|depth| group(2, depth, "1,2", depth, &[])).chain([common(), second()]), 0);
    let parts = long.parts();
    let count = parts.len() as u16;
    assert!(count > 2);
    let digest = Some(long.digest());
    for (part, groups) in (0..).zip(parts) {
        let message = HistoryMessage::Part { part, parts: count, digest, older: 0, groups };
        let (list, ..) = did(|fx| one.on_message(node(2), message, fx));
        let next = if part + 1 < count { vec![send(2, fetch(part + 1)), timer()] } else { vec![no_timer()] };
        assert_eq!(list, next, "part {part} of {count}");
    }
    assert_eq!(one.known, long);
}

#[test]
fn who_leaves_the_group_remembers_it() {
    let (mut one, _) = following(None);
    let left = did(|fx| one.on_state(&state(Status::Election, 2, 1, "1"), fx));
    assert_eq!(left, (vec![no_timer()], vec![8], None));
    let digest = one.known.digest();
    assert_eq!(one.report(), Some(HistoryMessage::Report { last: Some(place(2, 2, 1)), digest }));
    let Work::History(work) = one.work() else { panic!("it is a history") };
    assert_eq!((work.group, work.fetches), (None, NodeSet::EMPTY));
}

#[test]
fn every_line_is_cited() {
    let mut cited: Vec<u16> = Vec::new();
    cited.extend(leading(7).1.1);
    cited.extend(following(None).1.1);
    let (mut one, _) = following(None);
    cited.extend(did(|fx| one.on_message(node(2), fetch(0), fx)).1);
    cited.extend(did(|fx| one.on_message(node(2), part(&whole(), None), fx)).1);
    cited.extend(did(|fx| one.on_timer(HistoryTimer::Part, fx)).1);
    cited.extend(did(|fx| one.on_state(&state(Status::Election, 2, 1, "1"), fx)).1);
    let mut two = machine(2, &[]);
    cited.extend(did(|fx| two.on_report(node(1), HistoryMessage::Report { last: None, digest: 0 }, fx)).1);
    cited.sort_unstable();
    cited.dedup();
    let listed: Vec<u16> = History::CARD.listing.iter().map(|line| line.number - APPLICATION_LINES).collect();
    assert_eq!(cited, listed);
}
