//! The fold of records into rows.
//!
//! Every lane and every message knows the rows right before it by happened-before, along messages that are not shown too.
//! A thing that happens joins a row only if all of these rows stand above that row or are that row. Otherwise it begins
//! a row at the end. A message that cannot be received in the row of its sending is therefore split: a number stands at
//! its sending and at its receipt.
//!
//! Invariant: of two things in different rows, the one that happened before the other stands above it.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use super::lane::{LaneChange, LaneState, Lanes};
use super::row::{Arrival, Arrow, ArrowEnd, ArrowHead, FlowCause, FlowRow, RowTone, is_told};
use crate::fault::FaultId;
use crate::protocol::{NodeId, NodeSet};
use crate::record::{Body, Death, EffectText, Input, MessageId, MessageText, Record, Step};
use crate::world::ProcessState;

/// A row that may be joined is among so many last ones.
const ROWS_LOOKED_AT: usize = 24;
/// The fates of so many sendings are followed.
const FLIGHTS_MAX: usize = 8_192;

/// How much is shown.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Folding {
    /// Answers stand at their calls, and processes that do the same for the same reason are one row.
    Folded,
    /// Each sending is a row.
    Unfolded,
}

/// Whether heartbeats and other periodic messages are shown.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Periodic {
    /// They are not, unless they change something.
    Hidden,
    /// They are.
    Shown,
}

/// What the fold knows of the lab.
#[derive(Clone, Debug)]
pub struct FlowRules {
    /// How much is shown.
    pub folding: Folding,
    /// Whether periodic messages are shown.
    pub periodic: Periodic,
    /// The kinds that are periodic.
    pub kinds: Vec<String>,
    /// The most one message may take, in nanoseconds.
    pub one_way_bound: i64,
}

/// The rows so far, and what the next record may join.
#[derive(Clone, Debug)]
pub struct FlowFold {
    rules: FlowRules,
    /// The lanes after the last row.
    lanes: Lanes,
    /// The rows right before the next thing that happens in each lane.
    fronts: BTreeMap<NodeId, Front>,
    rows: Vec<FlowRow>,
    flights: HashMap<MessageId, FlowFlight>,
    flights_in_order: VecDeque<MessageId>,
    /// The rows of the faults, and whether each stays in force until it is lifted.
    faults: HashMap<FaultId, (usize, bool)>,
    newest: i64,
}

/// What stands right before the next thing in a lane.
#[derive(Clone, Default, Debug)]
struct Front {
    rows: BTreeSet<usize>,
}

/// A sending whose fate is followed.
#[derive(Clone, Debug)]
struct FlowFlight {
    /// Where it is shown.
    shown: Shown,
    message: MessageText,
    /// The rows right before it.
    rows: BTreeSet<usize>,
    held_by: Option<FaultId>,
}

/// Where the receipt of a message stands.
#[derive(Copy, Clone, Debug)]
struct Receipt {
    row: usize,
    /// The row, the arrow and the head of its sending, if these are shown.
    call: Option<(usize, usize, usize)>,
}

/// Where a sending is shown.
#[derive(Copy, Clone, Debug)]
enum Shown {
    /// As this arrow of this row.
    Arrow(usize, usize),
    /// As the answer at this head of an arrow.
    Answer(usize, usize, usize),
    /// Nowhere.
    Nowhere,
}

impl Front {
    fn floor(&self) -> usize {
        self.rows.last().copied().unwrap_or(0)
    }
}

impl FlowFold {
    /// Nothing has happened since these lanes.
    pub fn new(rules: FlowRules, lanes: Lanes) -> FlowFold {
        FlowFold {
            rules,
            lanes,
            fronts: BTreeMap::new(),
            rows: Vec::new(),
            flights: HashMap::new(),
            flights_in_order: VecDeque::new(),
            faults: HashMap::new(),
            newest: i64::MIN,
        }
    }

    /// The rows, in an order that happened-before allows.
    pub fn rows(&self) -> &[FlowRow] {
        &self.rows
    }

    /// The lanes after the last row.
    pub fn lanes(&self) -> &Lanes {
        &self.lanes
    }

    /// Takes in the next record.
    pub fn take(&mut self, record: &Arc<Record>) {
        let is_late = record.at < self.newest;
        self.newest = self.newest.max(record.at);
        let rows = self.rows.len();
        match (&record.body, record.node) {
            (Body::Step(step), Some(node)) => self.take_step(node, record, step),
            (body, Some(node)) => self.take_node(node, record, body),
            (body, None) => self.take_host(record, body),
        }
        for row in &mut self.rows[rows..] {
            row.is_late = is_late;
        }
    }

