//! Failure detectors (Stoller 1997, sections 2 and 6): they watch nodes, and report a watched node that is down.
//!
//! Inputs are Start, Stop, PlayDead and PlayAlive, the one output is DownSig. An election asks for these within its
//! step; the acts of the detector come after the acts of the election. One file each: `are_you_alive` asks and gets
//! answers, `i_am_alive` makes the watched node send by itself, `attendance_list` sends a token round, `cooperative`
//! reports a node only if several nodes cannot reach it.
//!
//! A detector is **accurate**: it reports only a node that is watched and was down at some time after the latest Start
//! of it (or plays dead, or cannot be reached within the bound). It is **complete**: a watched node that is down and
//! stays down is reported within the latency. A reported node is no longer watched; Start watches it anew.
//!
//! Invariant: no election sees a time-out of a detector, only DownSig, one node at a time, and none that a later Start
//! or Stop of the same step has made void.

mod are_you_alive;
mod attendance_list;
mod cooperative;
mod i_am_alive;
mod message;
#[cfg(test)]
mod tests;

use std::fmt;

use serde::{Deserialize, Serialize};

use self::are_you_alive::AreYouAlive;
pub use self::attendance_list::Attendance;
use self::attendance_list::AttendanceList;
use self::cooperative::Cooperative;
use self::i_am_alive::IAmAlive;
pub use self::message::Message;
use protocol::{Algorithm, Effects, NodeId, NodeSet, Rank, SettingCard, SettingKind, Settings, Setup, Span, Timing};

/// The setting that chooses a detector.
pub const SETTING: &str = "detector";

/// How many nodes must be unable to reach a node, for cooperative detection.
pub const UNABLE: SettingCard = SettingCard {
    name: "unable",
    kind: SettingKind::Number { default: 2, most: |_| 255 },
    about: "With cooperative detection: how many nodes, with the watching node, must be unable to reach a node \
            before it is reported; if fewer nodes answer, all of them.",
};

/// The timers of all detectors.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum Timer {
    /// The next question to this node is due.
    Ask(NodeId),
    /// This node owes an answer.
    Answer(NodeId),
    /// This node's next I'm alive is overdue.
    Silence(NodeId),
    /// The next I'm alive to all watchers is due.
    Say,
    /// The attendance list is overdue.
    List,
    /// The next lap of the attendance list is due.
    Lap,
    /// The others owe an answer about this node.
    Inquiry(NodeId),
    /// For this watcher: this node owes an answer.
    Errand(NodeId, NodeId),
}

/// What it waits for, in words.
impl fmt::Display for Timer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Timer::Ask(node) => write!(f, "next question to {node}"),
            Timer::Answer(node) => write!(f, "answer of {node}"),
            Timer::Silence(node) => write!(f, "I'm alive of {node}"),
            Timer::Say => f.write_str("next I'm alive"),
            Timer::List => f.write_str("attendance list"),
            Timer::Lap => f.write_str("next lap of the attendance list"),
            Timer::Inquiry(node) => write!(f, "answers about {node}"),
            Timer::Errand(watcher, node) => write!(f, "answer of {node} for {watcher}"),
        }
    }
}

/// One thing that a detector wants done.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
enum Act {
    Send(NodeId, Message),
    Set(Timer, Span),
    Cancel(Timer),
}

/// What a detector wants done, in order, and the nodes that it reports.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
struct Acts {
    list: Vec<Act>,
    down: NodeSet,
}

impl Acts {
    fn send(&mut self, to: NodeId, message: Message) {
        self.list.push(Act::Send(to, message));
    }

    fn set(&mut self, timer: Timer, span: Span) {
        self.list.push(Act::Set(timer, span));
    }

    fn cancel(&mut self, timer: Timer) {
        self.list.push(Act::Cancel(timer));
    }

    fn report(&mut self, node: NodeId) {
        self.down.insert(node);
    }
}

