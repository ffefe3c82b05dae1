//! Which holes of its paper a seed leaves unmended.
//!
//! Invariant: at least one is left unmended, if the algorithm has any with these settings and its periods allow it;
//! unless this is asked for, none is, and no dice are thrown for it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::dice::Dice;
use super::drawn_setup::DrawnSetup;
use lab::Lab;
use protocol::{ERRATA, Mends, errata_of};

/// Whether a swarm's labs mend the holes of an algorithm's paper.
#[derive(Copy, Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Holes {
    /// All of them: a known hole is no discovery.
    Mended,
    /// The seed draws which ones stay unmended.
    Drawn,
}

/// The same ground with unmended holes: in half of the seeds one or two, so that it is plain which is to blame, else about
/// half of its holes. Those that belong together are mended together or not at all.
pub(super) fn leave_in(lab: &Lab, ground: DrawnSetup, dice: &mut Dice) -> DrawnSetup {
    let holes = lab.card.holes();
    let letter = Mends::of(&ground.settings.clone().with(ERRATA, errata_of(holes, |_| false)), holes);
    let places: BTreeSet<u8> = holes.iter().map(|hole| hole.place).filter(|place| !letter.has(*place)).collect();
    let places: Vec<u8> = places.into_iter().collect();
    if places.is_empty() {
        return ground;
    }
    let mut left: Vec<u8> = Vec::new();
    if dice.chance(50) {
        left.extend(places.iter().copied().filter(|_| dice.chance(50)));
    }
    if left.is_empty() {
        left.push(dice.pick(&places));
        if dice.chance(50) {
            left.push(dice.pick(&places));
        }
    }
    let settings = ground.settings.clone().with(ERRATA, errata_of(holes, |hole| !left.contains(&hole.place)));
    let holds =
        lab.card.periods.iter().all(|rule| (rule.holds)(&ground.timing, ground.roster.electors().len(), &settings));
    if holds { DrawnSetup { settings, ..ground } } else { ground }
}
