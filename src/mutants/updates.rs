//! Bugs planted in the updates beside Bully and Invitation (Garcia-Molina 1982, section IV.B).
//!
//! Invariant: each is one small mistake, as a person might make it; the comment above it says what it does and what
//! follows.

use application::updates::{UpdateMessage, UpdateTimer};
use application::working::{Working, WorkingCells, WorkingMessage, WorkingTimer};
use application::{AnyMessage, AnyTimer};
use election::bully::{self, Bully};
use election::invitation::Invitation;
use fault::{Bug, Given, Reaction};
use protocol::{
    AcknowledgedUpdate, Algorithm, Effect, Effects, Incarnation, NodeId, OrderId, Setup, StateVector, TaskId,
    TransactionId, UpdateWork, Work,
};

type WithBully = Working<Bully>;
type WithInvitation = Working<Invitation>;
type Done = Reaction<WithBully>;

/// Such a message of the updates.
macro_rules! says {
    ($message:pat) => {
        WorkingMessage::Application(_, AnyMessage::Updates($message))
    };
}

/// A member keeps an order, and does not send it to the coordinator.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct RequestNotSent;

impl Bug for RequestNotSent {
    type Machine = WithBully;

    fn give(&mut self, machine: &mut WithBully, given: Given<WithBully>, capacity: i64) -> Done {
        given.to(machine, capacity).without(|effect| matches!(effect, sends!(says!(UpdateMessage::Request { .. }))))
    }
}

/// A member that is silent for the whole silence counts as one that has said yes.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct SilenceIsYes;

impl Bug for SilenceIsYes {
    type Machine = WithBully;

    fn give(&mut self, machine: &mut WithBully, given: Given<WithBully>, capacity: i64) -> Done {
        if given == Given::Timer(timer(UpdateTimer::Silent))
            && let Some(by) = voted_on(machine)
        {
            return all_say_yes(machine, by, capacity);
        }
        given.to(machine, capacity)
    }
}

/// The first yes decides.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct FirstYesIsEnough;

impl Bug for FirstYesIsEnough {
    type Machine = WithBully;

    fn give(&mut self, machine: &mut WithBully, given: Given<WithBully>, capacity: i64) -> Done {
        let is_yes = matches!(given, Given::Message(_, says!(UpdateMessage::Yes { .. })));
        let step = given.to(machine, capacity);
        match voted_on(machine).filter(|_| is_yes) {
            Some(by) => step.then(all_say_yes(machine, by, capacity)),
            None => step,
        }
    }
}

/// A no is counted as a yes.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct NoIsYes;

impl Bug for NoIsYes {
    type Machine = WithBully;

    fn give(&mut self, machine: &mut WithBully, mut given: Given<WithBully>, capacity: i64) -> Done {
        if let Given::Message(_, says!(message @ UpdateMessage::No { .. })) = &mut given
            && let UpdateMessage::No { attempt, .. } = message
        {
            *message = UpdateMessage::Yes { attempt: *attempt };
        }
        given.to(machine, capacity)
    }
}

/// A member says yes, and does not save what it has prepared.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct PreparedNotSaved;

impl Bug for PreparedNotSaved {
    type Machine = WithBully;

    fn give(&mut self, machine: &mut WithBully, given: Given<WithBully>, capacity: i64) -> Done {
        let is_asked = matches!(given, Given::Message(_, says!(UpdateMessage::Prepare(_))));
        let step = given.to(machine, capacity);
        if is_asked { step.without(is_save) } else { step }
    }
}

/// A member puts what is done in its log, and does not save it.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct CommitNotSaved;

impl Bug for CommitNotSaved {
    type Machine = WithBully;

    fn give(&mut self, machine: &mut WithBully, given: Given<WithBully>, capacity: i64) -> Done {
        let is_told = matches!(given, Given::Message(_, says!(UpdateMessage::Commit { .. })));
        let step = given.to(machine, capacity);
        if is_told { step.without(is_save) } else { step }
    }
}

/// A process starts with an empty log, whatever its cells hold.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct LogNotRead;

impl Bug for LogNotRead {
    type Machine = WithBully;

    fn start(&mut self, setup: &Setup, saved: Option<BullyCells>, fx: &mut Effects<WithBully>) -> WithBully {
        let saved = saved.map(|cells| WorkingCells { application: None, ..cells });
        WithBully::start(setup, saved, fx)
    }
}

/// A member that is in doubt for long takes the update for aborted.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct AbortsInDoubt;

impl Bug for AbortsInDoubt {
    type Machine = WithBully;

    fn give(&mut self, machine: &mut WithBully, given: Given<WithBully>, capacity: i64) -> Done {
        let decide = |transaction| UpdateMessage::Abort { transaction };
        decided_alone(machine, given, decide, capacity)
    }
}

/// A member that is in doubt for long takes the update for done.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct CommitsInDoubt;

impl Bug for CommitsInDoubt {
    type Machine = WithBully;

    fn give(&mut self, machine: &mut WithBully, given: Given<WithBully>, capacity: i64) -> Done {
        let decide = |transaction| UpdateMessage::Commit { transaction };
        decided_alone(machine, given, decide, capacity)
    }
}

/// A member does not report what it is in doubt about: the next coordinator takes it for one that has not prepared it.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct DoubtNotReported;

impl Bug for DoubtNotReported {
    type Machine = WithBully;

