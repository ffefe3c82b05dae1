//! A machine without its type: what drivers hold, so that they are compiled once and not once for each algorithm.
//!
//! An [`AlgorithmEntry`] makes it of an [`Algorithm`](super::Algorithm). Inputs go in; effects, lines and state come out.
//! A message travels as a [`Payload`], which keeps its type behind a pointer and is copied by counting; a timer as the
//! bytes of its name; the safe cells as [`SavedCells`], which keep their type behind a pointer too. Where a lab has an
//! application, [`working`] sets one beside the machine that elects, and the two are one machine to a driver.
//!
//! Invariant: a machine gets only what a machine of its own kind has made: anything else is a bug of its driver.

mod algorithm;
mod application;
#[cfg(test)]
mod tests;
mod working;

pub use algorithm::AlgorithmEntry;
pub use application::ApplicationEntry;

use std::any::Any;
use std::fmt::{self, Debug};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use super::codec::{self, EncodeError};
use super::text::{HasWords, MessageText, Words};
use super::{
    Algorithm, Card, Deceit, Described, LineNumber, MessageDeceit, MessageMark, NodeId, NodeSet, Order, Setup, Span,
    StateVector, ToldLie,
};
use working::{CombinedMachine, WorkingCells, WorkingMessage};

/// What the processes of a lab run: an algorithm, and the application beside it, if the lab has one.
#[derive(Copy, Clone, Debug)]
pub struct MachineKind {
    algorithm: &'static AlgorithmEntry,
    application: Option<&'static ApplicationEntry>,
}

/// A machine of some algorithm.
#[derive(Debug)]
pub struct BoxedMachine(Box<dyn Machine>);

/// A message of some algorithm as it travels: the message, and what it is besides if a liar has sent it. Copies share one
/// message.
#[derive(Clone)]
pub struct Payload {
    message: Arc<dyn SharedMessage>,
    aside: Option<MessageMark>,
}

/// A timer of some algorithm: its encoded name. Keys have the order of the timers.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash)]
pub struct TimerKey {
    bytes: [u8; TIMER_BYTES_MAX],
    len: u8,
}

/// The content of the safe cells of some algorithm. Copies share one.
#[derive(Clone)]
pub struct SavedCells(Arc<dyn SharedCells>);

/// One thing that a machine wants done: an [`Effect`] without its type.
#[derive(Clone, Debug)]
pub enum StepEffect {
    /// [`Effect::Send`].
    Send {
        /// The receiver.
        to: NodeId,
        /// What.
        message: Payload,
    },
    /// [`Effect::Broadcast`].
    Broadcast {
        /// What.
        message: Payload,
    },
    /// [`Effect::SetTimer`].
    SetTimer {
        /// Which.
        timer: TimerKey,
        /// At least this long.
        shortest: Span,
        /// At most this long.
        longest: Span,
    },
    /// [`Effect::CancelTimer`].
    CancelTimer {
        /// Which.
        timer: TimerKey,
    },
    /// [`Effect::Save`].
    Save {
        /// What.
        saved: SavedCells,
    },
    /// [`Effect::Help`].
    Help {
        /// A sentence.
        text: String,
    },
}

/// What a machine returns for one input: [`Effects`] without their type, in memory that is kept from step to step.
#[derive(Clone, Debug, Default)]
pub struct StepEffects {
    /// The criterion's value: the driver puts it here before the input, and the machine may change it.
    pub capacity: i64,
    /// The effects, in order.
    pub list: Vec<StepEffect>,
    /// The lines of the listing that were gone through, in order.
    pub lines: Vec<LineNumber>,
    /// The lies of the step, in order.
    pub lies: Vec<ToldLie>,
}

/// The longest encoded name of a timer.
const TIMER_BYTES_MAX: usize = 23;

/// With this byte no encoded name of a timer begins: bincode's numbers do not.
const BESIDE_MACHINES: u8 = 255;

