//! Each transition of Table 3, and each row of the agreement: state, one input, the exact effects.
//!
//! Invariant: one test for each transition, which names it.

use super::*;
use bench::{cancel, save};

#[test]
fn transition_1_a_candidate_that_begins_signs_its_init() {
    let mut bench = ready("1-5");
    let expected =
        [save(ElectionNumber(1)), cancel(Timer::Elected), broadcast(init(1, 3, 3)), timer(Timer::Table, 2.0)];
    assert_eq!(bench.elect(), expected);
    assert_eq!((bench.lines.as_slice(), word_of(&bench).as_str()), (&[1][..], "coll1"));
    assert_eq!(bench.machine.state().ballot.unwrap().stands_with, Some(3));
}

#[test]
fn transition_2_a_candidate_that_hears_an_init_broadcasts_its_own_and_that_one() {
    let mut bench = ready("1-5");
    let expected = [
        save(ElectionNumber(1)),
        cancel(Timer::Elected),
        broadcast(init(1, 3, 3)),
        broadcast(init(1, 5, 5)),
        timer(Timer::Table, 2.0),
    ];
    assert_eq!(bench.hear(5, init(1, 5, 5)), expected);
    assert_eq!((bench.lines.as_slice(), word_of(&bench).as_str()), (&[2, 401][..], "coll1"));
}

#[test]
fn transition_3_a_non_candidate_broadcasts_the_init_that_started_it_from_whoever_it_came() {
    let mut bench = ready("1,2,4,5");
    let expected =
        [save(ElectionNumber(1)), cancel(Timer::Elected), broadcast(init(1, 5, 5)), timer(Timer::Table, 2.0)];
    assert_eq!(bench.hear(1, init(1, 5, 5)), expected);
    assert_eq!(bench.lines, [3, 401]);
    assert_eq!(bench.machine.state().ballot.unwrap().stands_with, None);
}

#[test]
fn transition_5_an_init_enters_s_once() {
    let mut bench = coll1();
    assert_eq!(bench.hear(1, init(1, 5, 5)), []);
    assert_eq!(bench.lines, [5]);
    let s = |bench: &Bench<Algorithm53>| bench.machine.state().ballot.unwrap().lists.unwrap().candidates;
    assert_eq!(s(&bench), [(node(3), 3), (node(5), 5)]);
    assert_eq!(bench.hear(5, init(1, 5, 9)), []);
    assert_eq!((bench.lines.as_slice(), s(&bench)), (&[413][..], vec![(node(3), 3), (node(5), 5)]));
}

#[test]
fn transition_6_at_the_end_of_coll1_s_goes_out_signed() {
    let mut bench = coll1();
    bench.hear(5, init(1, 5, 5));
    let expected = [broadcast(vect(1, 3, &[3, 5], &[3])), timer(Timer::Table, 2.0)];
    assert_eq!(bench.time_out(Timer::Table), expected);
    assert_eq!((bench.lines.as_slice(), word_of(&bench).as_str()), (&[6][..], "round1"));
    assert_eq!(owners(&bench), [3], "its own list is the first that it holds");
    assert_eq!(bench.hear(4, init(1, 4, 4)), []);
    assert_eq!(bench.lines, [413], "an init after coll1 is too late");
}

#[test]
fn transition_8_a_list_with_one_signature_in_round_1_is_taken_signed_and_handed_on() {
    let mut bench = round1();
    let expected = [broadcast(vect(1, 5, &[1, 5], &[5, 3]))];
    assert_eq!(bench.hear(5, vect(1, 5, &[1, 5], &[5])), expected);
    assert_eq!((bench.lines.as_slice(), owners(&bench)), (&[8, 404][..], vec![3, 5]));
    assert_eq!(bench.hear(4, vect(1, 5, &[1, 5], &[5, 4])), [], "the same list once more");
    assert_eq!(bench.lines, [408]);
}

#[test]
fn transition_8_a_list_in_coll1_is_taken_too() {
    let mut bench = coll1();
    assert_eq!(bench.hear(5, vect(1, 5, &[5], &[5])), [broadcast(vect(1, 5, &[5], &[5, 3]))]);
    assert_eq!(bench.lines, [8, 404]);
}

#[test]
fn transition_8_in_the_last_round_a_list_with_t_and_1_signatures_is_taken_and_not_handed_on() {
    let mut bench = round2();
    assert_eq!(bench.hear(4, vect(1, 5, &[1, 5], &[5, 4])), []);
    assert_eq!((bench.lines.as_slice(), owners(&bench)), (&[8][..], vec![3, 5]));
}

