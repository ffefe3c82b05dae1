//! The judge: compares every consistent cut and every end of an election with the algorithm's promises, and looks for
//! the broken assumption that excuses a contradiction.
//!
//! A contradiction is reported only when it is ripe: every running process has taken a step or dealt with a datagram
//! with a later stamp, or a second has passed (or four one-way bounds, if that is longer). By then a stall of the
//! machine that explains it has become visible. An assumption excuses it if the algorithm needs it for the property and
//! it was broken between the beginning of the earlier state, minus the algorithm's own time bound, and the
//! contradiction. If several pairs of states appear at once, the pair that is hardest to excuse counts.
//!
//! Invariant: everything about the algorithm comes from the session's head; the same records in the same order give the
//! same reports, except those that time alone makes ripe.

mod cuts;
mod ends;
mod liars;
mod liveness;
mod telling;

use std::collections::BTreeMap;

use self::liveness::QuietRow;
use self::telling::ReportedViolation;
use super::assertions::{ASSERTIONS, Assertion, END_ASSERTIONS, EndAssertion};
use super::assumed::AssumptionView;
use super::disputes::Disputes;
use super::ending::Endings;
use super::failed_elections::FruitlessElections;
use super::figures::FigureKeeper;
use super::finding::{Finding, STAMPING_UNCERTAIN};
use super::interval::{Belief, Intervals};
use super::latest_events::LatestEvents;
use super::liars::Liars;
use super::liveness::{ExcuseTerm, Participants};
use super::meter::{Meter, faulty_max};
use super::numbers::{ProcessLife, UsedNumbers};
use super::overdue::Overdue;
use super::processes::Processes;
use super::quiet::Quiet;
use super::repeated_reports::Serials;
use super::terms::TermLeaders;
use super::work::WorkJudge;
use protocol::{ERRATA, NodeId, NodeMap, Property, Roster, SettingValue, StateVector};
use record::{Body, BrokenReport, Head, Input, Record, Uncertainty, ViolationReport};
use world::clock::{Clocks, Event};
use world::moment::CausalMoment;
use world::{Counts, Figures, Tallies, index};

/// A contradiction waits at least this long for a silent process, in nanoseconds.
const PATIENCE_MIN: i64 = 1_000_000_000;

/// Judges a lab, record by record in causal order. Pure: the time is an argument, in nanoseconds since the lab began.
#[derive(Clone)]
pub struct Judge {
    roster: Roster,
    /// What is judged, although the lab's settings withdraw the promise.
    withheld: Vec<Property>,
    assertions: Vec<&'static Assertion>,
    end_assertions: Vec<&'static EndAssertion>,
    quiet_rows: Vec<QuietRow>,
    /// The used group numbers, if their uniqueness is promised.
    numbers: Option<UsedNumbers>,
    /// Who led in which term, if that is promised of terms.
    terms: Option<TermLeaders>,
    /// The judge of the lab's application.
    work: Option<Box<dyn WorkJudge>>,
    patience: i64,
    /// By how much stamps are uncertain, in lab time: more of it passes within the same turn of the scheduler when it runs
    /// faster.
    stamps_uncertain: i64,
    time_bound: i64,
    clocks: Clocks,
    intervals: Intervals,
    endings: Endings,
    fruitless: FruitlessElections,
    /// For how long a break excuses what rests after it, where only the mends would put that right.
    unrepaired: ExcuseTerm,
    meter: Meter,
    latest_events: LatestEvents,
    processes: Processes,
    liars: Liars,
    /// The latest state of each liar.
    of_liars: NodeMap<StateVector>,
    overdue: Overdue,
    quiet: Quiet,
    /// When the next property of quiet is due, if it stays quiet.
    quiet_due: Option<i64>,
    /// When every promised property of quiet held last, and no process was paused: earlier breaks no longer excuse
    /// anything.
    rested: i64,
    /// The node whose past states were dropped last.
    let_go_last: Option<NodeId>,
    /// The latest state of each node, by its place.
    states: Vec<Option<StateVector>>,
    /// Since when each node has its present status, coordinator and election.
    stands_since: Vec<i64>,
    /// Of each node, since when its work is as it is.
    works_since: Vec<i64>,
    /// The participants of numbered elections, if a promised property asks for them.
    took_part: Option<Participants>,
    disputes: Disputes,
    serials: Serials,
    /// For each property the latest end of an election that was reported to violate it.
    wrong_ends: BTreeMap<Property, (i64, Vec<NodeId>)>,
    pending: Vec<Finding>,
    /// Of each kind the first ones, as the world keeps them.
    told: Vec<ReportedViolation>,
    told_of_kind: Counts,
    unknown: Option<Uncertainty>,
    tallies: Tallies,
    figuring: FigureKeeper,
    /// When it was closed last, if it was.
    closed: Option<i64>,
    now: i64,
}

