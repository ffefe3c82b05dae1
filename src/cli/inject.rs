//! `hustings inject 'crash 5'`: orders a fault; returns when it is in force.

use super::code;
use super::output::{remark, say};
use super::running::LabChoice;
use fault::FaultLine;
use record::{Answer, Request, ask};

/// What `inject` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    which: LabChoice,
    /// The fault line, such as `crash 5` or `loss 2->* 30%`
    #[arg(value_name = "FAULT")]
    line: String,
}

/// Orders the fault.
pub fn main(arguments: &Arguments) -> u8 {
    // A line that does not parse is an error without asking a lab.
    if let Err(error) = arguments.line.parse::<FaultLine>() {
        remark(error.drawn(&arguments.line));
        return code::USAGE;
    }
    let directory = match arguments.which.directory() {
        Ok(directory) => directory,
        Err(code) => return code,
    };
    match ask(&directory, &Request::Inject(arguments.line.clone())) {
        Ok(Answer::Done { text, .. }) => {
            say(text);
            code::MET
        }
        Ok(Answer::Refused { why }) => {
            remark(why);
            code::USAGE
        }
        Ok(Answer::NotInForce { id, why }) => {
            remark(format!("{id} {}: not in force: {why}", arguments.line));
            code::UNKNOWN
        }
        Err(error) => {
            remark(format!("the lab does not answer: {error}"));
            code::of_io(&error)
        }
    }
}
