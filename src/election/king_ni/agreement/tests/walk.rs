//! `el(Y')`: which list decides.
//!
//! Invariant: lists stand by the ids of their owners, as the book hands them out.

use super::super::walk::{Decision, el};
use super::*;
use protocol::{NodeId, Standing};

fn agreed(lists: &[(u16, &[(u16, i64)])]) -> Vec<(NodeId, Vec<Standing>)> {
    let entries = |list: &[(u16, i64)]| list.iter().map(|(of, capacity)| (node(*of), *capacity)).collect();
    lists.iter().map(|(owner, list)| (node(*owner), entries(list))).collect()
}

fn decides(lists: &[(u16, &[(u16, i64)])]) -> (LineNumber, Option<(u16, usize)>) {
    let lists = agreed(lists);
    let Decision { line, elected } = el(&lists);
    let place = |list: &[Standing]| lists.iter().position(|(_, other)| other.as_ptr() == list.as_ptr()).unwrap();
    (line, elected.map(|(master, list)| (master.get(), place(list))))
}

#[test]
fn the_first_candidate_by_id_with_a_list_of_its_own_decides() {
    let (one, two, three) = ((1, -1), (2, 7), (3, 9));
    assert_eq!(decides(&[(2, &[two]), (3, &[two, three])]), (302, Some((2, 0))));
    assert_eq!(decides(&[(1, &[one, three]), (2, &[two]), (3, &[two, three])]), (302, Some((2, 1))), "1 is none");
    assert_eq!(decides(&[(1, &[two, three]), (3, &[three])]), (302, Some((3, 1))), "2 has no list");
    assert_eq!(decides(&[(3, &[(3, 4), (4, 4)]), (4, &[three])]), (302, Some((4, 0))), "of equal ones the larger id");
}

#[test]
fn where_no_candidate_has_a_list_the_first_list_with_a_candidate_decides() {
    assert_eq!(decides(&[(1, &[(1, -1)]), (2, &[(4, 7)]), (3, &[(5, 9)])]), (303, Some((4, 1))));
    assert_eq!(decides(&[(1, &[(1, -1)])]), (303, None));
    assert_eq!(decides(&[]), (303, None));
}

#[test]
fn a_candidate_whose_own_list_names_no_candidate_decides_nothing() {
    assert_eq!(decides(&[(2, &[(1, -1)]), (3, &[(2, 7), (3, 9)])]), (302, Some((3, 1))));
}
