//! A lab on real processes, for a measurement: it plays its script, and is not recorded.
//!
//! Where this computer was late itself, what it did counts in no mean.
//!
//! Invariant: a lab that does not count is told.

use host::{EndsBy, HostError, LabEnd, LabNews, Lifeline, RunPlan};
use lab::Lab;
use record::{Record, Recording};
use script::Pace;
use sim::campaign::Go;

/// How a lab on real processes came out.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum RealProgress {
    /// It counts.
    Counts,
    /// It does not count, because this computer was late.
    LeftOut,
    /// This signal ended it, and it does not count. No other one is to be begun.
    Signalled(i32),
}

/// Runs a lab until its script is finished, or until `take`, which is given each record, wants no further one.
///
/// # Errors
/// The lab did not start.
pub fn play(lab: Lab, take: &mut dyn FnMut(&Record) -> Go) -> Result<RealProgress, HostError> {
    let (ours, lifeline) = std::io::pipe()?;
    let mut lifeline = Some(lifeline);
    let plan = RunPlan {
        lab,
        group: None,
        store: None,
        recording: Recording::Off,
        pace: Pace::Played,
        ends_by: EndsBy::Script,
        lifeline: Lifeline::Pipe(ours.into()),
    };
    let end = host::run(plan, &mut |news| {
        if let LabNews::Record(record) = news
            && lifeline.is_some()
            && take(record) == Go::NoFurther
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

/// How many labs do not count, as the end of a sentence; nothing if all do.
pub fn left_out_words(left_out: u64) -> String {
    match left_out {
        0 => String::new(),
        1 => "; 1 more does not count, for this computer was late".to_owned(),
        _ => format!("; {left_out} more do not count, for this computer was late"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_count_is_told_by_its_number() {
        let late = "for this computer was late";
        let words =
            [String::new(), format!("; 1 more does not count, {late}"), format!("; 2 more do not count, {late}")];
        assert_eq!([0, 1, 2].map(left_out_words), words);
    }
}
