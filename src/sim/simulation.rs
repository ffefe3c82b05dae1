//! A running simulation: nodes, agenda, recorder, and the one loop around them.
//!
//! In each turn the reports of processes are heard and the script's actions are carried out. Then comes the next event
//! or, if that is earlier, the moment at which time alone decides something. An event comes before a decision of the
//! same instant.
//!
//! Invariant: virtual time never runs backwards, and what happens at one instant happens in one order.

use std::collections::VecDeque;
use std::sync::Arc;

use super::event_queue::{Datagram, EventQueue, ScheduledEvent, Slot};
use super::figures::StruckDatagrams;
use super::network::Network;
use super::run_recorder::{Listener, RunRecorder, stamp};
use super::sim_node::{NodeContext, SharedState, SimulatedNode};
use super::{AfterScript, Interrupt, Plan, SimEnd};
use driver::{Environment, Participant};
use lab::Lab;
use protocol::{Delivery, LabKeys, MachineKind, NodeId, Payload, Setup};
use record::{Body, Head};
use script::{OrderInput, Orders, Pending, RunOrigin};
use world::{ProcessState, stamp as at};

/// A simulation ends where more datagrams are under way at once: they multiply, and would take all memory.
const UNDER_WAY_MAX: usize = 500_000;
/// A simulation ends where more datagrams arrive within one second of lab time. Honest labs stay ten times below: 256
/// nodes of King/Ni C that all begin at once make 196,000, 256 of Invitation 132,000, and the busiest lab of the project
/// 2,400. A storm that is no denser than this comes to the end of its lab, after a while.
const ARRIVALS_MAX: u64 = 2_000_000;
/// A second of lab time, in nanoseconds.
const SECOND: u64 = 1_000_000_000;
/// A simulation looks every so many turns whether it is to end.
const TURNS_UNWATCHED: u32 = 256;

/// A simulation of one lab.
pub struct Simulation<'a> {
    pub(super) lab: Arc<Lab>,
    pub(super) head: Head,
    keys: Option<LabKeys>,
    pub(super) sim_nodes: Vec<SimulatedNode>,
    pub(super) shared: SharedState,
    pub(super) recorder: RunRecorder<'a>,
    pub(super) orders: Orders,
    pub(super) struck_datagrams: StruckDatagrams,
    pub(super) after: AfterScript,
    delivered: u64,
    pub(super) arrivals: SecondOfArrivals,
    interrupt: Interrupt,
    /// How many turns are left until it looks at the interrupt.
    unwatched: u32,
}

/// The present second of lab time.
pub(super) struct SecondOfArrivals {
    ends: u64,
    /// How many datagrams have arrived in it.
    count: u64,
    /// How many may.
    pub most: u64,
}

impl SecondOfArrivals {
    #[inline]
    fn add(&mut self, now: u64) {
        if now >= self.ends {
            (self.ends, self.count) = (now - now % SECOND + SECOND, 0);
        }
        self.count += 1;
    }
}

/// The head of the session of this plan.
pub(super) fn head_of(plan: &Plan) -> Head {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"simulated");
    hasher.update(&plan.seed.to_le_bytes());
    hasher.update(&plan.dice.to_le_bytes());
    hasher.update(plan.lab.text.as_bytes());
    let lab_id = hasher.finalize().to_hex()[..32].to_owned();
    Head { seed: plan.dice, ..script::head_of(&plan.lab, &lab_id, RunOrigin::Simulated) }
}

