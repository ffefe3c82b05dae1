//! How often each property is due, out of all its checks: a measure for a swarm.
//!
//! A bug may break nothing and still keep its algorithm from being judged: its effects have an excuse, or quiet never
//! lasts. So this table has a share for each algorithm's property, in percent: the due checks out of all checks of the
//! property in a run, averaged over the runs (so one run with thousands of excused checks counts no more than another).
//! A swarm fails if a share falls under half of the number in the table.
//!
//! The numbers are measured over all labs of the house by `scripts/swarm-shares.sh`, which prints this table.
//!
//! Invariant: a share is judged only if enough runs have one.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use protocol::Property;
use world::{Tallies, Tally};

/// An algorithm, a property that it promises, and the share of its checks that are due.
type ShareRow = (&'static str, Property, u8);

/// The shares that should hold.
const SHARES: &[ShareRow] = &[
    ("async-bully", Property::GroupNumbers, 100),
    ("async-bully", Property::Ale1, 100),
    ("async-bully", Property::Ale2, 69),
    ("async-bully", Property::Ale2Prime, 69),
    ("bully", Property::Assertion1, 97),
    ("bully", Property::Assertion2, 65),
    ("bully-fd", Property::Sle1, 92),
    ("bully-fd", Property::Sle2, 72),
    ("invitation", Property::Assertion3, 100),
    ("invitation", Property::Assertion4, 58),
    ("invitation", Property::GroupNumbers, 100),
    ("invitation", Property::Ale1, 100),
    ("invitation", Property::Ale2Prime, 59),
    ("king-ni-5-3", Property::Uniqueness, 72),
    ("king-ni-5-3", Property::Largest, 100),
    ("king-ni-5-3", Property::DeadlockFreeMalicious, 72),
    ("king-ni-a", Property::Uniqueness, 61),
    ("king-ni-a", Property::Largest, 100),
    ("king-ni-a", Property::DeadlockFree, 62),
    ("king-ni-b1", Property::Uniqueness, 73),
    ("king-ni-b1", Property::Largest, 100),
    ("king-ni-b1", Property::DeadlockFree, 75),
    ("king-ni-b2", Property::Uniqueness, 73),
    ("king-ni-b2", Property::Largest, 100),
    ("king-ni-b2", Property::DeadlockFreeMalicious, 73),
    ("king-ni-c", Property::Uniqueness, 77),
    ("king-ni-c", Property::Largest, 100),
    ("king-ni-c", Property::DeadlockFree, 77),
    ("raft", Property::ElectionSafety, 100),
    ("raft", Property::SteadyLeader, 61),
    ("ring", Property::EndState, 66),
    ("textbook-bully", Property::EndState, 72),
];

/// With fewer runs a share says nothing.
const RUNS_MIN: u64 = 200;

/// The shares of an algorithm's properties so far.
#[derive(Clone, Default, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct Shares(BTreeMap<Property, Share>);

/// The share of one property.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug, Serialize, Deserialize)]
struct Share {
    /// Runs in which it was looked at.
    runs: u64,
    /// The shares together, in thousandths.
    thousandths: u64,
}

/// A share that has fallen under half of the number in the table.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct FallenShare {
    pub algorithm: &'static str,
    pub property: Property,
    /// The share of its checks that were due, in percent.
    pub share: u64,
    /// The share that stands in the table.
    pub stands: u8,
}

impl Shares {
    /// Takes in the outcome of a run.
    pub fn add_run(&mut self, tallies: &Tallies) {
        for (property, Tally { due, excused, unpromised, unknown, .. }) in tallies.iter() {
            let looked = due + excused + unpromised + unknown;
            if let Some(thousandths) = (1_000 * due).checked_div(looked) {
                let share = self.0.entry(property).or_default();
                share.runs += 1;
                share.thousandths += thousandths;
            }
        }
    }

    /// The property's share in percent, if enough runs have one.
    fn percent(&self, property: Property) -> Option<u64> {
        let Share { runs, thousandths } = self.0.get(&property).copied().unwrap_or_default();
        (runs >= RUNS_MIN).then(|| (thousandths / runs + 5) / 10)
    }
}

impl AddAssign for Shares {
    fn add_assign(&mut self, other: Shares) {
        for (property, share) in other.0 {
            let sum = self.0.entry(property).or_default();
            sum.runs += share.runs;
            sum.thousandths += share.thousandths;
        }
    }
}

