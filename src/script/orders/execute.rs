//! What a fault line does once its nodes are known, and the outcome of its order.
//!
//! Invariant: an order is in the book before any part of it is done, so no answer comes too early; it leaves the book
//! once, in force or with the reason why not, and the person or step that gave it is told. One line is carried out at a
//! time. A process is always told all its lies at once, and those that collude all know each other.

use std::sync::mpsc::Sender;

use super::aim::LineTargets;
use super::fault_state::{Awaited, Duration, FaultDeed, OrderAim, PendingOrder, StandingFault};
use super::slow;
use super::{ProcessCommand, SpeedEffect, Turn};
use fault::{CellLoss, FaultEffect, FaultId, FaultLine, LabSpeed, LinkFault, LinkRule, Links, ProcessFault, StoreLoss};
use protocol::{Lie, NodeId, NodeSet, Order};
use record::{Answer, Body, Control};
use world::ProcessState;

/// After this time a running node that has not answered no longer delays an order, in nanoseconds.
const ANSWER_WITHIN: i64 = 1_000_000_000;
/// A process that was started takes its first step within this, in nanoseconds.
const START_WITHIN: i64 = 10_000_000_000;

/// A fault line and its giver: a step of the lab, or a person who waits for the answer.
#[derive(Debug)]
pub struct Ordered {
    line: FaultLine,
    text: String,
    /// The step that gave it.
    pub step: Option<String>,
    reply: Option<Sender<Answer>>,
}

/// The order that is being carried out: its commands have been returned.
#[derive(Debug)]
pub struct UnderWay {
    pub id: FaultId,
    text: String,
    nodes: NodeSet,
    /// The nodes to whose process it could not be done.
    pub spared: NodeSet,
    result: OrderResult,
}

/// The result of carrying an order out.
#[derive(Debug)]
struct OrderResult {
    within: i64,
    stands: Option<FaultDeed>,
    ends: Vec<FaultId>,
    /// The speed at which lab time runs from now on, if the order changes it.
    speed: Option<LabSpeed>,
}

impl OrderResult {
    fn within(within: i64) -> OrderResult {
        OrderResult { within, stands: None, ends: Vec::new(), speed: None }
    }

    fn stands(deed: FaultDeed) -> OrderResult {
        OrderResult { stands: Some(deed), ..OrderResult::within(ANSWER_WITHIN) }
    }

    fn ends(ends: Vec<FaultId>) -> OrderResult {
        OrderResult { ends, ..OrderResult::within(ANSWER_WITHIN) }
    }
}

impl Turn<'_, '_> {
    /// Takes a step of the lab: its lines are ordered in turn.
    pub(super) fn take_step(&mut self, step: &str, lines: Vec<FaultLine>) {
        self.record(None, Body::StepTaken { step: step.to_owned() });
        self.orders.next.extend(lines.into_iter().map(|line| {
            let text = line.to_string();
            Ordered { line, text, step: Some(step.to_owned()), reply: None }
        }));
    }

    /// Takes a line that a person gave.
    pub(super) fn take_line(&mut self, text: &str, reply: Sender<Answer>) {
        match text.parse::<FaultLine>() {
            Ok(line) => {
                let text = line.to_string();
                self.orders.next.push_back(Ordered { line, text, step: None, reply: Some(reply) });
            }
            Err(error) => self.answer(reply, Answer::Refused { why: error.drawn(text) }),
        }
    }

    /// Begins to carry out the line whose turn it is.
    pub(super) fn begin_next(&mut self) {
        let Some(Ordered { line, text, step, reply }) = self.orders.next.pop_front() else { return };
        let aim = match self.aim(&line) {
            Ok(aim) => aim,
            Err(why) => return self.refuse(line, step, reply, why.to_string()),
        };
        let (nodes, rule) = (aim.nodes, aim.rule.clone());
        let id = self.orders.book.next_id();
        self.record(None, Body::FaultOrdered { id, line: line.clone(), nodes, rule, step: step.clone() });
        let aimed_at = OrderAim::of(&line);
        self.orders.book.wait(PendingOrder { step, reply, ..PendingOrder::new(id, text.clone(), aimed_at) });
        let result = self.carry_out(id, &line, &text, aim);
        self.orders.under_way = Some(UnderWay { id, text, nodes, spared: NodeSet::EMPTY, result });
    }

