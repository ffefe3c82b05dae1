//! The assumption meter: what was broken, by a fault or by the machine itself, measured from the first record.
//!
//! Assumption 6 is broken by a garbled message; 7 by one that was doubled or overtaken behind the order filter; 8 by a
//! datagram that was lost or spoiled, never came, or came past the one-way bound or too late for the ordered broadcast;
//! 9 by a process that was stopped, by order or by the machine; 10 by one whose clock runs at another rate. A message
//! that is late because its receiver or sender was stopped meanwhile breaks 9, not 8. Timers reveal stalls of the
//! machine: if one runs out late by more than half the one-way bound, or is due and has not run out, its process did
//! not run.
//!
//! Invariant: a fault in force breaks nothing until it affects something; memory is bounded, and the entries that are
//! dropped are always older than those that a search would use.

mod copies;
mod counts;
mod excuse;
mod lasting;
mod measures;
mod missing;
mod reports;

use std::collections::{BTreeMap, VecDeque};

use self::copies::Copies;
use self::excuse::{BreakProgress, BreakSpan, BreakSpans, NewBreakSpan};
pub(super) use self::excuse::{ExcusingBreak, Question};
use self::measures::{HeldMessage, Late};
use self::missing::Missing;
use self::reports::ReportedBreaks;
use super::assumed::{AssumptionView, Courses};
use super::breaks::{Break, Cause};
use super::liars::Liars;
use super::quiet::Scope;
use super::timers::NodeTimers;
use fault::{FaultId, FaultLine, ProcessFault, Tampering};
use protocol::{Assumption, NodeId, NodeMap, NodeSet, Property, Roster, Span, delta};
use record::{Body, BreakManner, BrokenAssumption, CopyFate, Death, Head, MessageId, Origin, Record};
use world::clock::{Clocks, Event};
use world::flight::Flights;
use world::index;

/// The most breaks that are kept. A verdict looks at the time up to the contradiction, so it needs the newest.
const BREAKS_MAX: usize = 4096;
/// How many of the newest breaks are searched for one that a new effect continues.
const CONTINUED_MAX: usize = 64;
/// A node reports once a second what its full buffer lost, and notices it with the next datagram: the loss may have
/// happened this much earlier than its record, in nanoseconds.
const OVERFLOW_TOLD_WITHIN: i64 = 1_000_000_000;
/// Serial number of a break that is not stored yet: a process has not yet reported its stop, or a message has not yet
/// come.
const STANDING: u64 = 0;

/// Measures what breaks.
#[derive(Clone, Debug)]
pub(super) struct Meter {
    needs: Vec<Assumption>,
    application_needs: Vec<Assumption>,
    promises: Vec<Property>,
    one_way_bound: i64,
    /// Bites with no longer pause between them are one break: the algorithm's time bound.
    gap_max: i64,
    breaks: VecDeque<Break>,
    /// How many of them have not ended.
    standing: usize,
    serial: u64,
    lines: BTreeMap<FaultId, FaultLine>,
    /// The faults that let nothing pass.
    cuts: Vec<FaultId>,
    held: BTreeMap<(NodeId, MessageId), HeldMessage>,
    /// What bit each node.
    hits: BreakSpans,
    /// New entries of `hits` that the causality tracker has not received yet.
    fresh: Vec<NewBreakSpan>,
    copies: Copies,
    missing: Missing,
    /// By node: when its process started.
    started: Vec<i64>,
    /// By node: since when the script has held its latest held step, and until when.
    held_steps: Vec<(i64, Option<i64>)>,
    timers: Vec<NodeTimers>,
    /// By scope, the stamp of the last bite that disturbed its quiet.
    bitten: [i64; Scope::ALL.len()],
    courses: Courses,
    /// By assumption.
    accounts: [Account; Assumption::ALL.len()],
    /// The latest fault line that starts processes again.
    repairs: Vec<Option<FaultId>>,
    /// The latest order to elect, and its stamp.
    elect: Option<(FaultId, i64)>,
    news: ReportedBreaks,
    /// The dead processes and what killed them, and how many the algorithm allows, if it says so.
    dead: NodeMap<Cause>,
    faulty_max: Option<usize>,
    liars: Liars,
    roster: Roster,
    origin: Origin,
    /// In virtual time, what broke a needed assumption although no fault did: a bug of this program.
    defect: Option<String>,
}

/// What happened to one assumption.
#[derive(Clone, Default, Debug)]
struct Account {
    meant_by: Vec<FaultId>,
    by_faults: u64,
    by_machine: u64,
    first: Option<Break>,
}

