//! A question of one's own to every state of a lab, for what no property of the judge says.

use stateright::{Model, Property};

use super::{ENOUGH, Exhaustion, ExploreTerms, LabModel, ToTheEnd, search};
use crate::explore::frame::{Doing, PackedState};
use crate::explore::{LabAction, Staged};
use crate::protocol::{Algorithm, StateVector};

/// The states of the running nodes of a lab, and its tick.
pub type LabInstant<'a> = (u16, &'a [StateVector]);

/// A lab whose one property is the answer to a question.
struct AskedLab<'q, A: Algorithm> {
    lab: LabModel<A>,
    is_as_wanted: &'q dyn Fn(LabInstant<'_>) -> bool,
}

impl<A: Algorithm> Staged for AskedLab<'_, A> {
    fn stage(&self, state: &PackedState) -> u32 {
        self.lab.stage(state)
    }
}

impl<A: Algorithm> Model for AskedLab<'_, A> {
    type State = PackedState;
    type Action = LabAction;

    fn init_states(&self) -> Vec<PackedState> {
        self.lab.init_states()
    }

    fn actions(&self, state: &PackedState, actions: &mut Vec<LabAction>) {
        self.lab.actions(state, actions);
    }

    fn next_state(&self, state: &PackedState, action: LabAction) -> Option<PackedState> {
        self.lab.next_state(state, action)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("asked", |asked: &Self, state| {
            let frame = asked.lab.frame(state);
            let tables = asked.lab.tables();
            let running = frame.nodes.iter().filter(|node| node.doing == Doing::Runs);
            let states: Vec<StateVector> = running.map(|node| tables.machines().value(node.machine).state()).collect();
            (asked.is_as_wanted)((frame.tick, &states))
        })]
    }
}

/// Whether the answer is yes in every state of the lab.
pub fn is_always<A: Algorithm>(terms: &ExploreTerms, is_as_wanted: impl Fn(LabInstant<'_>) -> bool) -> bool {
    let asked = AskedLab { lab: LabModel::<A>::new(terms.clone()), is_as_wanted: &is_as_wanted };
    let found = search(&asked, ENOUGH, &mut ToTheEnd);
    assert_eq!(found.exhaustion, Exhaustion::Exhausted);
    found.found.is_empty()
}