    fn take_step(&mut self, node: NodeId, record: &Arc<Record>, step: &Step) {
        let flight = match &step.input {
            Input::Message { id, .. } => self.flights.get(id).cloned(),
            _ => None,
        };
        if let Some(flight) = &flight {
            self.fronts.entry(node).or_default().rows.extend(&flight.rows);
        }
        let state = step.state.as_ref().map(LaneState::of);
        let before = self.lanes.each.get(&node).and_then(|lane| lane.state.as_ref());
        let told = state.filter(|state| before != Some(state));
        let sendings = self.sendings(step);
        let is_shown = match &step.input {
            Input::Start { .. } | Input::Order { .. } => true,
            Input::Timer { .. } => false,
            Input::Message { message, .. } => match &flight {
                Some(flight) => !matches!(flight.shown, Shown::Nowhere),
                None => !self.is_unshown(&message.kind),
            },
        };
        if is_shown || told.is_some() || sendings.iter().any(|sending| sending.manner != Manner::Unshown) {
            self.show_step(node, record, step, flight.as_ref(), told, &sendings);
        }
        let front = self.fronts.entry(node).or_default().rows.clone();
        for (id, message) in
            sendings.iter().filter(|sending| sending.manner == Manner::Unshown).flat_map(|s| &s.messages)
        {
            self.follow(
                *id,
                FlowFlight { shown: Shown::Nowhere, message: message.clone(), rows: front.clone(), held_by: None },
            );
        }
    }

    fn show_step(
        &mut self,
        node: NodeId,
        record: &Arc<Record>,
        step: &Step,
        flight: Option<&FlowFlight>,
        told: Option<LaneState>,
        sendings: &[StepSending],
    ) {
        let received = match &step.input {
            Input::Message { id, .. } => flight.and_then(|flight| self.receive(node, record, *id, flight)),
            _ => None,
        };
        let is_seen = received.is_some() || flight.is_some_and(|flight| !matches!(flight.shown, Shown::Nowhere));
        let cause = cause_of(node, step, is_seen);
        let mut told = told.map(LaneChange::State);
        let mut cause = Some(cause);
        for sending in sendings {
            match (&sending.manner, received) {
                (Manner::Answer, Some(Receipt { row, call: Some((of, arrow, head)) })) => {
                    let (id, message) = &sending.messages[0];
                    let rows = BTreeSet::from([row]);
                    let shown = Shown::Answer(of, arrow, head);
                    self.follow(*id, FlowFlight { shown, message: message.clone(), rows, held_by: None });
                }
                (Manner::Unshown, _) => {}
                (Manner::Arrow | Manner::Answer, _) => {
                    let cause = cause.take().unwrap_or(FlowCause::Plain);
                    self.send(node, record, sending, received, cause, told.take());
                }
            }
        }
        if let Some(change) = told {
            let row = match received {
                Some(receipt) => receipt.row,
                None => self.row_of_state(node, record, cause.take().unwrap_or(FlowCause::Plain), &change),
            };
            self.join(node, row, record);
            self.apply(node, row, change);
        } else if let (Some(cause @ (FlowCause::Start(_) | FlowCause::Order { .. })), None) = (cause, received) {
            let row = self.row_like(node, record, &cause, |row| row.arrows.is_empty() && row.changes.is_empty());
            let row = row.unwrap_or_else(|| self.begin(record, RowTone::Plain));
            self.add_cause(row, cause);
            self.join(node, row, record);
        }
        for effect in &step.effects {
            if let EffectText::Help { text } = effect {
                let row = self.begin(record, RowTone::Doubt);
                self.rows[row].told.push(format!("{node} calls for help: {text}"));
                self.join(node, row, record);
            }
        }
    }

