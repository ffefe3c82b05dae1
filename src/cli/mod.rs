//! The command line, one file a command.
//!
//! Invariant: results go to stdout, remarks to stderr, and the exit code tells the outcome: 0 met; 1 the run itself
//! failed; 2 usage; 3 lab file invalid; 4 an expectation or property failed; 5 unknown; 6 environment; 70 our bug;
//! 128+n a signal.

mod algorithms;
mod applications;
mod bar;
mod built_in;
mod candidates;
mod characters;
mod check;
mod columns;
mod command_page;
mod config;
mod diff;
mod doctor;
mod down;
mod explore;
mod export;
mod grade;
mod help;
mod help_word;
mod host;
mod host_process;
mod hosts_log;
mod inject;
mod jobs;
mod json_kinds;
mod lab_files;
mod labs;
mod learn;
mod lesson_progress;
mod ls;
mod man_text;
mod manual;
mod manual_page;
mod markdown_blocks;
mod markdown_text;
mod measure;
mod merge;
mod necessary_faults;
mod new_file;
mod new_lab;
mod notes;
mod output;
mod pager;
#[cfg(test)]
mod pages;
mod parts;
mod reference;
mod replay;
mod run;
mod running;
mod schema;
mod screen;
mod session_moment;
mod session_names;
mod sessions;
mod shells;
mod shrink;
mod shrunk_lab;
mod signals;
mod simulate;
mod simulated;
mod up;
mod verify;
mod wait;
mod watch;
mod why;

use std::ffi::OsStr;
use std::process::ExitCode;
use std::sync::OnceLock;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};
use protocol::Registry;
use registry::BUILT_IN;

/// Exit codes, by their meaning.
pub(crate) mod code {
    use std::io::{self, ErrorKind};

    use nix::errno::Errno;

    /// As expected.
    pub const MET: u8 = 0;
    /// The run itself failed.
    pub const FAILED: u8 = 1;
    /// The command line, or a fault line in it, is wrong.
    pub const USAGE: u8 = 2;
    /// A lab file is invalid; nothing was started.
    pub const LAB_INVALID: u8 = 3;
    /// An expectation or a property failed.
    pub const VIOLATED: u8 = 4;
    /// The outcome is unknown.
    pub const UNKNOWN: u8 = 5;
    /// This computer does not let it run.
    pub const ENVIRONMENT: u8 = 6;
    /// A bug of this program.
    pub const BUG: u8 = 70;

    /// What each says to those who start the program.
    pub const MEANINGS: &[(u8, &str)] = &[
        (MET, "success"),
        (FAILED, "the run failed, or a file or a session cannot be read"),
        (USAGE, "usage: the command line is wrong, or no such lab runs"),
        (LAB_INVALID, "lab file invalid"),
        (VIOLATED, "an expectation or property failed"),
        (UNKNOWN, "unknown: records are missing, or nobody can say"),
        (ENVIRONMENT, "environment (ports, multicast, directories, a file that is there already, disk space)"),
        (BUG, "a bug of this program"),
    ];

    /// Reading or writing failed: for lack of something that this computer is short of, or for another reason.
    pub fn of_io(error: &io::Error) -> u8 {
        let is_short = error.raw_os_error().is_some_and(|number| SHORTAGES.contains(&Errno::from_raw(number)));
        // An error with words of its own has no number any more.
        let kinds = [ErrorKind::StorageFull, ErrorKind::QuotaExceeded, ErrorKind::OutOfMemory, ErrorKind::FileTooLarge];
        if is_short || kinds.contains(&error.kind()) { ENVIRONMENT } else { FAILED }
    }

    /// What a computer is short of: open files, room, memory, processes.
    const SHORTAGES: &[Errno] = &[
        Errno::EMFILE,
        Errno::ENFILE,
        Errno::ENOSPC,
        Errno::EDQUOT,
        Errno::EFBIG,
        Errno::ENOMEM,
        Errno::ENOBUFS,
        Errno::EAGAIN,
    ];

    /// A signal ended it.
    pub fn signal(number: i32) -> u8 {
        128 + u8::try_from(number).unwrap_or(0)
    }

    /// A session was not read to its end: the system refuses, or it is longer or worse than any session.
    pub fn unread(error: &record::SessionError) -> u8 {
        match error {
            record::SessionError::Refused { number, .. } => {
                number.map_or(FAILED, |number| of_io(&std::io::Error::from_raw_os_error(number)))
            }
            record::SessionError::NotUnpacked { .. } => ENVIRONMENT,
            record::SessionError::TooLong { .. }
            | record::SessionError::TooMuch { .. }
            | record::SessionError::OtherVersion(_)
            | record::SessionError::NotASession(_) => UNKNOWN,
        }
    }

