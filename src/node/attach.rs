//! The node's own observe socket: what this node alone believes, for whoever attaches.
//!
//! A watcher gets a snapshot (the lab's head and this node's newest records, always with its latest state among them),
//! then every record as it comes, and a pulse when nothing comes, so that silence can be told from stillness.
//!
//! Invariant: watchers never slow the node: each has a bounded queue; what finds no room is counted, and a fresh
//! snapshot says how many were missed. The world is the judge's to fold, so a node's snapshot carries none.

#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::rc::{Rc, Weak};
use std::time::Duration;

use serde_json::Value;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Notify;

use super::clock::LabClock;
use crate::record::{Body, Frame, Head, Record, is_own_peer};

/// How many of the newest records a snapshot carries.
const RECENT_MAX: usize = 500;
/// How many lines and bytes may wait for one watcher.
const LINES_MAX: usize = 4_096;
const BYTES_MAX: usize = 1 << 20;
const PULSE: Duration = Duration::from_millis(250);
/// How long nothing is accepted after an accept failed, for want of descriptors most likely.
const REST: Duration = Duration::from_millis(100);

/// What watchers are served from. Cheap to clone; all clones are one.
#[derive(Clone, Debug)]
pub struct Observers(Rc<RefCell<Shared>>);

#[derive(Debug)]
struct Shared {
    head: Head,
    clock: LabClock,
    /// The latest records that are no longer among the recent ones and that a snapshot must not lack.
    ready: Option<Record>,
    state: Option<Record>,
    recent: VecDeque<Record>,
    watchers: Vec<Weak<Watcher>>,
}

/// What waits for one watcher.
#[derive(Debug, Default)]
struct Watcher {
    waiting: RefCell<Waiting>,
    more: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    lines: VecDeque<Rc<str>>,
    bytes: usize,
    missed: u64,
}

/// What a watcher gets next.
enum Next {
    Line(Rc<str>),
    Snapshot { missed: u64 },
    Nothing,
}

/// Makes the socket, in the place of one that a dead process left.
pub fn bind(path: &Path) -> io::Result<UnixListener> {
    // Only a socket is removed: a path that names a file by mistake costs nobody that file.
    if std::fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket()) {
        std::fs::remove_file(path)?;
    }
    UnixListener::bind(path)
}

impl Observers {
    /// Nothing has happened yet. Pulses tell the time of this clock.
    pub fn new(head: Head, clock: LabClock) -> Observers {
        let shared = Shared { head, clock, ready: None, state: None, recent: VecDeque::new(), watchers: Vec::new() };
        Observers(Rc::new(RefCell::new(shared)))
    }

    /// Gives a record to every watcher and keeps it for those to come.
    pub fn publish(&self, record: Record) {
        let mut shared = self.0.borrow_mut();
        let watchers: Vec<Rc<Watcher>> = shared.watchers.iter().filter_map(Weak::upgrade).collect();
        if !watchers.is_empty() {
            let line = line(&Frame::Record { record: record.clone() });
            watchers.iter().for_each(|watcher| watcher.give(&line));
        }
        shared.keep(record);
    }

    /// Serves watchers until the process ends.
    pub async fn serve(self, listener: UnixListener) {
        loop {
            match listener.accept().await {
                // Another user's process is let go without a word.
                Ok((stream, _)) if is_own_peer(&stream) => {
                    tokio::task::spawn_local(self.clone().attend(stream));
                }
                Ok(_) => {}
                Err(_) => tokio::time::sleep(REST).await,
            }
        }
    }

    /// Serves one watcher until it goes.
    async fn attend(self, stream: UnixStream) {
        let watcher = Rc::new(Watcher::default());
        let mut next = Next::Snapshot { missed: 0 };
        {
            // From the snapshot on nothing is missing: both are done before anything else can run.
            let mut shared = self.0.borrow_mut();
            shared.watchers.retain(|watcher| watcher.strong_count() > 0);
            shared.watchers.push(Rc::downgrade(&watcher));
        }
        loop {
            let line = match next {
                Next::Line(line) => line,
                Next::Snapshot { missed } => line(&self.0.borrow().snapshot(missed)),
                Next::Nothing => tokio::select! {
                    () = watcher.more.notified() => "".into(),
                    () = tokio::time::sleep(PULSE) => line(&self.0.borrow().pulse()),
                },
            };
            if write_all(&stream, line.as_bytes()).await.is_err() {
                return;
            }
            next = watcher.take();
        }
    }
}

impl Shared {
    fn keep(&mut self, record: Record) {
        self.recent.push_back(record);
        if self.recent.len() > RECENT_MAX
            && let Some(oldest) = self.recent.pop_front()
        {
            match &oldest.body {
                Body::Ready { .. } => self.ready = Some(oldest),
                Body::Step(step) if step.state.is_some() => self.state = Some(oldest),
                _ => {}
            }
        }
    }

    fn snapshot(&self, missed: u64) -> Frame {
        let recent = self.ready.iter().chain(&self.state).chain(&self.recent).cloned().collect();
        let head = Box::new(self.head.clone());
        Frame::Snapshot { head, world: Value::Null, recent, missed, session: None, steps_held: false }
    }

    fn pulse(&self) -> Frame {
        Frame::Pulse { at: self.clock.now().at }
    }
}

impl Watcher {
    fn give(&self, line: &Rc<str>) {
        let mut waiting = self.waiting.borrow_mut();
        // After the first line that found no room nothing is queued until the fresh snapshot, which holds it all.
        let room = waiting.lines.len() < LINES_MAX && waiting.bytes + line.len() <= BYTES_MAX;
        if waiting.missed > 0 || !room {
            waiting.missed += 1;
        } else {
            waiting.bytes += line.len();
            waiting.lines.push_back(line.clone());
        }
        self.more.notify_one();
    }

    fn take(&self) -> Next {
        let mut waiting = self.waiting.borrow_mut();
        if let Some(line) = waiting.lines.pop_front() {
            waiting.bytes -= line.len();
            return Next::Line(line);
        }
        match std::mem::take(&mut waiting.missed) {
            0 => Next::Nothing,
            missed => Next::Snapshot { missed },
        }
    }
}

async fn write_all(stream: &UnixStream, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        stream.writable().await?;
        match stream.try_write(bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn line(frame: &Frame) -> Rc<str> {
    let mut text = serde_json::to_string(frame).expect("a frame is plain data, and its maps have text keys");
    text.push('\n');
    text.into()
}
