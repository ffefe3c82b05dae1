//! Which election a process is in, and what it does when it does not know: it asks, follows, stands aside or begins; what
//! is spent stays spent, and what is kept gets too old.
//!
//! Invariant: process 3 of five, t = 1: two that say the same are enough, and four lists elect.

use super::*;
use protocol::Order;

/// Process 3 in stop of election 1 under 5, 2T after its end; 5 has said its word.
fn stopped() -> Bench<Algorithm53> {
    let mut bench = just_stopped();
    bench.hear(5, elected(5, 1));
    bench.time_out(Timer::Ready);
    bench
}

/// The same at its end.
fn just_stopped() -> Bench<Algorithm53> {
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
fn failed() -> Bench<Algorithm53> {
    let mut bench = round2();
    bench.time_out(Timer::Table);
    assert_eq!(bench.lines, [301, 105]);
    bench
}

fn election_of(bench: &Bench<Algorithm53>) -> Option<u64> {
    bench.machine.state().election
}

#[test]
fn a_process_starts_by_asking() {
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
fn an_order_waits_while_one_is_electing() {
    let mut bench = started("1-5");
    bench.order(Order::Elect);
    bench.hear(1, under_way(1, 1, 7));
    assert_eq!(bench.time_out(Timer::Ready), [ask(2, 0), timer(Timer::Ready, 8.0)]);
    bench.time_out(Timer::Ready);
    assert_eq!(bench.lines, [1], "nobody has said any more: it begins");
}

#[test]
fn where_t_and_1_elect_it_stands_aside() {
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
fn a_candidate_left_out_begins_the_next() {
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
fn an_order_waits_for_those_just_done() {
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
fn t_and_1_name_the_master() {
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
fn the_next_number_alone_starts_it() {
    let mut bench = stopped();
    assert_eq!(bench.hear(4, init(1, 4, 4)), []);
    assert_eq!(bench.lines, [103]);
    bench.hear(4, init(2, 4, 4));
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[2, 401][..], Some(2)));
}

#[test]
fn an_init_of_a_later_election_asks() {
    let mut bench = stopped();
    assert_eq!(bench.hear(4, init(9, 4, 4)), [ask(2, 1), timer(Timer::Ready, 2.0)]);
    assert_eq!((bench.lines.as_slice(), word_of(&bench).as_str()), (&[103, 113, 105][..], "stop"));
    let mut forged = signed(9, 4, 4);
    forged.capacity = 5;
    let mut bench = stopped();
    assert_eq!(bench.hear(4, Message::Init { election: ElectionNumber(9), init: Arc::new(forged) }), []);
}

#[test]
fn an_init_of_the_next_is_kept() {
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
fn an_order_just_after_the_end_waits() {
    let mut bench = just_stopped();
    assert_eq!(bench.elect(), []);
    bench.hear(5, elected(5, 1));
    bench.time_out(Timer::Ready);
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[1][..], Some(2)));
}

#[test]
fn after_too_few_lists_one_election_is_awaited() {
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
fn who_misses_the_masters_word_asks_first() {
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
fn a_higher_claim_is_asked_about() {
    let mut bench = stopped();
    assert_eq!(bench.hear(4, claim(4, 7, 4)), [ask(2, 1), timer(Timer::Ready, 2.0)]);
    assert_eq!(bench.lines, [113, 105]);
    for from in [1, 2] {
        bench.hear(from, ended(from, 2, 7, Some(4)));
    }
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[110, 206][..], Some(7)));
}

/// What comes of a question when its time is over: the state, what was heard meanwhile, the lines, the election that the
/// process is in then.
#[test]
fn when_the_time_of_the_question_is_over() {
    let none = |from, election| (from, ended(from, 2, election, None));
    let master = |from, election| (from, ended(from, 2, election, Some(5)));
    let electing = |from, election| (from, under_way(from, 2, election));
    let begun = |from: u16, election| (from, init(election, from, i64::from(from)));
    let claims = |from, election| (from, claim(from, election, from));
    let beyond = (4, ended_after(4, 2, u64::MAX - 1, None, u64::MAX - 1));
    let list = (4, vect(2, 4, &[4, 5], &[4]));
    type Row = (Bench<Algorithm53>, Vec<(u16, Message)>, &'static [LineNumber], u64);
    let rows: Vec<Row> = vec![
        // t+1 know of no master: it begins the election after their last, if nobody has begun that one already.
        (ready("1-5"), vec![claims(4, 1), none(1, 6), none(2, 6)], &[111, 114, 1], 7),
        (stopped(), vec![begun(4, 8), none(1, 6), none(2, 6)], &[111, 114, 1], 7),
        (stopped(), vec![begun(4, 7), none(1, 6), none(2, 6)], &[111, 109], 1),
        // No t+1 agree: it begins above the claim, if nobody has begun a later one. 1 and itself are t+1.
        (ready("1-5"), vec![claims(4, 7)], &[114, 1], 8),
        (stopped(), vec![claims(4, 7)], &[114, 1], 8),
        (stopped(), vec![claims(4, 999), master(1, 1)], &[], 1),
        (stopped(), vec![begun(4, 7), master(1, 1)], &[], 1),
        (stopped(), vec![claims(4, 2), begun(2, 3), claims(4, 2)], &[109], 1),
        (stopped(), vec![claims(4, 2), begun(2, 7), claims(4, 6)], &[109], 1),
        // After too few lists an init is kept, unless t+1 say that its election is over; one of them may lie.
        (failed(), vec![begun(5, 2), electing(1, 1), electing(2, 1)], &[102, 2, 401], 2),
        (failed(), vec![begun(5, 2), none(1, 2)], &[102, 2, 401], 2),
        (failed(), vec![begun(4, 7)], &[102, 2, 401], 7),
        (failed(), vec![begun(5, 2), list, none(1, 2), none(2, 2), none(4, 2)], &[119, 1], 3),
        (failed(), vec![begun(5, 2), none(4, 999), master(1, 2), master(2, 2)], &[110, 206], 2),
        // A number beyond all measure is heeded by nobody.
        (failed(), vec![none(1, 1), none(2, 1), beyond], &[119, 1], 2),
    ];
    for (place, (mut bench, heard, lines, election)) in rows.into_iter().enumerate() {
        heard.into_iter().for_each(|(from, message)| drop(bench.hear(from, message).to_vec()));
        bench.time_out(Timer::Ready);
        assert_eq!((bench.lines.as_slice(), election_of(&bench)), (lines, Some(election)), "row {place}");
    }
}

#[test]
fn a_lower_claim_is_answered() {
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
fn a_master_claims_to_anothers_follower() {
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
fn a_dead_master_is_missed() {
    let mut bench = stopped();
    bench.time_out(Timer::Watch(watch::Timer::Ask));
    assert_eq!(bench.lines, [200]);
    bench.time_out(Timer::Watch(watch::Timer::Answer));
    assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[203, 204, 1][..], Some(2)));
}

/// A question of that process, which has signed under that number.
fn asked(from: u16, spent: u64) -> Message {
    word(from, Word::Ask { call: call(9), spent: ElectionNumber(spent) })
}

#[test]
fn a_number_is_saved_before_its_use() {
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
fn a_failed_election_spends_its_number() {
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
fn a_returned_process_keeps_its_number() {
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
fn a_follower_keeps_its_own_number() {
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
fn what_t_and_1_have_spent_is_spent() {
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
fn an_init_that_is_old_starts_nobody() {
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
fn a_list_that_is_old_is_forgotten() {
    let mut bench = ready("1,2,4,5");
    assert_eq!(bench.hear(5, vect(1, 5, &[5], &[5])), [timer(Timer::Kept, 1.0)]);
    bench.time_out(Timer::Kept);
    bench.hear(4, init(1, 4, 4));
    assert_eq!((bench.lines.as_slice(), owners(&bench)), (&[3, 401][..], vec![]));
}

#[test]
fn n_minus_t_meet_above_the_highest_number() {
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
fn a_claim_out_of_reach_is_dropped() {
    let mut bench = stopped();
    assert_eq!(bench.hear(4, claim(4, u64::MAX - 1, 4)), []);
    assert_eq!(bench.lines, [103]);
}

#[test]
fn after_too_few_lists_later_inits_count() {
    // It is too old at the end of the question: that election is under way without it.
    let mut bench = failed();
    assert_eq!(bench.hear(4, init(7, 4, 4)), [timer(Timer::Kept, 1.0)]);
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
fn where_none_agree_it_joins_the_next() {
    for (mut bench, election) in [(ready("1-5"), 0), (stopped(), 1)] {
        bench.hear(4, init(7, 4, 4));
        bench.hear(2, ended(2, 2, election, Some(2)));
        assert_eq!(bench.time_out(Timer::Ready), [timer(Timer::Ready, 8.0)]);
        assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[109][..], Some(election)));
        bench.hear(4, init(8, 4, 4));
        assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[2, 401][..], Some(8)));
    }
}

#[test]
fn who_is_ahead_calls_the_others() {
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

/// One ahead of them wants an election under a number that they do not have, or calls them.
#[test]
fn who_is_behind_holds_the_next_election() {
    let call = |spent| word(4, Word::Call { spent: ElectionNumber(spent) });
    assert_eq!(ready("1-5").hear(4, call(0)), []);
    for message in [init(7, 4, 4), call(3)] {
        let mut bench = ready("1-5");
        assert_eq!(bench.hear(4, message), [ask(2, 0), timer(Timer::Ready, 2.0)]);
        for from in [1, 2] {
            bench.hear(from, ended(from, 2, 0, None));
        }
        bench.time_out(Timer::Ready);
        assert_eq!((bench.lines.as_slice(), election_of(&bench)), (&[111, 114, 1][..], Some(1)));
    }
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
fn who_missed_an_init_takes_another_number() {
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
