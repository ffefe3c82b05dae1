//! A session of which nothing is missing: its head, and the steps of each node in their order.
//!
//! Invariant: of each incarnation that has a step here all steps are here, from its start on; the session reaches from
//! its first record to the lab's end.

use std::collections::BTreeMap;

use crate::driver::Stamp;
use crate::fault::ClockRate;
use crate::protocol::{NodeId, Roster};
use crate::record::{Body, Head, Input, Missed, Record, SessionReader, Skipped, Step};

/// A session, whole.
#[derive(Debug)]
pub(super) struct Whole<'a> {
    pub head: &'a Head,
    pub roster: Roster,
    pub steps: BTreeMap<NodeId, Vec<Recorded<'a>>>,
}

/// A step as it was recorded.
#[derive(Clone, Debug)]
pub(super) struct Recorded<'a> {
    /// The record's number.
    pub number: u64,
    /// When.
    pub stamp: Stamp,
    /// The step.
    pub step: &'a Step,
    /// What a fault had left of the safe cells, if this is a start that found them other than they were saved.
    pub left: Option<Option<&'a str>>,
    /// The rates that the machine's clock was given since the step before, and when in lab time.
    pub rates: Vec<(u64, Option<ClockRate>)>,
}

impl<'a> Whole<'a> {
    /// Looks for what is missing; an error names the first line or record at which something is.
    pub fn of(session: &'a SessionReader) -> Result<Whole<'a>, String> {
        if let Some(Skipped { line, why }) = session.skipped.first() {
            return Err(format!("line {line} cannot be read ({why})"));
        }
        let head = session.head.as_ref().ok_or("it has no head")?;
        let roster = head.roster().ok_or_else(|| format!("its head speaks of {} nodes", head.nodes))?;
        let mut whole = Whole { head, roster, steps: BTreeMap::new() };
        let mut last = 0;
        let mut lost: BTreeMap<Option<NodeId>, Option<&str>> = BTreeMap::new();
        let mut rates: BTreeMap<Option<NodeId>, Vec<_>> = BTreeMap::new();
        for record in &session.records {
            check_place(record, last)?;
            last = record.number;
            match &record.body {
                Body::CellsLost { left, .. } => drop(lost.insert(record.node, left.as_deref())),
                // What the process before was told last is nothing to this one.
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
            return Err(format!("it breaks off after record {last}: the lab's end is not in it"));
        }
        if whole.steps.is_empty() {
            return Err("no machine took a step in it".to_owned());
        }
        Ok(whole)
    }

    fn take_step(
        &mut self,
        record: &Record,
        step: &'a Step,
        left: Option<Option<&'a str>>,
        rates: Vec<(u64, Option<ClockRate>)>,
    ) -> Result<(), String> {
        let number = record.number;
        let node = record.node.filter(|node| self.roster.all().contains(*node));
        let node = node.ok_or_else(|| format!("record {number} is a step of a node that the lab has not"))?;
        let lab = u64::try_from(record.lab)
            .map_err(|_| format!("record {number}: a machine took a step before the lab began"))?;
        let steps = self.steps.entry(node).or_default();
        let last = steps.last().map(|recorded| recorded.step);
        if !follows(step, last) {
            let after = last.map_or("nothing".to_owned(), |last| format!("step {} of {}", last.step, last.incarnation));
            let Step { incarnation, step, .. } = step;
            return Err(format!(
                "record {number}: step {step} of node {node}'s incarnation {incarnation} stands behind {after}; what \
                 was between is missing"
            ));
        }
        steps.push(Recorded { number, stamp: Stamp { at: record.at, lab }, step, left, rates });
        Ok(())
    }
}

/// Every record is here, and this build knows what it is.
fn check_place(record: &Record, last: u64) -> Result<(), String> {
    let number = record.number;
    match &record.body {
        Body::Gap(Missed { count, place }) => {
            Err(format!("record {number}: {count} records are missing, lost {place}"))
        }
        Body::Unknown(map) => {
            Err(format!("record {number} is of a kind that this build does not know: {}", map["kind"]))
        }
        _ if number != last + 1 => {
            Err(format!("record {number} stands behind record {last}; what was between is missing"))
        }
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