/// Reads what some bytes begin with; returns it, and the rest of the bytes.
type ReadBefore<T> = fn(&[u8]) -> Option<(T, &[u8])>;

/// A machine behind a pointer.
trait Machine: Any + Debug + Send + Sync {
    fn on_message(&mut self, from: NodeId, message: &Payload, fx: &mut StepEffects);
    fn on_timer(&mut self, timer: TimerKey, fx: &mut StepEffects);
    fn on_order(&mut self, order: Order, fx: &mut StepEffects);
    fn waits_for(&self, timer: TimerKey) -> NodeSet;
    fn state(&self) -> StateVector;
    fn copied(&self) -> Box<dyn Machine>;
    fn is_same(&self, other: &dyn Machine) -> bool;
    fn hash_into(&self, hasher: &mut dyn Hasher);
}

/// A message behind a pointer.
trait SharedMessage: Any + HasWords + Debug {
    fn fields(&self) -> Vec<(&'static str, String)>;
    fn encode(&self) -> Result<Vec<u8>, EncodeError>;
    fn is_for_all(&self) -> bool;
    fn is_same(&self, other: &dyn SharedMessage) -> bool;
    fn hash_into(&self, hasher: &mut dyn Hasher);
}

/// What is in safe cells, behind a pointer.
trait SharedCells: Any + Debug + Send + Sync {
    fn encode(&self) -> Vec<u8>;
    fn is_same(&self, other: &dyn SharedCells) -> bool;
    fn hash_into(&self, hasher: &mut dyn Hasher);
}

impl MachineKind {
    /// The kind of this algorithm's machines, with nothing beside them.
    pub const fn of<A: Algorithm>() -> MachineKind {
        MachineKind { algorithm: AlgorithmEntry::of::<A>(), application: None }
    }

    /// The same where liars can make something of the messages.
    pub const fn that_deceives<A: Algorithm<Message: Deceit>>() -> MachineKind {
        MachineKind { algorithm: AlgorithmEntry::that_deceives::<A>(), application: None }
    }

    /// The kind of these machines.
    pub const fn new(
        algorithm: &'static AlgorithmEntry,
        application: Option<&'static ApplicationEntry>,
    ) -> MachineKind {
        MachineKind { algorithm, application }
    }

    /// The Card of the algorithm.
    pub fn card(self) -> &'static Card {
        &self.algorithm.card
    }

    /// What a liar can make of the messages.
    pub fn deceit(self) -> MessageDeceit {
        let as_sent = match self.application {
            None => |message| message,
            Some(_) => Payload::that_carries_nothing,
        };
        MessageDeceit { election: &self.algorithm.deceit, as_sent }
    }

    /// The paper's Recovery: every process starts with it, with what it saved last, if it has ever saved. The effects are
    /// empty, and hold the criterion's value.
    pub fn start(self, setup: &Setup, saved: Option<&SavedCells>, fx: &mut StepEffects) -> BoxedMachine {
        match self.application {
            None => (self.algorithm.start)(setup, saved, fx),
            Some(application) => {
                BoxedMachine(Box::new(CombinedMachine::start((self.algorithm, application), setup, saved, fx)))
            }
        }
    }

    /// The message with this body; `None` if the body is none of this kind. What follows the message is what it is
    /// besides.
    pub fn read_message(self, body: &[u8]) -> Option<Payload> {
        let (message, rest) = match self.application {
            None => (self.algorithm.read_message)(body)?,
            Some(application) => WorkingMessage::read((self.algorithm, application), body)?,
        };
        if rest.is_empty() {
            return Some(message);
        }
        Some(message.with_aside(Some(codec::decode_message(rest)?)))
    }

    /// The message of a record; `None` if its body is none of this kind.
    pub fn read_text(self, text: &MessageText) -> Option<Payload> {
        self.read_message(&codec::bytes_of(&text.body)?)
    }

