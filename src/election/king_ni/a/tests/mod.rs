//! Tests of Algorithm A: each transition, each mend, many elections over an ordered broadcast in virtual time.
//!
//! Invariant: one test for each transition of Table 1, which names it.

mod elections;
mod mends;
mod transitions;

use super::{AlgorithmA, ElectionNumber, Message, Timer};
use crate::king_ni::succession;
use crate::king_ni::tests::network::{Errata, timing};
use bench::Bench;
use bench::node;
use protocol::{Algorithm, Effect, NodeSet, SettingValue, Settings, Span};

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

/// Process 3 of five, to the letter; all are candidates.
fn to_the_letter() -> Bench<AlgorithmA> {
    Bench::start(3, 5, timing(), with(Errata::ToTheLetter, "1-5"))
}

/// The same, mended, and its time of asking is over.
fn mended() -> Bench<AlgorithmA> {
    let mut bench = Bench::start(3, 5, timing(), with(Errata::Mended, "1-5"));
    assert_eq!(bench.time_out(READY), []);
    bench
}

fn capacity(election: u64, capacity: i64) -> Message {
    Message::Capacity { election: ElectionNumber(election), capacity }
}

fn call(election: u64) -> Message {
    Message::Call { election: ElectionNumber(election) }
}

fn elected(election: u64) -> Message {
    succession::Message::Elected { election: ElectionNumber(election) }.into()
}

fn broadcast(message: Message) -> Effect<AlgorithmA> {
    Effect::Broadcast { message }
}

fn word(bench: &Bench<AlgorithmA>) -> String {
    bench.machine.state().word.into_owned()
}

#[test]
fn the_card_states_the_papers_bound_of_t() {
    let settings = Settings::defaults(AlgorithmA::CARD.settings, "1-5".parse().unwrap());
    let facts = AlgorithmA::CARD.facts(&timing(), 5, &settings);
    assert_eq!((facts.time_bound, facts.quiet_bound), (timing().t, timing().t * 20));
    assert_eq!(timing().check, Span::from_millis(4));
}
