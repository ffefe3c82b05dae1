//! A node's timers, as its steps tell them.
//!
//! Invariant: setting a timer anew costs nothing but the finding of its name; the names of one node are few.

/// The most names of timers that are kept of one node.
const TIMERS_MAX: usize = 64;

/// A node's timers that run: when each is due, in lab nanoseconds.
#[derive(Clone, Debug, Default)]
pub(super) struct Timers {
    due: Vec<Timer>,
    /// What the lab's clock is behind the stamps.
    pub offset: i64,
}

/// A timer that has run at some time, by its name; it has no moment while it does not run.
#[derive(Clone, Debug)]
struct Timer {
    name: String,
    due: Option<i64>,
}

impl Timers {
    pub fn set(&mut self, name: &str, due: i64) {
        match self.due.iter_mut().find(|timer| timer.name == name) {
            Some(timer) => timer.due = Some(due),
            None => {
                if self.due.len() == TIMERS_MAX {
                    self.due.retain(|timer| timer.due.is_some());
                }
                self.due.push(Timer { name: name.to_owned(), due: Some(due) });
            }
        }
    }

    pub fn stop(&mut self, name: &str) {
        self.due.iter_mut().filter(|timer| timer.name == name).for_each(|timer| timer.due = None);
    }

    pub fn stop_all(&mut self) {
        self.due.clear();
    }

    pub fn earliest(&self) -> Option<i64> {
        self.due.iter().filter_map(|timer| timer.due).min()
    }
}
