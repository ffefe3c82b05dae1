//! Bugs planted in the shards beside Bully and Invitation (Garcia-Molina 1982, section II), and in what joins the two.
//!
//! Invariant: each is one small mistake, as a person might make it; the comment above it says what it does and what
//! follows.

use application::AnyMessage;
use application::shards::ShardMessage;
use application::working::{Working, WorkingCells, WorkingMessage, WorkingTimer};
use election::bully::{self, Bully};
use election::invitation::{self, Invitation};
use fault::{Bug, Given, Reaction};
use protocol::{
    Algorithm, CallNumber, Effect, Effects, Incarnation, NodeId, SettingValue, Settings, Setup, ShardResult, ShardWork,
    StateVector, TaskId, Work,
};

type WithBully = Working<Bully>;
type WithInvitation = Working<Invitation>;
type Done = Reaction<WithBully>;

/// Such a message of the shards, whatever carries it.
macro_rules! carries {
    ($message:pat) => {
        WorkingMessage::Election(_, Some(AnyMessage::Shards($message)))
            | WorkingMessage::Application(_, AnyMessage::Shards($message))
    };
}

/// A shard has one number too many: its count is another one than what is computed alone.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct CountsOneNumberMore;

impl Bug for CountsOneNumberMore {
    type Machine = WithBully;

    fn start(&mut self, setup: &Setup, saved: Option<BullyCells>, fx: &mut Effects<WithBully>) -> WithBully {
        let more = |own: Settings| {
            let numbers = own.number("numbers");
            own.with("numbers", SettingValue::Number(numbers + 1))
        };
        WithBully::start(&with_own(setup, more), saved, fx)
    }
}

/// The definition that goes to one member leaves the highest process out: that member's shares are not those that the
/// others count it to have.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct OneLacksTheHighest;

impl Bug for OneLacksTheHighest {
    type Machine = WithBully;

    fn done(&mut self, _: &mut WithBully, mut step: Done, _: i64) -> Done {
        let one = step.effects.iter_mut().find_map(|effect| match effect {
            sends!(carries!(ShardMessage::Definition { among, .. })) => Some(among),
            _ => None,
        });
        if let Some(among) = one {
            *among = among.minus(&among.highest().into_iter().collect());
        }
        step
    }
}

/// A member counts its share as if the coordinator took none.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct CoordinatorNotCounted;

impl Bug for CoordinatorNotCounted {
    type Machine = WithBully;

    fn give(&mut self, machine: &mut WithBully, mut given: Given<WithBully>, capacity: i64) -> Done {
        if let Given::Message(from, carries!(ShardMessage::Definition { among, .. })) = &mut given {
            among.remove(*from);
        }
        given.to(machine, capacity)
    }
}

/// A process starts with no results, whatever its cells hold.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct CellsNotRead;

impl Bug for CellsNotRead {
    type Machine = WithBully;

    fn start(&mut self, setup: &Setup, saved: Option<BullyCells>, fx: &mut Effects<WithBully>) -> WithBully {
        let saved = saved.map(|cells| WorkingCells { application: None, ..cells });
        WithBully::start(setup, saved, fx)
    }
}

/// A coordinator says that it keeps what members have computed, and does not save it.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct CollectedNotSaved;

impl Bug for CollectedNotSaved {
    type Machine = WithBully;

    fn give(&mut self, machine: &mut WithBully, given: Given<WithBully>, capacity: i64) -> Done {
        let is_collected = matches!(given, Given::Message(_, carries!(ShardMessage::Results { .. })));
        let step = given.to(machine, capacity);
        if is_collected { step.without(is_save) } else { step }
    }
}

/// The cells that Invitation writes replace those of the application, which are empty then.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct CellsOverwritten;

impl Bug for CellsOverwritten {
    type Machine = WithInvitation;

