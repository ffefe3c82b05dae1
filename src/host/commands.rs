//! Carries commands out on real processes: kills, stops, continues, starts and tells them.
//!
//! Invariant: everything that a process wrote before it was killed or stopped is read before its end or stop is
//! recorded, so that no cause is lost or recorded after its effect.

use std::collections::VecDeque;
use std::io;
use std::os::unix::process::ExitStatusExt;

use super::child::{DIES_WITHIN, KernelState};
use super::incoming::Incoming;
use super::lab_loop::LabLoop;
use super::spawner::Killed;
use super::start::store_of;
use super::wake_delays::TimeBounds;
use fault::{FaultId, LabSpeed};
use protocol::{Delivery, NodeId, NodeSet, delta};
use record::{Body, CONTINUED_BY_SOMEBODY, Control, Death, Record, STOPPED_BY_SOMEBODY};
use script::{LINGER, NotDone, OrderInput, OrderView, ProcessCommand, SpeedEffect};
use world::ProcessState;

impl LabLoop<'_> {
    /// Gives the orders an input, and carries out all that they then want.
    pub(super) fn order(&mut self, input: OrderInput) {
        let mut commands = self.handle_order(input);
        while !commands.is_empty() {
            commands.into_iter().for_each(|command| self.carry_out(command));
            commands = self.handle_order(OrderInput::Time);
        }
    }

    fn handle_order(&mut self, input: OrderInput) -> Vec<ProcessCommand> {
        let (t, one_way_bound) = (self.lab.timing.t, self.head.facts.one_way_bound);
        let is_ordered = self.lab.card.delivery == Delivery::OrderedBroadcast;
        let delta = is_ordered.then(|| delta(t, &self.lab.settings));
        let view = OrderView {
            now: self.clock.now(),
            wall: self.clock.wall(),
            speed_effect: SpeedEffect::Changes {
                fastest: self.wake_delays.fastest(&TimeBounds { t, one_way_bound, delta }),
            },
            processes: self.nodes.processes(),
            starts_waiting: self.pace.waiting(),
            coordinator: &|of| self.run.world().coordinator(of),
        };
        self.orders.handle(input, view)
    }

    fn carry_out(&mut self, command: ProcessCommand) {
        let result = match command {
            ProcessCommand::Record { node, body } => return self.admit_own(node, *body),
            ProcessCommand::Kill { node, by } => (node, self.kill(node, by).map_err(NotDone::Kill)),
            ProcessCommand::Stop { node, by } => (node, self.stop(node, by).map_err(NotDone::Stop)),
            ProcessCommand::GoOn { node, faults } => (node, self.go_on(node, &faults).map_err(NotDone::GoOn)),
            ProcessCommand::Start { node } => {
                if let Err(why) = self.start_in_time(node) {
                    self.orders.refuse_start(node, &why.to_string());
                }
                return;
            }
            ProcessCommand::CancelStart { node } => return self.pace.cancel(node),
            ProcessCommand::Tell { nodes, control } => {
                return nodes.iter().for_each(|node| {
                    self.nodes.tell(node, &control);
                });
            }
            ProcessCommand::MarkStore { node, loss } => {
                let mark = self.directory.store_mark(&store_of(node));
                let mark = mark.map(|mark| self.orders.marked_store(node, loss, mark));
                (node, mark.map_err(NotDone::MarkStore))
            }
            ProcessCommand::SetSpeed { speed, by, nodes, control } => {
                return self.set_speed(speed, by, nodes, &control);
            }
            ProcessCommand::Answer { reply, answer } => {
                // If the asker is gone, nobody wants the answer.
                let _ = reply.send(answer);
                return;
            }
            ProcessCommand::Linger => return self.run.linger_until(self.clock.now() + LINGER),
        };
        if let (node, Err(why)) = result {
            let note = self.orders.was_not_done(node, &why);
            self.admit_own(Some(node), note);
        }
    }

    fn set_speed(&mut self, speed: LabSpeed, by: FaultId, nodes: NodeSet, control: &Control) {
        if let Err(why) = self.clock.change_speed(speed) {
            return self.orders.refuse_speed(by, &why);
        }
        for node in nodes.iter() {
            self.nodes.tell(node, control);
        }
        self.clock.await_speed();
        self.admit_own(None, Body::SpeedSet { speed, by });
    }

    fn kill(&mut self, node: NodeId, by: FaultId) -> io::Result<()> {
        let exit = match self.nodes.kill(node) {
            Killed::None => return Ok(()),
            Killed::Ended(exit) => exit,
            Killed::Dying => {
                self.doomed.insert(node, by);
                return Err(io::Error::other(format!(
                    "it has not ended within {DIES_WITHIN:?}: it waits in the kernel"
                )));
            }
        };
        self.read_until(node, |event| matches!(event, Incoming::Closed(of) if *of == node));
        self.stores.has_died(node, self.mark_of_store(node));
        let killed_at = self.clock.at(exit.at);
        let at = self.last_record_at.get(&node).map_or(killed_at, |last| killed_at.max(*last));
        self.admit(Record::of_node(at, node, Body::Died { death: Death::Killed { by } }));
        Ok(())
    }

    fn stop(&mut self, node: NodeId, by: FaultId) -> io::Result<()> {
        self.nodes.stop(node)?;
        let at = self.clock.now();
        self.reader.drain(node);
        self.read_until(node, |event| matches!(event, Incoming::Drained(of) if *of == node));
        self.admit(Record::of_node(at, node, Body::Stopped { by }));
        Ok(())
    }

    fn go_on(&mut self, node: NodeId, faults: &Control) -> io::Result<()> {
        self.nodes.tell(node, faults);
        let at = self.clock.now();
        self.nodes.resume(node)?;
        self.admit(Record::of_node(at, node, Body::Continued));
        Ok(())
    }

    fn mark_of_store(&self, node: NodeId) -> Option<u64> {
        self.directory.store_mark(&store_of(node)).ok()
    }

    /// A process has closed its stream: it ended without an order, or long after one.
    pub(super) fn take_late_death(&mut self, node: NodeId) {
        // One that the kernel keeps is asked for again at each pulse.
        let Killed::Ended(exit) = self.nodes.bury(node) else { return };
        let death = match (self.doomed.remove(&node), exit.status.code(), exit.status.signal()) {
            (Some(by), ..) => Death::Killed { by },
            (None, Some(code), _) => Death::Exited { code },
            (None, None, signal) => Death::Signalled { signal: signal.unwrap_or(0) },
        };
        self.stores.has_died(node, self.mark_of_store(node));
        if let Some(why) = self.unable.remove(&node) {
            self.orders.refuse_start(node, &why);
        }
        self.orders.has_died(node);
        self.admit_own(Some(node), Body::Died { death });
    }

    /// Finds out what others did to the processes since the last pulse. If one of them let a stopped process go on, the
    /// fault that stopped it is over, and the process is told the faults that it missed. A process that others stopped
    /// counts as running: it breaks assumption 9 as any other stall of this computer does, and the judge measures that.
    ///
    /// Up to one pulse passes before it is found out, and of what happened twice within a pulse only the last is found.
    pub(super) fn look_at_processes(&mut self) {
        for node in self.nodes.unburied().iter() {
            self.take_late_death(node);
        }
        for (node, kernel_state, process) in self.nodes.look() {
            let what = match kernel_state {
                KernelState::Runs => CONTINUED_BY_SOMEBODY,
                KernelState::Stopped => STOPPED_BY_SOMEBODY,
            };
            self.admit_own(Some(node), Body::Note { text: what.to_owned() });
            if (kernel_state, process) == (KernelState::Runs, ProcessState::Paused) {
                self.order(OrderInput::GoesOnByItself(node));
            }
        }
    }

    /// Reads what a process had written before it was killed or stopped; all other events wait.
    fn read_until(&mut self, node: NodeId, is_last: impl Fn(&Incoming) -> bool) {
        let mut waiting = std::mem::take(&mut self.backlog);
        let mut others = VecDeque::new();
        loop {
            let event = match waiting.pop_front() {
                Some(event) => event,
                None => self.events.recv().expect("the reader thread outlives the lab"),
            };
            match event {
                Incoming::Packet(of, packet) if of == node => self.take_packet(node, &packet),
                last if is_last(&last) => break,
                other => others.push_back(other),
            }
        }
        others.append(&mut waiting);
        self.backlog = others;
    }
}