    /// An order that means nothing now. A person is told; a step of the lab leaves a fault that never was in force.
    fn refuse(&mut self, line: FaultLine, step: Option<String>, reply: Option<Sender<Answer>>, why: String) {
        if let Some(reply) = reply {
            return self.answer(reply, Answer::Refused { why });
        }
        let id = self.orders.book.next_id();
        self.record(None, Body::FaultOrdered { id, line, nodes: NodeSet::EMPTY, rule: None, step });
        self.record(None, Body::FaultNotInForce { id, why });
    }

    fn answer(&mut self, reply: Sender<Answer>, answer: Answer) {
        self.commands.push(ProcessCommand::Answer { reply, answer });
    }

    /// The commands that were returned last have been carried out: the order that wanted them stands, and must be
    /// answered in time.
    pub(super) fn finish(&mut self) {
        for node in std::mem::take(&mut self.orders.struck).iter() {
            self.orders.book.overtaken(node);
        }
        let Some(UnderWay { id, text, nodes, spared, result }) = self.orders.under_way.take() else { return };
        self.lift_repaired();
        let OrderResult { within, stands, ends, speed } = result;
        let book = &mut self.orders.book;
        let speed = speed.filter(|_| !book.is_refused(id));
        if speed.is_some()
            && let Some((before, _)) = book.speed()
        {
            book.strike(before);
        }
        let stands = match (speed, stands) {
            (Some(speed), _) if speed != LabSpeed::PLAIN => Some(FaultDeed::Speed(speed)),
            (_, Some(FaultDeed::Crash | FaultDeed::Pause)) if spared == nodes => None,
            (_, stands) => stands,
        };
        let duration = if stands.is_some() { Duration::Lasting } else { Duration::Momentary };
        if let Some(deed) = stands
            && !deed.is_entered_first()
        {
            book.enter(StandingFault { id, text, nodes, deed });
        }
        book.carried_out(id, self.view.wall + within, duration, ends);
    }

    /// Crashes and pauses end when all their nodes run again.
    pub(super) fn lift_repaired(&mut self) {
        let (dead, stopped) = (self.without_process(), self.that_are(ProcessState::Paused));
        for id in self.orders.book.strike_repaired(dead, stopped, &self.orders.losses) {
            self.record(None, Body::FaultLifted { id });
        }
    }

    /// Reports the orders that came into force, and those that are given up by now; goes on with the step whose moment
    /// has come, and with slow processes.
    pub(super) fn advance(&mut self) {
        self.take_slow_turns();
        for order in self.orders.book.take_decided(self.view.wall) {
            let id = order.id;
            let answer = if order.is_in_force() {
                self.record(None, Body::FaultInForce { id });
                for over in &order.ends {
                    self.record(None, Body::FaultLifted { id: *over });
                }
                if order.duration == Duration::Momentary {
                    self.record(None, Body::FaultLifted { id });
                }
                Answer::Done { id: Some(id), text: order.told() }
            } else {
                let silent: NodeSet = order.waiting.iter().map(|(node, _)| *node).collect();
                let why = order.refusal.unwrap_or_else(|| format!("no answer from {silent}"));
                self.record(None, Body::FaultNotInForce { id, why: why.clone() });
                Answer::NotInForce { id, why }
            };
            if let Some(reply) = order.reply {
                self.answer(reply, answer);
            }
        }
        self.advance_moment();
    }

