//! Holes 1, 8, 9, 10 and 11 of Algorithm B.2, each as the trace of the notes: A to C are honest, D is played by the
//! test.
//!
//! Invariant: each trace is run to the letter and mended, with the same times and the same words of D; all is within
//! the paper's own conditions: every broadcast takes at most T, and all hear all of them in one order.

use super::super::Walk;
use super::{AlgorithmB2, ElectionNumber, Errata, List, Message, faulty, full};
use crate::king_ni::tests::network::{
    self,
    Errata::{Mended, ToTheLetter},
    Event, t,
};

type Network = network::Network<AlgorithmB2>;

/// The processes of the notes.
pub(super) const A: u16 = 1;
pub(super) const B: u16 = 2;
pub(super) const C: u16 = 3;
pub(super) const D: u16 = 4;

/// When the traces begin: after all have asked for what they may have missed.
pub(super) const BEGINS: f64 = 5.0;

/// Of n = 4 one, D, is faulty. D is dead as a process; the test sends its messages.
pub(super) fn network(errata: Errata, lists: &str, capacities: [i64; 4]) -> Network {
    let mut network = Network::with(faulty(4, errata, 1, lists), &capacities, 0.75, 1);
    network.at(t(BEGINS - 1.0), Event::Crash(D));
    network
}

/// This long after the beginning.
pub(super) fn elects(network: &mut Network, process: u16, after: f64) {
    network.at(t(BEGINS + after), Event::Elect(process));
}

/// What D sends comes to all at this time after the beginning.
pub(super) fn d_says(network: &mut Network, errata: Errata, after: f64, what: impl Fn(ElectionNumber) -> Message) {
    let election = ElectionNumber(if errata == Mended { 1 } else { 0 });
    network.at(t(BEGINS + after), Event::Broadcast { from: D, message: what(election) });
}

pub(super) fn init(capacity: i64) -> impl Fn(ElectionNumber) -> Message {
    move |election| Message::Init { election, capacity }
}

pub(super) fn vect(list: List) -> impl Fn(ElectionNumber) -> Message {
    move |election| Message::Vect { election, list: list.clone() }
}

/// The masters that A, B and C name at the end of the election, before D's silence as a master is found.
pub(super) fn named(mut network: Network) -> [Option<u16>; 3] {
    network.run_until(t(BEGINS + 5.5));
    let masters = network.masters();
    [masters[0], masters[1], masters[2]]
}

/// A begins at 0 and its init takes T, so B and C begin at T; its list (2T) comes at 2.5T, when they are in coll1. D
/// says nothing.
fn hole_1(errata: Errata) -> [Option<u16>; 3] {
    let mut network = network(errata, "full", [1, 2, 3, 9]);
    network.delay(A, "init", t(1.0));
    network.delay(A, "vect", t(0.5));
    elects(&mut network, A, 0.0);
    named(network)
}

#[test]
fn hole_1_to_the_letter_a_list_that_comes_in_coll1_is_lost_and_el_is_not_defined() {
    assert_eq!(hole_1(ToTheLetter), [Some(3), None, None]);
}

#[test]
fn hole_1_mended_a_list_is_kept_in_coll1_as_in_coll2() {
    assert_eq!(hole_1(Mended), [Some(3); 3]);
}

/// The same, and D's init comes at 2.2T: B and C hear it in coll1, but A, in coll2, does not. D's list, of A alone,
/// comes last.
fn hole_1_two_masters(errata: Errata) -> [Option<u16>; 3] {
    let mut network = network(errata, "full", [5, -1, -1, 9]);
    network.delay(A, "init", t(1.0));
    network.delay(A, "vect", t(0.5));
    elects(&mut network, A, 0.0);
    d_says(&mut network, errata, 2.2, init(9));
    d_says(&mut network, errata, 3.95, vect(full(&[(D, 9)])));
    named(network)
}

#[test]
fn hole_1_to_the_letter_an_init_of_d_between_makes_two_masters() {
    assert_eq!(hole_1_two_masters(ToTheLetter), [Some(A), Some(D), Some(D)]);
}

