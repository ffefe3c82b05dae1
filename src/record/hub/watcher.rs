//! One watcher: its queue, and what it has missed.
//!
//! Invariant: after the first line that finds no room nothing is queued until the fresh snapshot, which holds
//! everything: otherwise nobody would see the hole in the stream. What a watcher is given is at most a second old when
//! it is written; one that cannot keep up so far gets the present instead.

use std::collections::VecDeque;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{setsockopt, sockopt};
use tokio::net::UnixStream;
use tokio::sync::Notify;

use super::listener::write_all;

/// How many lines may wait for one watcher, and how many bytes of records, besides what its socket holds. (The snapshot
/// of a large lab is long, and must leave room for the records after it.)
pub const LINES_MAX: usize = 4_096;
pub const BYTES_MAX: usize = 1 << 20;
/// A record that has waited for longer than this shows a past: the present comes instead of it.
const WAIT_MAX_MS: u64 = 700;
/// How many bytes a watcher's socket should hold: few, so that a stalled watcher is noticed soon.
const SEND_BUFFER_BYTES: usize = 32 * 1024;

/// One watcher.
#[derive(Debug)]
pub struct Watcher {
    stream: UnixStream,
    waiting: Mutex<Backlog>,
    more: Notify,
    /// [`WAIT_MAX_MS`], but for tests.
    wait_max_ms: AtomicU64,
}

/// The queue.
#[derive(Default, Debug)]
struct Backlog {
    /// The first is being written.
    lines: VecDeque<QueuedLine>,
    /// How many of them are records.
    bytes: usize,
    standing: StreamStanding,
    since_pulse: Since,
}

/// A line in the queue.
#[derive(Clone, Debug)]
enum QueuedLine {
    Record(Arc<str>, Instant),
    Other(Arc<str>),
}

/// What it got since its last pulse was due.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug)]
enum Since {
    #[default]
    Nothing,
    Something,
}

/// The position in the stream of records.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug)]
enum StreamStanding {
    /// Has come, and waits for its first snapshot.
    #[default]
    HasCome,
    KeepsUp,
    /// Has missed this many records.
    Misses(u64),
    /// Goes when its whole queue is written.
    Goes,
}

/// The next thing to do for it.
enum Next {
    Write(QueuedLine),
    Wait,
    End,
}

impl Watcher {
    /// A watcher that has just come.
    pub fn new(stream: UnixStream) -> Watcher {
        // If this is refused, the default size stays, and a stall is only noticed later.
        let _ = setsockopt(&stream, sockopt::SndBuf, &SEND_BUFFER_BYTES);
        Watcher { stream, waiting: Mutex::default(), more: Notify::new(), wait_max_ms: AtomicU64::new(WAIT_MAX_MS) }
    }

    /// Gives it a record's line, or counts it as missed.
    pub fn give(&self, line: &Arc<str>) {
        let mut waiting = lock(&self.waiting);
        match waiting.standing {
            StreamStanding::KeepsUp if waiting.is_late(self.wait_max()) => {
                let forgotten = waiting.forget();
                waiting.standing = StreamStanding::Misses(forgotten + 1);
            }
            StreamStanding::KeepsUp if waiting.has_room_for(line) => {
                waiting.bytes += line.len();
                self.put(&mut waiting, QueuedLine::Record(Arc::clone(line), Instant::now()));
            }
            StreamStanding::KeepsUp => waiting.standing = StreamStanding::Misses(1),
            StreamStanding::Misses(missed) => waiting.standing = StreamStanding::Misses(missed + 1),
            // The next snapshot holds it.
            StreamStanding::HasCome | StreamStanding::Goes => {}
        }
    }

    fn wait_max(&self) -> Duration {
        Duration::from_millis(self.wait_max_ms.load(Ordering::Relaxed))
    }

    /// Gives it a sign of life, if it got nothing since the last time, and its queue is empty.
    pub fn give_pulse(&self, line: &Arc<str>) {
        let mut waiting = lock(&self.waiting);
        let is_still = waiting.since_pulse == Since::Nothing && waiting.lines.is_empty();
        if waiting.standing == StreamStanding::KeepsUp && is_still {
            self.put(&mut waiting, QueuedLine::Other(Arc::clone(line)));
        }
        waiting.since_pulse = Since::Nothing;
    }

    /// Gives it a line that matters only if it keeps up.
    pub fn give_if_free(&self, line: &Arc<str>) {
        let mut waiting = lock(&self.waiting);
        if waiting.standing == StreamStanding::KeepsUp && waiting.lines.len() < LINES_MAX {
            self.put(&mut waiting, QueuedLine::Other(Arc::clone(line)));
        }
    }

