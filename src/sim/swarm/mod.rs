//! Swarms: a seed draws its own ground and its own mix of faults for a lab, and the result is a lab like any other.
//!
//! Swarm testing (Groce, Zhang, Eide, Chen and Regehr 2012): a run that does everything does nothing for long enough.
//! So each seed leaves some kinds of faults out. Some have crashes only, some no fault that breaks an assumption of the
//! algorithm, some no fault at all; some end their faults, some leave them all to the end; some put everything into one
//! election, some wait until all agree again. Most end with `heal all`; some leave dead nodes dead, or leave everything
//! as it is. Some seeds aim further faults after those of the dice: see [`steer`]; and some aim a return at an election
//! that comes to nothing: see [`returns`].
//!
//! Only the algorithm of the lab is kept, in half of the seeds also its nodes, periods and settings, and never its
//! steps and expectations: see [`ground`].
//!
//! Invariant: the result is a function of the lab, the seed and the seed of the dice, which are the same unless a
//! person sets them apart. Its text is a lab file that reads back the same.

mod dice;
mod drawn_line;
mod drawn_lines;
mod drawn_setup;
mod fault_targeting;
mod holes;
mod liars;
mod return_faults;
mod schedule;
mod seed_lines;
mod seed_traits;
#[cfg(test)]
mod tests;

use self::dice::Dice;
use self::drawn_setup::DrawnSetup;
use self::fault_targeting::{DrawnRun, FaultAim};
pub use self::holes::Holes;
pub use self::liars::{draw_liars, without_liars};
use self::return_faults::ReturnAim;
use self::schedule::Drawing;
use self::seed_lines::SeedLines;
use self::seed_traits::SeedTraits;
use lab::{LIMIT_DEFAULT, Lab};
use protocol::Span;

/// Of a hundred seeds that throw faults, so many aim a return at an election that comes to nothing.
const RETURNS: u64 = 20;

/// The lab that this seed makes of a lab, all holes mended.
pub fn draw(lab: &Lab, seed: u64) -> Lab {
    draw_for(lab, seed, seed, &SwarmShape::default())
}

/// What all seeds of a swarm have in common.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct SwarmShape {
    /// Which holes are mended.
    pub holes: Holes,
    /// How often the dice throw a fault; without it, each seed draws how often.
    pub faults: Option<u64>,
}

impl Default for SwarmShape {
    fn default() -> SwarmShape {
        SwarmShape { holes: Holes::Mended, faults: None }
    }
}

/// The same for a run whose dice of faults have a fixed seed of their own: aiming follows that run.
pub fn draw_for(lab: &Lab, seed: u64, thrown: u64, shape: &SwarmShape) -> Lab {
    let mut dice = Dice::new(lab, seed);
    let ground = DrawnSetup::drawn(lab, &mut dice);
    let DrawnSetup { roster, settings, timing } = match shape.holes {
        Holes::Mended => ground,
        Holes::Drawn => holes::leave_in(lab, ground, &mut dice),
    };
    let mut drawn = Lab {
        name: format!("{}-swarm-{seed}", lab.name),
        about: format!("What seed {seed} of a swarm does to \"{}\".", lab.name),
        source: None,
        registry: lab.registry,
        card: lab.card,
        roster,
        seed,
        timing,
        settings,
        steps: Vec::new(),
        expectations: Vec::new(),
        limit: LIMIT_DEFAULT,
        text: String::new(),
    };
    let traits = SeedTraits::drawn(&drawn, &mut dice);
    let traits = shape.faults.map_or(traits.clone(), |faults| traits.with_faults(&drawn, faults));
    let mut dice_of_returns = Dice::of_returns(lab, seed);
    let returns = traits.faults > 0 && dice_of_returns.chance(RETURNS);
    let room = if returns { return_faults::room(&drawn) } else { Span::ZERO };
    let story = SeedLines::new(roster.all());
    let story = Drawing { lab: &drawn, traits: &traits, dice: &mut dice, story, room }.finished();
    let mut plot = story.into_plot();
    let playing = DrawnRun { lab: &drawn, thrown };
    // First, because a moment at which a fault is aimed comes only in the run in which it was seen.
    if returns {
        ReturnAim { playing, plot: &mut plot, dice: &mut dice_of_returns }.aim();
    }
    FaultAim { playing, plot: &mut plot, dice: &mut dice }.aim(traits.aims);
    drawn.steps = plot.steps();
    drawn.text = drawn.written();
    drawn
}
