//! The lines that make a lab go the way of a counterexample, each with its moment.
//!
//! A false alarm of the way is here a timer that runs its whole span, while the messages that would stop it are held for
//! longer than their bound. What comes to a process that stood still comes after it has gone on, and its overdue timers
//! have run out by then.
//!
//! Invariant: a line stands for one event that nothing but an order brings about: a message that comes or is lost, a
//! fault. Timers run out by themselves, and the schedule leaves them their spans.

use std::collections::{BTreeMap, BTreeSet};

use super::action::{ActionKind, LabAction};
use super::closeness::{Closeness, EventOrder, NotWritten, TimerCloseness};
use super::frame::{LabFrame, PackedState, ProcessActivity, ends};
use super::model::LabModel;
use super::tables::{NumberedEffect, Response, at_place};
use super::timetable::Timetable;
use fault::{Courier, CourierAct, DatagramName, FaultEffect, FaultLine, LinkRule, Links, ProcessFault, Target};
use protocol::{Incarnation, NodeSet, TBounds};

/// How long a tick of a written lab lasts, in milliseconds.
pub const TICK_MS: i64 = 300;
/// Between two events that follow from each other, in milliseconds: real processes take a few of them.
const APART_MS: i64 = 25;
/// Between the moment at which a process goes on and what it is given next, in milliseconds: it first takes what has come
/// meanwhile.
const WAKING_MS: i64 = 100;
/// How long before a timer runs out the last event must come that may stop it, in milliseconds.
const SLACK_MS: i64 = 10;

/// A line of a script, and when it is ordered, in milliseconds since the way began.
pub type OrderedLine = (i64, FaultLine);

/// A message under way: when it was sent, by a moment's number, and its name at its receiver.
#[derive(Copy, Clone, Debug)]
struct SentAt {
    link: u8,
    message: u32,
    moment: usize,
    name: DatagramName,
}

/// A timer that runs: when it was set, for so many ticks.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
struct SetAt {
    moment: usize,
    ticks: u8,
}

/// A way on its way to a script.
pub struct Scripted<'m> {
    model: &'m LabModel,
    schedule: Timetable,
    /// By node: its last event.
    latest: Vec<usize>,
    /// By node: its timers that were overdue when its process went on, and when that was.
    overdue: Vec<BTreeMap<u8, usize>>,
    /// By node: when it was started last, and when it went on last.
    started: Vec<usize>,
    went_on: Vec<usize>,
    timers: Vec<BTreeMap<u8, SetAt>>,
    /// The nodes' timers that may run out before earlier events of the way.
    overtaken: BTreeSet<(usize, u8)>,
    under_way: Vec<SentAt>,
    /// The last number of each sender and incarnation, for each receiver or for all.
    numbers: BTreeMap<(usize, u8, Option<usize>), u64>,
    lines: Vec<(usize, FaultLine)>,
    closeness: Closeness,
    /// The event before, in the order of the way.
    before: usize,
    /// Whether messages keep their bound: not if the way has a false alarm.
    is_in_time: bool,
    /// The time-outs of the way: which event, of which node and timer.
    time_outs: Vec<(usize, usize, u8)>,
}

