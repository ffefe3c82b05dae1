//! A session as a lab tells it: which orders came when, how the world settled after each, and which violations were
//! found.
//!
//! Invariant: an episode is judged only by the records before the next episode's order.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use super::orders::Book;
use super::stability::{StabilityTracker, StableState};
use fault::{FaultId, FaultLine};
use lab::Condition;
use protocol::{Assumption, NodeId, Roster, Span};
use record::{Body, Death, Head, LostRecords, Record, Session, SessionEntry, SessionError, ViolationReport};
use world::{FaultView, World};

/// A session, told.
#[derive(Debug)]
pub(super) struct SessionOrders {
    /// The first is the beginning, in which nothing was ordered.
    pub episodes: Vec<OrderWithEffects>,
    /// When the session ended, in nanoseconds since the lab began.
    pub ended: i64,
    /// Who asked for help at the end, if the algorithm ever does and dice did not decide it.
    pub help: Option<Condition>,
    /// Which steps of the lab were taken, and when, in nanoseconds since the lab began.
    pub taken: Vec<(i64, String)>,
    /// What was found.
    pub findings: Vec<ToldViolation>,
    /// The assumptions that faults with dice, or those that hold messages back, may have broken.
    pub broken_by_dice: BTreeSet<Assumption>,
    /// Whether records are missing.
    pub is_torn: bool,
    /// What the lab leaves out or changes: sentences.
    pub notes: Vec<String>,
}

/// An order, and its effects.
#[derive(Debug)]
pub(super) struct OrderWithEffects {
    /// When it was ordered, in nanoseconds since the lab began.
    pub at: i64,
    /// The lab's step that ordered it; absent if a person did.
    pub step: Option<String>,
    /// The lines that do the same.
    pub lines: Vec<FaultLine>,
    /// How the world had settled before the next one, if it had.
    pub settled: Option<StableState>,
}

/// A violation that the judge found.
#[derive(Debug)]
pub(super) struct ToldViolation {
    pub report: ViolationReport,
    /// Whether dice may have caused it.
    pub by_chance: bool,
}

/// Tells the session of this head, as if this fault had not been ordered; its nodes are the nodes of the lab. It goes
/// through the session twice.
///
/// # Errors
/// The session cannot be read to its end.
pub(super) fn tell(
    head: &Head,
    roster: Roster,
    session: &dyn Session,
    without: Option<FaultId>,
) -> Result<SessionOrders, SessionError> {
    let mut whole = World::new(roster);
    each_record(session, &mut |record| {
        whole.fold(&record);
        ControlFlow::Continue(())
    })?;
    let mut teller = SessionTeller {
        fates: whole.faults.iter().map(|fault| (fault.id, fault.clone())).collect(),
        without,
        world: World::new(roster),
        book: Book::new(roster.all()),
        outlook: StabilityTracker::new(head),
        story: SessionOrders {
            episodes: vec![OrderWithEffects { at: 0, step: None, lines: Vec::new(), settled: None }],
            ended: 0,
            help: None,
            taken: Vec::new(),
            findings: Vec::new(),
            broken_by_dice: BTreeSet::new(),
            is_torn: false,
            notes: Vec::new(),
        },
        lost: LostRecords::default(),
    };
    let mut ended = None;
    each_record(session, &mut |record| {
        if let Body::Ended { .. } = record.body {
            teller.look_for_missing(&record);
            ended = Some(record.at);
            return ControlFlow::Break(());
        }
        teller.take(&record);
        ControlFlow::Continue(())
    })?;
    Ok(teller.close(ended))
}

fn each_record(session: &dyn Session, take: &mut dyn FnMut(Record) -> ControlFlow<()>) -> Result<(), SessionError> {
    session.go_through(&mut |entry| match entry {
        SessionEntry::Record(record) => take(record),
        SessionEntry::Head(_) | SessionEntry::Skipped(_) => ControlFlow::Continue(()),
    })
}

struct SessionTeller<'a> {
    /// What happened to each fault in the end.
    fates: BTreeMap<FaultId, FaultView>,
    without: Option<FaultId>,
    world: World,
    book: Book,
    outlook: StabilityTracker<'a>,
    story: SessionOrders,
    lost: LostRecords,
}

