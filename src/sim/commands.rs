//! Carries commands out on simulated processes: kills, stops, continues, starts and tells them.
//!
//! Invariant: everything is done at once and acknowledged at once; only a start takes time, and only a stopped node,
//! which can read nothing, answers later. A node that is held at a protocol moment acknowledges an order, and carries it
//! out before anything else when it goes on.

use super::AfterScript;
use super::event_queue::Datagram;
use super::run_recorder::stamp;
use super::simulation::{Simulation, index, nanos};
use fault::{CourierRefusal, FaultId, StoreLoss};
use protocol::{NodeId, NodeSet, Payload, codec};
use record::{Body, Control, Death};
use script::{LINGER, OrderInput, OrderView, ProcessCommand, SpeedEffect};
use world::ProcessState;

impl Simulation<'_> {
    /// Gives the orders an input, and carries out all that they then want.
    pub(super) fn order(&mut self, input: OrderInput) {
        let mut commands = self.handle_order(input);
        while !commands.is_empty() {
            commands.into_iter().for_each(|command| self.carry_out(command));
            commands = self.handle_order(OrderInput::Time);
        }
    }

    fn handle_order(&mut self, input: OrderInput) -> Vec<ProcessCommand> {
        let now = stamp(self.shared.now).at;
        let view = OrderView {
            now,
            wall: now,
            speed_effect: SpeedEffect::Virtual,
            processes: self.sim_nodes.iter().map(|sim_node| (sim_node.cells.me, sim_node.process)).collect(),
            starts_waiting: NodeSet::EMPTY,
            coordinator: &|of| self.recorder.run.world().coordinator(of),
        };
        self.orders.handle(input, view)
    }

    fn carry_out(&mut self, command: ProcessCommand) {
        match command {
            ProcessCommand::Record { node, body } => self.record(node, *body),
            ProcessCommand::Kill { node, by } => self.kill(node, by),
            ProcessCommand::Stop { node, by } => self.stop(node, by),
            ProcessCommand::GoOn { node, faults } => self.go_on(node, &faults),
            ProcessCommand::Start { node } => self.start(node),
            ProcessCommand::Tell { nodes, control } => nodes.iter().for_each(|node| self.tell(node, &control)),
            ProcessCommand::MarkStore { node, loss } => {
                self.orders.marked_store(node, loss, self.sim_nodes[index(node)].cells.saves);
            }
            ProcessCommand::Answer { reply, answer } => {
                // If the asker is gone, nobody wants the answer.
                let _ = reply.send(answer);
            }
            ProcessCommand::Linger => self.linger(),
            ProcessCommand::CancelStart { .. } | ProcessCommand::SetSpeed { .. } => {
                unreachable!("a simulated start never waits, and virtual time has no speed")
            }
        }
    }

    fn record(&mut self, node: Option<NodeId>, body: Body) {
        self.recorder.record(self.shared.now, node, body);
    }

    fn linger(&mut self) {
        let patience = match self.after {
            AfterScript::End => LINGER,
            // A judgement of liveness comes one quiet bound after the last break, and a break may end late.
            AfterScript::Judgement => 4 * nanos(self.head.facts.quiet_bound.nanos()) + LINGER,
            AfterScript::Nothing => return,
        };
        self.recorder.run.linger_until(stamp(self.shared.now).at.saturating_add(patience));
    }

    fn kill(&mut self, node: NodeId, by: FaultId) {
        if !self.sim_node(node).process.is_up() {
            return;
        }
        self.sim_node(node).become_dead();
        self.shared.agenda.strike_wake(node);
        self.strike(node, Some(by));
        self.record(Some(node), Body::Died { death: Death::Killed { by } });
    }

    fn stop(&mut self, node: NodeId, by: FaultId) {
        self.sim_node(node).process = ProcessState::Paused;
        self.strike(node, Some(by));
        self.record(Some(node), Body::Stopped { by });
    }

    fn go_on(&mut self, node: NodeId, faults: &Control) {
        let sim_node = self.sim_node(node);
        let (is_started, process) = (sim_node.participant.is_some(), sim_node.processes);
        sim_node.process = if is_started { ProcessState::Running } else { ProcessState::Starting };
        self.strike(node, None);
        self.record(Some(node), Body::Continued);
        if !is_started {
            // It was stopped before its machine started. Its start may have come meanwhile; if it still comes, it finds
            // the machine running.
            self.shared.agenda.enter_start(self.shared.now, node, process);
        }
        let unheard = std::mem::take(&mut self.sim_node(node).unheard);
        for control in std::iter::once(faults).chain(&unheard) {
            self.hear(node, control);
        }
        self.catch_up(node);
    }

    fn start(&mut self, node: NodeId) {
        self.strike(node, None);
        let start_up = self.shared.network.start_up();
        self.become_starting(node, start_up.nanos());
        let pid = self.sim_node(node).processes;
        self.record(Some(node), Body::Spawned { pid });
        if let Some(StoreLoss { by, loss }) =
            self.orders.take_loss(node, || Some(self.sim_nodes[index(node)].cells.saves))
            && self.sim_node(node).cells.lose(loss)
        {
            let left = self.sim_node(node).cells.saved.as_ref().map(|saved| codec::hex(&saved.encode()));
            self.record(Some(node), Body::CellsLost { by, loss, left });
        }
        for control in self.orders.told_at_start(node) {
            self.tell(node, &control);
        }
    }

    fn tell(&mut self, node: NodeId, control: &Control) {
        match self.sim_node(node).process {
            ProcessState::Absent | ProcessState::Dead => {}
            ProcessState::Paused => self.sim_node(node).unheard.push(control.clone()),
            ProcessState::Starting | ProcessState::Running => {
                let was_held = !self.sim_node(node).is_free();
                self.hear(node, control);
                match control {
                    Control::Order { .. } => {
                        self.obey_all(node);
                        self.take_own_broadcasts(node);
                        self.enter_wake(node);
                    }
                    // Held messages that are released leave their link now.
                    Control::Faults { .. } | Control::Courier { .. } => self.enter_wake(node),
                    // Its next timer may be due earlier now.
                    Control::Clock { .. } => self.enter_wake(node),
                    Control::Disarm { .. } if was_held => self.catch_up(node),
                    _ => {}
                }
            }
        }
    }

    /// A process gets a message; it carries out the orders in it afterwards.
    fn hear(&mut self, node: NodeId, control: &Control) {
        let sim_node = &mut self.sim_nodes[index(node)];
        match control {
            Control::Faults { version, faults } => {
                // A starting process gets the table at its start.
                self.with_machine(node, |machine, around| machine.set_faults(faults.clone(), around));
                self.orders.acknowledged(node, *version);
            }
            Control::Courier { version, act } => {
                // Nothing is held before the machine starts.
                let mut done = Err(CourierRefusal::NotThere);
                self.with_machine(node, |machine, around| done = machine.act(act, around));
                match done {
                    Ok(()) => self.orders.acknowledged(node, *version),
                    Err(why) => self.orders.refused(node, *version, &why.to_string()),
                }
            }
            Control::Clock { version, clock } => {
                // A starting process gets it at its start.
                self.with_machine(node, |machine, around| machine.set_clock(*clock, around));
                self.orders.acknowledged(node, *version);
            }
            Control::Order { version, order } => sim_node.orders.push_back((*version, *order)),
            Control::Arm { step, moment } => sim_node.cells.armed.arm(step.clone(), moment.clone()),
            Control::Reach { step } => self.with_machine(node, |machine, around| {
                let Ok(()) = machine.reach_hold(step, around);
            }),
            Control::Disarm { step } => {
                sim_node.cells.armed.disarm(step);
                self.with_machine(node, |machine, around| {
                    let Ok(()) = machine.go_on(step, around);
                });
            }
            Control::Plan(_) | Control::Begin { .. } | Control::Speed { .. } => {
                unreachable!("orders do not plan or begin a simulated process, and virtual time has no speed")
            }
        }
    }

    /// A fault has hit the node, or its effect is over; datagrams that came meanwhile are counted for the fault.
    fn strike(&mut self, node: NodeId, by: Option<FaultId>) {
        let struck = std::mem::replace(&mut self.sim_node(node).struck, by.map(|by| (by, 0)));
        if let Some((by, come)) = struck {
            self.struck_datagrams.add(by, come);
        }
    }

    /// A datagram comes to a node that does not take it now.
    pub(super) fn miss(&mut self, datagram: Datagram<Payload>) {
        let sim_node = &mut self.sim_nodes[index(datagram.passage.to)];
        if let Some((_, come)) = &mut sim_node.struck {
            *come += 1;
        }
        if sim_node.process.is_up() {
            sim_node.inbox.push_back(datagram);
        }
    }
}
