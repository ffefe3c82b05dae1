//! Whom a fault line is about at this moment, and which link rule it makes.
//!
//! Invariant: nothing is changed here. A line that can do nothing now, to nobody it names, is an error that says why.

use super::{Hands, Process, running};
use crate::fault::{FaultLine, LinkFault, LinkRule, Target, Unsuited, holding};
use crate::protocol::{NodeId, NodeSet, Roster};

/// What a line is about.
#[derive(Debug)]
pub struct Aim {
    /// The nodes, less those to which it can do nothing.
    pub nodes: NodeSet,
    /// What it does to links, if it is about links.
    pub rule: Option<LinkRule>,
}

impl Aim {
    fn at(nodes: NodeSet) -> Aim {
        Aim { nodes, rule: None }
    }
}

/// Whether some link that the rule concerns is held by these faults.
fn frees(rule: &LinkRule, faults: &[LinkFault], roster: Roster) -> bool {
    let is_held = |from: NodeId, to: NodeId| rule.concerns(from, to) && holding(faults, from, to).is_some();
    roster.all().iter().any(|from| roster.others(from).iter().any(|to| is_held(from, to)))
}

/// Whom the line is about.
pub fn aim(hands: &impl Hands, line: &FaultLine) -> Result<Aim, String> {
    let all = hands.roster().all();
    let resolve = |target: &Target| target.resolve(all, |of| hands.coordinator(of)).map_err(|error| error.to_string());
    let those = |target: &Target, able: NodeSet, why: &str| {
        let meant = resolve(target)?;
        let nodes = meant.intersection(&able);
        if nodes.is_empty() { Err(format!("{meant} {why}")) } else { Ok(Aim::at(nodes)) }
    };
    let linked = |rule: LinkRule| {
        let concerns = |node: &NodeId| {
            all.iter().any(|other| other != *node && (rule.concerns(*node, other) || rule.concerns(other, *node)))
        };
        let nodes: NodeSet = all.iter().filter(concerns).collect();
        if nodes.is_empty() {
            Err("that is about no link of this lab".to_owned())
        } else {
            Ok(Aim { nodes, rule: Some(rule) })
        }
    };
    line.suits(hands.card(), all).map_err(|Unsuited { what, remedy, .. }| format!("{what}; {remedy}"))?;
    let running = running(hands);
    let stopped = hands.that_are(Process::Stopped);
    let standing = hands.desk().book.standing();
    match line {
        FaultLine::Crash(target) => {
            those(target, running.union(&stopped).union(&hands.starts_waiting()), "is dead already")
        }
        FaultLine::Recover(target) => those(target, hands.that_are(Process::Absent), "is not dead"),
        FaultLine::Pause(target) => {
            // Also one that stands still only because it is slow.
            let still = hands.desk().slow.still().intersection(&stopped);
            those(target, running.union(&still), "does not run, so it cannot be paused")
        }
        FaultLine::Resume(target) => those(target, stopped, "is not paused"),
        FaultLine::Elect(target) | FaultLine::StartOver(target) => {
            those(target, running, "does not run, so it cannot hold an election")
        }
        FaultLine::Lose(_, target) => {
            let able = all.minus(&hands.that_are(Process::Starting)).minus(&hands.desk().losses.nodes());
            those(target, able, "is just reading its store, or is to find it lost already")
        }
        FaultLine::Clock(target, _) => {
            let able = all.iter().filter(|node| hands.desk().clock_of(*node).is_none()).collect();
            those(target, able, "has a clock of another rate already")
        }
        FaultLine::Slow(target, _) => those(target, all.minus(&hands.desk().slow.nodes()), "is slow already"),
        FaultLine::Cut(from, way, to) => linked(LinkRule::Cut { from: resolve(from)?, to: resolve(to)?, way: *way }),
        FaultLine::Isolate(target) => linked(LinkRule::Isolate(resolve(target)?)),
        FaultLine::Partition(parts) => {
            let parts = parts.iter().map(resolve).collect::<Result<Vec<_>, _>>()?;
            linked(LinkRule::Partition(parts))
        }
        FaultLine::Loss(from, to, percent) => {
            linked(LinkRule::Loss { from: resolve(from)?, to: resolve(to)?, percent: *percent })
        }
        FaultLine::Tamper(how, from, to, percent) => {
            let (from, to) = (resolve(from)?, resolve(to)?);
            linked(LinkRule::Tamper { how: *how, from, to, percent: *percent })
        }
        FaultLine::Delay(from, to, shortest, longest) => {
            let (from, to) = (resolve(from)?, resolve(to)?);
            linked(LinkRule::Delay { from, to, shortest: *shortest, longest: *longest })
        }
        FaultLine::CutChannel(from, way, to, cast) => {
            let (from, to) = (resolve(from)?, resolve(to)?);
            linked(LinkRule::CutChannel { from, to, way: *way, cast: *cast })
        }
        FaultLine::BurstLoss(from, to, percent, bursts) => {
            let (from, to) = (resolve(from)?, resolve(to)?);
            linked(LinkRule::BurstLoss { from, to, percent: *percent, bursts: *bursts })
        }
        FaultLine::Partial(from, to, hear) => {
            linked(LinkRule::Partial { from: resolve(from)?, to: resolve(to)?, hear: *hear })
        }
        FaultLine::Hold(from, to) => linked(LinkRule::Hold { from: resolve(from)?, to: resolve(to)? }),
        FaultLine::Release(from, to, order) => {
            let aim = linked(LinkRule::Release { from: resolve(from)?, to: resolve(to)?, order: *order })?;
            let frees = |rule: &LinkRule| frees(rule, &hands.desk().table(), hands.roster());
            if aim.rule.as_ref().is_some_and(frees) {
                Ok(aim)
            } else {
                Err(format!("nothing is held from {from} to {to}"))
            }
        }
        FaultLine::Lift(id) => match standing.iter().find(|fault| fault.id == *id) {
            Some(fault) => Ok(Aim::at(fault.nodes)),
            None => Err(format!("no fault {id} stands")),
        },
        FaultLine::Undo => match standing.last() {
            Some(fault) => Ok(Aim::at(fault.nodes)),
            None => Err("no fault stands that could be undone".to_owned()),
        },
        FaultLine::Heal | FaultLine::HealAll => Ok(Aim::at(all)),
    }
}
