//! Which nodes a fault line is about at this moment, and which link rule it makes.
//!
//! Invariant: nothing is changed here. If a line can do nothing now to any node that it names, the error says why.

use super::{Orders, SpeedEffect, Turn};
use fault::{
    FaultEffect, FaultId, FaultLine, LabSpeed, LinkFault, LinkRule, Links, ProcessFault, Target, TargetError, Unsuited,
    holding,
};
use protocol::{NodeId, NodeSet, Roster};
use world::ProcessState;

/// Why a line can do nothing now.
#[derive(Debug, thiserror::Error)]
pub enum LineRefusal {
    /// The target means no node at this moment.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// Can do nothing in this lab, at any moment.
    #[error("{}; {}", .0.what, .0.remedy)]
    Unsuited(Unsuited),
    /// Two parts have the same node: the coordinator may be in a part that names its id.
    #[error("{0} is in two parts")]
    StandsTwice(NodeSet),
    /// No link of the lab lies between the nodes that it names.
    #[error("the line names no link of this lab")]
    NoLink,
    /// Can do nothing to any of the nodes that it names.
    #[error("{meant} {why}")]
    NotAble {
        /// The nodes that it names.
        meant: NodeSet,
        /// Why not, as the rest of a sentence about them.
        why: &'static str,
    },
    /// Lab time runs so fast already.
    #[error("the lab runs at {0} already")]
    SpeedAlready(LabSpeed),
    /// This computer does not bear it.
    #[error("{speed} is faster than this computer bears; the fastest for this lab, here and now, is {fastest}")]
    TooFast { speed: LabSpeed, fastest: LabSpeed },
    /// There is nothing to release, or to act on.
    #[error("nothing is held from {from} to {to}")]
    NothingHeld {
        /// The senders.
        from: Target,
        /// The receivers.
        to: Target,
    },
    /// The fault that it should lift does not stand.
    #[error("there is no fault {0} to lift")]
    NoFault(FaultId),
    /// There is nothing to undo: a repair ends what it repairs.
    #[error("there is nothing to undo: every fault that can be undone is over")]
    NothingToUndo,
}

/// The object of a line.
#[derive(Debug)]
pub struct LineTargets {
    /// The nodes, without those to which it can do nothing.
    pub nodes: NodeSet,
    /// What it does to links, if it is about links.
    pub rule: Option<LinkRule>,
}

impl LineTargets {
    fn at(nodes: NodeSet) -> LineTargets {
        LineTargets { nodes, rule: None }
    }
}

/// Whether some link that the rule concerns is held by these faults.
fn frees(rule: &LinkRule, faults: &[LinkFault], roster: Roster) -> bool {
    let is_held = |from: NodeId, to: NodeId| rule.concerns(from, to) && holding(faults, from, to).is_some();
    roster.all().iter().any(|from| roster.others(from).iter().any(|to| is_held(from, to)))
}

/// No node is in two of the parts.
fn stands_once(parts: &[NodeSet]) -> Result<(), LineRefusal> {
    let mut named = NodeSet::EMPTY;
    for part in parts {
        let twice = named.intersection(part);
        if !twice.is_empty() {
            return Err(LineRefusal::StandsTwice(twice));
        }
        named = named.union(part);
    }
    Ok(())
}

