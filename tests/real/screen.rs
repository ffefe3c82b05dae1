//! The real program in a terminal: a key crashes the coordinator, and the screen shows the next one.

use std::io::{Read, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hustings::record::{Body, SessionReader};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::bench::{Bench, bully_lab};
use crate::hostile::is_poison;

/// Longer than any of these waits takes on a loaded machine; they end as soon as what they wait for is there.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A terminal with the program in it.
pub struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    /// All that the program wrote.
    written: Vec<u8>,
}

/// A terminal of this size, in rows and columns.
pub fn size(rows: u16, cols: u16) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}

/// Starts the program in a new terminal.
pub fn start(bench: &Bench, arguments: &[&str]) -> (Box<dyn Child + Send + Sync>, Box<dyn MasterPty + Send>) {
    let pair = native_pty_system().openpty(size(30, 100)).unwrap();
    let command = bench.hustings(arguments);
    let mut builder = CommandBuilder::new(command.get_program());
    builder.args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => builder.env(name, value),
            None => builder.env_remove(name),
        }
    }
    (pair.slave.spawn_command(builder).unwrap(), pair.master)
}

impl Terminal {
    pub fn open(bench: &Bench, arguments: &[&str]) -> Terminal {
        let (child, master) = start(bench, arguments);
        let mut reader = master.try_clone_reader().unwrap();
        let keys = master.take_writer().unwrap();
        let (sender, output) = mpsc::channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..length].to_vec()).is_err() {
                    return;
                }
            }
        });
        let (rows, columns) = (30.try_into().unwrap(), 100.try_into().unwrap());
        Terminal { child, master, keys, output, screen: vt100::Parser::new(rows, columns, 0), written: Vec::new() }
    }

    /// The program's process.
    pub fn pid(&self) -> Pid {
        Pid::from_raw(self.child.process_id().unwrap().try_into().unwrap())
    }

    /// Gives the terminal another size.
    pub fn shape(&mut self, rows: u16, columns: u16) {
        self.master.resize(size(rows, columns)).unwrap();
        // What a test reads has a size that memory bears.
        let read = |length: u16| length.clamp(1, 300).try_into().unwrap();
        self.screen.screen_mut().set_size(read(rows), read(columns));
    }

    /// Gives the terminal another size, and lets the program draw itself in it at least once.
    pub fn resize(&mut self, rows: u16, columns: u16) {
        self.shape(rows, columns);
        while self.output.try_recv().is_ok() {}
        // A process that goes on draws anew, even where the size is as it was.
        kill(self.pid(), Signal::SIGCONT).unwrap();
        let (clear, mut seen) = (b"\x1b[2J", Vec::new());
        while !seen.windows(clear.len()).any(|bytes| bytes == clear) {
            let bytes = self.output.recv_timeout(PATIENCE);
            let bytes = bytes.unwrap_or_else(|error| panic!("{rows} rows of {columns} columns: {error}"));
            seen.extend(bytes);
        }
        self.show(&seen);
    }

    /// Shows what the program wrote, which is nothing that this program has no use for: only files have it.
    fn show(&mut self, bytes: &[u8]) {
        let is_foreign = |c: char| c == '\u{7}' || c >= '\u{7f}' && is_poison(c);
        assert!(!String::from_utf8_lossy(bytes).contains(is_foreign), "{:?}", String::from_utf8_lossy(bytes));
        self.screen.process(bytes);
        self.written.extend_from_slice(bytes);
    }

    /// The terminal's mode, in words.
    pub fn mode(&self) -> String {
        format!("{:?}", self.master.get_termios().unwrap())
    }

    pub fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    pub fn wait_until(&mut self, what: &str, holds: impl Fn(&vt100::Screen) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !holds(self.screen.screen()) {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.show(&bytes),
                Err(error) => panic!("{what} ({error}) on this screen:\n{}", self.screen.screen().contents()),
            }
        }
    }

    /// Waits for the end of the program; its exit code.
    pub fn end(self) -> (u32, vt100::Parser) {
        let (code, screen, _) = self.end_in_mode();
        (code, screen)
    }

    /// The same, and the mode in which it leaves the terminal.
    pub fn end_in_mode(mut self) -> (u32, vt100::Parser, String) {
        loop {
            match self.output.recv_timeout(PATIENCE) {
                Ok(bytes) => self.show(&bytes),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("still there:\n{}", self.screen.screen().contents()),
            }
        }
        let mode = self.mode();
        (self.child.wait().unwrap().exit_code(), self.screen, mode)
    }
}

