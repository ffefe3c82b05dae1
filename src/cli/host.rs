//! `hustings host`: a lab's host as a process of its own. `up` starts it, see [`super::owner`].
//!
//! Invariant: it leaves the terminal's session, so Ctrl-C or a closed terminal ends it only through its owner's end.

use std::io::{self, Read};
use std::os::fd::AsFd;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::host_process::{HostMessage, HostOrders};
use super::output::{panic_words, remark};
use super::{code, hosts_log, lab_files, output};
use host::{EndsBy, LabNews, LabOwner, RunPlan};
use script::Pace;

/// Runs the lab that stdin orders, until it is told to end or its owner is gone.
pub fn main() -> u8 {
    // It fails only if this process already leads a session, and then nothing more is needed.
    let _ = nix::unistd::setsid();
    let orders = match read_orders() {
        Ok(orders) => orders,
        Err(error) => {
            remark(format!("this process has no orders: {error}; start a lab with `hustings up`"));
            return code::USAGE;
        }
    };
    let lab = match lab_files::parse(&lab_files::LabText { name: orders.lab_name, text: orders.lab_text }) {
        Ok(lab) => lab,
        Err(code) => return code,
    };
    let lifeline = match (orders.owned, io::stdin().as_fd().try_clone_to_owned()) {
        (true, Ok(pipe)) => LabOwner::Pipe(pipe),
        (true, Err(error)) => return code::of_io(&error),
        (false, _) => LabOwner::None,
    };
    let (group, store, recording) = (orders.group, orders.store, orders.recording);
    let (pace, ends_by) = (Pace::Held, EndsBy::Order);
    let plan = RunPlan { lab, group, store, recording, pace, ends_by, lifeline };
    let mut progress = |progress: LabNews<'_>| {
        if let LabNews::Up(directory, _) = progress {
            say(&HostMessage::Up(directory.to_owned()));
        }
    };
    // Nobody reads this process's stderr, so a panic, which is our bug, goes to the log, and the process that started
    // this one is told of it.
    let name = plan.lab.name.clone();
    std::panic::set_hook(Box::new(move |info| hosts_log::add(&format!("the host of {name}: {}", panic_words(info)))));
    let ran = catch_unwind(AssertUnwindSafe(|| host::run(plan, &mut progress)));
    let Ok(ran) = ran else {
        let log = hosts_log::place();
        let words = format!("the lab's host panicked; this is a bug of hustings, and {} tells where", log.display());
        say(&HostMessage::Failed(code::BUG, words));
        return code::BUG;
    };
    match ran {
        Ok(end) => {
            say(&HostMessage::Ended(end.to_string(), end.run.violations));
            code::MET
        }
        Err(error) => {
            let code = code::not_started(&error);
            say(&HostMessage::Failed(code, code::why_not_started(&error)));
            code
        }
    }
}

/// Reads exactly the first line: after it only the end of the pipe follows.
fn read_orders() -> io::Result<HostOrders> {
    let mut line = Vec::new();
    let mut stdin = io::stdin().lock();
    let mut byte = [0];
    while stdin.read(&mut byte)? == 1 && byte != *b"\n" {
        line.push(byte[0]);
    }
    Ok(serde_json::from_slice(&line)?)
}

fn say(word: &HostMessage) {
    // The process that started a detached lab has gone, so nobody listens.
    output::say(serde_json::to_string(word).expect("a word is plain data"));
}
