//! An application beside an algorithm: one input, and the exact effects of both.
//!
//! The algorithm here is led by whoever says so, and the application counts what it hears: a report for 100, a
//! definition for 10, a word for 1.

use serde::{Deserialize, Serialize};

use super::super::working::{ELECTION, WorkingMessage};
use super::super::*;
use crate::trial::setup;
use crate::{
    Application, ApplicationCard, ApplicationEffects, Assumption, Demand, Effects, Hearers, Incarnation, Settings,
    ShardWork, Status, TaskId, Work,
};

#[derive(Clone, Eq, PartialEq, Hash, Debug)]
struct Led {
    me: NodeId,
    others: NodeSet,
    /// Whom it joins, and whether it is at work there.
    leader: Option<NodeId>,
    status: Status,
    serial: u64,
}

#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub(super) enum LedMessage {
    /// The sender joins; the application's report goes with it.
    Join,
    /// The sender leads from now on; the application's definition goes with it.
    Lead { serial: u64 },
    /// Save and answer; the state stays.
    Keep,
    /// The same, and the state changes.
    Count,
}

#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
struct Look;

impl fmt::Display for Look {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Look")
    }
}

impl Described for LedMessage {
    fn kind(&self) -> &'static str {
        match self {
            LedMessage::Join => "Join",
            LedMessage::Lead { .. } => "Lead",
            LedMessage::Keep => "Keep",
            LedMessage::Count => "Count",
        }
    }

    fn is_for_all(&self) -> bool {
        matches!(self, LedMessage::Lead { .. })
    }
}

impl Algorithm for Led {
    type Message = LedMessage;
    type Timer = Look;
    type Saved = u64;
    const CARD: Card = Card { hands_in: &["Join"], hands_out: &["Lead"], ..Card::new("led", "Led") };

    fn start(setup: &Setup, saved: Option<u64>, _: &mut Effects<Led>) -> Led {
        let others = setup.roster.others(setup.me);
        Led { me: setup.me, others, leader: None, status: Status::Election, serial: saved.unwrap_or(0) }
    }

    fn on_message(&mut self, from: NodeId, message: LedMessage, fx: &mut Effects<Led>) {
        match message {
            LedMessage::Join => {}
            LedMessage::Lead { serial } => {
                (self.leader, self.status, self.serial) = (Some(from), Status::Normal, serial)
            }
            LedMessage::Keep | LedMessage::Count => {
                self.serial += u64::from(message == LedMessage::Count);
                fx.send(from, LedMessage::Join);
                fx.save(self.serial);
                fx.send(from, LedMessage::Keep);
            }
        }
    }

    /// Joins node 2.
    fn on_timer(&mut self, _: Look, fx: &mut Effects<Led>) {
        (self.leader, self.status) = (Some(node(2)), Status::Reorganization);
        fx.send(node(2), LedMessage::Join);
        fx.send(node(3), LedMessage::Join);
    }

    /// Says its capacity as a serial.
    fn on_elect(&mut self, fx: &mut Effects<Led>) {
        let serial = u64::try_from(fx.capacity()).unwrap();
        fx.set_timer(Look, Span::from_millis(1));
        fx.send_each(self.others, LedMessage::Lead { serial });
    }

    fn waits_for(&self, _: Look) -> NodeSet {
        NodeSet::of(node(2))
    }

    fn state(&self) -> StateVector {
        StateVector { election: Some(self.serial), ..StateVector::new(self.status, "led", self.leader) }
    }
}

#[derive(Clone, Eq, PartialEq, Hash, Debug)]
struct Worker {
    count: u64,
    wants: bool,
}

#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
enum WorkMessage {
    Report,
    Definition,
    Word,
}

#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
struct Ask;

impl fmt::Display for Ask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ask")
    }
}

impl Described for WorkMessage {
    fn kind(&self) -> &'static str {
        match self {
            WorkMessage::Report => "Report",
            WorkMessage::Definition => "Definition",
            WorkMessage::Word => "Word",
        }
    }
}

