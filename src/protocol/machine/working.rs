//! A machine that elects and an application beside it, as one machine: it is what a process of a lab with an application
//! runs.
//!
//! After each input of the algorithm the application is told the state vector, if that has changed. Its report goes with
//! the message by which its process joins a group, and the coordinator's definition with the message that gives out the
//! task; the Card of the algorithm names both. A message of the application bears the task of its sender's group, and
//! is dropped where that is not the receiver's, or the receiver is not in Normal (Garcia-Molina 1982, section IV:
//! messages of other groups are ignored). A bystander of the lab runs the application alone, and is in no group: what
//! goes to it and comes from it bears no task, and it hears nothing of the election. Nor does a message bear a task whose
//! application wants all to hear it.
//!
//! The application may do what an operator does: order an election at its own process. And it may give the process
//! another capacity.
//!
//! Invariant: the algorithm takes the same steps as without an application, with that capacity and these orders; what
//! both keep is one save, before anything of the step leaves.

use std::any::Any;
use std::hash::{Hash, Hasher};
use std::mem;
use std::sync::{Arc, OnceLock};

use super::application::{BoxedApplication, WorkEffect, WorkEffects};
use super::{
    AlgorithmEntry, ApplicationEntry, BoxedMachine, Machine, Payload, ReadBefore, SavedCells, SharedCells,
    SharedMessage, StepEffect, StepEffects, TimerKey, last_message,
};
use crate::codec::{self, BODY_BYTES_MAX, EncodeError, SAVED_BYTES_MAX};
use crate::text::{HasWords, Words};
use crate::{Hearers, NodeId, NodeSet, Order, Setup, StateVector, Status, TaskId};

/// The word for the state of a bystander.
const BYSTANDER: &str = "Bystander";

/// The numbers of the two machines, before the keys of their timers.
pub(super) const ELECTION: u8 = 0;
const APPLICATION: u8 = 1;

/// The first byte of a message.
const OF_ELECTION: u8 = 0;
const OF_APPLICATION: u8 = 1;
const OUTSIDE: u8 = 2;

/// The byte before what may be absent.
const ABSENT: u8 = 0;
const PRESENT: u8 = 1;

/// An algorithm, and the application beside it.
type Entries = (&'static AlgorithmEntry, &'static ApplicationEntry);

/// Both machines of a process.
#[derive(Clone, Debug)]
pub(super) struct CombinedMachine {
    entries: Entries,
    me: NodeId,
    bystanders: NodeSet,
    part: Part,
    application: BoxedApplication,
    /// What the application was told last.
    told: StateVector,
    cells: WorkingCells,
    /// Memory for the effects of the machine that elects.
    inner: StepEffects,
}

/// Whether a process elects.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
enum Part {
    /// Does, with this machine.
    Elects(BoxedMachine),
    /// Is a bystander.
    StandsBy,
}

/// What both keep in safe cells.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub(super) struct WorkingCells {
    /// Those of the algorithm, if it has ever saved.
    election: Option<SavedCells>,
    /// Those of the application, if it has ever saved.
    application: Option<SavedCells>,
}

/// What such a process sends.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub(super) enum WorkingMessage {
    /// A message of the algorithm, and what the application gave it to carry.
    Election(Payload, Option<Payload>),
    /// A message of the application, to a process that is at work on this task.
    Application(TaskId, Payload),
    /// A message of the application that bears no task: to a bystander or from one, or of an application that all hear.
    Outside(Payload),
}