    fn give(
        &mut self,
        machine: &mut WithInvitation,
        given: Given<WithInvitation>,
        capacity: i64,
    ) -> Reaction<WithInvitation> {
        let before = shard_work(&machine.state()).done;
        let mut step = given.to(machine, capacity);
        let is_of_election = before == shard_work(&machine.state()).done;
        for effect in &mut step.effects {
            if let (Effect::Save { saved }, true) = (effect, is_of_election) {
                saved.application = None;
            }
        }
        step
    }
}

/// A coordinator that divides again does not raise the round: the others take the new definition for the one that they
/// have, and it takes shards that are theirs.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct RoundNotRaised;

impl Bug for RoundNotRaised {
    type Machine = WithBully;

    fn done(&mut self, _: &mut WithBully, mut step: Done, _: i64) -> Done {
        for effect in &mut step.effects {
            if let sends!(carries!(ShardMessage::Definition { round, .. })) = effect {
                *round = 1;
            }
        }
        step
    }

    fn state(&self, machine: &WithBully) -> StateVector {
        with_work(machine.state(), |work| {
            if let Some(definition) = &mut work.under {
                definition.round = 1;
            }
        })
    }
}

/// Every life of a process takes itself for its first: it names two definitions alike.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct NamesDefinitionsAnew;

impl Bug for NamesDefinitionsAnew {
    type Machine = WithBully;

    fn start(&mut self, setup: &Setup, saved: Option<BullyCells>, fx: &mut Effects<WithBully>) -> WithBully {
        WithBully::start(&Setup { incarnation: Incarnation(1), ..setup.clone() }, saved, fx)
    }
}

/// A coordinator counts one prime too many in each result that it collects.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct CollectsOneMore;

impl Bug for CollectsOneMore {
    type Machine = WithBully;

    fn give(&mut self, machine: &mut WithBully, mut given: Given<WithBully>, capacity: i64) -> Done {
        if let Given::Message(_, carries!(ShardMessage::Results { results })) = &mut given {
            results.iter_mut().for_each(|result| result.primes += 1);
        }
        given.to(machine, capacity)
    }
}

/// A coming coordinator puts each result that it is told to the next shard: it has results that nobody has computed.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct ReportsOneOff;

impl Bug for ReportsOneOff {
    type Machine = WithInvitation;

    fn give(
        &mut self,
        machine: &mut WithInvitation,
        mut given: Given<WithInvitation>,
        capacity: i64,
    ) -> Reaction<WithInvitation> {
        if let Given::Message(_, carries!(ShardMessage::Report { results })) = &mut given {
            results.iter_mut().for_each(|result| result.shard += 1);
        }
        given.to(machine, capacity)
    }
}

/// A member that is halted goes on with the shards that it has out, until it is at work again.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct ComputesWhenHalted {
    me: Option<NodeId>,
    /// It as it was before it was halted.
    at_work: Option<WithBully>,
}

impl Bug for ComputesWhenHalted {
    type Machine = WithBully;

    fn start(&mut self, setup: &Setup, saved: Option<BullyCells>, fx: &mut Effects<WithBully>) -> WithBully {
        self.me = Some(setup.me);
        WithBully::start(setup, saved, fx)
    }

    fn give(&mut self, machine: &mut WithBully, given: Given<WithBully>, capacity: i64) -> Done {
        if let (Given::Timer(WorkingTimer::Application(_)), Some(at_work), Some(me)) =
            (&given, &mut self.at_work, self.me)
        {
            let step = given.to(at_work, capacity);
            let kept = kept_by(machine, me, results_in(&step), capacity);
            return kept.then(step.without(is_save));
        }
        let before = machine.clone();
        let step = given.to(machine, capacity);
        let is_member = before.state().coordinator != self.me;
        match (TaskId::at_work(&before.state()), TaskId::at_work(&machine.state())) {
            (Some(_), None) if is_member => {
                self.at_work = Some(before);
                step.without(|effect| matches!(effect, Effect::CancelTimer { timer: WorkingTimer::Application(_) }))
            }
            (_, Some(_)) => {
                self.at_work = None;
                step
            }
            _ => step,
        }
    }

