//! The session as a log of ShiViz (Beschastnikh et al., "Visualizing distributed system executions", 2020): two lines an
//! event, its words, then its host and its vector clock. The file's first line is the expression that ShiViz reads it with,
//! and the second one, which would divide several logs, is empty.
//!
//! An event is a step that sends or receives, or changes the state, and the beginning and the end of a process. Heartbeats
//! are no events of their own; what was learnt through them is in the clocks. The host `lab` orders faults, and ends
//! processes.
//!
//! Invariant: a host's own entry grows by one from event to event, and every other entry is that of an event which
//! happened before (Lamport 1978, by the vectors of Fidge and Mattern).

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

use serde_json::{Map, Value};

use super::exported::Exported;
use super::step_words::step_words;
use super::told::ToldSession;
use fault::FaultId;
use protocol::NodeId;
use record::{Body, Death, EffectText, Input, MessageId, Record, Step};
use world::stamp;

/// How ShiViz reads the log.
const EXPRESSION: &str = r"(?<event>.*)\n(?<host>\S*) (?<clock>\{.*\})";
/// The host of what the lab does.
const LAB: &str = "lab";

/// A vector clock by hosts; what it does not hold is 0.
type KnownEvents = BTreeMap<String, u64>;

/// Writes the log.
pub(super) fn write(exported: &Exported<'_>, out: &mut dyn Write) -> io::Result<()> {
    let told = ToldSession::of(exported.session)?;
    writeln!(out, "{EXPRESSION}\n")?;
    let mut log = EventLog { periodic: told.head.facts.periodic.clone(), ..EventLog::default() };
    for record in told.records.iter() {
        if let Some((host, words)) = log.event_of(record) {
            let clock: Map<String, Value> =
                log.clocks[&host].iter().map(|(host, count)| (host.clone(), Value::from(*count))).collect();
            let words = words.replace(['\n', '\r'], " ");
            writeln!(out, "{} {words}\n{host} {}", stamp(record.at), Value::Object(clock))?;
        }
    }
    Ok(())
}

/// The clocks of the hosts.
#[derive(Default)]
struct EventLog {
    periodic: Vec<String>,
    clocks: HashMap<String, KnownEvents>,
    /// What a message's sender knew when it sent it.
    sent: HashMap<MessageId, KnownEvents>,
    /// What the lab knew when it ordered a fault.
    ordered: HashMap<FaultId, KnownEvents>,
}

impl EventLog {
    /// The host and the words of this record, if it is an event; the host's clock is then that of the event.
    fn event_of(&mut self, record: &Record) -> Option<(String, String)> {
        match (&record.body, record.node) {
            (Body::Step(step), Some(node)) => self.step(node, step),
            (Body::Spawned { .. }, Some(node)) => {
                let lab = self.clocks.get(LAB).cloned();
                Some(self.event(node.to_string(), lab, "a process is started".to_owned()))
            }
            (Body::Died { death }, Some(node)) => {
                let (by, words) = match death {
                    Death::Killed { by } => (self.ordered.get(by).cloned(), format!("its process is killed by {by}")),
                    Death::Exited { code } => (None, format!("its process exits with {code}")),
                    Death::Signalled { signal } => (None, format!("signal {signal} ends its process")),
                };
                Some(self.event(node.to_string(), by, words))
            }
            (Body::FaultOrdered { id, line, .. }, _) => {
                let event = self.event(LAB.to_owned(), None, format!("{id} {line}"));
                self.ordered.insert(*id, self.clocks[LAB].clone());
                Some(event)
            }
            (Body::FaultLifted { id }, _) => Some(self.event(LAB.to_owned(), None, format!("{id} is over"))),
            (Body::Violation(violation), _) => Some(self.event(
                LAB.to_owned(),
                None,
                format!("{} is violated: {}", violation.property, violation.text),
            )),
            (Body::Marker { text }, _) => Some(self.event(LAB.to_owned(), None, text.clone())),
            _ => None,
        }
    }

    fn step(&mut self, node: NodeId, step: &Step) -> Option<(String, String)> {
        let host = node.to_string();
        let learnt = match &step.input {
            Input::Message { id, .. } => self.sent.get(id).cloned(),
            _ => None,
        };
        let event = match self.is_event(step) {
            true => Some(self.event(host.clone(), learnt, step_words(step))),
            false => {
                self.learn(&host, learnt);
                None
            }
        };
        let known = self.clocks.get(&host).cloned().unwrap_or_default();
        for effect in &step.effects {
            if let EffectText::Send { id, .. } = effect {
                self.sent.insert(*id, known.clone());
            }
        }
        event
    }

    fn is_event(&self, step: &Step) -> bool {
        let is_told = |kind: &str| !self.periodic.iter().any(|periodic| periodic == kind);
        let sends =
            |effect: &EffectText| matches!(effect, EffectText::Send { message, .. } if is_told(&message.kind()));
        let is_given = match &step.input {
            Input::Message { message, .. } => is_told(&message.kind()),
            Input::Start { .. } | Input::Order { .. } => true,
            Input::Timer { .. } => false,
        };
        is_given || step.state.is_some() || step.effects.iter().any(sends)
    }

    /// An event of this host, which learns this at it.
    fn event(&mut self, host: String, learnt: Option<KnownEvents>, words: String) -> (String, String) {
        self.learn(&host, learnt);
        *self.clocks.entry(host.clone()).or_default().entry(host.clone()).or_default() += 1;
        (host, words)
    }

    fn learn(&mut self, host: &str, learnt: Option<KnownEvents>) {
        let clock = self.clocks.entry(host.to_owned()).or_default();
        for (other, count) in learnt.into_iter().flatten() {
            let known = clock.entry(other).or_default();
            *known = (*known).max(count);
        }
    }
}
