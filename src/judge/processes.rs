//! The states of the nodes' processes, and the latest stamp known of each.
//!
//! Invariant: a process that runs here has taken a step.

use super::liars::LiarChange;
use protocol::{NodeId, NodeSet, Roster};
use record::{Body, Record};
use world::ProcessState;
use world::index;

/// The processes of a lab that elect.
#[derive(Clone, Debug)]
pub(super) struct Processes {
    roster: Roster,
    all: Vec<KnownProcess>,
    running: NodeSet,
    starting: NodeSet,
    paused: NodeSet,
    /// The running node that has been silent longest, as far as that is known.
    laggard: Option<NodeId>,
    liars: NodeSet,
}

/// A node's process: what it does, and the stamp of the latest record that it wrote itself.
#[derive(Copy, Clone, Debug)]
struct KnownProcess {
    state: ProcessState,
    spoke: i64,
}

impl Processes {
    /// There is none yet.
    pub fn new(roster: Roster) -> Processes {
        let absent = KnownProcess { state: ProcessState::Absent, spoke: i64::MIN };
        Processes {
            roster,
            all: vec![absent; usize::from(roster.len())],
            running: NodeSet::EMPTY,
            starting: NodeSet::EMPTY,
            paused: NodeSet::EMPTY,
            laggard: None,
            liars: NodeSet::EMPTY,
        }
    }

    /// The node's process lies from here on, or no longer.
    pub fn turn(&mut self, node: NodeId, turned: LiarChange) {
        match turned {
            LiarChange::Liar => self.liars.insert(node),
            LiarChange::Honest => self.liars.remove(node),
        };
    }

    /// Takes in the next record about the node. A bystander is none of these processes: it elects nobody.
    pub fn take(&mut self, node: NodeId, record: &Record) {
        if !self.roster.elects(node) {
            return;
        }
        let Some(process) = self.all.get_mut(index(node)) else { return };
        let state = process.state.after(&record.body);
        let own = matches!(
            record.body,
            Body::Step(_)
                | Body::Dropped { .. }
                | Body::Held { .. }
                | Body::Released { .. }
                | Body::PutFirst { .. }
                | Body::Spoiled { .. }
                | Body::Duplicated { .. }
                | Body::Reordered { .. }
                | Body::Garbled { .. }
                | Body::Copy { .. }
                | Body::ClockSet { .. }
                | Body::Late { .. }
                | Body::Stale { .. }
                | Body::Refused { .. }
                | Body::Overflowed { .. }
        );
        if own {
            process.spoke = process.spoke.max(record.at);
            self.laggard = self.laggard.filter(|laggard| *laggard != node);
        }
        if let Some(state) = state {
            process.state = state;
            self.laggard = None;
            for (set, of) in [
                (&mut self.running, ProcessState::Running),
                (&mut self.starting, ProcessState::Starting),
                (&mut self.paused, ProcessState::Paused),
            ] {
                if state == of {
                    set.insert(node);
                } else {
                    set.remove(node);
                }
            }
        }
    }

    /// The nodes that run, have taken a step and do not lie.
    pub fn running(&self) -> NodeSet {
        self.running.minus(&self.liars)
    }

    /// The nodes that lie and are not dead.
    pub fn lying(&self) -> NodeSet {
        self.running.union(&self.starting).union(&self.paused).intersection(&self.liars)
    }

    /// The nodes that have been started and have not taken a step.
    pub fn starting(&self) -> NodeSet {
        self.starting.minus(&self.liars)
    }

    /// The nodes that an order has stopped.
    pub fn paused(&self) -> NodeSet {
        self.paused
    }

    /// The stamp at or after which every running process has spoken.
    pub fn all_spoke(&mut self) -> i64 {
        let spoke = |node: &NodeId| self.all[index(*node)].spoke;
        let laggard = self.laggard.or_else(|| self.running.iter().min_by_key(spoke));
        let since = laggard.as_ref().map_or(i64::MAX, spoke);
        self.laggard = laggard;
        since
    }
}