#[test]
fn hole_1_mended_an_init_of_d_between_makes_one() {
    assert_eq!(hole_1_two_masters(Mended), [Some(A); 3]);
}

/// A begins at 0, its init takes .9T; D's list comes at .5T, when A is in coll1, and B and C are in normal. With hole 1
/// alone mended A would count it, and B and C would not.
#[test]
fn hole_8_mended_lists_count_from_the_first_init_on_and_that_is_one_place_for_all() {
    for errata in [ToTheLetter, Mended] {
        let mut network = network(errata, "full", [1, 2, 3, 9]);
        network.delay(A, "init", t(0.9));
        network.delay(A, "vect", t(1.0));
        elects(&mut network, A, 0.0);
        d_says(&mut network, errata, 0.5, vect(full(&[(D, 9)])));
        network.run_until(t(BEGINS + 3.9));
        let lists = |process| network.machine(process).lists.iter().map(|(from, _)| from.get()).collect::<Vec<_>>();
        assert_eq!((lists(A), lists(B)), (lists(B), lists(C)), "{errata:?}");
        let is_dropped = network.lines.contains(&(A, 108)) && !network.lines.contains(&(B, 108));
        assert_eq!(is_dropped, errata == Mended);
        assert_eq!(named(network), [Some(3); 3]);
    }
}

/// The trace of hole 8, as played by a machine that keeps every list in coll1, and none in normal: Y differs by one
/// place, and el by a master.
#[test]
fn hole_8_a_list_kept_by_some_and_dropped_by_others_makes_two_masters() {
    let own = super::entries(&[(A, 1), (B, 2), (C, 3)]);
    let honest = [A, B, C].map(|from| (super::node(from), full(&[(A, 1), (B, 2), (C, 3)])));
    let of_d = (super::node(D), full(&[(D, 9)]));
    let [a, b, c] = honest;
    let elects = |lists: &[(protocol::NodeId, List)], own: &[super::Entry]| {
        super::super::el(own, lists, 3, Walk::OwnList).elected.map(|(master, _)| master.get())
    };
    // D's own init came first, so a process that has its list is led by it.
    let walked: Vec<_> = super::entries(&[(D, 9)]).into_iter().chain(own).collect();
    assert_eq!(elects(&[of_d, a.clone(), b.clone(), c.clone()], &walked), Some(D));
    assert_eq!(elects(&[a, b, c], &walked), Some(C));
}

/// A (5) is the only honest candidate. A begins at 0, and B and C hear of it at .5T. D's init comes at 2.2T: it is in S
/// of B and C, not in A's. The lists come in the order B, C, D (claiming A alone), A, whose broadcast takes T.
fn hole_9(errata: Errata) -> [Option<u16>; 3] {
    let mut network = network(errata, "full", [5, -1, -1, 9]);
    network.delay(A, "init", t(0.5));
    network.delay(A, "vect", t(1.0));
    network.delay(B, "vect", t(0.1));
    network.delay(C, "vect", t(0.2));
    elects(&mut network, A, 0.0);
    d_says(&mut network, errata, 2.2, init(9));
    d_says(&mut network, errata, 2.8, vect(full(&[(A, 5)])));
    named(network)
}

#[test]
fn hole_9_to_the_letter_a_walks_another_s_than_b_and_there_are_two_masters() {
    assert_eq!(hole_9(ToTheLetter), [Some(D), Some(A), Some(A)]);
}

#[test]
fn hole_9_mended_all_walk_the_longest_of_the_lists_that_decide() {
    assert_eq!(hole_9(Mended), [Some(A); 3]);
}

