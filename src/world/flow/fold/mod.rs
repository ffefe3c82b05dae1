//! The fold of records into rows.
//!
//! Every lane and every message knows the rows right before it by happened-before, along messages that are not shown too.
//! A thing that happens joins a row only if all of these rows stand above that row or are that row. Otherwise it begins
//! a row at the end. A message that cannot be received in the row of its sending is therefore split: a number stands at
//! its sending and at its receipt.
//!
//! Invariant: of two things in different rows, the one that happened before the other stands above it.

mod fault_rows;
mod joining;
mod sending;

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use super::arrow::{Arrow, ArrowEnd, ArrowHead, is_whispered};
use super::lane::{LaneChange, LaneState, Lanes};
use super::reason::{SendingForm, StepSending, cause_of};
use super::row::{FlowCause, FlowRow, LateReceipt, RowTone};
use crate::ProcessState;
use fault::FaultId;
use protocol::{NodeId, NodeMap, NodeSet};
use record::{Body, EffectText, Input, MessageId, MessageText, Record, Step};

/// A row that may be joined is among so many last ones.
const ROWS_LOOKED_AT: usize = 24;
/// The fates of so many sendings are followed.
const FLIGHTS_MAX: usize = 8_192;

/// How much is shown.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum FlowDetail {
    /// Answers stand at their calls, and processes that do the same for the same reason are one row.
    Folded,
    /// Each sending is a row.
    Unfolded,
}

/// Whether heartbeats and other periodic messages are shown, and what liars whisper to one another.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Periodic {
    /// Not, unless they change something.
    Hidden,
    Shown,
}

/// What the fold knows of the lab.
#[derive(Clone, Debug)]
pub struct FlowRules {
    /// How much is shown.
    pub folding: FlowDetail,
    /// Whether periodic messages are shown.
    pub periodic: Periodic,
    /// The kinds that are periodic.
    pub kinds: Vec<String>,
    /// The process that tells all records, if only one does.
    pub vantage: Option<NodeId>,
    /// The most one message may take, in nanoseconds.
    pub one_way_bound: i64,
}

impl FlowRules {
    /// The same rules, but periodic messages are not shown.
    pub fn by_default(&self) -> FlowRules {
        FlowRules { periodic: Periodic::Hidden, ..self.clone() }
    }

    /// Whether this message is not shown: it is a periodic one, or one of those by which liars agree on what to say.
    pub fn hides(&self, message: &MessageText) -> bool {
        self.periodic == Periodic::Hidden
            && (is_whispered(message) || self.kinds.iter().any(|periodic| *periodic == *message.kind))
    }
}

/// The rows so far, and what the next record may join.
#[derive(Clone, Debug)]
pub struct FlowFold {
    rules: FlowRules,
    /// The lanes before the first row.
    beginning: Lanes,
    /// The lanes after the last row.
    lanes: Lanes,
    /// The rows right before the next thing that happens in each lane.
    fronts: NodeMap<LaneFront>,
    rows: Vec<FlowRow>,
    flights: HashMap<MessageId, FlowFlight>,
    flights_in_order: VecDeque<MessageId>,
    /// The rows of the faults, and whether each stays in force until it is lifted.
    faults: HashMap<FaultId, (usize, bool)>,
    /// The latest death of each process.
    deaths: NodeMap<FlowDeath>,
    newest: i64,
}

/// The death of a process.
#[derive(Copy, Clone, Debug)]
struct FlowDeath {
    row: usize,
    /// When a process of the node took a step again.
    until: Option<i64>,
}

/// What stands right before the next thing in a lane.
#[derive(Clone, Default, Debug)]
struct LaneFront {
    rows: BTreeSet<usize>,
}

/// A sending whose fate is followed.
#[derive(Clone, Debug)]
struct FlowFlight {
    /// Where it is shown.
    shown: Shown,
    message: MessageText,
    /// The number of the record that tells of it.
    sent: u64,
    /// The rows right before it.
    rows: BTreeSet<usize>,
    held_by: Option<FaultId>,
}

/// Where the receipt of a message stands.
#[derive(Copy, Clone, Debug)]
struct ReceiptPlace {
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
    Nowhere,
}

impl LaneFront {
    fn floor(&self) -> usize {
        self.rows.last().copied().unwrap_or(0)
    }
}

impl FlowFold {
    /// Nothing has happened since these lanes.
    pub fn new(rules: FlowRules, lanes: Lanes) -> FlowFold {
        FlowFold {
            rules,
            beginning: lanes.clone(),
            lanes,
            fronts: NodeMap::new(),
            rows: Vec::new(),
            flights: HashMap::new(),
            flights_in_order: VecDeque::new(),
            faults: HashMap::new(),
            deaths: NodeMap::new(),
            newest: i64::MIN,
        }
    }

    /// The rows, in an order that happened-before allows.
    pub fn rows(&self) -> &[FlowRow] {
        &self.rows
    }