    /// Why a lab did not start, and what to do if this computer is short of something.
    pub fn why_not_started(error: &host::HostError) -> String {
        match error {
            host::HostError::Failed(short) if of_io(short) == ENVIRONMENT => {
                format!("{error}; `hustings doctor` tells what to do")
            }
            error => error.to_string(),
        }
    }

    /// A lab did not start.
    pub fn not_started(error: &host::HostError) -> u8 {
        match error {
            host::HostError::Environment(_) => ENVIRONMENT,
            host::HostError::Failed(error) => of_io(error),
            host::HostError::Signalled(number) => signal(*number),
        }
    }
}

fn exit_codes() -> String {
    let codes: Vec<String> = code::MEANINGS.iter().map(|(code, about)| format!("{code} {about}")).collect();
    format!("Exit codes: {}; 128+n signal n.", codes.join("; "))
}

/// A lab in which real processes elect a coordinator and you break them.
#[derive(Debug, Parser)]
#[command(name = "hustings", bin_name = "hustings", version, after_help = exit_codes(), disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Invocation>,
}

#[derive(Debug, Subcommand)]
enum Invocation {
    /// Start a lab and open its dashboard (the default)
    Up(up::Arguments),
    /// Run labs without a screen, one after another, and judge them
    Run(run::Arguments),
    /// Simulate labs over many seeds, with their own steps or with faults that each seed draws
    Simulate(simulate::Arguments),
    /// Measure what the papers claim on many simulated runs: tables, CSV and plots
    Measure(measure::Arguments),
    /// Search every order in which a small lab may go, with a few faults
    Explore(explore::Arguments),
    /// Join the parts of a campaign or of a measurement, made with --shard, to one table
    Merge(merge::Arguments),
    /// List the labs that come with the program; `up`, `run` and other commands take their names
    Labs(labs::Arguments),
    /// List the written lessons, or start one on the screen
    Learn(learn::Arguments),
    /// Describe the algorithms: what they assume and promise, their bounds, settings and listings
    Algorithms(algorithms::Arguments),
    /// Describe the applications: what the processes of a lab do between elections
    Applications(applications::Arguments),
    /// Watch a running lab, or one of its nodes alone
    Watch(watch::Arguments),
    /// Inject a fault into a running lab; returns when the fault is in force
    Inject(inject::Arguments),
    /// Wait until a condition holds in a running lab
    Wait(wait::Arguments),
    /// List the running labs, and delete the files that dead labs left
    Ls(ls::Arguments),
    /// End a running lab
    Down(down::Arguments),
    /// List the recorded sessions, or say which of them stay
    Sessions(sessions::Arguments),
    /// Replay a recorded session in the dashboard
    Replay(replay::Arguments),
    /// Write a recorded session in another format
    Export(export::Arguments),
    /// Feed recorded sessions to the machines again, and compare every step
    Verify(verify::Arguments),
    /// Tell why a node coordinates or not, or why a violation came, from a recorded session
    Why(why::Arguments),
    /// Tell where two recorded sessions part first, and why
    Diff(diff::Arguments),
    /// Find the fewest faults of a recorded session that still show its violation, and write them as a lab
    Shrink(shrink::Arguments),
    /// Check lab files without running them
    Check(check::Arguments),
    /// Write a new lab file that begins as another lab
    New(new_lab::Arguments),
    /// Print the shape of lab files as a JSON schema, for editors; with --config, of the config file
    Schema(schema::Arguments),
    /// Print a table of the labs and sessions of a class: what was met, found and used
    Grade(grade::Arguments),
    /// Tell whether this computer lets labs run, and what to do if not
    Doctor(doctor::Arguments),
    /// Show what the config file sets and what holds without it: theme, keys, how many sessions are kept
    Config(config::Arguments),
    /// Print what a shell needs to complete this command line
    Completions(manual::CompletionsArguments),
    /// Write the manual pages
    Man(manual::ManArguments),
    /// Tell what a command takes, or show a page of the manual
    Help(help::Arguments),
}

/// What [`main`] was given. What reads a command line is called without a context, and so it stands here.
static REGISTRY: OnceLock<Registry> = OnceLock::new();

/// The algorithms and applications of this program.
fn registry_in_use() -> Registry {
    *REGISTRY.get_or_init(|| BUILT_IN)
}