    /// Where the receipt of a message stands, if it has a row.
    fn receive(&mut self, node: NodeId, record: &Arc<Record>, id: MessageId, flight: &FlowFlight) -> Option<Receipt> {
        let floor = self.fronts.entry(node).or_default().floor();
        match flight.shown {
            Shown::Nowhere => None,
            Shown::Answer(row, arrow, head) => {
                let end = &mut self.rows[row].arrows[arrow].heads[head].end;
                if *end != ArrowEnd::Later {
                    *end = ArrowEnd::Answered;
                }
                // Where the call's row is too far up, the answer's receipt needs no row: what it brings about has one.
                if floor > row {
                    return None;
                }
                self.join(node, row, record);
                Some(Receipt { row, call: None })
            }
            Shown::Arrow(row, arrow) => {
                if id.from == node {
                    return (floor <= row).then_some(Receipt { row, call: None });
                }
                let sender = self.fronts.get(&id.from).map_or(0, Front::floor);
                let in_time = record.at.saturating_sub(self.rows[row].until) <= self.rules.one_way_bound;
                let heads = &mut self.rows[row].arrows[arrow].heads;
                let head = heads.iter().position(|head| head.to == node);
                let call = head.map(|head| (row, arrow, head));
                if let (true, Some(head)) = (floor <= row && sender <= row && in_time, head) {
                    heads[head].end = ArrowEnd::Arrived;
                    self.join(node, row, record);
                    return Some(Receipt { row, call });
                }
                if let Some(head) = head {
                    heads[head].end = ArrowEnd::Later;
                }
                Some(Receipt { row: self.arrive(node, record, id, row, flight), call })
            }
        }
    }

    /// A message of an earlier row comes.
    fn arrive(&mut self, node: NodeId, record: &Arc<Record>, id: MessageId, sent: usize, flight: &FlowFlight) -> usize {
        let number = self.rows[sent].record.number;
        self.rows[sent].number = Some(number);
        let kind = flight.message.kind.to_string();
        let same = |row: &FlowRow| row.arrivals.iter().any(|arrival| arrival.kind == kind);
        let row = self.joinable(node, record, same).unwrap_or_else(|| self.begin(record, RowTone::Plain));
        self.rows[row].arrivals.push(Arrival { from: id.from, to: node, kind, number, held_by: flight.held_by });
        self.join(node, row, record);
        row
    }

    fn send(
        &mut self,
        node: NodeId,
        record: &Arc<Record>,
        sending: &StepSending,
        received: Option<Receipt>,
        cause: FlowCause,
        change: Option<LaneChange>,
    ) {
        let kind = &sending.messages[0].1.kind;
        let same_kind = |row: &FlowRow| row.arrows.iter().all(|arrow| arrow.message.kind == *kind);
        // What is sent because of a late message stands beside that message's receipt.
        let of_receipt = received.map(|receipt| receipt.row).filter(|row| {
            let (row, floor) = (&self.rows[*row], self.fronts.get(&node).map_or(0, Front::floor) <= *row);
            floor && !row.arrivals.is_empty() && same_kind(row)
        });
        let like = |row: &FlowRow| !row.arrows.is_empty() && same_kind(row);
        let row = of_receipt.or_else(|| self.row_like(node, record, &cause, like));
        let row = row.unwrap_or_else(|| self.begin(record, RowTone::Plain));
        self.add_cause(row, cause);
        self.join(node, row, record);
        let arrow = self.rows[row].arrows.len();
        let is_multicast = sending.messages[0].0.to.is_none();
        let receivers: NodeSet = if is_multicast {
            self.lanes.each.keys().copied().filter(|to| *to != node).collect()
        } else {
            sending.messages.iter().filter_map(|(id, _)| id.to).collect()
        };
        let end = |to: &NodeId| match self.lanes.each.get(to).map(|lane| lane.process) {
            Some(ProcessState::Dead | ProcessState::Absent) => ArrowEnd::Lost("is dead"),
            _ => ArrowEnd::Flying,
        };
        let heads = receivers.iter().map(|to| ArrowHead { to, end: end(&to) }).collect();
        let message = sending.messages[0].1.clone();
        self.rows[row].arrows.push(Arrow { from: node, is_multicast, message, heads });
        for (id, message) in &sending.messages {
            let rows = BTreeSet::from([row]);
            let shown = Shown::Arrow(row, arrow);
            self.follow(*id, FlowFlight { shown, message: message.clone(), rows, held_by: None });
        }
        if let Some(change) = change {
            self.apply(node, row, change);
        }
    }

