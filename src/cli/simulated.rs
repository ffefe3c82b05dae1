//! A lab in virtual time, for the commands that run labs: recorded, reported and ended like any other.
//!
//! Invariant: the output and the session of a simulated lab come only from its records, as for a live one.

use std::cell::RefCell;
use std::io;

use nix::sys::signal::{SigSet, Signal};

use host::LabEnd;
use record::{Drawn, Head, Record, Recorder, Recording};
use sim::{Branches, SimEnd};

/// Simulates a lab to its end. If a campaign drew the lab, the session says so.
///
/// # Errors
/// The session file cannot be made; nothing was simulated.
pub fn run(
    plan: &sim::Plan,
    drawn: Option<Drawn>,
    recording: &Recording,
    tell: &mut dyn FnMut(&Record),
) -> io::Result<LabEnd> {
    bear_full_files()?;
    let head = Head { drawn, ..sim::head(plan) };
    let recorder = RefCell::new(Recorder::new(recording.begin(&head)?));
    let end = sim::run(
        plan,
        Box::new(|record| {
            recorder.borrow_mut().write(record);
            tell(record);
        }),
    );
    Ok(lab_end(end, recorder.into_inner()))
}

/// Ends a lab where its branch stands, and records the session of that branch.
///
/// # Errors
/// The session file cannot be made; nothing was recorded.
pub fn end(branches: &Branches, recording: &Recording) -> io::Result<LabEnd> {
    bear_full_files()?;
    let head = branches.session_head();
    let recorder = RefCell::new(Recorder::new(recording.begin(&head)?));
    let end = branches.replay(Box::new(|record| {
        recorder.borrow_mut().write(record);
    }));
    Ok(lab_end(end, recorder.into_inner()))
}

/// From now on a file that may not grow any more is an error of its write, and not the end of this process.
fn bear_full_files() -> io::Result<()> {
    SigSet::from(Signal::SIGXFSZ).thread_block().map_err(io::Error::from)
}

/// How a simulated lab and its recording ended.
fn lab_end(end: SimEnd, mut recorder: Recorder) -> LabEnd {
    // The file has a gap in place of the records that it did not take, if it can take that.
    let now = i64::try_from(end.lasted).unwrap_or(i64::MAX);
    recorder.resume(now);
    LabEnd { run: end.run, session: recorder.kept(), missing: recorder.missing(), hindrance: None, signal: None }
}
