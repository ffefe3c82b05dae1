//! The judge: holds every consistent cut and every end of an election against what the algorithm promises, and looks
//! for the broken assumption that excuses a contradiction.
//!
//! A contradiction is told only when it is ripe: every running process has taken a step or dealt with a datagram that
//! is stamped later, or a second has passed (or four one-way bounds, if that is longer). By then a stall of the machine
//! that explains it has shown itself. An assumption excuses it if the algorithm needs it and it was broken between the
//! beginning of the earlier state, less the algorithm's own time bound, and the contradiction.
//!
//! Invariant: everything about the algorithm comes from the session's head; the same records in the same order give the
//! same reports, up to those that time alone makes ripe.

use std::collections::BTreeMap;

use super::assertions::{ASSERTIONS, Assertion, Dispute, END_ASSERTIONS, EndAssertion};
use super::breaks::Break;
use super::chronicle::Chronicle;
use super::clock::{Clocks, Event, Moment};
use super::ending::Endings;
use super::finding::{Disputes, Finding};
use super::interval::{Claim, IntervalId, Intervals};
use super::meter::Meter;
use super::world::ProcessState;
use crate::protocol::{NodeId, NodeSet, Property, Roster, StateVector};
use crate::record::{Body, Head, Record, ViolationReport};

/// A contradiction waits at least so long for a process that is silent, in nanoseconds.
const PATIENCE_MIN: i64 = 1_000_000_000;

/// Judges a lab, record by record in causal order. Pure: the time is an argument, in nanoseconds since the lab began.
#[derive(Clone)]
pub struct Judge {
    assertions: Vec<&'static Assertion>,
    end_assertions: Vec<&'static EndAssertion>,
    patience: i64,
    time_bound: i64,
    clocks: Clocks,
    intervals: Intervals,
    endings: Endings,
    meter: Meter,
    chronicle: Chronicle,
    processes: BTreeMap<NodeId, Process>,
    disputes: Disputes,
    /// The latest end of an election that each property was told to be violated by.
    wrong_ends: BTreeMap<Property, (Option<u64>, Vec<NodeId>)>,
    pending: Vec<Finding>,
    told: Vec<Told>,
    unknown: Option<String>,
    now: i64,
}

/// A node's process: what it does, and the stamp of the latest record that it wrote itself.
#[derive(Copy, Clone, Debug)]
struct Process {
    state: ProcessState,
    spoke: i64,
}

/// A violation as it was told.
#[derive(Clone)]
struct Told {
    finding: Finding,
    /// What happened between its two states: the chronicle is bounded, so this is kept.
    between: String,
    excuse: Option<Break>,
}

/// The dispute over a property that a new interval opened, and the pair of intervals that shows it best.
type Opened = (Property, Dispute, Vec<(IntervalId, IntervalId)>, Finding);

impl Judge {
    /// A judge of this lab, before its first record.
    pub fn new(head: &Head) -> Judge {
        let facts = &head.facts;
        let roster =
            Roster::new(head.nodes).expect("a head tells of at least one node and of no more than a lab may have");
        let nanos = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        Judge {
            assertions: ASSERTIONS.iter().filter(|row| facts.promises.contains(&row.property)).collect(),
            end_assertions: END_ASSERTIONS.iter().filter(|row| facts.promises.contains(&row.property)).collect(),
            patience: nanos((facts.one_way_bound * 4).nanos()).max(PATIENCE_MIN),
            time_bound: nanos(facts.time_bound.nanos()),
            clocks: Clocks::new(roster),
            intervals: Intervals::default(),
            endings: Endings::default(),
            meter: Meter::new(facts),
            chronicle: Chronicle::default(),
            processes: roster
                .all()
                .iter()
                .map(|node| (node, Process { state: ProcessState::Absent, spoke: i64::MIN }))
                .collect(),
            disputes: Disputes::default(),
            wrong_ends: BTreeMap::new(),
            pending: Vec::new(),
            told: Vec::new(),
            unknown: None,
            now: i64::MIN,
        }
    }

    /// Takes in the next record of the causal order; tells what has become ripe by it.
    pub fn take(&mut self, record: &Record) -> Vec<ViolationReport> {
        self.now = self.now.max(record.at);
        let event = self.clocks.take(record);
        self.meter.take(record, &event);
        self.chronicle.take(record);
        if let Some(why) = &event.broke {
            self.become_unknown(why);
        }
        if let Body::Gap(_) = record.body {
            self.touch_gap(record.node);
        }
        if let Some(node) = record.node {
            self.follow_process(node, record);
            self.take_event(node, record, &event);
        }
        self.tell_ripe(self.now)
    }

