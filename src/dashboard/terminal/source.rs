//! The two sockets of a running lab: frames come from one, requests and their answers go over the other.
//!
//! Invariant: the lab never waits for this screen: frames that the screen has not read stay in the socket, and the lab
//! drops what does not fit there and says so.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Write};
use std::ops::ControlFlow;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;

use crate::input::message::ScreenMessage;
use crate::time::feed::SoFarWanted;
use crate::time::session_so_far::SessionSoFar;
use protocol::NodeId;
use record::run_directory::{self, OBSERVE};
use record::{Answer, Frame, Frames, LineRead, Lines, Request};

/// How often a connection is tried.
const RETRY: Duration = Duration::from_millis(250);
/// How long the screen tries to reach a lab that has never answered.
const CALLING_MAX: Duration = Duration::from_secs(5);
/// How often a read returns at least, to see whether the screen has ended.
const READ_TIMEOUT: Duration = Duration::from_millis(250);
/// How long a request that cannot be written is tried.
const WRITE_TIMEOUT: Duration = Duration::from_secs(2);

/// Takes frames from a lab's socket, or a node's own, and gives requests to the lab. Both go on until `stop`.
pub fn start(
    directory: PathBuf,
    node: Option<NodeId>,
    messages: &SyncSender<ScreenMessage>,
    stop: &Arc<AtomicBool>,
) -> io::Result<Sender<Request>> {
    let observer = Observer { directory: directory.clone(), node, messages: messages.clone(), stop: Arc::clone(stop) };
    thread::Builder::new().name("observer".into()).spawn(move || observer.run())?;
    if node.is_some() {
        let watch = EndWatch { path: directory.join(OBSERVE), messages: messages.clone(), stop: Arc::clone(stop) };
        thread::Builder::new().name("end watch".into()).spawn(move || watch.run())?;
    }
    let (sender, requests) = mpsc::channel();
    let orders = RequestWriter {
        path: directory.join(run_directory::INJECT),
        messages: messages.clone(),
        stop: Arc::clone(stop),
        connection: None,
    };
    thread::Builder::new().name("orders".into()).spawn(move || orders.run(&requests))?;
    Ok(sender)
}

