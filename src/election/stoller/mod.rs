//! Leader election of Stoller 1997: the Bully algorithm on a failure detector, for synchronous systems (`fd`, figure 1)
//! and for asynchronous ones (`asynchronous`, figure 3). This file has the words of both.
//!
//! Invariant: no time-out of a detector is seen here, only DownSig; a lower id outranks a higher one.

pub mod asynchronous;
pub mod fd;
#[cfg(test)]
mod random_starts;
#[cfg(test)]
mod test_support;

use std::fmt;

use serde::{Deserialize, Serialize};

use protocol::{Described, Incarnation, NodeId, PeriodRule, Settings, Span, StateVector, Status, Timing};

use super::detector::{self, Choice};

/// An election identifier: which election a message is part of. Compared for equality.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub struct ElectionId {
    /// The node that started the election: the paper's first component, `pi_1`.
    pub starter: NodeId,
    /// That node's incarnation.
    pub incarnation: Incarnation,
    /// Which of its elections in that incarnation.
    pub sequence: u32,
}

impl fmt::Display for ElectionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.starter, self.incarnation, self.sequence)
    }
}

/// The holes of the two figures, by the numbers of the lab's notes on the paper; 10 is the lab's own.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub(super) enum Hole {
    H1,
    H2,
    H3,
    H4,
    H6,
    H7,
    H8,
    H9,
    H10,
}

/// The messages of an election that both figures have. Each is tagged with an election identifier.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Said {
    /// Prepare for a new leader.
    Halt { election: ElectionId },
    /// The node is halted.
    Ack {
        /// The election of the Halt.
        election: ElectionId,
    },
    /// The sender leads.
    Ldr {
        /// The election that has made it leader.
        election: ElectionId,
    },
    /// A leader asks whether the node is normal.
    IsNorm {
        /// The election that has made it leader.
        election: ElectionId,
    },
    NotNorm {
        /// The election of the question.
        election: ElectionId,
    },
}

impl Said {
    /// The kinds of all of them.
    pub const KINDS: [&str; 5] = ["Halt", "Ack", "Ldr", "Norm?", "NotNorm"];

    fn election(&self) -> ElectionId {
        match self {
            Said::Halt { election }
            | Said::Ack { election }
            | Said::Ldr { election }
            | Said::IsNorm { election }
            | Said::NotNorm { election } => *election,
        }
    }
}

impl Described for Said {
    fn kind(&self) -> &'static str {
        let place = match self {
            Said::Halt { .. } => 0,
            Said::Ack { .. } => 1,
            Said::Ldr { .. } => 2,
            Said::IsNorm { .. } => 3,
            Said::NotNorm { .. } => 4,
        };
        Said::KINDS[place]
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        vec![("election", self.election().to_string())]
    }
}

/// What is sent at every period while nothing happens: all that the detectors say, and a leader's question.
const PERIODIC: [&str; 12] = kinds([&["Norm?"], &[]]);

/// The kinds of an algorithm's own messages, and after them those of the detectors.
const fn kinds<const ALL: usize>(own: [&[&'static str]; 2]) -> [&'static str; ALL] {
    let parts = [own[0], own[1], &detector::Message::KINDS];
    let mut all = [""; ALL];
    let (mut place, mut part) = (0, 0);
    while part < parts.len() {
        let mut kind = 0;
        while kind < parts[part].len() {
            all[place] = parts[part][kind];
            (place, kind) = (place + 1, kind + 1);
        }
        part += 1;
    }
    all
}

protocol::worded! {
    /// A node's status, with the paper's word for it.
    #[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
    pub enum ElectionStage {
        /// The normal mode: `ldr` counts.
        Norm = "Norm",
        /// Stage 1 of an election of its own: is any node that outranks it operational?
        Elec1 = "Elec1",
        /// Stage 2: it halts the nodes that it outranks, one after the other.
        Elec2 = "Elec2",
        /// Halted, it waits for the outcome of another's election.
        Wait = "Wait",
    }
}

impl ElectionStage {
    /// The words of figure 3, which has no stage 1.
    pub const WORDS_ASYNCHRONOUS: &[&str] = &["Norm", "Elec2", "Wait"];

    /// The common state vector of a node with this status and this `ldr`, which counts in Norm only.
    fn state_vector(self, leader: Option<NodeId>) -> StateVector {
        match self {
            ElectionStage::Norm => StateVector::new(Status::Normal, self.word(), leader),
            ElectionStage::Elec1 | ElectionStage::Elec2 | ElectionStage::Wait => {
                StateVector::new(Status::Election, self.word(), None)
            }
        }
    }
}

/// The timers of both figures.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Timer {
    /// Periodically(tau).
    Period,
    /// One of the failure detector.
    Detector(detector::Timer),
}

/// What it waits for, in the paper's words.
impl fmt::Display for Timer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Timer::Period => f.write_str("Periodically"),
            Timer::Detector(timer) => write!(f, "failure detector: {timer}"),
        }
    }
}

/// How long a node may keep an election waiting, until it answers or is reported: `max(2 delta, tau_FD)`.
fn one_node(timing: &Timing, nodes: u16, settings: &Settings) -> Span {
    Choice::of(settings).latency(timing, nodes).max(timing.t * 2)
}

/// How long the operator, the detector or a Norm? may take to begin an election, `max(tau + 2 delta, tau_FD)`.
fn notice(timing: &Timing, nodes: u16, settings: &Settings) -> Span {
    Choice::of(settings).latency(timing, nodes).max(timing.check + timing.t * 2)
}

/// The rules for the periods of both.
const PERIODS: &[PeriodRule] = &[
    PeriodRule { key: "T", must: "T must be longer than 0", why: None, holds: |timing, _, _| timing.t > Span::ZERO },
    PeriodRule {
        key: "silence",
        must: "silence must be longer than 2T, with an attendance list longer than nT",
        why: Some(
            "silence is the failure \
               detector's period, and a question with its answer takes up to 2T, a lap up to nT",
        ),
        holds: |timing, nodes, settings| timing.silence > Choice::of(settings).period_min(timing, nodes),
    },
];
