//! Fault lines carried out, live and simulated: which nodes each is about, what it does to processes and links, and
//! when it is in force.
//!
//! [`Orders`] is pure. Who runs a lab gives it each input and carries the returned commands out, in their order. After
//! that it gives [`OrderInput::Time`], again and again until no command is returned: an order goes on only when what it
//! wanted before has been done. What processes answer is told by the methods [`Orders::acknowledged`] to
//! [`Orders::was_not_done`], at any time, also while commands are being carried out.
//!
//! Invariant: a fault is in force when every running process concerned has acknowledged it. A dead process gets the
//! table of faults before it opens its sockets, a stopped one before it is continued: neither delays a fault.

mod aim;
mod execute;
mod fault_state;
mod losses;
mod moments;
mod slow;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use self::execute::{Ordered, UnderWay};
use self::fault_state::FaultBook;
use self::losses::Losses;
use self::moments::Moments;
use self::slow::SlowNodes;
use super::conductor::ScriptAction;
use fault::{ClockFault, FaultId, LabSpeed, LinkFault, StoreLoss};
use lab::Lab;
use protocol::{NodeId, NodeMap, NodeSet, Order};
use record::{Answer, Body, Control};
use world::ProcessState;

/// An input of the orders.
#[derive(Debug)]
pub enum OrderInput {
    /// The next action of the script.
    Cue(ScriptAction),
    /// A line that a person gave, and where the answer goes.
    Line {
        /// What was written.
        text: String,
        /// Where the answer goes.
        reply: Sender<Answer>,
    },
    /// Time has passed, processes have answered, or the commands that were returned have been carried out. It is due at
    /// [`Orders::wake_at`] and [`Orders::gives_up_at`] too.
    Time,
    /// A stopped process goes on, and no order let it: it is told what it missed, and the pause of which it was the last
    /// is over.
    GoesOnByItself(NodeId),
    /// A process was started later than it was ordered: the crash of which it was the last is over.
    StartedLate,
}

/// What the orders see of the lab when they get an input.
pub struct OrderView<'a> {
    /// Lab time: nanoseconds since the lab began.
    pub now: i64,
    /// This computer's time since the lab began, in nanoseconds: what processes are given to answer counts by it, at
    /// whatever speed lab time runs. In virtual time both are one.
    pub wall: i64,
    /// What a speed does here.
    pub speed_effect: SpeedEffect,
    /// Each node's process as it is left here: the world hears of it only by a record.
    pub processes: NodeMap<ProcessState>,
    /// The nodes without a process whose start was ordered and comes later.
    pub starts_waiting: NodeSet,
    /// The process that this node believes in now; without a node, the one that most running processes believe in.
    pub coordinator: &'a dyn Fn(Option<NodeId>) -> Option<NodeId>,
}

/// What a speed does here.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum SpeedEffect {
    /// Changes how fast lab time runs.
    Changes {
        /// The fastest that lab time may run here: this computer bears no more.
        fastest: LabSpeed,
    },
    /// Nothing: lab time is virtual.
    Virtual,
}

/// Something that the orders want done.
#[derive(Debug)]
pub enum ProcessCommand {
    /// Record what happens now: to the lab, or to this node.
    Record {
        /// The node, unless it is about the lab.
        node: Option<NodeId>,
        /// What happens.
        body: Box<Body>,
    },
    /// Kill a node's process, running or stopped, and record its death by this fault; nothing, if it has none. If it
    /// dies only later, this fault has killed it.
    Kill {
        node: NodeId,
        /// The fault.
        by: FaultId,
    },
    /// Stop a node's process and record it.
    Stop {
        node: NodeId,
        /// The fault.
        by: FaultId,
    },
    /// Let a stopped process go on and record it; it reads the faults first.
    GoOn {
        node: NodeId,
        /// The table of faults.
        faults: Control,
    },
    /// Start a process for a node that has none, now or later, and record it: with [`Orders::table`] and
    /// [`Orders::clock_of`] before it opens its sockets and [`Orders::take_loss`] before it reads its store, and then
    /// tell it [`Orders::told_at_start`].
    Start { node: NodeId },
    /// A later start of this node is cancelled.
    CancelStart { node: NodeId },
    /// Send nodes' processes a message. A stopped process reads it when it goes on; a node without a process never gets
    /// it. A process answers a message that has a version once it has carried it out, or, if it is an order and a moment
    /// holds the process, once it has read it.
    Tell {
        nodes: NodeSet,
        /// The message.
        control: Control,
    },
    /// Tell [`Orders::marked_store`] a number that stands for the content of a node's store: another one after each save.
    MarkStore {
        node: NodeId,
        /// The loss that waits for its next start.
        loss: StoreLoss,
    },
    /// Let lab time run at this speed from a moment soon to come, in all processes; tell these nodes, wait until the
    /// speed has begun, and record it.
    SetSpeed {
        speed: LabSpeed,
        /// The fault.
        by: FaultId,
        /// The nodes that are told.
        nodes: NodeSet,
        /// What they are told.
        control: Control,
    },
    /// Tell a person what came of a line.
    Answer {
        /// Where the answer goes. If the asker is gone, nobody wants it.
        reply: Sender<Answer>,
        answer: Answer,
    },
    /// Every step of the script was taken, and every expectation has its verdict: wait for what is still pending.
    Linger,
}

