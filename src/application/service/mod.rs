//! Service by election (King, Gendreau and Ni 1988, section 7): a request of a user begins an election, and the elected
//! process serves it.
//!
//! One machine does three of the six applications; the criterion makes the difference. In a *group server* (item 1) a
//! capacity says how near and how busy a server is; in *load balancing* (item 2) how busy it is. In *crash recovery*
//! (item 4) it is the id: when a server has died in the midst of a service, the next master takes the service up.
//!
//! The paper says no more than this. Ours is how they know what to serve. A service has parts, and its server tells all
//! processes the account of it after each part. A new master asks all for their accounts, and serves what nobody else
//! serves, from where the newest account ends: one service for each election. So it does after a partition too: of two
//! that serve one service the one with the newer account goes on. A process that is no longer master goes on with the
//! services that it has taken up, when the new master has compared the accounts and told the newest ones to all.
//!
//! Invariant: an account only grows, and is in the safe cells before anybody is told of it.

mod card;
mod conditions;
mod judge;
mod master;
mod message;
#[cfg(test)]
mod tests;
mod words;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use self::card as line;
pub use self::conditions::SERVED;
pub use self::message::ServiceMessage;
use crate::LabApplication;
use protocol::{
    Application, ApplicationCard, ApplicationEffects, ApplicationEntry, DonePart, Incarnation, NodeId, NodeMap,
    NodeSet, OrderId, ServiceFacts, ServiceLog, ServiceWork, Settings, Setup, Span, StateVector, Status, TaskId, Work,
    prime_count,
};

/// What a program has of it.
pub const ENTRY: LabApplication = LabApplication {
    machine: ApplicationEntry::of::<Service>(),
    judge: judge::of,
    did: words::did,
    row: words::row,
    fields: words::fields,
};

/// The busy process computes at this pace.
const BUSY_PACE: Span = Span::from_millis(20);
/// Each time it counts the primes below this number.
const BUSY_NUMBERS: u64 = 200_000;

protocol::worded! {
    /// The timers of the service.
    #[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
    pub enum ServiceTimer {
        /// The next word to the master.
        Ask = "next word to the master",
        /// All have heard who is master.
        Settle = "end of the election at all",
        /// The others have answered the new master.
        Recover = "accounts of the others",
        /// A part takes this long.
        Part = "end of the part",
        /// The master looks at the servers.
        Watch = "next look at the servers",
        /// Computing for itself.
        Busy = "end of its own work",
    }
}

/// What is kept in the safe cells.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct ServiceCells {
    /// The newest account of the newest service of each asker.
    accounts: NodeMap<ServiceLog>,
    /// How many requests of this process's users wait.
    waiting: u32,
    /// How many services it has finished.
    finished: u32,
}

/// One process's part.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct Service {
    me: NodeId,
    others: NodeSet,
    incarnation: Incarnation,
    /// T, the check period, and how long a part takes.
    t: Span,
    check: Span,
    pace: Span,
    facts: ServiceFacts,
    service_load: i64,
    own_work: OwnWork,
    cells: ServiceCells,
    /// What its process was in when it was told last.
    status: Status,
    /// The group in which it is at work.
    task: Option<TaskId>,
    mastery: ServiceRole,
    /// Whose services it serves.
    serves: BTreeSet<NodeId>,
    activity: Activity,
    part: Option<DonePart>,
}

/// Whether a process computes for itself.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
enum OwnWork {
    /// Has nothing to compute.
    None,
    /// Computes all the time.
    Endless,
}

/// Whether a server is at a part.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
enum Activity {
    /// Has nothing to serve, or waits for the master's word.
    Rests,
    /// The time of a part runs.
    Works,
}

/// What a process is to its group.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
enum ServiceRole {
    /// Not its master.
    Member,
    /// Learns what is under way, and these askers' servers have answered.
    Recovers(BTreeSet<NodeId>),
    /// Watches the servers of these askers, and counts the looks at which each has been silent.
    Watches(NodeMap<u8>),
}

type ServiceEffects = ApplicationEffects<Service>;

impl Application for Service {
    type Message = ServiceMessage;
    type Timer = ServiceTimer;
    type Saved = ServiceCells;
    const CARD: ApplicationCard = card::CARD;

