//! `hustings simulate LAB… --seeds A..B`: labs in virtual time over many seeds, with their own steps or with a swarm's.
//!
//! Invariant: stdout holds only the table, once, at the end; progress and failures go to stderr.

mod merged;
mod table;
mod teller;

pub use self::merged::show as show_merged;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use self::table::{Table, Timed};
use self::teller::Teller;
use super::bar::ProgressBar;
use super::columns::counted;
use super::output::remark;
use super::run::{Time, VerdictForm};
use super::signals::Signals;
use super::{candidates, code, config, jobs, lab_files, parts};
use record::{MadeBy, Recording, Retention};
use sim::campaign::{
    Campaign, CampaignControl, CampaignOutcome, CampaignPart, Holes, NAMED_MAX, Progress, SeedShard, Seeds, StepSource,
};

/// What `simulate` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Lab files, or names of labs that `labs` lists; each is played with every seed
    #[arg(required = true, value_name = "LAB", add = candidates::lab())]
    labs: Vec<PathBuf>,
    /// The seeds: the first, and one past the last, such as 0..1000
    #[arg(long, value_name = "A..B")]
    seeds: Seeds,
    /// The number of threads; without it, one for each processor
    #[arg(long, value_name = "N", value_parser = jobs::parse)]
    jobs: Option<NonZeroUsize>,
    /// Leave out the labs' steps and expectations: each seed draws its own faults, and half of the seeds also draw
    /// nodes, periods and settings
    #[arg(long, group = "draws")]
    swarm: bool,
    /// Leave out the labs' steps and expectations: each seed draws up to t liars, which tell each lie and each pair of
    /// lies in turn, and begins elections
    #[arg(long, group = "draws", conflicts_with = "dice")]
    liars: bool,
    /// With --swarm or --liars: each seed leaves some holes of the algorithm's paper unmended; failures that a
    /// hole causes are counted apart
    #[arg(long, requires = "draws")]
    holes: bool,
    /// With --swarm: how often the dice of each seed throw a fault, from 1 to 200. Lines that end faults, and aimed
    /// ones, come besides, and a throw that finds nothing left to break orders nothing. Without it, each seed draws
    /// how often, and that is a few times
    #[arg(long, value_name = "N", requires = "swarm", value_parser = clap::value_parser!(u64).range(1..=200))]
    faults: Option<u64>,
    /// Use this seed for the dice of all faults; the seeds still draw delays and starts. Without it, each seed
    /// has its own dice
    #[arg(long, value_name = "SEED")]
    dice: Option<u64>,
    /// Play one shard of the seeds, such as 1/8 for the first of eight, and print a part for `hustings merge` in place
    /// of the table
    #[arg(long, value_name = "I/N", conflicts_with = "json")]
    shard: Option<SeedShard>,
    /// The table as one JSON object a line
    #[arg(long)]
    json: bool,
    /// Record one session to this new file: of the first run that fails, or, if none fails, of the first that
    /// cannot be judged. Without it, the session goes to a new file in $XDG_STATE_HOME/hustings or
    /// ~/.local/state/hustings, where the newest 100 sessions of `run` and `simulate` are kept, and at most 1 GiB
    #[arg(long, value_name = "FILE", conflicts_with = "no_record")]
    record: Option<PathBuf>,
    /// Record no session
    #[arg(long)]
    no_record: bool,
    /// Keep the sessions of the first 100 failed runs in this directory, named by lab and seed; with --holes also that
    /// of the first run that each hole made fail
    #[arg(long, value_name = "DIR", conflicts_with_all = ["record", "no_record"])]
    keep: Option<PathBuf>,
}

// The help of `--keep` and of `--record` says these numbers.
const _: () = assert!(NAMED_MAX == 100 && Retention::DEFAULT.sessions == 100 && Retention::DEFAULT.bytes == 1 << 30);

