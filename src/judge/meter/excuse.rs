//! What excuses a contradiction: a broken assumption that had a part in it.
//!
//! A bite hits a node: the node that would have received the message, or the node that was stopped. It excuses a
//! contradiction if the property needs the assumption, if it fell within the contradiction's window, and if it had a
//! part in it: the hit lies in the past of one of the two states, or the node is one of the two and would have been
//! kept from its state (`past`). The verdict tells the way from the bite to the contradiction.
//!
//! Of several breaks the verdict names one. It leaves out what was over before the latest one began: an early fault may
//! have reached everybody, and harmed nobody. Of the others the weight decides.
//!
//! Invariant: where no way leads from a bite to the contradiction, the bite excuses nothing.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

use super::{Meter, STANDING};
use crate::assertions::may_excuse;
use crate::breaks::Break;
use crate::finding::Window;
use protocol::{Assumption, NodeId, NodeSet, Property, Roster};
use record::{BreakManner, CausalWay};
use world::flight::Flights;
use world::index;
use world::past::{CausalPast, Needs, Past};

/// The most bites that are kept of all nodes together.
const HITS_MAX: usize = 1 << 16;
/// The fewest that are kept of each.
const HITS_OF_ONE_MIN: usize = 256;

/// A bite hit a node, between these stamps; it has no end while it lasts.
#[derive(Copy, Clone, Debug)]
pub(crate) struct BreakSpan {
    pub from: i64,
    pub to: Option<i64>,
    /// The break that it is part of.
    pub serial: u64,
}

impl BreakSpan {
    /// What the past must learn of it.
    pub fn fresh(self, bite: &BreakManner, assumption: Assumption) -> impl Iterator<Item = NewBreakSpan> + use<> {
        let moment = self.to.map_or(BreakProgress::Lasts, BreakProgress::Over);
        let nodes: Vec<NodeId> = bite.hits().iter().collect();
        nodes.into_iter().map(move |node| NewBreakSpan { node, assumption, moment })
    }
}

/// A bite has just hit a node, or ended.
#[derive(Copy, Clone, Debug)]
pub(super) struct NewBreakSpan {
    pub node: NodeId,
    pub assumption: Assumption,
    pub moment: BreakProgress,
}

/// The progress of a bite.
#[derive(Copy, Clone, Debug)]
pub(super) enum BreakProgress {
    /// Over at this stamp.
    Over(i64),
    /// Not over yet.
    Lasts,
    /// Not over before, and ended at this stamp.
    Ends(i64),
}

/// What hit each node, oldest first.
#[derive(Clone, Debug)]
pub(super) struct BreakSpans {
    /// By node.
    nodes: Vec<VecDeque<BreakSpan>>,
    of_one_max: usize,
}

/// The question about a contradiction.
pub(crate) struct Question<'a> {
    pub property: Property,
    /// The nodes that it is about.
    pub accused: &'a NodeSet,
    /// The stamps between which a break may excuse it.
    pub window: Window,
    /// What had a part in it.
    pub reach: &'a CausalPast,
    pub running: &'a NodeSet,
    pub flights: &'a Flights,
    pub now: i64,
}

/// How well a bite explains a contradiction: the weight of its break, and of the bites of one break the first weighs most.
type ExcuseWeight = (u8, i64, Reverse<i64>);

/// A break that may excuse a contradiction.
struct Suspect<'a> {
    broken: Cow<'a, Break>,
    /// The stamps at which it hit the past of the contradiction, and whom.
    hits: Vec<(i64, NodeId)>,
    /// When the last of these hits was over.
    over: i64,
}

impl<'a> Suspect<'a> {
    fn new(broken: Cow<'a, Break>) -> Suspect<'a> {
        Suspect { broken, hits: Vec::new(), over: i64::MIN }
    }

    fn add(&mut self, node: NodeId, from: i64, to: i64) {
        self.hits.push((from, node));
        self.over = self.over.max(to);
    }

    fn begins(&self) -> i64 {
        self.hits.iter().map(|(from, _)| *from).min().unwrap_or(self.over)
    }

    /// Faults come before what this computer did, and then what was over last.
    fn lateness(&self) -> (bool, i64) {
        (self.broken.is_of_a_fault(), self.over)
    }

    /// With its first hit from which a way leads to the contradiction, and that way; nothing if none does.
    fn led(mut self, reach: &CausalPast) -> Option<(Suspect<'a>, i64, CausalWay)> {
        self.hits.sort_unstable();
        let (at, way) = self.hits.iter().find_map(|(at, node)| Some((*at, reach.way_from(*node, *at)?)))?;
        Some((self, at, way))
    }
}

/// A broken assumption that excuses a contradiction, and the way from the one to the other.
#[derive(Clone, Debug)]
pub(crate) struct ExcusingBreak {
    pub broken: Break,
    pub way: CausalWay,
}

impl BreakSpans {
    pub fn new(roster: Roster) -> BreakSpans {
        let nodes = usize::from(roster.len());
        BreakSpans { nodes: vec![VecDeque::new(); nodes], of_one_max: (HITS_MAX / nodes).max(HITS_OF_ONE_MIN) }
    }

    /// The bite hits its nodes.
    pub fn add(&mut self, bite: &BreakManner, hit: BreakSpan) {
        for node in bite.hits().iter() {
            let Some(of_one) = self.nodes.get_mut(index(node)) else { continue };
            if of_one.len() == self.of_one_max {
                of_one.pop_front();
            }
            of_one.push_back(hit);
        }
    }

