//! The lines that make a lab go the way of a counterexample, each with its moment.
//!
//! Invariant: a line stands for one event that nothing but an order brings about: a message that comes or is lost, a
//! fault. Timers run out by themselves, and the schedule leaves them their spans.

use std::collections::{BTreeMap, BTreeSet};

use super::action::{ActionKind, LabAction};
use super::frame::{Doing, LabFrame, PackedState, ends};
use super::model::LabModel;
use super::tables::{NumberedEffect, Response, at_place};
use super::timetable::Timetable;
use crate::fault::DatagramName;
use crate::protocol::{Algorithm, Incarnation, TBounds};

/// How long a tick of a written lab lasts, in milliseconds.
pub const TICK_MS: i64 = 300;
/// Between two events that follow from each other, in milliseconds: real processes take a few of them.
const APART_MS: i64 = 25;
/// How long before a timer runs out the last event must come that may stop it, in milliseconds.
const SLACK_MS: i64 = 10;

/// A line of a script, and when it is ordered, in milliseconds since the way began.
pub type OrderedLine = (i64, String);

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
pub struct Scripted<'m, A: Algorithm> {
    model: &'m LabModel<A>,
    schedule: Timetable,
    /// By node: its last event.
    latest: Vec<usize>,
    /// By node: when its process last went on, if some timer was overdue then.
    overdue_since: Vec<Option<usize>>,
    /// By node: when it was started last, and when it was paused last.
    started: Vec<usize>,
    paused: Vec<Option<usize>>,
    timers: Vec<BTreeMap<u8, SetAt>>,
    /// The nodes' timers that may run out before earlier events of the way.
    overtaken: BTreeSet<(usize, u8)>,
    under_way: Vec<SentAt>,
    /// The last number of each sender and incarnation, for each receiver or for all.
    numbers: BTreeMap<(usize, u8, Option<usize>), u64>,
    lines: Vec<(usize, String)>,
    clocks: Clockwork,
    /// The time-outs of the way: which event, of which node and timer.
    time_outs: Vec<(usize, usize, u8)>,
}

/// How closely the timers of one tick keep to the way.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Clockwork {
    /// They run out in the order of the way.
    AsTold,
    /// In a tick in which several timers of a node are due, they may run out in another order, and earlier than other
    /// events of the tick.
    AsTheyCome,
}

impl<'m, A: Algorithm> Scripted<'m, A> {
    /// The lines of this way, in the order of their moments; nothing if no lab with true clocks goes it.
    pub fn lines(
        model: &'m LabModel<A>,
        walked: &[(PackedState, LabAction)],
        clocks: Clockwork,
    ) -> Option<Vec<OrderedLine>> {
        let first = model.frame(&walked.first()?.0);
        let nodes = first.nodes.len();
        let mut scripted = Scripted {
            model,
            schedule: Timetable::new(walked.len() + 1),
            latest: vec![0; nodes],
            overdue_since: vec![None; nodes],
            started: vec![0; nodes],
            paused: vec![None; nodes],
            timers: vec![BTreeMap::new(); nodes],
            overtaken: BTreeSet::new(),
            under_way: Vec::new(),
            numbers: BTreeMap::new(),
            lines: Vec::new(),
            clocks,
            time_outs: walked.iter().zip(1..).filter_map(|((_, action), moment)| time_out(*action, moment)).collect(),
        };
        scripted.begin(&first);
        for (place, (state, action)) in walked.iter().enumerate() {
            scripted.take(&model.frame(state), *action, place + 1)?;
        }
        let moments = scripted.schedule.solved()?;
        let mut lines: Vec<OrderedLine> =
            scripted.lines.into_iter().map(|(moment, line)| (moments[moment], line)).collect();
        // What a paused process is handed is ordered before it goes on: it comes before its overdue timers.
        lines.sort_by_key(|(at, line)| (*at, line.starts_with("resume")));
        Some(lines)
    }

