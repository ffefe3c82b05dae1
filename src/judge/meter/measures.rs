//! What is measured at a record: delays, lateness, losses and tampering on the way.
//!
//! Invariant: if a stopped process made a message late, this breaks assumption 9 and not 8.

use super::super::breaks::{Break, Cause};
use super::{Meter, STANDING, nanos};
use fault::{FaultId, Tampering};
use protocol::{Assumption, NodeId, NodeSet, Span};
use record::{BreakManner, EffectText, Input, MessageId, Record, Step};
use world::clock::{Clocks, Event};
use world::index;
use world::past::CausalPast;

/// A fault holds a message back.
#[derive(Copy, Clone, Debug)]
pub(super) struct HeldMessage {
    pub by: FaultId,
    /// If it is held so long that it will come past the bound.
    pub late: Option<Late>,
}

/// A message that comes past the bound.
#[derive(Copy, Clone, Debug)]
pub(super) struct Late {
    pub sent: i64,
    /// From when on that explains anything.
    pub from: i64,
}

impl Meter {
    pub(super) fn take_step(&mut self, node: NodeId, record: &Record, step: &Step, event: &Event) {
        let (_, until) = &mut self.held_steps[index(node)];
        until.get_or_insert(record.at);
        match &step.input {
            Input::Message { id, .. } => self.take_delay(node, *id, record.at, event.sent),
            Input::Timer { timer, due, .. } => {
                let due = nanos(*due);
                self.take_lateness(node, due, record.at);
                self.timers[index(node)].stop(timer);
            }
            Input::Start { .. } => {
                self.started[index(node)] = record.at;
                self.timers[index(node)].stop_all();
            }
            Input::Order { .. } => {}
        }
        if step.held.is_some() {
            self.held_steps[index(node)] = (record.at, None);
        }
        let timers = &mut self.timers[index(node)];
        for effect in &step.effects {
            match effect {
                EffectText::SetTimer { timer, span } => {
                    timers.set(timer, record.at, *span);
                }
                EffectText::CancelTimer { timer } => timers.stop(timer),
                EffectText::Send { .. } | EffectText::Save { .. } | EffectText::Help { .. } => {}
            }
        }
    }

    pub(super) fn take_course(&mut self, node: NodeId, record: &Record, step: &Step, clocks: &Clocks) {
        for (assumption, from, bite) in self.courses.take_step(node, record, step).into_iter().flatten() {
            let cause = match bite {
                BreakManner::RecoveredWithin { .. } => self.repairs[index(node)].map(Cause::Fault),
                BreakManner::BehindCells { node } => self.courses.cells_lost_by(node).map(Cause::Fault),
                BreakManner::StartedLate { .. } => self.late_start(node, from, record.at, clocks),
                BreakManner::StartedAlone { .. } => self.elect.map(|(id, _)| Cause::Fault(id)),
                _ => None,
            };
            // A liar may keep others from beginning when they should.
            let cause = cause.or_else(|| self.liars.latest().map(Cause::Fault)).unwrap_or(Cause::Machine);
            self.note(assumption, cause, from, record.at, bite);
        }
    }

    /// The node's process found its safe cells changed by this fault, or by somebody else; what is in them, if anything.
    pub(super) fn take_cells(&mut self, node: NodeId, by: Option<FaultId>, is_anything_left: bool, at: i64) {
        self.courses.take_loss(node, by);
        let bite = match (is_anything_left, by) {
            (false, _) => BreakManner::LostCells { node },
            (true, Some(_)) => BreakManner::OldCells { node },
            (true, None) => BreakManner::ChangedCells { node },
        };
        self.note(Assumption::SafeCells, by.map_or(Cause::Machine, Cause::Fault), at, at, bite);
    }