    /// The message that one flipped bit makes of this one, at this place of its body, a share in [0, 1); `None` if that is
    /// no message.
    pub fn garbled(self, message: &Payload, place: f64) -> Option<Payload> {
        let mut body = message.encode().ok().filter(|body| !body.is_empty())?;
        codec::flip_bit(&mut body, place);
        self.read_message(&body)
    }

    /// The name of a timer, as records show it.
    pub fn timer_name(self, timer: TimerKey) -> String {
        let Some(application) = self.application else { return (self.algorithm.timer_name)(timer) };
        match timer.without_tag() {
            (working::ELECTION, timer) => (self.algorithm.timer_name)(timer),
            (_, timer) => (application.timer_name)(timer),
        }
    }

    /// The safe cells with these bytes; `None` if they are none of this kind.
    pub fn read_cells(self, bytes: &[u8]) -> Option<SavedCells> {
        let (cells, rest) = match self.application {
            None => (self.algorithm.read_cells)(bytes)?,
            Some(application) => WorkingCells::read((self.algorithm, application), bytes)?,
        };
        rest.is_empty().then_some(cells)
    }
}

impl BoxedMachine {
    /// [`Algorithm::on_message`].
    pub fn on_message(&mut self, from: NodeId, message: &Payload, fx: &mut StepEffects) {
        self.0.on_message(from, message, fx);
    }

    /// [`Algorithm::on_timer`].
    pub fn on_timer(&mut self, timer: TimerKey, fx: &mut StepEffects) {
        self.0.on_timer(timer, fx);
    }

    /// [`Algorithm::on_order`].
    pub fn on_order(&mut self, order: Order, fx: &mut StepEffects) {
        self.0.on_order(order, fx);
    }

    /// [`Algorithm::waits_for`].
    pub fn waits_for(&self, timer: TimerKey) -> NodeSet {
        self.0.waits_for(timer)
    }

    /// [`Algorithm::state`].
    pub fn state(&self) -> StateVector {
        self.0.state()
    }
}

impl Clone for BoxedMachine {
    fn clone(&self) -> BoxedMachine {
        BoxedMachine(self.0.copied())
    }
}

impl PartialEq for BoxedMachine {
    fn eq(&self, other: &BoxedMachine) -> bool {
        self.0.is_same(&*other.0)
    }
}

impl Eq for BoxedMachine {}

impl Hash for BoxedMachine {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.hash_into(hasher);
    }
}

impl Payload {
    /// This message without its type.
    pub fn of<M: TypedMessage>(message: M) -> Payload {
        Payload { message: Arc::new(MessageInWords { message, words: OnceLock::new() }), aside: None }
    }

    /// The message of the algorithm in it, unless it is one of an application.
    pub(super) fn election(&self) -> Option<&Payload> {
        match self.working() {
            None => Some(self),
            Some(WorkingMessage::Election(message, _)) => Some(message),
            Some(WorkingMessage::Application(..) | WorkingMessage::Outside(_)) => None,
        }
    }

    /// The same with another message of the algorithm in its place. What it carries for an application stays.
    pub(super) fn with_election(&self, message: Payload) -> Payload {
        match self.working() {
            Some(WorkingMessage::Election(_, carried)) => WorkingMessage::Election(message, carried.clone()).into(),
            _ => message,
        }
    }

    /// A message of the algorithm as a process sends it that has an application.
    pub(super) fn that_carries_nothing(self) -> Payload {
        WorkingMessage::Election(self, None).into()
    }

    /// The same message, which is this besides.
    pub fn with_aside(&self, aside: Option<MessageMark>) -> Payload {
        Payload { message: Arc::clone(&self.message), aside }
    }

    /// What it is besides, if a liar has sent it.
    pub fn aside(&self) -> Option<MessageMark> {
        self.aside
    }

