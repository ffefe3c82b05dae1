//! The holes of Invitation over the tests' network: each to the letter that has it, and mended.
//!
//! Invariant: assertion 3 holds in every run.

use super::scenarios::{PATIENT, TIMING, by_the_book, mended, one_by_one, quiet_bound, settled, to_the_letter};
use super::{Invitation, Message};
use crate::garcia_molina::YesOrNo;
use bench::call;
use bench::network::Network;
use bench::{node, nodes};
use protocol::{GroupNumber, Settings, Span, Status};

const LONG: Span = Span::from_millis(20_000);

/// Three nodes; 3 invites the others, and its answer to the Accept of 1 is lost.
fn an_accept_that_is_not_answered(settings: fn(Settings) -> Settings) -> Network<Invitation> {
    let mut network = Network::started(3, TIMING, settings);
    network.run_till(quiet_bound(3), "1 accepts", |network| network.state(1).coordinator == Some(node(3)));
    network.cut("3", "1");
    network.run(TIMING.t / 5);
    network.heal();
    network
}

#[test]
fn hole_10_27_to_the_letter_of_the_book_an_accept_that_is_not_answered_loses_its_node_for_good() {
    let mut network = an_accept_that_is_not_answered(by_the_book);
    network.run(LONG);
    let state = network.state(1);
    assert_eq!((state.status, state.coordinator), (Status::Reorganization, Some(node(1))));
    assert_eq!(network.violations, Vec::<String>::new());
}

#[test]
fn hole_10_27_mended_and_in_the_paper_it_recovers_and_nothing_more() {
    for settings in [mended, to_the_letter] {
        let mut network = an_accept_that_is_not_answered(settings);
        network.run_till(quiet_bound(3), "1 stands alone", |network| network.normal_under("1", 1));
        network.run_till(quiet_bound(3), "one group", |network| network.normal_under("1-3", 3));
        assert_eq!(network.violations, Vec::<String>::new());
    }
}

#[test]
fn hole_10_24_to_the_letter_of_the_book_every_timeout_ends_in_recovery() {
    let mut network = settled(3, by_the_book);
    for _ in 0..3 {
        network.run_till(TIMING.silence + TIMING.t * 2, "1 leaves", |network| network.normal_under("1", 1));
        network.run_till(quiet_bound(3), "and is found", |network| network.normal_under("1-3", 3));
    }
    assert_eq!(network.violations, Vec::<String>::new());
}

#[test]
fn hole_10_24_mended_and_in_the_paper_a_group_stays() {
    for settings in [mended, to_the_letter] {
        let mut network = settled(3, settings);
        let before = network.state(1).group;
        network.run(LONG);
        assert!(network.normal_under("1-3", 3) && network.state(1).group == before);
    }
}

/// 2 accepts an invitation of 3 and dies; 1 takes the task, and its answer comes twice.
fn a_ready_that_is_answered_twice(settings: fn(Settings) -> Settings) -> Network<Invitation> {
    let mut network = Network::started(3, TIMING, settings);
    network.run_till(quiet_bound(3), "both accept", |network| network.state(3).up == nodes("1,2"));
    network.crash(2);
    network.run_till(TIMING.t * 3, "1 has the task", |network| network.normal_under("1", 3));
    network.run(TIMING.t / 10);
    network.hear(3, 1, Message::ReadyAnswer { call: call(3), taken: YesOrNo::Yes });
    network
}

#[test]
fn hole_10_26_to_the_letter_of_the_book_a_repeated_answer_stands_in_for_a_dead_member() {
    let network = a_ready_that_is_answered_twice(by_the_book);
    assert!(network.normal_under("1,3", 3));
    assert_eq!(network.state(3).up, nodes("1,2"), "2 has not heard");
}

#[test]
fn hole_10_26_mended_and_in_the_paper_3_finds_out_that_2_is_silent() {
    for settings in [mended, to_the_letter] {
        let mut network = a_ready_that_is_answered_twice(settings);
        assert_eq!(network.state(3).status, Status::Reorganization);
        network.run_till(TIMING.t, "3 recovers", |network| network.normal_under("3", 3));
        assert_eq!(network.state(3).up, nodes("-"));
    }
}

