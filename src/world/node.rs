//! One node and its process, as records tell of them.
//!
//! Invariant: a dead process has no state.

use serde::{Deserialize, Serialize};

use fault::ClockFault;
use protocol::{Incarnation, LieSet, NodeId, StateVector, Status};
use record::{Body, Death, EffectText, Input, Step, TimerName};

/// One node and its process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeView {
    /// What its process does.
    pub process: ProcessState,
    /// Since when it is in that state.
    pub since: i64,
    /// The process id of its latest process.
    pub pid: Option<u32>,
    /// The latest incarnation.
    pub incarnation: Option<Incarnation>,
    /// The state vector; absent before the first step and while it is dead.
    pub state: Option<StateVector>,
    /// When its machine last took a step.
    pub heard: Option<i64>,
    /// What it told the operator when it came into its present state.
    pub help: Option<String>,
    /// The latest death, if it ever died.
    pub death: Option<Death>,
    /// The capacity when it came into the latest election that it knows of; before one, at its start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity: Option<i64>,
    /// The lab's step that held it in the latest step of its machine; it may have gone on since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_by: Option<String>,
    /// The rate of its machine's clock, if that is not the lab's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockFault>,
    /// What its process lies.
    #[serde(default, skip_serializing_if = "LieSet::is_empty")]
    pub lies: LieSet,
    /// The machine's timers that run, in the order in which they were set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub timers: Vec<TimerView>,
}

/// A timer that runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimerView {
    pub name: TimerName,
    /// When it was set, in nanoseconds of lab time.
    pub set: i64,
    /// When it is due, in nanoseconds of lab time.
    pub due: i64,
    /// Whether it was set because it had run out.
    #[serde(default)]
    pub recurrence: Recurrence,
}

/// Whether a timer runs again and again.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Recurrence {
    /// Something else set it.
    #[default]
    Once,
    /// Was set when it had run out, as the timers of periods are.
    Again,
}

/// The state of a node's process.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProcessState {
    /// There is none yet.
    Absent,
    /// Has been spawned and has not taken a step.
    Starting,
    /// Runs.
    Running,
    /// An order stopped it; it is up, and does not run.
    Paused,
    /// Died.
    Dead,
}

impl ProcessState {
    /// Whether it runs: not dead, not stopped.
    pub fn runs(self) -> bool {
        matches!(self, ProcessState::Starting | ProcessState::Running)
    }

    /// Whether there is a process, running or stopped.
    pub fn is_up(self) -> bool {
        self.runs() || self == ProcessState::Paused
    }

    /// What the process does once this has happened to it; absent if that changes nothing.
    pub fn after(self, body: &Body) -> Option<ProcessState> {
        match body {
            Body::Spawned { .. } => Some(ProcessState::Starting),
            Body::Died { .. } => Some(ProcessState::Dead),
            Body::Stopped { .. } => Some(ProcessState::Paused),
            Body::Continued => Some(ProcessState::Running),
            // The last records of a stopped process may still be on their way when its stop is known.
            Body::Step(_) => {
                matches!(self, ProcessState::Absent | ProcessState::Starting).then_some(ProcessState::Running)
            }
            _ => None,
        }
    }
}

impl NodeView {
    pub(super) fn absent() -> NodeView {
        NodeView {
            process: ProcessState::Absent,
            since: 0,
            pid: None,
            incarnation: None,
            state: None,
            heard: None,
            help: None,
            death: None,
            capacity: None,
            held_by: None,
            clock: None,
            lies: LieSet::HONEST,
            timers: Vec::new(),
        }
    }

    /// Whether the step is a start, or has brought the machine into an election that it was not in.
    pub(super) fn is_asked_anew(&self, step: &Step) -> bool {
        let is_other = |state: &StateVector| {
            let before = self.state.as_ref();
            before.is_none_or(|before| before.status != Status::Election || before.election != state.election)
        };
        matches!(step.input, Input::Start { .. })
            || step.state.as_ref().is_some_and(|state| state.status == Status::Election && is_other(state))
    }

    pub(super) fn become_process(&mut self, process: ProcessState, at: i64) {
        self.process = process;
        self.since = at;
    }

    /// Whether it runs, and lies.
    pub fn is_liar(&self) -> bool {
        self.process == ProcessState::Running && !self.lies.is_empty()
    }

    /// Whether it is at work under a coordinator.
    pub fn is_normal(&self) -> bool {
        self.state.as_ref().is_some_and(|state| state.status == Status::Normal)
    }

    /// The process that it believes in, in the statuses in which that has a meaning.
    pub fn believes_in(&self) -> Option<NodeId> {
        self.state.as_ref().and_then(StateVector::believes_in)
    }

    /// The timer for which it waits: the first that is due of those that do not recur, or else of all.
    pub fn awaited(&self) -> Option<&TimerView> {
        self.timers.iter().min_by_key(|timer| (timer.recurrence == Recurrence::Again, timer.due))
    }