    fn carry_out(&mut self, id: FaultId, line: &FaultLine, text: &str, aim: LineTargets) -> OrderResult {
        let LineTargets { nodes, rule } = aim;
        match line {
            FaultLine::Process(ProcessFault::Crash, _) => {
                nodes.iter().for_each(|node| self.crash(node, id));
                OrderResult::stands(FaultDeed::Crash)
            }
            FaultLine::Process(ProcessFault::Pause, _) => {
                let period = slow::period(self.orders.lab.timing.t);
                for node in nodes.iter() {
                    self.orders.slow.overtaken(node, period);
                    self.stop(node, id);
                }
                OrderResult::stands(FaultDeed::Pause)
            }
            FaultLine::Process(ProcessFault::Resume | ProcessFault::Recover, _) => {
                self.repair(id, nodes);
                OrderResult::within(START_WITHIN)
            }
            FaultLine::Process(ProcessFault::Slow(share), _) => {
                self.orders.slow.enter(nodes, id, *share, self.view.now);
                OrderResult::stands(FaultDeed::Slow)
            }
            FaultLine::Process(ProcessFault::Clock(rate), _) => {
                self.enter_first(id, text, nodes, FaultDeed::Clock(*rate), |turn| turn.tell_clocks(id, nodes))
            }
            FaultLine::Process(ProcessFault::Liar(lie), _) => {
                self.enter_first(id, text, nodes, FaultDeed::Liar(*lie), |turn| turn.tell_lies(id, nodes, *lie))
            }
            FaultLine::Process(ProcessFault::Honest, _) => OrderResult::ends(self.become_honest(id, nodes)),
            FaultLine::Process(ProcessFault::Lose(loss), _) => self.lose(id, *loss, nodes),
            FaultLine::Process(fault, _) => {
                let order = fault.order().expect("other faults stand above");
                let version = self.orders.book.next_version();
                self.ask(id, nodes, nodes, Control::Order { version, order }, version);
                OrderResult::within(ANSWER_WITHIN)
            }
            FaultLine::Speed(speed) => {
                let before = self.orders.book.speed();
                self.run_at(id, *speed);
                OrderResult {
                    speed: Some(*speed),
                    ..OrderResult::ends(before.into_iter().map(|(before, _)| before).collect())
                }
            }
            FaultLine::Lift(other) => self.end_fault(id, *other),
            FaultLine::Undo => {
                let last = self.orders.book.standing().last().map(|fault| fault.id);
                last.map_or_else(|| OrderResult::within(ANSWER_WITHIN), |last| self.end_fault(id, last))
            }
            FaultLine::Link(LinkRule { effect: FaultEffect::Release(_), .. }) => {
                let rule = rule.expect("a line about links has a rule");
                let all = self.orders.lab.roster.all();
                let ends = self.orders.book.release(LinkFault { id, text: text.to_owned(), rule }, all);
                self.tell_table(id, nodes);
                OrderResult::ends(ends)
            }
            FaultLine::Link(LinkRule { effect: FaultEffect::Courier(_), .. }) => {
                let rule = rule.expect("a line about links has a rule");
                self.tell_act(LinkFault { id, text: text.to_owned(), rule });
                OrderResult::within(ANSWER_WITHIN)
            }
            FaultLine::Link(_) => {
                let rule = rule.expect("a line about links has a rule");
                self.enter_first(id, text, nodes, FaultDeed::Link(rule), |turn| turn.tell_table(id, nodes))
            }
            FaultLine::Heal => self.heal(id),
            FaultLine::HealAll => {
                let mut result = self.heal(id);
                self.end_those_of_processes(id, &mut result);
                let broken = self.that_are(ProcessState::Paused).union(&self.without_process());
                self.repair(id, broken);
                OrderResult { within: START_WITHIN, ..result }
            }
        }
    }

    /// Enters a fault before the nodes are told of it: they get the content of the book.
    fn enter_first(
        &mut self,
        id: FaultId,
        text: &str,
        nodes: NodeSet,
        deed: FaultDeed,
        tell: impl FnOnce(&mut Self),
    ) -> OrderResult {
        self.orders.book.enter(StandingFault { id, text: text.to_owned(), nodes, deed: deed.clone() });
        tell(self);
        OrderResult::stands(deed)
    }

    /// Kills a process.
    fn crash(&mut self, node: NodeId, by: FaultId) {
        if self.view.starts_waiting.contains(node) {
            self.commands.push(ProcessCommand::CancelStart { node });
            self.orders.book.refuse_start(node, &format!("{node} was crashed before its process was started"));
        }
        self.commands.push(ProcessCommand::Kill { node, by });
        self.orders.struck.insert(node);
        self.view.processes.insert(node, ProcessState::Dead);
    }

