//! Every consistent cut: each new state of a node is held against those that stand in one cut with it.
//!
//! Invariant: what is over is let go when every node knows of its end, and pairs of it that contradict each other go too.

use super::Judge;
use crate::judge::assertions::Dispute;
use crate::judge::clock::{Chain, Moment};
use crate::judge::finding::{Finding, Window};
use crate::judge::interval::{Claim, Interval, IntervalId};
use crate::protocol::{NodeId, Property};

/// Of so many of the violations told last the states are still followed: an end changes the words of one only if it comes
/// about when the contradiction began.
const TOLD_LATELY: usize = 64;

/// The dispute over a property that a new interval opened, and the pair of intervals that shows it best.
type Opened = (Property, Dispute, Vec<(IntervalId, IntervalId)>, Finding);

impl Judge {
    pub(super) fn change_claim(&mut self, claim: Option<Claim>, moment: &Moment, at: i64) {
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
        if change.overflowed {
            self.become_unknown("some node was silent for so many changes of state that the oldest were let go");
        }
        if change.began {
            self.compare(moment.node, at);
        }
        if change.ended.is_some() {
            let clocks = &self.clocks;
            self.intervals.let_go(|node| clocks.known_to_all(node));
            self.disputes.refresh(&self.intervals);
        }
    }

    /// Holds the node's new interval against all that stand in one consistent cut with it.
    fn compare(&mut self, node: NodeId, at: i64) {
        let told_by = self.now.max(at).saturating_add(self.patience);
        let opened = self.opened(node, told_by);
        for place in 0..self.assertions.len() {
            let property = self.assertions[place].property;
            if opened.iter().all(|(violated, ..)| *violated != property) {
                self.note_held(property, Chain::Whole, at);
            }
        }
        for (property, dispute, pairs, mut finding) in opened {
            finding.raised = self.disputes.add(property, dispute, pairs, finding.window);
            if finding.raised.is_some() {
                self.pending.push(finding);
            }
        }
    }

    /// Between which stamps something excuses that these two contradict each other. Under a number that was used for two
    /// groups they do so because it was: whatever let that happen did so since the first of them.
    fn window(&self, dispute: Dispute, a: &Interval, b: &Interval) -> Window {
        let window = Window::of(a, b);
        let numbers = self.numbers.as_ref();
        let first = dispute.group().and_then(|group| numbers.and_then(|numbers| numbers.first_of_two(group)));
        Window { from: first.map_or(window.from, |first| window.from.min(first)), ..window }
    }

    fn opened(&self, node: NodeId, told_by: i64) -> Vec<Opened> {
        let Some(new) = self.intervals.open_of(node) else { return Vec::new() };
        let mut opened: Vec<(Opened, (bool, bool))> = Vec::new();
        for other in self.intervals.concurrent_with(new) {
            // A state that stands shows more than a past one, and a coordinator more than who follows it.
            let shows = (other.until().is_none(), other.claim.coordinator == other.node);
            for row in &self.assertions {
                let Some(dispute) = (row.dispute)(&new.claim, &other.claim) else { continue };
                let known =
                    opened.iter_mut().find(|((property, of, ..), _)| *property == row.property && *of == dispute);
                let window = self.window(dispute, new, other);
                let finding = || {
                    let mut finding = Finding::of_pair(row.property, dispute, new, other, told_by);
                    finding.window = window;
                    finding
                };
                match known {
                    None => opened.push(((row.property, dispute, vec![(new.id, other.id)], finding()), shows)),
                    Some(((_, _, pairs, best), best_shows)) => {
                        pairs.push((new.id, other.id));
                        let window = best.window.hardest(window);
                        if shows > *best_shows {
                            (*best, *best_shows) = (finding(), shows);
                        }
                        best.window = window;
                    }
                }
            }
        }
        opened.into_iter().map(|(opened, _)| opened).collect()
    }
}