impl CombinedMachine {
    /// Both machines start, with what they saved last.
    pub fn start(entries: Entries, setup: &Setup, saved: Option<&SavedCells>, fx: &mut StepEffects) -> CombinedMachine {
        let (algorithm, of_application) = entries;
        let cells = match saved {
            Some(saved) => saved.get::<WorkingCells>().expect("what is not of this kind was refused before").clone(),
            None => WorkingCells::default(),
        };
        let (_, settings) = setup.settings.application().expect("the lab has an application");
        let mut application = (of_application.start)(setup, settings, cells.application.as_ref());
        let given = fx.capacity;
        fx.capacity = application.capacity(given);
        let mut inner = StepEffects::new(fx.capacity);
        let bystanders = setup.roster.bystanders();
        let (part, told) = if bystanders.contains(setup.me) {
            // It is at work from its start, under nobody.
            (Part::StandsBy, StateVector::new(Status::Normal, BYSTANDER, None))
        } else {
            let of_electors = Setup { roster: setup.roster.electors(), ..setup.clone() };
            let election = (algorithm.start)(&of_electors, cells.election.as_ref(), &mut inner);
            (Part::Elects(election), StateVector::new(Status::Down, "", None))
        };
        let mut effects = application.on_start();
        let mut both = CombinedMachine { entries, me: setup.me, bystanders, part, application, told, cells, inner };
        effects.extend(both.tell_state());
        both.carry_out(given, effects, fx);
        both
    }

    /// The effects of the algorithm are none yet, with the capacity that the application makes of this one; it is recorded
    /// with the step.
    fn begin(&mut self, fx: &mut StepEffects) -> i64 {
        let given = fx.capacity;
        fx.capacity = self.application.capacity(given);
        self.inner.begin_anew(fx.capacity);
        given
    }

    /// Tells the application the state vector, if it has changed.
    fn tell_state(&mut self) -> WorkEffects {
        let Part::Elects(election) = &self.part else { return WorkEffects::default() };
        let state = election.state();
        if state == self.told {
            return WorkEffects::default();
        }
        self.told = state;
        self.application.on_state(&self.told)
    }

    /// Whether this process coordinates a group that is not at work yet.
    fn prepares(&self) -> bool {
        self.told.status != Status::Normal
    }

    /// Whether this process is at work in a group.
    fn is_at_work(&self) -> bool {
        self.told.status == Status::Normal && self.told.believes_in().is_some()
    }

    /// Whether it hears messages of the application from that node, and may send such to it, that name no task.
    fn hears_outside(&self, other: NodeId) -> bool {
        let (_, application) = self.entries;
        match (&self.part, application.card.hearers) {
            (Part::StandsBy, _) | (Part::Elects(_), Hearers::All) => true,
            (Part::Elects(_), Hearers::Group) => self.bystanders.contains(other) && self.is_at_work(),
        }
    }

    /// Whether this process has just come to work under this coordinator.
    fn has_begun_under(&self, coordinator: NodeId, before: Option<TaskId>) -> bool {
        let now = TaskId::at_work(&self.told);
        now.is_some() && now != before && self.told.believes_in() == Some(coordinator)
    }