    /// The break of this number ended.
    pub fn close(&mut self, serial: u64, at: i64) {
        let all = self.nodes.iter_mut().flatten();
        all.filter(|hit| hit.serial == serial && hit.to.is_none()).for_each(|hit| hit.to = Some(at));
    }

    fn of(&self, node: NodeId) -> impl Iterator<Item = &BreakSpan> {
        self.nodes[index(node)].iter().rev()
    }
}

impl Meter {
    /// Tells the past which nodes were hit since the last call.
    pub fn stain(&mut self, past: &mut Past) {
        for NewBreakSpan { node, assumption, moment } in std::mem::take(&mut self.fresh) {
            let is_needed = |needs: &Needs| match needs {
                Needs::Algorithm => self.needs.contains(&assumption),
                Needs::Numbers => self.needs(Property::GroupNumbers, assumption),
                Needs::Application => self.application_needs.contains(&assumption),
            };
            for needs in Needs::ALL.into_iter().filter(is_needed) {
                match moment {
                    BreakProgress::Over(at) => past.stain(node, Some(at), needs),
                    BreakProgress::Lasts => past.stain(node, None, needs),
                    BreakProgress::Ends(at) => past.end_stain(node, at, needs),
                }
            }
        }
    }

    /// The best explanation of a contradiction: a break of an assumption that the algorithm needs for the property.
    /// This includes a process that is stopped now, and a message that should have come by now, which no record tells
    /// yet.
    pub fn excuse(&self, question: &Question) -> Option<ExcusingBreak> {
        self.best(question, |assumption| self.needs(question.property, assumption))
    }

    /// The same, of these assumptions alone.
    pub fn lasting_excuse(&self, assumptions: &[Assumption], question: &Question) -> Option<ExcusingBreak> {
        let needs = |assumption| self.needs(question.property, assumption) && assumptions.contains(&assumption);
        self.best(question, needs)
    }

    /// The latest break that hit any node of that past, from this stamp on.
    pub(super) fn hit_within(&self, reach: &CausalPast, from: i64) -> Option<&Break> {
        let hits = self.hits.nodes.iter().zip(1..).flat_map(|(hits, number)| {
            let node = NodeId::new(number).expect("a place of the roster");
            hits.iter().rev().filter(move |hit| reach.holds(node, hit.from) && hit.to.is_none_or(|to| to >= from))
        });
        hits.max_by_key(|hit| hit.from).and_then(|hit| self.numbered(hit.serial))
    }

    fn best(&self, question: &Question, needs: impl Fn(Assumption) -> bool) -> Option<ExcusingBreak> {
        let Window { from, to } = question.window;
        let needs = |broken: &Break| needs(broken.assumption) && may_excuse(question.property, &broken.bite);
        let mut suspects: BTreeMap<u64, Suspect> = BTreeMap::new();
        for (node, hit) in self.recorded(question) {
            let Some(broken) = self.numbered(hit.serial).filter(|broken| needs(broken)) else { continue };
            let suspect = suspects.entry(hit.serial).or_insert_with(|| Suspect::new(Cow::Borrowed(broken)));
            suspect.add(node, hit.from, hit.to.unwrap_or(to));
        }
        let mut suspects: Vec<Suspect> = suspects.into_values().rev().collect();
        for broken in self.unrecorded(question.running, question.now, question.flights) {
            let is_within = broken.overlaps(from, to) && needs(&broken);
            let hit = broken.bite.hits().iter().find(|node| question.reach.holds(*node, broken.from));
            if let (true, Some(node)) = (is_within, hit) {
                let hit_from = broken.from;
                let mut suspect = Suspect::new(Cow::Owned(broken));
                suspect.add(node, hit_from, to);
                suspects.push(suspect);
            }
        }
        let mut led: Vec<(Suspect, i64, CausalWay)> =
            suspects.into_iter().filter_map(|suspect| suspect.led(question.reach)).collect();
        let latest =
            led.iter().map(|(suspect, ..)| suspect).max_by_key(|suspect| suspect.lateness()).map(Suspect::begins);
        led.retain(|(suspect, ..)| latest.is_none_or(|latest| suspect.over >= latest));
        let mut best: Option<(ExcuseWeight, ExcusingBreak)> = None;
        for (suspect, hit_from, way) in led {
            let (kind, filled) = suspect.broken.weight(question.accused, from, to);
            let weight = (kind, filled, Reverse(hit_from));
            if best.as_ref().is_none_or(|(heaviest, _)| weight > *heaviest) {
                best = Some((weight, ExcusingBreak { broken: suspect.broken.into_owned(), way }));
            }
        }
        best.map(|(_, excuse)| excuse)
    }

    /// What hit the nodes of the contradiction's past within its window.
    fn recorded<'a>(&'a self, question: &'a Question) -> impl Iterator<Item = (NodeId, &'a BreakSpan)> {
        let Window { from, to } = question.window;
        let nodes = (1..=self.hits.nodes.len() as u16).filter_map(NodeId::new);
        nodes.flat_map(move |node| {
            let hits = self.hits.of(node).filter(move |hit| hit.from <= to && hit.to.is_none_or(|end| end >= from));
            hits.filter(move |hit| question.reach.holds(node, hit.from)).map(move |hit| (node, hit))
        })
    }

    /// How many bites are kept.
    #[cfg(test)]
    pub fn hits(&self) -> usize {
        self.hits.nodes.iter().map(VecDeque::len).sum()
    }

    fn numbered(&self, serial: u64) -> Option<&Break> {
        debug_assert_ne!(serial, STANDING, "what is not kept has no hits");
        let place = self.breaks.binary_search_by_key(&serial, |broken| broken.serial).ok()?;
        self.breaks.get(place)
    }
}
