//! Updates without the majority rule: what each log holds by the judge's own reckoning, and which of its updates conflict.
//!
//! A log is named by its digest. What it holds is known from the steps alone: a log that grows holds what it held before,
//! and what the step did or took in. An update builds on what its coordinator's log held. As a coordinator keeps all that
//! it does, its updates are numbered in the order in which it does them.
//!
//! Invariant: what is not known because of a gap proves nothing, nor what there are too many of to remember.

use std::collections::BTreeMap;

use super::facts::Firsts;
use judge::{WorkGrade, WrongWork};
use protocol::{LogDigest, LoggedUpdate, NodeId, NodeMap, NodeSet, OrderId, PreparedUpdate, TransactionId, UpdateWork};
use record::WorkContradiction;

/// The most logs that are remembered, and the most updates.
const JOINED_MAX: usize = 1 << 14;

/// How many updates of each coordinator a log holds.
type Holding = NodeMap<u32>;

fn number_in(holding: &Holding, author: NodeId) -> u32 {
    holding.get(&author).copied().unwrap_or(0)
}

/// All logs of a lab.
#[derive(Clone, Default, Debug)]
pub(super) struct JoinedLogs {
    holdings: BTreeMap<LogDigest, Holding>,
    /// How many updates of these logs conflict, and in how many pairs.
    conflicts: BTreeMap<LogDigest, (u32, u64)>,
    /// Which of its coordinator's updates each one is, from 1.
    numbers: BTreeMap<TransactionId, u32>,
    /// The update of this number of this coordinator, and what the coordinator's log held before.
    before: BTreeMap<(NodeId, u32), (TransactionId, Holding)>,
    /// What did each order.
    orders: BTreeMap<OrderId, TransactionId>,
    /// After which log each attempt was prepared, and by whom first.
    prepared: BTreeMap<TransactionId, (NodeId, LogDigest)>,
    done: Firsts<TransactionId>,
}

impl JoinedLogs {
    /// A node's work after a step; before it, if that is known and the process goes on. Returns what is wrong.
    pub fn take(&mut self, node: NodeId, before: Option<&UpdateWork>, work: &UpdateWork, at: i64) -> Vec<WrongWork> {
        let mut wrong = Vec::new();
        let mut say = |nodes, since, what| wrong.push(WrongWork { nodes, since, what, grade: WorkGrade::Observed });
        if let Some(before) = before.filter(|before| before.digest != work.digest && before.length <= work.length) {
            let new = new_of(before.length, work);
            let sum: i64 = new.iter().map(|update| i64::from(update.value)).sum();
            let grown = work.length.saturating_sub(before.length);
            if new.len() as u32 != grown {
                let what = WorkContradiction::UntoldUpdates { node, grown, told: new.len() };
                say(NodeSet::of(node), at, what);
            } else if before.counter + sum != work.counter {
                let what =
                    WorkContradiction::Miscounts { node, counter: work.counter, added: sum, before: before.counter };
                say(NodeSet::of(node), at, what);
            }
            self.grow(before.digest, new, work);
        }
        let is_new = before.is_none_or(|before| (before.digest, &before.conflicts) != (work.digest, &work.conflicts));
        let listed = work.conflicts.as_ref().map_or((0, 0), |list| (list.updates, list.pairs));
        if is_new
            && let Some(right) = self.conflicts_in(work.digest)
            && right != listed
        {
            say(NodeSet::of(node), at, WorkContradiction::WrongConflicts { node, listed, right });
        }
        let was_prepared = before.and_then(|before| before.in_doubt);
        if let Some(prepared) = work.in_doubt.filter(|prepared| before.is_some() && was_prepared != Some(*prepared))
            && let Some(other) = self.prepare(node, &prepared, work.digest)
        {
            let what = WorkContradiction::PreparesAfterOther { node, position: prepared.position, other };
            say([other, node].into_iter().collect(), at, what);
        }
        wrong
    }

