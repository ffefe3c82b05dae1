//! What a process does under a master: it hands it its orders, is bound, and holds what it is told to.
//!
//! Invariant: what it is bound to and what it holds only grow, and are kept before it answers.

use super::card as line;
use super::machine::{CopyEffects, CopyRole, CopyTimer, CounterCopies};
use super::message::CopyMessage;
use protocol::{CopyVersion, HeldCopy, NodeId};

impl CounterCopies {
    /// The master is asked to do the order that it has of this process.
    pub(super) fn ask(&mut self, fx: &mut CopyEffects) {
        if let (CopyRole::Member { master, .. }, Some(order)) = (&self.role, self.handed) {
            fx.line(line::ASK);
            fx.send(*master, CopyMessage::Ask(order));
            fx.set_timer(CopyTimer::Ask, self.t * 2);
        }
    }

    /// A message of the master.
    pub(super) fn hear_master(&mut self, master: NodeId, message: CopyMessage, fx: &mut CopyEffects) {
        match message {
            CopyMessage::Read(version) | CopyMessage::Knock(version) => self.tell_copy(master, version, fx),
            CopyMessage::Write(copy) => self.hold(master, copy, fx),
            CopyMessage::Outcome(id, outcome) => self.hear_outcome(id, *outcome, fx),
            CopyMessage::Ask(_) | CopyMessage::Copy(..) | CopyMessage::Wrote(_) | CopyMessage::Bound(_) => {}
        }
    }

    fn tell_copy(&mut self, master: NodeId, version: CopyVersion, fx: &mut CopyEffects) {
        if let Some(bound) = self.cells.bound.filter(|bound| *bound > version) {
            return self.say_bound(master, bound, fx);
        }
        fx.line(line::TELL);
        if self.cells.bound != Some(version) {
            self.cells.bound = Some(version);
            self.keep(fx);
        }
        fx.send(master, CopyMessage::Copy(version, self.cells.held));
    }

    fn hold(&mut self, master: NodeId, copy: HeldCopy, fx: &mut CopyEffects) {
        let Some(version) = copy.version else { return };
        if let Some(bound) = self.cells.bound.filter(|bound| *bound > version) {
            return self.say_bound(master, bound, fx);
        }
        fx.line(line::HOLD);
        if self.cells.held.version != Some(version) {
            (self.cells.held, self.cells.bound) = (copy, Some(version));
            self.keep(fx);
        }
        fx.send(master, CopyMessage::Wrote(version));
    }

    fn say_bound(&mut self, master: NodeId, bound: CopyVersion, fx: &mut CopyEffects) {
        fx.line(line::BOUND);
        fx.send(master, CopyMessage::Bound(bound));
    }
}
