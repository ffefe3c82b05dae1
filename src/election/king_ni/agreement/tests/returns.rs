//! Numbers, returns and the watch: which election a process is in, and what it does when it does not know.
//!
//! Invariant: process 3 of five, t = 1: two that say the same are enough.

use super::*;
use bench::{cancel, save};
use protocol::Order;

/// Process 3 in stop of election 1 under 5, 2T after its end; 5 has said its word.
pub(super) fn stopped() -> Bench<Algorithm53> {
    let mut bench = just_stopped();
    bench.hear(5, elected(5, 1));
    bench.time_out(Timer::Ready);
    bench
}

/// The same at its end.
pub(super) fn just_stopped() -> Bench<Algorithm53> {
    let mut bench = round1();
    for owner in [1, 2, 5] {
        bench.hear(owner, vect(1, owner, &[1, 2, 3, 5], &[owner]));
    }
    bench.time_out(Timer::Table);
    bench.time_out(Timer::Table);
    assert_eq!(word_of(&bench), "stop");
    bench
}

/// Process 3 in normal: the election has failed, and it has asked (call 2).
pub(super) fn failed() -> Bench<Algorithm53> {
    let mut bench = round2();
    bench.time_out(Timer::Table);
    assert_eq!(bench.lines, [301, 105]);
    bench
}

pub(super) fn election_of(bench: &Bench<Algorithm53>) -> Option<u64> {
    bench.machine.state().election
}

#[test]
fn a_process_starts_by_asking_and_takes_no_part_meanwhile() {
    let mut bench = started("1-5");
    assert_eq!(bench.effects, [ask(1, 0), timer(Timer::Ready, 2.0)]);
    assert_eq!(bench.lines, [105]);
    assert_eq!(bench.hear(5, init(1, 5, 5)), []);
    assert_eq!((bench.lines.as_slice(), word_of(&bench).as_str()), (&[106][..], "normal"));
    for from in [1, 2] {
        bench.hear(from, ended(from, 1, 0, None));
    }
    assert_eq!(bench.time_out(Timer::Ready), [ask(2, 1), timer(Timer::Ready, 2.0)], "that election is under way");
    assert_eq!(bench.lines, [112, 105]);
}

#[test]
fn an_order_while_it_asks_waits() {
    let mut bench = started("1-5");
    assert_eq!(bench.order(Order::Elect), []);
    assert_eq!(bench.lines, [115]);
    for from in [1, 2] {
        bench.hear(from, ended(from, 1, 7, None));
    }
    assert_eq!(bench.time_out(Timer::Ready), [ask(2, 7), timer(Timer::Ready, 1.0)], "others may still ask");
    assert_eq!(bench.lines, [111, 105]);
    bench.time_out(Timer::Ready);
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[1][..], Some(8)));
}

#[test]
fn an_order_waits_while_one_process_says_that_an_election_is_under_way() {
    let mut bench = started("1-5");
    bench.order(Order::Elect);
    bench.hear(1, under_way(1, 1, 7));
    assert_eq!(bench.time_out(Timer::Ready), [ask(2, 0), timer(Timer::Ready, 8.0)]);
    bench.time_out(Timer::Ready);
    assert_eq!(bench.lines, [1], "nobody has said any more: it begins");
}

#[test]
fn t_and_1_say_that_an_election_is_under_way_and_it_stands_aside_until_that_is_over() {
    let mut bench = started("1-5");
    bench.hear(1, under_way(1, 1, 7));
    assert_eq!(bench.lines, [0; 0]);
    assert_eq!(bench.hear(2, under_way(2, 1, 8)), [timer(Timer::Ready, 8.0)], "it signs nothing, and saves nothing");
    assert_eq!(bench.lines, [109]);
    assert_eq!(bench.elect(), [], "as in mid-election");
    assert_eq!(bench.hear(1, init(7, 1, 1)), [], "it has missed the start of this one");
    assert_eq!(bench.lines, [103]);
    bench.hear(1, init(8, 1, 1));
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[2, 401][..], Some(8)), "and not of the next");
}

#[test]
fn it_asks_when_it_has_stood_aside() {
    let mut bench = started("1-5");
    for from in [1, 2] {
        bench.hear(from, under_way(from, 1, 7));
    }
    assert_eq!(bench.time_out(Timer::Ready), [ask(2, 7), timer(Timer::Ready, 2.0)]);
}