impl Judge {
    /// A judge of this lab, before its first record, and of what its application does.
    pub fn new(head: &Head, work: Option<Box<dyn WorkJudge>>) -> Judge {
        let facts = &head.facts;
        let roster = head.roster().expect("a head tells of at least one node and of no more than a lab may have");
        let nanos = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        let promised = |property: Property| facts.promises.contains(&property);
        Judge {
            roster,
            withheld: facts.withheld.clone(),
            assertions: ASSERTIONS.iter().filter(|row| promised(row.property)).collect(),
            end_assertions: END_ASSERTIONS.iter().filter(|row| promised(row.property)).collect(),
            quiet_rows: QuietRow::promised(head, work.as_deref()),
            numbers: promised(Property::GroupNumbers).then(|| UsedNumbers::new(roster)),
            terms: promised(Property::ElectionSafety).then(TermLeaders::default),
            work,
            patience: nanos((facts.one_way_bound * 4).nanos()).max(PATIENCE_MIN),
            stamps_uncertain: STAMPING_UNCERTAIN,
            time_bound: nanos(facts.time_bound.nanos()),
            clocks: Clocks::new(roster, nanos(facts.one_way_bound.nanos())),
            intervals: Intervals::new(roster),
            unrepaired: if is_to_the_letter(head) { ExcuseTerm::UntilNextElection } else { ExcuseTerm::Never },
            endings: Endings::new(nanos(facts.time_bound.nanos()), nanos(facts.one_way_bound.nanos())),
            fruitless: FruitlessElections::new(nanos(facts.time_bound.nanos()), faulty_max(head)),
            meter: Meter::new(head, roster),
            latest_events: LatestEvents::default(),
            processes: Processes::new(roster),
            liars: Liars::default(),
            of_liars: NodeMap::new(),
            overdue: Overdue::new(head),
            quiet: Quiet::new(),
            quiet_due: None,
            rested: i64::MIN,
            let_go_last: None,
            states: vec![None; usize::from(roster.len())],
            stands_since: vec![i64::MIN; usize::from(roster.len())],
            works_since: vec![i64::MIN; usize::from(roster.len())],
            took_part: Participants::asked_for(&facts.promises),
            disputes: Disputes::default(),
            serials: Serials::default(),
            wrong_ends: BTreeMap::new(),
            pending: Vec::new(),
            told: Vec::new(),
            told_of_kind: Counts::default(),
            unknown: None,
            tallies: Tallies::of(&facts.promises),
            figuring: FigureKeeper::new(),
            closed: None,
            now: i64::MIN,
        }
    }

    /// Takes in the next record of the causal order; returns the findings that this makes ripe.
    pub fn take(&mut self, record: &Record) -> Vec<ViolationReport> {
        // What was due before this record is judged first, by the old states.
        self.pass(record.at);
        // The meter needs the event, and a state is judged by the stains that this record has brought.
        let event = self.clocks.take(record);
        let bitten = self.meter.bites();
        self.meter.take(record, &event, &mut self.clocks);
        self.meter.stain(self.clocks.past_mut());
        self.latest_events.take(record);
        if let Some(why) = &event.broke {
            self.become_unknown(why);
        }
        match &record.body {
            Body::Gap(_) => self.touch_gap(record.node),
            Body::SpeedSet { speed, .. } => {
                self.stamps_uncertain = self.stamps_uncertain.max(speed.lab_time(STAMPING_UNCERTAIN));
            }
            _ => {}
        }
        // The quiet and the states are looked at with those who run now.
        let node = record.node.filter(|node| node.get() <= self.roster.len());
        if let Some(node) = node {
            self.processes.take(node, record);
        }
        let turned = self.liars.take(record);
        let is_disturbed = self.quiet.take(record);
        if is_disturbed {
            self.disturb(record.at);
        }
        if let Some(node) = node {
            self.take_event(node, record, &event);
            if let Some(turned) = turned {
                self.take_turn(node, turned, record.at);
            }
        }
        if is_disturbed || turned.is_some() || self.meter.bites() != bitten {
            self.quiet_due = self.next_quiet_due();
        }
        self.tell_ripe(self.now)
    }

