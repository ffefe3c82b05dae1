//! What the benchmarks share: the program, a place for its labs, medians, and the bare process beside it.
//!
//! Each benchmark measures hustings and, in the same run, a bare tokio process with one UDP socket ([`bare`], built
//! here): a figure is a ratio of the two, or stands beside the absolute bar that its head names.
//!
//! Invariant: a benchmark asserts nothing; it prints what it measured, with the smallest, the median and the largest.

pub mod targets;
pub mod untimed;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use nix::time::{ClockId, clock_gettime};

/// A place in which labs run that nobody else sees, and the program to run them.
pub struct Place {
    program: PathBuf,
    home: tempfile::TempDir,
}

impl Place {
    /// The program is the environment's HUSTINGS, else the release build of the crate above.
    pub fn new() -> Place {
        let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release/hustings");
        let program = std::env::var_os("HUSTINGS").map_or(built, PathBuf::from);
        assert!(program.exists(), "no {}: run cargo build --release in the crate above first", program.display());
        // In memory, as a lab's own place is: a save on a disk takes milliseconds, which is another figure.
        let memory = Path::new("/dev/shm");
        let parent = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        Place { program, home: tempfile::tempdir_in(parent).expect("a temporary directory can be made") }
    }

    /// A path in this place.
    pub fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// The program with these arguments.
    pub fn hustings(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .env("XDG_RUNTIME_DIR", self.home.path())
            .env("XDG_STATE_HOME", self.home.path())
            .env("XDG_CONFIG_HOME", self.home.path())
            .env_remove("HUSTINGS_CONFIG")
            .stdin(Stdio::null());
        command
    }

    /// Runs it to its end; `None` if it did not succeed.
    pub fn run(&self, arguments: &[&str]) -> Option<String> {
        let Output { status, stdout, .. } = self.hustings(arguments).output().expect("the program can be started");
        status.success().then(|| String::from_utf8_lossy(&stdout).trim().to_owned())
    }

    /// Starts a lab of this text that nobody owns, recorded to a file of this name; answers its id.
    pub fn up(&self, lab: &str, session: &str) -> String {
        let file = self.path("lab.toml");
        std::fs::write(&file, lab).expect("the place can be written to");
        let session = self.path(session);
        let arguments = ["up", &file.to_string_lossy(), "--detach", "--record", &session.to_string_lossy()];
        self.run(&arguments).expect("the lab starts")
    }
}

impl Default for Place {
    fn default() -> Place {
        Place::new()
    }
}

/// A Bully lab of so many nodes with these periods in milliseconds, without a script.
pub fn bully(nodes: u16, form: &str, t_ms: u64, check_ms: u64, silence_ms: u64) -> String {
    format!(
        "name = \"bench\"\nabout = \"A lab to measure.\"\nalgorithm = \"bully\"\nnodes = {nodes}\nseed = 1\n\
         T = \"{t_ms}ms\"\ncheck = \"{check_ms}ms\"\nsilence = \"{silence_ms}ms\"\n[settings]\nform = \"{form}\"\n"
    )
}

/// The bare program beside this one.
pub fn bare(arguments: &[&str]) -> Command {
    let own = std::env::current_exe().expect("a running program has a path");
    let mut command = Command::new(own.with_file_name("bare"));
    command.args(arguments).stdin(Stdio::null());
    command
}

/// Nanoseconds of CLOCK_MONOTONIC, which all processes of the machine share.
pub fn monotonic_nanos() -> u64 {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).expect("Linux always has CLOCK_MONOTONIC");
    now.tv_sec() as u64 * 1_000_000_000 + now.tv_nsec() as u64
}

/// Resident memory of a process in KiB.
pub fn resident_kib(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix("kB")?.trim().parse().ok())
}

/// Waits until this is so, at most ten seconds; whether it came to be.
pub fn wait_until(mut is_so: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !is_so() {
        if Instant::now() > deadline {
            return false;
        }
        std::thread::sleep(Duration::from_micros(200));
    }
    true
}

/// Smallest, median and largest.
#[derive(Copy, Clone, Debug)]
pub struct Spread {
    pub smallest: f64,
    pub median: f64,
    pub largest: f64,
}

/// The spread of some figures; there must be one at least.
pub fn spread(mut figures: Vec<f64>) -> Spread {
    figures.sort_by(f64::total_cmp);
    let (first, last) = (figures[0], figures[figures.len() - 1]);
    Spread { smallest: first, median: figures[figures.len() / 2], largest: last }
}

impl std::fmt::Display for Spread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:9.2} {:9.2} {:9.2}", self.smallest, self.median, self.largest)
    }
}
