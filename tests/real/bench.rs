//! What every test of real processes stands on: the program, a home of its own, and the turn to use this computer.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// How many tests may have labs at a time: of two cores, two labs whose T is half a second take a sixth.
const LABS_AT_ONCE: usize = 2;

/// How many tests have labs now.
static TURNS: (Mutex<usize>, Condvar) = (Mutex::new(0), Condvar::new());

/// The right to have labs of real processes, given back when dropped.
struct Turn;

impl Turn {
    fn wait() -> Turn {
        // A test that failed in its turn leaves nothing behind that could hurt the next one.
        let taken = TURNS.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut taken =
            TURNS.1.wait_while(taken, |taken| *taken >= LABS_AT_ONCE).unwrap_or_else(PoisonError::into_inner);
        *taken += 1;
        Turn
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        *TURNS.0.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        TURNS.1.notify_one();
    }
}

/// A place in which the program is at home, and which nobody else sees.
pub struct Bench {
    home: tempfile::TempDir,
    /// Absent where no lab of real processes runs.
    _turn: Option<Turn>,
}

impl Drop for Bench {
    fn drop(&mut self) {
        // A lab that a failed test leaves behind would go on for ever. Its nodes end with its host.
        let Ok(listed) = self.hustings(&["ls", "--json"]).output() else { return };
        for line in String::from_utf8_lossy(&listed.stdout).lines() {
            let entry: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
            if let Some(pid) = entry["pid"].as_i64() {
                let _ = kill(Pid::from_raw(pid as i32), Signal::SIGKILL);
            }
        }
    }
}

/// What a command printed, and its exit code.
#[derive(Debug)]
pub struct Printed {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Bench {
    /// For labs of real processes: waits for the turn.
    pub fn new() -> Bench {
        Bench { home: tempfile::tempdir().unwrap(), _turn: Some(Turn::wait()) }
    }

    /// For everything else: waits for nobody. A lab that runs meanwhile bears what one more process computes.
    pub fn without_labs() -> Bench {
        Bench { home: tempfile::tempdir().unwrap(), _turn: None }
    }

    /// The program, at home here.
    pub fn hustings(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hustings"));
        command
            .args(arguments)
            .env("XDG_RUNTIME_DIR", self.home.path())
            .env("XDG_STATE_HOME", self.home.path())
            .env("XDG_CONFIG_HOME", self.home.path())
            .env_remove("HUSTINGS_CONFIG")
            .env("TERM", "xterm-256color")
            .env("LC_ALL", "C.UTF-8")
            .env_remove("NO_COLOR")
            .stdin(Stdio::null());
        command
    }