/// Plays the campaign, if every lab file is correct.
pub fn main(arguments: Arguments) -> u8 {
    let labs = match lab_files::parse_all(Time::Virtual, &arguments.labs) {
        Ok(labs) => labs,
        Err(code) => return code,
    };
    let seeds = match parts::seeds_of(arguments.seeds, arguments.shard) {
        Ok(seeds) => seeds,
        Err(code) => return code,
    };
    let signals = match Signals::listen() {
        Ok(signals) => signals,
        Err(code) => return code,
    };
    let jobs = jobs::or_all(arguments.jobs);
    let campaign = Campaign {
        labs: labs.into_iter().map(Arc::new).collect(),
        seeds,
        steps: match (arguments.swarm, arguments.liars) {
            (true, _) => StepSource::Drawn,
            (false, true) => StepSource::Liars,
            (false, false) => StepSource::OfTheLab,
        },
        holes: if arguments.holes { Holes::Drawn } else { Holes::Mended },
        faults: arguments.faults,
        dice: arguments.dice,
        jobs,
    };
    let (recording, keep) = (recording(&arguments), arguments.keep.as_deref());
    let teller = Teller {
        campaign: &campaign,
        files: &arguments.labs,
        recording,
        kept: config::load_and_tell().retention(),
        keep,
    };
    remark(format!("{}, on {}", table::asked(&campaign), counted(jobs.get() as u64, "thread")));
    let mut bar = ProgressBar::new();
    let mut first = None;
    let mut watch = |progress: &Progress| {
        if let (None, Some(case)) = (&first, progress.first_failed) {
            bar.clear();
            first = Some(signals.interrupt.over(|| teller.tell("failed", case)));
        }
        bar.show(progress);
        if signals.has_come() { CampaignControl::NoFurther } else { CampaignControl::On }
    };
    let outcome = signals.interrupt.over(|| campaign.run(&mut watch));
    bar.clear();
    if let Some(signal) = signals.came() {
        remark(format!("signal {signal} told it to end: runs that had begun are broken off, and do not count"));
    }
    // Of the runs that cannot be judged one is reported, unless a run has failed.
    let first = first.or_else(|| outcome.first_failed().map(|case| teller.tell("failed", case))).or_else(|| {
        outcome.first_unknown.filter(|_| !signals.has_come()).map(|case| teller.tell("cannot be judged", case))
    });
    let of_hole = outcome.first_by_hole().filter(|_| first.is_none());
    let of_hole = of_hole.map(|case| teller.tell("failed because of a hole that was left unmended", case));
    if let Some((case, what)) = &outcome.defect {
        remark(format!(
            "{}: {what}; this is a bug of hustings, and `{}` shows it",
            teller.named(*case),
            teller.command(*case)
        ));
    }
    if let (None, None, Some(path)) = (&first, &of_hole, &arguments.record) {
        remark(format!("no run failed, so nothing was recorded to {}", path.display()));
    }
    let kept = teller.keep_others(&outcome, first.as_ref().or(of_hole.as_ref()));
    let exit_code = exit_code(&outcome, signals.came());
    if let Some(shard) = arguments.shard {
        if outcome.defect.is_some() || signals.has_come() {
            remark("broken off: no part is printed");
        } else {
            parts::print(merged::asked(&campaign, &arguments.labs), arguments.seeds, shard, CampaignPart::of(&outcome));
        }
        return exit_code;
    }
    let by_holes = teller.by_holes(&outcome);
    let table = Table {
        by_holes,
        campaign: &campaign,
        outcome: &outcome,
        first: first.as_ref(),
        kept,
        code: exit_code,
        timed: Timed::Took,
    };
    table.print(if arguments.json { VerdictForm::Json } else { VerdictForm::Text });
    exit_code
}

fn recording(arguments: &Arguments) -> Recording {
    match (&arguments.record, arguments.no_record) {
        (Some(path), _) => Recording::To(path.clone()),
        (None, true) => Recording::Off,
        (None, false) => Recording::Default(MadeBy::Simulate),
    }
}

/// A bug of ours counts more than anything that it may have spoiled; a signal counts more than the run that it
/// interrupted.
fn exit_code(outcome: &CampaignOutcome, signal: Option<i32>) -> u8 {
    match (&outcome.defect, signal) {
        (Some(_), _) => code::BUG,
        (None, Some(signal)) => code::signal(signal),
        (None, None) if !outcome.failed.is_empty() || !outcome.fallen.is_empty() => code::VIOLATED,
        (None, None) if outcome.first_unknown.is_some() => code::UNKNOWN,
        (None, None) => code::MET,
    }
}
