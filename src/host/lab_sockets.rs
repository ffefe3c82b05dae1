//! The host's two sockets: for watchers, which get frames and are never waited for, and for requests, which are answered. The
//! [hub](record::hub) serves both, on one thread of its own.
//!
//! Invariant: the lab's loop waits for no client, and the thread waits for no loop: a client's request to the loop is
//! an event.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Weak;
use std::sync::mpsc::{self, SendError, Sender, SyncSender};
use std::thread;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;

use super::incoming::Incoming;
use record::hub::{Hub, RequestHandler, Room, bind, serve_requests, write_answer};
use record::run_directory::{INJECT, OBSERVE};
use record::{Answer, Request};

/// The open sockets; they close when this is dropped.
#[derive(Debug)]
pub struct LabSockets {
    /// The watchers.
    pub hub: Hub,
    open: Option<oneshot::Sender<()>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl LabSockets {
    /// Opens the sockets in this run directory; this many descriptors that will be needed later are no client's. Requests
    /// and arrivals go to `events`, as long as another owner holds that channel: the reader of events must learn when their true sources are gone.
    pub fn open(directory: &Path, later: u64, events: Weak<SyncSender<Incoming>>) -> io::Result<LabSockets> {
        let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
        let socket = |name: &str| {
            let path = directory.join(name);
            let _inside = runtime.enter();
            bind(&path).map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
        };
        let (observe, inject) = (socket(OBSERVE)?, socket(INJECT)?);
        let room = Room::for_clients(later);
        let hub = Hub::with_room(room.watchers);
        let (open, closed) = oneshot::channel();
        let its_hub = hub.clone();
        let serve = move |runtime: Runtime| {
            let arrived = || {
                // If there is no room, the next pulse does the same.
                let _ = events.upgrade().map(|events| events.try_send(Incoming::WatcherHasCome));
            };
            runtime.block_on(async {
                tokio::select! {
                    () = its_hub.serve(observe, arrived) => {}
                    () = serve_requests(inject, room.requests, RequestForwarder { events: events.clone() }) => {}
                    _ = closed => {}
                }
            });
            // Nobody waits for the clients that still want an answer.
            runtime.shutdown_background();
        };
        let thread = thread::Builder::new().name("hub".to_owned()).spawn(move || serve(runtime))?;
        Ok(LabSockets { hub, open: Some(open), thread: Some(thread) })
    }
}

impl Drop for LabSockets {
    fn drop(&mut self) {
        self.open = None;
        if let Some(thread) = self.thread.take() {
            // The panic hook has already reported a panic of the thread.
            let _ = thread.join();
        }
    }
}

/// Passes requests on to the lab's loop.
#[derive(Clone)]
struct RequestForwarder {
    events: Weak<SyncSender<Incoming>>,
}

impl RequestHandler for RequestForwarder {
    fn take(&self, request: Request) -> Answer {
        match request {
            Request::Inject(line) => self.ask(|reply| Incoming::Inject(line, reply)),
            Request::PlaySteps => self.ask(Incoming::PlaySteps),
            Request::Note(text) => self.ask(|reply| Incoming::Note(text, reply)),
            Request::End => unreachable!("an end is not a question"),
        }
    }

    fn end(&self, connection: UnixStream) {
        let back = match self.events.upgrade() {
            None => Some(connection),
            Some(events) => match events.send(Incoming::End(connection)) {
                Err(SendError(Incoming::End(connection))) => Some(connection),
                _ => None,
            },
        };
        if let Some(mut connection) = back {
            write_answer(&mut connection, &over());
        }
    }
}

impl RequestForwarder {
    fn ask(&self, event: impl FnOnce(Sender<Answer>) -> Incoming) -> Answer {
        let (answer, reply) = mpsc::channel();
        let asked = self.events.upgrade().is_some_and(|events| events.send(event(answer)).is_ok());
        if asked { reply.recv().unwrap_or_else(|_| over()) } else { over() }
    }
}

fn over() -> Answer {
    Answer::Refused { why: "the lab is over".to_owned() }
}
