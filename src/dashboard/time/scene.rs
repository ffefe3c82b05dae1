//! The state at one moment: the world, the rows and the newest records up to it, and its time.
//!
//! The number of records has a bound, and with it the memory of a screen: what a person can look back at is chosen by it.
//! Older records stay in the session's file, if the lab has one.
//!
//! Invariants: a scene is a function of the records up to its moment. There are never more than a given number of records;
//! those that the flow shows by default stay longest.

use std::sync::Arc;

use super::record_store::BEFORE_SHOWN;
use crate::model::kept_rows::KeptRows;
use crate::model::row::{LoggedState, Row, rows_of};
use judge::why::{IndexedRecords, SessionPast};
use protocol::Facts;
use record::{Head, Record};
use script::PictureStop;
use world::World;
use world::flow::{Flow, FlowRules, changes_rows};

/// The state at one moment.
#[derive(Clone, Debug)]
pub struct Scene {
    pub world: World,
    /// The rows up to this moment.
    pub rows: KeptRows,
    /// The newest records up to this moment, those without a row too.
    pub records: SceneRecords,
    /// What happened, lane by lane, up to this moment.
    pub flow: Flow,
    /// The time that is shown, in nanoseconds since the lab began.
    pub at: i64,
    /// What the session's head says of the algorithm: rows cite its transitions.
    pub facts: Option<Arc<Facts>>,
}

/// The rows that have waited for their order and are let in.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum AdmittedRows {
    /// None.
    Nothing,
    /// Rows of records that the flow does not show, such as heartbeats.
    Unshown,
    /// Rows of records that the flow shows.
    Shown,
}

impl Scene {
    /// A scene in which nothing has happened.
    pub fn new(head: Option<&Head>) -> Scene {
        let facts = head.map(|head| Arc::new(head.facts.clone()));
        let world = empty_world(head);
        let flow = Flow::new(facts.as_deref(), &world);
        Scene { world, rows: KeptRows::new(), records: SceneRecords::default(), flow, at: 0, facts }
    }

    /// Takes in the next record.
    pub fn take(&mut self, record: &Arc<Record>) {
        self.flow.take(record);
        self.records.take(Arc::clone(record), self.flow.rules());
        for row in self.fold(record) {
            self.rows.push(Arc::new(row), self.flow.order());
        }
    }

    /// Takes in the next record. Returns whether the stop has come with it.
    pub fn take_until(&mut self, record: &Arc<Record>, stop: Option<&PictureStop>) -> bool {
        let before = stop.map(|stop| stop.look(&self.world));
        self.take(record);
        stop.zip(before).is_some_and(|(stop, before)| stop.has_come(before, &self.world))
    }

    /// From now on, rows of records that are later than this wait: they may not be in order yet. Returns which others this
    /// lets in.
    pub fn wait_for_order(&mut self, now: i64) -> AdmittedRows {
        let is_in_flow = self.flow.wait_for_order(now);
        match (self.rows.show(self.flow.order()), is_in_flow) {
            (_, true) => AdmittedRows::Shown,
            (true, false) => AdmittedRows::Unshown,
            (false, false) => AdmittedRows::Nothing,
        }
    }

    /// Goes to another moment; the flow shows as much as before.
    pub fn become_moment(&mut self, moment: Scene) {
        let rules = self.flow.rules().clone();
        *self = moment;
        self.flow.show(rules.folding, rules.periodic);
    }

    /// Folds a record into the world, and returns its rows.
    pub fn fold(&mut self, record: &Arc<Record>) -> Vec<Row> {
        let state = record.node.and_then(|node| self.world.nodes.get(&node)).and_then(|node| node.state.as_ref());
        let rows = rows_of(record, state.map(LoggedState::of), self.facts.as_deref());
        self.world.fold(record);
        rows
    }
}

/// The world before the first record.
pub fn empty_world(head: Option<&Head>) -> World {
    head.and_then(Head::roster).map_or_else(World::default, World::new)
}

/// A screen keeps this many records.
pub const RECORDS_MAX: usize = 20_000;
/// When there are more, those that are not shown by default go, but for those among so many newest ones and those
/// shortly before one that is shown.
const UNSEEN_KEPT: usize = 4_000;
/// Others go only when this many are left; so many go at once.
const SEEN_MAX: usize = 16_000;
const SEEN_DROPPED: usize = 4_000;

/// The records.
#[derive(Clone, Default, Debug)]
pub struct SceneRecords(IndexedRecords);

impl SceneRecords {
    /// Takes in the next record; if there is no room, older ones go, first those that the flow does not show by default.
    pub fn take(&mut self, record: Arc<Record>, rules: &FlowRules) {
        self.0.take(record);
        let count = self.0.all().len();
        if count <= RECORDS_MAX {
            return;
        }
        let (rules, older) = (rules.by_default(), count - UNSEEN_KEPT);
        // How far behind each record the next one comes that is shown.
        let mut ahead = 0;
        let is_kept = |record: &Arc<Record>| {
            ahead = if changes_rows(&rules, record) { 0 } else { ahead + 1 };
            ahead <= BEFORE_SHOWN
        };
        let mut kept: Vec<bool> = self.0.all()[..older].iter().rev().map(is_kept).collect();
        let left = kept.iter().filter(|is_kept| **is_kept).count() + UNSEEN_KEPT;
        let mut dropped = if left > SEEN_MAX { SEEN_DROPPED } else { 0 };
        self.0.retain(|_| {
            let is_kept = kept.pop().unwrap_or(true);
            let is_dropped = is_kept && dropped > 0;
            dropped -= usize::from(is_dropped);
            is_kept && !is_dropped
        });
    }

    /// The records, in the session's order.
    pub fn all(&self) -> &[Arc<Record>] {
        self.0.all()
    }

    /// The records before this one; none if it is not kept itself.
    pub fn before(&self, record: &Arc<Record>) -> &[Arc<Record>] {
        let place = self.all().iter().rposition(|kept| Arc::ptr_eq(kept, record));
        &self.all()[..place.unwrap_or(0)]
    }

    /// The records as session_past, which end with the last one.
    pub fn session_past<'a>(&'a self, head: Option<&'a Head>) -> SessionPast<'a> {
        self.0.session_past(head)
    }
}

impl FromIterator<Arc<Record>> for SceneRecords {
    fn from_iter<T: IntoIterator<Item = Arc<Record>>>(records: T) -> SceneRecords {
        let mut indexed = IndexedRecords::default();
        indexed.extend(records);
        SceneRecords(indexed)
    }
}
