//! Tests of how groups at rest meet: a master's claims, and what Algorithms A to C make of one.
//!
//! Invariant: process 3 of five is mended; it leads or follows after election 2.

use super::super::a::{self, AlgorithmA};
use super::super::b1::{self, AlgorithmB1};
use super::super::b2::{self, AlgorithmB2};
use super::super::c::{self, AlgorithmC};
use super::super::watch::{self, Claim};
use super::super::{ElectionNumber, succession};
use super::network::{t, timing};
use protocol::{Algorithm, Described, Effect, SettingValue, Settings};
use test_harness::node;
use test_harness::{Bench, call, save, send, set};

const SECOND: ElectionNumber = ElectionNumber(2);
const ASK: watch::Timer = watch::Timer::Ask;

fn start<A: Algorithm>(errata: bool) -> Bench<A> {
    let errata = |settings: Settings| settings.with("errata", SettingValue::Flag(errata));
    Bench::start(3, 5, timing(), errata)
}

/// At rest after election 2 under this master, T after its stop.
fn a(master: u16) -> Bench<AlgorithmA> {
    let mut bench = start(true);
    bench.time_out(a::Timer::Ready);
    bench.hear(5, a::Message::Call { election: SECOND });
    bench.hear(master, a::Message::Capacity { election: SECOND, capacity: i64::from(master) });
    bench.time_out(a::Timer::Table);
    bench.time_out(a::Timer::Ready);
    at_rest(bench, master)
}

fn b1(master: u16) -> Bench<AlgorithmB1> {
    let mut bench = start(true);
    bench.time_out(b1::Timer::Ready);
    bench.hear(1, b1::Message::Capacity { election: SECOND, capacity: 1 });
    if master != 3 {
        bench.hear(master, b1::Message::Capacity { election: SECOND, capacity: i64::from(master) });
    }
    bench.time_out(b1::Timer::Table);
    bench.time_out(b1::Timer::Ready);
    at_rest(bench, master)
}

fn b2(master: u16) -> Bench<AlgorithmB2> {
    let ready = b2::Timer::Ready;
    let mut bench = start(true);
    bench.time_out(ready);
    for from in [1, master] {
        bench.hear(from, b2::Message::Init { election: SECOND, capacity: i64::from(from) });
    }
    bench.time_out(b2::Timer::Table);
    let list = b2::List::Length(2);
    (1..=4)
        .for_each(|from| drop(bench.hear(from, b2::Message::Vect { election: SECOND, list: list.clone() }).to_vec()));
    bench.time_out(b2::Timer::Table);
    bench.time_out(ready);
    at_rest(bench, master)
}

fn c(master: u16) -> Bench<AlgorithmC> {
    let mut bench = start(true);
    (0..3).for_each(|_| drop(bench.time_out(c::Timer::Table).to_vec()));
    if master == 3 {
        bench.hear(1, c::Message::Init { election: SECOND, capacity: 1 });
        bench.time_out(c::Timer::Table);
    } else {
        bench.hear(master, c::Message::Elected { election: SECOND, round: 1, capacity: Some(i64::from(master)) });
    }
    bench.time_out(c::Timer::Table);
    at_rest(bench, master)
}

fn at_rest<A: Algorithm>(bench: Bench<A>, master: u16) -> Bench<A> {
    let state = bench.machine.state();
    assert_eq!((state.believes_in(), state.election), (Some(node(master)), Some(2)), "{}", A::CARD.name);
    bench
}

fn claim<A: watch::Watches>(election: u64, master: u16) -> A::Message {
    watch::Message::Claim(Claim { election: ElectionNumber(election), master: node(master) }).into()
}

/// The receivers of its claims, and the lines, as its timer runs out.
fn claims<A: watch::Watches>(bench: &mut Bench<A>) -> (Vec<u16>, Vec<u16>) {
    let effects = bench.time_out(ASK.into()).to_vec();
    let (last, sends) = effects.split_last().unwrap();
    assert_eq!(*last, set(ASK.into(), timing().check));
    let to = |effect: &Effect<A>| match effect {
        Effect::Send { to, message } if *message == claim::<A>(2, 3) => to.get(),
        other => panic!("{other:?}"),
    };
    (sends.iter().map(to).collect(), bench.lines.clone())
}

