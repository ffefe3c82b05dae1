//! What a session tells, read once: the lab, its faults, elections, verdicts and violations, and the rows of its flow.
//!
//! Invariant: what cannot be read is passed over, and everything else is told; a flow holds the first rows only.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::protocol::Roster;
use crate::record::{Body, Head, Record, Session, SessionEntry};
use crate::world::flow::Flow;
use crate::world::{ElectionView, World};

/// The flow takes in no more records than this: what is drawn of it is shorter.
const FLOW_RECORDS: usize = 12_000;

/// A session, read.
#[derive(Debug)]
pub(super) struct Chronicle {
    pub head: Head,
    pub roster: Roster,
    /// The world at the end.
    pub world: World,
    /// All elections, the first one first.
    pub elections: Vec<ElectionView>,
    /// The lines of the verdicts.
    pub verdicts: Vec<String>,
    pub records: Vec<Record>,
    pub flow: Flow,
}

impl Chronicle {
    /// Reads it.
    ///
    /// # Errors
    /// The session has no head, so that nothing tells which lab it was, or it cannot be read to its end.
    pub fn of(session: &dyn Session) -> io::Result<Chronicle> {
        let without = || io::Error::other("the session's first line is missing, so nothing tells which lab it was");
        let head = session.head().cloned().ok_or_else(without)?;
        let roster = head.roster().ok_or_else(without)?;
        let world = World::new(roster);
        let flow = Flow::new(Some(&head.facts), &world);
        let mut chronicle =
            Chronicle { head, roster, world, elections: Vec::new(), verdicts: Vec::new(), records: Vec::new(), flow };
        let read = session.go_through(&mut |entry| {
            if let SessionEntry::Record(record) = entry {
                chronicle.take(record);
            }
            ControlFlow::Continue(())
        });
        read.map_err(io::Error::other)?;
        chronicle.take_elections(true);
        Ok(chronicle)
    }

    fn take(&mut self, record: Record) {
        self.world.fold(&record);
        if let Body::Verdict { text, .. } = &record.body {
            self.verdicts.push(text.clone());
        }
        if self.records.len() < FLOW_RECORDS {
            self.flow.take(&Arc::new(record.clone()));
        }
        self.records.push(record);
        self.take_elections(false);
    }

    /// The elections that have ended since the last time; at the end of the session also the one that goes on.
    fn take_elections(&mut self, is_at_end: bool) {
        let known = self.elections.last().map_or(0, |election| election.ordinal);
        let new = self.world.elections.latest.iter().filter(|election| election.ordinal > known);
        self.elections.extend(new.filter(|election| is_at_end || election.ended.is_some()).cloned());
    }
}