    fn start(setup: &Setup, settings: &Settings, saved: Option<ServiceCells>) -> Service {
        let facts = card::facts(settings);
        Service {
            me: setup.me,
            others: setup.roster.all().minus(&NodeSet::of(setup.me)),
            incarnation: setup.incarnation,
            t: setup.timing.t,
            check: setup.timing.check,
            pace: Span::from_millis(u64::from(facts.pace_ms)),
            facts,
            service_load: settings.number(line::SERVICE_LOAD) as i64,
            own_work: if settings.number(line::BUSY) == u64::from(setup.me.get()) {
                OwnWork::Endless
            } else {
                OwnWork::None
            },
            cells: saved.unwrap_or_default(),
            status: Status::Down,
            task: None,
            mastery: ServiceRole::Member,
            serves: BTreeSet::new(),
            activity: Activity::Rests,
            part: None,
        }
    }

    fn on_start(&mut self, fx: &mut ServiceEffects) {
        if self.asked().is_some() {
            fx.set_timer(ServiceTimer::Ask, self.check);
        }
        if self.own_work == OwnWork::Endless {
            fx.set_timer(ServiceTimer::Busy, BUSY_PACE);
        }
    }

    fn on_state(&mut self, state: &StateVector, fx: &mut ServiceEffects) {
        self.status = state.status;
        let task = TaskId::at_work(state);
        if task == self.task {
            return;
        }
        self.task = task;
        match task {
            Some(task) if task.author == self.me => self.become_master(fx),
            _ => self.become_member(fx),
        }
        // Its services rest until the master has heard all: somebody else may be further with them.
        self.become_resting(fx);
        if task.is_some() && self.asked().is_some() {
            self.ask_master(fx);
        }
    }

    fn capacity(&self, given: i64) -> i64 {
        match given {
            // The lab says that it is no candidate.
            ..0 => given,
            _ => (given - self.service_load * self.serves.len() as i64).max(0),
        }
    }

    fn on_message(&mut self, from: NodeId, message: ServiceMessage, fx: &mut ServiceEffects) {
        match message {
            ServiceMessage::Ask(log) => self.take_request(from, log, fx),
            ServiceMessage::Tell => {
                fx.line(line::ANSWER);
                self.cells.accounts.values().for_each(|log| fx.send(from, ServiceMessage::Log(self.as_served(*log))));
            }
            ServiceMessage::Log(log) => {
                self.learn(log, fx);
                if log.server == Some(from) {
                    self.hear_server_of(log.id.node);
                }
                let is_master = self.task.is_some_and(|task| task.author == from);
                if is_master && self.serves.contains(&log.id.node) {
                    self.become_active(fx);
                }
            }
        }
    }

    fn on_timer(&mut self, timer: ServiceTimer, fx: &mut ServiceEffects) {
        match timer {
            ServiceTimer::Ask => self.ask_master(fx),
            ServiceTimer::Settle => {
                fx.line(line::TELL);
                self.others.iter().for_each(|other| fx.send(other, ServiceMessage::Tell));
                fx.set_timer(ServiceTimer::Recover, self.t * 2);
            }
            ServiceTimer::Recover => self.recover(fx),
            ServiceTimer::Part => self.do_part(fx),
            ServiceTimer::Watch => self.watch(fx),
            ServiceTimer::Busy => {
                std::hint::black_box(prime_count(0..BUSY_NUMBERS));
                fx.set_timer(ServiceTimer::Busy, BUSY_PACE);
            }
        }
    }

    fn on_request(&mut self, fx: &mut ServiceEffects) {
        self.cells.waiting = self.cells.waiting.saturating_add(1);
        match self.asked() {
            None => self.request(fx),
            Some(_) => {
                fx.line(line::ASK);
                fx.save(self.cells.clone());
            }
        }
    }

    // A new master does not count who has answered: it gives all their time.
    fn waits_for(&self, _: ServiceTimer) -> NodeSet {
        NodeSet::EMPTY
    }

    fn work(&self) -> Work {
        Work::Service(ServiceWork {
            asked: self.asked(),
            waiting: self.cells.waiting,
            serves: self.serves.iter().copied().collect(),
            finished: self.cells.finished,
            part: self.part,
        })
    }
}

impl Service {
    /// The service of its own user, if that is under way.
    fn asked(&self) -> Option<ServiceLog> {
        self.cells.accounts.get(&self.me).copied().filter(|log| self.is_open(log))
    }

    fn is_open(&self, log: &ServiceLog) -> bool {
        log.done < self.facts.parts
    }

