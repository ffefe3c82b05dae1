//! The session as a trace for Perfetto and other readers of Chrome's trace format (JSON): a track for each process with
//! its states, one with its steps, arrows from a sending to each receipt, and tracks for the lab's faults and elections.
//!
//! A step takes no time, but a reader needs slices to fasten arrows to. So a slice of a step goes on to the next step of its
//! process, and for at most [`STEP_MAX`]; steps at the same instant stand a nanosecond apart.
//!
//! Invariant: slices of one track do not overlap, and no stamp is negative: the trace begins with the session.

use std::collections::HashMap;
use std::io::{self, Write};

use serde_json::{Value, json};

use super::exported::Exported;
use super::step_words::{message_words, step_words};
use super::told::ToldSession;
use protocol::{NodeId, NodeMap};
use record::{Body, EffectText, Input, MessageId, Record, SessionNote, Step};
use world::ProcessState;
use world::flow::LaneState;

/// The longest slice of a step, in nanoseconds.
const STEP_MAX: i64 = 100_000;
/// The tracks of a process, and those of the lab.
const STATES: u32 = 1;
const STEPS: u32 = 2;
const ELECTIONS: u32 = 1;
const HAPPENINGS: u32 = 2;
/// The process number of the lab; a node has its own number.
const LAB: u16 = 0;

/// Writes the trace.
pub(super) fn write(exported: &Exported<'_>, out: &mut dyn Write) -> io::Result<()> {
    let told = ToldSession::of(exported.session)?;
    let mut trace = Trace { start: told.start(), events: Vec::new() };
    trace.name_tracks(&told);
    trace.add_lab(&told);
    trace.add_notes(exported.notes);
    trace.add_states(&told);
    trace.add_steps(&told);
    let begins_ns = told.start();
    let about = json!({ "lab": told.head.name, "algorithm": told.head.facts.title, "begins_ns": begins_ns });
    writeln!(out, "{{\"displayTimeUnit\":\"ms\",\"otherData\":{about},\"traceEvents\":[")?;
    for (place, event) in trace.events.iter().enumerate() {
        let comma = if place + 1 < trace.events.len() { "," } else { "" };
        writeln!(out, "{event}{comma}")?;
    }
    writeln!(out, "]}}")
}

/// The events of the trace.
struct Trace {
    start: i64,
    events: Vec<Value>,
}

/// What the track of a process shows at a moment.
struct ShownState {
    since: i64,
    words: Option<String>,
    process: ProcessState,
    /// The state of its machine in words.
    state: String,
}

impl ShownState {
    /// Takes in what happened; returns what was shown before.
    fn take(&mut self, body: &Body) -> Option<String> {
        self.process = self.process.after(body).unwrap_or(self.process);
        match body {
            Body::Spawned { .. } => self.state = "starts".to_owned(),
            Body::Step(Step { state: Some(state), .. }) => self.state = LaneState::of(state).words(),
            _ => {}
        }
        let words = match self.process {
            ProcessState::Absent => None,
            ProcessState::Dead => Some("dead".to_owned()),
            ProcessState::Paused => Some("paused".to_owned()),
            ProcessState::Starting | ProcessState::Running => Some(self.state.clone()),
        };
        std::mem::replace(&mut self.words, words)
    }
}

/// A step in its slice.
struct StepSlice<'a> {
    node: NodeId,
    at: i64,
    record: &'a Record,
    step: &'a Step,
}

impl Trace {
    /// Microseconds since the session began.
    fn time(&self, at: i64) -> f64 {
        (at - self.start) as f64 / 1e3
    }

    fn name_tracks(&mut self, told: &ToldSession) {
        let mut name = |process: u16, track: Option<u32>, words: String| {
            let kind = if track.is_some() { "thread_name" } else { "process_name" };
            let track = track.unwrap_or(0);
            self.events
                .push(json!({ "ph": "M", "pid": process, "tid": track, "name": kind, "args": { "name": words } }));
        };
        name(LAB, None, format!("lab {}", told.head.name));
        name(LAB, Some(ELECTIONS), "elections".to_owned());
        name(LAB, Some(HAPPENINGS), "violations and markers".to_owned());
        for node in told.roster.all().iter() {
            name(node.get(), None, format!("process {node}"));
            name(node.get(), Some(STATES), "state".to_owned());
            name(node.get(), Some(STEPS), "steps".to_owned());
        }
    }

    fn slice(&mut self, (process, track): (u16, u32), at: i64, until: i64, name: String, told: Value) {
        let (from, long) = (self.time(at), (until - at).max(0) as f64 / 1e3);
        self.events.push(json!({
            "ph": "X", "pid": process, "tid": track, "ts": from, "dur": long, "name": name, "args": told,
        }));
    }

    fn instant(&mut self, (process, track): (u16, u32), at: i64, name: String, told: Value) {
        let at = self.time(at);
        self.events
            .push(json!({ "ph": "i", "s": "t", "pid": process, "tid": track, "ts": at, "name": name, "args": told }));
    }