    /// Tells what has become ripe by time alone.
    pub fn ripen(&mut self, now: i64) -> Vec<ViolationReport> {
        self.now = self.now.max(now);
        self.tell_ripe(self.now)
    }

    /// The lab has ended: tells everything that was still waiting.
    pub fn close(&mut self, now: i64) -> Vec<ViolationReport> {
        self.now = self.now.max(now);
        let pending = std::mem::take(&mut self.pending);
        pending.into_iter().map(|finding| self.tell(finding)).collect()
    }

    /// When [`Judge::ripen`] will next have something to tell.
    pub fn wake_at(&self) -> Option<i64> {
        self.pending.iter().map(|finding| finding.deadline).min()
    }

    /// The violations told so far, a sentence each, with their causes as they stand now: a pause that was under way
    /// when the violation was told has its whole length once it is over.
    pub fn sentences(&self) -> Vec<String> {
        self.told.iter().map(|told| self.sentence(told)).collect()
    }

    /// Why nobody can say that no property was violated, as a fragment: records are missing. From then on too little is
    /// known of what happened before what, and it stays so.
    pub fn unknown(&self) -> Option<String> {
        self.unknown.clone()
    }

    fn take_event(&mut self, node: NodeId, record: &Record, event: &Event) {
        let Some(moment) = &event.moment else { return };
        match &record.body {
            Body::Step(step) => {
                if let Some(state) = &step.state {
                    self.take_state(moment, state, record.at);
                }
            }
            Body::Died { .. } => {
                self.change_claim(None, moment, record.at);
                self.endings.take_crash(node);
            }
            _ => {}
        }
    }

    fn take_state(&mut self, moment: &Moment, state: &StateVector, at: i64) {
        if !self.assertions.is_empty() {
            self.change_claim(Claim::of(state), moment, at);
        }
        if self.end_assertions.is_empty() {
            return;
        }
        let running = self.running().union(&NodeSet::of(moment.node));
        let Some(ending) = self.endings.take_state(moment.node, state, moment.chain, at, running) else { return };
        for row in self.end_assertions.clone() {
            match (row.wrong)(&ending) {
                None => {
                    self.wrong_ends.remove(&row.property);
                }
                Some(what) => {
                    let outcome = ending.outcome();
                    if self.wrong_ends.insert(row.property, outcome.clone()) != Some(outcome) {
                        let told_by = self.now.max(at).saturating_add(self.patience);
                        let (nodes, began) = (ending.nodes(), ending.began);
                        self.pending.push(Finding::of_end(row.property, nodes, began, at, what, told_by));
                    }
                }
            }
        }
    }

    fn change_claim(&mut self, claim: Option<Claim>, moment: &Moment, at: i64) {
        let change = self.intervals.become_claim(claim, moment, at);
        if let Some((id, at)) = change.ended {
            self.pending.iter_mut().chain(self.told.iter_mut().map(|told| &mut told.finding)).for_each(|finding| {
                finding.note_end(id, at);
            });
        }
        if change.overflowed {
            self.become_unknown("some node was silent for so many changes of state that the oldest were let go");
        }
        if change.began {
            self.compare(moment.node, at);
        }
        if change.ended.is_some() {
            let clocks = &self.clocks;
            self.intervals.let_go(|node| clocks.known_to_all(node));
            self.disputes.refresh(&self.intervals);
        }
    }

    /// Holds the node's new interval against all that stand in one consistent cut with it.
    fn compare(&mut self, node: NodeId, at: i64) {
        let told_by = self.now.max(at).saturating_add(self.patience);
        for (property, dispute, pairs, finding) in self.opened(node, told_by) {
            if self.disputes.add(property, dispute, pairs) {
                self.pending.push(finding);
            }
        }
    }

