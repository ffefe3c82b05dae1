//! What the tests of both figures have in common: periods, readings, messages, and what a node's detector makes of
//! them.
//!
//! Invariant: what is here means the same to both.

use super::{ElectionId, ElectionStage, Said, Timer};
use crate::detector;
use protocol::{Algorithm, ERRATA, Effect, Incarnation, NodeId, SettingValue, Settings, Span, Timing, errata_of};
use test_harness::node;
use test_harness::{Bench, cancel, set};

pub(super) const T: Span = Span::from_millis(100);
pub(super) const TIMING: Timing = Timing { t: T, check: Span::from_millis(500), silence: Span::from_millis(300) };

pub(super) type ReadingOf = fn(Settings) -> Settings;

pub(super) fn mended(settings: Settings) -> Settings {
    settings
}

pub(super) fn to_the_letter(settings: Settings) -> Settings {
    settings.with("errata", SettingValue::Flag(false))
}

/// The holes of these numbers are mended, and no others.
pub(super) fn mending<A: Algorithm>(numbers: &[&str], settings: Settings) -> Settings {
    settings.with(ERRATA, errata_of(A::CARD.holes(), |hole| numbers.contains(&hole.number)))
}

/// An election of the starter's first life.
pub(super) fn id(starter: u16, sequence: u32) -> ElectionId {
    ElectionId { starter: node(starter), incarnation: Incarnation(1), sequence }
}

pub(super) fn halt<M: From<Said>>(starter: u16, sequence: u32) -> M {
    Said::Halt { election: id(starter, sequence) }.into()
}

pub(super) fn ack<M: From<Said>>(starter: u16, sequence: u32) -> M {
    Said::Ack { election: id(starter, sequence) }.into()
}

pub(super) fn ldr<M: From<Said>>(starter: u16, sequence: u32) -> M {
    Said::Ldr { election: id(starter, sequence) }.into()
}

pub(super) fn is_norm<M: From<Said>>(starter: u16, sequence: u32) -> M {
    Said::IsNorm { election: id(starter, sequence) }.into()
}

pub(super) fn not_norm<M: From<Said>>(starter: u16, sequence: u32) -> M {
    Said::NotNorm { election: id(starter, sequence) }.into()
}

/// The detector starts to watch the node: its first question is due a period later.
pub(super) fn watch<A: Algorithm<Timer = Timer>>(other: u16) -> Effect<A> {
    set(Timer::Detector(detector::Timer::Ask(node(other))), TIMING.silence)
}

pub(super) fn unwatch<A: Algorithm<Timer = Timer>>(other: u16) -> Effect<A> {
    cancel(Timer::Detector(detector::Timer::Ask(node(other))))
}

/// The detector reports the node; the effects of that, without the detector's own end of the watch.
pub(super) fn down<A: Algorithm<Timer = Timer>>(bench: &mut Bench<A>, other: u16) -> Vec<Effect<A>> {
    bench.time_out(Timer::Detector(detector::Timer::Ask(node(other))));
    let effects = bench.time_out(Timer::Detector(detector::Timer::Answer(node(other)))).to_vec();
    effects.into_iter().filter(|effect| *effect != unwatch(other)).collect()
}

/// The node's status, and its coordinator.
pub(super) fn stage<A: Algorithm>(bench: &Bench<A>) -> (ElectionStage, Option<NodeId>) {
    use ElectionStage::{Elec1, Elec2, Norm, Wait};
    let state = bench.machine.state();
    let is_its_word = |stage: &ElectionStage| stage.word() == state.word;
    ([Norm, Elec1, Elec2, Wait].into_iter().find(is_its_word).unwrap(), state.coordinator)
}
