//! One node's steps, fed to its machine from start to start.
//!
//! Two things are not in the records and are derived from them. When a held step went on: timers that it set behind the
//! hold run from then, and tell the moment when they run out. What the safe cells held at a start: a crash may have cut
//! off the save of the step before it.
//!
//! Invariant: a course is what may have happened at a node; one goes on as long as every record is what it expects.

use std::convert::Infallible;
use std::io;

use super::difference::{StepDifference, between};
use super::whole::RecordedStep;
use crate::{Armed, Driver, Environment, Stamp};
use fault::{ClockRate, Moment, Passage};
use link::BroadcastId;
use protocol::{ApplicationCard, MachineKind, NodeId, Order, Payload, SavedCells, Setup, codec::bytes_of};
use record::{Body, EffectText, Input, MessageId, MessageText, Step, json_value};

/// What the machines of a session are.
#[derive(Copy, Clone)]
pub(super) struct FedMachines {
    pub kind: MachineKind,
    /// The application beside them, if there is one.
    pub application: Option<&'static ApplicationCard>,
}

/// One node's machine, fed step by step.
pub(super) struct Feeding {
    machines: FedMachines,
    /// Each start has its own incarnation in place of that of this.
    setup: Setup,
    seed: u64,
    courses: Vec<PossibleCourse>,
}

impl Feeding {
    /// A node that has taken no step yet.
    pub fn new(machines: FedMachines, setup: Setup, seed: u64) -> Feeding {
        Feeding { machines, setup, seed, courses: Vec::new() }
    }

    /// Feeds the node's next step; if the step before was held, it went on at that moment of lab time.
    pub fn take(&mut self, recorded: &RecordedStep<'_>, went_on: Option<u64>) -> Result<(), StepDifference> {
        let courses = std::mem::take(&mut self.courses);
        let goings: Vec<Result<PossibleCourse, StepDifference>> = match recorded.step.input {
            Input::Start { .. } => {
                let setup = Setup { incarnation: recorded.step.incarnation, ..self.setup.clone() };
                let found = contents(self.machines.kind, courses, recorded)?.into_iter();
                let start = |saved| PossibleCourse::start(self.machines, setup.clone(), self.seed, saved, recorded);
                found.map(start).collect()
            }
            _ => {
                let went_on = went_on.map_or(recorded.stamp, Stamp::of);
                courses.into_iter().map(|course| course.take(recorded, went_on)).collect()
            }
        };
        let mut odd = None;
        for going in goings {
            match going {
                Ok(course) => self.courses.push(course),
                Err(first) => odd = odd.or(Some(first)),
            }
        }
        if self.courses.is_empty() {
            return Err(odd.expect("a node starts before it takes another step, so there was a course to go on"));
        }
        Ok(())
    }
}

/// The possible contents of the safe cells after the process has died, the likeliest first; nothing if there was no
/// process before. A record says what a fault has left of them.
fn contents(
    kind: MachineKind,
    courses: Vec<PossibleCourse>,
    start: &RecordedStep<'_>,
) -> Result<Vec<Option<SavedCells>>, StepDifference> {
    if let Some(left) = &start.left {
        return Ok(vec![left.as_deref().map(|left| left_in_cells(kind, left)).transpose()?]);
    }
    if courses.is_empty() {
        return Ok(vec![None]);
    }
    let (whole, cut_off): (Vec<_>, Vec<_>) = courses.into_iter().map(PossibleCourse::safe_cells).unzip();
    let mut contents = Vec::new();
    for content in whole.into_iter().chain(cut_off) {
        if !contents.contains(&content) {
            contents.push(content);
        }
    }
    Ok(contents)
}

fn left_in_cells(kind: MachineKind, left: &str) -> Result<SavedCells, StepDifference> {
    bytes_of(left).and_then(|bytes| kind.read_cells(&bytes)).ok_or_else(|| StepDifference {
        part: "left".to_owned(),
        expected: "safe cells of this algorithm".to_owned(),
        found: format!("\"{left}\""),
    })
}