    /// The program at home here, after the shell has done this.
    pub fn hustings_after(&self, shell: &str, arguments: &[&str]) -> Command {
        let program = self.hustings(arguments);
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{shell}; exec \"$0\" \"$@\"")]).arg(program.get_program()).args(arguments);
        for (name, value) in program.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.stdin(Stdio::null());
        command
    }

    /// The records in a plain session file so far.
    pub fn records(session: &Path) -> Vec<serde_json::Value> {
        let text = std::fs::read_to_string(session).unwrap();
        text.lines().skip(1).filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// The text of a compressed session file so far.
    pub fn unpacked(session: &Path) -> String {
        let mut text = Vec::new();
        // While it is being written, its end is missing.
        let _ = zstd::stream::copy_decode(std::fs::File::open(session).unwrap(), &mut text);
        String::from_utf8(text).unwrap()
    }

    /// Waits until this holds, and not longer than a test may take.
    pub fn until(what: &str, holds: impl Fn() -> bool) {
        let deadline = Instant::now() + Duration::from_secs(20);
        while !holds() {
            assert!(Instant::now() < deadline, "it does not come: {what}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Runs a command to its end.
    pub fn run(&self, arguments: &[&str]) -> Printed {
        Printed::of(self.hustings(arguments).output().unwrap())
    }

    /// Runs a command that must succeed; answers what it printed on stdout.
    pub fn must(&self, arguments: &[&str]) -> String {
        let printed = self.run(arguments);
        assert_eq!(printed.code, 0, "{arguments:?}: {printed:?}");
        printed.out
    }

    /// Writes a file; answers its path.
    pub fn file(&self, name: &str, text: &str) -> String {
        let path = self.home.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// A path here.
    pub fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }
}

impl Printed {
    pub fn of(output: Output) -> Printed {
        Printed {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    pub fn last_line(&self) -> &str {
        self.out.lines().last().unwrap_or("")
    }
}

/// Five Bully processes, T 500 ms, without a script: these lines are added at the end.
pub fn bully_lab(more: &str) -> String {
    format!(
        "name = \"short\"\nabout = \"Five Bully processes.\"\nalgorithm = \"bully\"\nnodes = 5\nseed = 1\n\
         T = \"500ms\"\ncheck = \"500ms\"\nsilence = \"2500ms\"\n{more}"
    )
}

/// What a lab leaves to those who watch it, and a test has no use for: a line of the lab, and what stands in its places in
/// the test's copy before that is slowed. The steps come in the same order and at the same states, if not at the same
/// times, and what has to stay still does so for T at least.
const HASTENED: &[(&str, &str, &str)] = &[
    ("bully-pause.toml", "check = \"900ms\"", "check = \"300ms\""),
    ("bully-pause.toml", "silence = \"2s\"", "silence = \"1s\""),
    ("bully-pause.toml", "at = \"1100ms\"", "when = \"coordinator 5\"\nthen_wait = \"100ms\""),
    ("bully-pause.toml", "at = \"5100ms\"", "when = \"coordinator 4 of 1-4\"\nthen_wait = \"100ms\""),
    ("bully-pause.toml", "stays = \"3s\"", "stays = \"1s\""),
    // Longer than the quiet after which the judge looks for one coordinator.
    ("bully-pause.toml", "at = \"11s\"", "when = \"groups 2\"\nthen_wait = \"3500ms\""),
    ("first.toml", "at = \"2s\"", "at = \"1s\""),
    ("first.toml", "then_wait = \"1s\"", "then_wait = \"400ms\""),
    ("invitation-rollback.toml", "check = \"1s\"", "check = \"900ms\""),
    ("invitation-rollback.toml", "silence = \"2s\"", "silence = \"1s\""),
    ("invitation-rollback.toml", "then_wait = \"400ms\"", "then_wait = \"100ms\""),
    ("king-ni-a.toml", "at = \"1s\"", "at = \"400ms\""),
    ("king-ni-a.toml", "then_wait = \"600ms\"", "then_wait = \"200ms\""),
    ("king-ni-a.toml", "stays = \"600ms\"", "stays = \"200ms\""),
    ("king-ni-a.toml", "then_wait = \"1s\"", "then_wait = \"300ms\""),
    ("king-ni-b1.toml", "then_wait = \"400ms\"", "then_wait = \"200ms\""),
    ("king-ni-b1.toml", "stays = \"600ms\"", "stays = \"200ms\""),
    ("king-ni-b1.toml", "then_wait = \"1s\"", "then_wait = \"300ms\""),
    ("king-ni-b2-lengths.toml", "stays = \"1s\"", "stays = \"400ms\""),
    ("king-ni-load.toml", "at = \"1200ms\"", "at = \"400ms\""),
    // Slowed, still longer than the two seconds of which a load is told.
    ("king-ni-load.toml", "then_wait = \"4s\"", "then_wait = \"900ms\""),
    ("king-ni-load.toml", "then_wait = \"400ms\"", "then_wait = \"100ms\""),
    ("king-ni-load.toml", "stays = \"400ms\"", "stays = \"200ms\""),
    ("moment-ready.toml", "then_wait = \"1s\"", "then_wait = \"400ms\""),
    ("partial.toml", "stays = \"1s\"", "stays = \"400ms\""),
    ("partition-and-merge.toml", "check = \"1s\"", "check = \"900ms\""),
    ("partition-and-merge.toml", "silence = \"2s\"", "silence = \"1s\""),
    ("partition-and-merge.toml", "then_wait = \"400ms\"", "then_wait = \"100ms\""),
    ("bully-fd.toml", "at = \"4s\"", "when = \"coordinator 1\"\nthen_wait = \"100ms\""),
    ("bully-fd.toml", "then_wait = \"2s\"", "then_wait = \"300ms\""),
    ("bully-fd.toml", "stays = \"2s\"", "stays = \"200ms\""),
    ("ring.toml", "stays = \"2s\"", "stays = \"400ms\""),
    ("textbook-bully.toml", "stays = \"3s\"", "stays = \"1s\""),
    ("async-bully.toml", "check = \"1s\"", "check = \"500ms\""),
    ("async-bully.toml", "then_wait = \"2s\"", "then_wait = \"500ms\""),
    ("async-bully.toml", "then_wait = \"4s\"", "then_wait = \"300ms\""),
    ("async-bully.toml", "stays = \"2s\"", "stays = \"200ms\""),
];

/// Where labs are; the second is for those that no simulator can run.
pub fn lab_folders() -> [PathBuf; 2] {
    let labs = Path::new(env!("CARGO_MANIFEST_DIR")).join("labs");
    [labs.clone(), labs.join("live")]
}

/// How the last step of a lab begins that waits for the judgement of the quiet, which the simulator has at once.
const QUIET: &str = "\n[[step]]\nname = \"quiet\"";

/// A lab of the project, slowed so that its T is at least 500 ms: all its durations grow alike.
pub fn slowed_lab(name: &str) -> String {
    let path = lab_folders().map(|folder| folder.join(name)).into_iter().find(|path| path.exists());
    let mut text = std::fs::read_to_string(path.unwrap_or_else(|| panic!("there is no {name}"))).unwrap();
    text.truncate(text.find(QUIET).unwrap_or(text.len()));
    for (_, line, hastened) in HASTENED.iter().filter(|(lab, ..)| *lab == name) {
        let (line, hastened) = (format!("\n{line}\n"), format!("\n{hastened}\n"));
        assert!(text.contains(&line), "{name}: {line}");
        text = text.replace(&line, &hastened);
    }
    let t: u64 = text
        .lines()
        .find_map(|line| line.strip_prefix("T = \"")?.split_once("ms\"")?.0.parse().ok())
        .unwrap_or_else(|| panic!("{name} has no T in milliseconds"));
    let factor = (500.0 / t as f64).max(1.0);
    text.lines().map(|line| slowed_line(line, factor) + "\n").collect()
}

/// Multiplies every duration in the quotes of a line, those of a fault line too.
fn slowed_line(line: &str, factor: f64) -> String {
    let slowed = |(index, part): (usize, &str)| match index % 2 {
        0 => part.to_owned(),
        _ => part.split(' ').map(|word| slowed_word(word, factor)).collect::<Vec<_>>().join(" "),
    };
    line.split('"').enumerate().map(slowed).collect::<Vec<_>>().join("\"")
}

fn slowed_word(word: &str, factor: f64) -> String {
    let slowed = |piece: &str| {
        let end = piece.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(piece.len());
        match (piece[..end].parse::<f64>(), &piece[end..]) {
            (Ok(number), unit @ ("ms" | "s" | "m")) => format!("{}{unit}", number * factor),
            _ => piece.to_owned(),
        }
    };
    word.split("..").map(slowed).collect::<Vec<_>>().join("..")
}
