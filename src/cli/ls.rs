//! `hustings ls`: the running labs. It also deletes the files that dead labs left.

use super::output::{remark, say};
use super::{code, running};

/// What `ls` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// Lists the labs.
pub fn main(arguments: &Arguments) -> u8 {
    let labs = match running::list() {
        Ok(labs) => labs,
        Err(code) => return code,
    };
    if arguments.json {
        for (_, lab) in &labs {
            say(serde_json::to_string(lab).expect("an entry is plain data"));
        }
    } else if labs.is_empty() {
        remark("no lab is running; start one with `hustings up`");
    } else {
        running::table(&labs).iter().for_each(say);
    }
    code::MET
}