    /// What a step sends, by kinds and in order.
    fn sendings(&self, step: &Step) -> Vec<StepSending> {
        let mut sendings: Vec<StepSending> = Vec::new();
        let given = match &step.input {
            Input::Message { id, message } => Some((id, message)),
            _ => None,
        };
        let mut asker = given.map(|(given, _)| given.from);
        for effect in step.effects_around_hold().0 {
            let EffectText::Send { id, message } = effect else { continue };
            // The first message back to the sender is the answer.
            let is_answer = asker.is_some_and(|asker| id.to == Some(asker));
            asker = asker.filter(|_| !is_answer);
            let of_unshown = given.is_some_and(|(given, message)| match self.flights.get(given) {
                Some(flight) => matches!(flight.shown, Shown::Nowhere),
                None => self.is_unshown(&message.kind),
            });
            let manner = if self.is_unshown(&message.kind) || is_answer && of_unshown {
                Manner::Unshown
            } else if is_answer && self.rules.folding == Folding::Folded {
                Manner::Answer
            } else {
                Manner::Arrow
            };
            let same = |last: &&mut StepSending| {
                let (known, text) = &last.messages[0];
                last.manner == manner
                    && manner == Manner::Arrow
                    && text.kind == message.kind
                    && known.to.is_some()
                    && id.to.is_some()
            };
            match sendings.last_mut().filter(same) {
                Some(last) => last.messages.push((*id, message.clone())),
                None => sendings.push(StepSending { manner, messages: vec![(*id, message.clone())] }),
            }
        }
        sendings
    }

    fn is_unshown(&self, kind: &str) -> bool {
        self.rules.periodic == Periodic::Hidden && self.rules.kinds.iter().any(|periodic| periodic == kind)
    }

    /// A row that this thing may join, because what it does there is done for the same reason.
    fn row_like(
        &self,
        node: NodeId,
        record: &Arc<Record>,
        cause: &FlowCause,
        like: impl Fn(&FlowRow) -> bool,
    ) -> Option<usize> {
        if self.rules.folding == Folding::Unfolded {
            return None;
        }
        self.joinable(node, record, |row| same_cause(&row.cause, cause) && like(row))
    }

    fn row_of_state(&mut self, node: NodeId, record: &Arc<Record>, cause: FlowCause, change: &LaneChange) -> usize {
        let like = |row: &FlowRow| {
            row.arrows.is_empty() && row.changes.iter().all(|(of, known)| *of != node && same_state(known, change))
        };
        let row = self.row_like(node, record, &cause, like).unwrap_or_else(|| self.begin(record, RowTone::Plain));
        self.add_cause(row, cause);
        row
    }

    /// The newest row like this that may be joined by happened-before and by time.
    fn joinable(&self, node: NodeId, record: &Arc<Record>, like: impl Fn(&FlowRow) -> bool) -> Option<usize> {
        let floor = self.fronts.get(&node).map_or(0, Front::floor);
        let first = self.rows.len().saturating_sub(ROWS_LOOKED_AT).max(floor);
        (first..self.rows.len()).rev().find(|row| {
            let row = &self.rows[*row];
            row.tone == RowTone::Plain
                && record.at.saturating_sub(row.until) <= self.rules.one_way_bound / 2
                && like(row)
        })
    }

    fn begin(&mut self, record: &Arc<Record>, tone: RowTone) -> usize {
        self.rows.push(FlowRow {
            record: Arc::clone(record),
            until: record.at,
            cause: FlowCause::Plain,
            arrows: Vec::new(),
            arrivals: Vec::new(),
            changes: Vec::new(),
            told: Vec::new(),
            tone,
            number: None,
            after: BTreeSet::new(),
            records: Vec::new(),
            is_late: false,
        });
        self.rows.len() - 1
    }

    /// What happens at the node stands in this row.
    fn join(&mut self, node: NodeId, row: usize, record: &Arc<Record>) {
        let front = self.fronts.entry(node).or_default();
        let before = std::mem::replace(&mut front.rows, BTreeSet::from([row]));
        let joined = &mut self.rows[row];
        joined.after.extend(before.into_iter().filter(|before| *before != row));
        joined.until = joined.until.max(record.at);
        if joined.records.last() != Some(&record.number) {
            joined.records.push(record.number);
        }
    }

    fn apply(&mut self, node: NodeId, row: usize, change: LaneChange) {
        self.lanes.change(node, &change);
        self.rows[row].changes.push((node, change));
    }

    fn add_cause(&mut self, row: usize, cause: FlowCause) {
        let known = &mut self.rows[row].cause;
        match (known, cause) {
            (FlowCause::Start(all), FlowCause::Start(new)) => *all = all.union(&new),
            (
                FlowCause::Timer { at: all, waited_for: silent, .. },
                FlowCause::Timer { at: new, waited_for: newly, .. },
            ) => (*all, *silent) = (all.union(&new), silent.union(&newly)),
            (FlowCause::Unshown { at: all, .. }, FlowCause::Unshown { at: new, .. })
            | (FlowCause::Order { at: all, .. }, FlowCause::Order { at: new, .. }) => *all = all.union(&new),
            (known, cause) => *known = cause,
        }
    }