fn leads<A: watch::Watches>(mut bench: Bench<A>) {
    let asks = |serial| A::Message::from(watch::Message::Ask { call: call(serial), election: SECOND });
    let answer = |to, serial| send(to, watch::Message::Answer(call(serial)).into());
    for from in [1, 2] {
        assert_eq!(bench.hear(from, asks(1)), [answer(from, 1)]);
    }
    assert_eq!(claims(&mut bench), (vec![4, 5], vec![209]));
    for from in [1, 4, 5] {
        bench.hear(from, asks(2));
    }
    assert_eq!(claims(&mut bench), (vec![], vec![]), "2 may be late once");
    bench.hear(1, asks(3));
    assert_eq!(claims(&mut bench), (vec![2], vec![209]));
}

#[test]
fn a_master_claims_to_those_that_ask_not() {
    leads(a(3));
    leads(b1(3));
    leads(b2(3));
    leads(c(3));
}

/// A follower may stop T later than its master, and its request after a check period takes T.
#[test]
fn the_first_claims_wait_for_the_followers() {
    let first = timing().check + t(2.0);
    let mut bench = start::<AlgorithmB1>(true);
    bench.time_out(b1::Timer::Ready);
    bench.elect();
    assert!(bench.time_out(b1::Timer::Table).contains(&set(b1::Timer::Watch(ASK), first)));
    let mut letter = start::<AlgorithmB1>(false);
    letter.elect();
    letter.time_out(b1::Timer::Table);
    assert_eq!((letter.lines.as_slice(), letter.effects.len()), (&[6, 205][..], 1), "to the letter nobody claims");
}

/// 3 follows 4, and hears of other groups.
fn meets<A: watch::Watches<Saved = ElectionNumber>>(
    follower: impl Fn(u16) -> Bench<A>,
    begins: impl Fn(u64) -> A::Message,
) {
    let mut bench = follower(4);
    for number in [1, 2, 9] {
        assert_eq!(bench.hear(4, claim::<A>(number, 4)), [], "{}: its own master", A::CARD.name);
    }
    assert_eq!(
        bench.hear(5, claim::<A>(1, 5)),
        [send(5, claim::<A>(2, 4))],
        "{}: after a lower election",
        A::CARD.name
    );
    assert_eq!(bench.lines, [211]);
    for (number, next) in [(2, 3), (7, 8)] {
        let mut bench = follower(4);
        let effects = bench.hear(5, claim::<A>(number, 5)).to_vec();
        assert_eq!(bench.lines[0], 210);
        let begins = Effect::Broadcast { message: begins(next) };
        assert!(effects.contains(&begins), "{}: above {number}: {effects:?}", A::CARD.name);
    }
    let mut leader = follower(3);
    leader.hear(1, claim::<A>(4, 5));
    assert_eq!(leader.lines[0], 210, "{}: a follower's answer reaches a master", A::CARD.name);
}

#[test]
fn at_rest_a_claim_begins_or_is_answered() {
    let of = |number| ElectionNumber(number);
    // A call is two above any number seen.
    meets(a, |next| a::Message::Call { election: of(next + 1) });
    meets(b1, |next| b1::Message::Capacity { election: of(next), capacity: 3 });
    meets(b2, |next| b2::Message::Init { election: of(next), capacity: 3 });
    meets(c, |next| c::Message::Init { election: of(next), capacity: 3 });
}

/// Each saves the number once, with the election that it begins; a process that has just stopped saves it now and
/// begins later.
#[test]
fn who_has_just_stopped_begins_later() {
    let mut bench = start::<AlgorithmB1>(true);
    bench.time_out(b1::Timer::Ready);
    bench.hear(5, b1::Message::Capacity { election: SECOND, capacity: 5 });
    bench.time_out(b1::Timer::Table);
    assert_eq!(bench.hear(4, claim::<AlgorithmB1>(7, 4)), [save(ElectionNumber(7))]);
    assert_eq!(bench.lines, [210, 156]);
    bench.time_out(b1::Timer::Ready);
    assert_eq!(bench.lines, [146, 1]);
    assert!(bench.effects.contains(&save(ElectionNumber(8))));
}