impl<'a> Simulation<'a> {
    /// A lab that is about to begin.
    pub fn new(kind: MachineKind, plan: &Plan, listener: Listener<'a>) -> Simulation<'a> {
        let lab = Arc::clone(&plan.lab);
        let head = head_of(plan);
        let network =
            Network::new(kind.card(), &lab.timing, &lab.settings, lab.roster.len(), plan.seed, plan.network_kind);
        let shared = SharedState {
            kind,
            now: 0,
            roster: lab.roster,
            moves: plan.moves,
            agenda: EventQueue::new(lab.roster.len()),
            network,
            held: VecDeque::new(),
        };
        let mut simulation = Simulation {
            sim_nodes: lab.roster.all().iter().map(SimulatedNode::new).collect(),
            shared,
            recorder: RunRecorder::new(plan, &head, listener),
            orders: Orders::new(Arc::clone(&lab)),
            struck_datagrams: StruckDatagrams::default(),
            after: plan.after,
            delivered: 0,
            arrivals: SecondOfArrivals { ends: 0, count: 0, most: ARRIVALS_MAX },
            interrupt: Interrupt::of_thread(),
            unwatched: 0,
            keys: LabKeys::asked_for(kind.card().keys, head.seed, lab.roster.len()),
            head,
            lab,
        };
        simulation.begin();
        simulation
    }

    /// All processes exist, and their machines start together: at the lab's beginning, or as the network's kind draws it.
    fn begin(&mut self) {
        for node in self.lab.roster.all().iter() {
            self.recorder.record(0, Some(node), Body::Spawned { pid: 0 });
        }
        self.recorder.record(0, None, Body::Began);
        for (node, after) in self.shared.network.starts(self.lab.roster.all().iter()) {
            self.become_starting(node, after.nanos());
        }
        self.settle();
    }

    /// A process exists; its machine starts this many nanoseconds from now.
    pub(super) fn become_starting(&mut self, node: NodeId, after: u64) {
        let at = self.shared.now + after;
        let sim_node = self.sim_node(node);
        sim_node.process = ProcessState::Starting;
        sim_node.processes += 1;
        let process = sim_node.processes;
        self.shared.agenda.enter_start(at, node, process);
    }

    /// One turn: the next event, or the next moment at which time decides something.
    pub(super) fn take_turn(&mut self) {
        if !self.take_turn_by(i64::MAX) {
            self.recorder.run.become_closed();
        }
    }

    /// The same, if it comes by this moment; returns whether it did. It does nothing when the simulation is over.
    pub(super) fn take_turn_by(&mut self, until: i64) -> bool {
        if self.is_over() || self.is_interrupted() {
            return false;
        }
        let wake = self.wake_at().filter(|wake| *wake <= until);
        let by = u64::try_from(wake.unwrap_or(until)).unwrap_or(0);
        if let Some((at, event)) = self.shared.agenda.pop_by(by) {
            self.shared.now = self.shared.now.max(at);
            self.take(event);
        } else if let Some(wake) = wake {
            self.pass_time(wake);
        } else {
            return false;
        }
        self.settle();
        if self.shared.agenda.under_way() > UNDER_WAY_MAX {
            self.become_stormy(format!("more than {UNDER_WAY_MAX} messages were under way at once"));
        } else if self.arrivals.count > self.arrivals.most {
            let most = self.arrivals.most;
            self.become_stormy(format!("more than {most} messages arrived within one second of lab time"));
        }
        true
    }

    #[cold]
    fn become_stormy(&mut self, what: String) {
        let now = stamp(self.shared.now).at;
        let remedy = "take fewer nodes, or leave out the fault or mend the hole that multiplies the messages";
        self.recorder.give_up(format!("a storm at {}: {what}, and the simulation ended there; {remedy}", at(now)), now);
    }

    /// Whether it has been interrupted; then it ends here.
    #[inline]
    fn is_interrupted(&mut self) -> bool {
        if self.unwatched > 0 {
            self.unwatched -= 1;
            return false;
        }
        self.unwatched = TURNS_UNWATCHED;
        let is_interrupted = self.interrupt.is_raised();
        if is_interrupted {
            let why = "the simulation was told to end before its steps were finished";
            self.recorder.give_up(why.to_owned(), stamp(self.shared.now).at);
        }
        is_interrupted
    }

    #[cold]
    fn pass_time(&mut self, wake: i64) {
        self.shared.now = self.shared.now.max(u64::try_from(wake).unwrap_or(0));
        let now = stamp(self.shared.now).at;
        self.recorder.pass_time(now);
        self.order(OrderInput::Time);
    }

    /// When time alone decides something.
    pub(super) fn wake_at(&self) -> Option<i64> {
        let earlier = |one: Option<i64>, other: Option<i64>| match (one, other) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        earlier(self.recorder.run.wake_at(), earlier(self.orders.wake_at(), self.orders.gives_up_at()))
    }

    fn take(&mut self, event: ScheduledEvent) {
        match event {
            ScheduledEvent::Arrive(slot) => self.arrive(slot),
            ScheduledEvent::Wake(node) => self.wake(node),
            ScheduledEvent::Start(node, process) => self.start_machine(node, process),
        }
    }

    fn arrive(&mut self, slot: Slot) {
        let datagram = self.shared.agenda.take_arrived(slot);
        self.arrivals.add(self.shared.now);
        let node = datagram.passage.to;
        if !self.sim_nodes[index(node)].is_free() {
            return self.miss(datagram);
        }
        self.take_in(node, datagram);
        self.take_own_broadcasts(node);
        self.enter_wake(node);
    }

    #[inline]
    fn take_in(&mut self, node: NodeId, datagram: Datagram<Payload>) {
        self.delivered += 1;
        let Datagram { sent, passage, original, message } = datagram;
        self.with_machine(node, |machine, around| {
            let Ok(()) = machine.arrive(sent, passage, original, message, around);
            let count = machine.take_overflow();
            if count > 0 && around.keeps_records() {
                around.record(around.now(), Body::Overflowed { count });
            }
        });
    }

    /// A node's broadcast comes back to it through the layer; events due at this instant wait for other arrivals.
    pub(super) fn take_own_broadcasts(&mut self, node: NodeId) {
        if self.shared.kind.card().delivery == Delivery::OrderedBroadcast && self.sim_nodes[index(node)].is_free() {
            self.with_machine(node, |machine, around| {
                let before = around.shared.now.saturating_sub(1);
                let Ok(()) = machine.ring(before, around);
            });
        }
    }

    fn wake(&mut self, node: NodeId) {
        if self.sim_node(node).is_free() {
            self.ring(node);
        }
        match self.next_due(node) {
            Some(due) => self.shared.agenda.enter_wake(due, node),
            None => self.shared.agenda.strike_wake(node),
        }
    }

    /// The messages that the link releases now, then the timers that are due.
    fn ring(&mut self, node: NodeId) {
        self.with_machine(node, |machine, around| {
            let now = around.shared.now;
            let Ok(()) = machine.deliver(around);
            let Ok(()) = machine.ring(now, around);
        });
    }

    // Machines start seldom, and the code that runs all the time should stay together.
    #[cold]
    fn start_machine(&mut self, node: NodeId, process: u32) {
        let (faults, clock) = (self.orders.table(), self.orders.clock_of(node));
        let SimulatedNode { participant, cells, process: stage, processes, .. } = &mut self.sim_nodes[index(node)];
        // A process that was killed meanwhile starts nothing any more.
        if (*stage, *processes) != (ProcessState::Starting, process) {
            return;
        }
        cells.incarnation.0 += 1;
        let incarnation = cells.incarnation;
        let Lab { roster, timing, settings, .. } = &*self.lab;
        let keyring = self.keys.as_ref().map(|keys| keys.keyring(node));
        let setup =
            Setup { me: node, roster: *roster, timing: *timing, settings: settings.clone(), incarnation, keyring };
        self.recorder.record(self.shared.now, Some(node), Body::Ready { incarnation });
        *stage = ProcessState::Running;
        let saved = cells.saved.clone();
        let mut around = NodeContext { cells, shared: &mut self.shared, recorder: &mut self.recorder };
        let Ok(machine) =
            Participant::start(around.shared.kind, setup, self.head.seed, saved, faults, clock, &mut around);
        *participant = Some(machine);
        self.orders.has_started(node);
        self.catch_up(node);
        self.order(OrderInput::Time);
    }

    /// A machine can get inputs again: its orders and the messages that came meanwhile go before the overdue timers.
    pub(super) fn catch_up(&mut self, node: NodeId) {
        self.obey_all(node);
        while self.sim_node(node).is_free()
            && let Some(datagram) = self.sim_node(node).inbox.pop_front()
        {
            self.take_in(node, datagram);
        }
        if self.sim_node(node).is_free() {
            self.ring(node);
        }
        self.enter_wake(node);
    }

    /// Carries out the orders that wait for the machine, or acknowledges them if it is held.
    pub(super) fn obey_all(&mut self, node: NodeId) {
        while self.sim_node(node).is_free()
            && let Some((version, order)) = self.sim_node(node).orders.pop_front()
        {
            self.with_machine(node, |machine, around| {
                let Ok(()) = machine.order(order, around);
            });
            self.orders.acknowledged(node, version);
        }
        let SimulatedNode { participant, orders, .. } = &self.sim_nodes[index(node)];
        if participant.as_ref().is_some_and(Participant::is_held) {
            orders.iter().for_each(|(version, _)| self.orders.acknowledged(node, *version));
        }
    }

    /// Does something with a node's machine, if it has one.
    #[inline]
    pub(super) fn with_machine(&mut self, node: NodeId, deed: impl FnOnce(&mut Participant, &mut NodeContext<'_, 'a>)) {
        let SimulatedNode { participant, cells, .. } = &mut self.sim_nodes[index(node)];
        if let Some(machine) = participant {
            deed(machine, &mut NodeContext { cells, shared: &mut self.shared, recorder: &mut self.recorder });
        }
    }

    /// Makes sure that the node is woken when it next has something due.
    #[inline]
    pub(super) fn enter_wake(&mut self, node: NodeId) {
        if let Some(due) = self.next_due(node)
            && !self.shared.agenda.wakes_by(due, node)
        {
            self.shared.agenda.enter_wake(due, node);
        }
    }

    /// When a continued node will next have something due.
    #[inline]
    fn next_due(&self, node: NodeId) -> Option<u64> {
        let SimulatedNode { process, participant, .. } = &self.sim_nodes[index(node)];
        let machine = participant.as_ref().filter(|machine| *process == ProcessState::Running && !machine.is_held())?;
        machine.next_due().map(|due| due.max(self.shared.now))
    }

    pub(super) fn sim_node(&mut self, node: NodeId) -> &mut SimulatedNode {
        &mut self.sim_nodes[index(node)]
    }

    /// Hears the reports of processes and carries out the script's actions, until there is nothing more of either.
    #[inline]
    pub(super) fn settle(&mut self) {
        if !self.shared.held.is_empty() || self.recorder.run.wants() {
            self.settle_all();
        }
    }

    #[cold]
    fn settle_all(&mut self) {
        while !self.shared.held.is_empty() || self.recorder.run.wants() {
            while let Some((node, step)) = self.shared.held.pop_front() {
                self.orders.has_come(node, step);
            }
            self.order(OrderInput::Time);
            if let Some(cue) = self.recorder.run.take_cue() {
                self.order(OrderInput::Cue(cue));
            }
        }
    }

    pub(super) fn is_over(&self) -> bool {
        let pending = match self.after {
            AfterScript::Judgement => Pending::Liveness,
            AfterScript::End | AfterScript::Nothing => Pending::Contradictions,
        };
        self.recorder.run.is_closed() || self.recorder.run.may_close(stamp(self.shared.now).at, pending)
    }

    pub(super) fn finish(mut self) -> SimEnd {
        let now = stamp(self.shared.now).at;
        self.recorder.close(now);
        self.settle();
        let why = match self.after {
            AfterScript::End | AfterScript::Judgement => "its steps are finished".to_owned(),
            AfterScript::Nothing => "it was told to end".to_owned(),
        };
        let outcome = Some(self.recorder.run.outcome(0));
        self.recorder.record(self.shared.now, None, Body::Ended { why, outcome });
        let struck = self.sim_nodes.iter_mut().filter_map(|sim_node| sim_node.struck.take());
        struck.for_each(|(by, come)| self.struck_datagrams.add(by, come));
        SimEnd {
            run: self.recorder.run.end(),
            faults: self.struck_datagrams.tally(self.recorder.run.world()),
            delivered: self.delivered,
            lasted: self.shared.now,
        }
    }
}

pub(super) fn index(node: NodeId) -> usize {
    usize::from(node.get() - 1)
}

pub(super) fn nanos(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
