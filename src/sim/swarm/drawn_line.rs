//! Draws one line: its nodes, and how strong it is.
//!
//! Invariant: a line names only nodes to which it can do something then.

use super::dice::Dice;
use super::seed_lines::{RemainingEffect, SeedLines};
use super::seed_traits::LineKind;
use fault::{ClockRate, Draw, FaultLine, Percent, ProcessFault, Target};
use lab::Lab;
use protocol::{Assumption, Channel, NodeId, NodeSet, Span};

/// What a line is drawn from.
pub(super) struct DrawPool<'a> {
    pub all: NodeSet,
    pub lab: &'a Lab,
    pub story: &'a SeedLines,
    pub dice: &'a mut Dice,
}

impl DrawPool<'_> {
    /// A line of that kind and the faults in force after it; `None` if it could be about no node.
    pub fn line(&mut self, kind: LineKind) -> Option<(FaultLine, Option<RemainingEffect>)> {
        let running = self.story.running();
        if running.is_empty() {
            return None;
        }
        Some(match kind {
            LineKind::Crash => {
                // A stopped one can be killed too.
                let target = self.processes(self.all.minus(&self.story.dead()));
                let stands = RemainingEffect::Crash(named(&target));
                (FaultLine::Process(ProcessFault::Crash, target), Some(stands))
            }
            LineKind::Pause => {
                let target = self.processes(running);
                let stands = RemainingEffect::Pause(named(&target));
                (FaultLine::Process(ProcessFault::Pause, target), Some(stands))
            }
            LineKind::Lose(loss) => {
                let dead = self.story.dead();
                let able = if dead.is_empty() || self.dice.chance(20) { running } else { dead };
                let one = self.dice.chance(70);
                let target = Target::Nodes(if one { NodeSet::of(self.dice.one(able)) } else { self.dice.some(able) });
                (FaultLine::Process(ProcessFault::Lose(loss), target), Some(RemainingEffect::Loss))
            }
            LineKind::Slow => {
                let able = self.all.minus(&self.story.slow());
                if able.is_empty() {
                    return None;
                }
                let target = self.processes(able);
                let stands = RemainingEffect::Slow(named(&target));
                let share = Percent::whole(self.dice.pick(&[10, 30, 50, 70, 90]));
                (FaultLine::Process(ProcessFault::Slow(share), target), Some(stands))
            }
            LineKind::Clock => {
                let able = self.all.minus(&self.story.mistimed());
                if able.is_empty() {
                    return None;
                }
                let target = self.processes(able);
                let stands = RemainingEffect::Clock(named(&target));
                (FaultLine::Process(ProcessFault::Clock(self.rate()), target), Some(stands))
            }
            LineKind::Elect | LineKind::StartOver => {
                let able = running.minus(&self.lab.roster.bystanders());
                if able.is_empty() {
                    return None;
                }
                let fault = if kind == LineKind::Elect { ProcessFault::Elect } else { ProcessFault::StartOver };
                (FaultLine::Process(fault, self.ordered(able)), None)
            }
            LineKind::Order => {
                let able = running.minus(&self.lab.roster.bystanders());
                if able.is_empty() {
                    return None;
                }
                let words = self.lab.application().map_or(&[][..], |application| application.orders);
                let value = self.dice.within(1, 9) as i32;
                let known = [ProcessFault::Update(value), ProcessFault::Request];
                let fault = known.into_iter().find(|fault| words.contains(&fault.verb()))?;
                let target = if self.dice.chance(30) { Target::Coordinator } else { self.ordered(able) };
                (FaultLine::Process(fault, target), None)
            }
            LineKind::Link(drawn) => {
                let rule = (drawn.draw)(self);
                let stands = RemainingEffect::of_links(&rule);
                (FaultLine::Link(rule), Some(stands))
            }
        })
    }

    /// The target of a crash or a pause: one node, several, the coordinator, or the node that outranks all others.
    fn processes(&mut self, able: NodeSet) -> Target {
        match self.dice.below(10) {
            0..4 => Target::Nodes(NodeSet::of(self.dice.one(able))),
            4..7 => Target::Coordinator,
            7 => Target::Nodes(self.lab.roster.rank().first_of(&able).into_iter().collect()),
            _ => Target::Nodes(self.dice.some(able)),
        }
    }

    /// The target of an order: mostly one node, but mostly all where all must begin together.
    fn ordered(&mut self, running: NodeSet) -> Target {
        let all = if self.lab.card.needs.contains(&Assumption::StartsTogether) { 60 } else { 5 };
        Target::Nodes(match self.dice.below(100) {
            throw if throw < all => running,
            throw if throw < all + 20 => self.dice.some(running),
            _ => NodeSet::of(self.dice.one(running)),
        })
    }

    /// A rate that many lives survive, or one that hardly any does.
    fn rate(&mut self) -> ClockRate {
        let thousandths = self.dice.pick(&[100, 500, 800, 950, 1_050, 1_250, 2_000, 5_000, 10_000]);
        ClockRate::of_thousandths(thousandths).expect("a clock may run at each of these")
    }
}

impl Draw for DrawPool<'_> {
    fn channel(&self) -> Channel {
        self.lab.card.channel
    }

    fn all(&self) -> NodeSet {
        self.all
    }

    fn one_way_bound(&self) -> Span {
        self.lab.card.t_bounds.one_way(self.lab.timing.t)
    }

    fn below(&mut self, number: u64) -> u64 {
        self.dice.below(number)
    }

    fn within(&mut self, least: u64, most: u64) -> u64 {
        self.dice.within(least, most)
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.dice.chance(percent)
    }

    fn span(&mut self, shortest: Span, longest: Span) -> Span {
        self.dice.span(shortest, longest)
    }

    fn link(&mut self) -> (Target, Target) {
        let (from, to) = (self.node_or_all(), self.node_or_all());
        // There is no link from a node to itself, or to a target that may be itself.
        let is_one = |target: &Target| !matches!(target, Target::All);
        let is_apart = match (named(&from), named(&to)) {
            (Some(from), Some(to)) => from.intersection(&to).is_empty(),
            _ => !is_one(&from) || !is_one(&to),
        };
        if is_apart { (from, to) } else { (from, Target::All) }
    }

    fn node_or_all(&mut self) -> Target {
        if self.dice.chance(35) { Target::All } else { self.node() }
    }

    fn node(&mut self) -> Target {
        match self.dice.below(10) {
            0..6 => Target::Nodes(NodeSet::of(self.dice.one(self.all))),
            6..8 => Target::Coordinator,
            _ => Target::Nodes(self.dice.some(self.all)),
        }
    }

    /// Two or three parts with at least one node each; no node is left out.
    fn parts(&mut self) -> Vec<Target> {
        let number = if self.all.len() > 3 && self.dice.chance(25) { 3 } else { 2 };
        let mut left: Vec<NodeId> = self.all.iter().collect();
        let mut parts = vec![NodeSet::EMPTY; number];
        for part in &mut parts {
            part.insert(left.swap_remove(self.dice.below(left.len() as u64) as usize));
        }
        for node in left {
            parts[self.dice.below(number as u64) as usize].insert(node);
        }
        parts.into_iter().map(Target::Nodes).collect()
    }
}

/// The nodes that a target names by their ids.
fn named(target: &Target) -> Option<NodeSet> {
    if let Target::Nodes(nodes) = target { Some(*nodes) } else { None }
}