    /// The machines have started, and were ordered what the lab orders at the start.
    fn begin(&mut self, frame: &LabFrame) {
        for (node, of) in frame.nodes.iter().enumerate() {
            let running = of.timers.iter().zip(0..).filter(|(left, _)| **left > 0);
            let set = running.map(|(left, timer)| (timer, SetAt { moment: 0, ticks: left - 1 }));
            self.timers[node] = set.collect();
        }
        for message in &frame.under_way {
            let (from, to) = ends(message.link);
            // Which of them went to all is known by their kind alone; orders of a start send to all or to one.
            let name = self.name(from, 1, Some(to));
            self.under_way.push(SentAt { link: message.link, message: message.message, moment: 0, name });
        }
    }

    fn take(&mut self, frame: &LabFrame, action: LabAction, moment: usize) -> Option<()> {
        if action.dies_after.is_some() {
            return None;
        }
        let place = |node: u8| usize::from(node);
        match action.kind {
            ActionKind::NextTick => return Some(()),
            ActionKind::FalseAlarm { .. } => return None,
            ActionKind::Deliver(at) => {
                let sent = self.taken(frame, at)?;
                let (from, to) = ends(sent.link);
                if frame.nodes[to].doing == Doing::Dead {
                    return Some(());
                }
                self.comes(sent, to, moment)?;
                self.lines.push((moment, format!("deliver {}->{} {}", at_place(from), at_place(to), sent.name)));
                self.next_event(frame, to, moment, None)?;
            }
            ActionKind::Lose(at) => {
                let sent = self.taken(frame, at)?;
                let (from, to) = ends(sent.link);
                self.schedule.at_least(sent.moment, moment, APART_MS);
                self.lines.push((moment, format!("drop {}->{} {}", at_place(from), at_place(to), sent.name)));
            }
            ActionKind::TimeOut { node, timer } => {
                let node = place(node);
                let set = self.timers[node].remove(&timer)?;
                self.overtaken.remove(&(node, timer));
                match self.overdue_since[node] {
                    Some(since) if set.moment < since => self.schedule.exactly(since, moment, 0),
                    _ => self.schedule.exactly(set.moment, moment, i64::from(set.ticks) * TICK_MS),
                }
                self.next_event(frame, node, moment, Some((timer, set)))?;
            }
            ActionKind::Crash(node) => {
                self.lines.push((moment, format!("crash {}", at_place(place(node)))));
                self.next_event(frame, place(node), moment, None)?;
                self.timers[place(node)].clear();
                self.paused[place(node)] = None;
            }
            ActionKind::Recover(node) => {
                self.lines.push((moment, format!("recover {}", at_place(place(node)))));
                self.next_event(frame, place(node), moment, None)?;
                self.started[place(node)] = moment;
                self.overdue_since[place(node)] = None;
            }
            ActionKind::Pause(node) => {
                self.lines.push((moment, format!("pause {}", at_place(place(node)))));
                self.next_event(frame, place(node), moment, None)?;
                self.paused[place(node)] = Some(moment);
            }
            ActionKind::Resume(node) => self.goes_on(frame, place(node), moment),
            ActionKind::Elect(node) => {
                self.lines.push((moment, format!("elect {}", at_place(place(node)))));
                self.next_event(frame, place(node), moment, None)?;
            }
        }
        if let Some(response) = self.model.response_to(frame, action.kind) {
            let node = match action.kind {
                ActionKind::Recover(node) => place(node),
                kind => self.model.input(frame, kind)?.0,
            };
            let starts = u8::from(matches!(action.kind, ActionKind::Recover(_)));
            self.carry_out(node, frame.nodes[node].incarnation + starts, &response, moment);
        }
        Some(())
    }

    /// The process goes on: timers that are due by now run out at once, and all others later.
    fn goes_on(&mut self, frame: &LabFrame, node: usize, moment: usize) {
        self.lines.push((moment, format!("resume {}", at_place(node))));
        self.schedule.at_least(self.latest[node], moment, APART_MS);
        self.latest[node] = moment;
        let mut is_any_overdue = false;
        for (timer, set) in &self.timers[node] {
            let span = i64::from(set.ticks) * TICK_MS;
            if frame.nodes[node].timers[usize::from(*timer)] == 1 {
                is_any_overdue = true;
                self.schedule.at_least(set.moment, moment, span);
            } else {
                self.schedule.at_most(set.moment, moment, span - SLACK_MS);
            }
        }
        self.overdue_since[node] = is_any_overdue.then_some(moment);
    }