impl<'m> Scripted<'m> {
    /// The lines of this way, in the order of their moments.
    ///
    /// # Errors
    /// No lab with true clocks goes it: why.
    pub fn lines(
        model: &'m LabModel,
        walked: &[(PackedState, LabAction)],
        closeness: Closeness,
    ) -> Result<Vec<OrderedLine>, NotWritten> {
        if model.terms.is_ordered() {
            return Err(NotWritten::Ordered);
        }
        let nodes = usize::from(model.terms.lab.roster.len());
        let is_false_alarm = |(_, action): &(_, LabAction)| matches!(action.kind, ActionKind::FalseAlarm { .. });
        let mut scripted = Scripted {
            model,
            schedule: Timetable::new(walked.len() + 1),
            latest: vec![0; nodes],
            overdue: vec![BTreeMap::new(); nodes],
            started: vec![0; nodes],
            went_on: vec![0; nodes],
            timers: vec![BTreeMap::new(); nodes],
            overtaken: BTreeSet::new(),
            under_way: Vec::new(),
            numbers: BTreeMap::new(),
            lines: Vec::new(),
            closeness,
            before: 0,
            is_in_time: !walked.iter().any(is_false_alarm),
            time_outs: walked.iter().zip(1..).filter_map(|((_, action), moment)| time_out(*action, moment)).collect(),
        };
        for (node, response) in model.beginning().ok_or(NotWritten::Clocks)? {
            scripted.carry_out(node, 1, &response, 0);
        }
        for (place, (state, action)) in walked.iter().enumerate() {
            scripted.take(&model.frame(state), *action, place + 1)?;
        }
        let moments = scripted.schedule.solved().ok_or(NotWritten::Clocks)?;
        let mut lines: Vec<OrderedLine> =
            scripted.lines.into_iter().map(|(moment, line)| (moments[moment], line)).collect();
        lines.sort_by_key(|(at, _)| *at);
        Ok(lines)
    }

    fn take(&mut self, frame: &LabFrame, action: LabAction, moment: usize) -> Result<(), NotWritten> {
        if action.kind == ActionKind::NextTick {
            return Ok(());
        }
        let action = self.without_step(frame, action)?;
        if self.closeness.events == EventOrder::OfTheWay {
            self.schedule.at_least(self.before, moment, 0);
            self.before = moment;
        }
        let place = |node: u8| usize::from(node);
        match action.kind {
            ActionKind::NextTick => {}
            ActionKind::Deliver(at) => {
                let sent = self.taken(frame, at)?;
                let (_, to) = ends(sent.link);
                if frame.nodes[to].doing == ProcessActivity::Dead {
                    return Ok(());
                }
                self.comes(sent, to, moment)?;
                self.hand(CourierAct::Deliver, &sent, moment);
                self.next_event(frame, to, moment, None)?;
            }
            ActionKind::Lose(at) => {
                let sent = self.taken(frame, at)?;
                self.schedule.at_least(sent.moment, moment, APART_MS);
                self.hand(CourierAct::Drop, &sent, moment);
            }
            ActionKind::TimeOut { node, timer } | ActionKind::FalseAlarm { node, timer } => {
                let node = place(node);
                let set = self.timers[node].remove(&timer).ok_or(NotWritten::Clocks)?;
                self.overtaken.remove(&(node, timer));
                match self.overdue[node].remove(&timer) {
                    Some(since) => self.schedule.exactly(since, moment, 0),
                    None => self.schedule.exactly(set.moment, moment, i64::from(set.ticks) * TICK_MS),
                }
                self.next_event(frame, node, moment, Some((timer, set)))?;
            }
            ActionKind::Crash(node) => {
                self.order(ProcessFault::Crash, place(node), moment);
                self.next_event(frame, place(node), moment, None)?;
                self.timers[place(node)].clear();
                self.overdue[place(node)].clear();
            }
            ActionKind::Recover(node) => {
                self.order(ProcessFault::Recover, place(node), moment);
                self.next_event(frame, place(node), moment, None)?;
                self.started[place(node)] = moment;
            }
            ActionKind::Pause(node) => {
                self.order(ProcessFault::Pause, place(node), moment);
                self.next_event(frame, place(node), moment, None)?;
            }
            ActionKind::Resume(node) => self.goes_on(frame, place(node), moment),
            ActionKind::Elect(node) => {
                self.order(ProcessFault::Elect, place(node), moment);
                self.next_event(frame, place(node), moment, None)?;
            }
        }
        if let Some(response) = self.model.response_to(frame, action.kind) {
            let node = match action.kind {
                ActionKind::Recover(node) => place(node),
                kind => self.model.input(frame, kind).expect("who answers was given something").0,
            };
            let starts = u8::from(matches!(action.kind, ActionKind::Recover(_)));
            self.carry_out(node, frame.nodes[node].incarnation + starts, &response, moment);
        }
        Ok(())
    }

