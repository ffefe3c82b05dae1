//! Bugs planted in Bully (Garcia-Molina 1982, Appendix I; listings 10.16 to 10.21 of Chow and Johnson 1997).
//!
//! Invariant: each is one small mistake, as a person might make it; the comment above it says what it does and what
//! follows.

use election::bully::{Bully, Message, SafeCells, Timer};
use election::garcia_molina::YesOrNo;
use fault::{Bug, Given, Reaction, pretend};
use protocol::{
    Algorithm, CallNumber, Effect, Effects, NodeId, NodeSet, Order, SettingValue, Setup, Span, StateVector, Status,
};

type Done = Reaction<Bully>;

/// The loop of Halts begins at i-2: the next lower node is not halted, and keeps its state.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct HaltNotSent;

impl Bug for HaltNotSent {
    type Machine = Bully;

    fn done(&mut self, _: &mut Bully, mut step: Done, _: i64) -> Done {
        let first = step.effects.iter().position(|effect| matches!(effect, sends!(Message::Halt { .. })));
        if let Some(first) = first {
            step.effects.remove(first);
        }
        step
    }
}

/// NewCoordinator is taken in Election from any node that outranks this one: `h` is not checked, so a node that one of
/// them halted last may follow another one.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct HalterNotChecked;

impl Bug for HalterNotChecked {
    type Machine = Bully;

    fn give(&mut self, machine: &mut Bully, given: Given<Bully>, capacity: i64) -> Done {
        let StateVector { status, halted_by, .. } = machine.state();
        let before = match given {
            Given::Message(from, Message::NewCoordinator { call })
                if status == Status::Election && halted_by != Some(from) =>
            {
                pretend(machine, Given::Message(from, Message::Halt { call }), capacity)
            }
            _ => Reaction::none(),
        };
        before.then(given.to(machine, capacity))
    }
}

/// Ready is taken from any node that outranks this one, in any status: a late message of an election that was halted
/// makes a node Normal again.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct ReadyFromAnyone;

impl Bug for ReadyFromAnyone {
    type Machine = Bully;

    fn give(&mut self, machine: &mut Bully, given: Given<Bully>, capacity: i64) -> Done {
        let StateVector { status, coordinator, .. } = machine.state();
        let before = match given {
            Given::Message(from, Message::Ready { call, .. })
                if status != Status::Reorganization || coordinator != Some(from) =>
            {
                pretend(machine, Given::Message(from, Message::Halt { call }), capacity).then(pretend(
                    machine,
                    Given::Message(from, Message::NewCoordinator { call }),
                    capacity,
                ))
            }
            _ => Reaction::none(),
        };
        before.then(given.to(machine, capacity))
    }
}

/// Halt does not STOP the own Election: a node that is already halting others answers, and goes on.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct GoesOnWhenHalted {
    me: Option<NodeId>,
}

impl Bug for GoesOnWhenHalted {
    type Machine = Bully;

    fn start(&mut self, setup: &Setup, saved: Option<SafeCells>, fx: &mut Effects<Bully>) -> Bully {
        self.me = Some(setup.me);
        Bully::start(setup, saved, fx)
    }

    fn give(&mut self, machine: &mut Bully, given: Given<Bully>, capacity: i64) -> Done {
        let StateVector { status, coordinator, halted_by, .. } = machine.state();
        let is_electing = (status == Status::Election && halted_by == self.me)
            || (status == Status::Reorganization && coordinator == self.me);
        match given {
            Given::Message(from, Message::Halt { call }) if is_electing => {
                let answer = Effect::Send { to: from, message: Message::HaltAnswer { call } };
                Reaction { effects: vec![answer], lines: Vec::new() }
            }
            given => given.to(machine, capacity),
        }
    }
}

/// Election does not ask whether a higher node is there: the node whose Timeout comes first halts those below it, and
/// those above keep their state.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct HigherNotAsked;

impl Bug for HigherNotAsked {
    type Machine = Bully;

    fn done(&mut self, machine: &mut Bully, step: Done, capacity: i64) -> Done {
        if !asks_higher(&step) {
            return step;
        }
        let asking = |effect: &Effect<Bully>| {
            matches!(effect, sends!(Message::AreYouThere { .. }) | Effect::SetTimer { timer: Timer::AreYouThere, .. })
        };
        step.without(asking).then(Given::Timer(Timer::AreYouThere).to(machine, capacity))
    }
}

/// The loop of AreYouThere ends before n: the highest node is never asked, and the next one elects itself beside it.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct HighestNotAsked {
    all: NodeSet,
}

impl Bug for HighestNotAsked {
    type Machine = Bully;

    fn start(&mut self, setup: &Setup, saved: Option<SafeCells>, fx: &mut Effects<Bully>) -> Bully {
        self.all = setup.roster.all();
        Bully::start(setup, saved, fx)
    }

    fn done(&mut self, _: &mut Bully, step: Done, _: i64) -> Done {
        if !asks_higher(&step) {
            return step;
        }
        let highest = self.all.highest();
        step.without(|effect| {
            matches!(effect, Effect::Send { to, message: Message::AreYouThere { .. } } if Some(*to) == highest)
        })
    }
}

/// Check is never called: a node that returns is never taken in.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct NeverChecks;

impl Bug for NeverChecks {
    type Machine = Bully;

    fn give(&mut self, machine: &mut Bully, given: Given<Bully>, capacity: i64) -> Done {
        match given {
            Given::Timer(Timer::Check) => Reaction::none(),
            given => given.to(machine, capacity),
        }
    }
}