    fn add_lab(&mut self, told: &ToldSession) {
        let end = told.world.now;
        for election in &told.elections {
            let words = election.in_a_line(&told.head.facts.periodic);
            let name = format!("election {}", election.ordinal);
            self.slice((LAB, ELECTIONS), election.began, election.ended.unwrap_or(end), name, json!({ "told": words }));
        }
        for fault in &told.world.faults {
            let (id, name) = (fault.id.to_string(), format!("{} {}", fault.id, fault.line));
            let until = fault.in_force.map_or(fault.ordered, |_| fault.lifted.unwrap_or(end));
            for (phase, at) in [("b", fault.ordered), ("e", until)] {
                let at = self.time(at);
                self.events.push(json!({
                    "ph": phase, "cat": "fault", "id": id, "pid": LAB, "tid": 0, "ts": at, "name": name,
                }));
            }
        }
        for record in told.records.iter() {
            match &record.body {
                Body::Violation(violation) => {
                    let name = format!("{} is violated", violation.property);
                    let told = json!({ "record": record.number, "told": violation.text });
                    self.instant((LAB, HAPPENINGS), record.at, name, told);
                }
                Body::Marker { text } => {
                    self.instant((LAB, HAPPENINGS), record.at, text.clone(), json!({ "record": record.number }));
                }
                _ => {}
            }
        }
    }

    fn add_notes(&mut self, notes: &[SessionNote]) {
        for SessionNote { kind, at, text, .. } in notes {
            self.instant((LAB, HAPPENINGS), *at, text.clone(), json!({ "kind": kind.word() }));
        }
    }

    /// A slice for each state of a machine, and for the time in which its process did not run.
    fn add_states(&mut self, told: &ToldSession) {
        let mut shown: NodeMap<ShownState> = NodeMap::new();
        for record in told.records.iter() {
            let Some(node) = record.node else { continue };
            let state = shown.get_or_insert_with(node, || ShownState {
                since: record.at,
                words: None,
                process: ProcessState::Absent,
                state: String::new(),
            });
            let before = state.take(&record.body);
            if before != state.words {
                let since = std::mem::replace(&mut state.since, record.at);
                if let Some(words) = before {
                    self.slice((node.get(), STATES), since, record.at, words, json!({}));
                }
            }
        }
        for (node, state) in shown {
            if let Some(words) = state.words {
                self.slice((node.get(), STATES), state.since, told.world.now, words, json!({}));
            }
        }
    }

    /// A slice for each step, an arrow for each message that came, and a mark for each that was lost or held.
    fn add_steps(&mut self, told: &ToldSession) {
        let mut latest: HashMap<NodeId, i64> = HashMap::new();
        let mut slices: Vec<StepSlice<'_>> = Vec::new();
        for record in told.records.iter() {
            if let (Body::Step(step), Some(node)) = (&record.body, record.node) {
                let at = latest.get(&node).map_or(record.at, |before| record.at.max(before + 1));
                latest.insert(node, at);
                slices.push(StepSlice { node, at, record, step });
            }
        }
        let mut next: HashMap<NodeId, i64> = HashMap::new();
        let mut untils = vec![0; slices.len()];
        for (place, slice) in slices.iter().enumerate().rev() {
            let after = next.insert(slice.node, slice.at).unwrap_or(i64::MAX);
            untils[place] = after.min(slice.at + STEP_MAX);
        }
        let mut sent: HashMap<MessageId, (NodeId, i64)> = HashMap::new();
        let mut arrows = 0_u64;
        for (slice, until) in slices.iter().zip(untils) {
            let told = json!({ "record": slice.record.number });
            self.slice((slice.node.get(), STEPS), slice.at, until, step_words(slice.step), told);
            if let Input::Message { id, message } = &slice.step.input
                && let Some((from, at)) = sent.get(id)
            {
                arrows += 1;
                let kind = message.kind.to_string();
                self.arrow(arrows, &kind, (*from, *at), (slice.node, slice.at));
            }
            for effect in &slice.step.effects {
                if let EffectText::Send { id, .. } = effect {
                    sent.insert(*id, (slice.node, slice.at));
                }
            }
        }
        for record in told.records.iter() {
            let Some(node) = record.node else { continue };
            let (by, deed, id, message) = match &record.body {
                Body::Dropped { id, by, message } => (by, "dropped", id, message),
                Body::Held { id, by, message, .. } => (by, "held", id, message),
                Body::Spoiled { id, by, message } => (by, "spoiled", id, message),
                _ => continue,
            };
            let words = message.as_ref().map_or_else(|| "a message".to_owned(), message_words);
            let name = format!("{deed} by {by}: {words} of {}", id.from);
            self.instant((node.get(), STEPS), record.at, name, json!({ "record": record.number }));
        }
    }

    fn arrow(&mut self, id: u64, kind: &str, (from, sent): (NodeId, i64), (to, came): (NodeId, i64)) {
        let (sent, came) = (self.time(sent), self.time(came));
        let from = json!({
            "ph": "s", "cat": "message", "id": id, "name": kind, "pid": from.get(), "tid": STEPS, "ts": sent,
        });
        let to = json!({
            "ph": "f", "bp": "e", "cat": "message", "id": id, "name": kind, "pid": to.get(), "tid": STEPS, "ts": came,
        });
        self.events.extend([from, to]);
    }
}
