//! The past of an event: the causes of each step, so that the way from a broken assumption to a contradiction can be
//! told.
//!
//! The cause of a step is a message, the silence of a node, or only its own process: a start, an order, a timer that
//! measures time. Going back through all of these gives everything that may have had a part in an event. That is more
//! than happened-before (`clock`): silence is no edge there, but a node that was kept from answering did have a part in
//! the time-out on it.
//!
//! Every step and message carries the stamp of the latest bite in the node's past, so it is known at once whether
//! anything broken may have had a part in a state.
//!
//! Invariant: memory is bounded. Where steps were forgotten, everything older counts as reached: a forgotten step may
//! excuse, and never convicts.

mod past_breaks;
mod reach;

use std::borrow::Cow;
use std::collections::VecDeque;

pub use self::past_breaks::Needs;
use self::past_breaks::{LatestBites, PastBreaks, UNSTAINED};
use self::reach::CausalLink;
pub use self::reach::CausalPast;
use super::moment::index;
use protocol::{NodeId, NodeSet, Roster};
use record::Influence;

/// The most steps that are kept of all nodes together.
const STEPS_MAX: usize = 1 << 16;
/// The fewest that are kept of each.
const STEPS_OF_ONE_MIN: usize = 256;

/// The steps of all nodes.
#[derive(Clone, Debug)]
pub struct Past {
    /// By node.
    nodes: Vec<Timeline>,
    of_one_max: usize,
    /// By node, the breaks in its past.
    stains: Vec<PastBreaks>,
    /// Where records are missing.
    gaps: Vec<Gap>,
}

/// Records are missing of a node, or of any, between these stamps.
#[derive(Copy, Clone, Debug)]
struct Gap {
    node: Option<NodeId>,
    after: i64,
    at: i64,
}

/// The steps of one node, oldest first.
#[derive(Clone, Debug, Default)]
struct Timeline {
    steps: VecDeque<Occurrence>,
    /// How many older ones were forgotten, and the stamp of the last of them.
    forgotten: u64,
    forgotten_at: Option<i64>,
}

#[derive(Clone, Debug)]
struct Occurrence {
    at: i64,
    record: u64,
    came_of: StepCause,
    /// Whether it changed the node's state vector.
    is_turn: bool,
    stained: LatestBites,
}

/// Which messages carry a part in an event on.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum CarryingMessages {
    /// All of them.
    All,
    /// Those alone that changed the state vector of the node that heard them.
    Turns,
}

/// The cause of a step.
#[derive(Clone, Debug)]
pub enum StepCause {
    /// Only its own process.
    Itself,
    /// A message that was sent in this step of its sender.
    Message {
        /// Who sent it.
        from: NodeId,
        /// The number of the sender's step.
        step: u64,
        /// What message it was.
        kind: Cow<'static, str>,
    },
    /// A message whose sending is not known.
    Unknown,
    /// The silence of these nodes.
    Silence(NodeSet),
}

impl Past {
    /// The past of a lab of which nothing has happened yet.
    pub fn new(roster: Roster) -> Past {
        let nodes = usize::from(roster.len());
        Past {
            nodes: vec![Timeline::default(); nodes],
            of_one_max: (STEPS_MAX / nodes).max(STEPS_OF_ONE_MIN),
            stains: vec![PastBreaks { latest: UNSTAINED, lasting: [0; Needs::ALL.len()] }; nodes],
            gaps: Vec::new(),
        }
    }

    /// The number that the node's next step will have.
    pub fn next_of(&self, node: NodeId) -> u64 {
        let timeline = &self.nodes[index(node)];
        timeline.forgotten + timeline.steps.len() as u64
    }

    /// The node took a step at this stamp, told by the record of this number; `is_turn` if its state vector changed.
    pub fn take_step(&mut self, node: NodeId, (at, record): (i64, u64), came_of: StepCause, is_turn: bool) {
        match &came_of {
            StepCause::Message { from, step, .. } => {
                let stained = self.step_of(*from, *step).map_or(UNSTAINED, |step| step.stained);
                self.stains[index(node)].learn(stained);
            }
            StepCause::Silence(silent) => {
                for other in silent.iter().filter(|other| index(*other) < self.nodes.len()) {
                    let stained = self.stains[index(other)].at(at);
                    self.stains[index(node)].learn(stained);
                }
            }
            StepCause::Itself | StepCause::Unknown => {}
        }
        let of_one_max = self.of_one_max;
        let stained = self.stains[index(node)].at(at);
        let timeline = &mut self.nodes[index(node)];
        if timeline.steps.len() == of_one_max {
            timeline.forget_first();
        }
        timeline.steps.push_back(Occurrence { at, record, came_of, is_turn, stained });
    }

    /// A bite hit the node: it was over at this stamp, or lasts. The messages of the node's latest step know of it.
    pub fn stain(&mut self, node: NodeId, over: Option<i64>, needs: Needs) {
        let stain = &mut self.stains[index(node)];
        match over {
            Some(at) => stain.latest[needs as usize] = stain.latest[needs as usize].max(at),
            None => stain.lasting[needs as usize] += 1,
        }
        let timeline = &mut self.nodes[index(node)];
        if let Some(step) = timeline.steps.back_mut() {
            step.stained = stain.at(step.at);
        }
    }

    /// A bite that lasted is over at this stamp.
    pub fn end_stain(&mut self, node: NodeId, at: i64, needs: Needs) {
        let stain = &mut self.stains[index(node)];
        stain.lasting[needs as usize] = stain.lasting[needs as usize].saturating_sub(1);
        stain.latest[needs as usize] = stain.latest[needs as usize].max(at);
    }

