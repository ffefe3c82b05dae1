//! The same elections on real processes, over real multicast.
//!
//! A lab of its own holds each election, on links that take up to nearly T. It ends when all have come to the end, or
//! after so long that there was time for many rounds. Where this computer was late itself, more was lost than the point
//! says, and the election does not count.
//!
//! Invariant: an election that does not count is told.

use super::super::real::{PlayReal, RealProgress};
use super::election::{BEGINS, ElectionEnd, begun, lab_of};
use super::point::{RoundsPoint, Starts, Tables};
use super::sum::RoundsSum;
use lab::{Condition, Lab, LabStep, Narration, When};
use protocol::{NodeMap, Span, StateVector};
use record::Body;
use sim::campaign::Go;

/// The bound T of the lab: a computer that does little else keeps it.
const T: Span = Span::from_millis(60);
/// Each link holds a datagram for up to this share of T, in twentieths: the simulation's links take any time up to T, and
/// those of one computer none.
const HELD: u64 = 19;
/// An election that has not ended is looked at so long after its begin, in T: there is time for 15 rounds.
const LASTS: u64 = 50;
/// How long after the last process has come to an end the lab ends, in T.
const RESTS: u64 = 2;

/// Real elections of one point, added up.
#[derive(Copy, Clone, Default, PartialEq, Debug)]
pub struct RealSum {
    /// Those that count.
    pub sum: RoundsSum,
    /// How many do not, because this computer was late.
    pub left_out: u64,
}

impl RealSum {
    /// Holds an election of this point with this seed, and adds it.
    ///
    /// # Errors
    /// The lab did not start; nothing is added.
    pub fn hold<E>(
        &mut self,
        point: &RoundsPoint,
        (starts, tables): (Starts, Tables),
        seed: u64,
        play: PlayReal<E>,
    ) -> Result<RealProgress, E> {
        let mut states: NodeMap<StateVector> = NodeMap::new();
        let progress = play(ground(point, (starts, tables), seed), &mut |record| {
            if let (Some(node), Body::Step(step)) = (record.node, &record.body)
                && let Some(state) = &step.state
            {
                states.insert(node, state.clone());
            }
            Go::On
        })?;
        match progress {
            RealProgress::Counts => self.sum.add(&ElectionEnd::of(&states.into_iter().collect::<Vec<_>>())),
            RealProgress::LeftOut => self.left_out += 1,
            RealProgress::Signalled(_) => {}
        }
        Ok(progress)
    }
}

/// The lab of one election.
fn ground(point: &RoundsPoint, (starts, tables): (Starts, Tables), seed: u64) -> Lab {
    let mut lab = begun(&lab_of(point, tables, T), starts, seed);
    let delay = format!("delay *->* 0ms..{}", T * HELD / 20);
    lab.steps[0].lines.push(delay.parse().expect("a range of delays"));
    let when = When::Condition { condition: Condition::AllNormal, then_wait: T * RESTS };
    lab.steps.push(LabStep {
        name: LabStep::name_of(lab.steps.len()),
        when,
        lines: Vec::new(),
        narration: Narration::default(),
    });
    lab.text = lab.written();
    Lab { seed, limit: T * (BEGINS + LASTS), ..lab }
}
