//! The form of every election algorithm: a pure machine; inputs go in, state and effects come out.
//!
//! Invariant: effects are plain data and are carried out in their order; a `Save` is on disk before a later send
//! leaves. A machine has no clock: it names its timers, and the driver hands them back.

use std::borrow::Cow;
use std::fmt::{self, Debug, Display};
use std::hash::Hash;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{Card, Keyring, LineNumber, Lying, NodeId, NodeSet, Roster, Settings, Span, StateVector, Timing};

/// An election algorithm's machine at one node.
///
/// It takes one input at a time, changes its state, and says in effects what it wants done. It has no clock, no socket and
/// no randomness, so a real process, a simulation and a search of every order run the very same machine.
///
/// In this one each process tells all others once a period that it is here. Each names the lowest id that it hears.
///
/// ```
/// use hustings_protocol::{
///     Algorithm, Card, Described, Effects, Formula, NodeId, NodeSet, Property, Rank, Setup, Span, StateVector, Status,
/// };
/// use serde::{Deserialize, Serialize};
///
/// // What it sends: one kind of message, without fields.
/// #[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
/// struct Here;
///
/// impl Described for Here {
///     fn kind(&self) -> &'static str {
///         "Here"
///     }
/// }
///
/// // What it waits for, by name. Records show the name.
/// #[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
/// enum Timer {
///     Say,
///     Silent(NodeId),
/// }
///
/// impl std::fmt::Display for Timer {
///     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
///         std::fmt::Debug::fmt(self, f)
///     }
/// }
///
/// // Its state. The simulator and the explorer clone, compare and hash it.
/// #[derive(Clone, Eq, PartialEq, Hash, Debug)]
/// struct LowestId {
///     others: NodeSet,
///     check: Span,
///     silence: Span,
///     up: NodeSet,
/// }
///
/// impl Algorithm for LowestId {
///     type Message = Here;
///     type Timer = Timer;
///     // It keeps nothing for the time after a crash.
///     type Saved = ();
///     // What it says of itself. Labs, the judge and the screen read it.
///     const CARD: Card = Card {
///         rank: Rank::LowerId,
///         messages: &["Here"],
///         promises: &[Property::EndState],
///         quiet_bound: Formula { text: "silence + 2 check + T", value: |t, _, _| t.silence + t.check * 2 + t.t },
///         ..Card::new("lowest-id", "Lowest id")
///     };
///
///     // Every process begins here, after a crash too.
///     fn start(setup: &Setup, _: Option<()>, fx: &mut Effects<LowestId>) -> LowestId {
///         let up = NodeSet::of(setup.me);
///         let (check, silence) = (setup.timing.check, setup.timing.silence + setup.timing.check);
///         let mut process = LowestId { others: setup.roster.others(setup.me), check, silence, up };
///         process.on_elect(fx);
///         process
///     }
///
///     fn on_message(&mut self, from: NodeId, _: Here, fx: &mut Effects<LowestId>) {
///         self.up.insert(from);
///         // A timer that runs begins anew.
///         fx.set_timer(Timer::Silent(from), self.silence);
///     }
///
///     fn on_timer(&mut self, timer: Timer, fx: &mut Effects<LowestId>) {
///         match timer {
///             Timer::Say => self.on_elect(fx),
///             Timer::Silent(node) => drop(self.up.remove(node)),
///         }
///     }
///
///     // The operator orders an election.
///     fn on_elect(&mut self, fx: &mut Effects<LowestId>) {
///         fx.send_each(self.others, Here);
///         fx.set_timer(Timer::Say, self.check);
///     }
///
///     // Whose silence this timer measures. The judge and `why` find the crash behind a time-out by it.
///     fn waits_for(&self, timer: Timer) -> NodeSet {
///         if let Timer::Silent(node) = timer { NodeSet::of(node) } else { NodeSet::EMPTY }
///     }
///
///     // What everybody sees of it.
///     fn state(&self) -> StateVector {
///         StateVector::new(Status::Normal, "Normal", self.up.iter().next())
///     }
/// }
/// ```
pub trait Algorithm: Clone + Eq + Hash + Debug + Send + Sync + 'static {
    /// What it sends. At most 64 bytes; longer content lies behind an `Arc`.
    type Message: Clone + Ord + Hash + Debug + Serialize + DeserializeOwned + Described + Send + Sync;
    /// The timers by name. Each says what it waits for in the words of its paper or of the field, as records show it.
    type Timer: Copy + Ord + Hash + Debug + Display + Serialize + DeserializeOwned + Send + Sync;
    /// What its paper keeps in safe cells.
    type Saved: Clone + Eq + Hash + Debug + Serialize + DeserializeOwned + Send + Sync;
    /// What it says of itself.
    const CARD: Card;

    /// The paper's Recovery: every process starts with it, with what it saved last, if it has ever saved.
    fn start(setup: &Setup, saved: Option<Self::Saved>, fx: &mut Effects<Self>) -> Self;
    /// A message came.
    fn on_message(&mut self, from: NodeId, message: Self::Message, fx: &mut Effects<Self>);
    /// A timer that was set, and neither stopped nor set again, has run out.
    fn on_timer(&mut self, timer: Self::Timer, fx: &mut Effects<Self>);
    /// The operator's order: hold an election now.
    fn on_elect(&mut self, fx: &mut Effects<Self>);
    /// [`Order::StartOver`], if the Card lists it.
    fn on_start_over(&mut self, _: &mut Effects<Self>) {}
    /// An order of the operator. An algorithm passes over the orders that are for an application, and those to lie. Only a
    /// machine around a machine defines this anew.
    fn on_order(&mut self, order: Order, fx: &mut Effects<Self>) {
        match order {
            Order::Elect => self.on_elect(fx),
            Order::StartOver => self.on_start_over(fx),
            Order::Update(_) | Order::Request | Order::Lie(_) => {}
        }
    }
    /// The nodes whose answer the timer waits for: a time-out is then knowledge about these nodes (`notes`: the edge
    /// from a crash to the time-out on it). Empty for a timer that only measures time.
    fn waits_for(&self, timer: Self::Timer) -> NodeSet;
    /// What panels and judge see.
    fn state(&self) -> StateVector;
}