    /// Joins the effects of both machines, after what the application has ordered of the other one.
    fn carry_out(&mut self, given: i64, mut of_application: WorkEffects, fx: &mut StepEffects) {
        if of_application.list.iter().any(|effect| matches!(effect, WorkEffect::Elect)) {
            self.inner.capacity = self.application.capacity(given);
            fx.capacity = self.inner.capacity;
            if let Part::Elects(election) = &mut self.part {
                election.on_order(Order::Elect, &mut self.inner);
            }
            of_application.extend(self.tell_state());
        }
        fx.lines.append(&mut self.inner.lines);
        fx.lines.append(&mut of_application.lines);
        let mut saves = if of_application.saved.is_some() { Saves::First } else { Saves::InTurn };
        if let Some(saved) = of_application.saved {
            self.cells.application = Some(saved);
        }
        let mut effects = mem::take(&mut self.inner.list);
        // A step saves once: the first save keeps what the last one of the step says.
        let last = effects.iter().rev().find_map(|effect| match effect {
            StepEffect::Save { saved } => Some(saved.clone()),
            _ => None,
        });
        if let Some(saved) = last {
            self.cells.election = Some(saved);
        }
        if saves == Saves::First {
            fx.list.push(StepEffect::Save { saved: self.cells.clone().into() });
        }
        for effect in effects.drain(..) {
            fx.list.push(match effect {
                StepEffect::Send { to, message } => {
                    let carried = self.carried_by(message.kind(), to);
                    StepEffect::Send { to, message: shared(WorkingMessage::Election(message, carried), &fx.list) }
                }
                StepEffect::Broadcast { message } => StepEffect::Broadcast { message: message.that_carries_nothing() },
                StepEffect::SetTimer { timer, shortest, longest } => {
                    StepEffect::SetTimer { timer: timer.with_tag(ELECTION), shortest, longest }
                }
                StepEffect::CancelTimer { timer } => StepEffect::CancelTimer { timer: timer.with_tag(ELECTION) },
                StepEffect::Save { .. } if saves == Saves::InTurn => {
                    saves = Saves::Done;
                    StepEffect::Save { saved: self.cells.clone().into() }
                }
                StepEffect::Save { .. } => continue,
                StepEffect::Help { text } => StepEffect::Help { text },
            });
        }
        self.inner.list = effects;
        let task = TaskId::at_work(&self.told);
        for effect in of_application.list {
            fx.list.push(match (effect, task) {
                (WorkEffect::Send(to, message), _) if self.hears_outside(to) => {
                    StepEffect::Send { to, message: shared(WorkingMessage::Outside(message), &fx.list) }
                }
                (WorkEffect::Send(to, message), Some(task)) => {
                    StepEffect::Send { to, message: shared(WorkingMessage::Application(task, message), &fx.list) }
                }
                (WorkEffect::SetTimer(timer, span), _) => {
                    StepEffect::SetTimer { timer: timer.with_tag(APPLICATION), shortest: span, longest: span }
                }
                (WorkEffect::CancelTimer(timer), _) => StepEffect::CancelTimer { timer: timer.with_tag(APPLICATION) },
                // An application that is not at work sends nothing; and the election has been ordered.
                (WorkEffect::Send(..), None) | (WorkEffect::Elect, _) => continue,
            });
        }
    }

    /// What the application gives a message of the algorithm to carry to this node. A report goes to whom this process
    /// joins: an algorithm that answers also where it does not join (Garcia-Molina's calls return when they are refused)
    /// has nothing to hand in there.
    fn carried_by(&self, kind: &str, to: NodeId) -> Option<Payload> {
        let (algorithm, _) = self.entries;
        if algorithm.card.hands_in.contains(&kind) {
            self.application.report().filter(|_| self.told.coordinator == Some(to) && self.prepares())
        } else if algorithm.card.hands_out.contains(&kind) {
            self.application.definition()
        } else {
            None
        }
    }
}

impl Machine for CombinedMachine {
    fn on_message(&mut self, from: NodeId, message: &Payload, fx: &mut StepEffects) {
        let given = self.begin(fx);
        let message = message.working().expect("a message of a process with an application");
        let may_hear = self.hears_outside(from);
        let effects = match (message, &mut self.part) {
            (WorkingMessage::Election(message, carried), Part::Elects(election)) => {
                let (algorithm, _) = self.entries;
                let is_report = algorithm.card.hands_in.contains(&message.kind());
                let before = TaskId::at_work(&self.told);
                election.on_message(from, message, &mut self.inner);
                let mut effects = self.tell_state();
                match carried {
                    Some(report) if is_report && self.prepares() => {
                        effects.extend(self.application.on_report(from, report));
                    }
                    Some(definition) if !is_report && self.has_begun_under(from, before) => {
                        effects.extend(self.application.on_message(from, definition));
                    }
                    _ => {}
                }
                effects
            }
            (WorkingMessage::Application(task, message), _) if TaskId::at_work(&self.told) == Some(*task) => {
                self.application.on_message(from, message)
            }
            (WorkingMessage::Outside(message), _) if may_hear => self.application.on_message(from, message),
            _ => WorkEffects::default(),
        };
        self.carry_out(given, effects, fx);
    }