#[test]
fn a_round_before_the_last_leads_to_the_next() {
    let mut bench = round1();
    assert_eq!(bench.time_out(Timer::Table), [timer(Timer::Table, 2.0)]);
    assert_eq!((bench.lines.as_slice(), word_of(&bench).as_str()), (&[409][..], "round2"));
}

#[test]
fn transition_9_n_minus_t_agreed_lists_elect_and_the_others_word_is_awaited() {
    let mut bench = round1();
    for owner in [1, 2, 5] {
        bench.hear(owner, vect(1, owner, &[1, 2, 3, 5], &[owner]));
    }
    bench.time_out(Timer::Table);
    let expected = [timer(Timer::Elected, 2.0), timer(Timer::Ready, 2.0)];
    assert_eq!(bench.time_out(Timer::Table), expected);
    assert_eq!(bench.lines, [9, 302]);
    let state = bench.machine.state();
    assert_eq!((state.word.as_ref(), state.believes_in()), ("stop", Some(node(5))));
    let lists = state.ballot.unwrap().lists.unwrap();
    assert_eq!(lists.decided, Some(vec![(node(1), 1), (node(2), 2), (node(3), 3), (node(5), 5)]), "the list of 1");
    assert_eq!(lists.received[2], (node(3), Received::First(3)), "its own list, as it reads in its S");
    assert_eq!(bench.hear(5, elected(5, 1))[..1], [cancel(Timer::Elected)]);
    assert_eq!(bench.lines, [206]);
}

#[test]
fn transition_9_the_elected_process_says_so_and_leads() {
    let mut bench = round1();
    for owner in [1, 2, 4] {
        bench.hear(owner, vect(1, owner, &[1, 2, 3], &[owner]));
    }
    bench.time_out(Timer::Table);
    let expected = [
        said(Word::Elected { election: ElectionNumber(1) }),
        timer(Timer::Watch(watch::Timer::Ask), 6.0),
        timer(Timer::Ready, 2.0),
    ];
    assert_eq!(bench.time_out(Timer::Table), expected);
    assert_eq!(bench.lines, [9, 302, 205]);
}

#[test]
fn transition_9_of_an_owner_with_two_lists_none_is_agreed_and_too_few_elect_nobody() {
    let mut bench = round1();
    for owner in [1, 2] {
        bench.hear(owner, vect(1, owner, &[1, 2, 3], &[owner]));
    }
    bench.hear(5, vect(1, 5, &[5], &[5]));
    assert_eq!(bench.hear(4, vect(1, 5, &[3, 5], &[5, 4])), []);
    assert_eq!(bench.lines, [8], "with t+1 signatures it is taken, and every other one has it too");
    assert_eq!(owners(&bench), [1, 2, 3], "5 has signed two lists");
    bench.time_out(Timer::Table);
    let effects = bench.time_out(Timer::Table).to_vec();
    assert_eq!(effects, [ask(2, 1), timer(Timer::Ready, 2.0)]);
    assert_eq!((bench.lines.as_slice(), word_of(&bench).as_str()), (&[415, 301, 105][..], "normal"));
}

#[test]
fn where_nobody_is_a_candidate_nobody_is_elected() {
    let mut bench = ready("1");
    assert_eq!(bench.elect()[2], broadcast(init(1, 3, -1)));
    assert_eq!(bench.lines, [107]);
    bench.time_out(Timer::Table);
    let of_none = |owner: u16| {
        let list = vec![signed(1, 3, -1)];
        let by = Endorsement::sign(&keyring(owner), ElectionNumber(1), node(owner), ListDigest::of(&list), node(owner));
        vect_of(1, RelayedList { owner: node(owner), list, signatures: vec![by] })
    };
    for owner in [1, 2, 4] {
        bench.hear(owner, of_none(owner));
    }
    bench.time_out(Timer::Table);
    assert_eq!(bench.time_out(Timer::Table), [timer(Timer::Ready, 2.0)]);
    assert_eq!((bench.lines.as_slice(), word_of(&bench).as_str()), (&[117, 303][..], "normal"));
}

#[test]
fn a_list_that_comes_before_the_start_is_kept_and_handed_on_at_the_start() {
    let mut bench = ready("1,2,4,5");
    assert_eq!(bench.hear(5, vect(1, 5, &[5], &[5])), [timer(Timer::Kept, 1.0)]);
    assert_eq!((bench.lines.as_slice(), word_of(&bench).as_str()), (&[402][..], "normal"));
    let effects = bench.hear(4, init(1, 4, 4)).to_vec();
    assert_eq!(bench.lines, [3, 401, 404]);
    assert_eq!(effects.last(), Some(&broadcast(vect(1, 5, &[5], &[5, 3]))));
    assert_eq!(owners(&bench), [5]);
}
