//! What the master does: it gains control, writes, and brings those up that lag.
//!
//! Invariant: it writes only after copies of more than half of all weight are bound to its version, and says that an
//! order is done only after copies of more than half of all weight hold it.

use std::collections::VecDeque;

use super::card as line;
use super::machine::{CopyCells, CopyEffects, CopyRole, CopyTimer, CounterCopies, MasterPhase, MasterTerm};
use super::message::{CopyMessage, CopyOrder, CopyOutcome};
use protocol::{CopyVersion, HeldCopy, NodeId, NodeSet, RefusalReason, TaskId};

/// How often those that are silent are asked, before their master goes on without them.
const TRIES: u8 = 3;

impl CounterCopies {
    pub(super) fn become_master(&mut self, task: TaskId, fx: &mut CopyEffects) {
        let version = CopyVersion { number: 0, author: self.me };
        let phase = MasterPhase::Rests { written: NodeSet::EMPTY };
        self.role =
            CopyRole::Master(Box::new(MasterTerm { task, version, phase, queue: VecDeque::new(), control: None }));
        self.read(None, 1, fx);
        self.hand_next(fx);
    }

    /// A message of somebody under this master.
    pub(super) fn hear_member(&mut self, from: NodeId, message: CopyMessage, fx: &mut CopyEffects) {
        match message {
            CopyMessage::Ask(order) if order.id.node == from => self.take_order(order, fx),
            CopyMessage::Copy(version, copy) => self.take_copy(from, version, copy, fx),
            CopyMessage::Wrote(version) => self.take_written(from, version, fx),
            CopyMessage::Bound(bound) => self.rise_above(bound, fx),
            CopyMessage::Ask(_)
            | CopyMessage::Outcome(..)
            | CopyMessage::Read(_)
            | CopyMessage::Knock(_)
            | CopyMessage::Write(_) => {}
        }
    }

    /// An order waits its turn, unless it was asked for already.
    pub(super) fn take_order(&mut self, order: CopyOrder, fx: &mut CopyEffects) {
        let CopyRole::Master(reign) = &mut self.role else { return };
        let is_under_way = match &reign.phase {
            MasterPhase::Reads { order: Some(of), .. } | MasterPhase::Writes { order: Some(of), .. } => {
                of.id == order.id
            }
            _ => false,
        };
        if is_under_way || reign.queue.iter().any(|waiting| waiting.id == order.id) {
            return;
        }
        let node = order.id.node;
        match self.outcomes.get(&node) {
            Some((last, outcome)) if *last == order.id => {
                fx.send(node, CopyMessage::Outcome(*last, Box::new(*outcome)));
                return;
            }
            Some((last, _)) if *last > order.id => return,
            _ => {}
        }
        fx.line(line::TAKE);
        reign.queue.push_back(order);
        if let MasterPhase::Rests { .. } = reign.phase {
            self.go_on(fx);
        }
    }

    /// The next order is done, if one waits; else those that lag are looked after in a check period.
    fn go_on(&mut self, fx: &mut CopyEffects) {
        let CopyRole::Master(reign) = &mut self.role else { return };
        match reign.queue.pop_front() {
            Some(order) => {
                fx.cancel_timer(CopyTimer::Knock);
                self.read(Some(order), 1, fx);
            }
            None => {
                fx.cancel_timer(CopyTimer::Again);
                fx.set_timer(CopyTimer::Knock, self.check);
            }
        }
    }

    /// Asks all for their copies, with a version above all that this process knows.
    fn read(&mut self, order: Option<CopyOrder>, tries: u8, fx: &mut CopyEffects) {
        let CopyRole::Master(reign) = &mut self.role else { return };
        fx.line(line::READ);
        let known = self.cells.bound.map_or(0, |bound| bound.number);
        let version = CopyVersion { number: known.saturating_add(1), author: self.me };
        (reign.version, self.cells.bound) = (version, Some(version));
        let (answered, largest) = (NodeSet::of(self.me), self.cells.held);
        reign.phase = MasterPhase::Reads { order, answered, largest, tries };
        self.keep(fx);
        self.others.iter().for_each(|node| fx.send(node, CopyMessage::Read(version)));
        fx.set_timer(CopyTimer::Again, self.t * 2);
        self.write_if_in_control(fx);
    }

