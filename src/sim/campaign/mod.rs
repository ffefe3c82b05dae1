//! Campaigns: labs over a range of seeds, on several threads.
//!
//! Each seed is played for every lab, with the lab's own steps or with those that a swarm draws for it. One run in
//! twenty is played twice, and both must give the same records.
//!
//! Invariant: the result of a campaign is a function of its labs and seeds: results are sums, which do not depend on
//! the number of threads or on which was faster, and the failed runs of the lowest seeds are named.

mod determinism;
mod holes;
mod lies;
mod part;
mod seeds;
mod shares;
#[cfg(test)]
mod tests;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::ops::AddAssign;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

pub use self::determinism::Defect;
pub use self::holes::{ByHole, ByHoles, Holes};
pub use self::lies::{LieTallies, LieTally};
pub use self::part::{CampaignPart, PartError};
pub use self::seeds::{SeedShard, SeedShardTextError, Seeds, SeedsTextError, TooFewSeeds};
pub use self::shares::{FallenShare, Shares};
use super::coverage::Coverage;
use super::swarm::SwarmShape;
use super::{
    AfterScript, FaultTally, Interrupt, Listener, MessageTransfer, NetworkKind, Plan, Recorded, SimEnd, swarm,
};
use lab::Lab;
use script::Pace;
use world::{Figures, Tallies};

/// At most this many failed runs are named.
pub const NAMED_MAX: usize = 100;
/// How often progress is reported.
const TELLS_EVERY: Duration = Duration::from_millis(100);
/// The position of a thread that has finished.
const DONE: u64 = u64::MAX;

/// Whose steps are played.
#[derive(Copy, Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepSource {
    /// The lab's own; its expectations are judged.
    OfTheLab,
    /// Those that each seed draws.
    Drawn,
    /// Liars that each seed draws, and elections.
    Liars,
}

/// Labs and seeds, and how they are played.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// The labs; at least one.
    pub labs: Vec<Arc<Lab>>,
    /// The seeds that each of them is played with.
    pub seeds: Seeds,
    /// Whose steps.
    pub steps: StepSource,
    /// Which holes are mended in steps that are drawn.
    pub holes: Holes,
    /// How often the dice of each seed of a swarm throw a fault; without it, each seed draws how often.
    pub faults: Option<u64>,
    /// The seed that fixes the dice of faults; without it they follow the seeds.
    pub dice: Option<u64>,
    /// On how many threads.
    pub jobs: NonZeroUsize,
}

/// One run: a seed of a lab. They are reported in this order.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Debug, Serialize, Deserialize)]
pub struct Case {
    pub seed: u64,
    /// The lab's place among the campaign's, from 0.
    pub lab: usize,
}

/// The progress of a campaign.
#[derive(Clone, Debug)]
pub struct Progress {
    /// How many seeds have been played with every lab.
    pub done: u64,
    /// The number of all seeds.
    pub seeds: u64,
    /// The first run that failed, as soon as every run before it is over.
    pub first_failed: Option<Case>,
}

/// Whether a campaign goes on.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum CampaignControl {
    /// To its end.
    On,
    /// Stops: runs that have begun are broken off and do not count, and the results so far are returned.
    NoFurther,
}

/// The result of a campaign.
#[derive(Clone, Debug)]
pub struct CampaignOutcome {
    /// The sums of all runs.
    pub sums: Sums,
    /// The runs that failed an expectation or a property: the first [`NAMED_MAX`] of them.
    pub failed: BTreeSet<Case>,
    /// The properties that were due too seldom in a swarm: they make it fail.
    pub fallen: Vec<FallenShare>,
    /// The first run with an unknown outcome.
    pub first_unknown: Option<Case>,
    /// A run that went wrong whatever the algorithm did: a bug of this program, and what it did. The campaign has ended
    /// there.
    pub defect: Option<(Case, Defect)>,
    /// How long it took.
    pub took: Duration,
}

/// The sums of runs.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Sums {
    /// How many runs there were.
    pub runs: u64,
    /// Of these, those that were played twice and gave the same records.
    pub twice: u64,
    /// Of these, those that failed an expectation or a property.
    pub failed: u64,
    /// Besides these, the runs that failed because of an unmended hole.
    pub by_holes: ByHoles,
    /// Of these, those with an unknown outcome.
    pub unknown: u64,
    /// Each algorithm's properties, by the algorithm's name.
    pub judged: BTreeMap<&'static str, Tallies>,
    /// How often these were due, out of all their checks, by the algorithm's name.
    pub shares: BTreeMap<&'static str, Shares>,
    /// Each kind of fault.
    pub faults: BTreeMap<String, FaultTally>,
    /// What the liars did, where liars are drawn.
    pub lies: LieTallies,
    /// The lines reached of each algorithm's listing, by the algorithm's name.
    pub coverage: BTreeMap<&'static str, Coverage>,
    /// Elections, messages and the rest.
    pub figures: Figures,
}