    /// Takes in what a step at this lab time did to its timers.
    pub(super) fn take_timers(&mut self, step: &Step, lab: i64) {
        let ran_out = match &step.input {
            Input::Timer { timer, .. } => Some(timer),
            Input::Start { .. } | Input::Message { .. } | Input::Order { .. } => None,
        };
        match ran_out {
            Some(timer) => self.stop_timer(timer),
            None if matches!(step.input, Input::Start { .. }) => self.timers.clear(),
            None => {}
        }
        for effect in &step.effects {
            match effect {
                EffectText::SetTimer { timer, span } => {
                    self.stop_timer(timer);
                    let span = i64::try_from(span.nanos()).unwrap_or(i64::MAX);
                    let due = lab.saturating_add(scaled(span, LAB_RATE, rate(self.clock)));
                    let recurrence = if ran_out == Some(timer) { Recurrence::Again } else { Recurrence::Once };
                    self.timers.push(TimerView { name: timer.clone(), set: lab, due, recurrence });
                }
                EffectText::CancelTimer { timer } => self.stop_timer(timer),
                EffectText::Send { .. } | EffectText::Save { .. } | EffectText::Help { .. } => {}
            }
        }
    }

    /// From this lab time on its clock runs so: each timer keeps the rest of its time by that clock.
    pub(super) fn take_clock(&mut self, clock: Option<ClockFault>, lab: i64) {
        let (before, after) = (rate(self.clock), rate(clock));
        for timer in &mut self.timers {
            timer.due = lab.saturating_add(scaled(timer.due.saturating_sub(lab), before, after));
        }
        self.clock = clock;
    }

    fn stop_timer(&mut self, name: &TimerName) {
        self.timers.retain(|timer| timer.name != *name);
    }
}

/// The rate of a clock that no fault runs otherwise, in thousandths of the lab's.
const LAB_RATE: i64 = 1_000;

fn rate(clock: Option<ClockFault>) -> i64 {
    clock.map_or(LAB_RATE, |clock| i64::from(clock.rate.thousandths()))
}

fn scaled(nanos: i64, by: i64, of: i64) -> i64 {
    i64::try_from(i128::from(nanos) * i128::from(by) / i128::from(of)).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::World;
    use fault::FaultId;
    use protocol::{Roster, Span};
    use record::Record;

    const MS: i64 = 1_000_000;

    fn step(at: i64, input: Input, timers: &[(&str, u64)]) -> Record {
        let set =
            |(timer, ms): &(&str, u64)| EffectText::SetTimer { timer: (*timer).into(), span: Span::from_millis(*ms) };
        let step = Step { effects: timers.iter().map(set).collect(), ..Step::first(input) };
        Record::of_node(at * MS, NodeId::new(1).unwrap(), Body::Step(step))
    }

    fn start(at: i64, timers: &[(&str, u64)]) -> Record {
        step(at, Input::Start { saved: false }, timers)
    }

    fn clock(at: i64, rate: Option<&str>) -> Record {
        let clock = rate.map(|rate| ClockFault { rate: rate.parse().unwrap(), by: FaultId(1) });
        Record::of_node(at * MS, NodeId::new(1).unwrap(), Body::ClockSet { clock })
    }

    /// The timers that run after these records: name, set and due in milliseconds.
    fn timers(records: &[Record]) -> Vec<(String, i64, i64)> {
        let mut world = World::new(Roster::new(1).unwrap());
        records.iter().for_each(|record| world.fold(record));
        let timers = world.nodes.values().flat_map(|view| view.timers.clone());
        timers.map(|timer| (timer.name.to_string(), timer.set / MS, timer.due / MS)).collect()
    }

    #[test]
    fn a_timer_keeps_the_rest_of_its_time_by_its_own_clock() {
        let set = start(100, &[("silence", 400)]);
        let silence = |due| vec![("silence".to_owned(), 100, due)];
        assert_eq!(timers(std::slice::from_ref(&set)), silence(500));
        let fast = [set, clock(200, Some("2x"))];
        assert_eq!(timers(&fast), silence(350), "300 ms of its own are 150 ms of the lab");
        let [set, fast] = fast;
        assert_eq!(timers(&[set, fast.clone(), clock(300, None)]), silence(400));
        assert_eq!(timers(&[fast, start(300, &[("check", 100)])]), [("check".to_owned(), 300, 350)]);
    }

    #[test]
    fn a_timer_that_is_set_anew_replaces_itself_and_a_start_has_no_other() {
        let order = Input::Order { order: protocol::Order::Elect };
        let records = [start(100, &[("silence", 400), ("check", 200)]), step(150, order, &[("silence", 400)])];
        assert_eq!(timers(&records), [("check".to_owned(), 100, 300), ("silence".to_owned(), 150, 550)]);
        let [first, _] = records;
        assert_eq!(timers(&[first, start(900, &[("check", 200)])]), [("check".to_owned(), 900, 1_100)]);
    }
}
