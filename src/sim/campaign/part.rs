//! The result of a part of a campaign, as it is written, and the whole that such parts make.
//!
//! Invariant: parts that hold each seed once make the result of the campaign over all of them, whatever their order; only
//! how long it took is not known then.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{
    ByHole, Campaign, CampaignOutcome, Case, Coverage, FaultTally, LieTallies, NAMED_MAX, Shares, Sums, holes,
};
use protocol::Registry;
use world::{Figures, Tallies};

/// The result of a part of a campaign.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CampaignPart {
    runs: u64,
    twice: u64,
    failed: u64,
    unknown: u64,
    failed_cases: BTreeSet<Case>,
    first_unknown: Option<Case>,
    by_holes: Vec<PartHole>,
    /// By the algorithm's name, as what follows.
    judged: BTreeMap<String, Tallies>,
    shares: BTreeMap<String, Shares>,
    coverage: BTreeMap<String, PartCoverage>,
    faults: BTreeMap<String, FaultTally>,
    lies: LieTallies,
    figures: Figures,
}

/// The runs that failed because of a hole.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct PartHole {
    algorithm: String,
    number: String,
    runs: u64,
    first: Case,
}

/// The counts of a listing.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct PartCoverage {
    cited: Vec<u64>,
    cells: Vec<u64>,
}

/// A part does not suit this program.
#[derive(Clone, Eq, PartialEq, Debug, thiserror::Error)]
pub enum PartError {
    /// Names an algorithm that this program does not have.
    #[error("it names the algorithm {0}, which this program does not have; merge it with the program that made it")]
    Algorithm(String),
    /// Counts another listing than this program's.
    #[error("its counts do not fit the listing of {0}; merge it with the program that made it")]
    Listing(String),
}

impl CampaignPart {
    /// The result of a campaign that came to its end.
    pub fn of(outcome: &CampaignOutcome) -> CampaignPart {
        let sums = &outcome.sums;
        let coverage = |(name, coverage): (&&str, &Coverage)| {
            let (cited, cells) = coverage.counts();
            ((*name).to_owned(), PartCoverage { cited: cited.to_vec(), cells: cells.to_vec() })
        };
        let by_hole = |(&(algorithm, number), &ByHole { runs, first }): (&(&str, &str), &ByHole)| PartHole {
            algorithm: algorithm.to_owned(),
            number: number.to_owned(),
            runs,
            first,
        };
        CampaignPart {
            runs: sums.runs,
            twice: sums.twice,
            failed: sums.failed,
            unknown: sums.unknown,
            failed_cases: outcome.failed.clone(),
            first_unknown: outcome.first_unknown,
            by_holes: sums.by_holes.iter().map(by_hole).collect(),
            judged: sums.judged.iter().map(|(name, tallies)| ((*name).to_owned(), tallies.clone())).collect(),
            shares: sums.shares.iter().map(|(name, shares)| ((*name).to_owned(), shares.clone())).collect(),
            coverage: sums.coverage.iter().map(coverage).collect(),
            faults: sums.faults.clone(),
            lies: sums.lies.clone(),
            figures: sums.figures,
        }
    }

    fn sums(&self, registry: Registry) -> Result<Sums, PartError> {
        let card = |name: &str| registry.card(name).ok_or_else(|| PartError::Algorithm(name.to_owned()));
        let mut sums = Sums {
            runs: self.runs,
            twice: self.twice,
            failed: self.failed,
            unknown: self.unknown,
            faults: self.faults.clone(),
            lies: self.lies.clone(),
            figures: self.figures,
            ..Sums::default()
        };
        for PartHole { algorithm, number, runs, first } in &self.by_holes {
            let card = card(algorithm)?;
            let number = card.holes().iter().map(|hole| hole.number).chain([holes::SEVERAL]).find(|of| of == number);
            let number = number.ok_or_else(|| PartError::Listing(algorithm.clone()))?;
            sums.by_holes.insert((card.name, number), ByHole { runs: *runs, first: *first });
        }
        for (name, tallies) in &self.judged {
            sums.judged.insert(card(name)?.name, tallies.clone());
        }
        for (name, shares) in &self.shares {
            sums.shares.insert(card(name)?.name, shares.clone());
        }
        for (name, PartCoverage { cited, cells }) in &self.coverage {
            let card = card(name)?;
            let coverage = Coverage::of_counts(card, cited.clone(), cells.clone());
            sums.coverage.insert(card.name, coverage.ok_or_else(|| PartError::Listing(name.clone()))?);
        }
        Ok(sums)
    }
}

impl Campaign {
    /// The result that these parts of it make.
    ///
    /// # Errors
    /// A part does not suit this program.
    pub fn merged(&self, parts: &[CampaignPart]) -> Result<CampaignOutcome, PartError> {
        let registry = self.labs[0].registry;
        let mut sums = Sums::default();
        for part in parts {
            sums += part.sums(registry)?;
        }
        let failed = parts.iter().flat_map(|part| part.failed_cases.iter().copied());
        let failed: BTreeSet<Case> = failed.collect();
        Ok(CampaignOutcome {
            fallen: self.fallen(&sums),
            sums,
            failed: failed.into_iter().take(NAMED_MAX).collect(),
            first_unknown: parts.iter().filter_map(|part| part.first_unknown).min(),
            defect: None,
            took: Duration::ZERO,
        })
    }
}
