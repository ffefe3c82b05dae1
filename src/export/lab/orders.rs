//! Orders of a session as fault lines that do the same when they are played again.
//!
//! Each line says outright what it meant in the session: a crash names its nodes, and an undo becomes the action that
//! it was. Targets such as `coordinator` become the node they meant. A `lift` names the id that the fault will have in
//! the lab, where each line counts one; lines that were left out in between shift the ids.
//!
//! Invariant: the book kept here has the same content as the host's book when the lab is played, so the host refuses no
//! line.

use fault::{FaultEffect, FaultId, FaultLine, LabSpeed, LinkFault, LinkRule, ProcessFault, Target};
use protocol::{NodeId, NodeSet};
use world::{FaultView, World};

/// The book of the faults in force.
#[derive(Debug)]
pub(super) struct Book {
    all: NodeSet,
    dead: NodeSet,
    stopped: NodeSet,
    /// How many lines the lab has so far, and so the id of the latest.
    given: u32,
    standing: Vec<StandingDeed>,
}

/// Why an order has no line in the lab.
#[derive(Clone, Copy, Debug, thiserror::Error)]
pub(super) enum LeftOut {
    #[error("its node is unknown")]
    MeansNobody,
    #[error("it had nothing to change")]
    ChangesNothing,
}

/// A fault in force.
#[derive(Clone, Debug)]
struct StandingDeed {
    /// The id in the session.
    id: FaultId,
    /// The id in the lab; absent if it was left out.
    in_lab: Option<FaultId>,
    deed: LabDeed,
}

#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum LabDeed {
    Crash(NodeSet),
    Pause(NodeSet),
    /// Stores that the next starts of these nodes find lost.
    Lose(NodeSet),
    /// Processes that are slow, or whose clocks run at another rate.
    Pace,
    /// Processes that tell a lie.
    Liar(NodeSet),
    /// Lab time that runs at another speed.
    Speed,
    /// A link fault, or what was left out.
    Link,
}

impl Book {
    /// The book of a lab of these nodes, at its beginning.
    pub(super) fn new(all: NodeSet) -> Book {
        Book { all, dead: NodeSet::EMPTY, stopped: NodeSet::EMPTY, given: 0, standing: Vec::new() }
    }

    /// The lines that do what this order did, in a world as it was just before.
    pub(super) fn enter(&mut self, fault: &FaultView, world: &World) -> Result<Vec<FaultLine>, LeftOut> {
        let lines = match &fault.line {
            FaultLine::Process(order, _) => self.enter_process(*order, fault),
            FaultLine::Speed(speed) => {
                self.standing.retain(|fault| fault.deed != LabDeed::Speed);
                if *speed != LabSpeed::PLAIN {
                    self.stand(fault, LabDeed::Speed);
                }
                vec![fault.line.clone()]
            }
            FaultLine::Lift(id) => self.lift(Some(*id)),
            FaultLine::Undo => self.lift(self.standing.last().map(|fault| fault.id)),
            FaultLine::Heal => {
                self.standing.retain(|fault| fault.deed != LabDeed::Link);
                vec![FaultLine::Heal]
            }
            FaultLine::HealAll => {
                (self.dead, self.stopped) = (NodeSet::EMPTY, NodeSet::EMPTY);
                self.standing.clear();
                vec![FaultLine::HealAll]
            }
            FaultLine::Link(rule) => {
                let line = outright(rule, world).ok_or(LeftOut::MeansNobody)?;
                if matches!(rule.effect, FaultEffect::Release(_)) {
                    self.strike_released(fault, world);
                } else if rule.effect.stays() {
                    self.stand(fault, LabDeed::Link);
                }
                vec![line]
            }
        };
        self.given += u32::try_from(lines.len()).expect("an order is two lines at most");
        if lines.is_empty() { Err(LeftOut::ChangesNothing) } else { Ok(lines) }
    }

    /// The lines that do what this order about processes did.
    fn enter_process(&mut self, order: ProcessFault, fault: &FaultView) -> Vec<FaultLine> {
        let nodes = match order {
            ProcessFault::Crash => fault.nodes.minus(&self.dead),
            ProcessFault::Lose(_) => fault.nodes.minus(&self.losing()),
            ProcessFault::Slow(_) | ProcessFault::Clock(_) | ProcessFault::Liar(_) | ProcessFault::Honest => {
                fault.nodes
            }
            ProcessFault::Recover => return self.repair(fault.nodes.intersection(&self.dead)),
            ProcessFault::Resume => return self.repair(fault.nodes.intersection(&self.stopped)),
            ProcessFault::Pause
            | ProcessFault::Elect
            | ProcessFault::StartOver
            | ProcessFault::Update(_)
            | ProcessFault::Request => fault.nodes.intersection(&self.all.minus(&self.dead).minus(&self.stopped)),
        };
        match order {
            ProcessFault::Crash => {
                self.kill(nodes);
                self.stand(fault, LabDeed::Crash(nodes));
            }
            ProcessFault::Pause => {
                self.stopped = self.stopped.union(&nodes);
                self.stand(fault, LabDeed::Pause(nodes));
            }
            ProcessFault::Lose(_) => self.stand(fault, LabDeed::Lose(nodes)),
            ProcessFault::Slow(_) | ProcessFault::Clock(_) => self.stand(fault, LabDeed::Pace),
            ProcessFault::Liar(_) => self.stand(fault, LabDeed::Liar(nodes)),
            ProcessFault::Honest => self.become_honest(nodes),
            _ => {}
        }
        told(order, nodes)
    }

