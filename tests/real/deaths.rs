//! How a screen ends that nobody leaves: a signal, a terminal that closes; and terminals of absurd sizes.

use std::io::Read;
use std::path::Path;

use hustings::record::{Body, SessionReader};
use nix::sys::signal::{Signal, kill};
use portable_pty::native_pty_system;

use crate::bench::{Bench, bully_lab};
use crate::screen::{Terminal, size, start};

/// The signals that end a process unless it says otherwise, but for those that tell of a bug, and SIGPIPE, which every
/// Rust program ignores.
const ENDING: &[Signal] = &[
    Signal::SIGHUP,
    Signal::SIGINT,
    Signal::SIGQUIT,
    Signal::SIGTERM,
    Signal::SIGALRM,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
    Signal::SIGVTALRM,
    Signal::SIGPROF,
    Signal::SIGXCPU,
    Signal::SIGXFSZ,
    #[cfg(target_os = "linux")]
    Signal::SIGIO,
    #[cfg(target_os = "linux")]
    Signal::SIGPWR,
    #[cfg(target_os = "linux")]
    Signal::SIGSTKFLT,
];

/// A session of a simulated lab.
fn session(bench: &Bench) -> String {
    let (file, path) = (bench.file("lab.toml", &bully_lab("")), bench.path("session.jsonl"));
    bench.must(&["run", &file, "--sim", "--record", path.to_str().unwrap()]);
    path.to_str().unwrap().to_owned()
}

#[test]
fn after_every_signal_the_terminal_is_as_it_was() {
    let bench = Bench::without_labs();
    let session = session(&bench);
    let unused = native_pty_system().openpty(size(30, 100)).unwrap();
    let unused = format!("{:?}", unused.master.get_termios().unwrap());
    for signal in ENDING {
        let mut terminal = Terminal::open(&bench, &["replay", &session]);
        terminal.wait_until("the replay", |screen| screen.contents().contains("short │"));
        assert_ne!(terminal.mode(), unused);
        kill(terminal.pid(), *signal).unwrap();
        let (code, screen, mode) = terminal.end_in_mode();
        assert_eq!((code, mode.as_str()), (128 + *signal as u32, unused.as_str()), "{signal}");
        assert!(!screen.screen().alternate_screen() && !screen.screen().hide_cursor(), "{signal}");
    }
}

#[test]
fn a_terminal_of_any_size_is_drawn_and_left() {
    let bench = Bench::without_labs();
    let mut terminal = Terminal::open(&bench, &["replay", &session(&bench)]);
    terminal.wait_until("the replay", |screen| screen.contents().contains("short │"));
    for (rows, columns) in [(u16::MAX, u16::MAX), (0, 0), (1, 1), (u16::MAX, 1), (1, u16::MAX), (0, 100), (30, 0)] {
        terminal.resize(rows, columns);
    }
    terminal.resize(30, 100);
    terminal.wait_until("the replay again", |screen| screen.contents().contains("short │"));
    kill(terminal.pid(), Signal::SIGTERM).unwrap();
    assert_eq!(terminal.end().0, 128 + Signal::SIGTERM as u32);
}

/// Closes the terminal as soon as the screen is there; the exit code.
fn closed(bench: &Bench, arguments: &[&str]) -> u32 {
    let (mut child, master) = start(bench, arguments);
    let mut reader = master.try_clone_reader().unwrap();
    let (mut screen, mut buffer) = (vt100::Parser::new(30.try_into().unwrap(), 100.try_into().unwrap(), 0), [0; 4096]);
    while !screen.screen().contents().contains("short │") {
        let length = reader.read(&mut buffer).unwrap();
        assert!(length > 0, "it ended:\n{}", screen.screen().contents());
        screen.process(&buffer[..length]);
    }
    drop((reader, master));
    child.wait().unwrap().exit_code()
}

/// Whether the session at this path goes to its lab's end and conforms.
fn is_whole(bench: &Bench, path: &Path) -> bool {
    let session = SessionReader::open(path).unwrap();
    let ended = session.records.last().is_some_and(|record| matches!(record.body, Body::Ended { .. }));
    ended && session.skipped.is_empty() && bench.must(&["verify", path.to_str().unwrap()]).contains("conforms")
}

#[test]
fn a_terminal_that_closes_costs_no_record_and_causes_no_panic() {
    let bench = Bench::new();
    let file = bench.file("lab.toml", &bully_lab(""));
    for more in [&["--sim"][..], &[]] {
        let path = bench.path(&format!("closed-{}.jsonl", more.len()));
        let arguments = [&["up", &file, "--record", path.to_str().unwrap()], more].concat();
        assert_eq!(closed(&bench, &arguments), 129, "{arguments:?}");
        assert!(is_whole(&bench, &path), "{arguments:?}");
    }
    assert_eq!(bench.run(&["ls"]).out, "");
    assert_eq!(closed(&bench, &["replay", bench.path("closed-0.jsonl").to_str().unwrap()]), 129);
}

#[test]
fn processes_that_are_started_by_one_order_begin_together() {
    let bench = Bench::new();
    let steps = "[[step]]\nat = \"2s\"\ndo = [\"crash *\"]\n[[step]]\nat = \"3s\"\ndo = [\"recover *\"]\n\
                 [[step]]\nwhen = \"coordinator 5\"\ndo = []\n";
    let (file, session) = (bench.file("lab.toml", &bully_lab(steps)), bench.path("session.jsonl"));
    bench.must(&["run", &file, "--record", session.to_str().unwrap()]);
    let records = Bench::records(&session);
    let again = |record: &&serde_json::Value| record["incarnation"] == 2;
    let ready = records.iter().filter(again).filter(|record| record["kind"] == "ready").map(|record| &record["at"]);
    let started = records.iter().filter(again).filter(|record| record["step"] == 1).map(|record| &record["at"]);
    let (ready, started): (Vec<i64>, Vec<i64>) =
        (ready.map(|at| at.as_i64().unwrap()).collect(), started.map(|at| at.as_i64().unwrap()).collect());
    assert_eq!((ready.len(), started.len()), (5, 5));
    assert!(ready.iter().max() < started.iter().min(), "{ready:?} {started:?}");
}
