//! Starting a host as a process of its own, and owning it.
//!
//! The owner writes one line, the [`HostOrders`], to the host's stdin and keeps that pipe open: it is the lifeline.
//! The host writes [`HostMessage`]s to its stdout, one JSON object a line; nobody reads its stderr.
//!
//! Invariant: when the lifeline closes, for whatever reason, the host ends the lab and itself.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};

use nix::fcntl::OFlag;
use serde::{Deserialize, Serialize};

use super::lab_files::LabText;
use super::run::HowToRun;
use record::{MadeBy, Recording};

/// What a host is to do.
#[derive(Debug, Serialize, Deserialize)]
pub struct HostOrders {
    /// What the lab file's errors call it.
    pub lab_name: String,
    /// The lab file's text.
    pub lab_text: String,
    /// The multicast group, if it was chosen by hand.
    pub group: Option<std::net::SocketAddrV4>,
    /// The directory below which the stores lie, if not in the run directory.
    pub store: Option<PathBuf>,
    /// Where the session is recorded.
    pub recording: Recording,
    /// Whether the sender of these orders owns the lab.
    pub owned: bool,
}

/// What a host says to the process that started it.
#[derive(Debug, Serialize, Deserialize)]
pub enum HostMessage {
    /// The lab is up, and this is its run directory.
    Up(PathBuf),
    /// Did not start; the exit code and why.
    Failed(u8, String),
    /// Has ended; the verdict line, and each violation.
    Ended(String, Vec<String>),
}

impl HostOrders {
    /// The orders for this lab.
    pub fn new(lab: LabText, how: &HowToRun, owned: bool) -> io::Result<HostOrders> {
        // The host may have another working directory.
        let store = how.store.as_ref().map(std::path::absolute).transpose()?;
        let recording = match how.recording(MadeBy::Up) {
            Recording::To(path) => Recording::To(std::path::absolute(path)?),
            elsewhere => elsewhere,
        };
        Ok(HostOrders { lab_name: lab.name, lab_text: lab.text, group: how.group, store, recording, owned })
    }
}

/// A host process that this process started.
#[derive(Debug)]
pub struct OwnedHost {
    child: Child,
    lifeline: File,
    words: BufReader<ChildStdout>,
}

impl OwnedHost {
    /// Starts a host and gives it its orders.
    pub fn start(orders: &HostOrders) -> io::Result<OwnedHost> {
        let (theirs, ours) = nix::unistd::pipe2(OFlag::O_CLOEXEC)?;
        let mut child = Command::new("/proc/self/exe")
            .arg0("hustings")
            .arg("host")
            .stdin(Stdio::from(theirs))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let words = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let mut lifeline = File::from(ours);
        writeln!(lifeline, "{}", serde_json::to_string(orders)?)?;
        Ok(OwnedHost { child, lifeline, words })
    }

    /// The next word of the host; `None` when it has no more.
    pub fn next_word(&mut self) -> io::Result<Option<HostMessage>> {
        let mut line = String::new();
        if self.words.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        Ok(Some(serde_json::from_str(&line)?))
    }

    /// Closes the lifeline and waits until the host has ended; returns its last word.
    pub fn end(mut self) -> io::Result<Option<HostMessage>> {
        drop(self.lifeline);
        let mut line = String::new();
        let mut last = None;
        while self.words.read_line(&mut line)? > 0 {
            last = Some(serde_json::from_str(&line)?);
            line.clear();
        }
        self.child.wait()?;
        Ok(last)
    }
}
