//! `hustings up [LAB]`: a lab, and the dashboard to break it from. Without a terminal it is `run`.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;

use super::owner::{HostOrders, HostWord, OwnedHost};
use super::run::{HowToRun, Time, VerdictForm, run_all};
use super::screen::{self, Look};
use super::tell::{remark, say};
use super::{code, lab_files, needed, simulated};
use crate::dashboard::{self, Access, Farewell, Options, Role, ScreenEnd, Source};
use crate::lab::Lab;
use crate::record::{MadeBy, Recording};
use crate::sim::Branches;

/// What `up` takes.
#[derive(Debug, Default, clap::Args)]
pub struct Arguments {
    /// A lab file, or the name of a lab that `labs` lists; without it, `first`
    #[arg(value_name = "LAB")]
    lab: Option<PathBuf>,
    /// Start the lab without a screen and leave it running; `down` ends it
    #[arg(long)]
    detach: bool,
    /// Run in virtual time, which you can stop, step, run backwards and branch
    #[arg(long, conflicts_with_all = ["detach", "group", "store"])]
    sim: bool,
    /// End the lab at the first `q`, without a question
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    how: HowToRun,
    #[command(flatten)]
    look: Look,
}

impl Arguments {
    fn farewell(&self) -> Farewell {
        if self.yes { Farewell::AtOnce } else { Farewell::AfterAsking }
    }
}

/// Starts the lab; with a screen, ends the lab when the screen closes.
pub fn main(arguments: Arguments) -> u8 {
    let text = match lab_files::read(arguments.lab.as_deref()) {
        Ok(text) => text,
        Err(code) => return code,
    };
    let time = if arguments.sim { Time::Virtual } else { Time::Real };
    let lab = match lab_files::parse_for(time, &text) {
        Ok(lab) => lab,
        Err(code) => return code,
    };
    if !arguments.detach && !screen::is_there() {
        remark("there is no terminal, so this works as `hustings run`: it plays the lab's script without a screen");
        return run_all(vec![lab], &arguments.how, MadeBy::Up, time, VerdictForm::Text);
    }
    if arguments.sim {
        return simulate(lab, &arguments.how.recording(MadeBy::Up), arguments.farewell(), &arguments.look);
    }
    let started = HostOrders::new(text, &arguments.how, !arguments.detach)
        .and_then(|orders| OwnedHost::start(&orders))
        .and_then(|mut host| Ok((host.next_word()?, host)));
    let (directory, host) = match started {
        Ok((Some(HostWord::Up(directory)), host)) => (directory, host),
        Ok((Some(HostWord::Failed(code, why)), _)) => {
            remark(format!("{}: {why}", lab.name));
            return code;
        }
        Ok((Some(HostWord::Ended(..)) | None, _)) => {
            remark(format!("{}: the host ended before the lab was up", lab.name));
            return code::FAILED;
        }
        Err(error) => {
            remark(format!("{}: cannot start a host: {error}", lab.name));
            return code::of_io(&error);
        }
    };
    if arguments.detach {
        let id = directory.file_name().unwrap_or_default().to_string_lossy();
        say(id);
        return code::MET;
    }
    let ended = dashboard::run(Options {
        source: Source::Lab { directory, node: None },
        access: Access::Full,
        role: Role::Owner,
        farewell: arguments.farewell(),
        glyphs: arguments.look.glyphs(),
        colour: arguments.look.colour(),
        rerun: needed::again,
    });
    match host.end() {
        Ok(Some(HostWord::Failed(code, why))) => {
            remark(format!("{}: {why}", lab.name));
            return code;
        }
        Ok(Some(HostWord::Ended(text, _))) => say(text),
        Ok(_) => remark(format!("{}: the host ended without a message", lab.name)),
        Err(error) => remark(format!("{}: cannot read what the host says: {error}", lab.name)),
    }
    screen::exit_code(&ended)
}

/// The dashboard over a simulated lab; its session is written when the dashboard ends.
fn simulate(lab: Lab, recording: &Recording, farewell: Farewell, look: &Look) -> u8 {
    let name = lab.name.clone();
    if let Recording::To(path) = recording
        && path.exists()
    {
        remark(format!(
            "{name}: cannot record to {}: the file exists already; name a new file (nothing was started)",
            path.display()
        ));
        return code::ENVIRONMENT;
    }
    let branches = Rc::new(RefCell::new(Branches::new(lab)));
    let ended = dashboard::run(Options {
        source: Source::Simulated(Rc::<RefCell<Branches>>::clone(&branches)),
        access: Access::Full,
        role: Role::Owner,
        farewell,
        glyphs: look.glyphs(),
        colour: look.colour(),
        rerun: needed::again,
    });
    // A lab that has panicked would panic again.
    if let Ok(ending) = &ended
        && !matches!(ending, ScreenEnd::Panicked(_))
    {
        match simulated::end(&branches.borrow(), recording) {
            Ok(end) => say(end),
            Err(error) => {
                remark(format!("{name}: {error}"));
                return code::ENVIRONMENT;
            }
        }
    }
    screen::exit_code(&ended)
}
