//! The end of a lab, live or simulated: what `run` and `up` print of it.
//!
//! Invariant: it names every promise that was never due.

use std::path::PathBuf;

use protocol::Property;
use script::RunEnd;

/// The end of a lab.
#[derive(Debug)]
pub struct LabEnd {
    /// The outcome of its run.
    pub run: RunEnd,
    /// Where its session is, if it was recorded.
    pub session: Option<PathBuf>,
    /// How many records are missing in that file, because it could not be written.
    pub missing: u64,
    /// What of this computer kept the lab from going on as it should, if anything did: a node that could not be started,
    /// such as for an unreadable store; a run directory that somebody deleted.
    pub hindrance: Option<String>,
    /// The signal that ended it, if one did.
    pub signal: Option<i32>,
}

impl LabEnd {
    /// The promises that were never due in this lab.
    pub fn never_due(&self) -> Vec<Property> {
        self.run.tallies.iter().filter(|(_, tally)| tally.is_never_due()).map(|(property, _)| property).collect()
    }
}

impl std::fmt::Display for LabEnd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.run.summary)?;
        let never_due: Vec<String> = self.never_due().iter().map(ToString::to_string).collect();
        if !never_due.is_empty() {
            write!(f, "; never due: {}", never_due.join(", "))?;
        }
        match (&self.session, self.missing) {
            (Some(session), 0) => write!(f, "; session {}", session.display()),
            (Some(session), missing) => {
                write!(f, "; {missing} records could not be written; session {}", session.display())
            }
            (None, _) => f.write_str("; no session recorded"),
        }
    }
}
