//! Numbers: what is spent stays spent, what is kept gets too old, and where those meet whose election has come to
//! nothing.
//!
//! Invariant: process 3 of five, t = 1: two that say the same are enough, and four lists elect.

use super::returns::{election_of, failed, just_stopped, stopped};
use super::*;
use bench::{cancel, save};

/// A question of that process, which has signed under that number.
fn asked(from: u16, spent: u64) -> Message {
    word(from, Word::Ask { call: call(9), spent: ElectionNumber(spent) })
}

#[test]
fn a_number_is_in_the_safe_cells_before_anything_signed_under_it_goes_out() {
    let mut bench = ready("1-5");
    let own = broadcast(init(1, 3, 3));
    let begun = bench.elect().to_vec();
    assert_eq!(begun[0], save(ElectionNumber(1)));
    assert!(begun[1..].contains(&own));
    // Who is no candidate signs nothing at the start, and a list later: its number is spent from the start on.
    let mut bench = ready("1,2,4,5");
    assert_eq!(bench.hear(5, init(1, 5, 5))[0], save(ElectionNumber(1)));
}

#[test]
fn an_election_that_came_to_nothing_leaves_its_number_spent_whatever_the_others_say() {
    let mut bench = failed();
    for from in [1, 2] {
        bench.hear(from, ended(from, 2, 0, None));
    }
    bench.time_out(Timer::Ready);
    assert_eq!(bench.lines, [120], "three are there, and four lists are needed");
    assert_eq!(bench.hear(5, init(1, 5, 5)), [], "it has signed under 1");
    assert_eq!(bench.lines, [103]);
    assert_eq!(bench.elect()[0], save(ElectionNumber(2)));
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[1][..], Some(2)));
}

#[test]
fn a_returned_process_never_goes_below_the_number_of_its_safe_cells() {
    let mut bench = started("1-5").recovered(ElectionNumber(15));
    assert_eq!(election_of(&bench), Some(15));
    let call = CallNumber { incarnation: protocol::Incarnation(2), serial: 1 };
    for from in [1, 2] {
        let ended = Word::Ended { call, election: ElectionNumber(11), master: None, spent: ElectionNumber(11) };
        bench.hear(from, word(from, ended));
    }
    assert_eq!(bench.time_out(Timer::Ready), []);
    bench.hear(4, init(12, 4, 4));
    assert_eq!(bench.lines, [103], "it was alone in those from 12 to 15, and has signed there");
    assert_eq!(bench.hear(4, init(16, 4, 4))[0], save(ElectionNumber(16)));
    assert_eq!(bench.lines, [2, 401]);
}

#[test]
fn who_follows_the_master_of_a_lower_election_keeps_its_own_number_and_says_so() {
    let mut bench = failed();
    for from in [1, 2] {
        bench.hear(from, ended(from, 2, 0, Some(5)));
    }
    assert_eq!((word_of(&bench).as_str(), election_of(&bench)), ("stop", Some(0)));
    let answer =
        Word::Ended { call: call(9), election: ElectionNumber(0), master: Some(node(5)), spent: ElectionNumber(1) };
    assert_eq!(bench.hear(4, asked(4, 0)), [said_to(4, answer)]);
    assert_eq!(bench.hear(4, init(1, 4, 4)), [], "it has signed under 1");
    bench.elect();
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[1][..], Some(2)));
}

#[test]
fn what_t_and_1_have_spent_is_spent_for_all() {
    let mut bench = stopped();
    bench.hear(1, asked(1, 4));
    bench.hear(2, asked(2, 1));
    bench.hear(4, init(2, 4, 4));
    assert_eq!(bench.lines, [2, 401], "one alone may lie");
    let mut bench = stopped();
    bench.hear(1, asked(1, 4));
    bench.hear(2, asked(2, 5));
    assert_eq!(bench.hear(4, init(2, 4, 4)), []);
    assert_eq!(bench.lines, [103], "1 and 2 could sign nothing under 2");
    bench.hear(4, init(5, 4, 4));
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[2, 401][..], Some(5)));
}