    /// Whether it waits for its first snapshot.
    pub fn has_just_come(&self) -> bool {
        lock(&self.waiting).standing == StreamStanding::HasCome
    }

    /// How many records it has missed, if it wants a snapshot and everything else for it is written: a stalled watcher
    /// has no room for a snapshot, and making one costs time.
    pub fn wants_snapshot(&self) -> Option<u64> {
        let waiting = lock(&self.waiting);
        match waiting.standing {
            StreamStanding::HasCome => Some(0),
            StreamStanding::Misses(missed) if waiting.lines.is_empty() => Some(missed),
            StreamStanding::KeepsUp | StreamStanding::Misses(_) | StreamStanding::Goes => None,
        }
    }

    /// Gives it a snapshot, after which it has missed nothing.
    pub fn give_snapshot(&self, line: Arc<str>) {
        let mut waiting = lock(&self.waiting);
        if waiting.standing != StreamStanding::Goes {
            waiting.standing = StreamStanding::KeepsUp;
            self.put(&mut waiting, QueuedLine::Other(line));
        }
    }

    /// Lets it go after its queue, and after this line if it has missed nothing.
    pub fn let_go(&self, goodbye: &Arc<str>) {
        self.give_if_free(goodbye);
        lock(&self.waiting).standing = StreamStanding::Goes;
        self.more.notify_one();
    }

    /// Whether it has closed its connection, before any line finds that out; its task then ends. A silent watcher still
    /// counts as connected.
    pub fn has_left(&self) -> bool {
        let mut connection = [PollFd::new(self.stream.as_fd(), PollFlags::empty())];
        let has_left = poll(&mut connection, PollTimeout::ZERO).is_ok() && connection[0].any().unwrap_or(false);
        if has_left {
            *lock(&self.waiting) = Backlog { standing: StreamStanding::Goes, ..Backlog::default() };
            self.more.notify_one();
        }
        has_left
    }

    /// Writes its queue until it has left, or is let go and everything is written.
    pub async fn write_out(&self) {
        loop {
            let next = self.next();
            match next {
                Next::Write(QueuedLine::Record(line, _) | QueuedLine::Other(line)) => {
                    if write_all(&self.stream, line.as_bytes()).await.is_err() {
                        return;
                    }
                    self.has_written();
                }
                Next::Wait => self.more.notified().await,
                Next::End => return,
            }
        }
    }

    fn next(&self) -> Next {
        let waiting = lock(&self.waiting);
        match waiting.lines.front() {
            Some(line) => Next::Write(line.clone()),
            None if waiting.standing == StreamStanding::Goes => Next::End,
            None => Next::Wait,
        }
    }

    fn has_written(&self) {
        let mut waiting = lock(&self.waiting);
        if let Some(QueuedLine::Record(line, _)) = waiting.lines.pop_front() {
            waiting.bytes -= line.len();
        }
    }

    fn put(&self, waiting: &mut Backlog, line: QueuedLine) {
        waiting.lines.push_back(line);
        waiting.since_pulse = Since::Something;
        self.more.notify_one();
    }
}

impl Backlog {
    /// Whether the oldest record that is not being written yet has waited for too long.
    fn is_late(&self, wait_max: Duration) -> bool {
        matches!(self.lines.get(1), Some(QueuedLine::Record(_, since)) if since.elapsed() >= wait_max)
    }

    /// Forgets what is not being written; returns how many records that were.
    fn forget(&mut self) -> u64 {
        let mut forgotten = 0;
        for line in self.lines.drain(1..) {
            if let QueuedLine::Record(line, _) = line {
                self.bytes -= line.len();
                forgotten += 1;
            }
        }
        forgotten
    }

    fn has_room_for(&self, line: &str) -> bool {
        self.lines.len() < LINES_MAX && self.bytes + line.len() <= BYTES_MAX
    }
}

/// The content of the lock; a thread that panicked while it held the lock has left it whole.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
impl Watcher {
    /// Makes it wait for as long as this.
    pub fn set_wait_max_ms(&self, millis: u64) {
        self.wait_max_ms.store(millis, Ordering::Relaxed);
    }

    /// How many records it has missed and not been told of.
    pub fn missed(&self) -> u64 {
        match lock(&self.waiting).standing {
            StreamStanding::Misses(missed) => missed,
            StreamStanding::HasCome | StreamStanding::KeepsUp | StreamStanding::Goes => 0,
        }
    }

    /// Whether it keeps up and everything for it is written.
    pub fn wants_nothing(&self) -> bool {
        let waiting = lock(&self.waiting);
        waiting.standing == StreamStanding::KeepsUp && waiting.lines.is_empty()
    }
}
