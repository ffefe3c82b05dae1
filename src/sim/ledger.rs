//! The ledger: every record of a simulation on its one way: number, world, judge, conductor, and whoever listens.
//!
//! A simulation makes its records in causal order, so no orderer stands before the ledger. What the judge finds about a
//! record follows it at once, as in a live lab.
//!
//! Invariant: a record goes its way once. With [`Recorded::No`] nodes make none, and nothing is judged or heard: what the
//! simulator itself records of processes and faults goes to the world alone, where the script looks for it.

use std::collections::VecDeque;

use super::Recorded;
use crate::driver::Stamp;
use crate::judge::{Judge, World};
use crate::protocol::NodeId;
use crate::record::{Body, Head, Outcome, Record, VerdictAbout, ViolationReport};
use crate::script::{Action, Conductor};

/// Who hears of every record.
pub type Listener<'a> = Box<dyn FnMut(&Record) + 'a>;

/// The records' way.
pub(super) struct Ledger<'a> {
    pub recorded: Recorded,
    pub world: World,
    pub judge: Judge,
    pub conductor: Conductor,
    /// What the conductor wants done, in order.
    pub actions: VecDeque<Action>,
    /// When time alone will bring something: it changes with records and with time only, and is asked at every event.
    wake: Option<i64>,
    listener: Listener<'a>,
}

impl<'a> Ledger<'a> {
    pub fn new(recorded: Recorded, head: &Head, world: World, conductor: Conductor, listener: Listener<'a>) -> Self {
        let (judge, actions, wake) = (Judge::new(head), VecDeque::new(), conductor.wake_at());
        Ledger { recorded, world, judge, conductor, actions, wake, listener }
    }

    /// Whether anybody reads records.
    pub fn keeps(&self) -> bool {
        self.recorded != Recorded::No
    }

    /// Takes in the next record of the causal order.
    pub fn publish(&mut self, mut record: Record) {
        record.number = self.world.records + 1;
        let at = record.at;
        self.world.fold(&record);
        if self.keeps() {
            (self.listener)(&record);
        }
        if self.recorded == Recorded::Yes {
            let found = self.judge.take(&record);
            let undecidable = self.judge.unknown().filter(|_| self.world.undecidable.is_none());
            for report in self.judge.take_broken() {
                self.publish(Record::of_host(at, Body::AssumptionBroken(report)));
            }
            self.publish_violations(found, at);
            if let Some(why) = undecidable {
                self.publish(Record::of_host(at, Body::Undecidable { why }));
            }
        }
        self.advance_script(at);
    }

    /// A record about a node, or about none, at this moment.
    pub fn record(&mut self, now: u64, node: Option<NodeId>, body: Body) {
        self.publish(stamp(now).record(node, body));
    }

    /// Lets what time alone brings happen.
    pub fn pass_time(&mut self, now: i64) {
        let found = self.judge.ripen(now);
        self.publish_violations(found, now);
        self.advance_script(now);
    }

    /// When time alone will bring something.
    pub fn wake_at(&self) -> Option<i64> {
        self.wake
    }

    fn advance_script(&mut self, now: i64) {
        self.actions.extend(self.conductor.advance(now, &self.world));
        self.wake = [self.conductor.wake_at(), self.judge.wake_at()].into_iter().flatten().min();
    }

    /// A verdict on an expectation.
    pub fn publish_verdict(&mut self, now: u64, index: usize, outcome: Outcome, text: String) {
        self.record(now, None, Body::Verdict { about: VerdictAbout::Expectation(index), outcome, text });
    }

    /// How an assumption was broken that the algorithm needs and no fault broke, as a sentence.
    pub fn defect(&self) -> Option<String> {
        let what = self.judge.defect()?;
        Some(format!("{what}; no fault did that, and in virtual time nothing else can: this is a bug of this program"))
    }

    /// The judge tells everything that still waits.
    pub fn close_judge(&mut self, now: i64) {
        let found = self.judge.close(now);
        self.publish_violations(found, now);
    }

    fn publish_violations(&mut self, found: Vec<ViolationReport>, at: i64) {
        for report in found {
            self.publish(Record::of_host(at, Body::Violation(report)));
        }
    }
}

/// The stamp of a moment of virtual time: its clock and the lab's are one.
pub(super) fn stamp(now: u64) -> Stamp {
    Stamp { at: i64::try_from(now).unwrap_or(i64::MAX), lab: now }
}
