//! A stretch of a run, from a step of its lab to a condition, and what is counted in it.
//!
//! It begins when the step is taken: what its orders bring about at once counts. It ends with the first record after
//! which the condition holds, once all that the step orders is in force. Without a step it begins with the lab; without a
//! condition it ends with it.
//!
//! Invariant: what it counts comes from the records alone.

use std::collections::BTreeMap;

use super::counted::Counted;
use lab::{Condition, Lab, LabStep};
use record::{Body, EffectText, Record};
use script::holds;
use world::{FaultState, World};

/// From where to where a stretch goes.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// The step with which it begins.
    pub from: Option<LabStep>,
    /// The condition with which it ends.
    pub until: Option<Condition>,
}

/// A stretch, as its records come.
#[derive(Debug)]
pub struct RunStretch<'a> {
    lab: &'a Lab,
    bounds: &'a Bounds,
    world: World,
    stage: StretchStage,
    kinds: BTreeMap<String, u64>,
    own: u64,
    bytes: u64,
}

/// How far a stretch is.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum StretchStage {
    Before,
    /// It began at this time, after so many elections, and not all that its step orders is in force yet.
    Ordered(i64, u64),
    /// It began then, and all is in force.
    Within(i64, u64),
    /// It took so many nanoseconds and had so many elections.
    Over(i64, u64),
}

impl<'a> RunStretch<'a> {
    /// No record has come yet.
    pub fn new(lab: &'a Lab, bounds: &'a Bounds) -> RunStretch<'a> {
        let world = World::new(lab.roster);
        RunStretch { lab, bounds, world, stage: StretchStage::Before, kinds: BTreeMap::new(), own: 0, bytes: 0 }
    }

    /// Takes in the next record.
    pub fn take(&mut self, record: &Record) {
        if matches!(self.stage, StretchStage::Over(..)) {
            return;
        }
        let elections = self.world.elections.count;
        self.world.fold(record);
        if self.stage == StretchStage::Before && self.has_begun() {
            self.stage = StretchStage::Ordered(record.at, elections);
        }
        if let (StretchStage::Ordered(..) | StretchStage::Within(..), Body::Step(step)) = (self.stage, &record.body) {
            for effect in &step.effects {
                let EffectText::Send { message, .. } = effect else { continue };
                let kind = message.kind();
                self.own += u64::from(!self.lab.card.periodic.contains(&kind.as_ref()));
                *self.kinds.entry(kind.into_owned()).or_default() += 1;
                self.bytes += message.body_bytes() as u64;
            }
        }
        if let StretchStage::Ordered(since, before) = self.stage
            && self.is_in_force()
        {
            self.stage = StretchStage::Within(since, before);
        }
        if let (StretchStage::Within(since, before), Some(until)) = (self.stage, &self.bounds.until)
            && holds(until, &self.world)
        {
            self.stage = StretchStage::Over(record.at - since, self.world.elections.count - before);
        }
    }

    /// The run has ended at this time: what was counted, if the stretch came to its end.
    pub fn finish(self, at: i64, counted: &[Counted]) -> Option<Vec<u64>> {
        let (took, elections) = match (self.stage, &self.bounds.until) {
            (StretchStage::Over(took, elections), _) => (took, elections),
            (StretchStage::Within(since, before), None) => (at - since, self.world.elections.count - before),
            _ => return None,
        };
        let value = |counted: &Counted| match counted {
            Counted::Kind(kind) => self.kinds.get(kind).copied().unwrap_or(0),
            Counted::Messages => self.kinds.values().sum(),
            Counted::Own => self.own,
            Counted::Bytes => self.bytes,
            Counted::Elections => elections,
            Counted::Time => u64::try_from(took / 1_000).unwrap_or(0),
        };
        Some(counted.iter().map(value).collect())
    }

    /// Whether the step is taken with which it begins.
    fn has_begun(&self) -> bool {
        self.bounds.from.as_ref().is_none_or(|from| self.world.steps.iter().any(|(step, _)| *step == from.name))
    }

    /// Whether all is in force that this step orders.
    fn is_in_force(&self) -> bool {
        let Some(LabStep { name, lines, .. }) = &self.bounds.from else { return true };
        let Some((_, taken)) = self.world.steps.iter().rfind(|(step, _)| step == name) else { return false };
        let mut ordered = 0;
        for fault in self.world.faults.iter().filter(|of| of.step.as_ref() == Some(name) && of.ordered >= *taken) {
            if fault.state == FaultState::Ordered {
                return false;
            }
            ordered += 1;
        }
        ordered >= lines.len()
    }
}