    /// The message, if it is of this type.
    pub fn get<M: 'static>(&self) -> Option<&M> {
        let message: &dyn Any = &*self.message;
        message.downcast_ref::<MessageInWords<M>>().map(|spoken| &spoken.message)
    }

    /// The words. They are made when somebody reads them, once for all copies of it.
    pub fn text(&self) -> MessageText {
        let Some(aside) = self.aside else { return MessageText::of(Arc::<dyn SharedMessage>::clone(&self.message)) };
        let mut words = self.message.words().clone();
        let (name, value) = aside.field();
        words.fields.push((name.into(), value));
        words.body += &codec::hex(&encoded(aside));
        words.into()
    }

    /// The kind, such as `Halt`.
    pub fn kind(&self) -> &'static str {
        self.message.kind()
    }

    /// The fields by name, without what it is besides.
    pub fn fields(&self) -> Vec<(&'static str, String)> {
        self.message.fields()
    }

    /// The body: the message, and after it what it is besides.
    ///
    /// # Errors
    /// It is longer than a datagram allows.
    pub fn encode(&self) -> Result<Vec<u8>, EncodeError> {
        let mut body = self.message.encode()?;
        if let Some(aside) = self.aside {
            body.extend(encoded(aside));
            codec::check_length(&body, codec::BODY_BYTES_MAX)?;
        }
        Ok(body)
    }

    /// Whether it belongs into the order of an ordered broadcast: what comes to one process alone counts for nothing.
    pub fn is_for_all(&self) -> bool {
        self.aside != Some(MessageMark::Whisper) && self.message.is_for_all()
    }
}

impl PartialEq for Payload {
    fn eq(&self, other: &Payload) -> bool {
        let is_one = Arc::ptr_eq(&self.message, &other.message);
        self.aside == other.aside && (is_one || self.message.is_same(&*other.message))
    }
}

impl Eq for Payload {}

impl Hash for Payload {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.message.hash_into(hasher);
        self.aside.hash(hasher);
    }
}

impl Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.aside {
            None => self.message.fmt(f),
            Some(aside) => write!(f, "{:?}, {aside:?}", self.message),
        }
    }
}

impl TimerKey {
    /// The key of this timer.
    pub fn of<T: serde::Serialize>(timer: &T) -> TimerKey {
        let mut bytes = [0; TIMER_BYTES_MAX];
        let len = codec::encode_timer(timer, &mut bytes);
        TimerKey { bytes, len: len as u8 }
    }

    /// The key of a timer that no machine has, of what stands around one: its sort and its number. It comes after those of
    /// all machines.
    pub fn beside(sort: u8, number: u32) -> TimerKey {
        let mut bytes = [0; TIMER_BYTES_MAX];
        (bytes[0], bytes[1]) = (BESIDE_MACHINES, sort);
        bytes[2..6].copy_from_slice(&number.to_be_bytes());
        TimerKey { bytes, len: 6 }
    }

    /// The sort and the number of a timer that no machine has.
    pub fn read_beside(self) -> Option<(u8, u32)> {
        let [BESIDE_MACHINES, sort, first, second, third, fourth, ..] = self.bytes else { return None };
        Some((sort, u32::from_be_bytes([first, second, third, fourth])))
    }

    /// The key of the same timer among those of two machines, with the number of its own before it.
    fn with_tag(self, tag: u8) -> TimerKey {
        let mut bytes = [0; TIMER_BYTES_MAX];
        bytes[0] = tag;
        bytes[1..].copy_from_slice(&self.bytes[..TIMER_BYTES_MAX - 1]);
        assert!(usize::from(self.len) < TIMER_BYTES_MAX, "a timer is a name and some small numbers");
        TimerKey { bytes, len: self.len + 1 }
    }

    /// The number of its machine, and its key there.
    fn without_tag(self) -> (u8, TimerKey) {
        let mut bytes = [0; TIMER_BYTES_MAX];
        bytes[..TIMER_BYTES_MAX - 1].copy_from_slice(&self.bytes[1..]);
        (self.bytes[0], TimerKey { bytes, len: self.len - 1 })
    }

    fn read<T: serde::de::DeserializeOwned>(&self) -> T {
        codec::decode_timer(&self.bytes[..usize::from(self.len)])
    }
}

