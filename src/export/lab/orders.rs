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
    /// Its id in the session.
    id: FaultId,
    deed: LabDeed,
}

#[derive(Copy, Clone, Debug)]
enum LabDeed {
    Crash(NodeSet),
    Pause(NodeSet),
    /// Stores that the next starts of these nodes find lost, with the fault's id in the lab.
    Lose(FaultId, NodeSet),
    /// Processes that are slow, or whose clocks run at another rate, with the fault's id in the lab.
    Pace(FaultId),
    /// Processes that tell a lie, with the fault's id in the lab.
    Liar(FaultId, NodeSet),
    /// Lab time that runs at another speed, with the fault's id in the lab.
    Speed(FaultId),
    /// A link fault with its id in the lab; absent if it was left out.
    Link(Option<FaultId>),
}

impl Book {
    /// The book of a lab of these nodes, at its beginning.
    pub(super) fn new(all: NodeSet) -> Book {
        Book { all, dead: NodeSet::EMPTY, stopped: NodeSet::EMPTY, given: 0, standing: Vec::new() }
    }

    /// The lines that do what this order did, in a world as it was just before.
    pub(super) fn enter(&mut self, fault: &FaultView, world: &World) -> Result<Vec<String>, LeftOut> {
        let lines = match &fault.line {
            FaultLine::Process(ProcessFault::Crash, _) => self.crash(fault),
            FaultLine::Process(ProcessFault::Pause, _) => {
                let nodes = fault.nodes.intersection(&self.running());
                self.stopped = self.stopped.union(&nodes);
                self.standing.push(StandingDeed { id: fault.id, deed: LabDeed::Pause(nodes) });
                told("pause", nodes)
            }
            FaultLine::Process(ProcessFault::Lose(loss), _) => {
                let nodes = fault.nodes.minus(&self.losing());
                let deed = LabDeed::Lose(FaultId(self.given + 1), nodes);
                self.standing.push(StandingDeed { id: fault.id, deed });
                told(loss.word(), nodes)
            }
            FaultLine::Process(ProcessFault::Slow(share), _) => {
                self.pace(fault, format!("slow {} {share}", fault.nodes))
            }
            FaultLine::Process(ProcessFault::Clock(rate), _) => {
                self.pace(fault, format!("clock {} {rate}", fault.nodes))
            }
            FaultLine::Process(ProcessFault::Liar(lie), _) => {
                let deed = LabDeed::Liar(FaultId(self.given + 1), fault.nodes);
                self.standing.push(StandingDeed { id: fault.id, deed });
                vec![format!("liar {} {lie}", fault.nodes)]
            }
            FaultLine::Process(ProcessFault::Honest, _) => {
                self.become_honest(fault.nodes);
                told("honest", fault.nodes)
            }
            FaultLine::Process(ProcessFault::Recover, _) => self.repair(fault.nodes.intersection(&self.dead)),
            FaultLine::Process(ProcessFault::Resume, _) => self.repair(fault.nodes.intersection(&self.stopped)),
            FaultLine::Process(ProcessFault::Elect, _) => told("elect", fault.nodes.intersection(&self.running())),
            FaultLine::Process(ProcessFault::StartOver, _) => {
                told("start-over", fault.nodes.intersection(&self.running()))
            }
            FaultLine::Process(ProcessFault::Update(value), _) => {
                let nodes = told("update", fault.nodes.intersection(&self.running()));
                nodes.into_iter().map(|line| format!("{line} {value}")).collect()
            }
            FaultLine::Process(ProcessFault::Request, _) => told("request", fault.nodes.intersection(&self.running())),
            FaultLine::Speed(speed) => {
                self.standing.retain(|fault| !matches!(fault.deed, LabDeed::Speed(_)));
                if *speed != LabSpeed::PLAIN {
                    let deed = LabDeed::Speed(FaultId(self.given + 1));
                    self.standing.push(StandingDeed { id: fault.id, deed });
                }
                vec![fault.line.to_string()]
            }
            FaultLine::Lift(id) => self.lift(Some(*id)),
            FaultLine::Undo => self.lift(self.standing.last().map(|fault| fault.id)),
            FaultLine::Heal => self.heal("heal"),
            FaultLine::HealAll => {
                (self.dead, self.stopped) = (NodeSet::EMPTY, NodeSet::EMPTY);
                let ends =
                    |deed| matches!(deed, LabDeed::Lose(..) | LabDeed::Pace(_) | LabDeed::Liar(..) | LabDeed::Speed(_));
                self.standing.retain(|fault| !ends(fault.deed));
                self.strike_repaired();
                self.heal("heal all")
            }
            FaultLine::Link(rule @ LinkRule { effect: FaultEffect::Release(_), .. }) => {
                let text = outright(rule, world).ok_or(LeftOut::MeansNobody)?;
                self.strike_released(fault, world);
                vec![text]
            }
            FaultLine::Link(rule) if !rule.effect.stays() => vec![outright(rule, world).ok_or(LeftOut::MeansNobody)?],
            FaultLine::Link(rule) => {
                let text = outright(rule, world).ok_or(LeftOut::MeansNobody)?;
                self.standing.push(StandingDeed { id: fault.id, deed: LabDeed::Link(Some(FaultId(self.given + 1))) });
                vec![text]
            }
        };
        self.given += u32::try_from(lines.len()).expect("an order is two lines at most");
        if lines.is_empty() { Err(LeftOut::ChangesNothing) } else { Ok(lines) }
    }

