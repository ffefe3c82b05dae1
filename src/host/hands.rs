//! Carries orders out on real processes: kills, stops, continues, starts and tells them.
//!
//! Invariant: everything that a process wrote before it was killed or stopped is read before its end or stop is
//! recorded, so that no cause is lost or recorded after its effect.

use std::collections::VecDeque;
use std::io;
use std::os::unix::process::ExitStatusExt;

use super::bearing::Tightest;
use super::child::{DIES_WITHIN, Gait};
use super::incoming::Incoming;
use super::lab_loop::LabLoop;
use super::spawner::Killed;
use super::start::store_of;
use fault::{FaultId, LabSpeed};
use protocol::{ApplicationCard, Card, Delivery, NodeId, NodeSet, Roster, Span, delta};
use record::{Body, CONTINUED_BY_SOMEBODY, Control, Death, Record, STOPPED_BY_SOMEBODY};
use script::{Desk, Hands, LINGER, NotStarted, Orders, Tempo};
use world::ProcessState;

impl Hands for LabLoop<'_> {
    fn now(&self) -> i64 {
        self.clock.now()
    }

    fn wall(&self) -> i64 {
        self.clock.wall()
    }

    fn set_speed(&mut self, speed: LabSpeed) -> io::Result<Tempo> {
        self.clock.change_speed(speed)?;
        Ok(Tempo::Changes)
    }

    fn fastest(&self) -> LabSpeed {
        let (t, one_way_bound) = (self.lab.timing.t, self.head.facts.one_way_bound);
        let is_ordered = self.lab.card.delivery == Delivery::OrderedBroadcast;
        let delta = is_ordered.then(|| delta(t, &self.lab.settings));
        self.bearing.fastest(&Tightest { t, one_way_bound, delta })
    }

    fn await_speed(&mut self) {
        self.clock.await_speed();
    }

    fn t(&self) -> Span {
        self.lab.timing.t
    }

    fn roster(&self) -> Roster {
        self.lab.roster
    }

    fn card(&self) -> &Card {
        &self.lab.card
    }

    fn application(&self) -> Option<&'static ApplicationCard> {
        self.lab.application()
    }

    fn coordinator(&self, of: Option<NodeId>) -> Option<NodeId> {
        self.run.world().coordinator(of)
    }

    fn that_are(&self, process: ProcessState) -> NodeSet {
        self.nodes.that_are(process)
    }

    fn desk(&self) -> &Desk {
        &self.desk
    }

    fn desk_mut(&mut self) -> &mut Desk {
        &mut self.desk
    }

    fn record(&mut self, node: Option<NodeId>, body: Body) {
        self.admit_own(node, body);
    }

    fn script_is_through(&mut self) {
        self.run.linger_until(self.clock.now() + LINGER);
    }

    fn crash(&mut self, node: NodeId, by: FaultId) -> io::Result<()> {
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
        self.stores.has_died(node, self.store_mark(node).ok());
        let killed_at = self.clock.at(exit.at);
        let at = self.last_record_at.get(&node).map_or(killed_at, |last| killed_at.max(*last));
        self.admit(Record::of_node(at, node, Body::Died { death: Death::Killed { by } }));
        Ok(())
    }

    fn pause(&mut self, node: NodeId, by: FaultId) -> io::Result<()> {
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

    fn store_mark(&self, node: NodeId) -> io::Result<u64> {
        self.directory.store_mark(&store_of(node))
    }

    fn start(&mut self, node: NodeId) -> Result<(), NotStarted> {
        self.start_in_time(node)
    }

    fn tell(&mut self, node: NodeId, control: &Control) {
        self.nodes.tell(node, control);
    }

    fn starts_waiting(&self) -> NodeSet {
        self.pace.waiting()
    }

    fn call_off_start(&mut self, node: NodeId) -> bool {
        self.pace.call_off(node)
    }
}

impl LabLoop<'_> {
    /// A process has closed its stream: it ended without an order, or long after one.
    pub(super) fn take_late_death(&mut self, node: NodeId) {
        // One that the kernel keeps is asked for again at each pulse.
        let Killed::Ended(exit) = self.nodes.bury(node) else { return };
        let death = match (self.doomed.remove(&node), exit.status.code(), exit.status.signal()) {
            (Some(by), ..) => Death::Killed { by },
            (None, Some(code), _) => Death::Exited { code },
            (None, None, signal) => Death::Signalled { signal: signal.unwrap_or(0) },
        };
        self.stores.has_died(node, self.store_mark(node).ok());
        if let Some(why) = self.unable.remove(&node) {
            self.desk.refuse_start(node, &why);
        }
        self.desk.has_died(node);
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
        for (node, gait, process) in self.nodes.look() {
            let what = match gait {
                Gait::Goes => CONTINUED_BY_SOMEBODY,
                Gait::Stands => STOPPED_BY_SOMEBODY,
            };
            self.admit_own(Some(node), Body::Note { text: what.to_owned() });
            if (gait, process) == (Gait::Goes, ProcessState::Paused) {
                self.goes_on_by_itself(node);
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