    fn order(&mut self, fault: ProcessFault, node: usize, moment: usize) {
        self.lines.push((moment, FaultLine::Process(fault, target(node))));
    }

    fn hand(&mut self, act: CourierAct, sent: &SentAt, moment: usize) {
        let (from, to) = ends(sent.link);
        let effect = FaultEffect::Courier(Courier { act, datagram: sent.name });
        let rule = LinkRule { links: Links::To { from: target(from), to: target(to) }, effect };
        self.lines.push((moment, FaultLine::Link(rule)));
    }

    /// A process that dies within a step before it has sent anything dies just before the step instead.
    fn without_step(&self, frame: &LabFrame, action: LabAction) -> Result<LabAction, NotWritten> {
        let Some(after) = action.dies_after else { return Ok(action) };
        let (node, _) = self.model.input(frame, action.kind).ok_or(NotWritten::DiesWithin)?;
        let response = self.model.response_to(frame, action.kind).ok_or(NotWritten::DiesWithin)?;
        let sends =
            |effect: &NumberedEffect| matches!(effect, NumberedEffect::Send { .. } | NumberedEffect::Broadcast { .. });
        if response.effects[..usize::from(after)].iter().any(sends) {
            return Err(NotWritten::DiesWithin);
        }
        Ok(ActionKind::Crash(node as u8).whole())
    }

    /// The process goes on: timers that are due by now run out at once, and all others later.
    fn goes_on(&mut self, frame: &LabFrame, node: usize, moment: usize) {
        self.order(ProcessFault::Resume, node, moment);
        self.schedule.at_least(self.latest[node], moment, APART_MS);
        self.latest[node] = moment;
        self.went_on[node] = moment;
        for (timer, set) in &self.timers[node] {
            let span = i64::from(set.ticks) * TICK_MS;
            if frame.nodes[node].timers[usize::from(*timer)] == 1 {
                self.overdue[node].insert(*timer, moment);
                self.schedule.at_least(set.moment, moment, span);
            } else {
                self.schedule.at_most(set.moment, moment, span - SLACK_MS);
            }
        }
    }

    /// The message comes: within its bound, if its receiver did not stand still meanwhile; and to the process that it
    /// was sent to.
    fn comes(&mut self, sent: SentAt, to: usize, moment: usize) -> Result<(), NotWritten> {
        if self.started[to] > 0 && sent.moment < self.started[to] {
            return Err(NotWritten::LaterProcess);
        }
        self.schedule.at_least(sent.moment, moment, APART_MS);
        if self.is_in_time && self.went_on[to] <= sent.moment {
            let bound = match self.model.terms.lab.card.t_bounds {
                TBounds::CallAndAnswer => TICK_MS * 3 / 2,
                TBounds::Broadcast | TBounds::OrderedBroadcast | TBounds::Message => TICK_MS * 2,
            };
            self.schedule.at_most(sent.moment, moment, bound - SLACK_MS);
        }
        Ok(())
    }

    /// Something happens at the node: after its last event, and before its running timers run out.
    ///
    /// # Errors
    /// A timer of the same moment runs out first by its name, or one that was overdue has run out before.
    fn next_event(
        &mut self,
        frame: &LabFrame,
        node: usize,
        moment: usize,
        out: Option<(u8, SetAt)>,
    ) -> Result<(), NotWritten> {
        let is_as_told = self.closeness.clocks == TimerCloseness::AsTold;
        if is_as_told && out.is_none() && !self.overdue[node].is_empty() {
            return Err(NotWritten::Clocks);
        }
        if out.is_none() || is_as_told {
            let is_twin = out.is_some_and(|(_, set)| self.timers[node].values().any(|other| *other == set));
            let apart = match out {
                Some(_) if is_twin || self.latest[node] != 0 => 0,
                None if self.latest[node] != 0 && self.latest[node] == self.went_on[node] => WAKING_MS,
                _ => APART_MS,
            };
            self.schedule.at_least(self.latest[node], moment, apart);
        }
        let tables = self.model.tables();
        let mut overtaken = Vec::new();
        for (timer, set) in &self.timers[node] {
            if self.overdue[node].contains_key(timer) || self.overtaken.contains(&(node, *timer)) {
                continue;
            }
            let is_due = frame.nodes[node].timers[usize::from(*timer)] == 1;
            let may_be_overtaken =
                (is_due || !self.is_in_time) && (out.is_some() || !self.runs_out_after(moment, node, *timer));
            if !is_as_told && may_be_overtaken {
                overtaken.push((node, *timer));
                continue;
            }
            if let Some((first, _)) = out.filter(|(_, of)| of == set) {
                if tables.timer(first) > tables.timer(*timer) {
                    return Err(NotWritten::Clocks);
                }
                continue;
            }
            self.schedule.at_most(set.moment, moment, i64::from(set.ticks) * TICK_MS - SLACK_MS);
        }
        drop(tables);
        self.overtaken.extend(overtaken);
        self.latest[node] = moment;
        Ok(())
    }