    fn on_timer(&mut self, timer: TimerKey, fx: &mut StepEffects) {
        let given = self.begin(fx);
        let effects = match (timer.without_tag(), &mut self.part) {
            ((ELECTION, timer), Part::Elects(election)) => {
                election.on_timer(timer, &mut self.inner);
                self.tell_state()
            }
            ((ELECTION, _), Part::StandsBy) => WorkEffects::default(),
            ((_, timer), _) => self.application.on_timer(timer),
        };
        self.carry_out(given, effects, fx);
    }

    fn on_order(&mut self, order: Order, fx: &mut StepEffects) {
        let given = self.begin(fx);
        let Part::Elects(election) = &mut self.part else { return };
        election.on_order(order, &mut self.inner);
        let mut effects = self.tell_state();
        effects.extend(self.application.on_order(order));
        self.carry_out(given, effects, fx);
    }

    fn waits_for(&self, timer: TimerKey) -> NodeSet {
        match (timer.without_tag(), &self.part) {
            ((ELECTION, timer), Part::Elects(election)) => election.waits_for(timer),
            ((ELECTION, _), Part::StandsBy) => NodeSet::EMPTY,
            ((_, timer), _) => self.application.waits_for(timer),
        }
    }

    fn state(&self) -> StateVector {
        StateVector { work: Some(Box::new(self.application.work())), ..self.told.clone() }
    }

    fn copied(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }

    fn is_same(&self, other: &dyn Machine) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref::<CombinedMachine>().is_some_and(|other| {
            (self.me, self.bystanders, &self.part, &self.application, &self.told, &self.cells)
                == (other.me, other.bystanders, &other.part, &other.application, &other.told, &other.cells)
        })
    }

    fn hash_into(&self, mut hasher: &mut dyn Hasher) {
        (self.me, self.bystanders, &self.part, &self.application, &self.told, &self.cells).hash(&mut hasher);
    }
}

/// When a step saves.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum Saves {
    /// Before anything else: the application keeps something.
    First,
    /// Where the algorithm saves, if it does.
    InTurn,
    /// Has.
    Done,
}

impl WorkingCells {
    /// The cells with which these bytes begin, and the rest.
    pub fn read((algorithm, application): Entries, bytes: &[u8]) -> Option<(SavedCells, &[u8])> {
        let (election, rest) = read_optional(bytes, algorithm.read_cells)?;
        let (application, rest) = read_optional(rest, application.read_cells)?;
        Some((WorkingCells { election, application }.into(), rest))
    }
}

impl From<WorkingCells> for SavedCells {
    fn from(cells: WorkingCells) -> SavedCells {
        SavedCells(Arc::new(cells))
    }
}

impl SharedCells for WorkingCells {
    fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for cells in [&self.election, &self.application] {
            bytes.push(if cells.is_some() { PRESENT } else { ABSENT });
            bytes.extend(cells.iter().flat_map(SavedCells::encode));
        }
        codec::check_length(&bytes, SAVED_BYTES_MAX).expect("what a machine saves is plain data of bounded size");
        bytes
    }

    fn is_same(&self, other: &dyn SharedCells) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref() == Some(self)
    }

    fn hash_into(&self, mut hasher: &mut dyn Hasher) {
        self.hash(&mut hasher);
    }
}

impl WorkingMessage {
    /// The message with which this body begins, and the rest of the body.
    pub fn read((algorithm, application): Entries, body: &[u8]) -> Option<(Payload, &[u8])> {
        let (&tag, rest) = body.split_first()?;
        let (message, rest) = match tag {
            OF_ELECTION => {
                let (message, rest) = (algorithm.read_message)(rest)?;
                let (carried, rest) = read_optional(rest, application.read_message)?;
                (WorkingMessage::Election(message, carried), rest)
            }
            OF_APPLICATION => {
                let (task, rest) = codec::decode_message_before(rest)?;
                let (message, rest) = (application.read_message)(rest)?;
                (WorkingMessage::Application(task, message), rest)
            }
            OUTSIDE => {
                let (message, rest) = (application.read_message)(rest)?;
                (WorkingMessage::Outside(message), rest)
            }
            _ => return None,
        };
        Some((message.into(), rest))
    }

