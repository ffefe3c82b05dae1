//! A screen that shows two sessions side by side.
//!
//! Invariant: each of the two knows which of them it is, and only the one in front has the other one.

use std::sync::Arc;

use super::beside::{Beside, PairSide, ToldDifference};
use super::model::Model;

impl Model {
    /// These two sessions side by side, the first one in front.
    pub fn beside(one: Model, other: Model, told: ToldDifference) -> Model {
        let side = |letter, place| Some(PairSide { letter, place, parts_at: None });
        let (mut one, mut other) = (one, other);
        (one.side, other.side) = (side('A', 0), side('B', 1));
        let (size, followed) = (one.size, one.scene.at);
        one.beside = Some(Box::new(Beside { other, told: Arc::new(told), size, followed }));
        one
    }

    /// The size of the terminal, of which this screen may have one half.
    pub fn whole_size(&self) -> (u16, u16) {
        self.beside.as_ref().map_or(self.size, |beside| beside.size)
    }

    /// Its place among two sessions side by side.
    pub fn place_in_pair(&self) -> usize {
        self.side.map_or(0, |side| side.place)
    }
}
