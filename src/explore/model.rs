//! The model: every order in which a small lab may go, over the true machines.
//!
//! - A message takes 0 or 1 tick: it comes in the tick in which it was sent or in the next one. Messages of one link
//!   come in order, where the link keeps an order. One to a dead node is lost when it comes; one to a paused node
//!   waits.
//! - An ordered broadcast comes to all, to its sender too, or to nobody: its sender may die before it or after it. It
//!   takes 0 or 1 tick to each, and all have the same order. None is lost.
//! - Within a tick everything happens in every order, but a node's timer runs out only when every message to it that
//!   must come in this tick has come.
//! - A crash comes between two events, or within a step: after any of its sends and saves but the last. A pause comes
//!   between two events. A false alarm is a timer that waits for another node and runs out before its time.
//! - The machines start together in tick 0, and an order of the lab's beginning follows.
//! - Effects are carried out in their order, and a save is kept from then on, as by the driver.
//!
//! [`super::space`] makes a model of stateright of this.
//!
//! There is no reduction by symmetry or by partial order: [`super::search`] says why.
//!
//! Invariant: all that a state may lead to is a function of the state.

use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

use super::action::ActionKind;
use super::frame::{FaultKind, LabFrame, NodeFrame, PackedState, ProcessActivity, UnderWay, ends, link, ordered_link};
use super::tables::{
    NumberedEffect, NumberedInput, NumberedStart, Response, StateTables, TimerOverflow, UnaskedStep, at_place,
};
use super::terms::ExploreTerms;
use protocol::capacity::CriterionFunction;
use protocol::{Course, MachineKind, NodeSet};

/// A lab as a model of stateright.
#[derive(Debug)]
pub struct LabModel {
    pub(super) terms: ExploreTerms,
    tables: RwLock<StateTables>,
    /// The first timer that could not be counted: what follows it is not explored.
    overflow: Mutex<Option<TimerOverflow>>,
}

impl LabModel {
    /// The model of a lab on these terms.
    pub fn new(kind: MachineKind, terms: ExploreTerms) -> LabModel {
        let idle = || unreachable!("what is measured is not explored");
        let capacity = |me| CriterionFunction::new(&terms.setup(me, 1), terms.lab.seed).capacity(1, 0, idle);
        let capacities = terms.lab.roster.all().iter().map(capacity).collect();
        let tables = RwLock::new(StateTables::new(kind, capacities, terms.tick.nanos()));
        LabModel { terms, tables, overflow: Mutex::new(None) }
    }

