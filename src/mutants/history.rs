//! Bugs planted in the history of the groups beside Bully and Invitation (Garcia-Molina 1982, section IV.B).
//!
//! Invariant: each is one small mistake, as a person might make it; the comment above it says what it does and what
//! follows.

use application::AnyMessage;
use application::history::HistoryMessage;
use application::working::{Working, WorkingCells, WorkingMessage};
use election::bully::Bully;
use election::invitation::Invitation;
use fault::{Bug, Given, Reaction};
use protocol::{Algorithm, Effect, Effects, Setup, TaskId};

type WithBully = Working<Bully>;
type WithInvitation = Working<Invitation>;

/// Such a message of the history, whatever carries it.
macro_rules! carries {
    ($message:pat) => {
        WorkingMessage::Election(_, Some(AnyMessage::History($message)))
            | WorkingMessage::Application(_, AnyMessage::History($message))
    };
}

/// A member that joins does not say in which group it was last: that group is no parent of the new one.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct ReportsNothing;

impl Bug for ReportsNothing {
    type Machine = WithBully;

    fn done(&mut self, _: &mut WithBully, mut step: Reaction<WithBully>, _: i64) -> Reaction<WithBully> {
        for effect in &mut step.effects {
            if let sends!(carries!(HistoryMessage::Report { last, .. })) = effect {
                *last = None;
            }
        }
        step
    }
}

/// A coming coordinator reads the number of a member's last group as the next one: that group never was.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct ReadsTheNextNumber;

impl Bug for ReadsTheNextNumber {
    type Machine = WithBully;

    fn give(&mut self, machine: &mut WithBully, mut given: Given<WithBully>, capacity: i64) -> Reaction<WithBully> {
        if let Given::Message(_, carries!(HistoryMessage::Report { last: Some(last), .. })) = &mut given {
            last.number = TaskId { serial: last.number.serial + 1, ..last.number };
        }
        given.to(machine, capacity)
    }
}

/// The definition that goes to one member lacks the first parent.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct OneLacksAParent;

impl Bug for OneLacksAParent {
    type Machine = WithInvitation;

    fn done(&mut self, _: &mut WithInvitation, mut step: Reaction<WithInvitation>, _: i64) -> Reaction<WithInvitation> {
        let one = step.effects.iter_mut().find_map(|effect| match effect {
            sends!(carries!(HistoryMessage::Definition { group, .. })) => Some(group),
            _ => None,
        });
        if let Some(group) = one {
            group.parents = group.parents.iter().skip(1).copied().collect();
        }
        step
    }
}

/// A process starts without a history, whatever its cells hold: the groups before its crash are lost.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct CellsNotRead;

impl Bug for CellsNotRead {
    type Machine = WithBully;

    fn start(
        &mut self,
        setup: &Setup,
        saved: Option<<WithBully as Algorithm>::Saved>,
        fx: &mut Effects<WithBully>,
    ) -> WithBully {
        let saved = saved.map(|cells| WorkingCells { application: None, ..cells });
        WithBully::start(setup, saved, fx)
    }
}

/// A part of the history leaves out the highest member of each group.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct PartLacksTheHighest;

impl Bug for PartLacksTheHighest {
    type Machine = WithInvitation;

    fn done(&mut self, _: &mut WithInvitation, mut step: Reaction<WithInvitation>, _: i64) -> Reaction<WithInvitation> {
        for effect in &mut step.effects {
            if let sends!(carries!(HistoryMessage::Part { groups, .. })) = effect {
                for group in groups {
                    group.members = group.members.minus(&group.members.highest().into_iter().collect());
                }
            }
        }
        step
    }
}

/// A group of one that Recovery forms is not kept: Invitation's own cells replace those of the application.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct StartNotKept;

impl Bug for StartNotKept {
    type Machine = WithInvitation;

    fn start(
        &mut self,
        setup: &Setup,
        saved: Option<<WithInvitation as Algorithm>::Saved>,
        fx: &mut Effects<WithInvitation>,
    ) -> WithInvitation {
        let before = saved.clone().and_then(|cells| cells.application);
        let mut effects = Effects::new(fx.capacity());
        let machine = WithInvitation::start(setup, saved, &mut effects);
        let (effects, lines) = effects.into_parts();
        lines.into_iter().for_each(|line| fx.line(line));
        for effect in effects {
            match effect {
                Effect::Save { saved } => fx.save(WorkingCells { application: before.clone(), ..saved }),
                other => fx.add(other),
            }
        }
        machine
    }
}