impl fmt::Display for FallenShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FallenShare { algorithm, property, share, stands } = self;
        write!(f, "{algorithm}: {property} was due in {share} % of its checks, but it should be due in {stands} %")
    }
}

/// The shares that have fallen under half of the number in the table.
pub(super) fn fallen(shares: &BTreeMap<&'static str, Shares>) -> Vec<FallenShare> {
    let fallen = |&(algorithm, property, stands): &ShareRow| {
        let share = shares.get(algorithm)?.percent(property)?;
        (2 * share < u64::from(stands)).then_some(FallenShare { algorithm, property, share, stands })
    };
    SHARES.iter().filter_map(fallen).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::num::NonZeroUsize;
    use std::path::Path;
    use std::sync::Arc;

    use super::*;
    use crate::campaign::{Campaign, CampaignControl, Holes, StepSource};
    use lab::{Lab, parse};
    use registry::BUILT_IN;

    fn labs() -> Vec<Arc<Lab>> {
        let directory = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("labs");
        let mut paths: Vec<_> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
        // Labs that are measured on real processes have a folder of their own.
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
        paths.sort();
        let lab = |path| Arc::new(parse("a lab", &fs::read_to_string(path).unwrap(), BUILT_IN).unwrap());
        paths.into_iter().map(lab).collect()
    }

    #[test]
    #[ignore = "it measures the table anew, which takes minutes: scripts/swarm-shares.sh"]
    fn print_the_table() {
        let jobs = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let seeds = "0..300".parse().unwrap();
        let campaign = Campaign {
            labs: labs(),
            seeds,
            steps: StepSource::Drawn,
            holes: Holes::Mended,
            faults: None,
            dice: None,
            jobs,
        };
        let sums = campaign.run(&mut |_| CampaignControl::On).sums;
        for (algorithm, shares) in &sums.shares {
            for property in shares.0.keys() {
                let percent = shares.percent(*property).expect("every property is looked at in many runs");
                println!("    (\"{algorithm}\", Property::{property:?}, {percent}),");
            }
        }
    }

    #[test]
    fn every_property_stands_in_the_table_once() {
        let rows: Vec<(&str, Property)> =
            SHARES.iter().map(|(algorithm, property, _)| (*algorithm, *property)).collect();
        let promised = BUILT_IN.cards().flat_map(|card| card.promises.iter().map(|property| (card.name, *property)));
        let mut promised: Vec<(&str, Property)> = promised.collect();
        promised.sort_unstable();
        assert_eq!(rows, promised);
        assert!(SHARES.iter().all(|(.., stands)| (10..=100).contains(stands)));
    }

    /// A run in which this was all that was looked at.
    fn tallies(property: Property, tally: Tally) -> Tallies {
        let tallies = serde_json::to_value(BTreeMap::from([(property, tally)])).unwrap();
        serde_json::from_value(tallies).unwrap()
    }

    /// The shares after this many runs, each with this many due checks in a hundred.
    fn shares(runs: u64, due: u64) -> BTreeMap<&'static str, Shares> {
        let (algorithm, property, _) = SHARES[0];
        let tallies = tallies(property, Tally { due, held: due, excused: 100 - due, ..Tally::default() });
        let mut shares = Shares::default();
        (0..runs).for_each(|_| shares.add_run(&tallies));
        [(algorithm, shares)].into()
    }

    #[test]
    fn a_share_under_half_has_fallen() {
        let (algorithm, property, stands) = SHARES[0];
        let half = u64::from(stands) / 2;
        assert_eq!(fallen(&shares(RUNS_MIN, half + 1)), []);
        let share = half - 1;
        assert_eq!(fallen(&shares(RUNS_MIN, share)), [FallenShare { algorithm, property, share, stands }]);
        assert_eq!(fallen(&shares(RUNS_MIN - 1, share)), []);
        assert_eq!(fallen(&BTreeMap::new()), []);
    }

    #[test]
    fn each_run_weighs_the_same() {
        let (algorithm, property, _) = SHARES[0];
        let mut sum = shares(300, 100).remove(algorithm).unwrap();
        let excused = tallies(property, Tally { excused: 1_000_000, ..Tally::default() });
        (0..100).for_each(|_| sum.add_run(&excused));
        // Nothing was looked at in this one.
        sum.add_run(&Tallies::of(&[property]));
        assert_eq!(sum.percent(property), Some(75));
        let mut both = sum.clone();
        both += sum.clone();
        assert_eq!(both.percent(property), sum.percent(property));
    }
}
