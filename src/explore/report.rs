//! An exploration from its terms to its findings, for an algorithm that is known by its name.
//!
//! Invariant: a property is true only if every state was seen.

use super::frame::PackedState;
use super::model::LabModel;
use super::properties::looked_at;
use super::script::WrittenLab;
use super::search::{Exhaustion, FoundWay, Heed, Limits, SearchTally, search};
use super::tables::TimerOverflow;
use super::terms::ExploreTerms;
use super::told::WayEvent;
use crate::election::{self, Visitor};
use crate::judge::cut::is_of_cuts;
use crate::judge::is_of_quiet;
use crate::protocol::{Algorithm, Property};

/// What an exploration found.
#[derive(Clone, Debug)]
pub struct ExploreReport {
    /// The counts.
    pub tally: SearchTally,
    /// How far it went.
    pub exhaustion: Exhaustion,
    /// The most resident memory of the process so far, in bytes.
    pub resident: u64,
    /// The lab's promises, in their order, and what was found of each.
    pub rows: Vec<(Property, PropertyFound)>,
}

/// What was found of a property.
#[derive(Clone, Debug)]
pub enum PropertyFound {
    /// It holds in every state.
    True,
    /// It does not hold.
    False(Box<Counterexample>),
    /// It holds in all states that were seen, and not all were.
    Open,
    /// It is one of rest, and the horizon lies too near: it takes so many ticks without a fault.
    NoRest(u16),
    /// It is none of a single state of the lab.
    NotLookedAt,
}

/// A shortest way to a state in which a property does not hold.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// What happens, in order.
    pub story: Vec<WayEvent>,
    /// How the nodes stand then.
    pub stands: String,
    /// The tick of that.
    pub tick: u16,
    /// The way as a lab file, if the simulator shows the violation with it.
    pub written: Option<WrittenLab>,
}

/// Explores a lab on these terms. `hear` is told how far it is now and then.
///
/// # Errors
/// A machine of the lab has a timer that cannot be counted in ticks.
pub fn explore(
    terms: &ExploreTerms,
    limits: Limits,
    hear: &mut dyn FnMut(&SearchTally) -> Heed,
) -> Result<ExploreReport, TimerOverflow> {
    struct Explore<'a> {
        terms: &'a ExploreTerms,
        limits: Limits,
        hear: &'a mut dyn FnMut(&SearchTally) -> Heed,
    }
    impl Visitor for Explore<'_> {
        type Output = Result<ExploreReport, TimerOverflow>;

        fn visit<A: Algorithm>(self) -> Self::Output {
            explore_as::<A>(self.terms, self.limits, self.hear)
        }
    }
    let explored = election::visit(terms.lab.card.name, Explore { terms, limits, hear });
    explored.expect("a lab's Card is one of the table's")
}

/// The same for a machine that is in no table, under the lab's own Card.
///
/// # Errors
/// As [`explore`].
pub fn explore_as<A: Algorithm>(
    terms: &ExploreTerms,
    limits: Limits,
    hear: &mut dyn FnMut(&SearchTally) -> Heed,
) -> Result<ExploreReport, TimerOverflow> {
    let model = LabModel::<A>::new(terms.clone());
    let found = search(&model, limits, hear);
    if let Some(overflow) = model.overflow() {
        return Err(overflow);
    }
    let looked_at = looked_at(terms);
    let found_of = |property: Property| {
        let way = found.found.iter().find(|(name, _)| *name == property.name());
        match way {
            Some((_, way)) => PropertyFound::False(Box::new(counterexample(&model, property, way))),
            None if !looked_at.contains(&property) => {
                if is_of_quiet(property) && !is_of_cuts(property) && !terms.comes_to_rest() {
                    PropertyFound::NoRest(terms.quiet)
                } else {
                    PropertyFound::NotLookedAt
                }
            }
            None if found.exhaustion == Exhaustion::Exhausted => PropertyFound::True,
            None => PropertyFound::Open,
        }
    };
    let rows = terms.lab.card.promises.iter().map(|property| (*property, found_of(*property))).collect();
    Ok(ExploreReport { tally: found.tally, exhaustion: found.exhaustion, resident: found.resident, rows })
}

fn counterexample<A: Algorithm>(
    model: &LabModel<A>,
    property: Property,
    way: &FoundWay<PackedState>,
) -> Counterexample {
    let (_, last) = model.walked(way);
    Counterexample {
        story: model.story(way),
        stands: model.told_state(&last),
        tick: last.tick(),
        written: model.written(property, way),
    }
}
