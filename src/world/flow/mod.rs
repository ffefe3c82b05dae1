//! The flow: what happened, row by row, time downward, a lane for each process.
//!
//! Records come in causal order, and stamps break ties ([`StampOrder`]).
//!
//! Heartbeats do not push rows out: what no row shows goes first when there is too much.
//!
//! Invariant: the rows are a function of the lanes at the beginning and the records since then.

mod arrow;
mod fold;
mod lane;
mod lie;
mod order;
mod reading;
mod reason;
mod row;

use std::cell::{Ref, RefCell};
use std::collections::VecDeque;
use std::sync::Arc;

pub use arrow::{Arrow, ArrowEnd, ArrowLoss};
pub use fold::{FlowDetail, FlowFold, FlowRules, Periodic};
pub use lane::{FlowLane, LaneChange, LaneState, Lanes};
pub use order::StampOrder;
pub use reading::{cause_of, changes_rows, consequence_of, idle_between, past_of, row_of};
pub use row::{FlowRow, PartKind, RowPart, RowTone};

use crate::World;
use protocol::{Facts, NodeId};
use record::Record;

/// At most this many records are kept.
pub const FLOW_RECORDS_MAX: usize = 20_000;
/// When there are more, the records that no row shows go first. Of the newest, this many always stay.
const UNSEEN_KEPT: usize = 4_000;
/// Rows go only when this many records that they show are left; so many go at once.
const SEEN_MAX: usize = 16_000;
const SEEN_DROPPED: usize = 4_000;

/// The records that the flow shows, and its rows.
#[derive(Clone, Debug)]
pub struct Flow {
    rules: FlowRules,
    /// The lanes before the first record.
    base: Lanes,
    /// The records, by their stamps as far as causes allow.
    records: VecDeque<Arc<Record>>,
    /// Between so many first ones others are left out, which are not shown by default.
    thinned: usize,
    /// The rows of the first records, and how many these are.
    folded: RefCell<Option<(usize, FlowFold)>>,
    order: StampOrder,
}

impl Flow {
    /// A flow that begins with this world.
    pub fn new(facts: Option<&Facts>, world: &World) -> Flow {
        let rules = FlowRules {
            folding: FlowDetail::Folded,
            periodic: Periodic::Hidden,
            kinds: facts.map_or_else(Vec::new, |facts| facts.periodic.clone()),
            vantage: None,
            one_way_bound: facts.map_or(0, |facts| i64::try_from(facts.one_way_bound.nanos()).unwrap_or(i64::MAX)),
        };
        Flow {
            rules,
            base: Lanes::of(world),
            records: VecDeque::new(),
            thinned: 0,
            folded: RefCell::default(),
            order: StampOrder::new(world.speed),
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
    pub fn show(&mut self, folding: FlowDetail, periodic: Periodic) {
        (self.rules.folding, self.rules.periodic) = (folding, periodic);
        self.folded = RefCell::default();
    }

    /// Takes in the next record.
    pub fn take(&mut self, record: &Arc<Record>) {
        self.order.take(record);
        let later = self.order.later(record.at, self.records.iter().rev().map(|known| known.at));
        let place = self.records.len() - later;
        if let Some((folded, fold)) = self.folded.get_mut()
            && place < *folded
        {
            // Of records that no row shows, which come late now and then, the rows are the same in either order.
            let is_unseen = |record: &Arc<Record>| !reading::changes_rows(&self.rules, record);
            if is_unseen(record) && self.records.range(place..*folded).all(is_unseen) {
                fold.take(record);
                *folded += 1;
            } else {
                self.folded = RefCell::default();
            }
        }
        self.records.insert(place, Arc::clone(record));
        if self.records.len() > FLOW_RECORDS_MAX {
            self.forget_unseen();
            if self.records.len() > SEEN_MAX {
                self.drop_oldest();
            }
        }
    }

    /// Only this process tells what it does: nothing is known of the others.
    pub fn is_told_by(&mut self, node: NodeId) {
        (self.rules.vantage, self.folded) = (Some(node), RefCell::default());
    }

    /// Between so many first records others were left out, which are not shown by default.
    pub fn is_whole_from(&mut self, thinned: usize) {
        (self.thinned, self.folded) = (thinned, RefCell::default());
    }

    /// Whether this record is one that the rows show: not only a heartbeat, or what a machine did unseen.
    pub fn shows(&self, record: &Record) -> bool {
        reading::shows(&self.rules, record)
    }

    /// The order of its records.
    pub fn order(&self) -> StampOrder {
        self.order
    }

    /// From now on, records that are later than this wait: they may not be in order yet. Returns whether this lets
    /// others in that the rows show.
    pub fn wait_for_order(&mut self, now: i64) -> bool {
        let before = self.order;
        self.order.wait(now);
        let mut waiting = self.records.iter().rev().take_while(|record| before.holds(record.at));
        waiting.any(|record| !self.order.holds(record.at) && self.shows(record))
    }

    pub fn rows(&self) -> Ref<'_, [FlowRow]> {
        Ref::map(self.folded(), FlowFold::rows)
    }

    /// The rows, and the lanes before the first of them.
    pub fn folded(&self) -> Ref<'_, FlowFold> {
        let next = self.folded.borrow().as_ref().map(|(count, _)| *count);
        // Somebody may read the rows already: they are changed only if there is something to take in.
        if next.is_none_or(|count| self.taken_next(count).is_some()) {
            self.fold_on();
        }
        Ref::map(self.folded.borrow(), |folded| &folded.as_ref().expect("it was made above").1)
    }