/// Reads what a lab has recorded so far, in a thread of its own, which leaves half of a core to others: the lab's
/// processes may run on it.
pub fn read_so_far(
    wanted: SoFarWanted,
    messages: &SyncSender<ScreenMessage>,
    stop: &Arc<AtomicBool>,
) -> io::Result<()> {
    let (messages, stop) = (messages.clone(), Arc::clone(stop));
    let read = move || {
        let mut worked_from = Instant::now();
        let read = SessionSoFar::read(wanted, || {
            thread::sleep(worked_from.elapsed());
            worked_from = Instant::now();
            if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        // If the screen has ended meanwhile, there is nobody to tell.
        let _ = messages.send(ScreenMessage::SoFar(read.map(Box::new)));
    };
    thread::Builder::new().name("session so far".into()).spawn(read).map(|_| ())
}

/// The reader of frames.
struct Observer {
    directory: PathBuf,
    node: Option<NodeId>,
    messages: SyncSender<ScreenMessage>,
    stop: Arc<AtomicBool>,
}

/// How a stream of frames ended.
#[derive(Copy, Clone, Eq, PartialEq)]
enum StreamEnd {
    /// With a goodbye.
    Goodbye,
    /// Without one.
    Broken,
    /// The screen wants no more frames.
    Unwanted,
}

impl Observer {
    fn run(self) {
        let path = match self.node {
            Some(node) => self.directory.join(run_directory::node_observe(node)),
            None => self.directory.join(OBSERVE),
        };
        let began = Instant::now();
        let (mut was_heard, mut failures) = (false, 0_u32);
        while !self.stop.load(Ordering::Relaxed) {
            match Frames::attach(&path) {
                Ok(frames) => {
                    (was_heard, failures) = (true, 0);
                    match self.listen(frames) {
                        StreamEnd::Unwanted => return,
                        StreamEnd::Goodbye if self.node.is_none() => return,
                        StreamEnd::Goodbye | StreamEnd::Broken => {
                            if self.messages.send(ScreenMessage::Lost).is_err() {
                                return;
                            }
                        }
                    }
                }
                Err(_) => failures += 1,
            }
            // A node may come back as long as its host lives; a host that no longer answers is gone.
            let is_gone = match self.node {
                None => failures > 0 && (was_heard || began.elapsed() > CALLING_MAX),
                Some(_) => failures > 0 && failures.is_multiple_of(4) && !answers(&self.directory),
            };
            if is_gone {
                // If the screen has ended meanwhile, there is nobody to tell.
                let _ = self.messages.send(ScreenMessage::Gone);
                return;
            }
            thread::sleep(RETRY);
        }
    }

    fn listen(&self, mut frames: Frames) -> StreamEnd {
        if frames.wait_at_most(READ_TIMEOUT).is_err() {
            return StreamEnd::Broken;
        }
        loop {
            let message = match frames.next_frame() {
                Ok(LineRead::Line(frame)) => ScreenMessage::Frame(Box::new(frame)),
                Ok(LineRead::Nothing) if self.stop.load(Ordering::Relaxed) => {
                    return StreamEnd::Unwanted;
                }
                Ok(LineRead::Nothing) => continue,
                Err(error) if error.kind() == ErrorKind::InvalidData => ScreenMessage::Unreadable,
                Ok(LineRead::Closed) | Err(_) => return StreamEnd::Broken,
            };
            let is_goodbye =
                matches!(&message, ScreenMessage::Frame(frame) if matches!(**frame, Frame::Goodbye { .. }));
            if self.messages.send(message).is_err() {
                return StreamEnd::Unwanted;
            }
            if is_goodbye {
                return StreamEnd::Goodbye;
            }
        }
    }
}

/// The reader of the lab's goodbye, for a screen that hears a node: a node ends without knowing why.
struct EndWatch {
    path: PathBuf,
    messages: SyncSender<ScreenMessage>,
    stop: Arc<AtomicBool>,
}

/// What of a frame this reader looks at.
#[derive(Deserialize)]
struct FrameSort {
    frame: String,
    why: Option<String>,
}

impl EndWatch {
    fn run(self) {
        while !self.stop.load(Ordering::Relaxed) {
            if let Some(why) = self.goodbye() {
                // If the screen has ended meanwhile, there is nobody to tell.
                let _ = self.messages.send(ScreenMessage::LabOver(why));
                return;
            }
            thread::sleep(RETRY);
        }
    }

    /// Why the lab is over, once it says so; nothing if it has no room for this reader, or ends without a word.
    fn goodbye(&self) -> Option<String> {
        let mut lines = Lines::of(UnixStream::connect(&self.path).ok()?);
        lines.wait_at_most(READ_TIMEOUT).ok()?;
        while !self.stop.load(Ordering::Relaxed) {
            match lines.next_line() {
                Ok(LineRead::Line(line)) => match serde_json::from_str(&line) {
                    Ok(FrameSort { frame, why: Some(why) }) if frame == "goodbye" => return Some(why),
                    Ok(_) | Err(_) => {}
                },
                Ok(LineRead::Nothing) => {}
                Ok(LineRead::Closed) | Err(_) => return None,
            }
        }
        None
    }
}

/// Whether the host still listens.
fn answers(directory: &Path) -> bool {
    UnixStream::connect(directory.join(OBSERVE)).is_ok()
}

/// The writer of requests.
struct RequestWriter {
    path: PathBuf,
    messages: SyncSender<ScreenMessage>,
    stop: Arc<AtomicBool>,
    connection: Option<Connection>,
}

/// A connection and the requests on it that have no answer yet, oldest first.
struct Connection {
    stream: UnixStream,
    pending: PendingRequests,
}

type PendingRequests = Arc<Mutex<VecDeque<Request>>>;

impl RequestWriter {
    fn run(mut self, requests: &Receiver<Request>) {
        for request in requests {
            // If the connection has broken meanwhile, the first write shows it.
            let sent = self.send(&request).or_else(|_| {
                self.connection = None;
                self.send(&request)
            });
            if let Err(error) = sent {
                self.connection = None;
                let why = format!("The lab cannot be reached: {error}. `hustings ls` lists the labs that run.");
                let answer = Answer::Refused { why };
                if self.messages.send(ScreenMessage::Answered { request, answer }).is_err() {
                    return;
                }
            }
        }
    }

    fn send(&mut self, request: &Request) -> io::Result<()> {
        if self.connection.is_none() {
            self.connection = Some(self.connect()?);
        }
        let connection = self.connection.as_mut().expect("this was made above");
        let line = request.to_line();
        lock(&connection.pending).push_back(request.clone());
        let written = connection.stream.write_all(format!("{line}\n").as_bytes());
        if written.is_err() {
            lock(&connection.pending).pop_back();
        }
        written
    }

    fn connect(&self) -> io::Result<Connection> {
        let stream = UnixStream::connect(&self.path)?;
        stream.set_write_timeout(Some(WRITE_TIMEOUT))?;
        let lines = Lines::of(stream.try_clone()?);
        lines.wait_at_most(READ_TIMEOUT)?;
        let pending = PendingRequests::default();
        let answers = Answers {
            lines,
            pending: Arc::clone(&pending),
            messages: self.messages.clone(),
            stop: Arc::clone(&self.stop),
        };
        thread::Builder::new().name("answers".into()).spawn(move || answers.run())?;
        Ok(Connection { stream, pending })
    }
}

/// The reader of answers: they come in the order of the requests.
struct Answers {
    lines: Lines,
    pending: PendingRequests,
    messages: SyncSender<ScreenMessage>,
    stop: Arc<AtomicBool>,
}

impl Answers {
    fn run(mut self) {
        loop {
            let line = match self.lines.next_line() {
                Ok(LineRead::Line(line)) => line,
                Ok(LineRead::Nothing) if self.stop.load(Ordering::Relaxed) => return,
                Ok(LineRead::Nothing) => continue,
                Ok(LineRead::Closed) | Err(_) => break,
            };
            let Some(request) = lock(&self.pending).pop_front() else { continue };
            let answer = Answer::from_line(line.as_bytes()).unwrap_or_else(|_| Answer::Refused {
                why: "The lab's answer could not be read: it runs another version of hustings.".into(),
            });
            if self.messages.send(ScreenMessage::Answered { request, answer }).is_err() {
                return;
            }
        }
        for request in std::mem::take(&mut *lock(&self.pending)) {
            let answer = Answer::Refused { why: "The lab ended before it answered.".into() };
            if self.messages.send(ScreenMessage::Answered { request, answer }).is_err() {
                return;
            }
        }
    }
}

/// The queue; a thread that panicked while it held the lock has left it whole.
fn lock(pending: &PendingRequests) -> std::sync::MutexGuard<'_, VecDeque<Request>> {
    pending.lock().unwrap_or_else(PoisonError::into_inner)
}
