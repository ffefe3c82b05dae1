//! Fault lines carried out: what each does to processes and links, and when it is in force.
//!
//! Invariant: a fault is in force when every process concerned that runs has acknowledged it. A dead process gets the
//! table of faults before it opens its sockets, a stopped one before it is continued: neither holds a fault up.

use std::collections::BTreeSet;
use std::sync::mpsc::Sender;

use super::fault_book::{Awaited, Deed, Duration, Pending, Standing};
use super::lab_loop::LabLoop;
use super::nodes::Process;
use super::reader::Event;
use crate::fault::{FaultId, FaultLine, LinkRule, Target};
use crate::protocol::{NodeId, NodeSet, Order};
use crate::record::{Answer, Body, Control, Death, Record};

/// A running node that has not answered after this does not hold up an order any more, in nanoseconds.
const ANSWER_WITHIN: i64 = 1_000_000_000;
/// A process that was started takes its first step within this, in nanoseconds.
const START_WITHIN: i64 = 10_000_000_000;

/// An order understood: what it is about and whose it is.
struct Ordered {
    line: FaultLine,
    text: String,
    step: Option<String>,
    reply: Option<Sender<Answer>>,
}

/// What carrying an order out came to.
struct Done {
    waiting: BTreeSet<(NodeId, Awaited)>,
    within: i64,
    stands: Option<Deed>,
    ends: Vec<FaultId>,
    refusal: Option<String>,
}

impl Done {
    fn at_once(stands: Option<Deed>) -> Done {
        Done { waiting: BTreeSet::new(), within: ANSWER_WITHIN, stands, ends: Vec::new(), refusal: None }
    }
}