impl Application for Worker {
    type Message = WorkMessage;
    type Timer = Ask;
    type Saved = u64;
    const CARD: ApplicationCard = ApplicationCard {
        name: "worker",
        title: "Worker",
        paper: "none",
        listing: &[],
        messages: &["Report", "Definition", "Word"],
        periodic: &[],
        settings: &[],
        orders: &["request"],
        demand: Demand::Nothing,
        hearers: Hearers::Group,
        bystanders: 1,
        promises: &[],
        withholds: |_, _| &[],
        needs: &[Assumption::AllCooperate],
        needs_with: |_, _| &[],
        shards: |_| None,
        services: |_| None,
        section: |_| None,
    };

    fn start(_: &Setup, _: &Settings, saved: Option<u64>) -> Worker {
        Worker { count: saved.unwrap_or(0), wants: false }
    }

    fn on_start(&mut self, effects: &mut ApplicationEffects<Worker>) {
        effects.set_timer(Ask, Span::from_millis(10));
    }

    /// Keeps its count whenever the state changes; a higher serial than 9 is a reason to speak.
    fn on_state(&mut self, state: &StateVector, effects: &mut ApplicationEffects<Worker>) {
        effects.save(self.count);
        if state.election > Some(9) {
            effects.send(node(2), WorkMessage::Word);
        }
    }

    fn capacity(&self, given: i64) -> i64 {
        given + if self.wants { 100 } else { 0 }
    }

    fn on_message(&mut self, from: NodeId, message: WorkMessage, effects: &mut ApplicationEffects<Worker>) {
        self.count += if message == WorkMessage::Definition { 10 } else { 1 };
        if message == WorkMessage::Word {
            effects.send(from, WorkMessage::Word);
        }
    }

    fn on_timer(&mut self, _: Ask, effects: &mut ApplicationEffects<Worker>) {
        effects.cancel_timer(Ask);
    }

    fn on_request(&mut self, effects: &mut ApplicationEffects<Worker>) {
        self.wants = true;
        effects.elect();
    }

    fn report(&self) -> Option<WorkMessage> {
        Some(WorkMessage::Report)
    }

    fn on_report(&mut self, _: NodeId, _: WorkMessage, _: &mut ApplicationEffects<Worker>) {
        self.count += 100;
    }

    fn definition(&self) -> Option<WorkMessage> {
        Some(WorkMessage::Definition)
    }

    fn waits_for(&self, _: Ask) -> NodeSet {
        NodeSet::of(node(3))
    }

    fn work(&self) -> Work {
        Work::Shards(ShardWork { primes: self.count, ..ShardWork::default() })
    }
}

fn node(number: u16) -> NodeId {
    NodeId::new(number).unwrap()
}

fn kind() -> MachineKind {
    MachineKind::new(AlgorithmEntry::of::<Led>(), Some(ApplicationEntry::of::<Worker>()))
}

/// A process of a lab of three that elect and a bystander, and what its start made.
fn started(me: u16, saved: Option<&SavedCells>) -> (BoxedMachine, StepEffects) {
    let mut setup = setup(me);
    setup.roster = setup.roster.with_bystanders(1).unwrap();
    setup.settings = setup.settings.with_application("worker", Settings::default());
    let mut fx = StepEffects::new(5);
    (kind().start(&setup, saved, &mut fx), fx)
}

/// What a message makes of the process.
fn heard(machine: &mut BoxedMachine, from: u16, message: WorkingMessage) -> StepEffects {
    let mut fx = StepEffects::new(5);
    machine.on_message(node(from), &message.into(), &mut fx);
    fx
}

fn of_led(message: LedMessage, carried: Option<WorkMessage>) -> WorkingMessage {
    WorkingMessage::Election(Payload::of(message), carried.map(Payload::of))
}

fn lead(serial: u64) -> LedMessage {
    LedMessage::Lead { serial }
}

fn of_task(author: u16, serial: u32) -> TaskId {
    TaskId { author: node(author), incarnation: Incarnation(0), serial }
}

fn count(machine: &BoxedMachine) -> u64 {
    match machine.state().work.as_deref() {
        Some(Work::Shards(work)) => work.primes,
        other => panic!("{other:?}"),
    }
}