/// Lengths. A begins at 0, and B and C at .5T. D's init, the largest, comes at 2.2T: A logs no init in coll2, so it
/// reads a length of 2 as its own one entry. B's list is the one that decides, for B is the first whose list comes.
fn hole_10(errata: Errata) -> [Option<u16>; 3] {
    let mut network = network(errata, "lengths", [5, -1, -1, 9]);
    network.delay(A, "init", t(0.5));
    network.delay(A, "vect", t(1.0));
    network.delay(B, "vect", t(0.1));
    network.delay(C, "vect", t(0.2));
    elects(&mut network, A, 0.0);
    d_says(&mut network, errata, 2.2, init(9));
    d_says(&mut network, errata, 2.8, vect(List::Length(2)));
    named(network)
}

#[test]
fn hole_10_to_the_letter_a_length_is_read_in_a_log_that_has_ended_and_there_are_two_masters() {
    assert_eq!(hole_10(ToTheLetter), [Some(A), Some(D), Some(D)]);
}

#[test]
fn hole_10_mended_inits_are_logged_to_the_end() {
    assert_eq!(hole_10(Mended), [Some(D); 3]);
}

/// D sends its list three times before anybody else: Y' is all D's, to the letter.
fn hole_11_many(errata: Errata) -> [Option<u16>; 3] {
    let mut network = network(errata, "full", [1, 2, 3, 9]);
    (A..=C).for_each(|process| elects(&mut network, process, 0.0));
    for after in [2.1, 2.2, 2.3] {
        d_says(&mut network, errata, after, vect(full(&[(D, 9)])));
    }
    named(network)
}

#[test]
fn hole_11_to_the_letter_many_lists_of_d_are_all_that_decides() {
    assert_eq!(hole_11_many(ToTheLetter), [Some(D); 3], "a master that no honest process has heard of");
}

#[test]
fn hole_11_mended_the_first_list_of_each_counts() {
    assert_eq!(hole_11_many(Mended), [Some(C); 3]);
}

/// D's init comes first, and its list, an empty one, before all others: it decides, and names nobody.
fn hole_11_empty(errata: Errata, lists: &str) -> [Option<u16>; 3] {
    let mut network = network(errata, lists, [1, 2, 3, 9]);
    (A..=C).for_each(|process| elects(&mut network, process, 0.0));
    d_says(&mut network, errata, 0.1, init(0));
    let empty = if lists == "full" { full(&[]) } else { List::Length(0) };
    d_says(&mut network, errata, 2.1, vect(empty));
    named(network)
}

#[test]
fn hole_11_to_the_letter_an_empty_list_of_d_elects_nobody() {
    assert_eq!((hole_11_empty(ToTheLetter, "full"), hole_11_empty(ToTheLetter, "lengths")), ([None; 3], [None; 3]));
}

#[test]
fn hole_11_mended_an_empty_list_is_none_and_a_length_is_cut() {
    assert_eq!((hole_11_empty(Mended, "full"), hole_11_empty(Mended, "lengths")), ([Some(C); 3], [Some(C); 3]));
    let mut network = network(Mended, "lengths", [1, 2, 3, 9]);
    (A..=C).for_each(|process| elects(&mut network, process, 0.0));
    d_says(&mut network, Mended, 0.1, init(9));
    d_says(&mut network, Mended, 2.1, vect(List::Length(u16::MAX)));
    network.run_until(t(BEGINS + 3.0));
    assert!(network.machine(A).lists.contains(&(super::node(D), List::Length(4))));
}

/// D says, to B alone, that an election is over in which it is master: one word is not enough to make anybody follow.
#[test]
fn hole_5_mended_the_word_of_one_makes_no_master() {
    let mut network = network(Mended, "full", [1, 2, 3, 9]);
    network.at(t(BEGINS - 0.5), Event::Crash(B));
    network.at(t(BEGINS), Event::Recover(B));
    let lie = super::ended(9, Some(D));
    network.at(t(BEGINS + 0.5), Event::Deliver { to: B, up_since: Some(2), from: D, message: lie });
    d_says(&mut network, Mended, 0.6, |election| super::succession::Message::Elected { election }.into());
    network.run_until(t(BEGINS + 4.0));
    assert_eq!(network.masters(), [None; 4]);
}
