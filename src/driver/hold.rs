//! The protocol moment that is armed at a node, and the effects of a machine's step that is held there.
//!
//! Invariant: a moment that has come is armed no more, so a node is held by it once.

use super::Stamp;
use fault::Moment;
use protocol::NodeId;
use record::{Step, StepHold};

/// The moment that is armed, if one is.
#[derive(Clone, Default, Debug)]
pub struct Armed(Option<(String, Moment)>);

impl Armed {
    /// From now on this step of the lab waits for this moment, and no other step waits.
    pub fn arm(&mut self, step: String, moment: Moment) {
        self.0 = Some((step, moment));
    }

    /// That step no longer waits.
    pub fn disarm(&mut self, step: &str) {
        self.0.take_if(|(armed, _)| armed == step);
    }

    /// Whether a step waits for a moment.
    pub fn is_armed(&self) -> bool {
        self.0.is_some()
    }

    /// Where to hold the machine's step, if the moment comes in it; the moment is then no longer armed.
    pub fn take_hold(&mut self, node: NodeId, step: &Step, before: Option<&str>) -> Option<StepHold> {
        let (_, moment) = self.0.as_ref()?;
        let after = step.effects_before(moment, node, before)?;
        self.0.take().map(|(by, _)| StepHold { by, after })
    }
}

/// The effects of a step that is held: those that are still to be carried out, in order.
#[derive(Clone, Debug)]
pub struct HeldEffects<D> {
    /// The lab's step that holds it.
    pub by: String,
    /// When the machine took its step.
    pub taken: Stamp,
    /// The effects up to the hold. They wait until the moment after this one is armed everywhere.
    pub before: Vec<D>,
    /// The effects behind the hold. They wait until what the lab's step orders is in force.
    pub behind: Vec<D>,
}