/// What may have happened at a node, up to a step.
struct PossibleCourse {
    machines: FedMachines,
    driver: Driver,
    around: RecordingEnvironment,
    /// What the safe cells held before the last step.
    before: Option<SavedCells>,
}

/// What is around the driver: nothing leaves, and the driver's acts are kept.
struct RecordingEnvironment {
    now: Stamp,
    armed: Armed,
    step: Option<Step>,
    /// The criterion's value that was recorded with the step: where it was measured, it is an input.
    capacity: i64,
    cells: Option<SavedCells>,
    held_by: Option<String>,
}

impl PossibleCourse {
    fn start(
        machines: FedMachines,
        setup: Setup,
        seed: u64,
        saved: Option<SavedCells>,
        recorded: &RecordedStep<'_>,
    ) -> Result<PossibleCourse, StepDifference> {
        let now = recorded.stamp;
        let mut around = RecordingEnvironment {
            now,
            armed: Armed::default(),
            step: None,
            capacity: recorded.step.measured.unwrap_or(recorded.step.capacity),
            cells: saved.clone(),
            held_by: None,
        };
        around.expect_hold(recorded.step, setup.me, None);
        let rate = recorded.rates.last().and_then(|(_, rate)| *rate);
        let Ok(driver) = Driver::start(machines.kind, setup, seed, saved.clone(), rate, now, &mut around);
        PossibleCourse { machines, driver, around, before: saved }.compared(recorded)
    }

    /// Takes the next step of the same incarnation; if the last one was held, it went on at that moment.
    fn take(mut self, recorded: &RecordedStep<'_>, went_on: Stamp) -> Result<PossibleCourse, StepDifference> {
        // The timers behind the hold were set by the clock of that moment.
        let (before, after): (Vec<_>, Vec<_>) = recorded.rates.iter().partition(|(lab, _)| *lab <= went_on.lab());
        self.set_rates(before);
        self.go_on(went_on);
        self.set_rates(after);
        self.before = self.around.cells.clone();
        let now = recorded.stamp;
        self.around.now = now;
        self.around.capacity = recorded.step.measured.unwrap_or(recorded.step.capacity);
        let word = self.driver.state().word;
        self.around.expect_hold(recorded.step, self.driver.setup().me, Some(&word));
        match &recorded.step.input {
            Input::Start { .. } => panic!("a start begins a course"),
            Input::Message { id, message } => {
                let (passage, message) = self.message(id, message)?;
                let Ok(()) = self.driver.on_message(&passage, &message, now, &mut self.around);
            }
            input @ Input::Timer { .. } => {
                let next = self.driver.next_due();
                let Ok(rang) = self.driver.on_due_timer(now.lab(), now, &mut self.around);
                if !rang {
                    let expected = match next {
                        Some(due) => format!("no time-out at {}: the next one is due at {due}", now.lab()),
                        None => "no time-out: no timer runs".to_owned(),
                    };
                    return Err(StepDifference {
                        part: "input".to_owned(),
                        expected,
                        found: json_value(input).to_string(),
                    });
                }
            }
            Input::Order { order } => {
                self.known(*order)?;
                let Ok(()) = self.driver.on_order(*order, now, &mut self.around);
            }
        }
        self.compared(recorded)
    }

    /// Whether the algorithm knows the order of an input, the lab's application does, or it is one to lie.
    fn known(&self, order: Order) -> Result<(), StepDifference> {
        let FedMachines { kind, application: card } = self.machines;
        let is_lie = matches!(order, Order::Lie(_));
        let is_known = kind.card().orders.contains(&order);
        if is_lie || is_known || card.is_some_and(|card| card.orders.contains(&order.word())) {
            return Ok(());
        }
        let beside = card.map_or_else(String::new, |card| format!(" or {}", card.name));
        let expected = format!("an order that {}{beside} knows", kind.card().name);
        Err(StepDifference { part: "input.order".to_owned(), expected, found: json_value(&order).to_string() })
    }