/// The program, with these algorithms and applications. It is called once in a process.
pub fn main(registry: Registry) -> ExitCode {
    REGISTRY.set(registry).expect("a process has one command line");
    std::panic::set_hook(Box::new(output::remark_panic));
    // A lab's own processes are no commands. Their arguments are for `ps`, and a node that built the whole command line
    // would hold 0.3 MB more of its own.
    let code = match std::env::args_os().nth(1).as_deref().and_then(OsStr::to_str) {
        Some("node") => u8::try_from(node::main(registry)).unwrap_or(code::BUG),
        Some("host") => host::main(),
        _ => run_command(),
    };
    match output::unsaid() {
        Some(error) if code < code::signal(0) => {
            output::remark(format!("cannot write the result to standard output: {error}"));
            ExitCode::from(run::gravest(&[code, code::of_io(&error)]))
        }
        _ => ExitCode::from(code),
    }
}

/// Runs the command that the arguments name, or the default.
fn run_command() -> u8 {
    candidates::answer_shell(|| manual::shown(Arguments::command()));
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        // It holds arguments, and so without colours like everything else.
        Err(error) if error.use_stderr() => {
            output::remark(error.render().to_string().trim_end());
            return code::USAGE;
        }
        Err(asked) if asked.kind() == ErrorKind::DisplayHelp => return help::of_command_line(Arguments::command()),
        Err(version) => version.exit(),
    };
    match arguments.command.unwrap_or_else(|| Invocation::Up(up::Arguments::default())) {
        Invocation::Up(arguments) => up::main(arguments),
        Invocation::Run(arguments) => run::main(arguments),
        Invocation::Simulate(arguments) => simulate::main(arguments),
        Invocation::Measure(arguments) => measure::main(&arguments),
        Invocation::Explore(arguments) => explore::main(&arguments),
        Invocation::Merge(arguments) => merge::main(&arguments),
        Invocation::Labs(arguments) => labs::main(&arguments),
        Invocation::Learn(arguments) => learn::main(arguments),
        Invocation::Algorithms(arguments) => algorithms::main(&arguments),
        Invocation::Applications(arguments) => applications::main(&arguments),
        Invocation::Watch(arguments) => watch::main(arguments),
        Invocation::Inject(arguments) => inject::main(&arguments),
        Invocation::Wait(arguments) => wait::main(&arguments),
        Invocation::Ls(arguments) => ls::main(&arguments),
        Invocation::Down(arguments) => down::main(&arguments),
        Invocation::Sessions(arguments) => sessions::main(&arguments),
        Invocation::Replay(arguments) => replay::main(arguments),
        Invocation::Export(arguments) => export::main(&arguments),
        Invocation::Verify(arguments) => verify::main(&arguments),
        Invocation::Why(arguments) => why::main(&arguments),
        Invocation::Diff(arguments) => diff::main(&arguments),
        Invocation::Shrink(arguments) => shrink::main(&arguments),
        Invocation::Check(arguments) => check::main(&arguments),
        Invocation::New(arguments) => new_lab::main(&arguments),
        Invocation::Schema(arguments) => schema::main(&arguments),
        Invocation::Grade(arguments) => grade::main(&arguments),
        Invocation::Doctor(arguments) => doctor::main(&arguments),
        Invocation::Config(arguments) => config::main(&arguments),
        Invocation::Completions(arguments) => manual::completions(&arguments),
        Invocation::Man(arguments) => manual::man(&arguments, Arguments::command()),
        Invocation::Help(arguments) => help::main(&arguments, Arguments::command()),
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use clap::CommandFactory;
    use nix::errno::Errno;

    use super::code;

    #[test]
    fn the_command_line_is_sound() {
        super::Arguments::command().debug_assert();
    }

    #[test]
    fn what_this_computer_is_short_of_is_the_environment_and_nothing_else_is() {
        for (number, code) in [
            (Errno::EMFILE, code::ENVIRONMENT),
            (Errno::ENFILE, code::ENVIRONMENT),
            (Errno::ENOSPC, code::ENVIRONMENT),
            (Errno::ENOMEM, code::ENVIRONMENT),
            (Errno::ENOENT, code::FAILED),
            (Errno::EACCES, code::FAILED),
        ] {
            assert_eq!(code::of_io(&io::Error::from(number)), code, "{number}");
        }
        let told = io::Error::new(io::ErrorKind::StorageFull, "cannot record to a file: no space");
        assert_eq!(code::of_io(&told), code::ENVIRONMENT);
    }

    #[test]
    fn who_lacks_something_of_this_computer_is_told_where_to_look() {
        let why = |number| code::why_not_started(&host::HostError::Failed(io::Error::from(number)));
        assert!(why(Errno::EMFILE).ends_with("; `hustings doctor` tells what to do"));
        assert!(!why(Errno::ENOENT).contains("doctor"));
    }
}
