//! What a session tells, read once: the lab, its faults, elections, verdicts and violations, and the rows of its flow.
//!
//! Invariant: what cannot be read is passed over, and everything else is told; a flow holds the first rows only.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use judge::why::{AskedWhy, Explanation, SessionPast, coordinators, violations};
use protocol::Roster;
use record::{Body, Head, HeldRecords, LostRecords, Record, Session, SessionEntry, SessionError};
use world::flow::Flow;
use world::{ElectionView, FaultState, FaultView, World};

/// The flow takes in no more records than this: what is drawn of it is shorter.
const FLOW_RECORDS: usize = 12_000;
/// So many violations are explained; the others are counted.
const EXPLAINED_MAX: usize = 5;

/// A session, read.
#[derive(Debug)]
pub(super) struct ToldSession {
    pub head: Head,
    pub roster: Roster,
    /// The world at the end.
    pub world: World,
    /// All elections, the first one first.
    pub elections: Vec<ElectionView>,
    /// The lines of the verdicts.
    pub verdicts: Vec<String>,
    pub records: HeldRecords,
    lost: LostRecords,
    pub flow: Flow,
}

impl ToldSession {
    /// Reads it.
    ///
    /// # Errors
    /// The session has no head, so that nothing tells which lab it was, or it cannot be read to its end.
    pub fn of(session: &dyn Session) -> io::Result<ToldSession> {
        let without = || {
            let why = "the session's first line is missing, so nothing tells which lab it was";
            io::Error::new(io::ErrorKind::InvalidData, why)
        };
        let head = session.head().cloned().ok_or_else(without)?;
        let roster = head.roster().ok_or_else(without)?;
        let world = World::new(roster);
        let flow = Flow::new(Some(&head.facts), &world);
        let mut told = ToldSession {
            head,
            roster,
            world,
            elections: Vec::new(),
            verdicts: Vec::new(),
            records: HeldRecords::default(),
            lost: LostRecords::default(),
            flow,
        };
        let mut held = Ok(());
        let read = session.go_through(&mut |entry| {
            match entry {
                SessionEntry::Record(record) => held = told.take(record),
                SessionEntry::Skipped(_) => told.lost.skip(),
                SessionEntry::Head(_) => {}
            }
            if held.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        read.and(held).map_err(io::Error::other)?;
        told.take_elections(true);
        Ok(told)
    }

    /// When it begins: before the lab does, its processes start.
    pub fn start(&self) -> i64 {
        self.records.first().map_or(0, |record| record.at).min(self.world.now)
    }

    /// The number of the last record that the flow took in.
    pub fn flow_until(&self) -> Option<u64> {
        self.records.iter().take(FLOW_RECORDS).next_back().map(|record| record.until().0)
    }

    /// Up to which stamp the flow tells what happened: to the end, unless the session is too long for it.
    pub fn shown_until(&self) -> i64 {
        let is_cut = self.records.len() > FLOW_RECORDS;
        if is_cut { self.records[FLOW_RECORDS - 1].at } else { self.world.now }
    }

    /// Why its first violations came and why its coordinators coordinate, and how many violations are not explained.
    pub fn explanations(&self) -> (Vec<Explanation>, usize) {
        let session_past = SessionPast::new(Some(&self.head), &*self.records);
        let found = violations(&session_past);
        let asked = found.iter().take(EXPLAINED_MAX).map(|number| AskedWhy::Record(*number));
        let asked = asked.chain(coordinators(&session_past).iter().map(AskedWhy::Node)).collect::<Vec<_>>();
        let explanations = asked.into_iter().filter_map(|question| question.answer(&session_past)).collect();
        (explanations, found.len().saturating_sub(EXPLAINED_MAX))
    }

    /// Why there is no verdict, if there is none.
    pub fn why_no_verdict(&self) -> Option<&'static str> {
        if !self.verdicts.is_empty() {
            return None;
        }
        Some(match (self.head.expects_something(), &self.world.ended) {
            (false, _) => "The lab expects nothing.",
            (true, Some(_)) => "The lab expects something, but its steps were not played: nothing was decided.",
            (true, None) => "The session stops before the lab's end: nothing was decided.",
        })
    }

    /// What the judge found, in a sentence.
    pub fn findings(&self) -> String {
        let violations = &self.world.violations;
        let (all, excused) = (violations.count(|_| true), violations.count(|view| view.report.is_excused()));
        let excused = match (all, excused) {
            (1, 0) => "no broken assumption excuses it",
            (1, _) => "a broken assumption excuses it",
            (_, 0) => "no broken assumption excuses any of them",
            (all, excused) if all == excused => "broken assumptions excuse them all",
            _ => "broken assumptions excuse some of them",
        };
        match all {
            0 if self.is_torn() || self.world.undecidable.is_some() => {
                "Records are missing, so nobody knows whether there was a violation.".to_owned()
            }
            0 if self.world.ended.is_none() => "The judge found no violation up to where the session stops.".to_owned(),
            0 => "The judge found no violation.".to_owned(),
            1 => format!("The judge found 1 violation, and {excused}; below stands why."),
            all => format!("The judge found {all} violations, and {excused}; below stands why."),
        }
    }

    /// What stands in place of explanations if there are none.
    pub fn nothing_explained(&self) -> &'static str {
        match &self.world.ended {
            _ if self.is_torn() => {
                "No record tells of a coordinator at the end, or of a violation. Records are missing, so nobody knows \
                 whether there was one."
            }
            Some(_) => "Nobody coordinates at the end, and there was no violation.",
            None => "Nobody coordinates where the session stops, and there was no violation up to there.",
        }
    }

    fn is_torn(&self) -> bool {
        self.lost.count() > 0 || self.world.missed > 0
    }

    fn take(&mut self, record: Record) -> Result<(), SessionError> {
        self.lost.take(record.number);
        self.world.fold(&record);
        if let Body::Verdict { text, .. } = &record.body {
            self.verdicts.push(text.clone());
        }
        if self.records.len() < FLOW_RECORDS && !matches!(record.body, Body::Unknown(_)) {
            self.flow.take(&Arc::new(record.clone()));
        }
        self.records.push(record)?;
        self.take_elections(false);
        Ok(())
    }

    /// The elections that have ended since the last time; at the end of the session also the one that goes on.
    fn take_elections(&mut self, is_at_end: bool) {
        let known = self.elections.last().map_or(0, |election| election.ordinal);
        let new = self.world.elections.latest.iter().filter(|election| election.ordinal > known);
        self.elections.extend(new.filter(|election| is_at_end || election.ended.is_some()).cloned());
    }
}

/// A stamp in microseconds, as browsers count.
pub(super) fn micros(at: i64) -> i64 {
    at / 1_000
}

/// The state of a fault in words.
pub(super) fn fault_state(fault: &FaultView) -> String {
    match &fault.state {
        FaultState::Ordered => "ordered".to_owned(),
        FaultState::InForce => "in force".to_owned(),
        FaultState::NotInForce(why) => format!("not in force: {why}"),
        FaultState::Lifted => "over".to_owned(),
    }
}