/// 3's Ready overtakes its answer to the Accept of 1, which breaks assumption 7.
fn a_ready_that_overtakes_the_answer_to_accept(settings: fn(Settings) -> Settings) -> Network<Invitation> {
    let mut network = Network::started(3, TIMING, settings);
    network.run(TIMING.check + TIMING.t / 40);
    // The invitation is late, so that the Accept still waits when Merge gives out the task.
    network.delay(3, 1, TIMING.t * 5 / 4);
    network.run_till(TIMING.t * 2, "1 accepts", |network| network.state(1).coordinator == Some(node(3)));
    network.delay(3, 1, TIMING.t * 9 / 10);
    network.run_till(TIMING.t, "1 is in Up", |network| network.state(3).up.contains(node(1)));
    network.delay(3, 1, TIMING.t / 20);
    network.run_till(TIMING.t * 2, "3 is Normal, or recovers", |network| network.state(3).status == Status::Normal);
    network
}

#[test]
fn hole_ready_mended_a_refusal_makes_its_coordinator_recover() {
    let mut network = a_ready_that_overtakes_the_answer_to_accept(mended);
    assert!(network.normal_under("3", 3) && network.state(3).up == nodes("-"));
    network.run_till(quiet_bound(3), "one group", |network| network.normal_under("1-3", 3));
    assert_eq!(network.violations, Vec::<String>::new());
}

/// 1 is paused from its Accept on; when it goes on, it reads the answer and 3's Ready, in this order.
fn a_ready_right_behind_the_answer_to_accept(settings: fn(Settings) -> Settings) -> Network<Invitation> {
    let mut network = Network::started(3, PATIENT, settings);
    network.run_till(quiet_bound(3), "1 accepts", |network| network.state(1).coordinator == Some(node(3)));
    network.pause(1);
    network.run_till(TIMING.t * 7, "3 calls Ready", |network| network.state(3).status == Status::Reorganization);
    // One after another, 2 is called before 1.
    network.run(TIMING.t / 5);
    network.resume(1);
    network.run(TIMING.t * 2);
    network
}

#[test]
fn hole_ready_to_the_letter_of_the_paper_a_member_that_refused_its_ready_waits_for_ever() {
    let sequential: fn(Settings) -> Settings = |settings| one_by_one(to_the_letter(settings));
    for settings in [to_the_letter, sequential] {
        let mut network = a_ready_right_behind_the_answer_to_accept(settings);
        network.run(LONG);
        assert_eq!((network.state(1).status, network.state(1).coordinator), (Status::Reorganization, Some(node(3))));
        assert!(network.normal_under("2,3", 3));
        assert_eq!(network.state(3).up, nodes("1,2"), "Timeout of 1 is told yes");
    }
}

#[test]
fn hole_ready_by_the_book_the_refusal_makes_its_coordinator_recover() {
    let mut network = a_ready_right_behind_the_answer_to_accept(by_the_book);
    assert!(network.normal_under("3", 3) && network.state(3).up == nodes("-"));
    network.run_till(quiet_bound(3), "one group", |network| network.normal_under("1-3", 3));
}

#[test]
fn hole_ready_mended_the_answer_to_accept_is_reorganization() {
    for settings in [mended, one_by_one] {
        let network = a_ready_right_behind_the_answer_to_accept(settings);
        assert!(network.normal_under("1-3", 3), "{}", network.picture());
        assert_eq!(network.violations, Vec::<String>::new());
    }
}

/// 1 is told that its Accept came too late: for how long is it then in nobody's group?
fn refused_for(settings: fn(Settings) -> Settings) -> Span {
    let mut network = Network::<Invitation>::started(3, TIMING, settings);
    network.run(TIMING.check + TIMING.t / 40);
    // The invitation is so late that 3 has given out the task when the Accept comes.
    network.delay(3, 1, TIMING.t * 5 / 2);
    network.run_till(TIMING.t * 3, "1 accepts", |network| network.state(1).coordinator == Some(node(3)));
    network.delay(3, 1, TIMING.t / 20);
    network.run_till(quiet_bound(3), "1 recovers", |network| network.normal_under("1", 1))
}