#[test]
fn an_election_that_left_out_a_candidate_and_elected_nobody_is_followed_by_one_of_its_own() {
    for (candidates, lines) in [("1-5", &[111, 114, 1][..]), ("1,2", &[111][..])] {
        let mut bench = started(candidates);
        for from in [1, 2] {
            bench.hear(from, under_way(from, 1, 7));
        }
        bench.time_out(Timer::Ready);
        for from in [1, 2] {
            bench.hear(from, ended(from, 2, 7, None));
        }
        bench.time_out(Timer::Ready);
        assert_eq!(bench.lines, lines, "{candidates}");
    }
}

#[test]
fn an_order_waits_until_those_who_have_just_ended_their_election_may_begin_another_one() {
    let mut bench = started("1-5");
    bench.order(Order::Elect);
    bench.hear(1, ended(1, 1, 7, Some(5)));
    let effects = bench.hear(2, ended(2, 1, 7, Some(5))).to_vec();
    assert_eq!(bench.lines, [110, 206]);
    assert_eq!(effects.last(), Some(&timer(Timer::Ready, 2.0)));
    bench.time_out(Timer::Ready);
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[1][..], Some(8)));
}

#[test]
fn t_and_1_that_name_the_same_master_of_the_same_election_make_it_the_master() {
    let mut bench = started("1-5");
    bench.hear(1, ended(1, 1, 7, Some(5)));
    bench.hear(2, ended(2, 1, 6, Some(5)));
    assert_eq!(word_of(&bench), "normal", "of two elections");
    let effects = bench.hear(4, ended(4, 1, 7, Some(5)));
    assert_eq!(effects[..2], [cancel(Timer::Ready), cancel(Timer::Elected)]);
    assert_eq!(bench.lines, [110, 206]);
    assert_eq!((word_of(&bench).as_str(), election_of(&bench)), ("stop", Some(7)));
    assert_eq!(bench.machine.state().believes_in(), Some(node(5)));
}

#[test]
fn nobody_follows_itself() {
    let mut bench = started("1-5");
    for from in [1, 2, 4] {
        bench.hear(from, ended(from, 1, 7, Some(3)));
    }
    assert_eq!(word_of(&bench), "normal");
}

#[test]
fn the_next_number_is_the_one_after_the_last_and_nobody_starts_in_another() {
    let mut bench = stopped();
    assert_eq!(bench.hear(4, init(1, 4, 4)), []);
    assert_eq!(bench.lines, [103]);
    bench.hear(4, init(2, 4, 4));
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[2, 401][..], Some(2)));
}

#[test]
fn an_init_of_a_later_election_makes_it_ask_and_no_more() {
    let mut bench = stopped();
    assert_eq!(bench.hear(4, init(9, 4, 4)), [ask(2, 1), timer(Timer::Ready, 2.0)]);
    assert_eq!((bench.lines.as_slice(), word_of(&bench).as_str()), (&[103, 113, 105][..], "stop"));
    let mut forged = signed(9, 4, 4);
    forged.capacity = 5;
    let mut bench = stopped();
    assert_eq!(bench.hear(4, Message::Init { election: ElectionNumber(9), init: Arc::new(forged) }), []);
}

#[test]
fn an_init_of_the_next_election_is_kept_until_2_t_after_the_end() {
    let mut bench = round2();
    assert_eq!(bench.hear(5, init(2, 5, 5)), [timer(Timer::Kept, 1.0)]);
    assert_eq!(bench.lines, [101]);
    let mut bench = just_stopped();
    assert_eq!(bench.hear(5, init(2, 5, 5)), [timer(Timer::Kept, 1.0)]);
    assert_eq!(bench.lines, [101]);
    bench.hear(4, init(2, 4, 4));
    bench.elect();
    assert_eq!(bench.lines, [115]);
    bench.time_out(Timer::Ready);
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[102, 2, 401][..], Some(2)));
    let lists = bench.machine.state().ballot.unwrap().lists.unwrap();
    assert_eq!(lists.candidates, [(node(3), 3), (node(4), 4), (node(5), 5)], "all that came early");
}