#[test]
fn an_init_that_was_kept_for_t_starts_nobody() {
    let mut bench = round2();
    bench.hear(5, init(2, 5, 5));
    assert_eq!(bench.time_out(Timer::Kept), []);
    assert_eq!(bench.lines, [104]);
    let mut bench = just_stopped();
    bench.hear(5, init(2, 5, 5));
    bench.time_out(Timer::Kept);
    bench.hear(5, elected(5, 1));
    assert_eq!(bench.time_out(Timer::Ready), []);
    assert_eq!((bench.lines.as_slice(), word_of(&bench).as_str()), (&[0; 0][..], "stop"));
    // Whoever starts by it broadcasts it again: then it is no older than T again.
    bench.hear(4, init(2, 5, 5));
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[2, 401][..], Some(2)));
}

#[test]
fn a_list_that_was_kept_for_t_without_an_init_is_forgotten() {
    let mut bench = ready("1,2,4,5");
    assert_eq!(bench.hear(5, vect(1, 5, &[5], &[5])), [timer(Timer::Kept, 1.0)]);
    bench.time_out(Timer::Kept);
    bench.hear(4, init(1, 4, 4));
    assert_eq!((bench.lines.as_slice(), owners(&bench)), (&[3, 401][..], vec![]));
}

#[test]
fn where_n_minus_t_are_there_after_too_few_lists_they_meet_above_the_highest_number() {
    let mut bench = failed();
    bench.hear(1, ended_after(1, 2, 1, None, 1));
    bench.hear(2, ended_after(2, 2, 0, Some(5), 1));
    bench.hear(4, ended_after(4, 2, 6, None, 6));
    let own = broadcast(init(7, 3, 3));
    let expected = [save(ElectionNumber(7)), cancel(Timer::Elected), own, timer(Timer::Table, 2.0)];
    assert_eq!(bench.time_out(Timer::Ready), expected);
    assert_eq!(bench.lines, [119, 1]);
}

#[test]
fn a_number_beyond_all_measure_is_heeded_by_nobody() {
    let mut bench = failed();
    bench.hear(1, ended_after(1, 2, 1, None, 1));
    bench.hear(2, ended_after(2, 2, 1, None, 1));
    bench.hear(4, ended_after(4, 2, u64::MAX - 1, None, u64::MAX - 1));
    bench.time_out(Timer::Ready);
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[119, 1][..], Some(2)));
    let mut bench = stopped();
    assert_eq!(bench.hear(4, claim(4, u64::MAX - 1, 4)), []);
    assert_eq!(bench.lines, [103]);
}

#[test]
fn after_too_few_lists_an_init_of_a_later_election_is_heeded_too() {
    let mut bench = failed();
    assert_eq!(bench.hear(4, init(7, 4, 4)), [timer(Timer::Kept, 1.0)]);
    bench.time_out(Timer::Ready);
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[102, 2, 401][..], Some(7)));
    // It is too old at the end of the question: that election is under way without it.
    let mut bench = failed();
    bench.hear(4, init(7, 4, 4));
    bench.time_out(Timer::Kept);
    assert_eq!(bench.time_out(Timer::Ready), [ask(3, 1), timer(Timer::Ready, 2.0)]);
    assert_eq!(bench.lines, [112, 105]);
    // From then on it starts at once.
    bench.hear(4, init(8, 4, 4));
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[2, 401][..], Some(8)));
}

#[test]
fn help_says_how_many_are_there() {
    let mut bench = failed();
    bench.hear(1, ended(1, 2, 1, None));
    let effects = bench.time_out(Timer::Ready).to_vec();
    let text = "an election has come to nothing: it needs the lists of 4 processes (n-t), and 2 answer, this one among \
                them; recover or connect the others, or raise `t`, and order an election";
    assert_eq!(effects, [Effect::Help { text: text.into() }, ask(3, 1), timer(Timer::Ready, 2.0)]);
    assert_eq!(bench.lines, [120, 105]);
}

#[test]
fn who_wants_an_election_under_a_number_that_the_others_do_not_have_gets_the_next_of_theirs() {
    let mut bench = ready("1-5");
    assert_eq!(bench.hear(4, init(7, 4, 4)), [ask(2, 0), timer(Timer::Ready, 2.0)]);
    for from in [1, 2] {
        bench.hear(from, ended(from, 2, 0, None));
    }
    bench.time_out(Timer::Ready);
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[111, 114, 1][..], Some(1)));
}

