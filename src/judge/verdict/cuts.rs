//! Every consistent cut: each new state of a node is compared with the states of one cut with it.
//!
//! Invariant: an ended state is dropped when every node knows of its end, and its contradicting pairs with it.

use super::Judge;
use crate::assertions::Dispute;
use crate::finding::{CauseDepth, ContradictingNodes, Finding, Window};
use crate::interval::{Belief, Interval, IntervalId};
use protocol::{NodeId, NodeSet, Property};
use world::moment::{CausalMoment, PastExtent};

/// The number of latest violations whose states are still followed: an end changes the words of a violation only if it
/// happens at the moment when the contradiction began.
const TOLD_LATELY: usize = 64;

/// After each change the past states of this many nodes are looked through.
const LET_GO_AT_ONCE: usize = 16;

/// The dispute over a property that a new interval opened, and the pair of intervals that shows it best.
type Opened = (Property, Dispute, Vec<(IntervalId, IntervalId)>, Finding);

impl Judge {
    pub(super) fn change_claim(&mut self, claim: Option<Belief>, moment: &CausalMoment, at: i64) {
        let change = self.intervals.become_claim(claim, moment, at);
        if let Some((id, at)) = change.ended {
            self.pending
                .iter_mut()
                .chain(self.told.iter_mut().rev().take(TOLD_LATELY).map(|told| &mut told.finding))
                .for_each(|finding| {
                    finding.note_end(id, moment, at);
                });
        }
        if change.unknown {
            self.assertions.iter().for_each(|row| self.tallies.of_property(row.property).unknown += 1);
        }
        if change.began {
            self.compare(moment, at);
        }
        if change.ended.is_some() {
            self.let_go();
            self.disputes.refresh(&self.intervals);
        }
    }

    /// Drops past states whose end everybody knows. In a large lab a few nodes at a time, in turn.
    fn let_go(&mut self) {
        let kept: Vec<NodeId> = self.intervals.with_past().collect();
        let next = kept.partition_point(|node| Some(*node) <= self.let_go_last);
        for place in 0..kept.len().min(LET_GO_AT_ONCE) {
            let node = kept[(next + place) % kept.len()];
            self.intervals.let_go(node, self.clocks.known_to_all(node));
            self.let_go_last = Some(node);
        }
    }

    /// Compares the node's new interval with all intervals of one consistent cut with it.
    fn compare(&mut self, moment: &CausalMoment, at: i64) {
        let told_by = self.now.max(at).saturating_add(self.patience);
        let opened = self.opened(moment, told_by);
        for place in 0..self.assertions.len() {
            let property = self.assertions[place].property;
            if opened.iter().all(|(violated, ..)| *violated != property) {
                let pair = self.clearest_pair(property, moment.node, at);
                self.note_held(property, &pair, PastExtent::Whole, at);
            }
        }
        for (property, dispute, pairs, mut finding) in opened {
            finding.raised = self.disputes.add(property, dispute, pairs, &mut finding.charges, &mut self.serials);
            if finding.raised.is_some() {
                self.pending.push(finding);
            }
        }
    }

    /// The node and one other: the first without a stain, or, if all are stained, the highest.
    fn clearest_pair(&self, property: Property, node: NodeId, at: i64) -> NodeSet {
        let others = self.roster.others(node);
        let clear = others.iter().find(|other| !self.is_stained(property, *other, at));
        NodeSet::of(node).union(&clear.or(others.highest()).into_iter().collect())
    }

    /// What has to be excused of these two. Under a number that was used for two groups this reuse makes the
    /// contradiction: its cause lies after the first of the two groups.
    fn charge(&self, dispute: Dispute, a: &Interval, b: &Interval) -> ContradictingNodes {
        let (nodes, window) = (NodeSet::of(a.node).union(&NodeSet::of(b.node)), Window::of(a, b));
        let numbers = self.numbers.as_ref();
        match dispute.group().and_then(|group| numbers.and_then(|numbers| numbers.first_of_two(group))) {
            Some(first) => {
                let window = Window { from: window.from.min(first), ..window };
                ContradictingNodes { nodes, window, roots: CauseDepth::BeforeRest }
            }
            None => ContradictingNodes { nodes, window, roots: CauseDepth::SinceRest },
        }
    }

    fn opened(&self, moment: &CausalMoment, told_by: i64) -> Vec<Opened> {
        let Some(new) = self.intervals.open_of(moment.node) else { return Vec::new() };
        let mut opened: Vec<(Opened, (bool, bool))> = Vec::new();
        for other in self.intervals.concurrent_with(new, moment) {
            // An open state shows more than a past one, and a coordinator more than a follower.
            let shows = (other.until().is_none(), other.claim.coordinator == other.node);
            for row in &self.assertions {
                let Some(dispute) = (row.dispute)(&new.claim, &other.claim) else { continue };
                let known =
                    opened.iter_mut().find(|((property, of, ..), _)| *property == row.property && *of == dispute);
                let charge = self.charge(dispute, new, other);
                let finding = |charges| Finding::of_pair(row.property, dispute, (new, other), charges, told_by);
                match known {
                    None => {
                        let pairs = vec![(new.id, other.id)];
                        opened.push(((row.property, dispute, pairs, finding(vec![charge])), shows));
                    }
                    Some(((_, _, pairs, best), best_shows)) => {
                        pairs.push((new.id, other.id));
                        best.charges.push(charge);
                        if shows > *best_shows {
                            *best = finding(std::mem::take(&mut best.charges));
                            *best_shows = shows;
                        }
                    }
                }
            }
        }
        opened.into_iter().map(|(opened, _)| opened).collect()
    }
}
