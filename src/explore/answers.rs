//! How a state answers the questions of its lab.
//!
//! Invariant: a question is answered by [`script::holds`] alone, of the world that the state is.

use super::frame::{PackedState, ProcessActivity};
use super::model::LabModel;
use super::properties::JudgedStates;
use super::question::{HoldsIn, QUESTION_NAMES};
use super::tables::at_place;
use script::holds;
use world::{ProcessState, World};

impl LabModel {
    /// Whether the state answers the question at this place as it must. One before the tick from which states are asked
    /// is not asked.
    pub(super) fn answers_rightly(&self, question: usize, state: &PackedState) -> bool {
        if state.tick() < self.terms.asked_from {
            return true;
        }
        let question = &self.terms.questions[question];
        holds(&question.condition, &self.world(state)) == (question.holds_in == HoldsIn::All)
    }

    /// The state as the world that conditions are about.
    pub(super) fn world(&self, state: &PackedState) -> World {
        let frame = self.frame(state);
        let tables = self.tables();
        let mut world = World::new(self.terms.lab.roster);
        for (place, of) in frame.nodes.iter().enumerate() {
            let view = world.nodes.get_mut(&at_place(place)).expect("a place is that of a node");
            view.process = match of.doing {
                ProcessActivity::Dead => ProcessState::Dead,
                ProcessActivity::Runs => ProcessState::Running,
                ProcessActivity::Paused => ProcessState::Paused,
            };
            view.state = (of.doing != ProcessActivity::Dead).then(|| tables.machines().value(of.machine).state());
        }
        world
    }
}

/// So many questions as stateright has them.
pub fn asked<M: JudgedStates>(number: usize) -> impl Iterator<Item = stateright::Property<M>> {
    [of::<M, 0>(), of::<M, 1>(), of::<M, 2>(), of::<M, 3>()].into_iter().take(number)
}

fn of<M: JudgedStates, const PLACE: usize>() -> stateright::Property<M> {
    stateright::Property::always(QUESTION_NAMES[PLACE], |model: &M, state| model.answers(PLACE, state))
}
