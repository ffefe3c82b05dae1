//! After a reorganization: what a coordinator gets, what it tells, and what it settles.

use super::*;

#[test]
fn a_coming_coordinator_brings_all_up() {
    let (mut five, began) = begun(5, 1, None, &[(1, standing(20, None)), (2, standing(0, None))]);
    let question = send(1, UpdateMessage::Have(standing(1, None)));
    assert_eq!(began, ([vec![question], waits().to_vec()].concat(), vec![34, 48], None));
    let part = |first: u32, last: usize| {
        let before = digest(&done(first - 1));
        UpdateMessage::Entries(Box::new(LogPart {
            first,
            before,
            updates: done(20)[first as usize - 1..last].to_vec(),
        }))
    };
    let got = hear(&mut five, 1, part(2, 17));
    let question = send(1, UpdateMessage::Have(standing(17, None)));
    assert_eq!(got, ([vec![question], waits().to_vec()].concat(), vec![50, 48], cells(17, None)));
    let whole = hear(&mut five, 1, part(18, 20));
    let told = send(2, part(1, 16));
    assert_eq!(whole, ([vec![told], waits().to_vec()].concat(), vec![50, 49], cells(20, None)));
    let next = hear(&mut five, 2, UpdateMessage::Have(standing(16, None)));
    assert_eq!(next.0[0], send(2, part(17, 20)));
    let last = hear(&mut five, 2, UpdateMessage::Have(standing(20, None)));
    assert_eq!(last, (waits_no_more().to_vec(), vec![], None));
    let foreign = hear(&mut five, 1, part(18, 20));
    assert!(foreign.1.is_empty() && foreign.2.is_none(), "it does not follow: {foreign:?}");
}

#[test]
fn a_member_takes_what_follows_its_log() {
    let mut two = machine(2, 1, Some(prepared(1, attempt(5, 2), "1,2,5")));
    did(|fx| two.on_state(&state(Status::Normal, 5, "-", "1,2"), fx));
    let part = LogPart { first: 2, before: digest(&done(1)), updates: done(3)[1..].to_vec() };
    let took = hear(&mut two, 5, UpdateMessage::Entries(Box::new(part.clone())));
    let effects = vec![cancel(UpdateTimer::Doubt), send(5, UpdateMessage::Have(standing(3, None)))];
    assert_eq!(took, (effects, vec![50], cells(3, None)));
    let twice = hear(&mut two, 5, UpdateMessage::Entries(Box::new(part)));
    assert_eq!(twice, (vec![send(5, UpdateMessage::Have(standing(3, None)))], vec![], None));
    let longer = hear(&mut two, 5, UpdateMessage::Have(standing(2, None)));
    assert_eq!(longer.1, vec![49], "the coordinator lacks one");
}

#[test]
fn what_only_the_dead_coordinator_knows_blocks() {
    let asked = prepared(1, attempt(5, 2), "1-5");
    let doubt = || standing(1, Some(asked));
    let (mut four, began) = begun(4, 1, Some(asked), &[(1, doubt()), (2, doubt()), (3, doubt())]);
    assert_eq!((began.1, began.2), (vec![34, 47], None));
    let blocked = BlockedUpdate { position: 2, knows: nodes("5") };
    assert_eq!(work(&four).blocked, Some(blocked));
    let refused = did(|fx| four.on_update(1, fx));
    assert_eq!(refused.1, vec![31, 32]);
    assert_eq!(work(&four).refused.map(|refused| refused.why), Some(RefusalReason::Blocked(blocked)));
    assert_eq!(hear(&mut four, 1, UpdateMessage::Ask(doubt())).0.len(), 2, "nothing is told, both timers stop");
}

#[test]
fn who_never_prepared_lets_it_abort() {
    let asked = prepared(1, attempt(5, 2), "1-5");
    let abort = UpdateMessage::Abort { transaction: attempt(5, 2) };
    let (four, began) = begun(4, 1, Some(asked), &[(1, standing(1, Some(asked))), (2, standing(1, None))]);
    assert!(began.0.contains(&send(1, abort.clone())), "{began:?}");
    assert_eq!((began.1, began.2), (vec![34, 46, 46], cells(1, None)));
    assert_eq!((work(&four).in_doubt, work(&four).blocked), (None, None));
    let (_, began) = begun(5, 1, Some(asked), &[(1, standing(1, Some(asked))), (2, standing(1, Some(asked)))]);
    assert_eq!(began.1, vec![34, 46, 46, 46], "5 itself is back, and has not decided");
}

#[test]
fn what_somebody_has_done_is_done() {
    let asked = prepared(1, attempt(5, 2), "1-5");
    let (_, began) = begun(4, 2, None, &[(1, standing(1, Some(asked)))]);
    assert!(began.0.contains(&send(1, UpdateMessage::Commit { transaction: attempt(5, 2) })), "{began:?}");
    assert_eq!(began.1, vec![34, 45, 49]);
    let other = prepared(1, attempt(3, 1), "1-5");
    let (_, began) = begun(4, 2, None, &[(1, standing(1, Some(other)))]);
    assert_eq!(began.1, vec![34, 46, 49]);
}

#[test]
fn who_is_silent_may_know_more() {
    let asked = prepared(1, attempt(5, 2), "1-5");
    let doubt = standing(1, Some(asked));
    let reports = [(1, doubt.clone()), (2, doubt.clone()), (3, doubt), (5, standing(2, None))];
    let (mut four, began) = begun(4, 1, Some(asked), &reports);
    assert_eq!(began.1, vec![34, 48], "5 has done it");
    let silent = did(|fx| four.on_timer(UpdateTimer::Silent, fx));
    assert_eq!(silent.1, vec![52, 47]);
    assert_eq!(work(&four).blocked, Some(BlockedUpdate { position: 2, knows: nodes("5") }));
}

#[test]
fn a_report_of_another_group_counts_for_none() {
    let number = |counter| Some(GroupNumber { node: node(5), counter });
    let merging = |counter| StateVector { group: number(counter), ..state(Status::Election, 5, "-", "1,2") };
    let mut five = machine(5, 0, None);
    did(|fx| five.on_state(&merging(2), fx));
    let late = UpdateMessage::Report(standing(0, None), number(1));
    assert_eq!(did(|fx| five.on_report(node(1), late, fx)), (vec![], vec![], None));
    let right = UpdateMessage::Report(standing(0, None), number(2));
    assert_eq!(did(|fx| five.on_report(node(1), right, fx)).1, vec![33]);
    did(|fx| five.on_state(&merging(3), fx));
    assert!(five.reports.is_empty(), "the next merge has reports of its own");
}