/// A way to detect failures.
trait FailureDetector {
    /// The node has started; it watches nobody yet.
    fn begin(&mut self, acts: &mut Acts);
    /// Watch the node, anew if it is watched: earlier knowledge of it counts no longer.
    fn start(&mut self, node: NodeId, acts: &mut Acts);
    /// Watch it no longer. Nothing happens if it is not watched.
    fn stop(&mut self, node: NodeId, acts: &mut Acts);
    /// The node has sent these a message that shows that it is alive; the next one follows within `tau`.
    fn shown_to(&mut self, _nodes: NodeSet, _acts: &mut Acts) {}
    /// Such a message came from this node.
    fn shown_by(&mut self, _node: NodeId, _acts: &mut Acts) {}
    /// From now on be silent towards these, and towards no others.
    fn be_dead_to(&mut self, nodes: NodeSet);
    /// A message of another detector.
    fn hear(&mut self, from: NodeId, message: Message, acts: &mut Acts);
    /// A timer has run out.
    fn time_out(&mut self, timer: Timer, acts: &mut Acts);
    /// The nodes whose silence the timer is about.
    fn waits_for(&self, timer: Timer) -> NodeSet;
}

/// Which detector a lab has chosen.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Choice {
    /// Ask, and be answered.
    AreYouAlive,
    /// The watched node sends by itself.
    IAmAlive,
    /// A token goes round.
    AttendanceList,
    /// Several nodes must be unable to reach a node.
    Cooperative,
}

impl Choice {
    /// All of them.
    pub const ANY: SettingKind = SettingKind::Word(&["are-you-alive", "i-am-alive", "attendance-list", "cooperative"]);
    /// Those that can play dead to some nodes and not to others.
    pub const PLAYS_DEAD: SettingKind = SettingKind::Word(&["are-you-alive", "i-am-alive", "cooperative"]);

    /// What the lab says.
    pub fn of(settings: &Settings) -> Choice {
        match settings.word(SETTING) {
            "are-you-alive" => Choice::AreYouAlive,
            "i-am-alive" => Choice::IAmAlive,
            "attendance-list" => Choice::AttendanceList,
            "cooperative" => Choice::Cooperative,
            other => unreachable!("the Card lists no detector {other}"),
        }
    }

    /// The latency `tau_FD`: the longest time from its crash, or from Start if that is later, until a node that stays
    /// down is reported. The lab's `silence` is the detector's period, its T bounds one way.
    pub fn latency(self, timing: &Timing, nodes: u16) -> Span {
        match self {
            Choice::AreYouAlive => are_you_alive::latency(timing),
            Choice::IAmAlive => i_am_alive::latency(timing),
            Choice::AttendanceList => attendance_list::latency(timing, nodes),
            Choice::Cooperative => cooperative::latency(timing),
        }
    }

    /// The period must be longer than this.
    pub fn period_min(self, timing: &Timing, nodes: u16) -> Span {
        match self {
            Choice::AreYouAlive | Choice::IAmAlive | Choice::Cooperative => timing.t * 2,
            Choice::AttendanceList => timing.t * u64::from(nodes.max(2)),
        }
    }
}

#[derive(Clone, Eq, PartialEq, Hash, Debug)]
enum Kind {
    AreYouAlive(AreYouAlive),
    IAmAlive(IAmAlive),
    AttendanceList(AttendanceList),
    Cooperative(Cooperative),
}

/// A node's failure detector: the one that the lab has chosen.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct Detector {
    kind: Kind,
    rank: Rank,
    /// What this step of the node has asked for; empty between two steps.
    acts: Acts,
}

