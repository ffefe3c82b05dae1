//! `hustings wait 'coordinator 4' --within 5s`: returns as soon as the condition holds.

use std::path::Path;
use std::time::Instant;

use super::code;
use super::output::remark;
use super::running::LabChoice;
use lab::Condition;
use protocol::Span;
use record::run_directory::OBSERVE;
use record::{Frame, Frames, LineRead};
use script::{holds, instead};
use world::World;

/// What `wait` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    which: LabChoice,
    /// The condition, in the words of a lab file, such as `coordinator 4` or `all normal`
    condition: Condition,
    /// How long to wait at most
    #[arg(long, default_value = "60s")]
    within: Span,
}

/// Waits: 0 if the condition holds in time, 6 if there is no room for another watcher, else 4.
pub fn main(arguments: &Arguments) -> u8 {
    if arguments.condition.is_at_end() {
        remark(format!("`{}` is judged at the end of a lab; `hustings down` prints it", arguments.condition));
        return code::USAGE;
    }
    let directory = match arguments.which.directory() {
        Ok(directory) => directory,
        Err(code) => return code,
    };
    match wait(&directory, arguments) {
        Ok(Waited::Held) => code::MET,
        Ok(Waited::NotInTime(instead)) => {
            remark(format!("{} did not come true within {}: instead {instead}", arguments.condition, arguments.within));
            code::VIOLATED
        }
        Ok(Waited::LabEnded(instead)) => {
            remark(format!("the lab ended before {} came true: instead {instead}", arguments.condition));
            code::VIOLATED
        }
        Ok(Waited::Refused(why)) => {
            remark(format!("the lab goes on, but this command cannot watch it: {why}"));
            code::ENVIRONMENT
        }
        Err(error) => {
            remark(format!("the lab does not answer: {error}"));
            code::of_io(&error)
        }
    }
}

enum Waited {
    Held,
    NotInTime(String),
    LabEnded(String),
    Refused(String),
}

fn wait(directory: &Path, arguments: &Arguments) -> std::io::Result<Waited> {
    let deadline = Instant::now() + std::time::Duration::from(arguments.within);
    let mut frames = Frames::attach(&directory.join(OBSERVE))?;
    let mut world = World::default();
    loop {
        frames.wait_at_most(deadline.saturating_duration_since(Instant::now()))?;
        match frames.next_frame()? {
            LineRead::Line(Frame::Snapshot { world: snapshot, .. }) => world = World::from_json(&snapshot)?,
            LineRead::Line(Frame::Record { record }) => world.fold(&record),
            LineRead::Line(Frame::Pulse { .. }) | LineRead::Nothing => {}
            LineRead::Line(Frame::Refused { why }) => return Ok(Waited::Refused(why)),
            LineRead::Line(Frame::Goodbye { .. }) | LineRead::Closed => {
                return Ok(Waited::LabEnded(instead(&arguments.condition, &world)));
            }
        }
        if holds(&arguments.condition, &world) {
            return Ok(Waited::Held);
        }
        if Instant::now() >= deadline {
            return Ok(Waited::NotInTime(instead(&arguments.condition, &world)));
        }
    }
}
