//! A session of which nothing is missing: its head, and the steps of each node in their order.
//!
//! Invariant: of each incarnation that has a step here all steps are here, from its start on; the session reaches from
//! its first record to the lab's end.

use std::collections::BTreeMap;

use crate::driver::Stamp;
use crate::fault::ClockRate;
use crate::protocol::{Incarnation, NodeId, Roster};
use crate::record::{Body, Head, Input, LineError, Missed, Record, SessionReader, Skipped, Step};

/// The part of a session that is missing, or cannot be read.
#[derive(Clone, Eq, PartialEq, Debug, thiserror::Error)]
pub enum NotWhole {
    /// A line.
    #[error("line {line} cannot be read ({why})")]
    Line {
        /// Its number.
        line: usize,
        /// Why.
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
        /// The node.
        node: NodeId,
        /// Its incarnation.
        incarnation: Incarnation,
        /// The step.
        step: u64,
        /// The node's step before, and of which incarnation.
        after: Option<(u64, Incarnation)>,
    },
}

/// A session, whole.
#[derive(Debug)]
pub(super) struct Whole<'a> {
    pub head: &'a Head,
    pub roster: Roster,
    pub steps: BTreeMap<NodeId, Vec<RecordedStep<'a>>>,
}

/// A step as it was recorded.
#[derive(Clone, Debug)]
pub(super) struct RecordedStep<'a> {
    /// The record's number.
    pub number: u64,
    /// When.
    pub stamp: Stamp,
    /// The step.
    pub step: &'a Step,
    /// What a fault or somebody else had left of the safe cells, if this is a start that found them other than they were saved.
    pub left: Option<Option<&'a str>>,
    /// The rates that the machine's clock was given since the step before, and when in lab time.
    pub rates: Vec<(u64, Option<ClockRate>)>,
}

impl<'a> Whole<'a> {
    /// Looks for what is missing; an error names the first line or record at which something is.
    pub fn of(session: &'a SessionReader) -> Result<Whole<'a>, NotWhole> {
        if let Some(Skipped { line, why }) = session.skipped.first() {
            return Err(NotWhole::Line { line: *line, why: why.clone() });
        }
        let head = session.head.as_ref().ok_or(NotWhole::NoHead)?;
        let roster = head.roster().ok_or(NotWhole::NoLab(head.nodes))?;
        let mut whole = Whole { head, roster, steps: BTreeMap::new() };
        let mut last = 0;
        let mut lost: BTreeMap<Option<NodeId>, Option<&str>> = BTreeMap::new();
        let mut rates: BTreeMap<Option<NodeId>, Vec<_>> = BTreeMap::new();
        for record in &session.records {
            check_place(record, last)?;
            last = record.number;
            match &record.body {
                Body::CellsLost { left, .. } | Body::CellsChanged { left } => {
                    lost.insert(record.node, left.as_deref());
                }
                // What the process before this one was told last does not concern this one.
                Body::Spawned { .. } => drop(rates.remove(&record.node)),
                Body::ClockSet { clock } => {
                    let lab = u64::try_from(record.lab).unwrap_or(0);
                    rates.entry(record.node).or_default().push((lab, clock.map(|clock| clock.rate)));
                }
                Body::Step(step) => {
                    let (left, rates) = (lost.remove(&record.node), rates.remove(&record.node));
                    whole.take_step(record, step, left, rates.unwrap_or_default())?;
                }
                _ => {}
            }
        }
        if !session.records.iter().any(|record| matches!(record.body, Body::Ended { .. })) {
            return Err(NotWhole::BreaksOff(last));
        }
        if whole.steps.is_empty() {
            return Err(NotWhole::NoSteps);
        }
        Ok(whole)
    }

    fn take_step(
        &mut self,
        record: &Record,
        step: &'a Step,
        left: Option<Option<&'a str>>,
        rates: Vec<(u64, Option<ClockRate>)>,
    ) -> Result<(), NotWhole> {
        let number = record.number;
        let node = record.node.filter(|node| self.roster.all().contains(*node));
        let node = node.ok_or(NotWhole::NoSuchNode(number))?;
        let lab = u64::try_from(record.lab).map_err(|_| NotWhole::TooEarly(number))?;
        let steps = self.steps.entry(node).or_default();
        let last = steps.last().map(|recorded| recorded.step);
        if !follows(step, last) {
            let after = last.map(|last| (last.step, last.incarnation));
            let Step { incarnation, step, .. } = *step;
            return Err(NotWhole::Steps { number, node, incarnation, step, after });
        }
        steps.push(RecordedStep { number, stamp: Stamp { at: record.at, lab }, step, left, rates });
        Ok(())
    }
}

/// Every record is here, and this build knows what it is.
fn check_place(record: &Record, last: u64) -> Result<(), NotWhole> {
    let number = record.number;
    match &record.body {
        Body::Gap(missed) => Err(NotWhole::Missed { number, missed: missed.clone() }),
        Body::Unknown(map) => Err(NotWhole::UnknownKind { number, kind: map["kind"].to_string() }),
        _ if number != last + 1 => Err(NotWhole::Records { number, last }),
        _ => Ok(()),
    }
}

/// Whether a node takes this step next.
fn follows(step: &Step, last: Option<&Step>) -> bool {
    let begins = step.step == 1 && matches!(step.input, Input::Start { .. });
    match last {
        None => begins,
        Some(last) if last.incarnation < step.incarnation => begins,
        Some(last) => {
            let is_next = last.incarnation == step.incarnation && last.step.checked_add(1) == Some(step.step);
            is_next && !matches!(step.input, Input::Start { .. })
        }
    }
}