    fn runs_out_after(&self, moment: usize, node: usize, timer: u8) -> bool {
        self.time_outs.iter().any(|(at, of, which)| *at > moment && (*of, *which) == (node, timer))
    }

    fn carry_out(&mut self, node: usize, incarnation: u8, response: &Response, moment: usize) {
        for effect in &response.effects {
            match *effect {
                NumberedEffect::Send { to, message } => {
                    let name = self.name(node, incarnation, Some(usize::from(to)));
                    self.send(node, usize::from(to), SentAt { link: 0, message, moment, name });
                }
                NumberedEffect::Broadcast { message } => {
                    let name = self.name(node, incarnation, None);
                    let others = (0..self.latest.len()).filter(|other| *other != node);
                    others.for_each(|to| self.send(node, to, SentAt { link: 0, message, moment, name }));
                }
                NumberedEffect::Set { timer, ticks } => {
                    self.timers[node].insert(timer, SetAt { moment, ticks });
                    self.overtaken.remove(&(node, timer));
                    self.overdue[node].remove(&timer);
                }
                NumberedEffect::Cancel { timer } => {
                    self.timers[node].remove(&timer);
                    self.overdue[node].remove(&timer);
                }
                NumberedEffect::Save { .. } => {}
            }
        }
    }

    fn send(&mut self, from: usize, to: usize, sent: SentAt) {
        self.under_way.push(SentAt { link: super::frame::link(at_place(from), at_place(to)), ..sent });
    }

    /// The name of the sender's next message. All processes of a written lab have been started once before the way.
    fn name(&mut self, from: usize, incarnation: u8, to: Option<usize>) -> DatagramName {
        let number = self.numbers.entry((from, incarnation, to)).or_default();
        *number += 1;
        if self.model.terms.keeps_order() {
            return DatagramName::Next;
        }
        let incarnation = Incarnation(u32::from(incarnation) + 1);
        DatagramName::Numbered { of: None, multicast: to.is_none(), incarnation, sequence: *number }
    }

    /// Takes the message at this place of the state from those under way: the one that was sent first of its kind.
    fn taken(&mut self, frame: &LabFrame, place: u8) -> Result<SentAt, NotWritten> {
        let message = frame.under_way[usize::from(place)];
        let same = |sent: &SentAt| sent.link == message.link && sent.message == message.message;
        let at = self.under_way.iter().position(same).ok_or(NotWritten::Clocks)?;
        Ok(self.under_way.remove(at))
    }
}

fn target(node: usize) -> Target {
    Target::Nodes(NodeSet::of(at_place(node)))
}

/// A time-out of the way. One at which its process dies comes after the crash: the process dies just before it.
fn time_out(action: LabAction, moment: usize) -> Option<(usize, usize, u8)> {
    match action.kind {
        ActionKind::TimeOut { node, timer } | ActionKind::FalseAlarm { node, timer } => {
            Some((moment + usize::from(action.dies_after.is_some()), usize::from(node), timer))
        }
        _ => None,
    }
}
