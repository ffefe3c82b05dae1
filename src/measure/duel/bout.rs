//! One run of a duel, in figures.
//!
//! Invariant: a bout is a function of its lab and its seed; it lasts until so long after the last step.

use std::cell::RefCell;
use std::sync::Arc;

use lab::{Lab, When};
use protocol::{NodeMap, Span};
use record::{Body, Record};
use script::Pace;
use sim::{After, Moves, Plan, Recorded, Weather};
use world::Figures;

/// What came of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Bout {
    /// Its figures.
    pub figures: Figures,
    /// How long no process that ran took itself for the coordinator, from the first step on.
    pub without_coordinator: Span,
}

/// Who coordinates, as the records come.
#[derive(Default)]
struct Vacancy {
    coordinates: NodeMap<bool>,
    /// Since when nobody does, in nanoseconds.
    vacant_since: Option<i64>,
    vacant: i64,
    /// Whether the first step was taken.
    has_begun: bool,
}

/// Plays the lab with this seed; nothing if its steps were not all taken.
pub fn play(lab: &Arc<Lab>, tail: Span, seed: u64) -> Option<Bout> {
    let plan = Plan {
        lab: Arc::clone(lab),
        seed,
        dice: seed,
        weather: Weather::Drawn,
        moves: Moves::Typed,
        pace: Pace::Played,
        recorded: Recorded::Yes,
        after: After::Nothing,
    };
    let vacancy = RefCell::new(Vacancy::default());
    let mut simulated = sim::start(&plan, Box::new(|record| vacancy.borrow_mut().take(record)));
    let patience = lab.steps.iter().fold(Span::ZERO, |sum, step| match &step.when {
        When::At(span) => sum.max(*span),
        When::Condition { then_wait, .. } => sum + *then_wait + lab.limit,
        When::Moment(_) => sum + lab.limit,
    });
    let until = nanos(patience + lab.timing.t);
    while simulated.world().steps.len() < lab.steps.len() && simulated.now() < until {
        simulated.advance_to(simulated.now() + nanos(lab.timing.t));
    }
    if simulated.world().steps.len() < lab.steps.len() {
        return None;
    }
    let end_at = simulated.now() + nanos(tail);
    simulated.advance_to(end_at);
    let figures = simulated.end().run.figures;
    let without_coordinator = vacancy.into_inner().vacant_until(end_at);
    Some(Bout { figures, without_coordinator })
}

impl Vacancy {
    fn take(&mut self, record: &Record) {
        match (&record.body, record.node) {
            (Body::Step(step), Some(node)) => {
                if let Some(state) = &step.state {
                    self.coordinates.insert(node, state.coordinates(node));
                }
            }
            (Body::Died { .. }, Some(node)) => {
                self.coordinates.remove(&node);
            }
            (Body::StepTaken { .. }, _) => self.has_begun = true,
            _ => return,
        }
        let is_vacant = self.has_begun && !self.coordinates.values().any(|coordinates| *coordinates);
        match (is_vacant, self.vacant_since) {
            (true, None) => self.vacant_since = Some(record.at),
            (false, Some(since)) => {
                self.vacant += record.at - since;
                self.vacant_since = None;
            }
            _ => {}
        }
    }

    fn vacant_until(self, end: i64) -> Span {
        let last = self.vacant_since.map_or(0, |since| end - since);
        Span::from_nanos(u64::try_from(self.vacant + last).unwrap_or(0))
    }
}

fn nanos(span: Span) -> i64 {
    i64::try_from(span.nanos()).unwrap_or(i64::MAX)
}
