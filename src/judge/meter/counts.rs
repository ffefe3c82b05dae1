//! What the properties of quiet can be counted on: since when nothing has bitten that one needs.
//!
//! Invariant: what a standing cut loses between parts, and that a stopped process stands still, is no bite to a property of
//! parts.

use super::Meter;
use crate::judge::breaks::Cause;
use crate::judge::liveness::scope_of;
use crate::judge::quiet::Scope;
use crate::protocol::{Assumption, NodeSet, Property};

impl Meter {
    /// Whether the property asks for the assumption: always, or, if it is one of quiet, to be due.
    pub(super) fn asks_for(&self, property: Property, assumption: Assumption) -> bool {
        match scope_of(property) {
            Some(scope) => self.counts(scope, assumption, Cause::Machine),
            None => self.needs(property, assumption),
        }
    }

    /// What says whether any property of quiet was bitten.
    pub fn bites(&self) -> [i64; Scope::ALL.len()] {
        self.bitten
    }

    /// Since when nothing has bitten that such a property needs.
    pub fn bitten(&self, scope: Scope) -> i64 {
        self.bitten[scope as usize]
    }

    /// Whether such a property could not be counted on between these stamps: an assumption was broken that it needs, or
    /// a process stands still.
    pub fn was_bitten(&self, scope: Scope, from: i64, to: i64, running: &NodeSet, now: i64) -> bool {
        let mut all = self.breaks.iter().cloned().chain(self.unrecorded(running, now));
        all.any(|broken| self.counts(scope, broken.assumption, broken.cause) && broken.overlaps(from, to))
    }

    /// Up to that stamp nothing could be counted on that needs this, broken by that.
    pub(super) fn note_bitten(&mut self, assumption: Assumption, cause: Cause, to: i64) {
        for scope in Scope::ALL {
            if self.counts(scope, assumption, cause) {
                self.bitten[scope as usize] = self.bitten[scope as usize].max(to);
            }
        }
    }

    /// Whether this, broken by that, keeps such a property from being due. What a standing cut loses between parts, and
    /// that a stopped process stands still, is known of the parts.
    pub(super) fn counts(&self, scope: Scope, assumption: Assumption, cause: Cause) -> bool {
        let is_needed = self.needs.contains(&assumption);
        match (scope, cause) {
            (Scope::Whole, _) => is_needed,
            (_, Cause::Fault(id)) if self.cuts.contains(&id) => false,
            (_, Cause::Fault(_)) if assumption == Assumption::NoPauses => false,
            (Scope::Parts | Scope::Links, _) => {
                // One clock rate is within the eighth.
                let of_time = [Assumption::DeliveryInTime, Assumption::NoPauses, Assumption::OneClockRate];
                is_needed || of_time.contains(&assumption)
            }
        }
    }
}
