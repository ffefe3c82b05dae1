//! Assumption 10: whose clock runs at another rate, from when to when.
//!
//! Invariant: of each process one clock is kept at the most, and it stands until the process runs as all do, or is dead.

use super::super::breaks::{Bite, Break, Cause};
use super::super::clock::index;
use super::super::quiet::Scope;
use super::Meter;
use crate::fault::ClockFault;
use crate::protocol::{Assumption, NodeId};
use crate::record::Record;

impl Meter {
    /// The node's clock runs so from this record on. That it runs at another rate bites at once: a timer is late or early
    /// by it before anything is recorded of it.
    pub(super) fn take_clock(&mut self, node: NodeId, clock: Option<ClockFault>, record: &Record) {
        self.close_clock(node, record.at);
        self.timers[index(node)].set_rate(clock.map(|clock| clock.rate), record.lab);
        let Some(ClockFault { by, rate }) = clock else { return };
        self.accounts[Assumption::OneClockRate as usize].by_faults += 1;
        self.open(Assumption::OneClockRate, Cause::Fault(by), record.at, None, Bite::OtherRate { node, rate });
        self.note_bitten(Assumption::OneClockRate, Cause::Fault(by), record.at);
        self.announce(Assumption::OneClockRate, Cause::Fault(by), record.at);
    }

    /// Whether somebody's clock runs at another rate at this moment, and such a property cannot be counted on by that.
    pub fn is_mistimed(&self, scope: Scope) -> bool {
        let runs_so = |broken: &Break| broken.to.is_none() && matches!(broken.bite, Bite::OtherRate { .. });
        let counts = |broken: &Break| self.counts(scope, broken.assumption, broken.cause);
        self.standing > 0 && self.breaks.iter().any(|broken| runs_so(broken) && counts(broken))
    }

    pub(super) fn close_clock(&mut self, node: NodeId, at: i64) {
        self.close(at, |bite| matches!(bite, Bite::OtherRate { node: of, .. } if *of == node));
    }
}