impl Sums {
    fn add_coverage(&mut self, algorithm: &'static str, coverage: Coverage) {
        match self.coverage.entry(algorithm) {
            Entry::Vacant(place) => drop(place.insert(coverage)),
            Entry::Occupied(mut place) => *place.get_mut() += coverage,
        }
    }
}

impl AddAssign for Sums {
    fn add_assign(&mut self, other: Sums) {
        self.runs += other.runs;
        self.twice += other.twice;
        self.failed += other.failed;
        self.unknown += other.unknown;
        holes::add(&mut self.by_holes, other.by_holes);
        for (algorithm, tallies) in other.judged {
            *self.judged.entry(algorithm).or_default() += tallies;
        }
        for (algorithm, shares) in other.shares {
            *self.shares.entry(algorithm).or_default() += shares;
        }
        for (kind, tally) in other.faults {
            *self.faults.entry(kind).or_default() += tally;
        }
        for (lie, tally) in other.lies {
            *self.lies.entry(lie).or_default() += tally;
        }
        for (algorithm, coverage) in other.coverage {
            self.add_coverage(algorithm, coverage);
        }
        self.figures += other.figures;
    }
}

/// What plays a run.
type Player<'a> = &'a (dyn Fn(&Plan, Listener<'_>) -> SimEnd + Sync);

impl CampaignOutcome {
    /// The first run that failed.
    pub fn first_failed(&self) -> Option<Case> {
        self.failed.first().copied()
    }
}

impl Campaign {
    /// Plays it. Reports progress ten times a second; the answer says whether the campaign goes on.
    pub fn run(&self, watch: &mut dyn FnMut(&Progress) -> CampaignControl) -> CampaignOutcome {
        self.run_by(&|plan, listener| super::run(plan, listener), watch)
    }

    /// The plan of a run for the simulator. Played alone it gives the same records as in the campaign.
    pub fn plan(&self, case: Case) -> Plan {
        let (lab, dice) = (&self.labs[case.lab], self.dice.unwrap_or(case.seed));
        let shape = SwarmShape { holes: self.holes, faults: self.faults };
        let (lab, after) = match self.steps {
            StepSource::OfTheLab => (Arc::clone(lab), AfterScript::End),
            StepSource::Liars => (Arc::new(swarm::draw_liars(lab, case.seed, self.holes)), AfterScript::Judgement),
            StepSource::Drawn => (Arc::new(swarm::draw_for(lab, case.seed, dice, &shape)), AfterScript::Judgement),
        };
        Plan {
            lab,
            seed: case.seed,
            dice,
            network_kind: NetworkKind::Drawn,
            moves: MessageTransfer::Typed,
            pace: Pace::Played,
            recorded: Recorded::Yes,
            after,
        }
    }

    fn run_by(&self, player: Player<'_>, watch: &mut dyn FnMut(&Progress) -> CampaignControl) -> CampaignOutcome {
        let began = Instant::now();
        let shared = CampaignThreads {
            next: AtomicU64::new(self.seeds.first()),
            places: (0..self.jobs.get()).map(|_| AtomicU64::new(self.seeds.first())).collect(),
            ends: AtomicBool::new(false),
            interrupt: Interrupt::of_thread(),
            done: AtomicU64::new(0),
            found: Mutex::default(),
        };
        let mut sums = Sums::default();
        std::thread::scope(|scope| {
            // Nothing is ever sent: the last thread to end closes it.
            let (alive, all_ended) = channel::<()>();
            let threads: Vec<_> = shared
                .places
                .iter()
                .map(|place| {
                    let (alive, shared) = (alive.clone(), &shared);
                    scope.spawn(move || {
                        let _alive = alive;
                        shared.interrupt.over(|| self.work(shared, place, player))
                    })
                })
                .collect();
            drop(alive);
            while all_ended.recv_timeout(TELLS_EVERY) == Err(RecvTimeoutError::Timeout) {
                if watch(&shared.progress(self.seeds.number())) == CampaignControl::NoFurther {
                    shared.ends.store(true, Ordering::Relaxed);
                    shared.interrupt.raise();
                }
            }
            for thread in threads {
                sums += thread.join().unwrap_or_else(|panic| resume_unwind(panic));
            }
        });
        let found = shared.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        CampaignOutcome {
            fallen: self.fallen(&sums),
            sums,
            failed: found.failed,
            first_unknown: found.unknown,
            defect: found.defect,
            took: began.elapsed(),
        }
    }

    /// One thread's work: seeds, as they are handed out, until there are no more.
    fn work(&self, shared: &CampaignThreads, place: &AtomicU64, player: Player<'_>) -> Sums {
        let mut sums = Sums::default();
        loop {
            let seed = shared.next.fetch_add(1, Ordering::Relaxed);
            if seed >= self.seeds.end() {
                break;
            }
            place.store(seed, Ordering::Release);
            for lab in 0..self.labs.len() {
                if shared.ends.load(Ordering::Relaxed) {
                    return sums;
                }
                self.play(Case { seed, lab }, shared, player, &mut sums);
            }
            shared.done.fetch_add(1, Ordering::Relaxed);
        }
        place.store(DONE, Ordering::Release);
        sums
    }

    fn play(&self, case: Case, shared: &CampaignThreads, player: Player<'_>, sums: &mut Sums) {
        let played = catch_unwind(AssertUnwindSafe(|| self.play_and_blame(case, player)));
        if shared.interrupt.is_raised() && played.is_ok() {
            // It may have been broken off.
            return;
        }
        let holes::Played { end, coverage, watch, exit_code, blamed } = match played {
            Ok(Ok(played)) => played,
            Ok(Err(what)) => return shared.note_defect(case, what),
            Err(_) => return shared.note_defect(case, Defect::Panicked),
        };
        sums.runs += 1;
        sums.twice += u64::from(case.is_played_twice());
        let algorithm = self.labs[case.lab].card.name;
        match exit_code {
            0 => {}
            5 => {
                sums.unknown += 1;
                shared.note_unknown(case);
            }
            _ if blamed.is_empty() => {
                sums.failed += 1;
                shared.note_failed(case);
            }
            _ => {
                let of = |number| ((algorithm, number), ByHole { runs: 1, first: case });
                holes::add(&mut sums.by_holes, blamed.into_iter().map(of).collect());
            }
        }
        sums.shares.entry(algorithm).or_default().add_run(&end.run.tallies);
        *sums.judged.entry(algorithm).or_default() += end.run.tallies;
        sums.add_coverage(algorithm, coverage);
        for (kind, tally) in end.faults {
            *sums.faults.entry(kind).or_default() += tally;
        }
        sums.figures += end.run.figures;
        if self.steps == StepSource::Liars {
            for (lie, tally) in self.tally_lies(case, watch, player) {
                *sums.lies.entry(lie).or_default() += tally;
            }
        }
    }
}

/// The data shared by the threads of a campaign.
struct CampaignThreads {
    next: AtomicU64,
    /// The seed that each thread is at.
    places: Vec<AtomicU64>,
    ends: AtomicBool,
    /// Raised when runs that have begun are to end too.
    interrupt: Interrupt,
    done: AtomicU64,
    found: Mutex<FoundCases>,
}

/// The cases found: the lowest of each kind.
#[derive(Default)]
struct FoundCases {
    failed: BTreeSet<Case>,
    unknown: Option<Case>,
    defect: Option<(Case, Defect)>,
}

impl CampaignThreads {
    fn progress(&self, seeds: u64) -> Progress {
        // Read before the findings: a thread that has passed a seed by then has reported what it found there.
        let passed = self.places.iter().map(|place| place.load(Ordering::Acquire)).min().unwrap_or(DONE);
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        Progress {
            done: self.done.load(Ordering::Relaxed),
            seeds,
            first_failed: found.failed.first().copied().filter(|case| case.seed < passed),
        }
    }

    fn note_failed(&self, case: Case) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.failed.insert(case);
        if found.failed.len() > NAMED_MAX {
            found.failed.pop_last();
        }
    }

    fn note_unknown(&self, case: Case) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.unknown = Some(found.unknown.map_or(case, |lowest| lowest.min(case)));
    }

    fn note_defect(&self, case: Case, what: Defect) {
        self.ends.store(true, Ordering::Relaxed);
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if found.defect.as_ref().is_none_or(|(lowest, _)| case < *lowest) {
            found.defect = Some((case, what));
        }
    }
}