impl Debug for TimerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&codec::hex(&self.bytes[..usize::from(self.len)]))
    }
}

impl SavedCells {
    /// What an algorithm saves.
    pub fn of<S: TypedCells>(saved: S) -> SavedCells {
        SavedCells(Arc::new(saved))
    }

    /// The bytes that a store holds.
    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    fn get<S: 'static>(&self) -> Option<&S> {
        let saved: &dyn Any = &*self.0;
        saved.downcast_ref()
    }
}

impl PartialEq for SavedCells {
    fn eq(&self, other: &SavedCells) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.is_same(&*other.0)
    }
}

impl Eq for SavedCells {}

impl Hash for SavedCells {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.hash_into(hasher);
    }
}

impl Debug for SavedCells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl StepEffects {
    /// None yet; `capacity` is the criterion's value at this input.
    pub fn new(capacity: i64) -> StepEffects {
        StepEffects { capacity, ..StepEffects::default() }
    }

    /// Forgets everything, for the next input with this capacity, and keeps the allocated memory.
    pub fn begin_anew(&mut self, capacity: i64) {
        self.capacity = capacity;
        self.list.clear();
        self.lines.clear();
        self.lies.clear();
    }
}

/// The last message that is sent.
fn last_message(effects: &[StepEffect]) -> Option<&Payload> {
    effects.iter().rev().find_map(|effect| match effect {
        StepEffect::Send { message, .. } | StepEffect::Broadcast { message } => Some(message),
        _ => None,
    })
}

/// What the messages of all algorithms can.
pub trait TypedMessage:
    Clone + Ord + Hash + Debug + serde::Serialize + serde::de::DeserializeOwned + Described + Send + Sync + 'static
{
}

impl<M> TypedMessage for M where
    M: Clone + Ord + Hash + Debug + serde::Serialize + serde::de::DeserializeOwned + Described + Send + Sync + 'static
{
}

/// What the safe cells of all algorithms can.
pub trait TypedCells: Clone + Eq + Hash + Debug + serde::Serialize + Send + Sync + 'static {}

impl<S: Clone + Eq + Hash + Debug + serde::Serialize + Send + Sync + 'static> TypedCells for S {}

impl<S: TypedCells> SharedCells for S {
    fn encode(&self) -> Vec<u8> {
        codec::encode_saved(self).expect("what a machine saves is plain data of bounded size")
    }

    fn is_same(&self, other: &dyn SharedCells) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref::<S>() == Some(self)
    }

    fn hash_into(&self, mut hasher: &mut dyn Hasher) {
        self.hash(&mut hasher);
    }
}

fn encoded(aside: MessageMark) -> Vec<u8> {
    codec::encode_message(&aside).expect("an aside is a name")
}

/// A message, and its words once somebody has read them.
struct MessageInWords<M> {
    message: M,
    // Few messages are ever put into words, and all are moved and freed.
    words: OnceLock<Box<Words>>,
}

impl<M: Described + serde::Serialize + Send + Sync> HasWords for MessageInWords<M> {
    fn words(&self) -> &Words {
        self.words.get_or_init(|| Box::new(codec::words_of(&self.message)))
    }

    fn kind(&self) -> &'static str {
        self.message.kind()
    }

    fn body_bytes(&self) -> usize {
        codec::body_bytes(&self.message)
    }
}

impl<M: TypedMessage> SharedMessage for MessageInWords<M> {
    fn encode(&self) -> Result<Vec<u8>, EncodeError> {
        codec::encode_message(&self.message)
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        self.message.fields()
    }

    fn is_for_all(&self) -> bool {
        self.message.is_for_all()
    }

    fn is_same(&self, other: &dyn SharedMessage) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref::<MessageInWords<M>>().is_some_and(|other| self.message == other.message)
    }

    fn hash_into(&self, mut hasher: &mut dyn Hasher) {
        self.message.hash(&mut hasher);
    }
}

impl<M: Debug> Debug for MessageInWords<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message.fmt(f)
    }
}