impl Meter {
    pub fn new(head: &Head, roster: Roster) -> Meter {
        let facts = &head.facts;
        let one_way_bound = nanos(facts.one_way_bound.nanos());
        Meter {
            needs: facts.needs.clone(),
            application_needs: facts.application.as_ref().map_or_else(Vec::new, |of| of.needs.clone()),
            promises: facts.promises.clone(),
            one_way_bound,
            gap_max: nanos(facts.time_bound.nanos()),
            breaks: VecDeque::new(),
            standing: 0,
            serial: 0,
            lines: BTreeMap::new(),
            cuts: Vec::new(),
            held: BTreeMap::new(),
            hits: BreakSpans::new(roster),
            fresh: Vec::new(),
            copies: Copies::new(one_way_bound, nanos(delta(facts.one_way_bound, &head.settings).nanos())),
            missing: Missing::new(roster),
            started: vec![i64::MIN; usize::from(roster.len())],
            held_steps: vec![(0, Some(0)); usize::from(roster.len())],
            timers: vec![NodeTimers::default(); usize::from(roster.len())],
            bitten: [i64::MIN; Scope::ALL.len()],
            courses: Courses::new(head, roster),
            accounts: Default::default(),
            repairs: vec![None; usize::from(roster.len())],
            elect: None,
            news: ReportedBreaks::default(),
            dead: NodeMap::new(),
            faulty_max: faulty_max(head),
            liars: Liars::default(),
            roster,
            origin: head.origin,
            defect: None,
        }
    }

    /// Takes in the next record; the event says what the clocks made of it.
    pub fn take(&mut self, record: &Record, event: &Event, clocks: &mut Clocks) {
        self.settle_copies(record.at, clocks.flights_mut());
        if let Body::FaultOrdered { id, line, rule, nodes, .. } = &record.body {
            self.lines.insert(*id, line.clone());
            let bound = Span::from_nanos(self.one_way_bound.unsigned_abs());
            if let Some(assumption) = line.breaks(bound) {
                self.accounts[assumption as usize].meant_by.push(*id);
            }
            match line {
                FaultLine::Process(ProcessFault::Recover, _) | FaultLine::HealAll | FaultLine::Undo => {
                    self.note_repair(*id, nodes);
                }
                FaultLine::Lift(lifted) if !matches!(self.lines.get(lifted), Some(FaultLine::Link(_))) => {
                    self.note_repair(*id, nodes);
                }
                FaultLine::Process(ProcessFault::Elect, _) => self.elect = Some((*id, record.at)),
                _ => {}
            }
            self.cuts.extend(rule.as_ref().filter(|rule| rule.effect.is_cut()).map(|_| *id));
        }
        if let (Body::Gap(_), None) = (&record.body, record.node) {
            self.missing.take_gap(&self.roster.all(), record.at);
        }
        self.take_turn(record);
        let Some(node) = record.node.filter(|node| index(*node) < self.timers.len()) else { return };
        self.settle_overtaken(node, record);
        match &record.body {
            Body::Step(step) => {
                self.take_step(node, record, step, event);
                self.take_lies(node, &step.lies, record.at);
                self.take_missing(node, record, step, clocks.flights_mut());
                self.take_course(node, record, step, clocks);
            }
            Body::Dropped { id, by, .. } | Body::Spoiled { id, by, .. } => {
                self.end_hold(node, *id, record.at);
                self.lose(*id, node, Cause::Fault(*by), record.at);
            }
            Body::Held { id, by, span, .. } => {
                let late = event.sent.map(|sent| Late { sent, from: self.late_from(sent, id.from, node) });
                let late = late.filter(|late| self.comes_late(record.at, *span, late.from));
                self.held.insert((node, *id), HeldMessage { by: *by, late });
            }
            Body::Garbled { id, by, became: None, .. } => {
                self.end_hold(node, *id, record.at);
                // If only a duplicate is lost, the message is not lost.
                if event.sent.is_some() {
                    self.lose(*id, node, Cause::Fault(*by), record.at);
                }
            }
            Body::Garbled { id, by, .. } => self.tamper(Tampering::Garble, *id, node, *by, record.at),
            Body::Duplicated { id, by } => self.tamper(Tampering::Duplicate, *id, node, *by, record.at),
            Body::Reordered { id, by } => self.tamper(Tampering::Reorder, *id, node, *by, record.at),
            Body::Stale { id } => {
                // A datagram that is only delayed keeps its place in the order.
                let hold = self.end_hold(node, *id, record.at).filter(|hold| !self.keeps_order(hold.by));
                let cause = hold.map_or(Cause::Machine, |hold| Cause::Fault(hold.by));
                // A copy of a delivered message is no loss.
                if event.sent.is_some() {
                    self.lose(*id, node, cause, record.at);
                }
            }
            Body::Copy { id, through, by, fate: CopyFate::Held(span) } => {
                self.copies.hold(*id, node, *through, *by, *span, record.at, event.sent);
            }
            Body::Copy { id, through, fate: CopyFate::Released, .. } => {
                self.copies.release(*id, node, *through, record.at);
            }
            Body::Copy { id, through, by, fate: CopyFate::Dropped | CopyFate::Spoiled, .. } => {
                self.copies.lose(*id, node, *through, *by, record.at, event.sent);
            }
            Body::Late { id, .. } => self.take_too_late(node, *id, record.at, event.sent),
            Body::Overflowed { count } => {
                let bite = BreakManner::Overflowed { node, count: *count };
                let from = record.at.saturating_sub(OVERFLOW_TOLD_WITHIN);
                self.note(Assumption::DeliveryInTime, Cause::Machine, from, record.at, bite);
            }
            Body::SendFailed { id, error } => {
                let bite = BreakManner::SendFailed { node, to: id.to, error: error.clone(), count: 1 };
                self.note(Assumption::DeliveryInTime, Cause::Machine, record.at, record.at, bite);
            }
            Body::Stopped { by } => {
                self.close_pause(node, record.at);
                self.accounts[Assumption::NoPauses as usize].by_faults += 1;
                self.open(Assumption::NoPauses, Cause::Fault(*by), record.at, None, BreakManner::StoodStill { node });
                self.announce(Assumption::NoPauses, Cause::Fault(*by), record.at);
            }
            Body::CellsLost { by, left, .. } => self.take_cells(node, Some(*by), left.is_some(), record.at),
            Body::CellsChanged { left } => self.take_cells(node, None, left.is_some(), record.at),
            Body::Continued => self.close_pause(node, record.at),
            Body::ClockSet { clock } => self.take_clock(node, *clock, record),
            Body::Spawned { .. } => self.take_life(node, None, record.at),
            Body::Died { death } => {
                let by = if let Death::Killed { by } = death { Cause::Fault(*by) } else { Cause::Machine };
                self.take_life(node, Some(by), record.at);
                self.close_pause(node, record.at);
                self.close_clock(node, record.at);
                self.timers[index(node)].forget();
                self.missing.forget(node);
                self.courses.take_death(node, record.at);
                self.lose_held(node, record.at);
            }
            Body::Gap(_) => {
                self.timers[index(node)].stop_all();
                self.missing.take_gap(&NodeSet::of(node), record.at);
            }
            _ => {}
        }
    }

