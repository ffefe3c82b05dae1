//! Whether anything of a session is missing: its head, a record, a step of a node.
//!
//! Invariant: of each incarnation that has a step here all steps are here, from its start on; a session that is closed
//! reaches from its first record to the lab's end.

use std::collections::BTreeMap;

use crate::Stamp;
use fault::ClockRate;
use protocol::{Incarnation, NodeId, NodeMap, Roster};
use record::{Body, Head, Input, LineError, Missed, Record, Step};

/// The part of a session that is missing, or cannot be read.
#[derive(Clone, Eq, PartialEq, Debug, thiserror::Error)]
pub enum NotWhole {
    #[error("line {line} cannot be read ({why})")]
    Line {
        /// The number.
        line: usize,
        why: LineError,
    },
    /// The head.
    #[error("it has no head")]
    NoHead,
    /// There can be no lab with this number of nodes.
    #[error("its head speaks of {0} nodes")]
    NoLab(u16),
    /// The lab's end.
    #[error("it stops after record {0}: the lab's end is missing")]
    BreaksOff(u64),
    /// Every record.
    #[error("it has no record: the lab's end is missing, and all before it")]
    NoRecord,
    /// Every step.
    #[error("no machine took a step in it")]
    NoSteps,
    /// A record says that others were lost.
    #[error("record {number}: {} records are missing, lost {}", missed.count, missed.place)]
    Missed {
        /// The record.
        number: u64,
        /// What it says.
        missed: Missed,
    },
    /// A record is of a kind that this build does not know.
    #[error("record {number} is of a kind that this build does not know: {kind}")]
    UnknownKind {
        /// The record.
        number: u64,
        /// The kind, as it is written.
        kind: String,
    },
    /// Records are missing between these two.
    #[error("record {number} follows record {last}; the records between are missing")]
    Records {
        /// The record.
        number: u64,
        /// The one before it.
        last: u64,
    },
    /// The lab has no node that could have taken the step.
    #[error("record {0} is a step of a node that the lab does not have")]
    NoSuchNode(u64),
    /// There was no lab yet.
    #[error("record {0}: a machine took a step before the lab began")]
    TooEarly(u64),
    /// Steps of a node are missing between these two.
    #[error(
        "record {number}: step {step} of node {node}'s incarnation {incarnation} follows {}; the steps between are \
         missing", after.map_or("nothing".to_owned(), |(step, incarnation)| format!("step {step} of {incarnation}"))
    )]
    Steps {
        /// The record.
        number: u64,
        node: NodeId,
        incarnation: Incarnation,
        step: u64,
        /// The node's step before, and of which incarnation.
        after: Option<(u64, Incarnation)>,
    },
}

/// What a session is gathered from: its records one after another, each in its place.
#[derive(Debug)]
pub(super) struct SessionCollector {
    roster: Roster,
    /// The number of the last record.
    last: u64,
    has_ended: bool,
    /// The last step of each node.
    steps: NodeMap<(u64, Incarnation)>,
    lost: BTreeMap<Option<NodeId>, Option<String>>,
    rates: BTreeMap<Option<NodeId>, Vec<(u64, Option<ClockRate>)>>,
}

/// A step as it was recorded.
#[derive(Clone, Debug)]
pub(super) struct RecordedStep<'a> {
    /// The record's number.
    pub number: u64,
    pub stamp: Stamp,
    pub step: &'a Step,
    /// What a fault or somebody else had left of the safe cells, if this is a start that found them other than they were saved.
    pub left: Option<Option<String>>,
    /// The rates that the machine's clock was given since the step before, and when in lab time.
    pub rates: Vec<(u64, Option<ClockRate>)>,
}

impl SessionCollector {
    /// Nothing of the session of this head yet.
    pub fn of(head: Option<&Head>) -> Result<SessionCollector, NotWhole> {
        let head = head.ok_or(NotWhole::NoHead)?;
        let roster = head.roster().ok_or(NotWhole::NoLab(head.nodes))?;
        let (steps, lost, rates) = Default::default();
        Ok(SessionCollector { roster, last: 0, has_ended: false, steps, lost, rates })
    }

    /// The nodes of the lab.
    pub fn roster(&self) -> Roster {
        self.roster
    }

    /// Takes the next record; if it is a step, of which node. An error says what is missing before it.
    pub fn take<'a>(&mut self, record: &'a Record) -> Result<Option<(NodeId, RecordedStep<'a>)>, NotWhole> {
        check_place(record, self.last)?;
        self.last = record.number;
        match &record.body {
            Body::CellsLost { left, .. } | Body::CellsChanged { left } => {
                drop(self.lost.insert(record.node, left.clone()));
            }
            // What the process before this one was told last does not concern this one.
            Body::Spawned { .. } => drop(self.rates.remove(&record.node)),
            Body::ClockSet { clock } => {
                let lab = u64::try_from(record.at).unwrap_or(0);
                self.rates.entry(record.node).or_default().push((lab, clock.map(|clock| clock.rate)));
            }
            Body::Step(step) => return self.take_step(record, step).map(Some),
            Body::Ended { .. } => self.has_ended = true,
            _ => {}
        }
        Ok(None)
    }

    /// After the last record: what is missing behind it.
    pub fn close(&self) -> Result<(), NotWhole> {
        if !self.has_ended {
            return Err(if self.last == 0 { NotWhole::NoRecord } else { NotWhole::BreaksOff(self.last) });
        }
        if self.steps.is_empty() { Err(NotWhole::NoSteps) } else { Ok(()) }
    }

    fn take_step<'a>(&mut self, record: &Record, step: &'a Step) -> Result<(NodeId, RecordedStep<'a>), NotWhole> {
        let number = record.number;
        let node = record.node.filter(|node| self.roster.all().contains(*node));
        let node = node.ok_or(NotWhole::NoSuchNode(number))?;
        let lab = u64::try_from(record.at).map_err(|_| NotWhole::TooEarly(number))?;
        let after = self.steps.get(&node).copied();
        if !follows(step, after) {
            let Step { incarnation, step, .. } = *step;
            return Err(NotWhole::Steps { number, node, incarnation, step, after });
        }
        self.steps.insert(node, (step.step, step.incarnation));
        let (left, rates) = (self.lost.remove(&record.node), self.rates.remove(&record.node));
        let stamp = Stamp::of(lab);
        Ok((node, RecordedStep { number, stamp, step, left, rates: rates.unwrap_or_default() }))
    }
}

/// Every record is here, and this build knows what it is.
fn check_place(record: &Record, last: u64) -> Result<(), NotWhole> {
    let number = record.number;
    match &record.body {
        Body::Gap(missed) => Err(NotWhole::Missed { number, missed: missed.clone() }),
        Body::Unknown(map) => Err(NotWhole::UnknownKind { number, kind: map["kind"].to_string() }),
        _ if last.checked_add(1) != Some(number) => Err(NotWhole::Records { number, last }),
        _ => Ok(()),
    }
}

/// Whether a node takes this step next, after the last one of that number and incarnation.
fn follows(step: &Step, last: Option<(u64, Incarnation)>) -> bool {
    let is_start = matches!(step.input, Input::Start { .. });
    match last {
        Some((last, incarnation)) if incarnation >= step.incarnation => {
            incarnation == step.incarnation && last.checked_add(1) == Some(step.step) && !is_start
        }
        _ => step.step == 1 && is_start,
    }
}