    fn become_resting(&mut self, fx: &mut ServiceEffects) {
        if self.activity == Activity::Works {
            self.activity = Activity::Rests;
            fx.cancel_timer(ServiceTimer::Part);
        }
    }

    /// Goes on with what it serves, if it serves anybody and does not work already.
    fn become_active(&mut self, fx: &mut ServiceEffects) {
        if self.activity == Activity::Rests && !self.serves.is_empty() {
            self.activity = Activity::Works;
            fx.set_timer(ServiceTimer::Part, self.pace);
        }
    }

    /// Begins an election for the next request.
    fn request(&mut self, fx: &mut ServiceEffects) {
        let serial = self.cells.accounts.get(&self.me).map_or(0, |last| last.id.serial).saturating_add(1);
        let id = OrderId { node: self.me, incarnation: self.incarnation, serial };
        self.cells.accounts.insert(self.me, ServiceLog { id, done: 0, turn: 0, server: None, primes: 0 });
        self.cells.waiting -= 1;
        fx.line(line::ASK);
        fx.save(self.cells.clone());
        fx.elect();
        fx.set_timer(ServiceTimer::Ask, self.check);
    }

    /// Tells the master of the service for its own user, if that is not finished.
    fn ask_master(&mut self, fx: &mut ServiceEffects) {
        let Some(log) = self.asked() else { return };
        match (self.task, self.status) {
            (Some(task), _) if task.author == self.me => self.take_request(self.me, log, fx),
            (Some(task), _) => {
                fx.line(line::ASK_MASTER);
                fx.send(task.author, ServiceMessage::Ask(log));
            }
            (None, Status::Election | Status::Reorganization) => {}
            (None, _) => {
                fx.line(line::MASTERLESS);
                fx.elect();
            }
        }
        fx.set_timer(ServiceTimer::Ask, self.check);
    }

    /// Does a part of the next service, each in turn.
    fn do_part(&mut self, fx: &mut ServiceEffects) {
        self.activity = Activity::Rests;
        let last = self.part.map(|part| part.id.node);
        let next = self.serves.iter().find(|asker| Some(**asker) > last).or(self.serves.first());
        let log = next.and_then(|asker| self.cells.accounts.get(asker).copied());
        let (Some(task), Some(log)) = (self.task, log) else { return };
        let done = log.done + 1;
        let primes = self.facts.primes_of(done);
        let log = ServiceLog { done, primes: log.primes.saturating_add(primes), ..log };
        fx.line(line::PART);
        let times = self.part.map_or(0, |part| part.times).saturating_add(1);
        self.part = Some(DonePart { id: log.id, part: done, primes, task, times });
        if !self.is_open(&log) {
            fx.line(line::FINISH);
            self.serves.remove(&log.id.node);
            self.cells.finished = self.cells.finished.saturating_add(1);
        }
        self.keep(log, fx);
        self.become_active(fx);
        self.go_on_asking(log, fx);
    }

    /// Takes over an account that is newer than its own.
    fn learn(&mut self, log: ServiceLog, fx: &mut ServiceEffects) {
        let asker = log.id.node;
        if self.cells.accounts.get(&asker).is_some_and(|known| *known >= log) {
            return;
        }
        fx.line(line::LEARN);
        self.cells.accounts.insert(asker, log);
        fx.save(self.cells.clone());
        if log.server != Some(self.me) && self.serves.remove(&asker) {
            fx.line(line::STOP);
            if self.serves.is_empty() {
                self.become_resting(fx);
            }
        }
        self.go_on_asking(log, fx);
    }

    /// Keeps its own newest account of a service, and tells all.
    fn keep(&mut self, log: ServiceLog, fx: &mut ServiceEffects) {
        self.cells.accounts.insert(log.id.node, log);
        fx.save(self.cells.clone());
        self.others.iter().for_each(|other| fx.send(other, ServiceMessage::Log(log)));
    }

    /// Asks for the next service once that for its own user is finished.
    fn go_on_asking(&mut self, log: ServiceLog, fx: &mut ServiceEffects) {
        if log.id.node == self.me && !self.is_open(&log) && self.cells.waiting > 0 {
            self.request(fx);
        }
    }

    /// The account as a process tells it to a new master. One that it served in an earlier life it serves no more.
    fn as_served(&self, log: ServiceLog) -> ServiceLog {
        let server = log.server.filter(|server| *server != self.me || self.serves.contains(&log.id.node));
        ServiceLog { server, ..log }
    }
}