    /// An order that did not come into force. If it was carried out all the same, the line that undoes it is left out
    /// too.
    pub(super) fn leave_out(&mut self, fault: &FaultView) {
        let stands = fault.rule.as_ref().is_some_and(|rule| rule.effect.stays());
        if stands {
            self.standing.push(StandingDeed { id: fault.id, deed: LabDeed::Link(None) });
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
            self.standing.push(StandingDeed { id: fault.id, deed: LabDeed::Link(None) });
        }
    }

    /// A process died without an order; the lab orders its death.
    pub(super) fn died(&mut self, node: NodeId) -> Vec<String> {
        let nodes = NodeSet::of(node).minus(&self.dead);
        self.kill(nodes);
        let lines = told("crash", nodes);
        self.given += u32::try_from(lines.len()).expect("a death is one line");
        lines
    }

    fn running(&self) -> NodeSet {
        self.all.minus(&self.dead).minus(&self.stopped)
    }

    fn losing(&self) -> NodeSet {
        self.standing.iter().fold(NodeSet::EMPTY, |all, fault| match fault.deed {
            LabDeed::Lose(_, nodes) => all.union(&nodes),
            _ => all,
        })
    }

    fn crash(&mut self, fault: &FaultView) -> Vec<String> {
        let nodes = fault.nodes.minus(&self.dead);
        self.kill(nodes);
        self.standing.push(StandingDeed { id: fault.id, deed: LabDeed::Crash(nodes) });
        told("crash", nodes)
    }

    fn pace(&mut self, fault: &FaultView, line: String) -> Vec<String> {
        self.standing.push(StandingDeed { id: fault.id, deed: LabDeed::Pace(FaultId(self.given + 1)) });
        vec![line]
    }

    /// Lies of which no liar is left are over.
    fn become_honest(&mut self, nodes: NodeSet) {
        for fault in &mut self.standing {
            if let LabDeed::Liar(_, liars) = &mut fault.deed {
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
    fn repair(&mut self, nodes: NodeSet) -> Vec<String> {
        let (stopped, dead) = (nodes.intersection(&self.stopped), nodes.intersection(&self.dead));
        self.stopped = self.stopped.minus(&stopped);
        self.dead = self.dead.minus(&dead);
        for fault in &mut self.standing {
            // A start decides what happens to a loss.
            if let LabDeed::Lose(_, nodes) = &mut fault.deed {
                *nodes = nodes.minus(&dead);
            }
        }
        self.strike_repaired();
        told("resume", stopped).into_iter().chain(told("recover", dead)).collect()
    }

    fn lift(&mut self, id: Option<FaultId>) -> Vec<String> {
        let Some(place) = self.standing.iter().position(|fault| Some(fault.id) == id) else { return Vec::new() };
        match self.standing[place].deed {
            LabDeed::Crash(nodes) | LabDeed::Pause(nodes) => self.repair(nodes),
            LabDeed::Lose(in_lab, _) | LabDeed::Pace(in_lab) | LabDeed::Liar(in_lab, _) | LabDeed::Speed(in_lab) => {
                self.standing.remove(place);
                vec![FaultLine::Lift(in_lab).to_string()]
            }
            LabDeed::Link(in_lab) => {
                self.standing.remove(place);
                in_lab.map(|id| FaultLine::Lift(id).to_string()).into_iter().collect()
            }
        }
    }

    fn heal(&mut self, line: &str) -> Vec<String> {
        self.standing.retain(|fault| !matches!(fault.deed, LabDeed::Link(_)));
        vec![line.to_owned()]
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
            LabDeed::Lose(_, nodes) | LabDeed::Liar(_, nodes) => !nodes.is_empty(),
            LabDeed::Pace(_) | LabDeed::Speed(_) | LabDeed::Link(_) => true,
        });
    }
}

fn told(verb: &str, nodes: NodeSet) -> Vec<String> {
    if nodes.is_empty() { Vec::new() } else { vec![format!("{verb} {nodes}")] }
}

/// The rule with the node in place of each `coordinator` and `coordinator of N`; `None` if there was none.
fn outright(rule: &LinkRule<Target>, world: &World) -> Option<String> {
    let node = |of| world.coordinator(of).map(|node| Target::Nodes(NodeSet::of(node))).ok_or(());
    let named = rule.try_map(|target| match target {
        Target::Coordinator => node(None),
        Target::CoordinatorOf(of) => node(Some(*of)),
        Target::Nodes(_) | Target::All => Ok(target.clone()),
    });
    named.ok().map(|rule| rule.to_string())
}