#[test]
fn an_order_within_2_t_of_its_end_waits() {
    let mut bench = just_stopped();
    assert_eq!(bench.elect(), []);
    bench.hear(5, elected(5, 1));
    bench.time_out(Timer::Ready);
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[1][..], Some(2)));
}

#[test]
fn after_too_few_lists_an_init_of_the_next_election_is_kept_too() {
    let mut bench = failed();
    bench.hear(5, init(2, 5, 5));
    assert_eq!(bench.lines, [101]);
    for from in [1, 2] {
        bench.hear(from, under_way(from, 2, 1));
    }
    assert_eq!(word_of(&bench), "normal", "who is late in the same election is in no other");
    bench.time_out(Timer::Ready);
    assert_eq!(bench.lines, [102, 2, 401]);
}

#[test]
fn an_election_that_t_and_1_have_ended_with_nobody_is_not_taken_up_and_the_one_after_it_begins() {
    let mut bench = failed();
    bench.hear(5, init(2, 5, 5));
    bench.hear(4, vect(2, 4, &[4, 5], &[4]));
    for from in [1, 2, 4] {
        bench.hear(from, ended(from, 2, 2, None));
    }
    let effects = bench.time_out(Timer::Ready).to_vec();
    let (elected, own) = (cancel(Timer::Elected), broadcast(init(3, 3, 3)));
    assert_eq!(effects, [save(ElectionNumber(3)), elected, own, timer(Timer::Table, 2.0)]);
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[119, 1][..], Some(3)));
    let mut bench = failed();
    bench.hear(5, init(2, 5, 5));
    bench.hear(1, ended(1, 2, 2, None));
    bench.time_out(Timer::Ready);
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[102, 2, 401][..], Some(2)), "one may lie");
}

#[test]
fn after_too_few_lists_it_does_not_begin_while_one_says_that_a_later_election_is_under_way() {
    let mut bench = failed();
    bench.hear(5, init(2, 5, 5));
    for from in [1, 2] {
        bench.hear(from, ended(from, 2, 2, None));
    }
    bench.hear(4, under_way(4, 2, 2));
    assert_eq!(bench.time_out(Timer::Ready), [ask(3, 1), timer(Timer::Ready, 2.0)], "it would start too early");
    assert_eq!((bench.lines.as_slice(), word_of(&bench).as_str()), (&[112, 105][..], "normal"));
    for from in [1, 2, 4] {
        bench.hear(from, ended(from, 3, 2, None));
    }
    bench.time_out(Timer::Ready);
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[119, 1][..], Some(3)), "that one is over");
}

#[test]
fn an_election_that_t_and_1_have_ended_under_a_master_is_not_taken_up_whatever_a_liar_says() {
    let mut bench = failed();
    bench.hear(5, init(2, 5, 5));
    bench.hear(4, ended(4, 2, 999, None));
    for from in [1, 2] {
        bench.hear(from, ended(from, 2, 2, Some(5)));
    }
    bench.time_out(Timer::Ready);
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[110, 206][..], Some(2)));
}

#[test]
fn the_masters_word_is_overdue_and_it_asks_before_it_begins() {
    let mut bench = just_stopped();
    assert_eq!(bench.time_out(Timer::Elected)[..1], [timer(Timer::Watch(watch::Timer::Ask), 4.0)]);
    assert_eq!(bench.lines, [207]);
    assert_eq!(bench.time_out(Timer::Ready), [ask(2, 1), timer(Timer::Ready, 2.0)]);
    // The others are late: it has started too early.
    for from in [1, 2] {
        bench.hear(from, under_way(from, 2, 1));
    }
    assert_eq!(bench.time_out(Timer::Ready), [ask(3, 1), timer(Timer::Ready, 2.0)]);
    assert_eq!(bench.lines, [112, 105]);
    for from in [1, 2] {
        bench.hear(from, ended(from, 3, 1, Some(5)));
    }
    bench.time_out(Timer::Ready);
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[1][..], Some(2)), "they are not, and 5 is dead");
}

#[test]
fn the_masters_word_comes_late_and_nothing_begins() {
    let mut bench = just_stopped();
    bench.time_out(Timer::Ready);
    bench.time_out(Timer::Elected);
    bench.hear(5, elected(5, 1));
    assert_eq!(bench.lines, [206]);
    bench.time_out(Timer::Ready);
    assert_eq!((bench.lines.as_slice(), word_of(&bench).as_str()), (&[0; 0][..], "stop"));
}

