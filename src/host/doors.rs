//! The host's two doors: watchers, who are fed and never waited for, and requests, which are answered.
//!
//! Invariant: a watcher that does not keep up loses records, is told how many, and gets a fresh snapshot; it never
//! holds up the lab. Only this user's processes get in, and no more of them than there is room for.

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender, SyncSender, TrySendError};
use std::thread;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{setsockopt, sockopt};

use super::reader::Event;
use crate::record::{Answer, Frame, Request, is_own_peer};

/// How many watchers there may be: each costs a thread and what waits for it.
pub const WATCHERS_MAX: usize = 128;
/// How many connections of the inject door there may be.
const REQUESTS_MAX: usize = 128;
/// Lines that may wait for a watcher beside what its socket holds.
const LINES_WAITING_MAX: usize = 256;
/// What a watcher's socket is asked to hold, in bytes: little, so that a stalled watcher is soon known to stall.
const WATCHER_SEND_BUFFER_BYTES: usize = 32 * 1024;
/// How long a watcher that stalls may hold up the end of the lab.
const FAREWELL: Duration = Duration::from_millis(500);
/// A longer request is nobody's.
const REQUEST_BYTES_MAX: u64 = 64 * 1024;

/// Opens a door at this path. Whatever lay there is a leftover.
pub fn open(path: &Path) -> io::Result<UnixListener> {
    if path.exists() {
        fs::remove_file(path)?;
    }
    let listener = UnixListener::bind(path)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// One watcher of the lab.
#[derive(Debug)]
pub struct Watcher {
    lines: SyncSender<Arc<str>>,
    connection: UnixStream,
    /// How many lines were given to it and are not written yet.
    waiting: Arc<AtomicUsize>,
    missed: u64,
    writer: thread::JoinHandle<()>,
}

/// How a watcher stands after it was given something.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Watching {
    /// It is there.
    On,
    /// It has left.
    Gone,
}

/// What became of a line.
enum Sent {
    Yes,
    NoRoom,
    ToNobody,
}

impl Watcher {
    /// Lets a watcher in; `None` if it is not this user's. Its writer thread ends when the watcher leaves or is let go.
    pub fn admit(stream: UnixStream) -> Option<Watcher> {
        if !is_own_peer(&stream) {
            return None;
        }
        // A refusal leaves the default size, which only means that a stall shows later.
        let _ = setsockopt(&stream, sockopt::SndBuf, &WATCHER_SEND_BUFFER_BYTES);
        let connection = stream.try_clone().ok()?;
        let (lines, given) = mpsc::sync_channel::<Arc<str>>(LINES_WAITING_MAX);
        let waiting = Arc::new(AtomicUsize::new(0));
        let unwritten = Arc::clone(&waiting);
        let write = move || {
            let mut stream = stream;
            for line in given {
                if stream.write_all(line.as_bytes()).is_err() {
                    // Nothing waits for somebody who has left, and the next line finds that out.
                    unwritten.store(0, Ordering::Relaxed);
                    return;
                }
                unwritten.fetch_sub(1, Ordering::Relaxed);
            }
        };
        let writer = thread::Builder::new().name("watcher".to_owned()).spawn(write).ok()?;
        Some(Watcher { lines, connection, waiting, missed: 0, writer })
    }

    /// Gives it a record's line, or counts it as missed.
    pub fn give(&mut self, line: &Arc<str>) -> Watching {
        if self.missed > 0 {
            self.missed += 1;
            return Watching::On;
        }
        match self.send(Arc::clone(line)) {
            Sent::Yes => Watching::On,
            Sent::NoRoom => {
                self.missed = 1;
                Watching::On
            }
            Sent::ToNobody => Watching::Gone,
        }
    }

    /// Gives it a line that matters only if it keeps up, such as a pulse.
    pub fn give_if_free(&mut self, line: &Arc<str>) -> Watching {
        if self.missed > 0 {
            return Watching::On;
        }
        match self.send(Arc::clone(line)) {
            Sent::Yes | Sent::NoRoom => Watching::On,
            Sent::ToNobody => Watching::Gone,
        }
    }

    /// Whether it has closed its connection, before any line finds that out. One that only says nothing is there.
    pub fn has_left(&self) -> bool {
        let mut connection = [PollFd::new(self.connection.as_fd(), PollFlags::empty())];
        poll(&mut connection, PollTimeout::ZERO).is_ok() && connection[0].any().unwrap_or(false)
    }

    /// Whether all that was given to it is written, so that a snapshot is worth its making.
    pub fn has_caught_up(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) == 0
    }

    /// How many records it has missed and not been told of.
    pub fn missed(&self) -> u64 {
        self.missed
    }

    /// Gives it a snapshot, after which it has missed nothing; while it does not keep up there is no room for one.
    pub fn give_snapshot(&mut self, line: Arc<str>) -> Watching {
        match self.send(line) {
            Sent::Yes => {
                self.missed = 0;
                Watching::On
            }
            Sent::NoRoom => Watching::On,
            Sent::ToNobody => Watching::Gone,
        }
    }

    fn send(&self, line: Arc<str>) -> Sent {
        // Counted first, so that the writer never takes off what was not put on.
        self.waiting.fetch_add(1, Ordering::Relaxed);
        match self.lines.try_send(line) {
            Ok(()) => Sent::Yes,
            Err(TrySendError::Full(_)) => {
                self.waiting.fetch_sub(1, Ordering::Relaxed);
                Sent::NoRoom
            }
            Err(TrySendError::Disconnected(_)) => Sent::ToNobody,
        }
    }
}