    /// The fault stands from now on, with the id of the next line in the lab.
    fn stand(&mut self, fault: &FaultView, deed: LabDeed) {
        self.standing.push(StandingDeed { id: fault.id, in_lab: Some(FaultId(self.given + 1)), deed });
    }

    /// An order that did not come into force. If it was carried out all the same, the line that undoes it is left out
    /// too.
    pub(super) fn leave_out(&mut self, fault: &FaultView) {
        let stands = fault.rule.as_ref().is_some_and(|rule| rule.effect.stays());
        if stands {
            self.standing.push(StandingDeed { id: fault.id, in_lab: None, deed: LabDeed::Link });
        }
    }

    /// An order that the lab is to do without. The line that undoes it is left out too.
    pub(super) fn pass_over(&mut self, fault: &FaultView) {
        let stands = match &fault.line {
            FaultLine::Link(rule) => rule.effect.stays(),
            FaultLine::Speed(speed) => *speed != LabSpeed::PLAIN,
            line => !line.only_repairs(),
        };
        if stands {
            self.standing.push(StandingDeed { id: fault.id, in_lab: None, deed: LabDeed::Link });
        }
    }

    /// A process died without an order; the lab orders its death.
    pub(super) fn died(&mut self, node: NodeId) -> Vec<FaultLine> {
        let nodes = NodeSet::of(node).minus(&self.dead);
        self.kill(nodes);
        let lines = told(ProcessFault::Crash, nodes);
        self.given += u32::try_from(lines.len()).expect("a death is one line");
        lines
    }

    fn losing(&self) -> NodeSet {
        self.standing.iter().fold(NodeSet::EMPTY, |all, fault| match fault.deed {
            LabDeed::Lose(nodes) => all.union(&nodes),
            _ => all,
        })
    }

    /// Lies of which no liar is left are over.
    fn become_honest(&mut self, nodes: NodeSet) {
        for fault in &mut self.standing {
            if let LabDeed::Liar(liars) = &mut fault.deed {
                *liars = liars.minus(&nodes);
            }
        }
        self.strike_repaired();
    }

    fn kill(&mut self, nodes: NodeSet) {
        self.dead = self.dead.union(&nodes);
        self.stopped = self.stopped.minus(&nodes);
        self.strike_repaired();
    }

    /// Continues the stopped nodes and recovers the dead ones.
    fn repair(&mut self, nodes: NodeSet) -> Vec<FaultLine> {
        let (stopped, dead) = (nodes.intersection(&self.stopped), nodes.intersection(&self.dead));
        self.stopped = self.stopped.minus(&stopped);
        self.dead = self.dead.minus(&dead);
        for fault in &mut self.standing {
            // A start decides what happens to a loss.
            if let LabDeed::Lose(nodes) = &mut fault.deed {
                *nodes = nodes.minus(&dead);
            }
        }
        self.strike_repaired();
        told(ProcessFault::Resume, stopped).into_iter().chain(told(ProcessFault::Recover, dead)).collect()
    }

    fn lift(&mut self, id: Option<FaultId>) -> Vec<FaultLine> {
        let Some(place) = self.standing.iter().position(|fault| Some(fault.id) == id) else { return Vec::new() };
        match self.standing[place].deed {
            LabDeed::Crash(nodes) | LabDeed::Pause(nodes) => self.repair(nodes),
            LabDeed::Lose(_) | LabDeed::Pace | LabDeed::Liar(_) | LabDeed::Speed | LabDeed::Link => {
                self.standing.remove(place).in_lab.map(FaultLine::Lift).into_iter().collect()
            }
        }
    }

    /// This release ends the holds that it frees completely.
    fn strike_released(&mut self, release: &FaultView, world: &World) {
        let link = |fault: &FaultView| {
            let rule = fault.rule.clone()?;
            Some(LinkFault { id: fault.id, text: fault.line.to_string(), rule })
        };
        let table: Vec<LinkFault> = world.faults.iter().chain([release]).filter_map(link).collect();
        let is_over = |id| table.iter().any(|hold| hold.id == id && hold.is_released(&table, self.all));
        self.standing.retain(|fault| !is_over(fault.id));
    }

    fn strike_repaired(&mut self) {
        let (dead, stopped) = (self.dead, self.stopped);
        self.standing.retain(|fault| match fault.deed {
            LabDeed::Crash(nodes) => !nodes.intersection(&dead).is_empty(),
            LabDeed::Pause(nodes) => !nodes.intersection(&stopped).is_empty(),
            LabDeed::Lose(nodes) | LabDeed::Liar(nodes) => !nodes.is_empty(),
            LabDeed::Pace | LabDeed::Speed | LabDeed::Link => true,
        });
    }
}

/// The line, if it is about anybody.
fn told(order: ProcessFault, nodes: NodeSet) -> Vec<FaultLine> {
    if nodes.is_empty() { Vec::new() } else { vec![FaultLine::Process(order, Target::Nodes(nodes))] }
}

/// The rule with the node in place of each `coordinator` and `coordinator of N`; `None` if there was none.
fn outright(rule: &LinkRule<Target>, world: &World) -> Option<FaultLine> {
    let node = |of| world.coordinator(of).map(|node| Target::Nodes(NodeSet::of(node))).ok_or(());
    let named = rule.try_map(|target| match target {
        Target::Coordinator => node(None),
        Target::CoordinatorOf(of) => node(Some(*of)),
        Target::Nodes(_) | Target::All => Ok(target.clone()),
    });
    named.ok().map(FaultLine::Link)
}
