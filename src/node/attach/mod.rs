//! The node's own observe socket: what this node alone believes, for every watcher.
//!
//! A watcher's snapshot is the lab's head and this node's newest records, always with its latest state among them. The
//! [hub](record::hub) serves the watchers.
//!
//! Invariant: watchers never slow the node: it puts lines into queues and goes on; the hub's tasks write them out when
//! the node waits or lets them. Only the judge folds the world, so a node's snapshot has none.

#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use serde_json::value::RawValue;
use tokio::net::UnixListener;

use super::clock::LabClock;
use record::hub::{Hub, PULSE, Room, frame_line};
use record::{Body, Frame, Head, Record};

/// How many of the newest records a snapshot carries.
const RECENT_MAX: usize = 500;

/// The source of the watchers' frames. Cheap to clone; all clones share it.
#[derive(Clone, Debug)]
pub struct Observers {
    hub: Hub,
    seen: Rc<RefCell<SeenSoFar>>,
}

#[derive(Debug)]
struct SeenSoFar {
    head: Head,
    clock: LabClock,
    /// The latest records that are no longer among the recent ones and that a snapshot must have.
    ready: Option<Record>,
    state: Option<Record>,
    recent: VecDeque<Record>,
}

impl Observers {
    /// Nothing has happened yet. Pulses tell the time of this clock.
    pub fn new(head: Head, clock: LabClock, room: Room) -> Observers {
        let seen = SeenSoFar { head, clock, ready: None, state: None, recent: VecDeque::new() };
        Observers { hub: Hub::with_room(room.watchers), seen: Rc::new(RefCell::new(seen)) }
    }

    /// Gives a record to every watcher and keeps it for later ones.
    pub fn publish(&self, record: Record) {
        if self.hub.is_watched() {
            self.hub.publish(&frame_line(&Frame::Record { record: record.clone() }));
        }
        self.seen.borrow_mut().keep(record);
    }

    /// Serves watchers until the process ends.
    pub async fn serve(self, listener: UnixListener) {
        let snapshot = |missed| self.snapshot(missed);
        let pulses = async {
            loop {
                // Nobody needs the time while nobody watches.
                self.hub.watched().await;
                tokio::time::sleep(PULSE).await;
                self.hub.beat(&self.pulse(), snapshot);
            }
        };
        tokio::join!(self.hub.serve(listener, || self.hub.welcome(snapshot)), pulses);
    }

    fn snapshot(&self, missed: u64) -> Arc<str> {
        frame_line(&self.seen.borrow().snapshot(missed))
    }

    fn pulse(&self) -> Arc<str> {
        frame_line(&Frame::Pulse { at: self.seen.borrow().clock.now().at })
    }
}

impl SeenSoFar {
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
        Frame::Snapshot { head, world: RawValue::NULL.to_owned(), recent, missed, session: None, steps_held: false }
    }
}
