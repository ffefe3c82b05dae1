//! Tests of Algorithm B.2: each transition, `el(Y)`, each mend, many elections over an ordered broadcast in virtual
//! time.
//!
//! Invariant: one test for each transition of Table 3, which names it; a malicious process, D, is played by the test.

mod elections;
mod liars;
mod lists;
mod mends;
mod returns;
mod traces;
mod transitions;

use super::{AlgorithmB2, ElectionNumber, Entry, List, Message, Timer};
use crate::king_ni::succession;
use crate::king_ni::tests::network::{Errata, settings, timing};
use bench::Bench;
use bench::node;
use protocol::{Algorithm, Effect, NodeSet, SettingValue, Settings};

/// Around the table.
const READY: Timer = Timer::Succession(succession::Timer::Ready);
const ELECTED: Timer = Timer::Succession(succession::Timer::Elected);

fn with(errata: Errata, candidates: &str) -> impl FnOnce(Settings) -> Settings {
    let candidates: NodeSet = candidates.parse().unwrap();
    move |settings| {
        settings
            .with("errata", SettingValue::Flag(errata == Errata::Mended))
            .with("candidates", SettingValue::Nodes(candidates))
    }
}

/// The settings of a network of this many processes, of which t may be faulty.
fn faulty(nodes: u16, errata: Errata, t: u64, lists: &str) -> Settings {
    let settings = settings::<AlgorithmB2>(nodes, errata);
    settings.with("t", SettingValue::Number(t)).with("lists", SettingValue::Word(lists.to_owned()))
}

/// Process 3 of five, to the letter; all are candidates, and one may be faulty.
fn to_the_letter() -> Bench<AlgorithmB2> {
    Bench::start(3, 5, timing(), with(Errata::ToTheLetter, "1-5"))
}

/// The same, mended, and its time of asking is over: t+1 have answered that there is no master.
fn mended() -> Bench<AlgorithmB2> {
    let mut bench = Bench::start(3, 5, timing(), with(Errata::Mended, "1-5"));
    for from in [1, 2] {
        assert_eq!(bench.hear(from, ended(0, None)), []);
    }
    assert_eq!(bench.time_out(READY), []);
    bench
}

fn init(election: u64, capacity: i64) -> Message {
    Message::Init { election: ElectionNumber(election), capacity }
}

fn entries(of: &[(u16, i64)]) -> Vec<Entry> {
    of.iter().map(|(id, capacity)| (node(*id), *capacity)).collect()
}

fn full(of: &[(u16, i64)]) -> List {
    List::Full(entries(of).into())
}

fn vect(election: u64, list: List) -> Message {
    Message::Vect { election: ElectionNumber(election), list }
}

fn elected(election: u64) -> Message {
    succession::Message::Elected { election: ElectionNumber(election) }.into()
}

fn ended(election: u64, master: Option<u16>) -> Message {
    let election = ElectionNumber(election);
    succession::Message::Ended { election, master: master.map(node), taken: election }.into()
}

fn broadcast(message: Message) -> Effect<AlgorithmB2> {
    Effect::Broadcast { message }
}

fn word(bench: &Bench<AlgorithmB2>) -> String {
    bench.machine.state().word.into_owned()
}

#[test]
fn the_card_states_the_papers_bound_of_5_t_and_t_is_less_than_n() {
    let settings = Settings::defaults(AlgorithmB2::CARD.settings, "1-5".parse().unwrap());
    let facts = AlgorithmB2::CARD.facts(&timing(), 5, &settings);
    assert_eq!((facts.time_bound, facts.quiet_bound), (timing().t * 5, timing().t * 27));
    assert_eq!(settings.number("t"), 1);
    let many = settings.with("t", SettingValue::Number(2));
    assert_eq!(AlgorithmB2::CARD.facts(&timing(), 5, &many).quiet_bound, timing().t * 27 + timing().check);
    let alone = Settings::defaults(AlgorithmB2::CARD.settings, "1".parse().unwrap());
    assert_eq!(alone.number("t"), 0, "one list decides where there is one process");
}