    fn take_copy(&mut self, from: NodeId, version: CopyVersion, copy: HeldCopy, fx: &mut CopyEffects) {
        let CopyRole::Master(reign) = &mut self.role else { return };
        if version != reign.version {
            return;
        }
        match &mut reign.phase {
            MasterPhase::Reads { answered, largest, .. } => {
                answered.insert(from);
                *largest = (*largest).max(copy);
                self.write_if_in_control(fx);
            }
            // It lagged, or the master has not heard that it holds the write.
            MasterPhase::Rests { .. } if copy.version == Some(version) => self.take_written(from, version, fx),
            MasterPhase::Rests { .. } if self.cells.held.version == Some(version) => {
                fx.send(from, CopyMessage::Write(self.cells.held));
            }
            // It has no control, and asks again.
            MasterPhase::Rests { .. } => {}
            MasterPhase::Writes { .. } => reign.take_control_of(from),
        }
    }

    /// If those that have answered weigh enough, the order is written.
    fn write_if_in_control(&mut self, fx: &mut CopyEffects) {
        let CopyRole::Master(reign) = &self.role else { return };
        let MasterPhase::Reads { order, answered, largest, .. } = reign.phase else { return };
        if !self.weight_of(answered).is_majority() {
            return;
        }
        fx.line(line::WRITE);
        let added = order.map_or((0, 0), |order| (1, i64::from(order.value)));
        let copy = HeldCopy {
            version: Some(reign.version),
            count: largest.count.saturating_add(added.0),
            counter: largest.counter.saturating_add(added.1),
        };
        self.cells = CopyCells { held: copy, bound: copy.version };
        self.keep(fx);
        // From now on it may be done.
        if let Some(CopyOrder { id, .. }) = order {
            self.outcomes.insert(id.node, (id, CopyOutcome::InDoubt));
        }
        self.others.iter().for_each(|node| fx.send(node, CopyMessage::Write(copy)));
        fx.set_timer(CopyTimer::Again, self.t * 2);
        if let CopyRole::Master(reign) = &mut self.role {
            reign.control = Some(answered);
            reign.phase = MasterPhase::Writes { order, written: NodeSet::of(self.me), tries: 1 };
        }
        self.finish_if_written(fx);
    }

    fn take_written(&mut self, from: NodeId, version: CopyVersion, fx: &mut CopyEffects) {
        let CopyRole::Master(reign) = &mut self.role else { return };
        let (MasterPhase::Writes { written, .. } | MasterPhase::Rests { written }) = &mut reign.phase else { return };
        if version == reign.version {
            written.insert(from);
            reign.take_control_of(from);
            self.finish_if_written(fx);
        }
    }

    /// If those that hold the write weigh enough, the order is done.
    fn finish_if_written(&mut self, fx: &mut CopyEffects) {
        let CopyRole::Master(reign) = &mut self.role else { return };
        let MasterPhase::Writes { order, written, .. } = reign.phase else { return };
        if self.weight_of(written).is_majority() {
            fx.line(line::DONE);
            self.become_rested(written, fx);
            order.into_iter().for_each(|order| self.tell_outcome(order, CopyOutcome::Done(self.cells.held), fx));
            self.go_on_at_rest(fx);
        }
    }

    fn become_rested(&mut self, written: NodeSet, fx: &mut CopyEffects) {
        fx.cancel_timer(CopyTimer::Again);
        if let CopyRole::Master(reign) = &mut self.role {
            reign.phase = MasterPhase::Rests { written };
        }
    }

    /// To tell an outcome may have begun the next order already.
    fn go_on_at_rest(&mut self, fx: &mut CopyEffects) {
        if let CopyRole::Master(reign) = &self.role
            && let MasterPhase::Rests { .. } = reign.phase
        {
            self.go_on(fx);
        }
    }

