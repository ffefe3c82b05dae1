//! `hustings verify SESSION…`: gives every machine of a recorded session the same inputs, and checks that it does what
//! the session says.
//!
//! Invariant: a session with missing records is never found to conform; every session is checked.

use std::path::{Path, PathBuf};

use super::output::{remark, say};
use super::registry_in_use;
use super::run::gravest;
use super::session_names;
use super::{candidates, code};
use driver::conformance::{FedSession, NotVerified, Unverifiable, verify};
use record::{Session, SessionError, StoredSession};

const EXIT_CODES: &str = "Exit codes: 0 every step is as recorded; 4 a step differs, and its record is named; 5 \
                          unknown: records are missing, the file ends before the lab's end or is no session, or this \
                          build does not have the algorithm; 1 or 6 the file cannot be read.";

/// What `verify` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub struct Arguments {
    /// The sessions' files, of one in parts any of them; or `last`, or numbers or beginnings of names that `sessions`
    /// lists
    #[arg(required = true, value_name = "SESSION", add = candidates::session())]
    sessions: Vec<PathBuf>,
}

/// Verifies each session, prints how many steps were fed, and why a session does not conform; the gravest code counts.
pub fn main(arguments: &Arguments) -> u8 {
    let results: Vec<Result<FedSession, u8>> = arguments.sessions.iter().map(|path| verify_one(path)).collect();
    let fed: Vec<&FedSession> = results.iter().flatten().collect();
    if results.len() > 1 {
        let steps: u64 = fed.iter().map(|fed| fed.total()).sum();
        say(format!("{} of {} sessions conform: {steps} steps fed", fed.len(), results.len()));
    }
    let codes: Vec<u8> = results.iter().map(|result| result.as_ref().err().copied().unwrap_or(code::MET)).collect();
    gravest(&codes)
}

fn verify_one(path: &Path) -> Result<FedSession, u8> {
    let path = &session_names::file_of(path)?;
    let name = path.display();
    let unread = |error: &SessionError| {
        remark(format!("{name}: {error}"));
        code::unread(error)
    };
    let session = StoredSession::open(path).map_err(|error| unread(&error))?;
    match verify(&session, registry_in_use()) {
        Ok(fed) => {
            let nodes: Vec<String> = fed.steps.iter().map(|(node, steps)| format!("node {node} {steps}")).collect();
            let (total, starts) = (fed.total(), fed.starts);
            say(format!("{name}: conforms: {total} steps fed ({}), {starts} starts among them", nodes.join(", ")));
            Ok(fed)
        }
        Err(NotVerified::Unknown(Unverifiable::Unread(error))) => Err(unread(&error)),
        Err(NotVerified::Unknown(why)) => {
            say(format!("{name}: unknown: {why}"));
            Err(code::UNKNOWN)
        }
        Err(NotVerified::Differs(differs)) => {
            say(format!("{name}: differs: {differs}"));
            if let Some(head) = session.head().filter(|head| head.build != env!("CARGO_PKG_VERSION")) {
                remark(format!(
                    "{name}: it was recorded by build {}; this is {}",
                    head.build,
                    env!("CARGO_PKG_VERSION")
                ));
            }
            Err(code::VIOLATED)
        }
    }
}
