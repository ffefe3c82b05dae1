//! `el(Y)` by itself: which list decides.
//!
//! Invariant: lists stand in the order in which they were delivered.

use super::super::WalkedList;
use super::*;
use crate::king_ni::b2::{ListForm, el};
use protocol::{Described, LineNumber, NodeId, ORDERED_NODES_MAX};

fn elects(own: &[(u16, i64)], lists: &[(u16, List)], enough: usize, walk: WalkedList) -> Option<u16> {
    let lists: Vec<(NodeId, List)> = lists.iter().map(|(from, list)| (node(*from), list.clone())).collect();
    el(&entries(own), &lists, enough, walk).elected.map(|(master, _)| master.get())
}

/// The line by which `el` finds it.
fn line(own: &[(u16, i64)], lists: &[(u16, List)], enough: usize, walk: WalkedList) -> LineNumber {
    let lists: Vec<(NodeId, List)> = lists.iter().map(|(from, list)| (node(*from), list.clone())).collect();
    el(&entries(own), &lists, enough, walk).line
}

/// The list that decides.
fn decides(lists: &[(u16, List)], enough: usize, walk: WalkedList) -> Vec<Entry> {
    let own = entries(&[(1, 1), (2, 2), (3, 3), (4, 9)]);
    let lists: Vec<(NodeId, List)> = lists.iter().map(|(from, list)| (node(*from), list.clone())).collect();
    el(&own, &lists, enough, walk).elected.expect("enough lists").1.to_vec()
}

#[test]
fn messages_are_told_whole() {
    let told = |message: Message| (message.kind(), message.fields());
    let fields = |name: &'static str, value: &str| vec![(name, value.to_owned()), ("election", "7".to_owned())];
    assert_eq!(told(init(7, -1)), ("init", fields("capacity", "-1")));
    assert_eq!(told(vect(7, full(&[(4, 4), (3, 9)]))), ("vect", fields("list", "[4:4 3:9]")));
}

#[test]
fn el_takes_the_first_candidates_list() {
    let lists = [(4, full(&[(4, 9)])), (2, full(&[(1, 1), (2, 2)])), (3, full(&[(3, 3)])), (1, full(&[(1, 7)]))];
    let own = [(1, 1), (2, 2), (3, 3), (4, 9)];
    assert_eq!(elects(&own, &lists, 3, WalkedList::OwnList), Some(2), "1 was first, and its list is the fourth");
    assert_eq!(elects(&own, &lists, 4, WalkedList::OwnList), Some(1));
    // None of S is in Y': the first list of Y' decides.
    assert_eq!(elects(&[(1, 1)], &lists, 3, WalkedList::OwnList), Some(4));
    assert_eq!(
        [line(&own, &lists, 3, WalkedList::OwnList), line(&[(1, 1)], &lists, 3, WalkedList::OwnList)],
        [302, 303]
    );
    assert_eq!(decides(&lists, 3, WalkedList::OwnList), entries(&[(1, 1), (2, 2)]));
    assert_eq!(decides(&lists, 4, WalkedList::OwnList), entries(&[(1, 7)]));
    assert_eq!(decides(&lists[..1], 1, WalkedList::OwnList), entries(&[(4, 9)]));
    for walk in [WalkedList::OwnList, WalkedList::LongestList] {
        assert_eq!(elects(&own, &lists[..2], 3, walk), None, "fewer than n-t lists");
        assert_eq!(line(&own, &lists[..2], 3, walk), 301);
    }
}

#[test]
fn of_equal_capacities_the_larger_id_wins() {
    for walk in [WalkedList::OwnList, WalkedList::LongestList] {
        let lists = [(1, full(&[(1, 5), (2, 5), (3, -1)]))];
        assert_eq!(elects(&[(1, 5), (2, 5), (3, -1)], &lists, 1, walk), Some(2));
        assert_eq!(elects(&[(3, -1)], &[(3, full(&[(3, -1)]))], 1, walk), None);
    }
}

