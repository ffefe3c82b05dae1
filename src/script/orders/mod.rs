//! Fault lines carried out, live and simulated: which nodes each is about, what it does to processes and links, and
//! when it is in force.
//!
//! A host or a simulation implements [`Hands`] and so has [`Orders`]. The answers of a process go to the [`Desk`], at
//! any time, even while an order is being carried out: an order waits before it asks. After telling the desk something,
//! the caller runs [`Orders::advance_orders`] when its hands are free again.
//!
//! Invariant: a fault is in force when every running process concerned has acknowledged it. A dead process gets the
//! table of faults before it opens its sockets, a stopped one before it is continued: neither delays a fault.

mod aim;
mod book;
mod carry;
mod clocks;
mod lies;
mod losses;
mod moments;
mod slow;
mod speed;
#[cfg(test)]
mod tests;

use std::io;
use std::sync::mpsc::Sender;

use self::book::FaultBook;
use self::losses::Losses;
use self::moments::Moments;
use self::slow::Slow;
use super::conductor::{AwaitedMoment, Cue};
use fault::{ClockFault, FaultId, FaultLine, LabSpeed, LinkFault, StoreLoss};
use protocol::{ApplicationCard, Card, NodeId, NodeSet, Roster, Span};
use record::{Answer, Body, Control};
use world::ProcessState;

/// Why a node gets no process.
#[derive(Debug, thiserror::Error)]
#[error("node {node} cannot be started: {error}")]
pub struct NotStarted {
    /// The node.
    pub node: NodeId,
    /// What the system says.
    pub error: io::Error,
}

/// Why an order did not do to a process what it should.
#[derive(Debug, thiserror::Error)]
enum OutOfReach {
    /// It was not stopped, and runs.
    #[error("{node} cannot be stopped: {error}")]
    Runs {
        /// The node.
        node: NodeId,
        /// Why.
        error: io::Error,
    },
    /// It was killed, and has not ended.
    #[error("{node} was killed, but {error}")]
    Lives {
        /// The node.
        node: NodeId,
        /// Why.
        error: io::Error,
    },
}

/// What a speed does here.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Tempo {
    /// It changes how fast lab time runs.
    Changes,
    /// Nothing: lab time is virtual.
    Virtual,
}

/// The work of carrying an order out, on a host's processes or a simulator's. An implementation never calls a method of
/// [`Orders`] from one of these, except [`Orders::tell_armed`] and [`Orders::take_loss`].
pub trait Hands {
    /// Lab time: nanoseconds since the lab began.
    fn now(&self) -> i64;

    /// This computer's time since the lab began, in nanoseconds: what processes are given to answer counts by it, at
    /// whatever speed lab time runs. In virtual time both are one.
    fn wall(&self) -> i64 {
        self.now()
    }

    /// Lab time runs at this speed from a moment soon to come, in all processes. The error says why not; then nothing
    /// has changed.
    fn set_speed(&mut self, _: LabSpeed) -> io::Result<Tempo> {
        Ok(Tempo::Virtual)
    }

    /// Waits until the speed that was set last has begun.
    fn await_speed(&mut self) {}

    /// The fastest that lab time may run here: this computer bears no more.
    fn fastest(&self) -> LabSpeed {
        LabSpeed::FASTEST
    }

    /// The lab's T.
    fn t(&self) -> Span;

    /// The lab's nodes.
    fn roster(&self) -> Roster;

    /// The algorithm's Card.
    fn card(&self) -> &Card;

    /// The Card of the lab's application, if it has one.
    fn application(&self) -> Option<&'static ApplicationCard>;

    /// The process that this node believes in now; without a node, the one that most running processes believe in.
    fn coordinator(&self, of: Option<NodeId>) -> Option<NodeId>;

    /// The nodes whose process is in this state, as it is left here: the world hears of it only by a record.
    fn that_are(&self, process: ProcessState) -> NodeSet;

    /// The orders given here.
    fn desk(&self) -> &Desk;

    /// The orders given here.
    fn desk_mut(&mut self) -> &mut Desk;

    /// Records what happened now: to the lab, or to this node.
    fn record(&mut self, node: Option<NodeId>, body: Body);