/// A message that can say what it is.
pub trait Described {
    /// The kind, such as `Halt`.
    fn kind(&self) -> &'static str;
    /// The fields by name.
    fn fields(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
    /// Whether it belongs into the order of an ordered broadcast: what comes to one process alone counts for nothing.
    fn is_for_all(&self) -> bool {
        false
    }
}

/// How often a node has started, from 1; it is raised and stored before the first send of each start.
#[derive(Copy, Clone, Default, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Incarnation(pub u32);

impl fmt::Display for Incarnation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// What a machine learns at its start.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Setup {
    /// Who it is.
    pub me: NodeId,
    /// The nodes that take part.
    pub roster: Roster,
    /// The lab's periods.
    pub timing: Timing,
    /// The algorithm's own settings.
    pub settings: Settings,
    /// Which start of this node it is.
    pub incarnation: Incarnation,
    /// What it signs and verifies with, if the algorithm's Card asks for keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyring: Option<Keyring>,
}

impl Setup {
    /// Whether this process may be elected. Where the algorithm has no setting `candidates`, every process may.
    pub fn is_candidate(&self) -> bool {
        self.settings.nodes("candidates").is_none_or(|candidates| candidates.contains(self.me))
    }
}

/// An order from the operator to a process: to its algorithm, to its application, or to lie.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Hold an election now.
    Elect,
    /// Call Recovery, as an application may that finds the coordinator down (Garcia-Molina 1982, Appendix I): forget
    /// which process has halted this node, and hold an election.
    StartOver,
    /// For an application: add this to the replicated counter.
    Update(i32),
    /// For an application: a user asks for what it does.
    Request,
    /// Tell these lies from now on, and no others. No algorithm hears of it.
    Lie(Lying),
}

impl Order {
    /// The word in a fault line.
    pub fn word(self) -> &'static str {
        match self {
            Order::Elect => "elect",
            Order::StartOver => "start-over",
            Order::Update(_) => "update",
            Order::Request => "request",
            Order::Lie(lying) if lying.lies.is_empty() => "honest",
            Order::Lie(_) => "liar",
        }
    }

    /// What a node is ordered to, as a fragment.
    pub fn says(self) -> Cow<'static, str> {
        match self {
            Order::Elect => "hold an election".into(),
            Order::StartOver => "start over".into(),
            Order::Update(value) => format!("add {value} to the counter").into(),
            Order::Request => "take a user's request".into(),
            Order::Lie(lying) if lying.lies.is_empty() => "be honest".into(),
            Order::Lie(lying) => format!("lie: {}", lying.lies).into(),
        }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// One thing a machine wants done.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum Effect<A: Algorithm> {
    /// Send to one node.
    Send {
        /// The receiver.
        to: NodeId,
        /// What.
        message: A::Message,
    },
    /// Send to all.
    Broadcast {
        /// What.
        message: A::Message,
    },
    /// Start a timer, or start it again. The driver draws the span from the range; equal ends are not drawn.
    SetTimer {
        /// Which.
        timer: A::Timer,
        /// At least this long.
        shortest: Span,
        /// At most this long.
        longest: Span,
    },
    /// Stop a timer; nothing happens if it does not run.
    CancelTimer {
        /// Which.
        timer: A::Timer,
    },
    /// Keep this in the safe cells before any later effect leaves.
    Save {
        /// What.
        saved: A::Saved,
    },
    /// Tell the operator (King and Ni's `help`).
    Help {
        /// A sentence.
        text: String,
    },
}