/// The effects, each in a few words.
fn told(fx: &StepEffects) -> Vec<String> {
    let name = |timer: &TimerKey| {
        let (tag, _) = timer.without_tag();
        if tag == ELECTION { "Look" } else { "Ask" }
    };
    let message = |message: &Payload| match message.working().unwrap() {
        WorkingMessage::Election(own, None) => own.kind().to_owned(),
        WorkingMessage::Election(own, Some(carried)) => format!("{} with {}", own.kind(), carried.kind()),
        WorkingMessage::Application(task, own) => format!("{} of {}.{}", own.kind(), task.author, task.serial),
        WorkingMessage::Outside(own) => format!("{} outside", own.kind()),
    };
    let effect = |effect: &StepEffect| match effect {
        StepEffect::Send { to, message: sent } => format!("{} to {to}", message(sent)),
        StepEffect::Broadcast { message: sent } => format!("{} to all", message(sent)),
        StepEffect::SetTimer { timer, .. } => format!("set {}", name(timer)),
        StepEffect::CancelTimer { timer } => format!("cancel {}", name(timer)),
        StepEffect::Save { saved } => {
            let bytes = saved.encode();
            format!("save {bytes:?}")
        }
        StepEffect::Help { text } => text.clone(),
    };
    fx.list.iter().map(effect).collect()
}

/// The cells of both, as a save is told here.
fn save(election: Option<u64>, application: Option<u64>) -> String {
    let cells = |saved: Option<u64>| match saved {
        Some(saved) => [vec![1], SavedCells::of(saved).encode()].concat(),
        None => vec![0],
    };
    format!("save {:?}", [cells(election), cells(application)].concat())
}

#[test]
fn both_start_with_what_they_saved() {
    let (machine, fx) = started(1, None);
    assert_eq!(told(&fx), [save(None, Some(0)), "set Ask".to_owned()]);
    assert_eq!((count(&machine), machine.state().election), (0, Some(0)));
    let bytes = [1, 7, 1, 40];
    let saved = kind().read_cells(&bytes).unwrap();
    assert_eq!(saved.encode(), bytes);
    let (machine, _) = started(1, Some(&saved));
    assert_eq!((count(&machine), machine.state().election), (40, Some(7)));
}

#[test]
fn a_report_goes_to_whom_the_process_joins() {
    let (mut machine, _) = started(1, None);
    let mut fx = StepEffects::new(5);
    machine.on_timer(TimerKey::of(&Look).with_tag(ELECTION), &mut fx);
    assert_eq!(told(&fx)[1..], ["Join with Report to 2", "Join to 3"]);
}

#[test]
fn a_report_counts_before_the_work_begins() {
    let (mut machine, _) = started(1, None);
    heard(&mut machine, 3, of_led(LedMessage::Join, Some(WorkMessage::Report)));
    assert_eq!(count(&machine), 100);
    heard(&mut machine, 2, of_led(lead(1), None));
    heard(&mut machine, 3, of_led(LedMessage::Join, Some(WorkMessage::Report)));
    assert_eq!(count(&machine), 100);
}

#[test]
fn a_definition_counts_once_from_its_coordinator() {
    let (mut machine, _) = started(1, None);
    heard(&mut machine, 2, of_led(lead(1), Some(WorkMessage::Definition)));
    assert_eq!(count(&machine), 10);
    heard(&mut machine, 2, of_led(lead(1), Some(WorkMessage::Definition)));
    assert_eq!(count(&machine), 10, "it was at work under it already");
    heard(&mut machine, 2, of_led(lead(2), Some(WorkMessage::Definition)));
    assert_eq!(count(&machine), 20);
}

#[test]
fn a_message_of_another_task_is_dropped() {
    let (mut machine, _) = started(1, None);
    let word = |task| WorkingMessage::Application(task, Payload::of(WorkMessage::Word));
    assert_eq!(told(&heard(&mut machine, 2, word(of_task(2, 1)))), [""; 0], "it is not at work");
    heard(&mut machine, 2, of_led(lead(1), None));
    for other in [of_task(2, 2), of_task(3, 1)] {
        assert_eq!(told(&heard(&mut machine, 2, word(other))), [""; 0]);
    }
    assert_eq!(told(&heard(&mut machine, 2, word(of_task(2, 1)))), ["Word of 2.1 to 2"]);
    assert_eq!(count(&machine), 1);
}

#[test]
fn what_the_algorithm_saves_is_saved_in_turn() {
    let (mut machine, _) = started(1, None);
    let kept = heard(&mut machine, 3, of_led(LedMessage::Keep, None));
    assert_eq!(told(&kept), ["Join to 3".to_owned(), save(Some(0), Some(0)), "Keep to 3".to_owned()]);
}