    /// This fault line may start these nodes again.
    fn note_repair(&mut self, id: FaultId, nodes: &NodeSet) {
        // A session may name nodes that its lab does not have.
        for node in nodes.iter() {
            if let Some(repair) = self.repairs.get_mut(index(node)) {
                *repair = Some(id);
            }
        }
    }

    /// Each assumption, and what happened to it.
    pub fn assumptions(&self, now: i64) -> Vec<AssumptionView> {
        let view = |(assumption, account): (Assumption, &Account)| AssumptionView {
            assumption,
            is_needed: self.needs.contains(&assumption),
            needed_by: self.promises.iter().copied().filter(|property| self.asks_for(*property, assumption)).collect(),
            meant_by: account.meant_by.clone(),
            by_faults: account.by_faults,
            by_machine: account.by_machine,
            first: account.first.as_ref().map(|broken| broken.from),
            text: account.first.as_ref().map(|broken| self.by_now(broken, now).to_string()),
        };
        Assumption::ALL.into_iter().zip(&self.accounts).map(view).collect()
    }

    /// What is broken at this moment, but recorded only at its end.
    fn unrecorded<'a>(&'a self, running: &NodeSet, now: i64, flights: &'a Flights) -> impl Iterator<Item = Break> {
        let standing = running.iter().filter_map(move |node| self.standing(node, now));
        standing.chain(self.overdue(now)).chain(self.missed_copies(now)).chain(self.not_come(flights))
    }

    /// In virtual time, what broke an assumption that the algorithm needs although no fault did: there is no machine
    /// that could have, so it is a bug of this program.
    pub fn defect(&self) -> Option<&str> {
        self.defect.as_deref()
    }

    /// A break as it is by now: it may have gone on since it was found.
    pub fn by_now(&self, broken: &Break, now: i64) -> BrokenAssumption {
        let (from, to) = (broken.from, broken.to.unwrap_or(now));
        let goes_on = |kept: &&Break| match broken.serial {
            // The message came after it was late: a break that began later is another one.
            STANDING if matches!(broken.bite, BreakManner::Late { .. }) && kept.from > from => false,
            STANDING => kept.goes_on_with(broken.cause, &broken.bite, from, to, 0),
            serial => kept.serial == serial,
        };
        let latest = self.breaks.iter().rev().find(goes_on).unwrap_or(broken);
        latest.seen_at(now, &self.lines)
    }

    fn close_pause(&mut self, node: NodeId, at: i64) {
        self.close(at, |bite| matches!(bite, BreakManner::StoodStill { node: of } if *of == node));
    }

    fn keeps_order(&self, id: FaultId) -> bool {
        matches!(self.lines.get(&id), Some(FaultLine::Link(rule)) if rule.effect.keeps_order())
    }

    /// Ends the running break of such a bite, if there is one.
    fn close(&mut self, at: i64, is_it: impl Fn(&BreakManner) -> bool) {
        let mut newest = self.breaks.iter_mut().rev();
        if let Some(broken) = newest.find(|broken| broken.to.is_none() && is_it(&broken.bite)) {
            broken.to = Some(at);
            let (assumption, cause) = (broken.assumption, broken.cause);
            let hit = broken.bite.hits();
            self.hits.close(broken.serial, at);
            self.fresh.extend(hit.iter().map(|node| NewBreakSpan {
                node,
                assumption,
                moment: BreakProgress::Ends(at),
            }));
            self.standing -= 1;
            self.note_bitten(assumption, cause, at);
        }
    }

    /// Notes a bite: it lengthens the break that it continues, or begins one.
    fn note(&mut self, assumption: Assumption, cause: Cause, from: i64, to: i64, bite: BreakManner) {
        let gap_max = self.gap_max;
        let account = &mut self.accounts[assumption as usize];
        match cause {
            Cause::Fault(_) => account.by_faults += 1,
            Cause::Machine => account.by_machine += 1,
        }
        self.note_bitten(assumption, cause, to);
        let newest = self.breaks.iter_mut().rev().take(CONTINUED_MAX);
        let mut newest = newest.filter(|broken| broken.assumption == assumption);
        let continued = newest.find(|broken| broken.goes_on_with(cause, &bite, from, to, gap_max));
        match continued {
            Some(broken) => {
                let hit = BreakSpan { from, to: Some(to), serial: broken.serial };
                self.fresh.extend(hit.fresh(&bite, assumption));
                self.hits.add(&bite, hit);
                broken.add(bite, from, to);
            }
            None => self.open(assumption, cause, from, Some(to), bite),
        }
        self.announce(assumption, cause, to);
    }

    fn open(&mut self, assumption: Assumption, cause: Cause, from: i64, to: Option<i64>, bite: BreakManner) {
        self.serial += 1;
        if self.breaks.len() >= BREAKS_MAX {
            self.forget_one();
        }
        self.standing += usize::from(to.is_none());
        let hit = BreakSpan { from, to, serial: self.serial };
        self.fresh.extend(hit.fresh(&bite, assumption));
        self.hits.add(&bite, hit);
        let broken = Break { serial: self.serial, assumption, cause, from, to, bite };
        let account = &mut self.accounts[assumption as usize];
        if account.first.is_none() {
            account.first = Some(broken.clone());
        }
        if self.origin == Origin::Simulated && cause == Cause::Machine && self.needs.contains(&assumption) {
            self.defect.get_or_insert_with(|| broken.seen_at(from, &self.lines).to_string());
        }
        self.breaks.push_back(broken);
    }

    /// The oldest break that excuses nothing is dropped first. A running break is kept, however old: it excuses its
    /// effects until it ends.
    fn forget_one(&mut self) {
        let is_over = |broken: &&Break| broken.to.is_some();
        let over = || self.breaks.iter().enumerate().filter(|(_, broken)| is_over(broken));
        let useless = over().find(|(_, broken)| !self.needs.contains(&broken.assumption));
        if let Some((place, _)) = useless.or_else(|| over().next()) {
            self.breaks.remove(place);
        }
    }

    /// How many breaks, held messages and timers are kept.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.breaks.len() + self.held.len() + self.timers.iter().filter_map(NodeTimers::earliest).count()
    }
}

/// How many processes may be faulty, if the algorithm allows some (King and Ni's t).
pub(super) fn faulty_max(head: &Head) -> Option<usize> {
    let is_needed = head.facts.needs.contains(&Assumption::FaultyAtMostT);
    let t = head.settings.number_if_any("t").filter(|_| is_needed)?;
    usize::try_from(t).ok()
}

/// A count of nanoseconds as a difference of stamps.
fn nanos(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
