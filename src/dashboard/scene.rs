//! The state at one moment: the world, the rows up to it, and its time.
//!
//! Invariant: it is a function of the records up to the moment.

use std::sync::Arc;

use super::journal::Journal;
use super::row::{Row, ToldState, rows_of};
use super::scene_records::SceneRecords;
use protocol::Facts;
use record::{Head, Record};
use script::PictureStop;
use world::World;
use world::flow::Flow;

/// The state at one moment.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The world.
    pub world: World,
    /// The rows up to this moment.
    pub journal: Journal,
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
pub enum LetIn {
    /// None.
    Nothing,
    /// Those of records that the flow does not show, such as heartbeats.
    Unshown,
    /// Those of records that the flow shows.
    Shown,
}

impl Scene {
    /// A scene in which nothing has happened.
    pub fn new(head: Option<&Head>) -> Scene {
        let facts = head.map(|head| Arc::new(head.facts.clone()));
        let world = empty_world(head);
        let flow = Flow::new(facts.as_deref(), &world);
        Scene { world, journal: Journal::new(), records: SceneRecords::default(), flow, at: 0, facts }
    }

    /// Takes in the next record.
    pub fn take(&mut self, record: &Arc<Record>) {
        self.flow.take(record);
        self.records.take(Arc::clone(record), self.flow.rules());
        for row in self.fold(record) {
            self.journal.push(Arc::new(row), self.flow.order());
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
    pub fn wait_for_order(&mut self, now: i64) -> LetIn {
        let is_in_flow = self.flow.wait_for_order(now);
        match (self.journal.show(self.flow.order()), is_in_flow) {
            (_, true) => LetIn::Shown,
            (true, false) => LetIn::Unshown,
            (false, false) => LetIn::Nothing,
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
        let rows = rows_of(record, state.map(ToldState::of), self.facts.as_deref());
        self.world.fold(record);
        rows
    }
}

/// The world before the first record.
pub fn empty_world(head: Option<&Head>) -> World {
    head.and_then(Head::roster).map_or_else(World::default, World::new)
}