    /// Returns the findings that time alone makes ripe.
    pub fn ripen(&mut self, now: i64) -> Vec<ViolationReport> {
        self.pass(now);
        self.tell_ripe(self.now)
    }

    /// The lab has ended: returns all findings that still waited.
    pub fn close(&mut self, now: i64) -> Vec<ViolationReport> {
        self.pass(now);
        // A host closes when the script is over and again at its end: what was counted then is not counted again.
        if self.closed.is_none_or(|closed| self.quiet.disturbed > closed) {
            self.end_quiet(self.now);
        }
        self.closed = Some(self.now);
        self.figuring.take_last(&self.states, &self.processes.running());
        self.figuring.close(self.now);
        self.tell_those(|_| true)
    }

    /// When [`Judge::ripen`] will next have something to do.
    pub fn wake_at(&self) -> Option<i64> {
        let told = self.pending.iter().map(|finding| finding.deadline);
        told.chain(self.quiet_due).chain(self.overdue_at()).min()
    }

    /// When the next property of quiet is due, if nothing disturbs the quiet, in nanoseconds since the lab began;
    /// absent if none is: all were judged since it last became quiet, or none can be judged in this state.
    pub fn liveness_due_at(&self) -> Option<i64> {
        self.quiet_due
    }

    /// Whether a found contradiction still waits to be reported.
    pub fn is_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    /// How often each promised property was due and held, so far.
    pub fn tallies(&self) -> &Tallies {
        &self.tallies
    }

    /// The lab in figures, so far.
    pub fn figures(&self) -> Figures {
        self.figuring.figures()
    }

    /// Which assumptions really held so far, all of the table, with the faults that were meant to break them.
    pub fn assumptions(&self) -> Vec<AssumptionView> {
        self.meter.assumptions(self.now)
    }

    /// In virtual time, how an assumption that the algorithm needs was first broken although no fault broke it: there
    /// is no machine that could have, so it is a bug of this program.
    pub fn defect(&self) -> Option<&str> {
        self.meter.defect()
    }

    /// News: the assumptions of the algorithm that have been broken since the last call.
    pub fn take_broken(&mut self) -> Vec<BrokenReport> {
        self.meter.take_news()
    }

    /// The violations reported so far, a sentence each, with their present causes: a pause that had not ended when the
    /// violation was reported has its whole length once it is over.
    pub fn sentences(&self) -> Vec<String> {
        self.told.iter().map(|told| self.report(told).text).collect()
    }

    /// Why nobody can say that no property was violated: records are missing. From then on too little is known of the
    /// order of events, and this does not change.
    pub fn unknown(&self) -> Option<&Uncertainty> {
        self.unknown.as_ref()
    }

    /// Judges what is due by this time, the present.
    fn pass(&mut self, now: i64) {
        self.now = self.now.max(now);
        if let Some(due) = self.quiet_due.filter(|due| *due <= self.now) {
            self.judge_quiet(due);
        }
        self.judge_overdue();
    }

