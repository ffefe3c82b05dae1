//! Tests of what Algorithms A to C show of an election in their state: where they stand, with which capacity, how often
//! they have announced themselves, and what decided.
//!
//! Invariant: a state is read after each input, as the judge reads it.

use super::super::b2::{self, AlgorithmB2, List};
use super::super::c::{self, AlgorithmC, Name};
use super::super::{ElectionNumber, a, b1, succession};
use super::network;
use protocol::{Algorithm, Ballot, Course, NodeId, Received, SettingValue, Settings};
use test_harness::Bench;
use test_harness::node;

fn settings(errata: bool, candidates: &str) -> impl FnOnce(Settings) -> Settings {
    let candidates = SettingValue::Nodes(candidates.parse().unwrap());
    move |settings| settings.with("errata", SettingValue::Flag(errata)).with("candidates", candidates)
}

/// Process 3 of five, mended, whose time of asking is over.
fn ready<A: Algorithm>(candidates: &str, asks: &[A::Timer]) -> Bench<A> {
    let mut bench = Bench::start(3, 5, network::timing(), settings(true, candidates));
    for timer in asks {
        bench.time_out(*timer);
    }
    bench
}

fn a(candidates: &str) -> Bench<a::AlgorithmA> {
    ready(candidates, &[a::Timer::Ready])
}

fn b1(candidates: &str) -> Bench<b1::AlgorithmB1> {
    ready(candidates, &[b1::Timer::Ready])
}

fn b2(candidates: &str) -> Bench<AlgorithmB2> {
    ready(candidates, &[b2::Timer::Ready])
}

fn c(candidates: &str) -> Bench<AlgorithmC> {
    ready(candidates, &[c::Timer::Table; 3])
}

fn ballot<A: Algorithm>(bench: &Bench<A>) -> Ballot {
    *bench.machine.state().ballot.expect("an election by capacity")
}

/// Where it stands, with which capacity, and the number of the election.
fn stands<A: Algorithm>(bench: &Bench<A>) -> (Course, Option<i64>, Option<u64>) {
    let state = bench.machine.state();
    (state.course(), ballot(bench).stands_with, state.election)
}

fn begins<A: Algorithm>(mut bench: Bench<A>) -> [(Course, Option<i64>, Option<u64>); 2] {
    let before = stands(&bench);
    bench.elect();
    [before, stands(&bench)]
}

#[test]
fn a_candidate_stands_with_what_it_sent() {
    let idle = (Course::Idle, None, Some(0));
    for [before, after] in [begins(a("1-5")), begins(b1("1-5")), begins(b2("1-5")), begins(c("1-5"))] {
        assert_eq!((before, after), (idle, (Course::Electing, Some(3), Some(1))));
    }
    for [before, after] in [begins(a("1,2")), begins(b1("1,2")), begins(b2("1,2")), begins(c("1,2"))] {
        assert_eq!((before, after), (idle, (Course::Electing, None, Some(1))));
    }
}

/// A process in normal hears the init of another: once as a candidate, and once as none.
#[test]
fn a_candidate_that_hears_an_init_stands_too() {
    let election = ElectionNumber(4);
    for (candidates, expected) in [("1-5", Some(3)), ("1,2", None)] {
        let (mut b1, mut b2, mut c) = (b1(candidates), b2(candidates), c(candidates));
        b1.hear(5, b1::Message::Capacity { election, capacity: 5 });
        b2.hear(5, b2::Message::Init { election, capacity: 5 });
        c.hear(5, c::Message::Init { election, capacity: 5 });
        let expected = (Course::Electing, expected, Some(4));
        assert_eq!([stands(&b1), stands(&b2), stands(&c)], [expected; 3]);
    }
}

/// Is told of the master of an election that it has had no part in, so it is no candidate there.
#[test]
fn who_follows_anothers_election_stands_no_more() {
    let election = ElectionNumber(7);
    let (mut a, mut b1, mut c) = (a("1-5"), b1("1-5"), c("1-5"));
    a.elect();
    a.hear(3, a::Message::Capacity { election: ElectionNumber(1), capacity: 3 });
    a.time_out(a::Timer::Table);
    b1.elect();
    b1.time_out(b1::Timer::Table);
    c.elect();
    c.time_out(c::Timer::Table);
    c.time_out(c::Timer::Table);
    let at_rest = (Course::AtRest, Some(3), Some(1));
    assert_eq!([stands(&a), stands(&b1), stands(&c)], [at_rest; 3]);
    a.hear(5, succession::Message::Elected { election }.into());
    b1.hear(5, b1::Message::Elected { election });
    c.hear(5, c::Message::Elected { election, round: 1, capacity: Some(5) });
    let follows = (Course::AtRest, None, Some(7));
    assert_eq!([stands(&a), stands(&b1)], [follows; 2]);
    assert_eq!(stands(&c), (Course::Electing, None, Some(7)));
}

/// To the letter, a process whose list has no candidate ends in stop, under nobody; mended, it ends where it began.
#[test]
fn who_has_elected_nobody_is_idle() {
    let mut letter: Bench<a::AlgorithmA> = Bench::start(3, 5, network::timing(), settings(false, "1"));
    let mut mended = a("1");
    for bench in [&mut letter, &mut mended] {
        bench.elect();
        bench.time_out(a::Timer::Table);
    }
    let (letter, mended) = (letter.machine.state(), mended.machine.state());
    assert_eq!((letter.course(), letter.believes_in()), (Course::AtRest, None));
    assert_eq!((mended.course(), mended.believes_in()), (Course::Idle, None));
}