    /// Kills a node's process, running or stopped, and records its death by this fault. Nothing, if it has none. The
    /// error says why it has not died yet; if it dies later, this fault has killed it.
    fn crash(&mut self, node: NodeId, by: FaultId) -> io::Result<()>;

    /// Stops a node's process and records it. The error says why it cannot be stopped; then it still runs.
    fn pause(&mut self, node: NodeId, by: FaultId) -> io::Result<()>;

    /// Lets a stopped process go on and records it; it reads the faults first. The error says why it cannot go on; then
    /// it stays stopped.
    fn go_on(&mut self, node: NodeId, faults: &Control) -> io::Result<()>;

    /// A number that stands for the content of a node's store: another one after each save. The error says why the
    /// store cannot be read.
    fn store_mark(&self, node: NodeId) -> io::Result<u64>;

    /// Starts a process for a node that has none, now or later, and records it: with [`Desk::table`] and
    /// [`Desk::clock_of`] before it opens its sockets and [`Orders::take_loss`] before it reads its store, and then [`Orders::tell_armed`]. Its first step is told to [`Desk::has_started`]. The error says why
    /// there will be no process.
    fn start(&mut self, node: NodeId) -> Result<(), NotStarted>;

    /// Sends a node's process a message. A stopped process reads it when it goes on; a node without a process never
    /// gets it. A process answers a message that has a version by [`Desk::acknowledged`] once it has carried it out, or,
    /// if it is an order and a moment holds the process, once it has read it.
    fn tell(&mut self, node: NodeId, control: &Control);

    /// Every step of the script was taken, and every expectation has its verdict.
    fn script_is_through(&mut self);

    /// The nodes without a process whose start was ordered and comes later.
    fn starts_waiting(&self) -> NodeSet {
        NodeSet::EMPTY
    }

    /// Cancels a later start; returns whether there was one.
    fn call_off_start(&mut self, _node: NodeId) -> bool {
        false
    }
}

/// The orders so far: which faults stand, which orders wait for answers, which moment is armed.
#[derive(Debug, Default)]
pub struct Desk {
    book: FaultBook,
    moments: Moments,
    losses: Losses,
    slow: Slow,
}

impl Desk {
    /// The link faults that stand, in the form that a process gets.
    pub fn table(&self) -> Vec<LinkFault> {
        self.book.table()
    }

    /// The rate of a node's clock, if that is not the lab's, in the form that a process gets.
    pub fn clock_of(&self, node: NodeId) -> Option<ClockFault> {
        self.book.clock_of(node)
    }

    /// When a slow process is stopped or continued next, in lab time.
    pub fn wake_at(&self) -> Option<i64> {
        self.slow.wake_at()
    }

    /// When the next order is given up, in [this computer's time](Hands::wall).
    pub fn gives_up_at(&self) -> Option<i64> {
        self.book.wake_at()
    }

    /// A node has carried out the control packet of this version, and all before it.
    pub fn acknowledged(&mut self, node: NodeId, version: u64) {
        self.book.acknowledged(node, version);
    }

    /// A node could not carry out the control packet of this version: the order has failed, for the first reason that
    /// was given.
    pub fn refused(&mut self, node: NodeId, version: u64, why: &str) {
        self.book.refused(node, version, why);
    }

    /// A started process has taken its first step.
    pub fn has_started(&mut self, node: NodeId) {
        self.book.has_started(node);
    }

    /// A process died, and no order had killed it.
    pub fn has_died(&mut self, node: NodeId) {
        self.book.has_died(node);
    }

    /// A node will not start: the orders that should start it have failed, for the first reason that was given.
    pub fn refuse_start(&mut self, node: NodeId, why: &str) {
        self.book.refuse_start(node, why);
    }

    /// A node has stopped at the moment for which this step waits: everything before it has been carried out.
    pub fn has_come(&mut self, node: NodeId, step: String) {
        self.moments.has_come(node, step);
    }
}

/// Orders, for an implementation of [`Hands`].
pub trait Orders: Hands {
    /// Carries out the next action of the script.
    fn carry_out(&mut self, cue: Cue);

