//! The criterion function of King, Gendreau and Ni 1988, section 2, as a lab chooses it: how a process gets its
//! capacity.
//!
//! Invariant: an algorithm has a criterion exactly if its Card lists [`CRITERION`]; its Card then lists [`CAPACITIES`]
//! too.

use super::{SettingCard, SettingKind, Settings};

/// The setting that names the criterion.
pub const CRITERION: SettingCard = SettingCard {
    name: "criterion",
    kind: SettingKind::Word(Criterion::WORDS),
    about: "What a capacity is: the id; a number from `capacities`; a random number at each request; how idle the \
            process is (real processes only); or how long ago the process last won. The largest capacity is elected; \
            of equal capacities, the larger id.",
};

/// The setting that gives the numbers of [`Criterion::Fixed`].
pub const CAPACITIES: SettingCard = SettingCard {
    name: "capacities",
    kind: SettingKind::Numbers,
    about: "With criterion = \"fixed\": the capacity of each node, from node 1 on.",
};

crate::worded! {
    /// A criterion. The first one is what a lab has that names none.
    #[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
    pub enum Criterion {
        /// The id.
        Id = "id",
        /// A number for each node, which the lab gives.
        Fixed = "fixed",
        /// A random number each time it is asked for.
        Random = "random",
        /// How idle the process is: the less it computes, the larger.
        Load = "load",
        /// The time since it was elected last: the longer, the larger.
        LastWin = "last-win",
    }
}

impl Criterion {
    /// The criterion that these settings choose; `None` if the algorithm has none.
    pub fn of(settings: &Settings) -> Option<Criterion> {
        let (_, chosen) = settings.words().find(|(name, _)| *name == CRITERION.name)?;
        Criterion::named(chosen)
    }

    /// Whether it is measured, so only real processes have it.
    pub fn is_measured(self) -> bool {
        self == Criterion::Load
    }

    /// Whether another run of the same lab may give a process another capacity at the same input.
    pub fn is_by_chance(self) -> bool {
        matches!(self, Criterion::Random | Criterion::Load)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NodeSet, SettingValue};

    #[test]
    fn the_first_criterion_is_the_default() {
        let settings = Settings::defaults(&[CRITERION, CAPACITIES], NodeSet::EMPTY);
        assert_eq!(Criterion::of(&settings), Some(Criterion::Id));
        for criterion in Criterion::ALL {
            let word = SettingValue::Word(criterion.word().into());
            assert_eq!(Criterion::of(&settings.clone().with("criterion", word)), Some(criterion));
        }
        assert_eq!(Criterion::of(&Settings::default()), None);
    }
}