/// Why a command was not carried out. The text is the rest of a sentence about its node.
#[derive(Debug, thiserror::Error)]
pub enum NotDone {
    /// The process was killed, and has not ended.
    #[error("was killed, but {0}")]
    Kill(io::Error),
    /// The process still runs.
    #[error("cannot be stopped: {0}")]
    Stop(io::Error),
    /// The process stays stopped.
    #[error("cannot go on: {0}")]
    GoOn(io::Error),
    /// The store cannot be read.
    #[error("cannot look at its store: {0}")]
    MarkStore(io::Error),
}

/// The orders so far: which faults stand, which orders wait for answers, which moment is armed.
#[derive(Debug)]
pub struct Orders {
    lab: Arc<Lab>,
    book: FaultBook,
    moments: Moments,
    losses: Losses,
    slow: SlowNodes,
    /// The lines that come after the one that is being carried out.
    next: VecDeque<Ordered>,
    under_way: Option<UnderWay>,
    /// The nodes whose process was killed or stopped by the commands that were returned last.
    struck: NodeSet,
}

impl Orders {
    /// The orders of a lab in which nothing was ordered.
    pub fn new(lab: Arc<Lab>) -> Orders {
        Orders {
            lab,
            book: FaultBook::default(),
            moments: Moments::default(),
            losses: Losses::default(),
            slow: SlowNodes::default(),
            next: VecDeque::new(),
            under_way: None,
            struck: NodeSet::EMPTY,
        }
    }

    /// Takes an input; returns what is to be done, in this order.
    pub fn handle(&mut self, input: OrderInput, view: OrderView<'_>) -> Vec<ProcessCommand> {
        let mut turn = Turn { orders: self, view, commands: Vec::new() };
        turn.finish();
        match input {
            OrderInput::Cue(cue) => turn.take_cue(cue),
            OrderInput::Line { text, reply } => turn.take_line(&text, reply),
            OrderInput::Time => turn.advance(),
            OrderInput::GoesOnByItself(node) => {
                turn.go_on(NodeSet::of(node));
                turn.lift_repaired();
            }
            OrderInput::StartedLate => turn.lift_repaired(),
        }
        // A line looks at the lab as everything before it has left it.
        if turn.commands.is_empty() {
            turn.begin_next();
        }
        turn.commands
    }

    /// Whether nothing waits for an answer, for time or for its turn.
    pub fn is_idle(&self) -> bool {
        let nothing_waits = self.book.wake_at().is_none() && self.next.is_empty() && self.under_way.is_none();
        nothing_waits && self.slow.wake_at().is_none() && self.moments.is_idle()
    }

    /// The link faults that stand, in the form that a process gets.
    pub fn table(&self) -> Vec<LinkFault> {
        self.book.table()
    }

    /// The rate of a node's clock, if that is not the lab's, in the form that a process gets.
    pub fn clock_of(&self, node: NodeId) -> Option<ClockFault> {
        self.book.clock_of(node)
    }

