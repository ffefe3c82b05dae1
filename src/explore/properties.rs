//! The properties of an exploration: the judge's own, asked of every state, or of the states at the horizon.
//!
//! Invariant: a property that is looked at is decided by [`judge::cut`] alone.

use stateright::Model;

use super::frame::{PackedState, ProcessActivity};
use super::model::LabModel;
use super::tables::at_place;
use super::terms::ExploreTerms;
use judge::cut::{LabAtRest, is_of_cuts};
use judge::{is_of_quiet, is_of_the_whole};
use protocol::{NodeSet, Property};

/// Those that are looked at of the lab's promises, the withdrawn ones too: of every state, and of the horizon if it lies
/// far enough.
pub fn looked_at(terms: &ExploreTerms) -> Vec<Property> {
    let is_looked_at = |property: &&Property| {
        let may_rest = terms.comes_to_rest() && !(terms.is_never_whole() && is_of_the_whole(**property));
        OF_STATES.contains(property) && (is_of_cuts(**property) || is_of_quiet(**property) && may_rest)
    };
    terms.lab.card.promises.iter().filter(is_looked_at).copied().collect()
}

/// A model of whose states the judge's properties and the lab's questions are asked.
pub trait JudgedStates: Model {
    /// Whether the property holds in this state.
    fn holds(&self, property: Property, state: &Self::State) -> bool;

    /// Whether the state answers the question at this place as it must.
    fn answers(&self, question: usize, state: &Self::State) -> bool;
}

impl JudgedStates for LabModel {
    /// Whether the property holds in this state. One of rest is asked at the horizon only, and of labs in which nobody
    /// is paused.
    fn holds(&self, property: Property, state: &PackedState) -> bool {
        if is_of_cuts(property) {
            return !self.contradicts(property, state);
        }
        state.tick() < self.terms.horizon || self.at_rest(state).is_none_or(|rest| !rest.violates(property))
    }

    fn answers(&self, question: usize, state: &PackedState) -> bool {
        self.answers_rightly(question, state)
    }
}

impl LabModel {
    /// The lab at rest in this state of the horizon; nothing if somebody is paused.
    pub fn at_rest(&self, state: &PackedState) -> Option<LabAtRest> {
        let frame = self.frame(state);
        if frame.nodes.iter().any(|node| node.doing == ProcessActivity::Paused) {
            return None;
        }
        let tables = self.tables();
        let states = frame.nodes.iter().map(|node| {
            let runs = node.doing == ProcessActivity::Runs;
            runs.then(|| tables.machines().value(node.machine).state())
        });
        let running = (0..frame.nodes.len()).filter(|place| frame.nodes[*place].doing == ProcessActivity::Runs);
        let running: NodeSet = running.map(at_place).collect();
        Some(LabAtRest {
            states: states.collect(),
            rank: self.terms.lab.roster.rank(),
            linked: self.terms.linked(&running),
            running,
        })
    }

    fn contradicts(&self, property: Property, state: &PackedState) -> bool {
        let tables = self.tables();
        let mut before: Vec<u32> = Vec::new();
        for (_, machine) in state.machines(self.terms.lab.roster.len()) {
            let Some(claim) = tables.claim(machine) else { continue };
            let others = before.iter().filter_map(|other| tables.claim(*other));
            if others.into_iter().any(|other| claim.contradicts(property, other)) {
                return true;
            }
            before.push(machine);
        }
        false
    }
}

macro_rules! looked_at {
    ($($name:ident),*) => {
        /// The properties that a state of the lab can show.
        const OF_STATES: &[Property] = &[$(Property::$name),*];

        /// The property as stateright has it, if a state of the lab can show it.
        pub fn always<M: JudgedStates>(property: Property) -> Option<stateright::Property<M>> {
            match property {
                $(Property::$name => Some(stateright::Property::always(
                    property.word(),
                    |model: &M, state| model.holds(Property::$name, state),
                )),)*
                _ => None,
            }
        }
    };
}

looked_at![
    Assertion1,
    Assertion2,
    Assertion3,
    Assertion4,
    Sle1,
    Sle2,
    Ale1,
    Ale2,
    Ale2Prime,
    Uniqueness,
    DeadlockFree,
    EndState
];
