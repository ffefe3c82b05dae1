//! `hustings up [LAB]`: a lab, and the dashboard to break it from. Without a terminal it is `run`.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;

use super::host_process::{HostMessage, HostOrders, OwnedHost};
use super::lab_files::LabText;
use super::output::{remark, say};
use super::run::{HowToRun, Time, VerdictForm, run_all};
use super::screen::{self, ScreenLook};
use super::{candidates, code, lab_files, lesson_progress, simulated};
use dashboard::{Access, Leaving, Options, Role, ScreenEnd, Source};
use lab::Lab;
use record::{MadeBy, Recording};
use sim::Branches;

/// What `up` takes.
#[derive(Debug, Default, clap::Args)]
pub struct Arguments {
    /// A lab file, or the name of a lab that `labs` lists; without it, `first`
    #[arg(value_name = "LAB", add = candidates::lab())]
    lab: Option<PathBuf>,
    /// Start the lab without a screen and leave it running; `down` ends it
    #[arg(long, conflicts_with = "sim")]
    detach: bool,
    #[command(flatten)]
    shown: HowToShow,
    #[command(flatten)]
    how: HowToRun,
    #[command(flatten)]
    look: ScreenLook,
}

/// How a lab is shown, for `up` and `learn` alike.
#[derive(Debug, Default, clap::Args)]
pub struct HowToShow {
    /// Run in virtual time, which you can stop, step, run backwards and branch
    #[arg(long, conflicts_with_all = ["group", "store"])]
    sim: bool,
    /// End the lab when its screen is left, without a question
    #[arg(long)]
    yes: bool,
}

impl HowToShow {
    fn time(&self) -> Time {
        if self.sim { Time::Virtual } else { Time::Real }
    }

    fn leaving(&self) -> Leaving {
        if self.yes { Leaving::AtOnce } else { Leaving::AfterAsking }
    }
}

/// Starts the lab; with a screen, ends the lab when the screen closes.
pub fn main(arguments: Arguments) -> u8 {
    let text = match lab_files::read(arguments.lab.as_deref()) {
        Ok(text) => text,
        Err(code) => return code,
    };
    if arguments.detach {
        detach(text, &arguments.how)
    } else {
        show(text, &arguments.shown, &arguments.how, &arguments.look)
    }
}

/// Starts the lab without a screen.
fn detach(text: LabText, how: &HowToRun) -> u8 {
    let started = lab_files::parse(&text).and_then(|lab| start(text, &lab, how, false));
    match started {
        Ok((directory, _)) => {
            say(directory.file_name().unwrap_or_default().to_string_lossy());
            code::MET
        }
        Err(code) => code,
    }
}

/// Shows the lab until its screen closes; without a terminal, plays it.
pub fn show(text: LabText, shown: &HowToShow, how: &HowToRun, look: &ScreenLook) -> u8 {
    let lab = match lab_files::parse_for(shown.time(), &text) {
        Ok(lab) => lab,
        Err(code) => return code,
    };
    if !screen::is_there() {
        remark("there is no terminal, so this works as `hustings run`: it plays the lab's script without a screen");
        return run_all(vec![lab], how, MadeBy::Up, shown.time(), VerdictForm::Text);
    }
    if shown.sim {
        return simulate(lab, &how.recording(MadeBy::Up), shown.leaving(), look);
    }
    let (directory, host) = match start(text, &lab, how, true) {
        Ok(started) => started,
        Err(code) => return code,
    };
    let ended = dashboard::run(options(Source::Lab { directory, node: None }, shown.leaving(), look));
    match host.end() {
        Ok(Some(HostMessage::Failed(code, why))) => {
            remark(format!("{}: {why}", lab.name));
            return code;
        }
        Ok(Some(HostMessage::Ended(text, _))) => say(text),
        // The screen's end says it.
        Ok(_) if matches!(ended, Ok(ScreenEnd::LabLost)) => {}
        Ok(_) => remark(format!("{}: the host ended without a message", lab.name)),
        Err(error) => remark(format!("{}: cannot read what the host says: {error}", lab.name)),
    }
    screen::exit_code(&ended)
}

/// Starts a host; returns the run directory of its lab.
fn start(text: LabText, lab: &Lab, how: &HowToRun, owned: bool) -> Result<(PathBuf, OwnedHost), u8> {
    let started = HostOrders::new(text, how, owned)
        .and_then(|orders| OwnedHost::start(&orders))
        .and_then(|mut host| Ok((host.next_word()?, host)));
    match started {
        Ok((Some(HostMessage::Up(directory)), host)) => Ok((directory, host)),
        Ok((Some(HostMessage::Failed(code, why)), _)) => {
            remark(format!("{}: {why}", lab.name));
            Err(code)
        }
        Ok((Some(HostMessage::Ended(..)) | None, _)) => {
            remark(format!("{}: the host ended before the lab was up", lab.name));
            Err(code::FAILED)
        }
        Err(error) => {
            remark(format!("{}: cannot start a host: {error}", lab.name));
            Err(code::of_io(&error))
        }
    }
}

/// The options of the screen of a lab that this process owns.
fn options(source: Source, leaving: Leaving, look: &ScreenLook) -> Options {
    Options {
        access: Access::Full,
        role: Role::Owner,
        leaving,
        tour: lesson_progress::tour(),
        ..screen::options(source, look)
    }
}

/// The dashboard over a simulated lab; its session is written when the dashboard ends.
fn simulate(lab: Lab, recording: &Recording, leaving: Leaving, look: &ScreenLook) -> u8 {
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
    let source = Source::Simulated(Rc::<RefCell<Branches>>::clone(&branches));
    let ended = dashboard::run(options(source, leaving, look));
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