    /// The message of an input, if it can have reached this node.
    fn message(&self, id: &MessageId, text: &MessageText) -> Result<(Passage, Payload), StepDifference> {
        let setup = self.driver.setup();
        let (me, name) = (setup.me, self.machines.kind.card().name);
        if !setup.roster.all().contains(id.from) || id.to.is_some_and(|to| to != me) {
            let expected = format!("a datagram of a node of this lab that reaches node {me}");
            return Err(StepDifference {
                part: "input.message.id".to_owned(),
                expected,
                found: json_value(id).to_string(),
            });
        }
        let MessageId { from, incarnation, to, sequence } = *id;
        let passage = Passage { from, to: me, multicast: to.is_none(), incarnation, sequence };
        let message = self.machines.kind.read_text(text).ok_or_else(|| StepDifference {
            part: "input.message.message.body".to_owned(),
            expected: format!("a message of {name}"),
            found: format!("\"{}\"", text.body),
        })?;
        Ok((passage, message))
    }

    fn compared(mut self, recorded: &RecordedStep<'_>) -> Result<PossibleCourse, StepDifference> {
        if let Some(hold) = &recorded.step.held {
            let Ok(()) = self.driver.reach_hold(&hold.by, &mut self.around);
        }
        let step = self.around.step.take().expect("a driver records every step");
        if step == *recorded.step {
            return Ok(self);
        }
        between(&step, recorded.step).map_or(Ok(self), Err)
    }

    fn go_on(&mut self, now: Stamp) {
        if let Some(by) = self.around.held_by.take() {
            self.around.now = now;
            let Ok(()) = self.driver.go_on(&by, now, &mut self.around);
        }
    }

    fn set_rates(&mut self, rates: Vec<(u64, Option<ClockRate>)>) {
        for (lab, rate) in rates {
            self.driver.set_rate(rate, Stamp::of(lab));
        }
    }

    /// What the safe cells hold if the last step was completed, and if it was not.
    fn safe_cells(mut self) -> (Option<SavedCells>, Option<SavedCells>) {
        let now = self.around.now;
        self.go_on(now);
        (self.around.cells, self.before)
    }
}

impl RecordingEnvironment {
    /// Makes the driver hold the step as it was recorded. The record does not say which moment the lab waited for: any
    /// moment that would hold the step there will do.
    fn expect_hold(&mut self, step: &Step, me: NodeId, before: Option<&str>) {
        self.armed = Armed::default();
        let Some(hold) = &step.held else { return };
        let last = hold.after.checked_sub(1).and_then(|place| step.effects.get(place));
        let sent = last.and_then(|effect| match effect {
            EffectText::Send { message, .. } => Some(Moment::Sent { kind: message.kind.to_string(), by: Some(me) }),
            _ => None,
        });
        let entered = step.state.as_ref().map(|state| Moment::Enters { node: me, word: state.word.to_string() });
        let holds_there = |moment: &Moment| step.effects_before(moment, me, before) == Some(hold.after);
        if let Some(moment) = sent.into_iter().chain(entered).find(holds_there) {
            self.armed.arm(hold.by.clone(), moment);
        }
    }
}

impl Environment for RecordingEnvironment {
    type Error = Infallible;

    fn now(&self) -> Stamp {
        self.now
    }

    fn record(&mut self, _: Stamp, body: Body) -> bool {
        if let Body::Step(step) = body {
            self.step = Some(step);
        }
        true
    }

    fn send(&mut self, _: &MessageId, _: Payload) -> io::Result<()> {
        Ok(())
    }

    fn relay(&mut self, _: &BroadcastId, _: &Payload) -> io::Result<()> {
        Ok(())
    }

    fn take_own(&mut self) -> Vec<(BroadcastId, Payload)> {
        Vec::new()
    }

    fn save(&mut self, saved: SavedCells) -> Result<(), Infallible> {
        self.cells = Some(saved);
        Ok(())
    }

    fn idleness(&mut self) -> i64 {
        self.capacity
    }

    fn armed(&mut self) -> &mut Armed {
        &mut self.armed
    }

    fn become_held(&mut self, by: &str) {
        self.held_by = Some(by.to_owned());
    }
}