    /// What is numbered so far.
    pub fn tables(&self) -> RwLockReadGuard<'_, StateTables> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The timer that could not be counted, if there was one.
    pub fn overflow(&self) -> Option<TimerOverflow> {
        self.overflow.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A state, taken apart.
    pub fn frame(&self, state: &PackedState) -> LabFrame {
        LabFrame::of(state, self.terms.lab.roster.len())
    }

    /// Asks the tables; computes missing entries and asks again. `None` if a computed step sets a timer that cannot be
    /// counted.
    pub(super) fn learned<T>(&self, mut ask: impl FnMut(&StateTables) -> Result<T, UnaskedStep>) -> Option<T> {
        loop {
            let answer = ask(&self.tables());
            match answer {
                Ok(answer) => return Some(answer),
                Err(missing) => self.learn(missing)?,
            }
        }
    }

    fn learn(&self, missing: UnaskedStep) -> Option<()> {
        let mut tables = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        let learned = match missing {
            UnaskedStep::Input { node, machine, input } => tables.respond(node, machine, input),
            UnaskedStep::Start(start) => {
                tables.start(start, &self.terms.setup(at_place(usize::from(start.node)), start.incarnation))
            }
        };
        drop(tables);
        let overflow = |error| {
            self.overflow.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        };
        learned.map_err(overflow).ok()
    }

    /// What the nodes do at the start, in order: they are started, and those that are to elect are ordered to. Nothing
    /// if a timer cannot be counted.
    pub(super) fn beginning(&self) -> Option<Vec<(usize, Arc<Response>)>> {
        let mut done: Vec<(usize, Arc<Response>)> = Vec::new();
        for node in self.terms.lab.roster.all().minus(&self.terms.down).iter() {
            let place = usize::from(node.get() - 1);
            let start = NumberedStart { node: place as u8, incarnation: 1, saved: 0 };
            done.push((place, self.learned(|tables| tables.started(start).cloned())?));
        }
        for node in self.terms.electing.minus(&self.terms.down).iter() {
            let place = usize::from(node.get() - 1);
            let started = done.iter().find(|(other, _)| *other == place).map(|(_, response)| response.machine)?;
            let elected = self.learned(|tables| tables.response(place, started, NumberedInput::Elect).cloned());
            done.push((place, elected?));
        }
        Some(done)
    }

    /// Whether no process has held an election in any state that was reached.
    pub fn is_idle(&self) -> bool {
        let tables = self.tables();
        let machines = tables.machines();
        (0..machines.len()).all(|number| machines.value(number as u32).state().course() == Course::Idle)
    }

    /// The input that an action gives to a machine, and the place of its node.
    pub fn input(&self, frame: &LabFrame, kind: ActionKind) -> Option<(usize, NumberedInput)> {
        match kind {
            ActionKind::Deliver(place) => {
                let UnderWay { link, message, .. } = frame.under_way[usize::from(place)];
                let (from, to) = ends(link);
                Some((to, NumberedInput::Message { from: from as u8, message }))
            }
            ActionKind::TimeOut { node, timer } | ActionKind::FalseAlarm { node, timer } => {
                Some((usize::from(node), NumberedInput::Timer(timer)))
            }
            ActionKind::Elect(node) => Some((usize::from(node), NumberedInput::Elect)),
            _ => None,
        }
    }

    /// What the action makes of its node's machine, if it gives it something.
    pub fn response_to(&self, frame: &LabFrame, kind: ActionKind) -> Option<Arc<Response>> {
        self.learned(|tables| self.known_response(tables, frame, kind).map(|response| response.cloned())).flatten()
    }

    /// The same, if the tables know it.
    pub(super) fn known_response<'t>(
        &self,
        tables: &'t StateTables,
        frame: &LabFrame,
        kind: ActionKind,
    ) -> Result<Option<&'t Arc<Response>>, UnaskedStep> {
        if let ActionKind::Recover(node) = kind {
            let NodeFrame { incarnation, saved, .. } = frame.nodes[usize::from(node)];
            return tables.started(NumberedStart { node, incarnation: incarnation + 1, saved }).map(Some);
        }
        match self.input(frame, kind) {
            Some((node, input)) if frame.nodes[node].doing == ProcessActivity::Runs => {
                tables.response(node, frame.nodes[node].machine, input).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn may_be_lost(&self, tables: &StateTables, frame: &LabFrame, message: &UnderWay) -> bool {
        let kinds = &self.terms.lost;
        frame.left[FaultKind::Loss as usize] > 0
            && !message.is_ordered()
            && (kinds.is_empty() || {
                let kind = tables.messages().value(message.message).kind();
                kinds.iter().any(|lost| *lost == kind)
            })
    }

    fn may_recover(&self, frame: &LabFrame) -> bool {
        frame.left[FaultKind::Recovery as usize] > 0
    }

    pub(super) fn whole_actions(&self, tables: &StateTables, frame: &LabFrame) -> Vec<ActionKind> {
        let mut kinds = Vec::new();
        let mut must_wait = NodeSet::EMPTY;
        let keeps_order = self.terms.keeps_order();
        let mut before: Option<UnderWay> = None;
        for (place, message) in frame.under_way.iter().enumerate() {
            let place = place as u8;
            let (_, to) = ends(message.link);
            let doing = frame.nodes[to].doing;
            if message.is_due && doing == ProcessActivity::Runs {
                must_wait.insert(at_place(to));
            }
            let is_first = !keeps_order || before.is_none_or(|before| before.queue() != message.queue());
            let is_new = before != Some(*message);
            if is_first && is_new && doing != ProcessActivity::Paused {
                kinds.push(ActionKind::Deliver(place));
            }
            if is_new && doing != ProcessActivity::Dead && self.may_be_lost(tables, frame, message) {
                kinds.push(ActionKind::Lose(place));
            }
            before = Some(*message);
        }
        let mut is_tick_over = must_wait.is_empty();
        for (node, of) in (0..).zip(&frame.nodes) {
            if of.doing != ProcessActivity::Runs {
                continue;
            }
            for timer in of.due() {
                is_tick_over = false;
                if !must_wait.contains(at_place(usize::from(node))) {
                    kinds.push(ActionKind::TimeOut { node, timer });
                }
            }
        }
        if is_tick_over {
            kinds.push(ActionKind::NextTick);
        }
        if frame.tick < self.terms.faults_until {
            self.add_faults(tables, frame, &mut kinds);
        }
        kinds
    }

    fn add_faults(&self, tables: &StateTables, frame: &LabFrame, kinds: &mut Vec<ActionKind>) {
        let may = |kind: FaultKind| frame.left[kind as usize] > 0;
        for (node, of) in (0..).zip(&frame.nodes) {
            let runs = of.doing == ProcessActivity::Runs;
            let faults = [
                (of.doing != ProcessActivity::Dead && may(FaultKind::Crash), ActionKind::Crash(node)),
                (of.doing == ProcessActivity::Dead && may(FaultKind::Recovery), ActionKind::Recover(node)),
                (runs && may(FaultKind::Pause), ActionKind::Pause(node)),
                (of.doing == ProcessActivity::Paused, ActionKind::Resume(node)),
                (runs && may(FaultKind::Elect), ActionKind::Elect(node)),
            ];
            kinds.extend(faults.into_iter().filter(|(may, _)| *may).map(|(_, kind)| kind));
            if runs && may(FaultKind::FalseAlarm) {
                let machine = tables.machines().value(of.machine);
                let running = of.timers.iter().zip(0..).filter(|(left, _)| **left > 1);
                let waiting = running.filter(|(_, timer)| !machine.waits_for(tables.timer(*timer)).is_empty());
                kinds.extend(waiting.map(|(_, timer)| ActionKind::FalseAlarm { node, timer }));
            }
        }
    }

    /// Carries out the effects of one response of this node; with `dies_after`, only that many, and then the node
    /// crashes.
    pub(super) fn carry_out(&self, frame: &mut LabFrame, node: usize, response: &Response, dies_after: Option<u8>) {
        frame.nodes[node].machine = response.machine;
        let count = dies_after.map_or(response.effects.len(), usize::from);
        for effect in &response.effects[..count] {
            match *effect {
                NumberedEffect::Send { to, message } => self.send(frame, node, usize::from(to), message),
                NumberedEffect::Broadcast { message } if self.terms.is_ordered() => {
                    for to in 0..frame.nodes.len() {
                        let link = ordered_link(at_place(node), at_place(to));
                        frame.send(UnderWay { link, message, is_due: false }, true);
                    }
                }
                NumberedEffect::Broadcast { message } => {
                    let others = (0..frame.nodes.len()).filter(|other| *other != node);
                    others.for_each(|to| self.send(frame, node, to, message));
                }
                NumberedEffect::Set { timer, ticks } => frame.nodes[node].timers[usize::from(timer)] = ticks + 1,
                NumberedEffect::Cancel { timer } => frame.nodes[node].timers[usize::from(timer)] = 0,
                NumberedEffect::Save { saved } => frame.nodes[node].saved = saved,
            }
        }
        if dies_after.is_some() {
            frame.left[FaultKind::Crash as usize] -= 1;
            frame.nodes[node].become_dead();
        }
    }

    fn send(&self, frame: &mut LabFrame, from: usize, to: usize, message: u32) {
        let (from, to) = (at_place(from), at_place(to));
        if !self.terms.cut.contains(&(from, to)) {
            let message = UnderWay { link: link(from, to), message, is_due: false };
            frame.send(message, self.terms.keeps_order());
        }
    }

    /// Forgets what cannot matter any more: faults that come too late, and messages and safe cells of nodes that stay
    /// dead.
    pub(super) fn settle(&self, frame: &mut LabFrame) {
        if frame.tick >= self.terms.faults_until {
            frame.left = [0; FaultKind::ALL.len()];
        }
        if self.may_recover(frame) {
            return;
        }
        let LabFrame { nodes, under_way, .. } = frame;
        under_way.retain(|message| nodes[ends(message.link).1].doing != ProcessActivity::Dead);
        nodes
            .iter_mut()
            .filter(|node| node.doing == ProcessActivity::Dead)
            .for_each(|node| *node = NodeFrame::absent());
    }

    pub(super) fn pass_tick(&self, frame: &mut LabFrame) {
        frame.tick += 1;
        let LabFrame { nodes, under_way, .. } = frame;
        under_way.retain(|message| !message.is_due || nodes[ends(message.link).1].doing != ProcessActivity::Dead);
        under_way.iter_mut().for_each(|message| message.is_due = true);
        if !self.terms.keeps_order() {
            under_way.sort();
        }
        nodes.iter_mut().flat_map(|node| &mut node.timers).filter(|left| **left > 1).for_each(|left| *left -= 1);
    }
}