    /// Takes a step of the lab: arms the moment of the next one, then orders all its lines.
    fn take_step(&mut self, step: &str, lines: &[FaultLine], then: Option<AwaitedMoment>);

    /// Takes a step at its moment, for which this node is held: arms the moment of the next step, lets the node carry
    /// out what comes before the hold, and then orders the step's lines.
    fn take_step_at(&mut self, node: NodeId, step: String, lines: Vec<FaultLine>, then: Option<AwaitedMoment>);

    /// Takes a line that a person gave.
    fn take_line(&mut self, text: &str, reply: Sender<Answer>);

    /// Reports the orders that came into force, and those that are given up by now; goes on with the step whose moment
    /// has come, and with slow processes. Call it after the desk was told something, at [`Desk::wake_at`] and at
    /// [`Desk::gives_up_at`].
    fn advance_orders(&mut self);

    /// Crashes and pauses end when all their nodes run again. Call it after a start that came later.
    fn lift_repaired(&mut self);

    /// A stopped process goes on, and no order let it: it is told what it missed, and the pause of which it was the last
    /// is over.
    fn goes_on_by_itself(&mut self, node: NodeId);

    /// Arms the moment in every node; a later process is told at its start, a stopped one when it goes on.
    fn arm(&mut self, awaited: AwaitedMoment);

    /// Tells a node that has just been started what is armed, and what it lies.
    fn tell_armed(&mut self, node: NodeId);

    /// What the process that is being started for this node finds lost in its store, if anything.
    fn take_loss(&mut self, node: NodeId) -> Option<StoreLoss>;

    /// That step no longer waits for its moment.
    fn disarm(&mut self, step: &str);
}

impl<H: Hands> Orders for H {
    fn carry_out(&mut self, cue: Cue) {
        match cue {
            Cue::Arm(awaited) => self.arm(awaited),
            Cue::Disarm { step } => self.disarm(&step),
            Cue::TakeStep { step, lines, held: None, then } => self.take_step(&step, &lines, then),
            Cue::TakeStep { step, lines, held: Some(node), then } => self.take_step_at(node, step, lines, then),
            Cue::Verdict { about, outcome, text } => self.record(None, Body::Verdict { about, outcome, text }),
            Cue::Finished => self.script_is_through(),
        }
    }

    fn take_step(&mut self, step: &str, lines: &[FaultLine], then: Option<AwaitedMoment>) {
        if let Some(awaited) = then {
            self.arm(awaited);
        }
        carry::take_step(self, step, lines);
    }

    fn take_step_at(&mut self, node: NodeId, step: String, lines: Vec<FaultLine>, then: Option<AwaitedMoment>) {
        moments::take_step_at(self, node, step, lines, then);
    }

    fn take_line(&mut self, text: &str, reply: Sender<Answer>) {
        carry::take_line(self, text, reply);
    }

    fn advance_orders(&mut self) {
        carry::advance_orders(self);
    }

    fn lift_repaired(&mut self) {
        carry::lift_repaired(self);
    }

    fn goes_on_by_itself(&mut self, node: NodeId) {
        carry::go_on(self, NodeSet::of(node));
        carry::lift_repaired(self);
    }

    fn arm(&mut self, awaited: AwaitedMoment) {
        moments::arm(self, awaited);
    }

    fn tell_armed(&mut self, node: NodeId) {
        lies::tell_started(self, node);
        moments::tell_armed(self, node);
    }

    fn take_loss(&mut self, node: NodeId) -> Option<StoreLoss> {
        losses::take_loss(self, node)
    }

    fn disarm(&mut self, step: &str) {
        moments::disarm(self, step);
    }
}

/// The nodes whose process runs or is about to.
fn running(hands: &impl Hands) -> NodeSet {
    hands.that_are(ProcessState::Running).union(&hands.that_are(ProcessState::Starting))
}

/// The nodes that have no process: it died, or there was none yet.
fn without_process(hands: &impl Hands) -> NodeSet {
    hands.that_are(ProcessState::Dead).union(&hands.that_are(ProcessState::Absent))
}