impl Detector {
    /// The detector that the lab asks for, of a node that starts.
    pub fn begin(setup: &Setup) -> Detector {
        let kind = match Choice::of(&setup.settings) {
            Choice::AreYouAlive => Kind::AreYouAlive(AreYouAlive::new(setup)),
            Choice::IAmAlive => Kind::IAmAlive(IAmAlive::new(setup)),
            Choice::AttendanceList => Kind::AttendanceList(AttendanceList::new(setup)),
            Choice::Cooperative => Kind::Cooperative(Cooperative::new(setup)),
        };
        let mut detector = Detector { kind, rank: setup.roster.rank(), acts: Acts::default() };
        detector.within(|kind, acts| kind.begin(acts));
        detector
    }

    /// Start, for each of these.
    pub fn start(&mut self, nodes: NodeSet) {
        for node in nodes.iter() {
            self.acts.down.remove(node);
            self.within(|kind, acts| kind.start(node, acts));
        }
    }

    /// Stop, for each of these.
    pub fn stop(&mut self, nodes: NodeSet) {
        for node in nodes.iter() {
            self.acts.down.remove(node);
            self.within(|kind, acts| kind.stop(node, acts));
        }
    }

    /// The node has just sent these a message that shows that it is alive, and sends the next one within `tau`.
    pub fn shown_to(&mut self, nodes: NodeSet) {
        self.within(|kind, acts| kind.shown_to(nodes, acts));
    }

    /// Such a message has come from this node.
    pub fn shown_by(&mut self, node: NodeId) {
        self.within(|kind, acts| kind.shown_by(node, acts));
    }

    /// PlayDead: from now on this node is down to these, as far as detectors go.
    pub fn play_dead(&mut self, to: NodeSet) {
        self.within(|kind, _| kind.be_dead_to(to));
    }

    /// PlayAlive: it plays dead to nobody.
    pub fn play_alive(&mut self) {
        self.within(|kind, _| kind.be_dead_to(NodeSet::EMPTY));
    }

    /// A message of another node's detector.
    pub fn hear(&mut self, from: NodeId, message: Message) {
        self.within(|kind, acts| kind.hear(from, message, acts));
    }

    /// One of its timers has run out.
    pub fn time_out(&mut self, timer: Timer) {
        self.within(|kind, acts| kind.time_out(timer, acts));
    }

    /// DownSig: the next node to report, a node that outranks the others first.
    pub fn take_down(&mut self) -> Option<NodeId> {
        let node = self.rank.first_of(&self.acts.down)?;
        self.acts.down.remove(node);
        Some(node)
    }

    /// The nodes whose silence the timer is about.
    pub fn waits_for(&self, timer: Timer) -> NodeSet {
        self.kind.as_dyn().waits_for(timer)
    }

    /// Makes the step's driver do what the detector wants.
    pub fn act<A: Algorithm>(
        &mut self,
        fx: &mut Effects<A>,
        message: impl Fn(Message) -> A::Message,
        timer: impl Fn(Timer) -> A::Timer,
    ) {
        for act in self.acts.list.drain(..) {
            match act {
                Act::Send(to, said) => fx.send(to, message(said)),
                Act::Set(which, span) => fx.set_timer(timer(which), span),
                Act::Cancel(which) => fx.cancel_timer(timer(which)),
            }
        }
    }

    fn within(&mut self, work: impl FnOnce(&mut dyn FailureDetector, &mut Acts)) {
        work(self.kind.as_dyn_mut(), &mut self.acts);
    }
}

impl Kind {
    fn as_dyn(&self) -> &dyn FailureDetector {
        match self {
            Kind::AreYouAlive(detector) => detector,
            Kind::IAmAlive(detector) => detector,
            Kind::AttendanceList(detector) => detector,
            Kind::Cooperative(detector) => detector,
        }
    }

    fn as_dyn_mut(&mut self) -> &mut dyn FailureDetector {
        match self {
            Kind::AreYouAlive(detector) => detector,
            Kind::IAmAlive(detector) => detector,
            Kind::AttendanceList(detector) => detector,
            Kind::Cooperative(detector) => detector,
        }
    }
}