/// A node's row as words: id, glyph, process, status, coordinator, and so on.
fn row(screen: &vt100::Screen, node: u16) -> Vec<String> {
    let words = |line: &str| -> Vec<String> {
        line.split_whitespace()
            .map(|word| word.trim_start_matches(['›', '★']))
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let is_row = |words: &Vec<String>| words.len() > 4 && words[0] == node.to_string();
    screen.contents().lines().map(words).find(is_row).unwrap_or_default()
}

fn is_under(screen: &vt100::Screen, node: u16, coordinator: &str) -> bool {
    row(screen, node).get(2..5).is_some_and(|words| words == ["running", "Normal", coordinator])
}

#[test]
fn a_key_crashes_the_coordinator_and_another_returns_it() {
    let bench = Bench::new();
    let file = bench.file("lab.toml", &bully_lab(""));
    let mut terminal = Terminal::open(&bench, &["up", &file]);
    terminal.wait_until("all five under 5", |screen| (1..=5).all(|node| is_under(screen, node, "5")));
    assert!(terminal.screen.screen().alternate_screen());

    terminal.press("Gc");
    terminal.wait_until("four under 4", |screen| {
        (1..=4).all(|node| is_under(screen, node, "4")) && row(screen, 5).get(2).is_some_and(|word| word == "dead")
    });
    terminal.press("r");
    terminal.wait_until("all five under 5 again", |screen| (1..=5).all(|node| is_under(screen, node, "5")));

    terminal.press("qq");
    let (code, screen) = terminal.end();
    assert_eq!(code, 0);
    assert!(!screen.screen().alternate_screen() && !screen.screen().hide_cursor());
    assert!(screen.screen().contents().contains("session "), "{}", screen.screen().contents());
    assert_eq!(bench.run(&["ls"]).out, "");
}

#[test]
fn a_simulated_lab_is_stopped_run_backwards_and_branched() {
    let bench = Bench::without_labs();
    let file = bench.file("lab.toml", &bully_lab(""));
    let (session, session_name) = (bench.path("branch.jsonl"), bench.path("branch.jsonl").display().to_string());
    let mut terminal = Terminal::open(&bench, &["up", &file, "--sim", "--record", &session_name]);
    terminal.wait_until("a lab that plays", |screen| screen.contents().contains("SIMULATED playing"));
    terminal.press(" :seek 20s\r");
    terminal.wait_until("all five under 5", |screen| (1..=5).all(|node| is_under(screen, node, "5")));
    terminal.wait_until("it stands", |screen| screen.contents().contains("20.000000 s │ SIMULATED stopped"));
    terminal.press(":seek 10s\rGc");
    terminal.wait_until("the branch", |screen| {
        screen.contents().contains("10.000000 s │ SIMULATED")
            && row(screen, 5).get(2).is_some_and(|word| word == "dead")
    });
    terminal.press("llllllll");
    terminal.wait_until("four under 4", |screen| (1..=4).all(|node| is_under(screen, node, "4")));
    terminal.press("hhhhhhhhh");
    terminal.wait_until("all five under 5, before", |screen| (1..=5).all(|node| is_under(screen, node, "5")));
    assert_eq!(bench.run(&["ls"]).out, "", "there is no process but this");
    terminal.press("qq");
    let (code, screen) = terminal.end();
    assert_eq!(code, 0);
    assert!(screen.screen().contents().contains("short: steps not played, no violation; session "));

    let again = SessionReader::open(&session).unwrap();
    let lines = again.records.iter().filter_map(|record| match &record.body {
        Body::FaultOrdered { line, .. } => Some((record.at, line.to_string())),
        _ => None,
    });
    assert_eq!(lines.collect::<Vec<_>>(), [(10_000_000_000, "crash 5".to_owned())]);
    let ended = again.records.last().unwrap();
    assert!(matches!(ended.body, Body::Ended { .. }) && ended.at == 18_000_000_000, "{ended:?}");
    let mut terminal = Terminal::open(&bench, &["replay", &session_name]);
    terminal.wait_until("the replay", |screen| screen.contents().contains("short │ SIMULATED │"));
    terminal.press("]");
    terminal.wait_until("the crash", |screen| screen.contents().contains("f1 crash 5"));
    terminal.press("q");
    assert_eq!(terminal.end().0, 0);

    let taken = bench.file("taken.jsonl", "a session\n");
    let mut terminal = Terminal::open(&bench, &["up", &file, "--sim", "--record", &taken]);
    terminal.wait_until("the refusal", |screen| screen.contents().contains("name a new file"));
    assert_eq!(terminal.end().0, 6);
    assert_eq!(std::fs::read_to_string(taken).unwrap(), "a session\n");
}

#[test]
fn the_mouse_is_taken_on_demand_and_given_back_and_a_copy_reaches_the_terminal() {
    let bench = Bench::without_labs();
    let file = bench.file("lab.toml", &bully_lab(""));
    let of_terminal = |screen: &vt100::Screen| screen.mouse_protocol_mode() == vt100::MouseProtocolMode::None;
    for ends in ["q", "a signal"] {
        let mut terminal = Terminal::open(&bench, &["up", &file, "--sim", "--no-record", "--yes"]);
        terminal.wait_until("a lab that plays", |screen| screen.contents().contains("SIMULATED playing"));
        assert!(of_terminal(terminal.screen.screen()));
        terminal.press("@");
        terminal.wait_until("the mouse", |screen| !of_terminal(screen));
        let tabs = terminal.screen.screen().contents().lines().nth(1).unwrap_or_default().to_owned();
        let column = tabs.find("5 links").map(|at| tabs[..at].chars().count() + 1).unwrap();
        // A press of the left button in the second row, as xterm reports it, and its release.
        terminal.press(&format!("\x1b[<0;{column};2M\x1b[<0;{column};2m"));
        terminal.wait_until("the links", |screen| screen.contents().contains("[5 links]"));
        terminal.press(" 1Y");
        terminal
            .wait_until("the copy", |screen| screen.contents().contains("Sent to the terminal's clipboard: 1 line"));
        let written = String::from_utf8_lossy(&terminal.written).into_owned();
        let copied = written.split("\x1b]52;c;").nth(1).and_then(|rest| rest.split("\x1b\\").next()).unwrap();
        let copied = String::from_utf8(BASE64_STANDARD.decode(copied).unwrap()).unwrap();
        assert!(copied.starts_with("1: "), "{copied}");
        match ends {
            "q" => terminal.press("q"),
            _ => kill(terminal.pid(), Signal::SIGTERM).unwrap(),
        }
        let (_, screen) = terminal.end();
        assert!(of_terminal(screen.screen()) && !screen.screen().alternate_screen(), "after {ends}");
    }
}

#[test]
fn without_a_terminal_a_simulated_lab_is_run() {
    let bench = Bench::without_labs();
    let file = bench.file("lab.toml", &bully_lab("[[expect]]\nthat = \"coordinator 5\"\nwithin = \"20T\"\n"));
    let up = bench.run(&["up", &file, "--sim", "--no-record"]);
    let run = bench.run(&["run", &file, "--sim", "--no-record"]);
    assert_eq!((up.code, &up.out), (run.code, &run.out));
    assert!(up.err.contains("no terminal") && up.out.contains("1 of 1 expectations met"), "{up:?}");
}

#[test]
fn a_spectator_may_look_and_not_touch_and_sees_that_the_session_was_deleted() {
    let bench = Bench::new();
    let file = bench.file("lab.toml", &bully_lab(""));
    let session = bench.path("session.jsonl");
    bench.must(&["up", &file, "--detach", "--record", session.to_str().unwrap()]);
    bench.must(&["wait", "coordinator 5"]);
    let mut terminal = Terminal::open(&bench, &["watch", "--read-only"]);
    terminal.wait_until("all five under 5", |screen| (1..=5).all(|node| is_under(screen, node, "5")));
    terminal.press("Gc");
    terminal.wait_until("the refusal", |screen| screen.contents().contains("read-only"));
    std::fs::remove_file(&session).unwrap();
    terminal
        .wait_until("a new session", |screen| screen.contents().contains("records are missing in the session file"));
    bench.must(&["inject", "crash 5"]);
    terminal.wait_until("the death of 5", |screen| row(screen, 5).get(2).is_some_and(|word| word == "dead"));
    terminal.press("q");
    assert_eq!(terminal.end().0, 0);
    // The lab goes on without its spectator, and nobody need wait for a silence.
    bench.must(&["inject", "elect 4"]);
    bench.must(&["wait", "coordinator 4"]);
    let verdict = bench.must(&["down"]);
    assert!(verdict.contains(" records could not be written; session "), "{verdict}");
    let session = std::fs::read_to_string(session).unwrap();
    for (line, kind) in session.lines().zip(["hustings-session", "gap", "recording-resumed"]) {
        assert!(line.contains(&format!(":\"{kind}\"")), "{kind}: {line}");
    }
    assert!(session.contains("\"kind\":\"died\"") && session.lines().last().unwrap().contains("\"kind\":\"ended\""));
}