    /// Somebody is bound to a larger version, perhaps by a master that had no control.
    fn rise_above(&mut self, bound: CopyVersion, fx: &mut CopyEffects) {
        let CopyRole::Master(reign) = &self.role else { return };
        if bound <= reign.version {
            return;
        }
        fx.line(line::ABOVE);
        let phase = reign.phase.clone();
        self.cells.bound = self.cells.bound.max(Some(bound));
        match phase {
            MasterPhase::Reads { order, tries, .. } => self.read(order, tries, fx),
            MasterPhase::Rests { .. } => {
                fx.cancel_timer(CopyTimer::Knock);
                self.read(None, 1, fx);
            }
            // The others may hold it yet.
            MasterPhase::Writes { .. } => self.keep(fx),
        }
    }

    /// Some have not answered for 2T.
    pub(super) fn ask_again(&mut self, fx: &mut CopyEffects) {
        let CopyRole::Master(reign) = &mut self.role else { return };
        let version = reign.version;
        let (silent, message) = match &mut reign.phase {
            MasterPhase::Rests { .. } => return,
            MasterPhase::Reads { tries: TRIES.., .. } => return self.lose_control(fx),
            MasterPhase::Writes { tries: TRIES.., .. } => return self.give_up_write(fx),
            MasterPhase::Reads { answered, tries, .. } => {
                *tries += 1;
                (self.others.minus(answered), CopyMessage::Read(version))
            }
            MasterPhase::Writes { written, tries, .. } => {
                *tries += 1;
                (self.others.minus(written), CopyMessage::Write(self.cells.held))
            }
        };
        fx.line(line::AGAIN);
        silent.iter().for_each(|node| fx.send(node, message.clone()));
        fx.set_timer(CopyTimer::Again, self.t * 2);
    }

    /// Too few have answered: no order that waits can be done.
    fn lose_control(&mut self, fx: &mut CopyEffects) {
        let CopyRole::Master(reign) = &mut self.role else { return };
        let MasterPhase::Reads { order, answered, .. } = reign.phase else { return };
        fx.line(line::NO_CONTROL);
        reign.control = Some(answered);
        let orders: Vec<CopyOrder> = order.into_iter().chain(std::mem::take(&mut reign.queue)).collect();
        let why = RefusalReason::NoWeight(self.weight_of(answered));
        self.become_rested(NodeSet::EMPTY, fx);
        orders.into_iter().for_each(|order| self.tell_outcome(order, CopyOutcome::Refused(why), fx));
        self.go_on_at_rest(fx);
    }

    /// Too few hold the write: nobody knows whether it lasts.
    fn give_up_write(&mut self, fx: &mut CopyEffects) {
        let CopyRole::Master(reign) = &mut self.role else { return };
        let MasterPhase::Writes { order, written, .. } = reign.phase else { return };
        fx.line(line::UNSURE);
        reign.control = Some(written);
        self.become_rested(written, fx);
        order.into_iter().for_each(|order| self.tell_outcome(order, CopyOutcome::InDoubt, fx));
        self.go_on_at_rest(fx);
    }

    fn tell_outcome(&mut self, order: CopyOrder, outcome: CopyOutcome, fx: &mut CopyEffects) {
        let CopyOrder { id, .. } = order;
        self.outcomes.insert(id.node, (id, outcome));
        if id.node == self.me {
            self.hear_outcome(id, outcome, fx);
        } else {
            fx.send(id.node, CopyMessage::Outcome(id, Box::new(outcome)));
        }
    }

    /// No order waits. A master without control asks for it again; else those that lag are asked for their copies.
    pub(super) fn knock(&mut self, fx: &mut CopyEffects) {
        let CopyRole::Master(reign) = &self.role else { return };
        let MasterPhase::Rests { written } = reign.phase else { return };
        let (version, lagging) = (reign.version, self.others.minus(&written));
        if !self.weight_of(written).is_majority() {
            return self.read(None, TRIES, fx);
        }
        if !lagging.is_empty() {
            fx.line(line::KNOCK);
            lagging.iter().for_each(|node| fx.send(node, CopyMessage::Knock(version)));
        }
        fx.set_timer(CopyTimer::Knock, self.check);
    }
}