    /// Why the node began its election so late, if the machine is not the reason: something kept it from beginning, or
    /// kept another from waking it; an order to begin so late, or an order to the first before all were called; or its
    /// own start.
    fn late_start(&self, node: NodeId, first_at: i64, at: i64, clocks: &Clocks) -> Option<Cause> {
        // The broadcast that began the first was on its way by then, and may have been garbled.
        let since = first_at - self.one_way_bound;
        let reach = clocks.past().reach(&NodeSet::of(node), at, first_at);
        let of_first = |first| clocks.past().reach(&NodeSet::of(first), first_at, since);
        let hit = |reach: &CausalPast| self.hit_within(reach, since).map(|broken| broken.cause);
        let kept_back = || {
            let mut unrecorded = self.overdue(at).chain(self.missed_copies(at));
            let is_hit = |broken: &Break| broken.bite.hits().iter().any(|hit| reach.holds(hit, broken.from));
            unrecorded.find(is_hit).map(|broken| broken.cause)
        };
        let ordered = || {
            let is_ordered = |at: i64| at > first_at || self.courses.was_ordered(first_at);
            self.elect.filter(|(_, at)| is_ordered(*at)).map(|(id, _)| Cause::Fault(id))
        };
        // A broadcast that woke the others had left before it started.
        let back = || self.repairs[index(node)].filter(|_| self.started[index(node)] > since).map(Cause::Fault);
        let hit = hit(&reach).or_else(|| hit(&of_first(self.courses.first_of(node)?)));
        hit.or_else(kept_back).or_else(ordered).or_else(back)
    }

    fn take_delay(&mut self, node: NodeId, id: MessageId, at: i64, sent: Option<i64>) {
        self.copies.take(id, node, at);
        let held = if self.held.is_empty() { None } else { self.held.remove(&(node, id)) };
        // A message on its way when the process started could not have come before.
        let sent = sent.map(|sent| sent.max(self.started[index(node)]));
        let bound = |sent: i64| self.bound_between(id.from, node, sent);
        let Some(sent) = sent.filter(|sent| at - sent > bound(*sent)) else { return };
        let took = at - sent;
        let cause = match held {
            Some(hold) => Cause::Fault(hold.by),
            None => {
                let stopped = self.stopped_for(node, sent, at).max(self.stopped_for(id.from, sent, at));
                if took - stopped <= bound(sent) {
                    return;
                }
                Cause::Machine
            }
        };
        let bite = BreakManner::Late { from: id.from, to: node, took, count: 1 };
        self.note(Assumption::DeliveryInTime, cause, self.late_from(sent, id.from, node), at, bite);
    }

    /// The ordered broadcast discarded a late broadcast. Unless faults kept every copy back, the reason is the machine,
    /// or a process that was stopped meanwhile.
    pub(super) fn take_too_late(&mut self, node: NodeId, id: MessageId, at: i64, sent: Option<i64>) {
        // It may have left a held step at any moment since that began.
        let (held, until) = self.held_steps[index(id.from)];
        let since = sent.unwrap_or(at);
        let since = if until.is_none_or(|until| until >= since) { since.min(held) } else { since };
        let stopped = self.stopped_for(node, since, at).max(self.stopped_for(id.from, since, at));
        let by_stop = stopped > 0;
        self.copies.come_too_late(id, node, at, sent, by_stop);
    }

    fn take_lateness(&mut self, node: NodeId, due: i64, at: i64) {
        if self.is_late(node, due, at) {
            self.note(Assumption::NoPauses, Cause::Machine, due, at, BreakManner::StoodStill { node });
        }
    }

    fn is_late(&self, node: NodeId, due: i64, at: i64) -> bool {
        let bound = self.one_way_bound / 2;
        at - due > bound && at - due - self.stopped_for(node, due, at) > bound
    }

    /// A running process with an overdue timer is stalled at this moment.
    pub(super) fn standing(&self, node: NodeId, now: i64) -> Option<Break> {
        let timers = &self.timers[index(node)];
        let from = timers.earliest()?;
        let (assumption, bite) = (Assumption::NoPauses, BreakManner::StoodStill { node });
        let broken = || Break { serial: STANDING, assumption, cause: Cause::Machine, from, to: None, bite };
        self.is_late(node, from, now).then(broken)
    }

