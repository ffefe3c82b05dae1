//! A machine without its type: what drivers hold, so that they are compiled once and not once for each algorithm.
//!
//! [`MachineKind::of`] makes it of an [`Algorithm`]. Inputs go in; effects, lines and state come out. A message travels as
//! a [`Payload`], which keeps its type behind a pointer and is copied by counting; a timer as the bytes of its name; the
//! safe cells as the bytes that a store holds.
//!
//! Invariant: a machine gets only what a machine of its own kind has made: anything else is a bug of its driver.

#[cfg(test)]
mod tests;

use std::any::Any;
use std::fmt::{self, Debug};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use super::codec::{self, EncodeError};
use super::text::{MessageText, Speaks, Words};
use super::{
    Algorithm, Card, Deceit, Described, Effect, Effects, LineNumber, NodeId, NodeSet, Order, Setup, Span, StateVector,
    ToldLie,
};

/// What an algorithm gives to a driver: its Card, and how its machine is started and its messages are read.
#[derive(Debug)]
pub struct MachineKind {
    /// The Card of the algorithm.
    pub card: Card,
    start: fn(&Setup, Option<&SavedCells>, &mut StepEffects) -> BoxedMachine,
    read_message: fn(&[u8]) -> Option<Payload>,
    reads_cells: fn(&[u8]) -> bool,
    timer_words: fn(TimerKey) -> TimerWords,
}

/// A machine of some algorithm.
#[derive(Debug)]
pub struct BoxedMachine(Box<dyn Machine>);

/// A message of some algorithm. Copies share one message.
#[derive(Clone)]
pub struct Payload(Arc<dyn SharedMessage>);

/// A timer of some algorithm: its encoded name. Keys have the order of the timers.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash)]
pub struct TimerKey {
    bytes: [u8; TIMER_BYTES_MAX],
    len: u8,
}

/// The content of the safe cells of some algorithm, as bytes. Copies share them.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct SavedCells(Arc<[u8]>);

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

/// The words of a timer.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct TimerWords {
    /// As records show it.
    pub shown: String,
    /// Its name in the code, as older sessions have it.
    pub coded: String,
}

/// The longest encoded name of a timer.
const TIMER_BYTES_MAX: usize = 23;

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
trait SharedMessage: Any + Speaks + Debug {
    fn encode(&self) -> Result<Vec<u8>, EncodeError>;
    fn garbled(&self, place: f64) -> Option<Payload>;
    fn is_for_all(&self) -> bool;
    fn is_same(&self, other: &dyn SharedMessage) -> bool;
    fn hash_into(&self, hasher: &mut dyn Hasher);
}

impl MachineKind {
    /// The kind of this algorithm's machines.
    pub const fn of<A: Algorithm>() -> &'static MachineKind {
        const {
            &MachineKind {
                card: A::CARD,
                start: |setup, saved, fx| {
                    let saved = saved.map(|saved| {
                        codec::decode_saved(saved.bytes()).expect("what is not of this kind was refused before")
                    });
                    let mut effects = Effects::new(fx.capacity);
                    let machine = A::start(setup, saved, &mut effects);
                    hand_on(&mut effects, fx);
                    BoxedMachine(Box::new(Typed { machine, effects }))
                },
                read_message: |body| codec::decode_message::<A::Message>(body).map(Payload::of),
                reads_cells: |bytes| codec::decode_saved::<A::Saved>(bytes).is_some(),
                timer_words: |timer| {
                    let timer: A::Timer = timer.read();
                    TimerWords { shown: timer.to_string(), coded: format!("{timer:?}") }
                },
            }
        }
    }

    /// The paper's Recovery: every process starts with it, with what it saved last, if it has ever saved. The effects are
    /// empty, and hold the criterion's value.
    pub fn start(&self, setup: &Setup, saved: Option<&SavedCells>, fx: &mut StepEffects) -> BoxedMachine {
        (self.start)(setup, saved, fx)
    }

    /// The message with this body; `None` if the body is none of this kind.
    pub fn read_message(&self, body: &[u8]) -> Option<Payload> {
        (self.read_message)(body)
    }

    /// The message of a record; `None` if its body is none of this kind.
    pub fn read_text(&self, text: &MessageText) -> Option<Payload> {
        self.read_message(&codec::bytes_of(&text.body)?)
    }

    /// The words of a timer.
    pub fn timer_words(&self, timer: TimerKey) -> TimerWords {
        (self.timer_words)(timer)
    }

    /// The safe cells with these bytes; `None` if they are none of this kind.
    pub fn read_cells(&self, bytes: &[u8]) -> Option<SavedCells> {
        (self.reads_cells)(bytes).then(|| SavedCells(bytes.into()))
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
    pub fn of<M>(message: M) -> Payload
    where
        M: Clone + Ord + Hash + Debug + serde::Serialize + serde::de::DeserializeOwned + Deceit + Send + Sync + 'static,
    {
        Payload(Arc::new(Spoken { message, words: OnceLock::new() }))
    }

    /// The message, if it is of this type.
    pub fn get<M: 'static>(&self) -> Option<&M> {
        let message: &dyn Any = &*self.0;
        message.downcast_ref::<Spoken<M>>().map(|spoken| &spoken.message)
    }

    /// Its words. They are made when somebody reads them, once for all copies of it.
    pub fn text(&self) -> MessageText {
        MessageText::of(Arc::<dyn SharedMessage>::clone(&self.0))
    }

    /// Its kind, such as `Halt`.
    pub fn kind(&self) -> &'static str {
        self.0.kind()
    }

    /// Its body.
    ///
    /// # Errors
    /// It is longer than a datagram allows.
    pub fn encode(&self) -> Result<Vec<u8>, EncodeError> {
        self.0.encode()
    }

    /// The message that one flipped bit makes of this one, at this place of its body, a share in [0, 1); `None` if that is
    /// no message.
    pub fn garbled(&self, place: f64) -> Option<Payload> {
        self.0.garbled(place)
    }

    /// Whether its algorithm gives it only to all at once.
    pub fn is_for_all(&self) -> bool {
        self.0.is_for_all()
    }
}