    /// The message comes: within its bound, if its receiver was not paused meanwhile; and to the process that it was
    /// sent to.
    fn comes(&mut self, sent: SentAt, to: usize, moment: usize) -> Option<()> {
        if self.started[to] > 0 && sent.moment < self.started[to] {
            return None;
        }
        self.schedule.at_least(sent.moment, moment, APART_MS);
        let was_paused = self.paused[to].is_some_and(|paused| paused > sent.moment || self.latest[to] == paused);
        if !was_paused {
            let bound = match self.model.terms.lab.card.t_bounds {
                TBounds::CallAndAnswer => TICK_MS * 3 / 2,
                TBounds::Broadcast | TBounds::OrderedBroadcast | TBounds::Message => TICK_MS * 2,
            };
            self.schedule.at_most(sent.moment, moment, bound - SLACK_MS);
        }
        Some(())
    }

    /// Something happens at the node: after its last event, and before its running timers run out. Nothing if a timer
    /// of the same moment runs out first by its name.
    fn next_event(&mut self, frame: &LabFrame, node: usize, moment: usize, out: Option<(u8, SetAt)>) -> Option<()> {
        let since = self.overdue_since[node];
        let is_overdue = |timer: u8, set: &SetAt| {
            let is_due = frame.nodes[node].timers[usize::from(timer)] == 1;
            since.is_some_and(|since| set.moment < since && is_due)
        };
        let mut running = self.timers[node].iter().map(|(timer, set)| (*timer, *set)).chain(out);
        if let Some(since) = since.filter(|_| running.any(|(timer, set)| is_overdue(timer, &set))) {
            // Everything until the overdue timers have run out happens as it goes on.
            self.schedule.exactly(since, moment, 0);
        } else if out.is_none() || self.clocks == Clockwork::AsTold {
            let is_twin = out.is_some_and(|(_, set)| self.timers[node].values().any(|other| *other == set));
            let apart = if out.is_some() && (is_twin || self.latest[node] != 0) { 0 } else { APART_MS };
            self.schedule.at_least(self.latest[node], moment, apart);
        }
        let tables = self.model.tables();
        let mut overtaken = Vec::new();
        for (timer, set) in &self.timers[node] {
            if is_overdue(*timer, set) || self.overtaken.contains(&(node, *timer)) {
                continue;
            }
            let is_due = frame.nodes[node].timers[usize::from(*timer)] == 1;
            let may_be_overtaken = is_due && (out.is_some() || !self.runs_out_after(moment, node, *timer));
            if self.clocks == Clockwork::AsTheyCome && may_be_overtaken {
                overtaken.push((node, *timer));
                continue;
            }
            if let Some((first, _)) = out.filter(|(_, of)| of == set) {
                if tables.timer(first) > tables.timer(*timer) {
                    return None;
                }
                continue;
            }
            self.schedule.at_most(set.moment, moment, i64::from(set.ticks) * TICK_MS - SLACK_MS);
        }
        drop(tables);
        self.overtaken.extend(overtaken);
        self.latest[node] = moment;
        Some(())
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
                }
                NumberedEffect::Cancel { timer } => {
                    self.timers[node].remove(&timer);
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
    fn taken(&mut self, frame: &LabFrame, place: u8) -> Option<SentAt> {
        let message = frame.under_way[usize::from(place)];
        let same = |sent: &SentAt| sent.link == message.link && sent.message == message.message;
        let at = self.under_way.iter().position(same)?;
        Some(self.under_way.remove(at))
    }
}

fn time_out(action: LabAction, moment: usize) -> Option<(usize, usize, u8)> {
    match action.kind {
        ActionKind::TimeOut { node, timer } => Some((moment, usize::from(node), timer)),
        _ => None,
    }
}
