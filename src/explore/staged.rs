//! What a search asks of a model: its stages, and the states that follow from one.
//!
//! Invariant: no action leads to a lower stage; what follows from a state is the same whoever asks, and when.

use stateright::Model;

/// A model whose states have stages.
pub trait Staged: Model {
    /// The stage of a state; no action leads to a lower one.
    fn stage(&self, _: &Self::State) -> u32 {
        0
    }

    /// Adds the states that follow this one within the boundary, each with the place of its action. What a model has to
    /// learn for that, it learns in the order in which states are asked for.
    fn follow(&self, state: &Self::State, next: &mut Vec<(u16, Self::State)>) {
        let mut actions = Vec::new();
        self.actions(state, &mut actions);
        for (place, action) in actions.into_iter().enumerate() {
            let Some(following) = self.next_state(state, action) else { continue };
            if self.within_boundary(&following) {
                next.push((u16::try_from(place).expect("a state has few actions"), following));
            }
        }
    }

    /// The same without learning anything, so that several threads may ask at once. Returns whether all was known; else
    /// nothing that was added counts.
    fn follow_known(&self, state: &Self::State, next: &mut Vec<(u16, Self::State)>) -> bool {
        self.follow(state, next);
        true
    }
}