#[test]
fn a_claim_of_a_higher_election_makes_it_ask_and_follow_what_t_and_1_say() {
    let mut bench = stopped();
    assert_eq!(bench.hear(4, claim(4, 7, 4)), [ask(2, 1), timer(Timer::Ready, 2.0)]);
    assert_eq!(bench.lines, [113, 105]);
    for from in [1, 2] {
        bench.hear(from, ended(from, 2, 7, Some(4)));
    }
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[110, 206][..], Some(7)));
}

#[test]
fn a_liars_claim_moves_nobody_whose_place_t_and_1_confirm() {
    let mut bench = stopped();
    bench.hear(4, claim(4, 999, 4));
    bench.hear(1, ended(1, 2, 1, Some(5)));
    bench.time_out(Timer::Ready);
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[0; 0][..], Some(1)), "1 and itself are t+1");
}

#[test]
fn where_no_t_and_1_agree_it_begins_an_election_after_the_claimed_one() {
    let mut bench = stopped();
    bench.hear(4, claim(4, 7, 4));
    bench.time_out(Timer::Ready);
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[114, 1][..], Some(8)));
    let mut bench = ready("1-5");
    bench.hear(4, claim(4, 7, 4));
    bench.time_out(Timer::Ready);
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[114, 1][..], Some(8)));
}

#[test]
fn where_t_and_1_know_of_no_master_it_begins_the_election_after_their_last() {
    let mut bench = ready("1-5");
    bench.hear(4, claim(4, 1, 4));
    for from in [1, 2] {
        bench.hear(from, ended(from, 2, 6, None));
    }
    bench.time_out(Timer::Ready);
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[111, 114, 1][..], Some(7)));
    // It may be too late for an election that somebody has begun.
    for (begun, lines, election) in [(8, &[111, 114, 1][..], 7), (7, &[111, 109], 1)] {
        let mut bench = stopped();
        bench.hear(4, init(begun, 4, 4));
        for from in [1, 2] {
            bench.hear(from, ended(from, 2, 6, None));
        }
        bench.time_out(Timer::Ready);
        assert_eq!((bench.lines.as_slice(), election_of(&bench)), (lines, Some(election)));
    }
}

#[test]
fn a_claim_after_a_lower_election_is_countered_and_one_after_the_same_begins_the_next() {
    let own = watch::Claim { election: ElectionNumber(1), master: node(5) };
    let mut bench = stopped();
    let effects = bench.hear(4, claim(4, 0, 4)).to_vec();
    assert_eq!(effects[..1], [said_to(4, watch::Message::Claim(own))]);
    assert_eq!(bench.lines, [211, 113, 105]);
    let mut bench = stopped();
    bench.hear(4, claim(4, 1, 4));
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[210, 1][..], Some(2)));
}

#[test]
fn a_master_that_is_asked_by_a_follower_of_another_election_claims() {
    let mut bench = round1();
    for owner in [1, 2, 4] {
        bench.hear(owner, vect(1, owner, &[1, 2, 3], &[owner]));
    }
    bench.time_out(Timer::Table);
    bench.time_out(Timer::Table);
    let query = |election: u64| {
        let ask = watch::Message::Ask { call: call(4), election: ElectionNumber(election) };
        sealed(ask.into(), &keyring(1), Some(node(3)))
    };
    let answer = said_to(1, watch::Message::Answer(call(4)));
    assert_eq!(bench.hear(1, query(1)), std::slice::from_ref(&answer));
    let claim = watch::Claim { election: ElectionNumber(1), master: node(3) };
    assert_eq!(bench.hear(1, query(0)), [answer, said_to(1, watch::Message::Claim(claim))]);
    assert_eq!(bench.lines, [201, 118]);
}

#[test]
fn a_dead_master_is_missed_and_the_next_election_begins() {
    let mut bench = stopped();
    bench.time_out(Timer::Watch(watch::Timer::Ask));
    assert_eq!(bench.lines, [200]);
    bench.time_out(Timer::Watch(watch::Timer::Answer));
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[203, 204, 1][..], Some(2)));
}