    fn opened(&self, node: NodeId, told_by: i64) -> Vec<Opened> {
        let Some(new) = self.intervals.open_of(node) else { return Vec::new() };
        let mut opened: Vec<(Opened, (bool, bool))> = Vec::new();
        for other in self.intervals.concurrent_with(new) {
            // A state that stands shows more than a past one, and a coordinator more than who follows it.
            let shows = (other.until().is_none(), other.claim.coordinator == other.node);
            for row in &self.assertions {
                let Some(dispute) = (row.dispute)(&new.claim, &other.claim) else { continue };
                let known =
                    opened.iter_mut().find(|((property, of, ..), _)| *property == row.property && *of == dispute);
                let finding = || Finding::of_pair(row.property, dispute, new, other, told_by);
                match known {
                    None => opened.push(((row.property, dispute, vec![(new.id, other.id)], finding()), shows)),
                    Some(((_, _, pairs, best), best_shows)) => {
                        pairs.push((new.id, other.id));
                        if shows > *best_shows {
                            (*best, *best_shows) = (finding(), shows);
                        }
                    }
                }
            }
        }
        opened.into_iter().map(|(opened, _)| opened).collect()
    }

    fn touch_gap(&mut self, node: Option<NodeId>) {
        let touched: Vec<NodeId> =
            self.processes.keys().copied().filter(|of| node.is_none_or(|node| node == *of)).collect();
        touched.into_iter().for_each(|node| self.intervals.touch_gap(node));
        self.endings.touch_gap();
        self.disputes.refresh(&self.intervals);
    }

    fn become_unknown(&mut self, why: &str) {
        self.unknown.get_or_insert_with(|| why.to_owned());
    }

    fn follow_process(&mut self, node: NodeId, record: &Record) {
        let Some(process) = self.processes.get_mut(&node) else { return };
        match &record.body {
            Body::Spawned { .. } => process.state = ProcessState::Starting,
            Body::Died { .. } => process.state = ProcessState::Dead,
            Body::Stopped { .. } => process.state = ProcessState::Paused,
            Body::Continued => process.state = ProcessState::Running,
            Body::Step(_) if matches!(process.state, ProcessState::Absent | ProcessState::Starting) => {
                process.state = ProcessState::Running;
            }
            _ => {}
        }
        let own = matches!(
            record.body,
            Body::Step(_)
                | Body::Dropped { .. }
                | Body::Held { .. }
                | Body::Spoiled { .. }
                | Body::Duplicated { .. }
                | Body::Reordered { .. }
                | Body::Garbled { .. }
                | Body::Copy { .. }
                | Body::Late { .. }
                | Body::Stale { .. }
                | Body::Refused { .. }
                | Body::Overflowed { .. }
        );
        if own {
            process.spoke = process.spoke.max(record.at);
        }
    }

    /// The processes that run and have taken a step.
    fn running(&self) -> NodeSet {
        let running = self.processes.iter().filter(|(_, process)| process.state == ProcessState::Running);
        running.map(|(node, _)| *node).collect()
    }

    fn tell_ripe(&mut self, now: i64) -> Vec<ViolationReport> {
        if self.pending.is_empty() {
            return Vec::new();
        }
        let running = self.processes.values().filter(|process| process.state == ProcessState::Running);
        let all_spoke = running.map(|process| process.spoke).min().unwrap_or(i64::MAX);
        let is_ripe = |finding: &mut Finding| finding.deadline <= now || finding.since < all_spoke;
        let ripe: Vec<Finding> = self.pending.extract_if(.., is_ripe).collect();
        ripe.into_iter().map(|finding| self.tell(finding)).collect()
    }

    fn tell(&mut self, finding: Finding) -> ViolationReport {
        let from = finding.from.saturating_sub(self.time_bound);
        let running = self.running();
        let excuse = self.meter.excuse(&finding.accused, from, finding.since, &running, self.now);
        let between = self.chronicle.between(finding.from, finding.since);
        let told = Told { finding, between, excuse };
        let report = ViolationReport {
            property: told.finding.property,
            nodes: told.finding.accused,
            since: told.finding.since,
            because: told.excuse.as_ref().map(|broken| broken.assumption),
            by_machine: told.excuse.as_ref().is_some_and(Break::is_by_machine),
            text: self.sentence(&told),
        };
        self.told.push(told);
        report
    }

    fn sentence(&self, told: &Told) -> String {
        let cause = match &told.excuse {
            Some(broken) => self.meter.told(broken, self.now),
            None => "no assumption was broken".to_owned(),
        };
        format!("{}; between them: {}; {cause}", told.finding.told(), told.between)
    }

    /// How much is kept: intervals, messages in flight, pairs in dispute, what the meter holds.
    #[cfg(test)]
    pub(super) fn kept(&self) -> [usize; 4] {
        [self.intervals.len(), self.clocks.in_flight(), self.disputes.len(), self.meter.len()]
    }
}