    fn take_event(&mut self, node: NodeId, record: &Record, event: &Event) {
        match &record.body {
            Body::Step(step) => {
                self.go_on(node);
                self.figuring.take_step(step);
                if let (true, Some(state)) = (self.liars.is_liar(node), &step.state) {
                    self.of_liars.insert(node, state.clone());
                    return;
                }
                if self.roster.elects(node) {
                    self.fruitless.take_capacity(node, step.capacity);
                    self.endings.take_step(node, step);
                }
                if let (Some(state), Some(moment)) = (&step.state, &event.moment) {
                    let life = match step.input {
                        Input::Start { .. } => ProcessLife::Begins,
                        _ => ProcessLife::GoesOn,
                    };
                    self.take_state(moment, state, life, record.at);
                }
            }
            // A bystander has no part in elections.
            Body::Died { .. } | Body::Stopped { .. } | Body::Continued | Body::Spawned { .. }
                if !self.roster.elects(node) => {}
            Body::Died { .. } => {
                self.states[index(node)] = None;
                self.overdue.forget(node);
                self.fruitless.forget(node);
                if let Some(took_part) = &mut self.took_part {
                    took_part.take_crash(node);
                }
                if let Some(moment) = &event.moment {
                    self.change_claim(None, moment, record.at);
                    if let Some(numbers) = &mut self.numbers {
                        numbers.take_crash(node);
                    }
                    if let Some(work) = &mut self.work {
                        work.take_crash(moment, record.at);
                    }
                }
                self.endings.take_crash(node, record.at);
                self.figure(node, record.at);
            }
            Body::Stopped { .. } | Body::Continued | Body::Spawned { .. } => self.figure(node, record.at),
            _ => {}
        }
    }

    fn take_state(&mut self, moment: &CausalMoment, state: &StateVector, life: ProcessLife, at: i64) {
        if !self.roster.elects(moment.node) {
            return self.take_work(moment, state, life, at);
        }
        let stands = |state: &StateVector| (state.status, state.coordinator, state.election);
        let before = self.states[index(moment.node)].replace(state.clone());
        if before.as_ref().map(stands) != Some(stands(state)) {
            self.stands_since[index(moment.node)] = at;
        }
        if before.is_none_or(|before| before.work != state.work) {
            self.works_since[index(moment.node)] = at;
        }
        self.took_part.iter_mut().for_each(|took_part| took_part.take_state(moment.node, state, at));
        self.overdue.take_state(moment.node, state, at);
        self.fruitless.take_state(moment.node, state, at);
        // First, because a number used twice excuses the claims of the two groups.
        self.take_number(moment, state, life, at);
        self.take_term(moment, state, at);
        self.take_work(moment, state, life, at);
        if !self.assertions.is_empty() {
            self.change_claim(Belief::of(state), moment, at);
        }
        if !self.end_assertions.is_empty() {
            self.take_end(moment, state, at);
            self.take_fruitless_end(at);
        }
        self.figure(moment.node, at);
        self.judge_change(at);
    }

    fn touch_gap(&mut self, node: Option<NodeId>) {
        for touched in self.roster.all().iter().filter(|of| node.is_none_or(|node| node == *of)) {
            self.intervals.touch_gap(touched);
            if let Some(work) = &mut self.work {
                work.touch_gap(touched);
            }
        }
        self.endings.touch_gap();
        self.disputes.refresh(&self.intervals);
    }

    fn become_unknown(&mut self, why: &Uncertainty) {
        self.unknown.get_or_insert_with(|| why.clone());
    }

    fn figure(&mut self, node: NodeId, at: i64) {
        let is_unsafe = self.disputes.any_now(&self.intervals);
        let running = self.processes.running();
        self.figuring.take_change(node, &self.states, &running, is_unsafe, self.quiet.disturbed, at);
    }

    /// How much is kept: intervals, messages in flight, pairs in dispute, what the meter holds.
    #[cfg(test)]
    pub(super) fn kept(&self) -> [usize; 4] {
        [self.intervals.len(), self.clocks.in_flight(), self.disputes.len(), self.meter.len()]
    }

    /// How many messages are in flight, and how many bytes the counts of turns take that they carry.
    #[cfg(test)]
    pub(super) fn in_flight(&self) -> (usize, usize) {
        (self.clocks.in_flight(), self.clocks.flights().bytes_of_counts())
    }

    /// How many steps and bites are remembered, for the way from a bite to a contradiction.
    #[cfg(test)]
    pub(super) fn remembered(&self) -> (usize, usize) {
        (self.clocks.past().steps_kept(), self.meter.hits())
    }
}

/// Whether the lab leaves some or all holes of its paper unmended: this code does not know which of them keeps the
/// groups apart.
fn is_to_the_letter(head: &Head) -> bool {
    head.settings.value(ERRATA).is_some_and(|errata| *errata != SettingValue::Flag(true))
}