    fn follow(&mut self, id: MessageId, flight: FlowFlight) {
        if self.flights.insert(id, flight).is_none() {
            self.flights_in_order.push_back(id);
        }
        if self.flights_in_order.len() > FLIGHTS_MAX {
            let oldest = self.flights_in_order.pop_front();
            oldest.map(|id| self.flights.remove(&id));
        }
    }

    /// What a link or a process did at a node.
    fn take_node(&mut self, node: NodeId, record: &Arc<Record>, body: &Body) {
        match body {
            Body::Dropped { id, by, .. } => self.end(*id, node, ArrowEnd::Dropped(*by)),
            Body::Held { id, by, .. } => {
                self.end(*id, node, ArrowEnd::Held(*by));
                if let Some(flight) = self.flights.get_mut(id) {
                    flight.held_by = Some(*by);
                }
            }
            Body::Spoiled { id, .. } | Body::Garbled { id, became: None, .. } => {
                self.end(*id, node, ArrowEnd::Lost("spoiled"));
            }
            Body::Stale { id } => self.end(*id, node, ArrowEnd::Lost("overtaken")),
            Body::Late { id, .. } => self.end(*id, node, ArrowEnd::Lost("too late")),
            Body::SendFailed { id, .. } => {
                let to = id.to.unwrap_or(node);
                self.end(*id, to, ArrowEnd::Lost("not sent"));
            }
            Body::Spawned { .. } => {
                self.change_process(node, record, ProcessState::Starting, None, "has a new process")
            }
            Body::Ready { .. } => {
                let change = LaneChange::Process(ProcessState::Running);
                match self.rows.len().checked_sub(1) {
                    Some(row) => self.apply(node, row, change),
                    None => self.lanes.change(node, &change),
                }
            }
            Body::Died { death } => {
                let (by, words) = match death {
                    Death::Killed { by } => (Some(*by), "is dead"),
                    Death::Exited { .. } => (None, "is dead: its process ended by itself"),
                    Death::Signalled { .. } => (None, "is dead: somebody else killed it"),
                };
                self.change_process(node, record, ProcessState::Dead, by, words);
                self.end_flights_to(node);
            }
            Body::Stopped { by } => self.change_process(node, record, ProcessState::Paused, Some(*by), "is paused"),
            Body::Continued => self.change_process(node, record, ProcessState::Running, None, "goes on"),
            Body::Panicked { message } => self.tell(record, RowTone::Violation, format!("{node} panicked: {message}")),
            Body::Overflowed { count } => {
                let text = format!("{node} lost {count} datagrams: its receive buffer was full");
                self.tell(record, RowTone::Doubt, text);
            }
            Body::Gap(missed) => {
                self.tell(record, RowTone::Doubt, format!("{} records are missing here", missed.count))
            }
            _ => {}
        }
    }

    fn take_host(&mut self, record: &Arc<Record>, body: &Body) {
        match body {
            Body::Began => self.tell(record, RowTone::Note, "the lab begins".into()),
            Body::Ended { why } => self.tell(record, RowTone::Note, format!("the lab ends: {why}")),
            Body::Marker { text } => self.tell(record, RowTone::Note, format!("marker: {text}")),
            Body::Gap(missed) => {
                self.tell(record, RowTone::Doubt, format!("{} records are missing here", missed.count))
            }
            Body::Violation(report) => {
                let word = if report.because.is_some() { "excused violation" } else { "violation" };
                let text = format!("{word} {} of {}: {}", report.property, report.nodes, report.text);
                self.tell(record, RowTone::Violation, text);
            }
            Body::FaultOrdered { id, line, rule, .. } => {
                self.tell(record, RowTone::Fault, format!("{id} {line}"));
                self.faults.insert(*id, (self.rows.len() - 1, rule.is_some()));
            }
            Body::FaultNotInForce { id, why } => self.tell(record, RowTone::Fault, format!("{id} not in force: {why}")),
            Body::FaultLifted { id } if self.faults.get(id).is_some_and(|(_, stays)| *stays) => {
                self.tell(record, RowTone::Fault, format!("{id} is over"));
            }
            _ => {}
        }
    }

    fn tell(&mut self, record: &Arc<Record>, tone: RowTone, text: String) {
        let row = self.begin(record, tone);
        self.rows[row].told.push(text);
        self.rows[row].records.push(record.number);
    }