    /// The lanes before the first row.
    pub fn beginning(&self) -> &Lanes {
        &self.beginning
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
            self.fronts.get_or_default(node).rows.extend(&flight.rows);
        }
        self.follow_deaths(node, record.at, &step.input);
        let state = step.state.as_ref().map(LaneState::of);
        let before = self.lanes.each.get(&node).and_then(|lane| lane.state.as_ref());
        let told = state.filter(|state| before != Some(state));
        let sendings = self.sendings(step);
        let is_shown = match &step.input {
            Input::Start { .. } | Input::Order { .. } => true,
            Input::Timer { .. } => false,
            Input::Message { message, .. } => match &flight {
                Some(flight) => !matches!(flight.shown, Shown::Nowhere),
                None => !self.is_unshown(message),
            },
        };
        if is_shown || told.is_some() || sendings.iter().any(|sending| sending.manner != SendingForm::Unshown) {
            self.show_step(node, record, step, flight.as_ref(), told, &sendings);
        }
        let front = self.fronts.get_or_default(node).rows.clone();
        for (id, message) in
            sendings.iter().filter(|sending| sending.manner == SendingForm::Unshown).flat_map(|s| &s.messages)
        {
            let (shown, rows) = (Shown::Nowhere, front.clone());
            self.follow(*id, FlowFlight { shown, message: message.clone(), sent: record.number, rows, held_by: None });
        }
    }

    /// The process takes a step: it lives again. If that is a wait that is over, the deaths that made it one come before.
    fn follow_deaths(&mut self, node: NodeId, at: i64, input: &Input) {
        if let Some(death) = self.deaths.get_mut(&node) {
            death.until.get_or_insert(at);
        }
        let Input::Timer { set, waited_for, .. } = input else { return };
        let set = i64::try_from(*set).unwrap_or(i64::MAX);
        let dead = waited_for.iter().filter(|other| *other != node).filter_map(|other| self.deaths.get(&other));
        let rows = dead.filter(|death| death.until.is_none_or(|until| until >= set)).map(|death| death.row);
        self.fronts.get_or_default(node).rows.extend(rows);
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
                (SendingForm::Answer, Some(ReceiptPlace { row, call: Some((of, arrow, head)) })) => {
                    let (id, message) = &sending.messages[0];
                    let rows = BTreeSet::from([row]);
                    let shown = Shown::Answer(of, arrow, head);
                    let (message, sent) = (message.clone(), record.number);
                    self.follow(*id, FlowFlight { shown, message, sent, rows, held_by: None });
                }
                (SendingForm::Unshown, _) => {}
                (SendingForm::Lie, _) => {
                    let cause = cause.take().unwrap_or(FlowCause::Plain);
                    let row = self.row_of_lies(node, record, step, sending, cause);
                    self.draw(row, node, record, sending, told.take());
                }
                (SendingForm::Arrow | SendingForm::Answer, _) => {
                    let cause = cause.take().unwrap_or(FlowCause::Plain);
                    let row = self.row_of_sending(node, record, sending, received, cause);
                    self.draw(row, node, record, sending, told.take());
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
    fn receive(
        &mut self,
        node: NodeId,
        record: &Arc<Record>,
        id: MessageId,
        flight: &FlowFlight,
    ) -> Option<ReceiptPlace> {
        let floor = self.fronts.get_or_default(node).floor();
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
                Some(ReceiptPlace { row, call: None })
            }
            Shown::Arrow(row, arrow) => {
                if id.from == node {
                    return (floor <= row).then_some(ReceiptPlace { row, call: None });
                }
                let sender = self.fronts.get(&id.from).map_or(0, LaneFront::floor);
                let in_time = record.at.saturating_sub(self.rows[row].until) <= self.rules.one_way_bound;
                let heads = &mut self.rows[row].arrows[arrow].heads;
                let head = heads.iter().position(|head| head.to == node);
                let call = head.map(|head| (row, arrow, head));
                if let (true, Some(head)) = (floor <= row && sender <= row && in_time, head) {
                    heads[head].end = ArrowEnd::Arrived;
                    self.join(node, row, record);
                    return Some(ReceiptPlace { row, call });
                }
                if let Some(head) = head {
                    heads[head].end = ArrowEnd::Later;
                }
                Some(ReceiptPlace { row: self.arrive(node, record, id, row, flight), call })
            }
        }
    }

    /// A message of an earlier row comes.
    fn arrive(&mut self, node: NodeId, record: &Arc<Record>, id: MessageId, of: usize, flight: &FlowFlight) -> usize {
        let number = self.rows[of].record.number;
        self.rows[of].number = Some(number);
        let kind = flight.message.kind.to_string();
        let same = |row: &FlowRow| row.arrivals.iter().any(|arrival| arrival.kind == kind);
        let row = self.joinable(node, record, same).unwrap_or_else(|| self.begin(record, RowTone::Plain));
        let FlowFlight { sent, held_by, .. } = *flight;
        self.rows[row].arrivals.push(LateReceipt { from: id.from, to: node, kind, number, sent, held_by });
        self.join(node, row, record);
        row
    }
}