/// Tells somebody who wants to watch that there is no room.
pub fn turn_away(mut stream: UnixStream) {
    let why = format!("{WATCHERS_MAX} watchers are attached, and there is no room for more; the lab itself goes on");
    // So short a line finds room in a new socket, and if not, it was not to be.
    let _ =
        stream.set_nonblocking(true).and_then(|()| stream.write_all(frame_line(&Frame::Goodbye { why }).as_bytes()));
}

/// A frame as its line.
pub fn frame_line(frame: &Frame) -> Arc<str> {
    let line = serde_json::to_string(frame).expect("a frame is plain data, and its maps have text keys");
    (line + "\n").into()
}

/// Lets all watchers go: waits until each has got what was given to it, but not for one that does not read.
pub fn see_off(watchers: Vec<Watcher>) {
    let deadline = Instant::now() + FAREWELL;
    // Without its sender a writer ends after its last line.
    let writers: Vec<_> = watchers.into_iter().map(|watcher| watcher.writer).collect();
    while !writers.iter().all(thread::JoinHandle::is_finished) && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(5));
    }
}

/// Serves one connection of the inject door, on a thread of its own, until it closes. `connections` counts them by the
/// holds on it.
pub fn serve_requests(mut stream: UnixStream, events: SyncSender<Event>, connections: &Arc<()>) {
    if !is_own_peer(&stream) {
        return;
    }
    let held = Arc::clone(connections);
    // One hold is the reader's.
    if Arc::strong_count(connections) - 1 > REQUESTS_MAX {
        let why = format!("{REQUESTS_MAX} others are connected for requests; close some of them");
        write_answer(&mut stream, &Answer::Refused { why });
        return;
    }
    // Without a thread there is no answer: the client sees its connection close.
    let _ = thread::Builder::new().name("requests".to_owned()).spawn(move || {
        let _held = held;
        let (Ok(mut answers), Ok(for_the_end)) = (stream.try_clone(), stream.try_clone()) else { return };
        let mut lines = BufReader::new(stream);
        let mut line = String::new();
        loop {
            line.clear();
            let limited = io::Read::take(&mut lines, REQUEST_BYTES_MAX).read_line(&mut line);
            if !limited.is_ok_and(|length| length > 0) {
                return;
            }
            let answer = match serde_json::from_str(&line) {
                // This thread may end with the process, so the lab itself answers.
                Ok(Request::End) => {
                    if events.send(Event::End(for_the_end)).is_err() {
                        write_answer(&mut answers, &over());
                    }
                    return;
                }
                Ok(Request::Inject(line)) => ask(&events, |reply| Event::Inject(line, reply)),
                Ok(Request::PlaySteps) => ask(&events, Event::PlaySteps),
                Err(error) => Answer::Refused { why: format!("this is no request: {error}") },
            };
            if !write_answer(&mut answers, &answer) {
                return;
            }
        }
    });
}

/// Writes an answer; `false` if nobody reads it any more.
pub fn write_answer(stream: &mut UnixStream, answer: &Answer) -> bool {
    let text = serde_json::to_string(answer).expect("an answer is plain data") + "\n";
    stream.write_all(text.as_bytes()).is_ok()
}

fn ask(events: &SyncSender<Event>, event: impl FnOnce(Sender<Answer>) -> Event) -> Answer {
    let (answer, reply) = mpsc::channel();
    if events.send(event(answer)).is_err() {
        return over();
    }
    reply.recv().unwrap_or_else(|_| over())
}

fn over() -> Answer {
    Answer::Refused { why: "the lab is over".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Arc<str> {
        format!("{text}\n").into()
    }

    #[test]
    fn a_watcher_that_stands_still_is_told_what_it_missed_once_it_has_caught_up() {
        let (stream, reader) = UnixStream::pair().unwrap();
        let mut watcher = Watcher::admit(stream).unwrap();
        let long = line(&"x".repeat(10_000));
        let mut given = 0;
        while watcher.missed() == 0 {
            assert_eq!(watcher.give(&long), Watching::On);
            given += 1;
        }
        assert_eq!(watcher.give(&long), Watching::On);
        assert_eq!((watcher.missed(), watcher.has_caught_up()), (2, false));

        let mut lines = BufReader::new(reader).lines();
        for _ in 1..given {
            assert_eq!(lines.next().unwrap().unwrap().len(), 10_000);
        }
        while !watcher.has_caught_up() {
            thread::yield_now();
        }
        assert_eq!(watcher.give_snapshot(line("snapshot")), Watching::On);
        assert_eq!((lines.next().unwrap().unwrap().as_str(), watcher.missed()), ("snapshot", 0));
    }

    #[test]
    fn a_watcher_that_has_left_while_it_missed_something_is_found_out() {
        let (stream, reader) = UnixStream::pair().unwrap();
        let mut watcher = Watcher::admit(stream).unwrap();
        let long = line(&"x".repeat(10_000));
        while watcher.missed() == 0 {
            watcher.give(&long);
        }
        assert!(!watcher.has_left());
        drop(reader);
        assert!(watcher.has_left());
        while !watcher.writer.is_finished() {
            thread::yield_now();
        }
        assert!(watcher.has_caught_up());
        assert_eq!(watcher.give_snapshot(line("snapshot")), Watching::Gone);
    }
}