#[test]
fn hole_9_mended_el_walks_the_longest_list() {
    let lists = [(2, full(&[(1, 5), (4, 9)])), (3, full(&[(1, 5), (4, 9)])), (4, full(&[(1, 5)]))];
    for own in [&[(1, 5)][..], &[(1, 5), (4, 9)], &[]] {
        assert_eq!(
            elects(own, &lists, 3, WalkedList::LongestList),
            Some(1),
            "1 has no list among them, and that of 4 names 1"
        );
    }
    assert_eq!(decides(&lists, 3, WalkedList::LongestList), entries(&[(1, 5)]), "which was not the longest");
    assert_eq!(elects(&[(1, 5)], &lists, 3, WalkedList::OwnList), Some(4));
    assert_eq!(elects(&[(1, 5), (4, 9)], &lists, 3, WalkedList::OwnList), Some(1));
}

/// Of several longest lists the first is walked; a starter that is no candidate is passed over, and so is a list with
/// nobody in it.
#[test]
fn hole_9_mended_no_candidate_decides_nothing() {
    let lists = [(1, full(&[(1, -1), (2, 4)])), (2, full(&[(9, -1)])), (3, full(&[(3, 3), (1, -1)]))];
    assert_eq!(
        elects(&[], &lists, 3, WalkedList::LongestList),
        Some(2),
        "2 is walked to, its list is empty, the first list decides"
    );
    let lists = [(1, full(&[(1, -1)])), (2, full(&[(1, -1), (3, 3)]))];
    assert_eq!(
        (elects(&[], &lists, 2, WalkedList::LongestList), line(&[], &lists, 2, WalkedList::LongestList)),
        (Some(3), 303)
    );
    let lists = [(3, full(&[(3, 3)])), (2, full(&[(1, -1), (3, 3)]))];
    assert_eq!(
        (elects(&[], &lists, 2, WalkedList::LongestList), line(&[], &lists, 2, WalkedList::LongestList)),
        (Some(3), 302)
    );
}

#[test]
fn a_length_is_cut_to_the_inits() {
    let own: Vec<Entry> = entries(&[(1, 1), (2, 2), (3, 3)]);
    assert_eq!(List::of(&own, ListForm::Lengths), List::Length(3));
    assert_eq!(List::of(&own, ListForm::Full), full(&[(1, 1), (2, 2), (3, 3)]));
    assert_eq!(List::Length(7).cut_to(&own[..2]), List::Length(2));
    assert_eq!(List::Length(1).cut_to(&own[..2]), List::Length(1));
    assert!(List::Length(0).is_empty() && full(&[]).is_empty());
    assert_eq!(elects(&[(1, 1), (2, 2), (3, 3)], &[(1, List::Length(2))], 1, WalkedList::LongestList), Some(2));
}

#[test]
fn a_full_list_is_cut_to_the_inits() {
    let own: Vec<Entry> = entries(&[(1, 1), (2, 2), (3, 3)]);
    let cut = |of: &[(u16, i64)]| full(of).cut_to(&own[..2]);
    assert_eq!(cut(&[(1, 1)]), full(&[(1, 1)]), "an honest one is as it was");
    assert_eq!(cut(&[(2, 2), (2, 2), (1, 1), (3, 3)]), full(&[(1, 1), (2, 2)]));
    assert_eq!(cut(&[(1, 9), (7, 7)]), full(&[]), "no such thing was sent");
}

#[test]
fn the_longest_list_fits_a_datagram() {
    assert!(size_of::<Message>() <= 64, "{} bytes", size_of::<Message>());
    let most: Vec<(u16, i64)> = (0..ORDERED_NODES_MAX).map(|place| (256 - place, i64::MAX)).collect();
    let message = vect(u64::MAX, full(&most));
    let bytes = bincode::serde::encode_to_vec(&message, bincode::config::standard()).unwrap();
    // A datagram's head and tag take less than 200 of its 1,200.
    assert!(bytes.len() <= 1_000, "{} bytes", bytes.len());
    let (read, _): (Message, usize) = bincode::serde::decode_from_slice(&bytes, bincode::config::standard()).unwrap();
    assert_eq!(read, message);
}