    /// Whether the past of the node's state at this stamp holds a bite that was not over by `since`.
    pub fn is_stained(&self, node: NodeId, needs: Needs, since: i64, at: i64) -> bool {
        self.stains[index(node)].at(at)[needs as usize] >= since
    }

    /// Records of the node, or of any, are missing before this stamp.
    pub fn touch_gap(&mut self, node: Option<NodeId>, at: i64) {
        let last_of = |timeline: &Timeline| timeline.steps.back().map_or(i64::MIN, |step| step.at);
        let after = match node {
            Some(node) => last_of(&self.nodes[index(node)]),
            None => self.nodes.iter().map(last_of).min().unwrap_or(i64::MIN),
        };
        self.gaps.push(Gap { node, after, at });
    }

    /// Whether a cause may be missing.
    pub fn has_gap(&self, reach: &CausalPast) -> bool {
        self.gaps.iter().any(|gap| {
            gap.at >= reach.since
                && match gap.node {
                    Some(node) => reach.holds(node, gap.after),
                    None => reach.frontiers.iter().flatten().any(|frontier| gap.after <= *frontier),
                }
        })
    }

    /// Nobody will ask for anything before this stamp any more.
    pub fn forget_before(&mut self, at: i64) {
        for timeline in &mut self.nodes {
            while timeline.steps.front().is_some_and(|step| step.at < at) {
                timeline.forget_first();
            }
        }
    }

    /// What had a part in the states of these nodes at this stamp, no further back than `since`.
    pub fn reach(&self, nodes: &NodeSet, at: i64, since: i64) -> CausalPast {
        self.reach_through(CarryingMessages::All, nodes, at, since)
    }

    /// The same, if only these messages carry a part on.
    pub fn reach_through(&self, carriers: CarryingMessages, nodes: &NodeSet, at: i64, since: i64) -> CausalPast {
        let mut reach = CausalPast::new(nodes, self.nodes.len(), at, since);
        let mut raised: VecDeque<(NodeId, i64, i64)> = VecDeque::new();
        for node in nodes.iter().filter(|node| index(*node) < self.nodes.len()) {
            raised.extend(reach.raise(node, at));
        }
        while let Some((node, after, upto)) = raised.pop_front() {
            self.go_back(node, (after, upto), carriers, &mut reach, &mut raised);
        }
        reach
    }

    /// Goes back through the node's steps after the one stamp and up to the other.
    fn go_back(
        &self,
        node: NodeId,
        (after, upto): (i64, i64),
        carriers: CarryingMessages,
        reach: &mut CausalPast,
        raised: &mut VecDeque<(NodeId, i64, i64)>,
    ) {
        let timeline = &self.nodes[index(node)];
        let end = timeline.steps.partition_point(|step| step.at <= upto);
        for step in timeline.steps.range(..end).rev().take_while(|step| step.at > after) {
            let Occurrence { at, record, came_of, .. } = step;
            let mut link = |from: NodeId, from_at: i64, of: Influence| {
                let news = reach.raise(from, from_at);
                if news.is_some() || reach.is_untold(from, node) {
                    reach.links.push(CausalLink { from, from_at, to: node, at: *at, record: *record, of });
                }
                raised.extend(news);
            };
            match came_of {
                StepCause::Itself => {}
                StepCause::Message { .. } | StepCause::Unknown
                    if carriers == CarryingMessages::Turns && !step.is_turn => {}
                StepCause::Message { from, step, kind } => {
                    let sent = self.stamp_of(*from, *step).unwrap_or(*at);
                    link(*from, sent, Influence::Message(kind.clone()));
                }
                StepCause::Unknown => {
                    for other in 0..self.nodes.len() as u16 {
                        let other = NodeId::new(other + 1).expect("a place of the roster");
                        link(other, *at, Influence::Unknown);
                    }
                }
                StepCause::Silence(silent) => {
                    for other in silent.iter().filter(|other| index(*other) < self.nodes.len()) {
                        link(other, *at, Influence::Silence);
                    }
                }
            }
        }
        // A forgotten step may have any older cause.
        if let Some(gone) = timeline.forgotten_at.filter(|gone| *gone > after && *gone > reach.since) {
            for other in 0..self.nodes.len() as u16 {
                let other = NodeId::new(other + 1).expect("a place of the roster");
                if let Some(news) = reach.raise(other, gone) {
                    raised.push_back(news);
                    reach.links.push(CausalLink {
                        from: other,
                        from_at: gone,
                        to: node,
                        at: gone,
                        record: 0,
                        of: Influence::Unknown,
                    });
                }
            }
        }
    }

    /// How many steps are kept.
    pub fn steps_kept(&self) -> usize {
        self.nodes.iter().map(|timeline| timeline.steps.len()).sum()
    }

    /// The stamp of that step, if it is kept.
    fn stamp_of(&self, node: NodeId, step: u64) -> Option<i64> {
        self.step_of(node, step).map(|step| step.at)
    }

    fn step_of(&self, node: NodeId, step: u64) -> Option<&Occurrence> {
        let timeline = &self.nodes[index(node)];
        let place = usize::try_from(step.checked_sub(timeline.forgotten)?).ok()?;
        timeline.steps.get(place)
    }
}

impl Timeline {
    fn forget_first(&mut self) {
        if let Some(gone) = self.steps.pop_front() {
            self.forgotten += 1;
            self.forgotten_at = Some(gone.at);
        }
    }
}
