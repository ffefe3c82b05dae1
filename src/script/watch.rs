//! Watches one expectation of a moment until it is decided.
//!
//! Invariant: an expectation is met only if the condition became true by its bound and then held as long as it must; a
//! decided expectation stays decided.

use super::question::{holds, instead};
use lab::{Expectation, Lab};
use record::Outcome;
use world::{World, between, stamp};

/// One expectation and its progress.
#[derive(Clone, Debug)]
pub(super) struct ExpectationWatch {
    state: State,
}

#[derive(Copy, Clone, Debug)]
enum State {
    /// The step has not been taken, or its faults are not in force yet.
    Asleep,
    /// The condition has to become true.
    Open { begun: i64 },
    /// Is true and has to hold.
    Holding { begun: i64, since: i64 },
    /// Is asked at the end of the lab.
    AtEnd,
    /// Has its outcome.
    Decided(Outcome),
}

impl ExpectationWatch {
    /// The watch of this expectation, asleep.
    pub(super) fn new(expectation: &Expectation) -> ExpectationWatch {
        ExpectationWatch { state: if expectation.that.is_at_end() { State::AtEnd } else { State::Asleep } }
    }

    /// The time begins to run.
    pub(super) fn become_open(&mut self, now: i64) {
        if matches!(self.state, State::Asleep) {
            self.state = State::Open { begun: now };
        }
    }

    /// Is decided.
    pub(super) fn become_decided(&mut self, outcome: Outcome) {
        self.state = State::Decided(outcome);
    }

    /// The outcome, if it has one.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        match self.state {
            State::Decided(outcome) => Some(outcome),
            _ => None,
        }
    }

    /// Whether it is still to be decided before the end.
    pub(super) fn is_pending(&self) -> bool {
        !matches!(self.state, State::AtEnd | State::Decided(_))
    }

    /// Whether its time runs: what it sees of the world may decide it.
    pub(super) fn is_awake(&self) -> bool {
        matches!(self.state, State::Open { .. } | State::Holding { .. })
    }

    /// When time alone could change it next.
    pub(super) fn wake_at(&self, expectation: &Expectation) -> Option<i64> {
        match self.state {
            State::Open { begun } => Some(deadline(begun, expectation)),
            State::Holding { since, .. } => Some(since + nanos(expectation.stays)),
            State::Asleep | State::AtEnd | State::Decided(_) => None,
        }
    }

    /// Looks at the world; if that decides it, returns the outcome and the verdict line.
    pub(super) fn look(
        &mut self,
        lab: &Lab,
        expectation: &Expectation,
        now: i64,
        world: &World,
    ) -> Option<(Outcome, String)> {
        let is_true = holds(&expectation.that, world);
        if let State::Open { begun } = self.state
            && is_true
        {
            let since = world.now.clamp(begun, now.max(begun));
            if since <= deadline(begun, expectation) {
                self.state = State::Holding { begun, since };
            }
        }
        let decided = match self.state {
            State::Open { begun } => self.look_open(lab, expectation, begun, now, world),
            State::Holding { begun, since } => {
                let until = since + nanos(expectation.stays);
                let seen = if is_true { now } else { world.now.clamp(since, now.max(since)) };
                if seen >= until {
                    Some((Outcome::Met, met(lab, expectation, begun, since)))
                } else if is_true {
                    None
                } else {
                    self.become_broken(lab, expectation, (begun, since, seen), now, world)
                }
            }
            State::Asleep | State::AtEnd | State::Decided(_) => None,
        };
        if let Some((outcome, _)) = decided {
            self.become_decided(outcome);
        }
        decided
    }

    fn look_open(
        &self,
        lab: &Lab,
        expectation: &Expectation,
        begun: i64,
        now: i64,
        world: &World,
    ) -> Option<(Outcome, String)> {
        let deadline = deadline(begun, expectation);
        (now >= deadline).then(|| {
            let what = subject(lab, expectation);
            let stays = stays(expectation);
            let instead = match holds(&expectation.that, world) {
                true => format!("it came true at {}", stamp(world.now.min(now))),
                false => format!("instead {}", instead(&expectation.that, world)),
            };
            (Outcome::Failed, format!("FAILED {what}, by {}{stays}: {instead}", stamp(deadline)))
        })
    }

    fn become_broken(
        &mut self,
        lab: &Lab,
        expectation: &Expectation,
        (begun, since, broke): (i64, i64, i64),
        now: i64,
        world: &World,
    ) -> Option<(Outcome, String)> {
        if now < deadline(begun, expectation) {
            self.state = State::Open { begun };
            return None;
        }
        let what = subject(lab, expectation);
        let (from, to) = (stamp(since), stamp(broke));
        let instead = instead(&expectation.that, world);
        let text = format!("FAILED {what}{}: it held from {from} to {to}; instead {instead}", stays(expectation));
        Some((Outcome::Failed, text))
    }
}

/// `coordinator 4 after "crash"`.
pub(super) fn subject(lab: &Lab, expectation: &Expectation) -> String {
    match expectation.after {
        Some(step) => format!("{} after \"{}\"", expectation.that, lab.steps[step].name),
        None => expectation.that.to_string(),
    }
}

fn met(lab: &Lab, expectation: &Expectation, begun: i64, since: i64) -> String {
    let after = match expectation.after {
        Some(step) => format!(", {} after \"{}\"", between(since - begun), lab.steps[step].name),
        None => String::new(),
    };
    format!("met {}: at {}{after}{}", subject(lab, expectation), stamp(since), stays(expectation))
}

fn stays(expectation: &Expectation) -> String {
    match nanos(expectation.stays) {
        0 => String::new(),
        stays => format!(", and for {}", between(stays)),
    }
}

fn deadline(begun: i64, expectation: &Expectation) -> i64 {
    begun + nanos(expectation.within)
}

/// A span of a lab, which is a day at most, as a difference of moments.
pub(super) fn nanos(span: protocol::Span) -> i64 {
    i64::try_from(span.nanos()).expect("a span of a lab is a day at most")
}