impl Turn<'_, '_> {
    /// The nodes that the line is about.
    pub(super) fn aim(&self, line: &FaultLine) -> Result<LineTargets, LineRefusal> {
        let Orders { lab, book, losses, slow, .. } = &*self.orders;
        let all = lab.roster.all();
        let resolve = |target: &Target| target.resolve(all, |of| (self.view.coordinator)(of));
        let those = |target: &Target, able: NodeSet, why: &'static str| {
            let meant = resolve(target)?;
            let nodes = meant.intersection(&able);
            if nodes.is_empty() { Err(LineRefusal::NotAble { meant, why }) } else { Ok(LineTargets::at(nodes)) }
        };
        let linked = |rule: LinkRule| {
            if let Links::Across(parts) = &rule.links {
                stands_once(parts)?;
            }
            let concerns = |node: &NodeId| {
                all.iter().any(|other| other != *node && (rule.concerns(*node, other) || rule.concerns(other, *node)))
            };
            let nodes: NodeSet = all.iter().filter(concerns).collect();
            if nodes.is_empty() { Err(LineRefusal::NoLink) } else { Ok(LineTargets { nodes, rule: Some(rule) }) }
        };
        line.suits(&lab.card, lab.application(), all).map_err(LineRefusal::Unsuited)?;
        let running = self.running();
        let stopped = self.that_are(ProcessState::Paused);
        let standing = book.standing();
        match line {
            FaultLine::Process(ProcessFault::Crash, target) => {
                those(target, running.union(&stopped).union(&self.view.starts_waiting), "is dead already")
            }
            FaultLine::Process(ProcessFault::Recover, target) => those(target, self.without_process(), "is not dead"),
            FaultLine::Process(ProcessFault::Pause, target) => {
                // Also a node that is stopped only because it is slow.
                let still = slow.still().intersection(&stopped);
                those(target, running.union(&still), "does not run, so it cannot be paused")
            }
            FaultLine::Process(ProcessFault::Resume, target) => those(target, stopped, "is not paused"),
            FaultLine::Process(ProcessFault::Elect | ProcessFault::StartOver, target) => {
                let able = running.minus(&lab.roster.bystanders());
                those(target, able, "does not run or does not elect, so it cannot hold an election")
            }
            FaultLine::Process(ProcessFault::Update(_), target) => {
                those(target, running, "does not run, so it cannot take an update")
            }
            FaultLine::Process(ProcessFault::Request, target) => {
                those(target, running, "does not run, so it cannot take a request")
            }
            FaultLine::Process(ProcessFault::Lose(_), target) => {
                let able = all.minus(&self.that_are(ProcessState::Starting)).minus(&losses.nodes());
                those(target, able, "is reading its store, or a wipe or rollback waits for its start")
            }
            FaultLine::Process(ProcessFault::Clock(_), target) => {
                let able = all.iter().filter(|node| book.clock_of(*node).is_none()).collect();
                those(target, able, "already has a clock of another rate")
            }
            FaultLine::Process(ProcessFault::Liar(lie), target) => {
                let able = lab.roster.electors().all().minus(&book.liars(*lie));
                those(target, able, "tells this lie already, or does not elect")
            }
            FaultLine::Process(ProcessFault::Honest, target) => {
                let able = all.iter().filter(|node| !book.lying_of(*node).lies.is_empty()).collect();
                those(target, able, "is honest")
            }
            FaultLine::Process(ProcessFault::Slow(_), target) => {
                those(target, all.minus(&slow.nodes()), "is slow already")
            }
            FaultLine::Link(rule) => {
                let aim = linked(rule.try_map(resolve)?)?;
                let in_force = aim.rule.as_ref();
                let is_of_held = matches!(rule.effect, FaultEffect::Release(_) | FaultEffect::Courier(_));
                if is_of_held && !in_force.is_some_and(|rule| frees(rule, &book.table(), lab.roster)) {
                    let of = rule.links.targets();
                    let [from, to] = of[..] else { unreachable!("it is written with two ends") };
                    return Err(LineRefusal::NothingHeld { from: from.clone(), to: to.clone() });
                }
                if let (FaultEffect::Courier(_), Some(Links::To { to, .. })) =
                    (&rule.effect, in_force.map(|rule| &rule.links))
                    && to.intersection(&running).is_empty()
                {
                    let why = "does not run, and what is held for it is in its process";
                    return Err(LineRefusal::NotAble { meant: *to, why });
                }
                Ok(aim)
            }
            FaultLine::Speed(speed) => {
                let present = book.speed().map_or(LabSpeed::PLAIN, |(_, present)| present);
                let fastest = match self.view.speed_effect {
                    SpeedEffect::Changes { fastest } => fastest.max(LabSpeed::PLAIN),
                    SpeedEffect::Virtual => LabSpeed::FASTEST,
                };
                match *speed {
                    speed if speed == present => Err(LineRefusal::SpeedAlready(speed)),
                    speed if speed > fastest => Err(LineRefusal::TooFast { speed, fastest }),
                    // It is about the lab, and about none of its nodes.
                    _ => Ok(LineTargets::at(NodeSet::EMPTY)),
                }
            }
            FaultLine::Lift(id) => match standing.iter().find(|fault| fault.id == *id) {
                Some(fault) => Ok(LineTargets::at(fault.nodes)),
                None => Err(LineRefusal::NoFault(*id)),
            },
            FaultLine::Undo => match standing.last() {
                Some(fault) => Ok(LineTargets::at(fault.nodes)),
                None => Err(LineRefusal::NothingToUndo),
            },
            FaultLine::Heal | FaultLine::HealAll => Ok(LineTargets::at(all)),
        }
    }
}
