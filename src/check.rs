//! The judge for somebody's own `cargo test`: an algorithm in a lab, over many seeds, in virtual time.
//!
//! Invariant: the same lab and seeds give the same answer, whatever the computer and its threads.

use std::fmt;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;

use lab::LabErrors;
use protocol::{Algorithm, AlgorithmEntry, Registry};
use record::{Body, Outcome};
use registry::BUILT_IN;
use sim::campaign::{Campaign, CampaignControl, CampaignOutcome, Case, Holes, Seeds, SeedsTextError, StepSource};
use world::Tallies;

/// Why a check failed.
#[derive(thiserror::Error)]
pub enum CheckError {
    /// The lab file is wrong; nothing was run.
    #[error("{0}")]
    Lab(LabErrors),
    /// There is no such range of seeds; nothing was run.
    #[error("{0}")]
    Seeds(SeedsTextError),
    /// With none of these seeds anything was judged.
    #[error("nothing was judged: no promise of the Card was ever due, and the lab expects nothing")]
    NothingJudged,
    /// With this seed something that the Card promises or the lab expects does not hold, or cannot be judged.
    #[error("{}", told(*.seed, *.steps, .what))]
    DoesNotHold {
        /// The lowest seed that shows it.
        seed: u64,
        /// Whether it shows in the lab's own steps, or in those that the seed draws.
        steps: StepSource,
        /// What does not hold, a sentence each.
        what: Vec<String>,
    },
}

/// As [`Display`](fmt::Display): a test that fails prints it.
impl fmt::Debug for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Simulates the lab with each of these seeds twice, with its own steps and with faults that the seed draws, and judges
/// every run by what the Card promises and the lab expects.
///
/// ```
/// # use hustings::election::bully::Bully as MyElection;
/// # const LAB: &str = include_str!("../labs/first.toml");
/// hustings::check::<MyElection>(LAB, 0..3)?;
/// # Ok::<(), hustings::CheckError>(())
/// ```
///
/// # Errors
/// The lab or the range of seeds is wrong, something does not hold, or nothing was judged.
pub fn check<A: Algorithm>(lab: &str, seeds: Range<u64>) -> Result<(), CheckError> {
    let registry = Registry { algorithms: vec![AlgorithmEntry::of::<A>()].leak(), applications: BUILT_IN.applications };
    let lab = Arc::new(lab::parse("lab", lab, registry).map_err(CheckError::Lab)?);
    let seeds: Seeds = format!("{}..{}", seeds.start, seeds.end).parse().map_err(CheckError::Seeds)?;
    let mut is_judged = !lab.expectations.is_empty();
    for steps in [StepSource::OfTheLab, StepSource::Drawn] {
        let campaign = Campaign {
            labs: vec![Arc::clone(&lab)],
            seeds,
            steps,
            holes: Holes::Mended,
            faults: None,
            dice: None,
            jobs: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
        };
        let outcome = campaign.run(&mut |progress| match progress.first_failed {
            Some(_) => CampaignControl::NoFurther,
            None => CampaignControl::On,
        });
        if let Some((case, what)) = found(&campaign, &outcome) {
            return Err(CheckError::DoesNotHold { seed: case.seed, steps, what });
        }
        let mut tallies = outcome.sums.judged.values().flat_map(Tallies::iter);
        is_judged |= tallies.any(|(_, tally)| tally.due > 0);
    }
    if is_judged { Ok(()) } else { Err(CheckError::NothingJudged) }
}

/// The first run that failed, or that cannot be judged, and what did not hold in it.
fn found(campaign: &Campaign, outcome: &CampaignOutcome) -> Option<(Case, Vec<String>)> {
    if let Some((case, defect)) = &outcome.defect {
        return Some((*case, vec![defect.to_string()]));
    }
    let case = outcome.first_failed().or(outcome.first_unknown)?;
    let mut failed = Vec::new();
    let end = sim::run(
        &campaign.plan(case),
        Box::new(|record| {
            if let Body::Verdict { outcome: Outcome::Failed, text, .. } = &record.body {
                failed.push(text.clone());
            }
        }),
    );
    failed.extend(end.run.violations);
    failed.extend(end.run.defect.or(end.run.unknown));
    Some((case, failed))
}

fn told(seed: u64, steps: StepSource, what: &[String]) -> String {
    let how = match steps {
        StepSource::OfTheLab => format!("simulate LAB --seeds {seed}..{}", seed + 1),
        StepSource::Drawn | StepSource::Liars => format!("simulate LAB --swarm --seeds {seed}..{}", seed + 1),
    };
    format!("seed {seed}, to be seen with `{how}`:\n  {}", what.join("\n  "))
}

#[cfg(test)]
mod tests {
    use fault::Mutant;
    use mutants::bully::HaltNotSent;
    use protocol::trial;

    use super::*;

    const LAB: &str = include_str!("../labs/first.toml");

    #[test]
    fn a_planted_bug_is_found_and_told_with_its_seed() {
        let Err(CheckError::DoesNotHold { seed, steps, what }) = check::<Mutant<HaltNotSent>>(LAB, 0..200) else {
            panic!("it is found");
        };
        assert!(!what.is_empty());
        let once_more = check::<Mutant<HaltNotSent>>(LAB, seed..seed + 1).unwrap_err();
        assert_eq!(once_more.to_string(), told(seed, steps, &what));
    }

    #[test]
    fn a_check_that_judges_nothing_has_failed() {
        let of_another = LAB.replace("\"bully\"", "\"ring\"");
        assert!(matches!(check::<Mutant<HaltNotSent>>(&of_another, 0..1), Err(CheckError::Lab(_))));
        assert!(matches!(check::<Mutant<HaltNotSent>>(LAB, 3..3), Err(CheckError::Seeds(_))));
        let lab = "name = \"mine\"\nabout = \"It counts.\"\nalgorithm = \"trial\"\nnodes = 3\nseed = 1\nT = \"200ms\"\n\
                   check = \"200ms\"\nsilence = \"1s\"\n";
        assert!(matches!(check::<trial::CountingAlgorithm>(lab, 0..2), Err(CheckError::NothingJudged)));
    }
}