    fn state(&self, machine: &WithBully) -> StateVector {
        let goes_on = self.at_work.as_ref().map(|at_work| shard_work(&at_work.state()));
        with_work(machine.state(), |work| {
            if let Some(ShardWork { under, out, latest, .. }) = goes_on {
                (work.under, work.out, work.latest) = (under, out, latest);
            }
        })
    }
}

/// A coordinator that is halted does not take back what it has given out, until it is at work again.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct GivesOutWhenHalted {
    gave: Option<ShardWork>,
}

impl Bug for GivesOutWhenHalted {
    type Machine = WithBully;

    fn done(&mut self, machine: &mut WithBully, step: Done, _: i64) -> Done {
        let state = machine.state();
        if TaskId::at_work(&state).is_some() {
            self.gave = Some(shard_work(&state)).filter(|work| !work.given.is_empty());
        }
        step
    }

    fn state(&self, machine: &WithBully) -> StateVector {
        with_work(machine.state(), |work| {
            if let (None, Some(gave)) = (work.under, &self.gave) {
                (work.under, work.given) = (gave.under, gave.given);
            }
        })
    }
}

/// A group does not count whether it has a majority of all nodes.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct MajorityNotCounted;

impl Bug for MajorityNotCounted {
    type Machine = WithInvitation;

    fn start(
        &mut self,
        setup: &Setup,
        saved: Option<WorkingCells<invitation::SafeCells>>,
        fx: &mut Effects<WithInvitation>,
    ) -> WithInvitation {
        let all = |own: Settings| own.with("groups", SettingValue::Word("all".to_owned()));
        WithInvitation::start(&with_own(setup, all), saved, fx)
    }
}

type BullyCells = WorkingCells<bully::SafeCells>;

/// The setup with other settings of the application.
fn with_own(setup: &Setup, change: impl Fn(Settings) -> Settings) -> Setup {
    let settings = match setup.settings.application() {
        Some((name, own)) => setup.settings.clone().with_application(name, change(own.clone())),
        None => setup.settings.clone(),
    };
    Setup { settings, ..setup.clone() }
}

fn is_save<A: Algorithm>(effect: &Effect<A>) -> bool {
    matches!(effect, Effect::Save { .. })
}

/// The work in shards that this state shows.
pub(super) fn shard_work(state: &StateVector) -> ShardWork {
    match state.work.as_deref() {
        Some(Work::Shards(work)) => work.clone(),
        _ => ShardWork::default(),
    }
}

/// This state with another work in shards.
fn with_work(state: StateVector, change: impl FnOnce(&mut ShardWork)) -> StateVector {
    let mut work = shard_work(&state);
    change(&mut work);
    StateVector { work: Some(Box::new(Work::Shards(work))), ..state }
}

/// The results that are told in this step.
fn results_in(step: &Done) -> Box<[ShardResult]> {
    let told = step.effects.iter().find_map(|effect| match effect {
        sends!(carries!(ShardMessage::Results { results })) => Some(results.clone()),
        _ => None,
    });
    told.unwrap_or_default()
}

/// The machine, which is not at work, keeps these results as if this node had reported them.
fn kept_by(machine: &mut WithBully, from: NodeId, results: Box<[ShardResult]>, capacity: i64) -> Done {
    let nobody_asked = CallNumber { incarnation: Incarnation(0), serial: 0 };
    let answer = bully::Message::NewCoordinatorAnswer { call: nobody_asked };
    let report = AnyMessage::Shards(ShardMessage::Report { results });
    let step = Given::Message(from, WorkingMessage::Election(answer, Some(report))).to(machine, capacity);
    Reaction { effects: step.effects.into_iter().filter(is_save).collect(), lines: Vec::new() }
}
