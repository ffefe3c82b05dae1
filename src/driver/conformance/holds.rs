//! When held steps went on: timers that were set behind the hold run from then, and tell the moment when they run out.
//!
//! If none of them ran out, a step went on at the latest possible moment, so that none of them is due too early.
//!
//! Invariant: a moment lies between the held step and the next one of its node.

use std::collections::BTreeMap;

use super::whole::RecordedStep;
use protocol::{Incarnation, NodeId, NodeMap};
use record::{EffectText, Input, Step, TimerName};

/// A step of a node: its incarnation and its number.
type StepName = (NodeId, Incarnation, u64);

/// When the held steps of a session went on.
#[derive(Debug, Default)]
pub(super) struct Holds {
    /// The last step of each node, if it was held, and when it was taken.
    last: NodeMap<(u64, HeldStep)>,
    /// The holds of the present incarnation of each node, by the step that came next.
    open: BTreeMap<StepName, (u64, u64, HeldStep)>,
    /// When the step before this one went on, in lab time, if a timer tells it.
    went_on: BTreeMap<StepName, u64>,
}

/// The timers that a held step set behind its hold.
#[derive(Debug)]
struct HeldStep {
    incarnation: Incarnation,
    behind: Vec<TimerName>,
}

impl Holds {
    /// Takes the next step of a node.
    pub fn take(&mut self, node: NodeId, recorded: &RecordedStep<'_>) {
        let Step { incarnation, step: number, input, held, .. } = recorded.step;
        let (incarnation, number, lab) = (*incarnation, *number, recorded.stamp.lab());
        if let Some((from, step)) = self.last.remove(&node)
            && step.incarnation == incarnation
        {
            self.open.insert((node, incarnation, number), (from, lab, step));
        }
        if let Input::Start { .. } = input {
            self.open.retain(|(of, ..), _| *of != node);
        }
        if let Input::Timer { timer, set, .. } = input {
            let of_incarnation = (node, incarnation, 0)..=(node, incarnation, u64::MAX);
            for (name, (from, to, step)) in self.open.range(of_incarnation) {
                if (*from..=*to).contains(set) && step.behind.contains(timer) {
                    self.went_on.entry(*name).and_modify(|first| *first = (*first).min(*set)).or_insert(*set);
                }
            }
        }
        if held.is_some() {
            let behind = recorded.step.effects_around_hold().1.iter().filter_map(|effect| match effect {
                EffectText::SetTimer { timer, .. } => Some(timer.clone()),
                _ => None,
            });
            self.last.insert(node, (lab, HeldStep { incarnation, behind: behind.collect() }));
        }
    }

    /// When the step before this one of the node went on, in lab time, if a timer tells it.
    pub fn went_on(&self, node: NodeId, step: &Step) -> Option<u64> {
        self.went_on.get(&(node, step.incarnation, step.step)).copied()
    }
}
