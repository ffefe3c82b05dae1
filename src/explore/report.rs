//! An exploration from its terms to its findings, for an algorithm that is known by its name.
//!
//! Invariant: a property is true only if every state was seen.

use std::num::NonZeroUsize;

use super::action::{ActionKind, LabAction};
use super::closeness::NotWritten;
use super::frame::PackedState;
use super::model::LabModel;
use super::properties::looked_at;
use super::question::ExploredClaim;
use super::script::WrittenLab;
use super::search::{FoundWay, Limits, SearchControl, SearchExtent, SearchFollower, SearchTally, WaySought, search};
use super::tables::TimerOverflow;
use super::terms::ExploreTerms;
use super::told::WayEvent;
use judge::cut::is_of_cuts;
use judge::{is_of_quiet, is_of_the_whole};
use protocol::{MachineKind, Property};

/// What an exploration found.
#[derive(Clone, Debug)]
pub struct ExploreReport {
    /// The counts.
    pub tally: SearchTally,
    /// How far it went.
    pub exhaustion: SearchExtent,
    /// The most resident memory of the process so far, in bytes.
    pub resident: u64,
    /// The lab's promises and the questions, in their order, and what was found of each.
    pub rows: Vec<(ExploredClaim, PropertyFound)>,
}

/// What was found of a property, or of a question.
#[derive(Clone, Debug)]
pub enum PropertyFound {
    /// Holds in every state.
    True,
    /// Does not hold.
    False(Box<Counterexample>),
    /// Holds in all states that were seen, and not all were.
    Open,
    /// Is one of rest, and the horizon lies too near: it takes so many ticks without a fault.
    NoRest(u16),
    /// Is one of elections, and no process holds one.
    NoElection,
    /// Is one of a whole lab, and some links are cut for ever.
    NeverWhole,
    /// Is none of a single state of the lab.
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
    /// What became of a lab file.
    pub lab: CounterexampleLab,
}

/// The lab file of a counterexample.
#[derive(Clone, Debug)]
pub enum CounterexampleLab {
    /// The simulator shows the violation with this one.
    OfThisWay(WrittenLab),
    /// No lab file shows the way, but one shows another way, which was found later.
    OfAnotherWay {
        /// Why not this way.
        why: NotWritten,
        /// The lab file of the other one.
        written: WrittenLab,
        /// How many events the other way has.
        events: usize,
        /// The tick in which it ends.
        tick: u16,
    },
    /// No lab file shows it, nor one of the ways that were tried after it.
    None {
        /// Why not this way.
        why: NotWritten,
        /// How many other ways were tried.
        others: u32,
    },
}

impl CounterexampleLab {
    /// The lab file, if there is one.
    pub fn written(&self) -> Option<&WrittenLab> {
        match self {
            CounterexampleLab::OfThisWay(written) | CounterexampleLab::OfAnotherWay { written, .. } => Some(written),
            CounterexampleLab::None { .. } => None,
        }
    }
}

/// So many ways are looked at for each property, until a lab file shows one.
const WAYS_MOST: u32 = 2_000;
/// So many of these are given to the simulator.
const SIMULATED_MOST: u32 = 16;

/// A search whose ways are written as lab files as soon as they are found.
struct Writing<'a> {
    model: &'a LabModel,
    hear: &'a mut dyn FnMut(&SearchTally) -> SearchControl,
    labs: Vec<(&'static str, CounterexampleLab)>,
    simulated: u32,
}

impl Writing<'_> {
    fn claim(&self, name: &str) -> ExploredClaim {
        let mut claims = self.model.terms.claims();
        claims.find(|(other, _)| *other == name).map(|(_, claim)| claim).expect("only claims are searched")
    }
}

