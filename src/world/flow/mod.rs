//! The flow: what happened, row by row, time downward, a lane for each process.
//!
//! Records come in causal order, and stamps break ties: a record takes its place by its stamp among those that came up
//! to 50 ms before. On a live screen records wait that long, so that a row which is shown stays where it is.
//!
//! Heartbeats do not push rows out: what no row shows goes first when there is too much.
//!
//! Invariant: the rows are a function of the lanes at the beginning and the records since then.

mod fold;
mod lane;
mod reading;
mod reason;
mod row;

use std::cell::{Ref, RefCell};
use std::collections::VecDeque;
use std::sync::Arc;

pub use fold::{FlowFold, FlowRules, Folding, Periodic};
pub use lane::{FlowLane, LaneChange, LaneState, Lanes};
pub use reading::{idle_between, past_of, row_of};
pub use row::{Arrow, ArrowEnd, FlowRow, PartKind, RowPart, RowTone};

use crate::fault::LabSpeed;
use crate::protocol::Facts;
use crate::record::{Body, Record};
use crate::world::World;

/// At most this many records are kept.
pub const FLOW_RECORDS_MAX: usize = 20_000;
/// When there are more, those that no row shows go, but for those among so many newest ones.
const UNSEEN_KEPT: usize = 4_000;
/// Rows go only when this many records that they show are left; so many go at once.
const SEEN_MAX: usize = 16_000;
const SEEN_DROPPED: usize = 4_000;
/// A record takes its place among those whose stamps are at most this much later, in nanoseconds of this computer's time:
/// that is what it takes from a process to the screen, at whatever speed lab time runs.
const OUT_OF_ORDER_MAX: i64 = 50_000_000;

/// The records that the flow shows, and its rows.
#[derive(Clone, Debug)]
pub struct Flow {
    rules: FlowRules,
    /// The lanes before the first record.
    base: Lanes,
    /// The records, by their stamps as far as causes allow.
    records: VecDeque<Arc<Record>>,
    /// The rows of the first records, and how many these are.
    folded: RefCell<Option<(usize, FlowFold)>>,
    /// Records with a later stamp wait.
    until: i64,
    /// How fast lab time runs.
    speed: LabSpeed,
}

impl Flow {
    /// A flow that begins with this world.
    pub fn new(facts: Option<&Facts>, world: &World) -> Flow {
        let rules = FlowRules {
            folding: Folding::Folded,
            periodic: Periodic::Hidden,
            kinds: facts.map_or_else(Vec::new, |facts| facts.periodic.clone()),
            one_way_bound: facts.map_or(0, |facts| i64::try_from(facts.one_way_bound.nanos()).unwrap_or(i64::MAX)),
        };
        Flow {
            rules,
            base: Lanes::of(world),
            records: VecDeque::new(),
            folded: RefCell::default(),
            until: i64::MAX,
            speed: world.speed,
        }
    }

    /// A flow of these records, after which the world is this one; how much it shows is as in these rules.
    pub fn since(facts: Option<&Facts>, world: &World, records: &[Arc<Record>], rules: &FlowRules) -> Flow {
        let mut flow = Flow { base: Lanes::before(world, records), ..Flow::new(facts, world) };
        flow.show(rules.folding, rules.periodic);
        records.iter().for_each(|record| flow.take(record));
        flow
    }

    /// The rules of its fold.
    pub fn rules(&self) -> &FlowRules {
        &self.rules
    }

    /// Changes how much is shown.
    pub fn show(&mut self, folding: Folding, periodic: Periodic) {
        (self.rules.folding, self.rules.periodic) = (folding, periodic);
        self.folded = RefCell::default();
    }

    /// Takes in the next record.
    pub fn take(&mut self, record: &Arc<Record>) {
        if let Body::SpeedSet { speed, .. } = record.body {
            self.speed = speed;
        }
        let earliest = record.at.saturating_add(self.speed.lab_time(OUT_OF_ORDER_MAX));
        let later = self.records.iter().rev().take_while(|known| known.at > record.at && known.at <= earliest);
        let place = self.records.len() - later.count();
        if let Some((folded, _)) = self.folded.get_mut().as_ref()
            && place < *folded
        {
            self.folded = RefCell::default();
        }
        self.records.insert(place, Arc::clone(record));
        if self.records.len() > FLOW_RECORDS_MAX {
            self.forget_unseen();
            if self.records.len() > SEEN_MAX {
                self.drop_oldest();
            }
        }
    }

    /// Whether this record is one that the rows show: not only a heartbeat, or what a machine did unseen.
    pub fn shows(&self, record: &Record) -> bool {
        reading::shows(&self.rules, record)
    }

    /// From now on, records that are later than this wait: they may not be in order yet. Returns whether this lets
    /// others in.
    pub fn wait_for_order(&mut self, now: i64) -> bool {
        let until = now.saturating_sub(self.speed.lab_time(OUT_OF_ORDER_MAX));
        let waiting = self.records.iter().rev().take_while(|record| record.at > self.until);
        let is_news = waiting.into_iter().any(|record| record.at <= until);
        self.until = until;
        is_news
    }

    /// The rows.
    pub fn rows(&self) -> Ref<'_, [FlowRow]> {
        Ref::map(self.folded(), FlowFold::rows)
    }

    /// The rows, and the lanes before the first of them.
    pub fn folded(&self) -> Ref<'_, FlowFold> {
        let mut folded = self.folded.borrow_mut();
        let (count, fold) = folded.get_or_insert_with(|| (0, FlowFold::new(self.rules.clone(), self.base.clone())));
        while let Some(record) = self.records.get(*count).filter(|record| record.at <= self.until) {
            fold.take(record);
            *count += 1;
        }
        drop(folded);
        Ref::map(self.folded.borrow(), |folded| &folded.as_ref().expect("it was made above").1)
    }

    /// Forgets the older records that no row shows. The rows that were made of them stay as they are.
    fn forget_unseen(&mut self) {
        drop(self.folded());
        let rules = FlowRules { periodic: Periodic::Hidden, ..self.rules.clone() };
        let older = self.records.len() - UNSEEN_KEPT;
        let folded = self.folded.get_mut().as_ref().map_or(0, |(count, _)| *count);
        let (mut place, mut gone) = (0, 0);
        self.records.retain(|record| {
            let is_kept = place >= older || reading::changes_rows(&rules, record);
            gone += usize::from(!is_kept && place < folded);
            place += 1;
            is_kept
        });
        match self.rules.periodic {
            Periodic::Hidden => {
                if let Some((count, _)) = self.folded.get_mut() {
                    *count -= gone;
                }
            }
            Periodic::Shown => self.folded = RefCell::default(),
        }
    }

    fn drop_oldest(&mut self) {
        let mut fold = FlowFold::new(self.rules.clone(), self.base.clone());
        self.records.drain(..SEEN_DROPPED).for_each(|record| fold.take(&record));
        self.base = fold.lanes().clone();
        self.folded = RefCell::default();
    }
}
