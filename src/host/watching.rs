//! What watchers are told: a snapshot when they come, and a fresh one when they were too slow.
//!
//! Invariant: a snapshot holds everything published before it and nothing after it.

use std::os::unix::net::UnixStream;
use std::sync::Arc;

use super::doors::{WATCHERS_MAX, Watcher, Watching, frame_line, turn_away};
use super::lab_loop::LabLoop;
use crate::record::Frame;

impl LabLoop<'_> {
    /// Lets a watcher in, if there is room for one more.
    pub(super) fn admit_watcher(&mut self, stream: UnixStream) {
        // Who came and went since the last pulse takes nobody's room.
        self.watchers.retain(|watcher| !watcher.has_left());
        if self.watchers.len() >= WATCHERS_MAX {
            return turn_away(stream);
        }
        if let Some(mut watcher) = Watcher::admit(stream) {
            let snapshot = self.snapshot(0);
            if watcher.give_snapshot(snapshot) == Watching::On {
                self.watchers.push(watcher);
            }
        }
    }

    fn snapshot(&self, missed: u64) -> Arc<str> {
        let world = serde_json::to_value(&self.world).expect("a world is plain data, and its maps have text keys");
        frame_line(&Frame::Snapshot {
            head: Box::new(self.head.clone()),
            world,
            recent: self.recent.iter().cloned().collect(),
            missed,
            session: self.recorder.path().map(ToOwned::to_owned),
            steps_held: self.conductor.is_held(),
        })
    }

    pub(super) fn send_snapshots(&mut self) {
        let snapshot = self.snapshot(0);
        self.watchers.retain_mut(|watcher| watcher.give_if_free(&snapshot) == Watching::On);
    }

    pub(super) fn send_snapshots_to_the_late(&mut self) {
        let mut watchers = std::mem::take(&mut self.watchers);
        watchers.retain_mut(|watcher| match watcher.missed() {
            0 => true,
            // A snapshot of a large lab costs the loop something, and one that stands still has no room for it.
            _ if !watcher.has_caught_up() => true,
            missed => watcher.give_snapshot(self.snapshot(missed)) == Watching::On,
        });
        self.watchers = watchers;
    }
}