#[test]
fn hole_i3_to_the_letter_of_the_paper_who_is_refused_waits_for_its_timeout() {
    assert!(refused_for(to_the_letter) >= TIMING.silence);
}

#[test]
fn hole_i3_mended_it_recovers_at_the_answer() {
    assert_eq!(refused_for(mended), TIMING.t / 10);
}

/// 2 hears an invitation that was garbled so that it names 2 as the inviter.
fn an_invitation_in_ones_own_name(settings: fn(Settings) -> Settings) -> Network<Invitation> {
    let mut network = settled(3, settings);
    let group = GroupNumber { node: node(3), counter: 9 };
    network.hear(2, 3, Message::Invitation { call: call(9), coordinator: node(2), group });
    network
}

#[test]
fn hole_i1_to_the_letter_it_is_taken_and_a_coordinator_in_an_election_of_nobodys_never_gets_out() {
    for settings in [to_the_letter, by_the_book] {
        let mut network = an_invitation_in_ones_own_name(settings);
        network.run(LONG);
        assert_eq!((network.state(2).status, network.state(2).coordinator), (Status::Reorganization, Some(node(2))));
    }
}

#[test]
fn hole_i1_mended_it_is_declined() {
    let network = an_invitation_in_ones_own_name(mended);
    assert!(network.normal_under("1-3", 3));
}

/// 1 has found 2 and 3 and waits; meanwhile 3, which cannot reach 1 any more, takes 2 into its group.
fn a_wait_in_which_the_found_become_members(settings: fn(Settings) -> Settings) -> Network<Invitation> {
    let mut network = Network::started(3, TIMING, settings);
    network.run(TIMING.check + TIMING.t / 8);
    network.partition("1", "3");
    network.run_till(quiet_bound(3), "3 takes 2", |network| network.normal_under("2,3", 3));
    network
}

#[test]
fn hole_check_to_the_letter_the_found_are_invited_out_of_the_group_that_they_have_joined() {
    let mut network = a_wait_in_which_the_found_become_members(to_the_letter);
    network.run_till(TIMING.check * 6, "1 takes 2 from 3", |network| network.normal_under("1,2", 1));
    assert!(network.normal_under("3", 3) && network.state(3).up == nodes("2"), "3 is not told");
    network.heal();
    network.run_till(quiet_bound(3), "one group", |network| network.normal_under("1-3", 3));
    assert_eq!(network.violations, Vec::<String>::new(), "legal, only slower");
}

#[test]
fn hole_check_mended_they_are_asked_again_and_left_where_they_are() {
    let mut network = a_wait_in_which_the_found_become_members(mended);
    let before = network.state(2).group;
    network.run(TIMING.check * 6);
    assert!(network.normal_under("2,3", 3) && network.normal_under("1", 1));
    assert_eq!(network.state(2).group, before);
}

/// Legal, only slower, and therefore in every edition: the two sides no longer say the same about the old group.
#[test]
fn hole_merge_an_old_member_that_the_invitation_has_not_reached_is_told_no_and_found_again() {
    for settings in [mended, to_the_letter] {
        let mut network = Network::<Invitation>::new(3, TIMING, settings);
        network.start(1);
        network.start(3);
        network.run_till(quiet_bound(3), "3 takes 1", |network| network.normal_under("1,3", 3));
        let old = network.state(1).group;
        network.start(2);
        network.run_till(quiet_bound(3), "3 merges again", |network| network.state(3).status == Status::Election);
        network.cut("3", "1");
        network.run(TIMING.t / 10);
        network.heal();
        network.run_till(TIMING.t * 4, "3 takes 2", |network| network.normal_under("2,3", 3));
        assert!(network.normal_under("1", 3) && network.state(1).group == old && network.state(3).group != old);
        let span = network.run_till(quiet_bound(3), "1 is told no", |network| network.normal_under("1", 1));
        assert!(span <= TIMING.silence + TIMING.t / 10, "not by silence, but by an answer: {span}");
        network.run_till(quiet_bound(3), "one group", |network| network.normal_under("1-3", 3));
        assert_eq!(network.violations, Vec::<String>::new());
    }
}