/// In normal, or start, there is no master to compare with.
#[test]
fn who_has_no_master_heeds_a_claim() {
    let mut a = start::<AlgorithmA>(true);
    a.time_out(a::Timer::Ready);
    a.hear(5, claim::<AlgorithmA>(2, 5));
    assert_eq!((a.lines.as_slice(), a.machine.state().believes_in()), (&[125, 206][..], Some(node(5))));

    // It has stood aside from an election that came to nothing.
    let mut a = start::<AlgorithmA>(true);
    a.hear(1, a::Message::Capacity { election: ElectionNumber(3), capacity: 1 });
    a.hear(5, claim::<AlgorithmA>(2, 5));
    assert_eq!(a.lines, [136], "it may go on");
    (0..2).for_each(|_| drop(a.time_out(a::Timer::Ready).to_vec()));
    a.hear(5, claim::<AlgorithmA>(2, 5));
    assert_eq!((a.lines.as_slice(), a.machine.state().believes_in()), (&[125, 206][..], Some(node(5))));

    let mut b1 = start::<AlgorithmB1>(true);
    b1.hear(5, claim::<AlgorithmB1>(2, 5));
    assert!(b1.lines.is_empty(), "it asks, and is answered");
    b1.time_out(b1::Timer::Ready);
    b1.hear(4, claim::<AlgorithmB1>(2, 5));
    assert!(b1.lines.is_empty(), "4 is not the master");
    b1.hear(5, claim::<AlgorithmB1>(2, 5));
    assert_eq!((b1.lines.as_slice(), b1.machine.state().believes_in()), (&[125, 206][..], Some(node(5))));

    let mut b2 = start::<AlgorithmB2>(true);
    for from in [1, 2] {
        b2.hear(from, succession::Message::Ended { election: SECOND, master: None, taken: SECOND }.into());
    }
    b2.time_out(b2::Timer::Ready);
    b2.hear(5, claim::<AlgorithmB2>(2, 5));
    assert_eq!(b2.lines, [105], "one word is worth nothing, but t+1 may say the same");
    b2.hear(5, claim::<AlgorithmB2>(2, 5));
    assert!(b2.lines.is_empty(), "they have 2T for that");
    b2.time_out(b2::Timer::Ready);
    b2.hear(5, claim::<AlgorithmB2>(2, 5));
    assert_eq!(b2.lines, [155, 1]);
    assert!(b2.effects.contains(&save(ElectionNumber(3))));

    let mut c = start::<AlgorithmC>(true);
    let asks = Effect::Broadcast { message: c::Message::Ask { election: ElectionNumber(0) } };
    assert_eq!(c.hear(5, claim::<AlgorithmC>(2, 5)), [asks]);
    assert_eq!(c.lines, [165]);
}

/// Died in an election after the master's, and would follow under a number that is taken.
#[test]
fn in_normal_an_old_claim_begins_an_election() {
    let mut bench = start::<AlgorithmB1>(true).recovered(ElectionNumber(6));
    bench.time_out(b1::Timer::Ready);
    bench.hear(5, claim::<AlgorithmB1>(2, 5));
    assert_eq!(bench.lines, [136, 1]);
    assert!(bench.effects.contains(&save(ElectionNumber(7))));
}

#[test]
fn messages_of_the_watch_are_told_whole() {
    let query = watch::Message::Ask { call: call(3), election: SECOND };
    assert_eq!((query.kind(), query.fields()), ("query", vec![("call", "1.3".into()), ("election", "2".into())]));
    let answer = watch::Message::Answer(call(3));
    assert_eq!((answer.kind(), answer.fields()), ("answer", vec![("call", "1.3".into())]));
    let ended = succession::Message::Ended { election: SECOND, master: Some(node(5)), taken: ElectionNumber(7) };
    let fields = vec![("master", "5".into()), ("election", "2".into()), ("taken", "7".into())];
    assert_eq!((ended.kind(), ended.fields()), ("ended", fields));
    let claim = watch::Message::Claim(Claim { election: SECOND, master: node(5) });
    assert_eq!((claim.kind(), claim.fields()), ("claim", vec![("master", "5".into()), ("election", "2".into())]));
}

#[test]
fn to_the_letter_a_claim_is_nothing() {
    let mut b1 = start::<AlgorithmB1>(false);
    b1.hear(5, b1::Message::Capacity { election: ElectionNumber(0), capacity: 5 });
    b1.time_out(b1::Timer::Table);
    assert_eq!(b1.hear(4, claim::<AlgorithmB1>(7, 4)), []);
    let mut b2 = start::<AlgorithmB2>(false);
    assert_eq!(b2.hear(4, claim::<AlgorithmB2>(7, 4)), []);
    let mut c = start::<AlgorithmC>(false);
    assert_eq!(c.hear(4, claim::<AlgorithmC>(7, 4)), []);
    assert!(b1.lines.is_empty() && b2.lines.is_empty() && c.lines.is_empty());
}
