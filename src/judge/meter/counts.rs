//! Since when the properties of quiet can be judged: the last bite of an assumption that one needs.
//!
//! Invariant: losses of a lasting cut between parts, and a stopped process, are no bite to a property of parts.

use super::Meter;
use crate::assertions::may_need;
use crate::breaks::Cause;
use crate::liveness::scope_of;
use crate::quiet::Scope;
use protocol::{Assumption, NodeSet, Property};
use record::Origin;
use world::flight::Flights;

impl Meter {
    /// Whether the property needs the assumption: its algorithm does, or its application for a property of that.
    pub(super) fn needs(&self, property: Property, assumption: Assumption) -> bool {
        if property.is_of_application() {
            return self.application_needs.contains(&assumption);
        }
        self.needs.contains(&assumption) && may_need(property, assumption)
    }

    /// Whether the property needs the assumption: always, or, for a property of quiet, to be due.
    pub(super) fn asks_for(&self, property: Property, assumption: Assumption) -> bool {
        match scope_of(property) {
            Some(scope) => self.counts(scope, assumption, Cause::Machine),
            None => self.needs(property, assumption),
        }
    }

    /// Whether the lab is one of virtual time.
    pub fn is_simulated(&self) -> bool {
        self.origin == Origin::Simulated
    }

    /// Whether an assumption that this property needs was ever broken.
    pub fn was_bitten_ever(&self, property: Property) -> bool {
        let accounts = Assumption::ALL.into_iter().zip(&self.accounts);
        accounts.filter(|(_, account)| account.first.is_some()).any(|(broken, _)| self.asks_for(property, broken))
    }

    /// By scope, the stamp of the last bite: it changes when a property of quiet was bitten.
    pub fn bites(&self) -> [i64; Scope::ALL.len()] {
        self.bitten
    }

    /// The stamp of the last bite of an assumption that such a property needs.
    pub fn bitten(&self, scope: Scope) -> i64 {
        self.bitten[scope as usize]
    }

    /// Whether such a property could not be judged between these stamps: an assumption that it needs was broken, or a
    /// process is stopped.
    pub fn was_bitten(
        &self,
        scope: Scope,
        (from, to): (i64, i64),
        running: &NodeSet,
        now: i64,
        flights: &Flights,
    ) -> bool {
        let mut all = self.breaks.iter().cloned().chain(self.unrecorded(running, now, flights));
        all.any(|broken| self.counts(scope, broken.assumption, broken.cause) && broken.overlaps(from, to))
    }

    /// Up to that stamp no property that needs this, broken by that, could be judged.
    pub(super) fn note_bitten(&mut self, assumption: Assumption, cause: Cause, to: i64) {
        for scope in Scope::ALL {
            if self.counts(scope, assumption, cause) {
                self.bitten[scope as usize] = self.bitten[scope as usize].max(to);
            }
        }
    }

    /// Whether this, broken by that, keeps such a property from being due. The parts already reflect the losses of a
    /// lasting cut between them, and stopped processes.
    pub(super) fn counts(&self, scope: Scope, assumption: Assumption, cause: Cause) -> bool {
        let is_needed = self.needs.contains(&assumption);
        match (scope, cause) {
            (Scope::Whole | Scope::MostUp, _) => is_needed,
            (Scope::DespiteLies, Cause::Fault(id)) if self.liars.is_by(id) => false,
            (Scope::DespiteLies, _) => is_needed && assumption != Assumption::AllCooperate,
            (_, Cause::Fault(id)) if self.cuts.contains(&id) => false,
            (_, Cause::Fault(_)) if assumption == Assumption::NoPauses => false,
            (Scope::Parts | Scope::Links, _) => {
                // The eighth assumption includes one clock rate.
                let of_time = [Assumption::DeliveryInTime, Assumption::NoPauses, Assumption::OneClockRate];
                is_needed || of_time.contains(&assumption)
            }
        }
    }
}
