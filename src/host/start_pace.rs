//! How fast processes are started: a crash loop is slowed down.
//!
//! Invariant: at most [`STARTS_MAX`] processes of one node are started within a second. The limit is for each node, not
//! for the lab: two hundred nodes that recover together are not a crash loop. A start that comes too soon waits, and a
//! note says so; its order is in force when the process has taken its first step.

use std::collections::VecDeque;
use std::io;

use super::lab_loop::LabLoop;
use protocol::{NodeId, NodeMap, NodeSet};
use record::Body;
use script::OrderInput;

/// How many processes of one node may be started within [`WITHIN`].
pub const STARTS_MAX: usize = 10;
/// Nanoseconds.
const WITHIN: i64 = 1_000_000_000;

/// Why a node gets no process.
#[derive(Debug, thiserror::Error)]
#[error("node {node} cannot be started: {error}")]
pub struct NotStarted {
    pub node: NodeId,
    /// What the system says.
    pub error: io::Error,
}

/// The newest starts of each node, and the starts that wait.
#[derive(Debug, Default)]
pub struct StartPace {
    /// At most [`STARTS_MAX`] of each, oldest first, in nanoseconds of this computer's clock since the lab began.
    starts: NodeMap<VecDeque<i64>>,
    waiting: NodeMap<i64>,
}

impl StartPace {
    /// A process of this node was started.
    pub fn started(&mut self, node: NodeId, at: i64) {
        let starts = self.starts.get_or_default(node);
        if starts.len() == STARTS_MAX {
            starts.pop_front();
        }
        starts.push_back(at);
    }

    /// When the node's next process may be started, if not at once.
    pub fn wait_until(&self, node: NodeId, now: i64) -> Option<i64> {
        let starts = self.starts.get(&node).filter(|starts| starts.len() == STARTS_MAX)?;
        starts.front().map(|oldest| oldest + WITHIN).filter(|free| *free > now)
    }

    /// The nodes whose start waits.
    pub fn waiting(&self) -> NodeSet {
        self.waiting.keys().copied().collect()
    }

    /// A waiting start is cancelled.
    pub fn cancel(&mut self, node: NodeId) {
        self.waiting.remove(&node);
    }

    /// When the next waiting start is due.
    pub fn wake_at(&self) -> Option<i64> {
        self.waiting.values().copied().min()
    }

    fn take_due(&mut self, now: i64) -> Vec<NodeId> {
        let due: Vec<NodeId> = self.waiting.iter().filter(|(_, until)| **until <= now).map(|(node, _)| *node).collect();
        self.waiting.retain(|_, until| *until > now);
        due
    }
}

impl LabLoop<'_> {
    /// Starts a process for a dead node, now or as soon as its pace allows; if there will be none, says why.
    pub(super) fn start_in_time(&mut self, node: NodeId) -> Result<(), NotStarted> {
        if self.pace.waiting().contains(node) {
            return Ok(());
        }
        let now = self.clock.wall();
        let Some(until) = self.pace.wait_until(node, now) else { return self.start_now(node) };
        self.pace.waiting.insert(node, until);
        let wait_ms = (until - now) / 1_000_000;
        let text = format!("it was started {STARTS_MAX} times within a second: its next start waits {wait_ms}ms");
        self.admit_own(Some(node), Body::Note { text });
        Ok(())
    }

    /// Starts the processes whose wait is over.
    pub(super) fn start_those_due(&mut self, now: i64) {
        for node in self.pace.take_due(now) {
            if let Err(why) = self.start_now(node) {
                self.orders.refuse_start(node, &why.to_string());
            }
            self.order(OrderInput::StartedLate);
        }
    }

    fn start_now(&mut self, node: NodeId) -> Result<(), NotStarted> {
        match self.start_process(node) {
            Ok(pid) => {
                self.pace.started(node, self.clock.wall());
                self.admit_own(Some(node), Body::Spawned { pid });
                Ok(())
            }
            Err(error) => {
                let why = NotStarted { node, error };
                self.note(why.to_string());
                Err(why)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLISECOND: i64 = 1_000_000;

    fn node(number: u16) -> NodeId {
        NodeId::new(number).unwrap()
    }

    #[test]
    fn of_a_crash_loop_no_second_holds_more_than_ten_starts_and_other_nodes_do_not_wait() {
        let mut pace = StartPace::default();
        let mut starts = Vec::new();
        let mut now = 0;
        while starts.len() < 50 {
            if pace.wait_until(node(3), now).is_none() {
                pace.started(node(3), now);
                starts.push(now);
            }
            assert_eq!(pace.wait_until(node(4), now), None);
            now += 7 * MILLISECOND;
        }
        for (index, first) in starts.iter().enumerate() {
            let within = starts[index..].iter().filter(|start| **start < first + WITHIN).count();
            assert!(within <= STARTS_MAX, "{within} from {first}");
        }
        // Ten at once, then the wait: five full seconds hold fifty.
        assert!(starts[49] < 5_000 * MILLISECOND);
    }

    #[test]
    fn a_waiting_start_comes_when_it_is_due_unless_it_is_cancelled() {
        let mut pace = StartPace::default();
        pace.waiting.extend([(node(3), 500), (node(4), 700), (node(5), 400)]);
        pace.cancel(node(5));
        assert_eq!((pace.wake_at(), pace.take_due(499)), (Some(500), Vec::new()));
        assert_eq!(pace.take_due(500), [node(3)]);
        assert_eq!(pace.waiting(), "4".parse().unwrap());
    }
}