#[test]
fn where_no_t_and_1_agree_who_has_missed_an_election_takes_part_in_the_one_after_it() {
    for (mut bench, election) in [(ready("1-5"), 0), (stopped(), 1)] {
        bench.hear(4, init(7, 4, 4));
        bench.hear(2, ended(2, 2, election, Some(2)));
        assert_eq!(bench.time_out(Timer::Ready), [timer(Timer::Ready, 8.0)]);
        assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[109][..], Some(election)));
        bench.hear(4, init(8, 4, 4));
        assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[2, 401][..], Some(8)));
    }
    let mut bench = stopped();
    bench.hear(4, init(7, 4, 4));
    bench.hear(1, ended(1, 2, 1, Some(5)));
    bench.time_out(Timer::Ready);
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[0; 0][..], Some(1)), "1 and itself are t+1");
}

#[test]
fn who_is_ahead_of_t_and_1_calls_them_until_they_have_come_as_far() {
    let mut bench = failed();
    for from in [1, 2, 4] {
        bench.hear(from, ended(from, 2, 0, None));
    }
    let call = broadcast(sealed(Word::Call { spent: ElectionNumber(1) }.into(), &keyring(3), None));
    assert_eq!(bench.time_out(Timer::Ready), [call, ask(3, 1), timer(Timer::Ready, 2.0)]);
    assert_eq!(bench.lines, [121, 105]);
    // They hold the election that it has called for.
    for from in [1, 2, 4] {
        bench.hear(from, under_way(from, 3, 1));
    }
    assert_eq!(bench.time_out(Timer::Ready), [ask(4, 1), timer(Timer::Ready, 2.0)]);
    for from in [1, 2, 4] {
        bench.hear(from, ended_after(from, 4, 1, None, 1));
    }
    bench.time_out(Timer::Ready);
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[119, 1][..], Some(2)));
}

#[test]
fn who_is_called_by_one_ahead_asks_and_holds_the_next_election() {
    let mut bench = ready("1-5");
    let call = |spent| word(4, Word::Call { spent: ElectionNumber(spent) });
    assert_eq!(bench.hear(4, call(0)), []);
    assert_eq!(bench.hear(4, call(3)), [ask(2, 0), timer(Timer::Ready, 2.0)]);
    for from in [1, 2] {
        bench.hear(from, ended(from, 2, 0, None));
    }
    bench.time_out(Timer::Ready);
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[111, 114, 1][..], Some(1)));
}

#[test]
fn an_order_while_it_stands_aside_waits() {
    let mut bench = stopped();
    bench.hear(4, init(7, 4, 4));
    bench.time_out(Timer::Ready);
    assert_eq!(bench.lines, [109]);
    assert_eq!(bench.elect(), []);
    assert_eq!(bench.lines, [115]);
    assert_eq!(bench.time_out(Timer::Ready), [ask(3, 7), timer(Timer::Ready, 2.0)]);
    bench.time_out(Timer::Ready);
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[1][..], Some(8)));
}

#[test]
fn who_was_claimed_begins_no_election_that_others_have_begun_before() {
    // Its init came while this process was in doubt, so it would start too late by now.
    for later in [2, 6] {
        let mut bench = stopped();
        bench.hear(4, claim(4, 2, 4));
        bench.hear(2, init(later + 1, 2, 2));
        bench.hear(4, claim(4, later, 4));
        bench.time_out(Timer::Ready);
        assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[109][..], Some(1)), "{later}");
    }
}

#[test]
fn who_hears_an_init_while_it_asks_after_its_start_begins_under_another_number() {
    let mut bench = started("1-5");
    bench.hear(5, init(1, 5, 5));
    bench.time_out(Timer::Ready);
    for from in [1, 2] {
        bench.hear(from, ended(from, 2, 1, None));
    }
    bench.time_out(Timer::Ready);
    assert_eq!(bench.lines, [111]);
    bench.elect();
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[1][..], Some(2)));
}