    /// A process does something, in the row of the fault that ordered it, or in the newest row of a fault about it.
    fn change_process(
        &mut self,
        node: NodeId,
        record: &Arc<Record>,
        process: ProcessState,
        by: Option<FaultId>,
        words: &str,
    ) {
        if self.rows.is_empty() {
            self.lanes.change(node, &LaneChange::Process(process));
            return;
        }
        let floor = self.fronts.get(&node).map_or(0, Front::floor);
        let of_fault = by.and_then(|by| self.faults.get(&by)).map(|(row, _)| *row);
        let about = |row: &usize| match &self.rows[*row].record.body {
            Body::FaultOrdered { nodes, .. } => nodes.contains(node),
            _ => false,
        };
        let newest = (self.rows.len().saturating_sub(ROWS_LOOKED_AT)..self.rows.len()).rev().find(about);
        let row = match of_fault.or(newest).filter(|row| *row >= floor) {
            Some(row) => row,
            None => {
                let row = self.begin(record, RowTone::Fault);
                let by = by.map_or_else(String::new, |by| format!(" by {by}"));
                self.rows[row].told.push(format!("{node} {words}{by}"));
                row
            }
        };
        self.join(node, row, record);
        self.apply(node, row, LaneChange::Process(process));
    }

    fn end(&mut self, id: MessageId, to: NodeId, end: ArrowEnd) {
        match self.flights.get(&id).map(|flight| flight.shown) {
            Some(Shown::Arrow(row, arrow)) => {
                let heads = &mut self.rows[row].arrows[arrow].heads;
                if let Some(head) = heads.iter_mut().find(|head| head.to == to) {
                    head.end = end;
                }
            }
            Some(Shown::Answer(row, arrow, head)) if !matches!(end, ArrowEnd::Held(_)) => {
                self.rows[row].arrows[arrow].heads[head].end = ArrowEnd::AnswerLost;
            }
            Some(Shown::Answer(..) | Shown::Nowhere) | None => {}
        }
    }

    /// The process died: what was on its way to it comes no more.
    fn end_flights_to(&mut self, node: NodeId) {
        let first = self.rows.len().saturating_sub(ROWS_LOOKED_AT);
        for head in self.rows[first..].iter_mut().flat_map(|row| &mut row.arrows).flat_map(|arrow| &mut arrow.heads) {
            if head.to == node && head.end == ArrowEnd::Flying {
                head.end = ArrowEnd::Lost("is dead");
            }
        }
    }
}

/// What a step sends of one kind.
struct StepSending {
    manner: Manner,
    messages: Vec<(MessageId, MessageText)>,
}

/// How a sending is shown.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum Manner {
    Arrow,
    /// At the call that it answers.
    Answer,
    Unshown,
}

/// Why a node took this step; the message that it was given may be seen in the flow.
fn cause_of(node: NodeId, step: &Step, is_seen: bool) -> FlowCause {
    let at = NodeSet::of(node);
    match &step.input {
        Input::Start { .. } => FlowCause::Start(at),
        Input::Timer { timer, waited_for, .. } => {
            FlowCause::Timer { name: timer.to_string(), at, waited_for: *waited_for }
        }
        Input::Order { order } => FlowCause::Order { order: order.says().to_owned(), at },
        Input::Message { .. } if is_seen => FlowCause::Plain,
        Input::Message { message, .. } => {
            let fields = message.fields.iter().filter(|(name, _)| is_told(name));
            let fields: Vec<String> = fields.map(|(name, value)| format!("{name}={value}")).collect();
            let fields = if fields.is_empty() { String::new() } else { format!("({})", fields.join(", ")) };
            FlowCause::Unshown { message: format!("{}{fields}", message.kind), at }
        }
    }
}

fn same_cause(one: &FlowCause, other: &FlowCause) -> bool {
    match (one, other) {
        (FlowCause::Plain, FlowCause::Plain) | (FlowCause::Start(_), FlowCause::Start(_)) => true,
        (FlowCause::Timer { name: one, .. }, FlowCause::Timer { name: other, .. })
        | (FlowCause::Order { order: one, .. }, FlowCause::Order { order: other, .. })
        | (FlowCause::Unshown { message: one, .. }, FlowCause::Unshown { message: other, .. }) => one == other,
        _ => false,
    }
}

fn same_state(one: &LaneChange, other: &LaneChange) -> bool {
    match (one, other) {
        (LaneChange::State(one), LaneChange::State(other)) => one.status == other.status && one.word == other.word,
        _ => one == other,
    }
}
