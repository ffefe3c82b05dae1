//! `hustings down`: ends a running lab and prints its verdict.

use std::path::Path;
use std::time::{Duration, Instant};

use super::code;
use super::output::{remark, say};
use super::running::LabChoice;
use record::{Answer, Request, ask};

/// How long a lab may take to end.
const ENDS_WITHIN: Duration = Duration::from_secs(10);

/// What `down` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    which: LabChoice,
}

/// Ends the lab; returns when all its processes and files are gone.
pub fn main(arguments: &Arguments) -> u8 {
    let directory = match arguments.which.directory() {
        Ok(directory) => directory,
        Err(code) => return code,
    };
    match ask(&directory, &Request::End) {
        Ok(Answer::Done { text, .. }) => say(text),
        Ok(Answer::Refused { why }) => remark(why),
        Ok(Answer::NotInForce { why, .. }) => remark(why),
        Err(error) => {
            remark(format!("the lab does not answer: {error}"));
            return code::of_io(&error);
        }
    }
    wait_until_gone(&directory)
}

fn wait_until_gone(directory: &Path) -> u8 {
    let deadline = Instant::now() + ENDS_WITHIN;
    while directory.exists() {
        if Instant::now() > deadline {
            remark(format!("{} still exists after {ENDS_WITHIN:?}", directory.display()));
            return code::FAILED;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    code::MET
}
