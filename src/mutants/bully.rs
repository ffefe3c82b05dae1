//! Bugs planted in Bully (Garcia-Molina 1982, Appendix I; listings 10.16 to 10.21 of Chow and Johnson 1997).
//!
//! Invariant: each is one small mistake, as a person might make it; the comment above it says what it does and what
//! follows.

use election::bully::{Bully, Message, SafeCells, Timer};
use fault::{Bug, MutantInput, MutantOutput};
use protocol::{Algorithm, Effect, Effects, NodeId, Setup, StateVector, Status};

type Done = MutantOutput<Bully>;

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

    fn give(&mut self, machine: &mut Bully, given: MutantInput<Bully>, capacity: i64) -> Done {
        let StateVector { status, coordinator, halted_by, .. } = machine.state();
        let is_electing = (status == Status::Election && halted_by == self.me)
            || (status == Status::Reorganization && coordinator == self.me);
        match given {
            MutantInput::Message(from, Message::Halt { call }) if is_electing => {
                let answer = Effect::Send { to: from, message: Message::HaltAnswer { call } };
                MutantOutput { effects: vec![answer], lines: Vec::new() }
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
        step.without(asking).then(MutantInput::Timer(Timer::AreYouThere).to(machine, capacity))
    }
}

/// Whether Election asks the higher nodes in this step.
fn asks_higher(step: &Done) -> bool {
    step.effects.iter().any(|effect| matches!(effect, Effect::SetTimer { timer: Timer::AreYouThere, .. }))
}