impl LabLoop<'_> {
    /// Takes a step of the lab: all its lines, in order. Answers the ids of the faults that they became.
    pub(super) fn take_step(&mut self, step: &str, lines: &[FaultLine]) -> Vec<FaultId> {
        self.admit_own(None, Body::StepTaken { step: step.to_owned() });
        let order = |line: &FaultLine| {
            let (line, text) = (line.clone(), line.to_string());
            self.order(Ordered { line, text, step: Some(step.to_owned()), reply: None })
        };
        lines.iter().filter_map(order).collect()
    }

    /// Takes a line that a person gave.
    pub(super) fn take_line(&mut self, text: &str, reply: Sender<Answer>) {
        match text.parse::<FaultLine>() {
            Ok(line) => {
                self.order(Ordered { text: line.to_string(), line, step: None, reply: Some(reply) });
            }
            Err(error) => drop(reply.send(Answer::Refused { why: error.drawn(text) })),
        }
    }

    /// Carries an order out; answers the id of its fault, if it became one.
    fn order(&mut self, ordered: Ordered) -> Option<FaultId> {
        let (nodes, rule) = match self.aim(&ordered.line) {
            Ok(aim) => aim,
            Err(why) => return self.refuse(ordered, why),
        };
        let id = self.book.next_id();
        let (line, step) = (ordered.text.clone(), ordered.step.clone());
        self.admit_own(None, Body::FaultOrdered { id, line, nodes, rule: rule.clone(), step });
        let done = self.carry_out(id, &ordered, nodes, rule);
        let duration = if done.stands.is_some() { Duration::Lasting } else { Duration::Momentary };
        if let Some(deed) = done.stands
            && !matches!(deed, Deed::Link(_))
        {
            self.book.enter(Standing { id, text: ordered.text.clone(), nodes, deed });
        }
        let deadline = self.clock.now() + done.within;
        let (text, reply) = (ordered.text, ordered.reply);
        let Done { waiting, ends, refusal, .. } = done;
        self.book.wait(Pending { id, text, waiting, refusal, deadline, duration, ends, reply });
        self.settle_orders(self.clock.now());
        Some(id)
    }

    /// An order that means nothing now. A person is told; a step of the lab leaves a fault that never was in force.
    fn refuse(&mut self, ordered: Ordered, why: String) -> Option<FaultId> {
        if let Some(reply) = ordered.reply {
            let _ = reply.send(Answer::Refused { why });
            return None;
        }
        let id = self.book.next_id();
        let (line, nodes) = (ordered.text, NodeSet::EMPTY);
        self.admit_own(None, Body::FaultOrdered { id, line, nodes, rule: None, step: ordered.step });
        self.admit_own(None, Body::FaultNotInForce { id, why });
        Some(id)
    }

    /// The nodes a line is about, less those to which it can do nothing, and its link rule.
    fn aim(&self, line: &FaultLine) -> Result<(NodeSet, Option<LinkRule>), String> {
        let resolve = |target: &Target| {
            let all = self.lab.roster.all();
            target.resolve(all, |of| self.world.coordinator(of)).map_err(|error| error.to_string())
        };
        let those = |target: &Target, able: NodeSet, why: &str| {
            let meant = resolve(target)?;
            let nodes = meant.intersection(&able);
            if nodes.is_empty() { Err(format!("{meant} {why}")) } else { Ok((nodes, None)) }
        };
        let linked = |rule: LinkRule| {
            let all = self.lab.roster.all();
            let concerns = |node: &NodeId| {
                all.iter().any(|other| other != *node && (rule.concerns(*node, other) || rule.concerns(other, *node)))
            };
            let nodes: NodeSet = all.iter().filter(concerns).collect();
            if nodes.is_empty() { Err("that is about no link of this lab".to_owned()) } else { Ok((nodes, Some(rule))) }
        };
        let running = self.nodes.running();
        let stopped = self.nodes.that_are(Process::Stopped);
        let dead = self.nodes.that_are(Process::Absent);
        match line {
            FaultLine::Crash(target) => {
                those(target, running.union(&stopped).union(&self.pace.waiting()), "is dead already")
            }
            FaultLine::Recover(target) => those(target, dead, "is not dead"),
            FaultLine::Pause(target) => those(target, running, "does not run, so it cannot be paused"),
            FaultLine::Resume(target) => those(target, stopped, "is not paused"),
            FaultLine::Elect(target) => those(target, running, "does not run, so it cannot hold an election"),
            FaultLine::Cut(from, way, to) => {
                linked(LinkRule::Cut { from: resolve(from)?, to: resolve(to)?, way: *way })
            }
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
            FaultLine::Lift(id) => match self.book.standing().iter().find(|fault| fault.id == *id) {
                Some(fault) => Ok((fault.nodes, None)),
                None => Err(format!("no fault {id} stands")),
            },
            FaultLine::Undo => match self.book.standing().last() {
                Some(fault) => Ok((fault.nodes, None)),
                None => Err("no fault stands that could be undone".to_owned()),
            },
            FaultLine::Heal | FaultLine::HealAll => Ok((self.lab.roster.all(), None)),
        }
    }

    fn carry_out(&mut self, id: FaultId, ordered: &Ordered, nodes: NodeSet, rule: Option<LinkRule>) -> Done {
        match &ordered.line {
            FaultLine::Crash(_) => {
                for node in nodes.iter() {
                    self.crash(node, id);
                }
                self.lift_repaired();
                Done::at_once(Some(Deed::Crash))
            }
            FaultLine::Pause(_) => {
                for node in nodes.iter() {
                    self.pause(node, id);
                }
                Done::at_once(Some(Deed::Pause))
            }
            FaultLine::Resume(_) => self.repair(nodes),
            FaultLine::Recover(_) => self.repair(nodes),
            FaultLine::Elect(_) => {
                let version = self.book.next_version();
                let control = Control::Order { version, order: Order::Elect };
                let waiting = self.tell(nodes, &control, version);
                Done { waiting, ..Done::at_once(None) }
            }
            FaultLine::Lift(other) => self.end_fault(*other),
            FaultLine::Undo => {
                let last = self.book.standing().last().map(|fault| fault.id);
                last.map_or_else(|| Done::at_once(None), |last| self.end_fault(last))
            }
            FaultLine::Heal => self.heal(),
            FaultLine::HealAll => {
                let mut done = self.heal();
                let broken = self.nodes.that_are(Process::Stopped).union(&self.nodes.that_are(Process::Absent));
                let repaired = self.repair(broken);
                done.waiting.extend(repaired.waiting);
                done.within = START_WITHIN;
                done.refusal = repaired.refusal;
                done
            }
            FaultLine::Cut(..)
            | FaultLine::Isolate(_)
            | FaultLine::Partition(_)
            | FaultLine::Loss(..)
            | FaultLine::Delay(..)
            | FaultLine::Tamper(..) => {
                let rule = rule.expect("a line about links has a rule");
                let deed = Deed::Link(rule);
                // Entered first: the table that nodes are told is the book's.
                self.book.enter(Standing { id, text: ordered.text.clone(), nodes, deed: deed.clone() });
                Done { waiting: self.tell_table(nodes), ..Done::at_once(Some(deed)) }
            }
        }
    }

    fn crash(&mut self, node: NodeId, by: FaultId) {
        if self.pace.call_off(node) {
            self.book.refuse_start(node, &format!("{node} was crashed before its process was started"));
        }
        let Some(exit) = self.nodes.kill(node) else { return };
        self.read_until(node, |event| matches!(event, Event::Closed(of) if *of == node));
        let killed_at = exit.at as i64 - self.clock.epoch as i64;
        let at = self.last_record_at.get(&node).map_or(killed_at, |last| killed_at.max(*last));
        self.book.overtaken(node);
        self.admit(Record::of_node(at, node, Body::Died { death: Death::Killed { by } }));
    }

    /// Reads what a process had written before it was killed or stopped, so that no cause is lost or told after its
    /// effect; all else waits.
    fn read_until(&mut self, node: NodeId, is_last: impl Fn(&Event) -> bool) {
        let mut waiting = std::mem::take(&mut self.backlog);
        let mut others = std::collections::VecDeque::new();
        loop {
            let event = match waiting.pop_front() {
                Some(event) => event,
                None => self.events.recv().expect("the reader thread outlives the lab"),
            };
            match event {
                Event::Packet(of, packet) if of == node => self.take_packet(node, &packet),
                last if is_last(&last) => break,
                other => others.push_back(other),
            }
        }
        others.append(&mut waiting);
        self.backlog = others;
    }

    /// A process ended that nobody had ordered to.
    pub(super) fn take_unordered_death(&mut self, node: NodeId) {
        use std::os::unix::process::ExitStatusExt;
        let Some(exit) = self.nodes.kill(node) else { return };
        let death = match (exit.status.code(), exit.status.signal()) {
            (Some(code), _) => Death::Exited { code },
            (None, signal) => Death::Signalled { signal: signal.unwrap_or(0) },
        };
        self.book.has_died(node);
        self.admit_own(Some(node), Body::Died { death });
    }

    fn pause(&mut self, node: NodeId, by: FaultId) {
        match self.nodes.stop(node) {
            Ok(()) => {
                let at = self.clock.now();
                self.reader.drain(node);
                self.read_until(node, |event| matches!(event, Event::Drained(of) if *of == node));
                self.book.overtaken(node);
                self.admit(Record::of_node(at, node, Body::Stopped { by }));
            }
            Err(error) => self.admit_own(Some(node), Body::Note { text: format!("cannot be stopped: {error}") }),
        }
    }

    /// Continues those of the nodes that stand still, starts those that are dead.
    fn repair(&mut self, nodes: NodeSet) -> Done {
        let (mut waiting, mut refusal) = (BTreeSet::new(), None);
        for node in nodes.intersection(&self.nodes.that_are(Process::Stopped)).iter() {
            // The faults that are in force now are the first thing that it reads.
            let control = Control::Faults { version: self.book.next_version(), faults: self.book.table() };
            self.nodes.tell(node, &control);
            let at = self.clock.now();
            match self.nodes.resume(node) {
                Ok(()) => self.admit(Record::of_node(at, node, Body::Continued)),
                Err(error) => self.admit_own(Some(node), Body::Note { text: format!("cannot go on: {error}") }),
            }
        }
        for node in nodes.intersection(&self.nodes.that_are(Process::Absent)).iter() {
            waiting.insert((node, Awaited::FirstStep));
            refusal = refusal.or(self.start_in_time(node).err());
        }
        self.lift_repaired();
        Done { waiting, refusal, within: START_WITHIN, ..Done::at_once(None) }
    }

    /// Crashes and pauses that have been made good are over.
    pub(super) fn lift_repaired(&mut self) {
        let (dead, stopped) = (self.nodes.that_are(Process::Absent), self.nodes.that_are(Process::Stopped));
        for id in self.book.strike_repaired(dead, stopped) {
            self.admit_own(None, Body::FaultLifted { id });
        }
    }

    fn end_fault(&mut self, id: FaultId) -> Done {
        let Some(fault) = self.book.standing().iter().find(|fault| fault.id == id).cloned() else {
            return Done::at_once(None);
        };
        match fault.deed {
            Deed::Crash | Deed::Pause => self.repair(fault.nodes),
            Deed::Link(_) => {
                self.book.strike(id);
                Done { waiting: self.tell_table(fault.nodes), ends: vec![id], ..Done::at_once(None) }
            }
        }
    }

    fn heal(&mut self) -> Done {
        let is_link = |fault: &&Standing| matches!(fault.deed, Deed::Link(_));
        let ends: Vec<FaultId> = self.book.standing().iter().filter(is_link).map(|fault| fault.id).collect();
        for id in &ends {
            self.book.strike(*id);
        }
        Done { waiting: self.tell_table(self.lab.roster.all()), ends, ..Done::at_once(None) }
    }

    /// Tells every node that runs the table of link faults, a stopped one before it goes on, a dead one before it opens
    /// its sockets; answers those of `concerned` whose answer is to be waited for.
    fn tell_table(&mut self, concerned: NodeSet) -> BTreeSet<(NodeId, Awaited)> {
        let version = self.book.next_version();
        let control = Control::Faults { version, faults: self.book.table() };
        let told = self.tell(self.nodes.running(), &control, version);
        told.into_iter().filter(|(node, _)| concerned.contains(*node)).collect()
    }

    fn tell(&self, nodes: NodeSet, control: &Control, version: u64) -> BTreeSet<(NodeId, Awaited)> {
        for node in nodes.iter() {
            // A node that does not take it will not acknowledge it, and is named then.
            self.nodes.tell(node, control);
        }
        nodes.iter().map(|node| (node, Awaited::Acknowledgement(version))).collect()
    }

    /// Tells of the orders that came into force, and of those that are given up.
    pub(super) fn settle_orders(&mut self, now: i64) {
        for order in self.book.take_decided(now) {
            let id = order.id;
            let answer = if order.is_in_force() {
                self.admit_own(None, Body::FaultInForce { id });
                for over in order.ends {
                    self.admit_own(None, Body::FaultLifted { id: over });
                }
                if order.duration == Duration::Momentary {
                    self.admit_own(None, Body::FaultLifted { id });
                }
                Answer::Done { id: Some(id), text: format!("{id} {}: in force", order.text) }
            } else {
                let silent: NodeSet = order.waiting.iter().map(|(node, _)| *node).collect();
                let why = order.refusal.unwrap_or_else(|| format!("no answer from {silent}"));
                self.admit_own(None, Body::FaultNotInForce { id, why: why.clone() });
                Answer::NotInForce { id, why }
            };
            if let Some(reply) = order.reply {
                // An asker that is gone does not want the answer any more.
                let _ = reply.send(answer);
            }
        }
        self.advance_moments();
    }
}