impl SessionTeller<'_> {
    fn take(&mut self, record: &Record) {
        self.look_for_missing(record);
        match (&record.body, record.node) {
            (Body::FaultOrdered { id, .. }, _) => self.take_order(*id, record.at),
            (Body::Died { death: Death::Exited { .. } | Death::Signalled { .. } }, Some(node)) => {
                self.take_death(node, record.at);
            }
            (Body::StepTaken { step }, _) => self.story.taken.push((record.at.max(0), step.clone())),
            (Body::Violation(report), _) => {
                let by_chance = self.outlook.is_by_dice(report.since, report.because());
                self.story.findings.push(ToldViolation { report: report.clone(), by_chance });
            }
            _ => {}
        }
        self.world.fold(record);
        self.outlook.take(record, &self.world);
    }

    /// Records may be missing before this one, by its number or because it says so.
    fn look_for_missing(&mut self, record: &Record) {
        let before = self.lost.count();
        if record.number > 0 {
            self.lost.take_record(record);
        }
        let missed = match &record.body {
            Body::Gap(missed) => missed.count,
            _ => self.lost.count() - before,
        };
        if missed > 0 && !self.story.is_torn {
            self.story.is_torn = true;
            self.outlook.become_torn();
            let at = moment(record.at);
            let missing = if missed == 1 { "1 record is".to_owned() } else { format!("{missed} records are") };
            self.story.notes.push(format!("{missing} missing at {at}: nothing is expected from there on."));
        }
    }

    fn take_order(&mut self, id: FaultId, at: i64) {
        let Some(fault) = self.fates.get(&id).cloned() else { return };
        if self.without == Some(id) {
            self.book.pass_over(&fault);
            return;
        }
        let left_out = |why: &str| format!("{id} `{}` at {}: {why}.", fault.line, moment(at));
        if fault.in_force.is_none() {
            self.book.leave_out(&fault);
            self.story.notes.push(left_out("left out, because it never was in force"));
            return;
        }
        match self.book.enter(&fault, &self.world) {
            Ok(lines) => self.enter(at, fault.step.clone(), lines),
            Err(why) => self.story.notes.push(left_out(&format!("left out, because {why}"))),
        }
    }

    fn take_death(&mut self, node: NodeId, at: i64) {
        let lines = self.book.died(node);
        if !lines.is_empty() {
            let when = moment(at);
            self.story.notes.push(format!("{node} died at {when} without an order; here a `crash` line orders it."));
            self.enter(at, None, lines);
        }
    }

    /// The lines of one step of the lab stay one step; every other order is a step of its own.
    fn enter(&mut self, at: i64, step: Option<String>, lines: Vec<FaultLine>) {
        let last = self.story.episodes.last_mut().expect("there is a beginning");
        if step.is_some() && last.step == step {
            last.lines.extend(lines);
            return;
        }
        let at = at.max(last.at);
        last.settled = self.outlook.settled(last.at, at, &self.world);
        self.story.episodes.push(OrderWithEffects { at, step, lines, settled: None });
    }

    fn close(mut self, ended: Option<i64>) -> SessionOrders {
        let last = self.story.episodes.last_mut().expect("there is a beginning");
        if ended.is_none() {
            let at = moment(self.world.now);
            self.story
                .notes
                .push(format!("The session has no end: it stops at {at}, and so does what this lab repeats."));
        }
        let ended = ended.unwrap_or(self.world.now).max(last.at);
        last.settled = self.outlook.settled(last.at, ended, &self.world);
        if last.settled.is_some() {
            self.story.help = self.outlook.help();
        }
        SessionOrders { ended, broken_by_dice: self.outlook.broken_by_dice().clone(), ..self.story }
    }
}

/// A moment or a duration to the millisecond, as lab files have it.
pub(super) fn span(nanos: i64) -> Span {
    Span::from_millis(u64::try_from(nanos).unwrap_or(0).saturating_add(500_000) / 1_000_000)
}

/// The same for people: `12.345 s`.
pub(super) fn moment(nanos: i64) -> String {
    format!("{:.3} s", span(nanos).nanos() as f64 / 1e9)
}