impl PartialEq for Payload {
    fn eq(&self, other: &Payload) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.is_same(&*other.0)
    }
}

impl Eq for Payload {}

impl Hash for Payload {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.hash_into(hasher);
    }
}

impl Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl TimerKey {
    /// The key of this timer.
    pub fn of<T: serde::Serialize>(timer: &T) -> TimerKey {
        let mut bytes = [0; TIMER_BYTES_MAX];
        let len = codec::encode_timer(timer, &mut bytes);
        TimerKey { bytes, len: len as u8 }
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
    pub fn of<S: serde::Serialize>(saved: &S) -> SavedCells {
        let bytes = codec::encode_saved(saved).expect("what a machine saves is plain data of bounded size");
        SavedCells(bytes.into())
    }

    /// As bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
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

/// An algorithm's machine, and the memory of its last step's effects.
#[derive(Clone, Debug)]
struct Typed<A: Algorithm> {
    machine: A,
    effects: Effects<A>,
}

impl<A: Algorithm> Typed<A> {
    fn step(&mut self, fx: &mut StepEffects, run: impl FnOnce(&mut A, &mut Effects<A>)) {
        self.effects.begin_anew(fx.capacity);
        run(&mut self.machine, &mut self.effects);
        hand_on(&mut self.effects, fx);
    }
}

impl<A: Algorithm> Machine for Typed<A> {
    fn on_message(&mut self, from: NodeId, message: &Payload, fx: &mut StepEffects) {
        let message = message.get::<A::Message>().expect("a message of this kind").clone();
        self.step(fx, |machine, effects| machine.on_message(from, message, effects));
    }

    fn on_timer(&mut self, timer: TimerKey, fx: &mut StepEffects) {
        self.step(fx, |machine, effects| machine.on_timer(timer.read(), effects));
    }

    fn on_order(&mut self, order: Order, fx: &mut StepEffects) {
        self.step(fx, |machine, effects| machine.on_order(order, effects));
    }

    fn waits_for(&self, timer: TimerKey) -> NodeSet {
        self.machine.waits_for(timer.read())
    }

    fn state(&self) -> StateVector {
        self.machine.state()
    }

    fn copied(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }

    fn is_same(&self, other: &dyn Machine) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref::<Typed<A>>().is_some_and(|other| self.machine == other.machine)
    }

    fn hash_into(&self, mut hasher: &mut dyn Hasher) {
        self.machine.hash(&mut hasher);
    }
}

/// Moves the effects of a step, in order, to where the driver reads them.
fn hand_on<A: Algorithm>(effects: &mut Effects<A>, fx: &mut StepEffects) {
    fx.capacity = effects.capacity();
    fx.lines.extend_from_slice(effects.lines());
    fx.lies.extend_from_slice(effects.lies());
    // Most messages go to several nodes, and are the same for each.
    let mut last: Option<Payload> = None;
    let mut payload = |message: A::Message| match &last {
        Some(payload) if payload.get() == Some(&message) => payload.clone(),
        _ => last.insert(Payload::of(message)).clone(),
    };
    fx.list.extend(effects.drain().map(|effect| match effect {
        Effect::Send { to, message } => StepEffect::Send { to, message: payload(message) },
        Effect::Broadcast { message } => StepEffect::Broadcast { message: payload(message) },
        Effect::SetTimer { timer, shortest, longest } => {
            StepEffect::SetTimer { timer: TimerKey::of(&timer), shortest, longest }
        }
        Effect::CancelTimer { timer } => StepEffect::CancelTimer { timer: TimerKey::of(&timer) },
        Effect::Save { saved } => StepEffect::Save { saved: SavedCells::of(&saved) },
        Effect::Help { text } => StepEffect::Help { text },
    }));
}

/// A message, and its words once somebody has read them.
struct Spoken<M> {
    message: M,
    words: OnceLock<Words>,
}

impl<M: Described + serde::Serialize + Send + Sync> Speaks for Spoken<M> {
    fn words(&self) -> &Words {
        self.words.get_or_init(|| codec::words_of(&self.message))
    }

    fn kind(&self) -> &'static str {
        self.message.kind()
    }

    fn body_bytes(&self) -> usize {
        codec::body_bytes(&self.message)
    }
}

impl<M> SharedMessage for Spoken<M>
where
    M: Clone + Ord + Hash + Debug + serde::Serialize + serde::de::DeserializeOwned + Deceit + Send + Sync + 'static,
{
    fn encode(&self) -> Result<Vec<u8>, EncodeError> {
        codec::encode_message(&self.message)
    }

    fn garbled(&self, place: f64) -> Option<Payload> {
        codec::garbled(&self.message, place).map(Payload::of::<M>)
    }

    fn is_for_all(&self) -> bool {
        self.message.is_for_all()
    }

    fn is_same(&self, other: &dyn SharedMessage) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref::<Spoken<M>>().is_some_and(|other| self.message == other.message)
    }

    fn hash_into(&self, mut hasher: &mut dyn Hasher) {
        self.message.hash(&mut hasher);
    }
}

impl<M: Debug> Debug for Spoken<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message.fmt(f)
    }
}