/// Timeout acts in Normal and Reorganization only (listing 10.18): if the halter dies before it names itself
/// coordinator, a halted node waits in Election for ever.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct TimeoutOnlyAtWork {
    silence: Span,
}

impl Bug for TimeoutOnlyAtWork {
    type Machine = Bully;

    fn start(&mut self, setup: &Setup, saved: Option<SafeCells>, fx: &mut Effects<Bully>) -> Bully {
        self.silence = setup.timing.silence;
        Bully::start(setup, saved, fx)
    }

    fn give(&mut self, machine: &mut Bully, given: Given<Bully>, capacity: i64) -> Done {
        let is_at_work = matches!(machine.state().status, Status::Normal | Status::Reorganization);
        match given {
            Given::Timer(timer @ Timer::Timeout) if !is_at_work => {
                let again = Effect::SetTimer { timer, shortest: self.silence, longest: self.silence };
                Reaction { effects: vec![again], lines: Vec::new() }
            }
            given => given.to(machine, capacity),
        }
    }
}

/// Check takes silence for a no (listing 10.19): while one node is dead its coordinator holds one election after the
/// other.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct SilenceIsNo;

impl Bug for SilenceIsNo {
    type Machine = Bully;

    fn give(&mut self, machine: &mut Bully, given: Given<Bully>, capacity: i64) -> Done {
        match given {
            Given::Timer(Timer::AreYouNormal) => Given::Order(Order::Elect).to(machine, capacity),
            given => given.to(machine, capacity),
        }
    }
}

/// A node answers yes to every AreYouNormal (hole B1): two coordinators never find each other.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct NormalToAnyone;

impl Bug for NormalToAnyone {
    type Machine = Bully;

    fn done(&mut self, machine: &mut Bully, mut step: Done, _: i64) -> Done {
        let is_normal = machine.state().status == Status::Normal;
        for effect in &mut step.effects {
            if let sends!(Message::AreYouNormalAnswer { normal, .. }) = effect {
                *normal = YesOrNo::from(is_normal);
            }
        }
        step
    }
}

/// The timer of NewCoordinator is not cancelled when all have answered: each election is followed by another.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct TimerNotCancelled;

impl Bug for TimerNotCancelled {
    type Machine = Bully;

    fn done(&mut self, _: &mut Bully, step: Done, _: i64) -> Done {
        step.without(|effect| matches!(effect, Effect::CancelTimer { timer: Timer::NewCoordinator }))
    }
}

/// Halts made all at once end as soon as all have answered, although they must wait the whole of T.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct HaltsEndEarly;

impl Bug for HaltsEndEarly {
    type Machine = Bully;

    fn start(&mut self, setup: &Setup, saved: Option<SafeCells>, fx: &mut Effects<Bully>) -> Bully {
        let early = SettingValue::Word("parallel-early".to_owned());
        let settings = setup.settings.clone().with("form", early);
        Bully::start(&Setup { settings, ..setup.clone() }, saved, fx)
    }
}

/// A node that does not answer a Halt counts as one that did: with a dead node in `Up` no election ever ends.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct SilenceIsConsent {
    halts: Option<CallNumber>,
}

impl Bug for SilenceIsConsent {
    type Machine = Bully;

    fn give(&mut self, machine: &mut Bully, given: Given<Bully>, capacity: i64) -> Done {
        let Given::Timer(timer @ Timer::Halt) = given else { return given.to(machine, capacity) };
        let Some(call) = self.halts else { return given.to(machine, capacity) };
        let answer = |node| Given::Message(node, Message::HaltAnswer { call });
        let silent = machine.waits_for(timer);
        let step = silent.iter().fold(Reaction::none(), |step, node| step.then(answer(node).to(machine, capacity)));
        // One after another, an answer goes on by itself; all at once, only the end of T does.
        let waits_on = machine.waits_for(timer).is_empty() && machine.state().status == Status::Election;
        if waits_on { step.then(Given::Timer(timer).to(machine, capacity)) } else { step }
    }

    fn done(&mut self, _: &mut Bully, step: Done, _: i64) -> Done {
        let halts = step.effects.iter().find_map(|effect| match effect {
            sends!(Message::Halt { call }) => Some(*call),
            _ => None,
        });
        self.halts = halts.or(self.halts);
        step
    }
}

/// An answer to an earlier AreYouThere counts for this one: a node that was there once is there for ever.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct StaleAnswerTaken {
    answered: NodeSet,
}

impl Bug for StaleAnswerTaken {
    type Machine = Bully;

    fn give(&mut self, machine: &mut Bully, given: Given<Bully>, capacity: i64) -> Done {
        if let Given::Message(from, Message::AreYouThereAnswer { .. }) = given {
            self.answered.insert(from);
        }
        given.to(machine, capacity)
    }

    fn done(&mut self, machine: &mut Bully, step: Done, capacity: i64) -> Done {
        let stale: Vec<Given<Bully>> = step
            .effects
            .iter()
            .filter_map(|effect| match effect {
                Effect::Send { to, message: Message::AreYouThere { call } } if self.answered.contains(*to) => {
                    Some(Given::Message(*to, Message::AreYouThereAnswer { call: *call }))
                }
                _ => None,
            })
            .collect();
        stale.into_iter().fold(step, |step, answer| step.then(answer.to(machine, capacity)))
    }
}

/// Whether Election asks the higher nodes in this step.
fn asks_higher(step: &Done) -> bool {
    step.effects.iter().any(|effect| matches!(effect, Effect::SetTimer { timer: Timer::AreYouThere, .. }))
}