    fn done(&mut self, _: &mut WithBully, mut step: Done, _: i64) -> Done {
        for effect in &mut step.effects {
            if let sends!(WorkingMessage::Election(_, Some(AnyMessage::Updates(UpdateMessage::Report(standing, _))))) =
                effect
            {
                standing.in_doubt = None;
            }
        }
        step
    }
}

/// A process acknowledges an order when it has taken it.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct AcknowledgesAtOnce {
    me: Option<(NodeId, Incarnation)>,
}

impl Bug for AcknowledgesAtOnce {
    type Machine = WithBully;

    fn start(&mut self, setup: &Setup, saved: Option<BullyCells>, fx: &mut Effects<WithBully>) -> WithBully {
        self.me = Some((setup.me, setup.incarnation));
        WithBully::start(setup, saved, fx)
    }

    fn state(&self, machine: &WithBully) -> StateVector {
        let state = machine.state();
        let work = update_work(&state);
        let Some((node, incarnation)) = self.me.filter(|_| work.waiting > 0) else { return state };
        let times = work.acknowledged.map_or(0, |acknowledged| acknowledged.times) + 1;
        let id = OrderId { node, incarnation, serial: times };
        let acknowledged = Some(AcknowledgedUpdate { times, id, position: work.length + 1 });
        StateVector { work: Some(Box::new(Work::Updates(UpdateWork { acknowledged, ..work }))), ..state }
    }
}

/// A member adds one more than it is asked to.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct AddsOneMore;

impl Bug for AddsOneMore {
    type Machine = WithInvitation;

    fn give(
        &mut self,
        machine: &mut WithInvitation,
        mut given: Given<WithInvitation>,
        capacity: i64,
    ) -> Reaction<WithInvitation> {
        if let Given::Message(_, says!(UpdateMessage::Prepare(proposal))) = &mut given {
            proposal.prepared.update.value += 1;
        }
        given.to(machine, capacity)
    }
}

/// A coordinator tells the voters that the update is done when it asks them to prepare it.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct TellsBeforeDeciding;

impl Bug for TellsBeforeDeciding {
    type Machine = WithInvitation;

    fn done(&mut self, _: &mut WithInvitation, mut step: Reaction<WithInvitation>, _: i64) -> Reaction<WithInvitation> {
        let told = step.effects.iter().filter_map(|effect| match effect {
            Effect::Send {
                to,
                message: WorkingMessage::Application(task, AnyMessage::Updates(UpdateMessage::Prepare(proposal))),
            } => {
                let commit = UpdateMessage::Commit { transaction: proposal.prepared.update.by };
                Some(Effect::Send { to: *to, message: message_of(*task, commit) })
            }
            _ => None,
        });
        let told: Vec<Effect<WithInvitation>> = told.collect();
        step.effects.extend(told);
        step
    }
}

/// Every life of a process takes itself for its first: it names two transactions alike.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct NamesTransactionsAnew;

impl Bug for NamesTransactionsAnew {
    type Machine = WithBully;

    fn start(&mut self, setup: &Setup, saved: Option<BullyCells>, fx: &mut Effects<WithBully>) -> WithBully {
        WithBully::start(&Setup { incarnation: Incarnation(1), ..setup.clone() }, saved, fx)
    }
}

type BullyCells = WorkingCells<bully::SafeCells>;

fn timer(timer: UpdateTimer) -> WorkingTimer<bully::Timer> {
    WorkingTimer::Application(AnyTimer::Updates(timer))
}

fn message_of<M>(task: TaskId, message: UpdateMessage) -> WorkingMessage<M> {
    WorkingMessage::Application(task, AnyMessage::Updates(message))
}

/// What this coordinator lets its group vote on.
fn voted_on(machine: &WithBully) -> Option<TransactionId> {
    let state = machine.state();
    let task = TaskId::at_work(&state)?;
    let by = update_work(&state).in_doubt?.update.by;
    (by.task == task && task.author == state.coordinator?).then_some(by)
}

/// Everybody whose answer this coordinator waits for says yes.
fn all_say_yes(machine: &mut WithBully, by: TransactionId, capacity: i64) -> Done {
    let voters = machine.waits_for(timer(UpdateTimer::Silent));
    voters.iter().fold(Reaction::none(), |step, node| {
        let yes = message_of(by.task, UpdateMessage::Yes { attempt: by.attempt });
        step.then(Given::Message(node, yes).to(machine, capacity))
    })
}

/// A member whose doubt has lasted long is told this, as if its coordinator had said so.
fn decided_alone(
    machine: &mut WithBully,
    given: Given<WithBully>,
    decide: impl Fn(TransactionId) -> UpdateMessage,
    capacity: i64,
) -> Done {
    let state = machine.state();
    let doubt = update_work(&state).in_doubt.filter(|_| given == Given::Timer(timer(UpdateTimer::Doubt)));
    match (doubt, TaskId::at_work(&state), state.coordinator) {
        (Some(prepared), Some(task), Some(coordinator)) => {
            let told = message_of(task, decide(prepared.update.by));
            Given::Message(coordinator, told).to(machine, capacity)
        }
        _ => given.to(machine, capacity),
    }
}

fn is_save<A: Algorithm>(effect: &Effect<A>) -> bool {
    matches!(effect, Effect::Save { .. })
}

/// The work on updates that this state shows.
pub(super) fn update_work(state: &StateVector) -> UpdateWork {
    match state.work.as_deref() {
        Some(Work::Updates(work)) => work.clone(),
        _ => UpdateWork::default(),
    }
}