    /// A log has grown by these.
    fn grow(&mut self, before: LogDigest, new: &[LoggedUpdate], work: &UpdateWork) {
        let has_room = self.holdings.len() < JOINED_MAX && self.numbers.len() < JOINED_MAX;
        let Some(mut holding) = self.holding(before).filter(|_| has_room) else { return };
        for update in new {
            let author = update.by.task.author;
            let next = number_in(&holding, author) + 1;
            if work.learnt.is_empty() && !self.numbers.contains_key(&update.by) {
                // One that died in the step in which it did another one may not have kept that. Where it had, its cells
                // were lost, and what holds which of the two is not known.
                let other = self.before.get(&(author, next)).map(|(other, _)| other);
                if other.is_some_and(|other| self.done.contains_key(other)) {
                    return;
                }
                self.numbers.insert(update.by, next);
                self.before.insert((author, next), (update.by, holding.clone()));
            }
            // Records are missing of how this one was done.
            if self.numbers.get(&update.by) != Some(&next) {
                return;
            }
            holding.insert(author, next);
        }
        self.holdings.entry(work.digest).or_insert(holding);
        // What is done builds on all that is there: it conflicts with nothing.
        if let (true, Some(same)) = (work.learnt.is_empty(), self.conflicts.get(&before).copied()) {
            self.conflicts.entry(work.digest).or_insert(same);
        }
    }

    fn holding(&self, digest: LogDigest) -> Option<Holding> {
        match digest == LogDigest::default() {
            true => Some(Holding::new()),
            false => self.holdings.get(&digest).cloned(),
        }
    }

    /// How many updates of this log conflict, and in how many pairs, if that is known.
    fn conflicts_in(&mut self, digest: LogDigest) -> Option<(u32, u64)> {
        if let Some(known) = self.conflicts.get(&digest) {
            return Some(*known);
        }
        let found = self.count_conflicts(&self.holding(digest)?)?;
        self.conflicts.insert(digest, found);
        Some(found)
    }

    fn count_conflicts(&self, holding: &Holding) -> Option<(u32, u64)> {
        let (mut updates, mut pairs) = (0, 0);
        for (author, most) in holding {
            for number in 1..=*most {
                let (_, after) = self.before.get(&(*author, number))?;
                let mut others = 0;
                for (of, have) in holding.iter().filter(|(of, _)| *of != author) {
                    // Those of another coordinator come one after another: first what this one builds on, last what builds
                    // on this one.
                    let first = number_in(after, *of) + 1;
                    let (mut low, mut high) = (first, have + 1);
                    while low < high {
                        let middle = u32::midpoint(low, high);
                        let (_, before) = self.before.get(&(*of, middle))?;
                        match number_in(before, *author) >= number {
                            true => high = middle,
                            false => low = middle + 1,
                        }
                    }
                    others += u64::from(low.saturating_sub(first));
                }
                updates += u32::from(others > 0);
                pairs += others;
            }
        }
        Some((updates, pairs / 2))
    }

    /// A process prepares this after a log of this digest. Returns who did so after another one.
    fn prepare(&mut self, node: NodeId, prepared: &PreparedUpdate, digest: LogDigest) -> Option<NodeId> {
        if self.prepared.len() >= JOINED_MAX {
            return None;
        }
        let (first, after) = *self.prepared.entry(prepared.update.by).or_insert((node, digest));
        (after != digest).then_some(first)
    }

    /// The process has the update in its log. Returns another transaction that has done the same order.
    pub fn note_done(&mut self, node: NodeId, update: &LoggedUpdate, at: i64) -> Option<TransactionId> {
        if self.done.len() < JOINED_MAX {
            self.done.entry(update.by).or_insert((node, at));
        }
        let of_order = *self.orders.entry(update.id).or_insert(update.by);
        (of_order != update.by).then_some(of_order)
    }

    /// Who did this first, and when.
    pub fn done_by(&self, by: TransactionId) -> Option<(NodeId, i64)> {
        self.done.get(&by).copied()
    }

    /// Whether a log of this digest has it, if that is known.
    pub fn has(&self, digest: LogDigest, by: TransactionId) -> Option<bool> {
        let holding = self.holding(digest)?;
        Some(self.numbers.get(&by).is_some_and(|number| number_in(&holding, by.task.author) >= *number))
    }

    /// Whether a log of this digest has this order, if that is known.
    pub fn has_order(&self, digest: LogDigest, id: OrderId) -> Option<bool> {
        match self.orders.get(&id) {
            Some(by) => self.has(digest, *by),
            None => self.holding(digest).map(|_| false),
        }
    }
}

/// By which updates a log has grown to this one, as far as the step tells.
pub(super) fn new_of(length_before: u32, work: &UpdateWork) -> &[LoggedUpdate] {
    match &work.last {
        _ if !work.learnt.is_empty() => &work.learnt,
        Some(last) if work.length > length_before => std::slice::from_ref(last),
        _ => &[],
    }
}