    fn fold_on(&self) {
        let mut folded = self.folded.borrow_mut();
        let (count, fold) = folded.get_or_insert_with(|| match self.rules.periodic {
            Periodic::Hidden => (0, FlowFold::new(self.rules.clone(), self.base.clone())),
            // Where periodic messages are left out, nothing can be shown of them.
            Periodic::Shown => (self.thinned, FlowFold::new(self.rules.clone(), self.lanes_after(self.thinned))),
        });
        while let Some(record) = self.taken_next(*count) {
            fold.take(record);
            *count += 1;
        }
    }

    /// The record after so many, if it need not wait.
    fn taken_next(&self, count: usize) -> Option<&Arc<Record>> {
        self.records.get(count).filter(|record| !self.order.holds(record.at))
    }

    /// Forgets the older records that no row shows. The rows that were made of them stay as they are.
    fn forget_unseen(&mut self) {
        drop(self.folded());
        let rules = self.rules.by_default();
        let older = self.records.len() - UNSEEN_KEPT;
        let folded = self.folded.get_mut().as_ref().map_or(0, |(count, _)| *count);
        let (mut place, mut gone) = (0, 0);
        self.records.retain(|record| {
            let is_kept = place >= older || reading::changes_rows(&rules, record);
            gone += usize::from(!is_kept && place < folded);
            place += 1;
            is_kept
        });
        self.thinned = self.records.len() - UNSEEN_KEPT;
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
        self.base = self.lanes_after(SEEN_DROPPED);
        self.records.drain(..SEEN_DROPPED);
        self.thinned = self.thinned.saturating_sub(SEEN_DROPPED);
        self.folded = RefCell::default();
    }

    /// The lanes after so many records.
    fn lanes_after(&self, count: usize) -> Lanes {
        let mut fold = FlowFold::new(self.rules.by_default(), self.base.clone());
        self.records.iter().take(count).for_each(|record| fold.take(record));
        fold.lanes().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Roster;
    use record::{Body, Input, Step};

    fn of(at: i64, node: u16, body: Body) -> Arc<Record> {
        Arc::new(Record::of_node(at, NodeId::new(node).unwrap(), body))
    }

    /// A timer is over, which no row shows.
    fn unseen(at: i64, node: u16) -> Arc<Record> {
        let input = Input::Timer { timer: "check".into(), set: 0, due: 0, waited_for: Default::default() };
        of(at, node, Body::Step(Step::first(input)))
    }

    #[test]
    fn a_late_record_that_no_row_shows_does_not_fold_all_others_again() {
        let mut flow = Flow::new(None, &World::new(Roster::new(3).unwrap()));
        let folded = |flow: &Flow| flow.folded.borrow().as_ref().map(|(count, _)| *count);
        [unseen(10, 1), unseen(20, 2)].iter().for_each(|record| flow.take(record));
        assert!(flow.rows().is_empty());
        flow.take(&unseen(15, 3));
        assert_eq!(folded(&flow), Some(3));
        assert_eq!(flow.records.iter().map(|record| record.at).collect::<Vec<_>>(), [10, 15, 20]);
        flow.take(&of(12, 3, Body::Continued));
        assert_eq!(folded(&flow), None, "its row may stand above others");
    }
}