impl<A: Algorithm> Effect<A> {
    /// The same effect, of a machine around this one.
    pub fn of_wrapper<W>(self) -> Effect<W>
    where
        W: Algorithm<Message = A::Message, Timer = A::Timer, Saved = A::Saved>,
    {
        match self {
            Effect::Send { to, message } => Effect::Send { to, message },
            Effect::Broadcast { message } => Effect::Broadcast { message },
            Effect::SetTimer { timer, shortest, longest } => Effect::SetTimer { timer, shortest, longest },
            Effect::CancelTimer { timer } => Effect::CancelTimer { timer },
            Effect::Save { saved } => Effect::Save { saved },
            Effect::Help { text } => Effect::Help { text },
        }
    }
}

/// What a machine returns for one input: effects in order, and the lines of the listing it went through.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct Effects<A: Algorithm> {
    capacity: i64,
    list: Vec<Effect<A>>,
    lines: Vec<LineNumber>,
}

impl<A: Algorithm> Effects<A> {
    /// None yet; `capacity` is the criterion's value at this input.
    pub fn new(capacity: i64) -> Effects<A> {
        Effects { capacity, list: Vec::new(), lines: Vec::new() }
    }

    /// The criterion function's value `f()` at this input; -1 for a non-candidate.
    pub fn capacity(&self) -> i64 {
        self.capacity
    }

    /// Changes the value from here on. The last one is recorded with the step.
    pub fn set_capacity(&mut self, capacity: i64) {
        self.capacity = capacity;
    }

    /// Sends to one node.
    pub fn send(&mut self, to: NodeId, message: A::Message) {
        self.list.push(Effect::Send { to, message });
    }

    /// Sends the same to each of these, highest id first (the papers halt from i-1 down to 1).
    pub fn send_each(&mut self, to: NodeSet, message: A::Message) {
        for node in to.iter().rev() {
            self.send(node, message.clone());
        }
    }

    /// Sends to all.
    pub fn broadcast(&mut self, message: A::Message) {
        self.list.push(Effect::Broadcast { message });
    }

    /// Starts a timer, or starts it again.
    pub fn set_timer(&mut self, timer: A::Timer, span: Span) {
        self.list.push(Effect::SetTimer { timer, shortest: span, longest: span });
    }

    /// Stops a timer.
    pub fn cancel_timer(&mut self, timer: A::Timer) {
        self.list.push(Effect::CancelTimer { timer });
    }

    /// Keeps this in the safe cells. At most once for an input.
    pub fn save(&mut self, saved: A::Saved) {
        self.assert_unsaved();
        self.list.push(Effect::Save { saved });
    }

    /// Adds an effect of another machine, after the present ones.
    pub fn add(&mut self, effect: Effect<A>) {
        match effect {
            Effect::Save { saved } => self.save(saved),
            effect => self.list.push(effect),
        }
    }

    /// Keeps this in the safe cells before all effects of the step so far. At most once for an input.
    pub fn save_first(&mut self, saved: A::Saved) {
        self.assert_unsaved();
        self.list.insert(0, Effect::Save { saved });
    }

    /// Says which line of the listing the machine is on.
    pub fn line(&mut self, line: LineNumber) {
        self.lines.push(line);
    }

    /// Tells the operator.
    pub fn help(&mut self, text: impl Into<String>) {
        self.list.push(Effect::Help { text: text.into() });
    }

    /// The effects, in order.
    pub fn list(&self) -> &[Effect<A>] {
        &self.list
    }

    /// The lines of the listing that were gone through, in order.
    pub fn lines(&self) -> &[LineNumber] {
        &self.lines
    }

    /// Both, to be carried out.
    pub fn into_parts(self) -> (Vec<Effect<A>>, Vec<LineNumber>) {
        (self.list, self.lines)
    }

    /// Forgets everything, for the next input with this capacity, and keeps the allocated memory.
    pub fn begin_anew(&mut self, capacity: i64) {
        self.capacity = capacity;
        self.list.clear();
        self.lines.clear();
    }

    /// Takes the effects out, in order.
    pub fn drain(&mut self) -> impl Iterator<Item = Effect<A>> {
        self.list.drain(..)
    }

    fn assert_unsaved(&self) {
        assert!(!self.list.iter().any(|effect| matches!(effect, Effect::Save { .. })), "a second save in one step");
    }
}