    /// What the process that is being started for this node finds lost in its store, if anything; a node that has saved
    /// since the order has written its cells anew. The mark stands for the present content of the store; absent, if the
    /// store cannot be read: then the process itself reports it.
    pub fn take_loss(&mut self, node: NodeId, mark: impl FnOnce() -> Option<u64>) -> Option<StoreLoss> {
        // Nearly always no loss waits, and then no store need be read.
        if !self.losses.nodes().contains(node) {
            return None;
        }
        self.losses.take(node, mark()?)
    }

    /// What a process that has just been started for this node is told: what it lies, from its start on, and which
    /// moment is armed.
    pub fn told_at_start(&mut self, node: NodeId) -> Vec<Control> {
        let lying = self.book.lying_of(node);
        let lies = (!lying.lies.is_empty())
            .then(|| Control::Order { version: self.book.next_version(), order: Order::Lie(lying) });
        lies.into_iter().chain(self.moments.told()).collect()
    }

    /// When a slow process is stopped or continued next, in lab time.
    pub fn wake_at(&self) -> Option<i64> {
        self.slow.wake_at()
    }

    /// When the next order is given up, in [this computer's time](OrderView::wall).
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

    /// The mark for which [`ProcessCommand::MarkStore`] asks.
    pub fn marked_store(&mut self, node: NodeId, loss: StoreLoss, mark: u64) {
        self.losses.enter(node, loss, mark);
    }

    /// The speed could not be set, and lab time runs as before: the order has failed.
    pub fn refuse_speed(&mut self, by: FaultId, why: &io::Error) {
        self.book.refuse(by, format!("the speed cannot be changed: {why}"));
    }

    /// A command could not be carried out; the order that wanted it has failed. Returns what is to be recorded of the
    /// node.
    pub fn was_not_done(&mut self, node: NodeId, why: &NotDone) -> Body {
        if let NotDone::Kill(_) | NotDone::Stop(_) = why {
            self.struck.remove(node);
            if let Some(under_way) = &mut self.under_way {
                under_way.spared.insert(node);
                self.book.refuse(under_way.id, format!("{node} {why}"));
            }
        }
        Body::Note { text: why.to_string() }
    }
}

/// One input that is being taken, and the commands so far. The view is kept as the commands will leave it.
struct Turn<'t, 'v> {
    orders: &'t mut Orders,
    view: OrderView<'v>,
    commands: Vec<ProcessCommand>,
}

impl Turn<'_, '_> {
    fn take_cue(&mut self, cue: ScriptAction) {
        match cue {
            ScriptAction::Arm(awaited) => self.arm(awaited),
            ScriptAction::Disarm { step } => self.disarm(&step),
            ScriptAction::TakeStep { step, lines, held: None, then } => {
                if let Some(awaited) = then {
                    self.arm(awaited);
                }
                self.take_step(&step, lines);
            }
            ScriptAction::TakeStep { step, lines, held: Some(node), then } => {
                self.take_step_at(node, step, lines, then)
            }
            ScriptAction::Verdict { about, outcome, text } => self.record(None, Body::Verdict { about, outcome, text }),
            ScriptAction::Finished => self.commands.push(ProcessCommand::Linger),
        }
    }

    fn record(&mut self, node: Option<NodeId>, body: Body) {
        self.commands.push(ProcessCommand::Record { node, body: Box::new(body) });
    }

    fn tell(&mut self, nodes: NodeSet, control: Control) {
        self.commands.push(ProcessCommand::Tell { nodes, control });
    }

    /// The nodes whose process is in this state.
    fn that_are(&self, process: ProcessState) -> NodeSet {
        self.view.processes.iter().filter(|(_, of)| **of == process).map(|(node, _)| *node).collect()
    }

    /// The nodes whose process runs or is about to.
    fn running(&self) -> NodeSet {
        self.that_are(ProcessState::Running).union(&self.that_are(ProcessState::Starting))
    }

    /// The nodes that have a process, running or stopped.
    fn with_process(&self) -> NodeSet {
        self.running().union(&self.that_are(ProcessState::Paused))
    }

    /// The nodes that have no process: it died, or there was none yet.
    fn without_process(&self) -> NodeSet {
        self.that_are(ProcessState::Dead).union(&self.that_are(ProcessState::Absent))
    }
}
