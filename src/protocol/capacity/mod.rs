//! The criterion function `f()` of King, Gendreau and Ni 1988, section 2: a process's capacity, computed anew for each
//! input, so that a machine that asks for it has the value of that moment.
//!
//! A process remembers its wins as long as it lives: a process that has crashed and returned has never won.
//!
//! Invariant: a non-candidate's capacity is -1, and nobody else's is negative. But for the load, which is measured, it
//! is a function of the setup, the seed, the number of the step, lab time, and the states that the process has been in.

use super::{CAPACITIES, Criterion, NodeId, Setup, StateVector};

/// The largest throw, plus one.
pub const RANDOM_END: u64 = 1_000;
/// The capacity, by last win, of a process that has never won: larger than any time since a win.
pub const NEVER_WON: i64 = 999_999_999;
/// The capacity, by load, of a process that does nothing: a million less the millionths of its time that it computes.
pub const IDLE: i64 = 1_000_000;
/// The capacity of a process that cannot be elected.
const NO_CANDIDATE: i64 = -1;

/// The criterion function at one process, from its start to its end.
#[derive(Clone, Debug)]
pub struct CriterionFunction {
    me: NodeId,
    rule: Rule,
    wins: Wins,
}

#[derive(Clone, Debug)]
enum Rule {
    /// The same whenever it is asked for.
    Constant(i64),
    /// Thrown from what is the process's own: a hash of it and the number of the step.
    Random(Box<blake3::Hasher>),
    Load,
    LastWin,
}

/// When the process won last. A process wins an election once: a master that takes part in a later election which does
/// not come to its end, and then is master of the earlier one again, has won nothing new.
#[derive(Clone, Default, Debug)]
struct Wins {
    /// Whether it is coordinator now.
    stands: bool,
    /// The election that it won last; where elections have no numbers, each time that it becomes coordinator counts as
    /// one.
    election: Option<u64>,
    /// In nanoseconds of lab time.
    last: Option<u64>,
}

impl CriterionFunction {
    /// The criterion function of a process with this setup. Where the algorithm has no setting `candidates`, every
    /// process is a candidate; where it has no criterion, the capacity is the process's id.
    pub fn new(setup: &Setup, seed: u64) -> CriterionFunction {
        let me = setup.me;
        let rule = match Criterion::of(&setup.settings).unwrap_or(Criterion::Id) {
            _ if !setup.is_candidate() => Rule::Constant(NO_CANDIDATE),
            Criterion::Id => Rule::Constant(i64::from(me.get())),
            Criterion::Fixed => {
                // A lab file that leaves a node out is refused; a session may contain anything.
                let place = usize::from(me.get()) - 1;
                let number = setup.settings.numbers(CAPACITIES.name).get(place).copied();
                Rule::Constant(i64::from(number.unwrap_or(0)))
            }
            Criterion::Random => {
                let mut hasher = blake3::Hasher::new();
                hasher.update(b"capacity");
                hasher.update(&seed.to_le_bytes());
                hasher.update(&me.get().to_le_bytes());
                hasher.update(&setup.incarnation.0.to_le_bytes());
                Rule::Random(Box::new(hasher))
            }
            Criterion::Load => Rule::Load,
            Criterion::LastWin => Rule::LastWin,
        };
        CriterionFunction { me, rule, wins: Wins::default() }
    }

    /// The value at this step, at this moment of lab time in nanoseconds. `idleness` measures the process, from 0 to
    /// [`IDLE`], and is asked only if that is the criterion.
    pub fn capacity(&self, step: u64, now: u64, idleness: impl FnOnce() -> i64) -> i64 {
        match &self.rule {
            Rule::Constant(capacity) => *capacity,
            Rule::Random(own) => {
                let mut hasher = own.clone();
                hasher.update(&step.to_le_bytes());
                let mut bytes = [0; 8];
                bytes.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
                (u64::from_le_bytes(bytes) % RANDOM_END) as i64
            }
            Rule::Load => idleness().clamp(0, IDLE),
            Rule::LastWin => self.wins.last.map_or(NEVER_WON, |last| {
                let millis = now.saturating_sub(last) / 1_000_000;
                i64::try_from(millis).unwrap_or(NEVER_WON).min(NEVER_WON - 1)
            }),
        }
    }

    /// Whether the process is measured for it.
    pub fn is_measured(&self) -> bool {
        matches!(self.rule, Rule::Load)
    }

    /// Whether it must learn every state.
    pub fn counts_wins(&self) -> bool {
        matches!(self.rule, Rule::LastWin)
    }

    /// The process has come into this state, or is still in it, at this moment of lab time in nanoseconds.
    pub fn take_state(&mut self, state: &StateVector, now: u64) {
        let stands = state.coordinates(self.me);
        let is_new = match state.election {
            Some(_) => state.election != self.wins.election,
            None => !self.wins.stands,
        };
        if stands && is_new {
            (self.wins.election, self.wins.last) = (state.election, Some(now));
        }
        self.wins.stands = stands;
    }
}

#[cfg(test)]
mod tests;