    /// Messages that a fault holds back and that are late already. Their coming will be recorded, but a finding that
    /// they explain may be reported before.
    pub(super) fn overdue(&self, now: i64) -> impl Iterator<Item = Break> {
        self.held.iter().filter_map(move |((node, id), hold)| {
            let Late { sent, from } = hold.late.filter(|late| now > late.from)?;
            let bite = BreakManner::Late { from: id.from, to: *node, took: now - sent, count: 1 };
            let (assumption, cause) = (Assumption::DeliveryInTime, Cause::Fault(hold.by));
            Some(Break { serial: STANDING, assumption, cause, from, to: None, bite })
        })
    }

    /// Whether a message held from `at` on, for this long or until it is released, will or may come past the bound.
    pub(super) fn comes_late(&self, at: i64, span: Option<Span>, late_from: i64) -> bool {
        span.is_none_or(|span| at.saturating_add(nanos(span.nanos())) > late_from)
    }

    /// Messages held for a process die with it.
    pub(super) fn lose_held(&mut self, node: NodeId, at: i64) {
        let held: Vec<MessageId> = self.held.keys().filter(|(of, _)| *of == node).map(|(_, id)| *id).collect();
        for id in held {
            self.end_hold(node, id, at);
        }
    }

    /// A held message is lost; it may have been late by then.
    pub(super) fn end_hold(&mut self, node: NodeId, id: MessageId, at: i64) -> Option<HeldMessage> {
        let hold = self.held.remove(&(node, id))?;
        if let Some(Late { sent, from }) = hold.late.filter(|late| at > late.from) {
            let bite = BreakManner::Late { from: id.from, to: node, took: at - sent, count: 1 };
            self.note(Assumption::DeliveryInTime, Cause::Fault(hold.by), from, at, bite);
        }
        Some(hold)
    }

    /// From when on a message sent then is late. Until then it might still have come in time, so it explains no earlier
    /// state: no later message of its sender overtakes it.
    pub(super) fn late_from(&self, sent: i64, from: NodeId, to: NodeId) -> i64 {
        sent.saturating_add(self.bound_between(from, to, sent))
    }

    /// How long a message may take from the first to the second.
    fn bound_between(&self, from: NodeId, to: NodeId, sent: i64) -> i64 {
        self.one_way_bound - self.courses.lag(from, to, sent)
    }

    pub(super) fn lose(&mut self, id: MessageId, to: NodeId, cause: Cause, at: i64) {
        self.note(Assumption::DeliveryInTime, cause, at, at, BreakManner::Lost { from: id.from, to, count: 1 });
    }

    pub(super) fn tamper(&mut self, how: Tampering, id: MessageId, to: NodeId, by: FaultId, at: i64) {
        let bite = BreakManner::Tampered { how, from: id.from, to, count: 1 };
        self.note(how.breaks(), Cause::Fault(by), at, at, bite);
    }

    /// How long an order kept the process stopped between these stamps, or the script held it in a step.
    pub(super) fn stopped_for(&self, node: NodeId, from: i64, to: i64) -> i64 {
        let within = |begins: i64, ends: Option<i64>| (begins.max(from), ends.unwrap_or(to).min(to));
        let length = |(begins, ends): (i64, i64)| (ends - begins).max(0);
        let by_order = self.breaks.iter().filter(|broken| {
            matches!((&broken.bite, broken.cause), (BreakManner::StoodStill { node: of }, Cause::Fault(_)) if *of == node)
        });
        let (held, until) = self.held_steps[index(node)];
        let held = within(held, until);
        // A process that is paused while the script holds it is stopped once.
        let paused_alone = by_order.map(|broken| {
            let paused = within(broken.from, broken.to);
            length(paused) - length((paused.0.max(held.0), paused.1.min(held.1)))
        });
        paused_alone.sum::<i64>() + length(held)
    }
}