    /// Stops a process. What it must still acknowledge it reads before anything else when it goes on.
    pub(super) fn stop(&mut self, node: NodeId, by: FaultId) {
        self.commands.push(ProcessCommand::Stop { node, by });
        self.orders.struck.insert(node);
        self.view.processes.insert(node, ProcessState::Paused);
    }

    /// Lets those of the nodes that are stopped go on.
    pub(super) fn go_on(&mut self, nodes: NodeSet) {
        for node in nodes.intersection(&self.that_are(ProcessState::Paused)).iter() {
            // It reads the faults that are in force now before anything else.
            let book = &mut self.orders.book;
            let faults = Control::Faults { version: book.next_version(), faults: book.table() };
            self.commands.push(ProcessCommand::GoOn { node, faults });
            self.view.processes.insert(node, ProcessState::Running);
        }
    }

    /// Continues those of the nodes that are stopped, and starts the dead ones.
    fn repair(&mut self, id: FaultId, nodes: NodeSet) {
        self.go_on(nodes);
        for node in nodes.intersection(&self.without_process()).iter() {
            self.orders.book.await_from(id, NodeSet::of(node), Awaited::FirstStep);
            self.commands.push(ProcessCommand::Start { node });
            self.view.processes.insert(node, ProcessState::Starting);
        }
    }

    /// The nodes' next starts find their stores lost. No process has to answer: a running process does not read its
    /// store again.
    fn lose(&mut self, id: FaultId, loss: CellLoss, nodes: NodeSet) -> OrderResult {
        let loss = StoreLoss { by: id, loss };
        self.commands.extend(nodes.iter().map(|node| ProcessCommand::MarkStore { node, loss }));
        OrderResult::stands(FaultDeed::Lose)
    }

    fn end_fault(&mut self, id: FaultId, other: FaultId) -> OrderResult {
        let Some(fault) = self.orders.book.standing().iter().find(|fault| fault.id == other).cloned() else {
            return OrderResult::within(ANSWER_WITHIN);
        };
        let mut result = OrderResult::within(ANSWER_WITHIN);
        match fault.deed {
            FaultDeed::Crash | FaultDeed::Pause => {
                self.repair(id, fault.nodes);
                result.within = START_WITHIN;
            }
            FaultDeed::Lose | FaultDeed::Slow | FaultDeed::Clock(_) | FaultDeed::Liar(_) | FaultDeed::Speed(_) => {
                self.end_that_of_processes(id, &fault, &mut result)
            }
            FaultDeed::Link(_) => {
                self.orders.book.strike(other);
                self.tell_table(id, fault.nodes);
                result.ends.push(other);
            }
        }
        result
    }

    fn heal(&mut self, id: FaultId) -> OrderResult {
        let ends = self.orders.book.strike_links();
        let all = self.orders.lab.roster.all();
        self.tell_table(id, all);
        OrderResult::ends(ends)
    }

    /// Losses that have not happened are cancelled, no node is slow or lies any more, all clocks run at the lab's rate,
    /// and lab time at this computer's.
    fn end_those_of_processes(&mut self, by: FaultId, result: &mut OrderResult) {
        let is_of_processes = |fault: &&StandingFault| match fault.deed {
            FaultDeed::Lose | FaultDeed::Slow | FaultDeed::Clock(_) | FaultDeed::Liar(_) | FaultDeed::Speed(_) => true,
            FaultDeed::Crash | FaultDeed::Pause | FaultDeed::Link(_) => false,
        };
        let ended: Vec<StandingFault> = self.orders.book.standing().iter().filter(is_of_processes).cloned().collect();
        ended.iter().for_each(|fault| self.end_that_of_processes(by, fault, result));
    }

    fn end_that_of_processes(&mut self, by: FaultId, fault: &StandingFault, result: &mut OrderResult) {
        result.ends.push(fault.id);
        if let FaultDeed::Speed(_) = fault.deed {
            // It stands until lab time has its plain speed again.
            result.speed = Some(LabSpeed::PLAIN);
            return self.run_at(by, LabSpeed::PLAIN);
        }
        self.orders.book.strike(fault.id);
        match fault.deed {
            FaultDeed::Lose => self.orders.losses.call_off(fault.id),
            FaultDeed::Slow => {
                let stopped = self.orders.slow.take_out(fault.id);
                self.go_on(stopped);
            }
            FaultDeed::Clock(_) => self.tell_clocks(by, fault.nodes),
            FaultDeed::Liar(lie) => self.tell_lies(by, fault.nodes, lie),
            _ => unreachable!("it is a fault of processes"),
        }
    }