impl SearchFollower<PackedState> for Writing<'_> {
    fn hear(&mut self, tally: &SearchTally) -> SearchControl {
        (self.hear)(tally)
    }

    fn find(&mut self, name: &'static str, way: &FoundWay<PackedState>) -> WaySought {
        let written = self.model.written(&self.claim(name), way);
        let Some((_, lab)) = self.labs.iter_mut().find(|(other, _)| *other == name) else {
            let (lab, sought) = match written {
                Ok(written) => (CounterexampleLab::OfThisWay(written), WaySought::Enough),
                Err(why) => (CounterexampleLab::None { why, others: 0 }, WaySought::Another),
            };
            self.labs.push((name, lab));
            self.simulated = 0;
            return sought;
        };
        let CounterexampleLab::None { why, others } = lab else { return WaySought::Enough };
        match written {
            Ok(written) => {
                let (walked, last) = self.model.walked(way);
                let is_event = |(_, action): &&(_, LabAction)| action.kind != ActionKind::NextTick;
                let events = walked.iter().filter(is_event).count();
                *lab = CounterexampleLab::OfAnotherWay { why: *why, written, events, tick: last.tick() };
                WaySought::Enough
            }
            Err(other) => {
                *others += 1;
                self.simulated += u32::from(other == NotWritten::NotShown);
                let is_over = *others >= WAYS_MOST || self.simulated >= SIMULATED_MOST;
                if is_over { WaySought::Enough } else { WaySought::Another }
            }
        }
    }
}

/// Explores a lab on these terms with so many threads. `hear` is told how far it is now and then.
///
/// # Errors
/// A machine of the lab has a timer that cannot be counted in ticks.
pub fn explore(
    terms: &ExploreTerms,
    limits: Limits,
    jobs: NonZeroUsize,
    hear: &mut dyn FnMut(&SearchTally) -> SearchControl,
) -> Result<ExploreReport, TimerOverflow> {
    let kind = terms.lab.kind();
    explore_as(kind, terms, limits, jobs, hear)
}

/// The same for a machine that is in no table, under the lab's own Card.
///
/// # Errors
/// As [`explore`].
pub fn explore_as(
    kind: MachineKind,
    terms: &ExploreTerms,
    limits: Limits,
    jobs: NonZeroUsize,
    hear: &mut dyn FnMut(&SearchTally) -> SearchControl,
) -> Result<ExploreReport, TimerOverflow> {
    let model = LabModel::new(kind, terms.clone());
    let mut writing = Writing { model: &model, hear, labs: Vec::new(), simulated: 0 };
    let found = search(&model, limits, jobs, &mut writing);
    let labs = writing.labs;
    if let Some(overflow) = model.overflow() {
        return Err(overflow);
    }
    let looked_at = looked_at(terms);
    let is_idle = model.is_idle();
    let found_of = |name: &'static str, claim: &ExploredClaim| {
        if let Some((name, way)) = found.found.iter().find(|(other, _)| *other == name) {
            let lab = labs.iter().find(|(other, _)| other == name).map(|(_, lab)| lab.clone());
            let lab = lab.expect("each way that is found is written, or it is known why not");
            return PropertyFound::False(Box::new(counterexample(&model, way, lab)));
        }
        match claim {
            ExploredClaim::Promise(property) if !looked_at.contains(property) => not_looked_at(terms, *property),
            ExploredClaim::Promise(_) if is_idle => PropertyFound::NoElection,
            _ if found.exhaustion == SearchExtent::Exhausted => PropertyFound::True,
            _ => PropertyFound::Open,
        }
    };
    let rows = terms.claims().map(|(name, claim)| {
        let found = found_of(name, &claim);
        (claim, found)
    });
    let rows = rows.collect();
    Ok(ExploreReport { tally: found.tally, exhaustion: found.exhaustion, resident: found.resident, rows })
}

/// Why a promise is not looked at.
fn not_looked_at(terms: &ExploreTerms, property: Property) -> PropertyFound {
    if terms.is_never_whole() && is_of_the_whole(property) {
        PropertyFound::NeverWhole
    } else if is_of_quiet(property) && !is_of_cuts(property) && !terms.comes_to_rest() {
        PropertyFound::NoRest(terms.quiet)
    } else {
        PropertyFound::NotLookedAt
    }
}

fn counterexample(model: &LabModel, way: &FoundWay<PackedState>, lab: CounterexampleLab) -> Counterexample {
    let (_, last) = model.walked(way);
    Counterexample { story: model.story(way), stands: model.told_state(&last), tick: last.tick(), lab }
}
