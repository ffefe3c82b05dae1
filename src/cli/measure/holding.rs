//! Holds labs on real processes for a measurement, one after the other, with a bar.
//!
//! Invariant: if a signal ends one, no other one begins, and nothing of them is shown.

use super::super::bar::ProgressBar;
use super::super::code;
use super::super::output::remark;
use host::{EndsBy, HostError, LabEnd, LabNews, LabOwner, RunPlan};
use lab::Lab;
use measure::RealProgress;
use record::{Record, Recording};
use script::Pace;
use sim::campaign::{CampaignControl, Progress};

/// Holds a lab of each of these points with each of this many seeds.
///
/// # Errors
/// One did not start, or a signal came; stderr has the reason, and this is the exit code.
pub fn hold_real(
    seeds: u32,
    points: &[usize],
    hold: &mut dyn FnMut(usize, u64) -> Result<RealProgress, HostError>,
) -> Result<(), u8> {
    let all = u64::from(seeds) * points.len() as u64;
    let mut bar = ProgressBar::new();
    for seed in 0..seeds {
        for (done, &point) in points.iter().enumerate() {
            let done = u64::from(seed) * points.len() as u64 + done as u64;
            bar.show(&Progress { done, seeds: all, first_failed: None });
            let held = hold(point, seed.into()).inspect_err(|error| {
                bar.clear();
                remark(code::why_not_started(error));
            });
            if let RealProgress::Signalled(signal) = held.map_err(|error| code::not_started(&error))? {
                bar.clear();
                remark("broken off: nothing real is shown");
                return Err(code::signal(signal));
            }
        }
    }
    bar.clear();
    Ok(())
}

/// Runs a lab on real processes, without recording it, until its script is finished, or until `take`, which is given
/// each record, wants no further one.
///
/// # Errors
/// The lab did not start.
pub fn play(lab: Lab, take: &mut dyn FnMut(&Record) -> CampaignControl) -> Result<RealProgress, HostError> {
    let (ours, lifeline) = std::io::pipe()?;
    let mut lifeline = Some(lifeline);
    let plan = RunPlan {
        lab,
        group: None,
        store: None,
        recording: Recording::Off,
        pace: Pace::Played,
        ends_by: EndsBy::Script,
        lifeline: LabOwner::Pipe(ours.into()),
    };
    let end = host::run(plan, &mut |news| {
        if let LabNews::Record(record) = news
            && lifeline.is_some()
            && take(record) == CampaignControl::NoFurther
        {
            lifeline = None;
        }
    })?;
    Ok(match end.signal {
        Some(signal) => RealProgress::Signalled(signal),
        None if is_disturbed(&end) => RealProgress::LeftOut,
        None => RealProgress::Counts,
    })
}

/// Whether this computer broke an assumption that the algorithm needs, or kept records from being read.
fn is_disturbed(end: &LabEnd) -> bool {
    let was_late = end.run.assumptions.iter().any(|assumption| assumption.is_needed && assumption.by_machine > 0);
    was_late || end.hindrance.is_some() || end.run.unknown.is_some()
}