    /// Has lab time run at this speed in all processes, and tells those that run: one that sleeps must reckon anew until
    /// when. A stopped one hears it when it goes on, and reads the right time before that.
    fn run_at(&mut self, id: FaultId, speed: LabSpeed) {
        match self.view.speed_effect {
            SpeedEffect::Virtual => {
                let text = "this lab runs in virtual time, where a speed changes nothing".to_owned();
                self.record(None, Body::Note { text });
            }
            SpeedEffect::Changes { .. } => {
                let version = self.orders.book.next_version();
                self.orders.book.await_from(id, self.running(), Awaited::Acknowledgement(version));
                let (nodes, control) = (self.with_process(), Control::Speed { version });
                self.commands.push(ProcessCommand::SetSpeed { speed, by: id, nodes, control });
            }
        }
    }

    /// Tells each of these nodes that has a process the present rate of its clock; a stopped node reads this when it
    /// goes on, and the order does not wait for its answer.
    fn tell_clocks(&mut self, id: FaultId, nodes: NodeSet) {
        let running = self.running();
        for node in nodes.intersection(&self.with_process()).iter() {
            let (version, clock) = (self.orders.book.next_version(), self.orders.book.clock_of(node));
            self.ask(id, NodeSet::of(node), running, Control::Clock { version, clock }, version);
        }
    }

    /// These nodes are honest from now on; returns the faults that end with this order.
    fn become_honest(&mut self, id: FaultId, nodes: NodeSet) -> Vec<FaultId> {
        let fellows = self.orders.book.liars(Lie::Collude);
        let ends = self.orders.book.become_honest(nodes);
        let told = if nodes.intersection(&fellows).is_empty() { nodes } else { nodes.union(&fellows) };
        self.tell_lying(id, told);
        ends
    }

    /// Tells these nodes what they lie now; those that collude all learn who does.
    fn tell_lies(&mut self, id: FaultId, nodes: NodeSet, lie: Lie) {
        let fellows = if lie == Lie::Collude { self.orders.book.liars(lie) } else { NodeSet::EMPTY };
        self.tell_lying(id, nodes.union(&fellows));
    }

    /// Tells each of these nodes that has a process what it lies now; a stopped node hears it when it goes on, and the
    /// order does not wait for its answer.
    fn tell_lying(&mut self, id: FaultId, nodes: NodeSet) {
        let running = self.running();
        for node in nodes.intersection(&self.with_process()).iter() {
            let (version, lying) = (self.orders.book.next_version(), self.orders.book.lying_of(node));
            self.ask(id, NodeSet::of(node), running, Control::Order { version, order: Order::Lie(lying) }, version);
        }
    }

    /// Sends every node the table of link faults: a running node now, a stopped one before it goes on, a dead one before
    /// it opens its sockets. Waits for the answers of `concerned`.
    fn tell_table(&mut self, id: FaultId, concerned: NodeSet) {
        let book = &mut self.orders.book;
        let version = book.next_version();
        let control = Control::Faults { version, faults: book.table() };
        let running = self.running();
        self.ask(id, running, concerned, control, version);
    }

    /// Tells the receiver of a held link what to do to one datagram, and waits for its answer.
    fn tell_act(&mut self, act: LinkFault) {
        let Links::To { to: receiver, .. } = act.rule.links else { return };
        let (id, version) = (act.id, self.orders.book.next_version());
        self.ask(id, receiver, receiver, Control::Courier { version, act }, version);
    }

    /// Sends these nodes a message; waits for the answers of those that are concerned. A node that does not get it will
    /// not acknowledge it, and is named then.
    fn ask(&mut self, id: FaultId, nodes: NodeSet, concerned: NodeSet, control: Control, version: u64) {
        let awaited = Awaited::Acknowledgement(version);
        self.orders.book.await_from(id, nodes.intersection(&concerned), awaited);
        self.tell(nodes, control);
    }
}
