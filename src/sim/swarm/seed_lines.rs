//! The story that a seed has drawn so far: the lines at their times, and the faults still in force.
//!
//! The meaning of `coordinator` at that time is not known here, so a line may mean no node when its time comes. Then it
//! is a fault that did not come into force, and nothing else changes.
//!
//! Invariant: times never go back, and the ids are those that the faults will have: each line is one fault.

use super::dice::Dice;
use super::drawn_lines::DrawnLines;
use fault::{FaultEffect, FaultId, FaultLine, LinkRule, Links, ProcessFault, Release, ReleaseOrder, Target};
use protocol::{NodeSet, Span};

/// The lines so far.
pub(super) struct SeedLines {
    all: NodeSet,
    now: Span,
    plot: DrawnLines,
    standing: Vec<StandingLine>,
}

/// The effect that remains after a line was carried out.
#[derive(Clone, Debug)]
pub(super) enum RemainingEffect {
    /// Processes are dead; the nodes, if the line names them.
    Crash(Option<NodeSet>),
    /// Processes are stopped; the nodes, if the line names them.
    Pause(Option<NodeSet>),
    /// Processes are slow; the nodes, if the line names them.
    Slow(Option<NodeSet>),
    /// Clocks of processes run at another rate; the nodes, if the line names them.
    Clock(Option<NodeSet>),
    /// A loss of stores, until a start finds it.
    Loss,
    /// A fault of links.
    Link,
    /// A fault of links that parts the nodes.
    Parting,
    /// A hold on what these send to those.
    Hold(Target, Target),
}

impl RemainingEffect {
    /// The remaining effect of this fault of links.
    pub fn of_links(rule: &LinkRule<Target>) -> RemainingEffect {
        match (&rule.effect, &rule.links) {
            (FaultEffect::Hold(_), Links::To { from, to }) => RemainingEffect::Hold(from.clone(), to.clone()),
            (_, Links::Around(_) | Links::Across(_)) => RemainingEffect::Parting,
            _ => RemainingEffect::Link,
        }
    }

    pub fn is_crash(&self) -> bool {
        matches!(self, RemainingEffect::Crash(_))
    }

    fn is_of_links(&self) -> bool {
        matches!(self, RemainingEffect::Link | RemainingEffect::Parting | RemainingEffect::Hold(..))
    }
}

struct StandingLine {
    id: FaultId,
    what: RemainingEffect,
    ends: Option<Span>,
}

impl SeedLines {
    pub fn new(all: NodeSet) -> SeedLines {
        SeedLines { all, now: Span::ZERO, plot: DrawnLines::default(), standing: Vec::new() }
    }

    pub fn now(&self) -> Span {
        self.now
    }

    /// The nodes that are known to run.
    pub fn running(&self) -> NodeSet {
        self.all.minus(&self.dead()).minus(&self.still())
    }

    /// The nodes that are known to be dead.
    pub fn dead(&self) -> NodeSet {
        self.those(|what| if let RemainingEffect::Crash(nodes) = what { *nodes } else { None })
    }

    /// The nodes that are known to be stopped.
    fn still(&self) -> NodeSet {
        self.those(|what| if let RemainingEffect::Pause(nodes) = what { *nodes } else { None }).minus(&self.dead())
    }

    /// The nodes that are known to be slow.
    pub fn slow(&self) -> NodeSet {
        self.those(|what| if let RemainingEffect::Slow(nodes) = what { *nodes } else { None })
    }

    /// The nodes whose clocks are known to run at another rate.
    pub fn mistimed(&self) -> NodeSet {
        self.those(|what| if let RemainingEffect::Clock(nodes) = what { *nodes } else { None })
    }

    fn those(&self, of: impl Fn(&RemainingEffect) -> Option<NodeSet>) -> NodeSet {
        self.standing.iter().filter_map(|stands| of(&stands.what)).fold(NodeSet::EMPTY, |all, nodes| all.union(&nodes))
    }

    /// When the last fault that ends by itself has ended.
    pub fn last_end(&self) -> Option<Span> {
        self.standing.iter().filter_map(|stands| stands.ends).max()
    }

    /// Orders a line now; returns the id that its fault will have.
    pub fn order(&mut self, line: FaultLine) -> FaultId {
        self.plot.order(self.now, line)
    }

    /// From now on this fault is in force, until then or to the end.
    pub fn stand(&mut self, id: FaultId, what: RemainingEffect, ends: Option<Span>) {
        self.standing.push(StandingLine { id, what, ends });
    }

    /// Time passes; faults that were due to end meanwhile end.
    pub fn advance(&mut self, to: Span, dice: &mut Dice) {
        loop {
            let due = self.standing.iter().enumerate().filter_map(|(index, stands)| Some((stands.ends?, index)));
            match due.min() {
                Some((ends, index)) if ends <= to => {
                    self.now = self.now.max(ends);
                    self.end(index, dice);
                }
                _ => break,
            }
        }
        self.now = self.now.max(to);
    }

    /// Ends the fault at this index, in one of the ways in which a person would.
    fn end(&mut self, index: usize, dice: &mut Dice) {
        let is_last = index + 1 == self.standing.len();
        let StandingLine { id, what, .. } = self.standing.remove(index);
        if what.is_of_links() && dice.chance(20) {
            self.standing.retain(|stands| !stands.what.is_of_links());
            self.order(FaultLine::Heal);
            return;
        }
        let named = match what {
            RemainingEffect::Crash(Some(nodes)) => {
                Some(FaultLine::Process(ProcessFault::Recover, Target::Nodes(nodes)))
            }
            RemainingEffect::Pause(Some(nodes)) => Some(FaultLine::Process(ProcessFault::Resume, Target::Nodes(nodes))),
            RemainingEffect::Hold(from, to) => {
                // The coordinator now need not be the coordinator then.
                let outright = |target| if target == Target::Coordinator { Target::All } else { target };
                let order = dice.pick(&[ReleaseOrder::InOrder, ReleaseOrder::Reversed]);
                let links = Links::To { from: outright(from), to: outright(to) };
                Some(FaultLine::Link(LinkRule { links, effect: FaultEffect::Release(Release { order }) }))
            }
            _ => None,
        };
        let line = match named {
            Some(named) if dice.chance(if matches!(named, FaultLine::Link(_)) { 90 } else { 60 }) => named,
            _ if is_last && dice.chance(30) => FaultLine::Undo,
            _ => FaultLine::Lift(id),
        };
        self.order(line);
    }

    /// Ends all faults except crashes: links are whole, stopped processes go on, clocks and processes run as they
    /// should.
    pub fn leave_only_the_dead(&mut self) {
        self.order(FaultLine::Heal);
        for StandingLine { id, what, .. } in std::mem::take(&mut self.standing) {
            // Not `resume *`: that starts the dead too.
            if matches!(what, RemainingEffect::Pause(_) | RemainingEffect::Slow(_) | RemainingEffect::Clock(_)) {
                self.order(FaultLine::Lift(id));
            }
        }
    }

    /// The lines.
    pub fn into_plot(self) -> DrawnLines {
        self.plot
    }
}