#[test]
fn what_both_save_is_one_save_before_all() {
    let (mut machine, _) = started(1, None);
    heard(&mut machine, 2, of_led(lead(4), Some(WorkMessage::Definition)));
    let counted = heard(&mut machine, 3, of_led(LedMessage::Count, None));
    assert_eq!(told(&counted), [save(Some(5), Some(10)), "Join to 3".to_owned(), "Keep to 3".to_owned()]);
}

#[test]
fn an_ordered_election_has_the_new_capacity() {
    let (mut machine, _) = started(1, None);
    let mut fx = StepEffects::new(5);
    machine.on_order(Order::Request, &mut fx);
    assert_eq!(fx.capacity, 105);
    let [StepEffect::SetTimer { .. }, StepEffect::Send { to, message }, _] = &fx.list[..] else {
        panic!("{:?}", fx.list)
    };
    assert_eq!((*to, message), (node(3), &of_led(lead(105), Some(WorkMessage::Definition)).into()));
}

#[test]
fn each_timer_waits_for_its_own_nodes() {
    let (mut machine, fx) = started(1, None);
    let Some(StepEffect::SetTimer { timer: ask, shortest, longest }) = fx.list.last() else { panic!("{fx:?}") };
    assert_eq!((*shortest, *longest), (Span::from_millis(10), Span::from_millis(10)));
    let look = TimerKey::of(&Look).with_tag(ELECTION);
    assert_eq!((machine.waits_for(look), machine.waits_for(*ask)), (NodeSet::of(node(2)), NodeSet::of(node(3))));
    let mut fx = StepEffects::new(5);
    machine.on_timer(*ask, &mut fx);
    assert_eq!(told(&fx), ["cancel Ask"]);
}

#[test]
fn an_application_at_work_names_its_task() {
    let (mut machine, _) = started(1, None);
    let led = heard(&mut machine, 3, of_led(lead(12), None));
    assert_eq!(told(&led), [save(None, Some(0)), "Word of 3.12 to 2".to_owned()]);
}

#[test]
fn an_application_without_work_sends_nothing() {
    let (mut machine, _) = started(1, Some(&kind().read_cells(&[1, 11, 0]).unwrap()));
    let mut fx = StepEffects::new(5);
    machine.on_timer(TimerKey::of(&Look).with_tag(ELECTION), &mut fx);
    assert_eq!(told(&fx), [save(Some(11), Some(0)), "Join with Report to 2".to_owned(), "Join to 3".to_owned()]);
}

#[test]
fn a_bystander_hears_the_application_alone() {
    let (mut machine, fx) = started(4, None);
    assert_eq!(told(&fx), ["set Ask"]);
    let state = machine.state();
    assert_eq!((state.status, &*state.word), (Status::Normal, "Bystander"));
    assert_eq!(told(&heard(&mut machine, 2, of_led(LedMessage::Count, None))), [""; 0]);
    let word = WorkingMessage::Outside(Payload::of(WorkMessage::Word));
    assert_eq!(told(&heard(&mut machine, 2, word)), ["Word outside to 2"]);
}

#[test]
fn a_bystander_is_heard_by_those_at_work() {
    let (mut machine, _) = started(1, None);
    let word = || WorkingMessage::Outside(Payload::of(WorkMessage::Word));
    assert_eq!(told(&heard(&mut machine, 4, word())), [""; 0]);
    heard(&mut machine, 2, of_led(lead(1), None));
    assert_eq!(told(&heard(&mut machine, 4, word())), ["Word outside to 4"]);
    assert_eq!(told(&heard(&mut machine, 3, word())), [""; 0], "3 is no bystander");
}

#[test]
fn each_form_of_a_message_is_read_back() {
    let forms = [
        of_led(LedMessage::Join, None),
        of_led(lead(300), Some(WorkMessage::Definition)),
        WorkingMessage::Application(of_task(2, 7), Payload::of(WorkMessage::Word)),
        WorkingMessage::Outside(Payload::of(WorkMessage::Word)),
    ];
    for form in forms {
        let message = Payload::from(form);
        let body = message.encode().unwrap();
        assert_eq!(kind().read_message(&body).as_ref(), Some(&message));
        assert_eq!(kind().read_message(&[&body[..], &[9]].concat()), None);
        assert_eq!(kind().read_message(&body[..body.len() - 1]), None);
    }
}