fn elected(round: u32, capacity: i64) -> c::Message {
    c::Message::Elected { election: ElectionNumber(1), round, capacity: Some(capacity) }
}

fn dup(k: u16, l: u16) -> c::Message {
    let name = |number: u16| Name { node: node(number), capacity: Some(i64::from(number)) };
    c::Message::Dup { election: ElectionNumber(1), round: 1, k: name(k), l: name(l) }
}

/// Transitions 8 and 14 each count one announcement. One that is repeated in its round does not count, nor does a dup.
#[test]
fn c_tells_how_often_it_has_announced_itself() {
    let mut bench = c("1-5");
    let announcements = |bench: &Bench<AlgorithmC>| ballot(bench).announcements;
    bench.elect();
    assert_eq!(announcements(&bench), 0);
    bench.time_out(c::Timer::Table);
    assert_eq!((announcements(&bench), &*bench.lines), (1, &[8][..]));
    bench.hear(1, c::Message::Ask { election: ElectionNumber(1) });
    bench.hear(1, elected(1, 1));
    assert_eq!((announcements(&bench), &*bench.lines), (1, &[104, 9][..]));
    bench.time_out(c::Timer::Table);
    assert_eq!((announcements(&bench), &*bench.lines), (2, &[14][..]));
    bench.time_out(c::Timer::Table);
    assert_eq!(announcements(&bench), 2, "it is master");
    bench.hear(2, elected(2, 2));
    assert_eq!((announcements(&bench), &*bench.lines), (3, &[104, 143][..]));
    bench.time_out(c::Timer::Table);
    bench.elect();
    assert_eq!((announcements(&bench), bench.machine.state().election), (0, Some(2)));
}

/// By line 112 the process enters coll2 and leaves it for coll3 within one step, so no state shows it in coll2.
#[test]
fn c_tells_of_an_announcement_in_coll3() {
    let mut bench = c("1-5");
    bench.elect();
    bench.hear(1, dup(1, 2));
    bench.time_out(c::Timer::Table);
    assert_eq!((ballot(&bench).announcements, &*bench.lines), (1, &[8, 112][..]));
    assert_eq!(bench.machine.state().word, "coll3");
}

#[test]
fn who_asks_for_help_says_so() {
    let mut bench: Bench<AlgorithmC> = Bench::start(3, 5, network::timing(), settings(false, "1"));
    bench.hear(1, c::Message::Init { election: ElectionNumber(0), capacity: 1 });
    bench.time_out(c::Timer::Table);
    let state = bench.machine.state();
    assert_eq!((state.course(), state.word.as_ref(), state.believes_in()), (Course::Help, "help", None));
}

fn standing(of: &[(u16, i64)]) -> Vec<(NodeId, i64)> {
    of.iter().map(|(id, capacity)| (node(*id), *capacity)).collect()
}

#[test]
fn b2_tells_the_lists_that_decided() {
    let election = ElectionNumber(1);
    let mut bench = b2("1-5");
    assert_eq!(ballot(&bench).lists, None);
    bench.elect();
    assert_eq!(ballot(&bench).lists, None, "its own init has not come yet");
    for (from, capacity) in [(3, 3), (5, 5), (1, 1)] {
        bench.hear(from, b2::Message::Init { election, capacity });
    }
    bench.time_out(b2::Timer::Table);
    let full = |of: &[(u16, i64)]| List::Full(standing(of).into());
    let sent = [(5, full(&[(3, 3), (5, 5)])), (3, full(&[(3, 3), (1, 1)])), (1, full(&[(3, 3), (5, 5), (1, 1)]))];
    for (from, list) in sent {
        bench.hear(from, b2::Message::Vect { election, list });
    }
    let lists = ballot(&bench).lists.unwrap();
    assert_eq!(lists.candidates, standing(&[(3, 3), (5, 5), (1, 1)]));
    let other = Received::Entries(standing(&[(3, 3), (1, 1)]));
    let received = [(5, Received::First(2)), (3, other), (1, Received::First(3))];
    assert_eq!(lists.received, received.map(|(from, list)| (node(from), list)));
    assert_eq!(lists.decided, None);
    bench.hear(2, b2::Message::Vect { election, list: List::Length(3) });
    bench.time_out(b2::Timer::Table);
    let state = bench.machine.state();
    let decided = state.ballot.as_ref().and_then(|ballot| ballot.lists.as_ref()?.decided.clone());
    // In the longest list, 3 is the first process whose own list has come: that list decides.
    assert_eq!((decided, state.believes_in()), (Some(standing(&[(3, 3), (1, 1)])), Some(node(3))));
}

#[test]
fn b2_tells_no_lists_of_missed_elections() {
    let mut bench = b2("1-5");
    let election = ElectionNumber(1);
    bench.hear(5, b2::Message::Init { election, capacity: 5 });
    bench.time_out(b2::Timer::Table);
    bench.time_out(b2::Timer::Table);
    assert!(ballot(&bench).lists.is_some(), "too few lists came, and it asks");
    for from in [1, 2] {
        let (election, master) = (ElectionNumber(9), Some(node(5)));
        bench.hear(from, succession::Message::Ended { election, master, taken: election }.into());
    }
    assert_eq!(stands(&bench), (Course::AtRest, None, Some(9)));
    assert_eq!(ballot(&bench).lists, None);
}
