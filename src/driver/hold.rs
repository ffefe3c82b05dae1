//! The protocol moment that is armed at a node, and what a machine's step has left when it is held there.
//!
//! Invariant: a moment that has come is armed no more, so a node is held by it once.

use crate::fault::Moment;
use crate::protocol::NodeId;
use crate::record::{Step, StepHold};

/// The moment that is armed, if one is.
#[derive(Clone, Default, Debug)]
pub struct Armed(Option<(String, Moment)>);

impl Armed {
    /// From now on the lab's step waits for this moment, and no other does.
    pub fn arm(&mut self, step: String, moment: Moment) {
        self.0 = Some((step, moment));
    }

    /// That step waits no more.
    pub fn disarm(&mut self, step: &str) {
        self.0.take_if(|(armed, _)| armed == step);
    }

    /// Whether a moment is waited for.
    pub fn is_armed(&self) -> bool {
        self.0.is_some()
    }

    /// Where the machine's step is to be held, if the moment comes in it; it is then armed no more.
    pub fn take_hold(&mut self, node: NodeId, step: &Step, before: Option<&str>) -> Option<StepHold> {
        let (_, moment) = self.0.as_ref()?;
        let after = step.effects_before(moment, node, before)?;
        self.0.take().map(|(by, _)| StepHold { by, after })
    }
}

/// The rest of a step that is held.
#[derive(Clone, Debug)]
pub struct HeldRest<D> {
    /// The lab's step that holds it.
    pub by: String,
    /// What is still to be carried out, in order.
    pub rest: Vec<D>,
}