    fn encode(&self) -> Result<Vec<u8>, EncodeError> {
        let mut body = Vec::new();
        match self {
            WorkingMessage::Election(message, carried) => {
                body.push(OF_ELECTION);
                body.extend(message.encode()?);
                body.push(if carried.is_some() { PRESENT } else { ABSENT });
                if let Some(carried) = carried {
                    body.extend(carried.encode()?);
                }
            }
            WorkingMessage::Application(task, message) => {
                body.push(OF_APPLICATION);
                body.extend(codec::encode_message(task)?);
                body.extend(message.encode()?);
            }
            WorkingMessage::Outside(message) => {
                body.push(OUTSIDE);
                body.extend(message.encode()?);
            }
        }
        codec::check_length(&body, BODY_BYTES_MAX)?;
        Ok(body)
    }

    fn own(&self) -> &Payload {
        match self {
            WorkingMessage::Election(message, _)
            | WorkingMessage::Application(_, message)
            | WorkingMessage::Outside(message) => message,
        }
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        let mut fields = self.own().fields();
        if let WorkingMessage::Election(_, Some(carried)) = self {
            fields.extend(carried.fields());
        }
        fields
    }
}

impl From<WorkingMessage> for Payload {
    fn from(message: WorkingMessage) -> Payload {
        Payload { message: Arc::new(MessageInWords { message, words: OnceLock::new() }), aside: None }
    }
}

impl Payload {
    pub(super) fn working(&self) -> Option<&WorkingMessage> {
        let message: &dyn Any = &*self.message;
        message.downcast_ref::<MessageInWords>().map(|spoken| &spoken.message)
    }
}

/// A message, and its words once somebody has read them.
#[derive(Debug)]
struct MessageInWords {
    message: WorkingMessage,
    words: OnceLock<Box<Words>>,
}

impl HasWords for MessageInWords {
    fn words(&self) -> &Words {
        self.words.get_or_init(|| {
            let body = self.message.encode().expect("what a Card's most nodes allow fits a datagram");
            let named = self.message.fields().into_iter().map(|(name, value)| (name.into(), value));
            Box::new(Words { kind: self.kind().into(), fields: named.collect(), body: codec::hex(&body) })
        })
    }

    fn kind(&self) -> &'static str {
        self.message.own().kind()
    }

    fn body_bytes(&self) -> usize {
        self.message.encode().map_or(0, |body| body.len())
    }
}

impl SharedMessage for MessageInWords {
    fn fields(&self) -> Vec<(&'static str, String)> {
        self.message.fields()
    }

    fn encode(&self) -> Result<Vec<u8>, EncodeError> {
        self.message.encode()
    }

    fn is_for_all(&self) -> bool {
        matches!(&self.message, WorkingMessage::Election(message, _) if message.is_for_all())
    }

    fn is_same(&self, other: &dyn SharedMessage) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref::<MessageInWords>().is_some_and(|other| self.message == other.message)
    }

    fn hash_into(&self, mut hasher: &mut dyn Hasher) {
        self.message.hash(&mut hasher);
    }
}

/// The message as it travels. One that goes to several nodes, one after the other, is kept once.
fn shared(message: WorkingMessage, before: &[StepEffect]) -> Payload {
    match last_message(before) {
        Some(last) if last.working() == Some(&message) => last.clone(),
        _ => message.into(),
    }
}

/// What may be absent, and the rest of the bytes.
fn read_optional<T>(bytes: &[u8], read: ReadBefore<T>) -> Option<(Option<T>, &[u8])> {
    match bytes.split_first()? {
        (&ABSENT, rest) => Some((None, rest)),
        (&PRESENT, rest) => read(rest).map(|(value, rest)| (Some(value), rest)),
        _ => None,
    }
}
