//! The one hub that serves a lab's sockets, for a host and for a node alike, on tokio.
//!
//! A watcher gets a snapshot, then every record as it comes, and a pulse when nothing comes, so that it can tell a
//! quiet lab from a dead one; all are frames, one a line. The publisher makes the snapshots, because only it knows the
//! present state. The hub never waits for the publisher, and the publisher never waits for the hub: what it publishes
//! is put into queues, and tasks of the hub write them out.
//!
//! Invariant: watchers slow nobody down. Each has a bounded queue; frames that find no room are counted, and a fresh
//! snapshot for that watcher alone says how many it missed. A snapshot holds everything published before it and nothing
//! after it, because the same thread publishes and makes it. Only this user's processes get in, and no more of them
//! than there is room for.

mod client_limit;
mod listener;
mod peer;
mod requests;
#[cfg(test)]
mod tests;
mod watcher;

use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Notify;

use super::Frame;
pub use client_limit::Room;
use client_limit::WATCHERS_MAX;
pub use listener::bind;
pub use requests::{RequestHandler, serve_requests, write_answer};
use watcher::{Watcher, lock};

/// How often a publisher must give a sign of life, by [`Hub::beat`].
pub const PULSE: Duration = Duration::from_millis(250);
/// How long watchers that do not read may hold up the end.
const FAREWELL: Duration = Duration::from_millis(500);

/// The watchers of one socket. Cheap to clone; all clones share them.
#[derive(Clone, Debug)]
pub struct Hub(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// How many watchers there may be.
    room: usize,
    watchers: Mutex<Vec<Arc<Watcher>>>,
    arrivals: Notify,
}

/// A frame as its line.
pub fn frame_line(frame: &Frame) -> Arc<str> {
    (frame.to_line() + "\n").into()
}

impl Hub {
    /// A hub with room for this many watchers.
    pub fn with_room(room: usize) -> Hub {
        Hub(Arc::new(Shared { room, watchers: Mutex::default(), arrivals: Notify::new() }))
    }

    /// Whether there is any watcher to publish for.
    pub fn is_watched(&self) -> bool {
        !self.watchers().is_empty()
    }

    /// Returns when somebody watches.
    pub async fn watched(&self) {
        while !self.is_watched() {
            self.0.arrivals.notified().await;
        }
    }

    /// Gives every watcher a record's line. A watcher without room for it has missed it.
    pub fn publish(&self, line: &Arc<str>) {
        self.watchers().iter().for_each(|watcher| watcher.give(line));
    }

    /// Gives new watchers their snapshot.
    pub fn welcome(&self, snapshot: impl Fn(u64) -> Arc<str>) {
        self.give_snapshots(snapshot, |watcher| watcher.has_just_come().then_some(0));
    }

    /// Gives a sign of life to watchers that got nothing since the last time, and a fresh snapshot to watchers that did
    /// not keep up and have caught up.
    pub fn beat(&self, pulse: &Arc<str>, snapshot: impl Fn(u64) -> Arc<str>) {
        self.watchers().iter().for_each(|watcher| watcher.give_pulse(pulse));
        self.give_snapshots(snapshot, Watcher::wants_snapshot);
    }

    /// Gives a fresh snapshot to watchers that keep up, because something in it has changed that no record tells.
    pub fn refresh(&self, snapshot: &Arc<str>) {
        self.watchers().iter().for_each(|watcher| watcher.give_if_free(snapshot));
    }

    /// Sends all watchers this last line and lets them go: waits until each has got its frames, but not for one that
    /// does not read. Call it on the publisher's thread, not in a task: the hub's tasks must run meanwhile.
    pub fn see_off(&self, goodbye: &Arc<str>) {
        let deadline = Instant::now() + FAREWELL;
        self.watchers().iter().for_each(|watcher| watcher.let_go(goodbye));
        while self.is_watched() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Serves watchers for ever. Calls `arrived` when one has come and wants to be [welcomed](Hub::welcome).
    pub async fn serve(&self, listener: UnixListener, arrived: impl Fn()) {
        listener::let_in(listener, |stream| {
            if let Some(watcher) = self.admit(stream) {
                tokio::spawn(self.clone().attend(watcher));
                self.0.arrivals.notify_one();
                arrived();
            }
        })
        .await;
    }

    fn admit(&self, stream: UnixStream) -> Option<Arc<Watcher>> {
        let (mut watchers, room) = (self.watchers(), self.0.room);
        if watchers.len() >= room {
            // A watcher that came and went since the last pulse takes nobody's room.
            watchers.retain(|watcher| !watcher.has_left());
        }
        if watchers.len() >= room {
            let remedy = if room < WATCHERS_MAX { ", or raise the limit of open files (`ulimit -n`)" } else { "" };
            let why = format!("{room} watchers are attached, which is the maximum; close one of them{remedy}");
            listener::turn_away(stream, &frame_line(&Frame::Refused { why }));
            return None;
        }
        let watcher = Arc::new(Watcher::new(stream));
        watchers.push(Arc::clone(&watcher));
        Some(watcher)
    }

    /// Writes the frames of a watcher until it goes, or is let go.
    async fn attend(self, watcher: Arc<Watcher>) {
        watcher.write_out().await;
        self.watchers().retain(|other| !Arc::ptr_eq(other, &watcher));
    }

    fn give_snapshots(&self, snapshot: impl Fn(u64) -> Arc<str>, wanted: impl Fn(&Watcher) -> Option<u64>) {
        // Making one takes a while, and others may come and go meanwhile.
        let watchers = self.watchers().clone();
        for watcher in watchers {
            if let Some(missed) = wanted(&watcher) {
                watcher.give_snapshot(snapshot(missed));
            }
        }
    }

    fn watchers(&self) -> MutexGuard<'_, Vec<Arc<Watcher>>> {
        lock(&self.0.watchers)
    }
}
