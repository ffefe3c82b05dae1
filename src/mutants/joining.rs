//! Bugs planted in joining beside King and Ni's B.1 (King, Gendreau and Ni 1988, section 7, item 5).
//!
//! Invariant: each is one small mistake, as a person might make it; the comment above it says what it does and what
//! follows.

use application::AnyMessage;
use application::joining::{JoinMessage, JoinVote};
use application::working::{Working, WorkingMessage};
use election::king_ni::b1::AlgorithmB1;
use fault::{Bug, Given, Reaction};
use protocol::{Algorithm, JoinStance, JoinWork, Work};

type WithB1 = Working<AlgorithmB1>;
type Done = Reaction<WithB1>;

/// Such a message of joining.
macro_rules! says {
    ($message:pat) => {
        WorkingMessage::Application(_, AnyMessage::Joining($message))
    };
}

/// A no is counted as a yes.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct NoIsYes;

impl Bug for NoIsYes {
    type Machine = WithB1;

    fn give(&mut self, machine: &mut WithB1, mut given: Given<WithB1>, capacity: i64) -> Done {
        if let Given::Message(_, says!(JoinMessage::Vote(_, vote, _))) = &mut given {
            *vote = JoinVote::Yes;
        }
        given.to(machine, capacity)
    }
}

/// The first yes decides.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct FirstYesIsEnough;

impl Bug for FirstYesIsEnough {
    type Machine = WithB1;

    fn give(&mut self, machine: &mut WithB1, given: Given<WithB1>, capacity: i64) -> Done {
        let is_yes = matches!(given, Given::Message(_, says!(JoinMessage::Vote(_, JoinVote::Yes, _))));
        let (repeated, members) = (given.clone(), join_work(machine).view.members);
        let step = given.to(machine, capacity);
        let others = members.iter().filter(|_| is_yes);
        others.fold(step, |step, voter| match repeated.clone() {
            Given::Message(_, message) => step.then(Given::Message(voter, message).to(machine, capacity)),
            _ => step,
        })
    }
}

/// A newcomer does not listen when it hears of more members, and counts the votes of those that know them.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct IgnoresTheirMembers;

impl Bug for IgnoresTheirMembers {
    type Machine = WithB1;

    fn give(&mut self, machine: &mut WithB1, mut given: Given<WithB1>, capacity: i64) -> Done {
        let own = join_work(machine).view;
        if let Given::Message(_, says!(JoinMessage::Vote(_, _, view) | JoinMessage::Members(view))) = &mut given
            && join_work(machine).stance == JoinStance::Asks
        {
            *view = own;
        }
        given.to(machine, capacity)
    }
}

/// A member that is asked for its vote forgets to whom it has said yes before: two newcomers may follow one member set.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct SaysYesToAll;

impl Bug for SaysYesToAll {
    type Machine = WithB1;

    fn give(&mut self, machine: &mut WithB1, given: Given<WithB1>, capacity: i64) -> Done {
        let task = match &given {
            Given::Message(_, WorkingMessage::Application(task, AnyMessage::Joining(JoinMessage::Join(..)))) => *task,
            _ => return given.to(machine, capacity),
        };
        let forgotten = join_work(machine).pending.map(|pending| {
            let withdraw = AnyMessage::Joining(JoinMessage::Withdraw(pending.attempt));
            Given::Message(pending.newcomer, WorkingMessage::Application(task, withdraw)).to(machine, capacity)
        });
        let step = given.to(machine, capacity);
        forgotten.into_iter().fold(step, |step, forgotten| forgotten.then(step))
    }
}

fn join_work(machine: &WithB1) -> JoinWork {
    match machine.state().work.as_deref() {
        Some(Work::Joining(work)) => work.clone(),
        _ => JoinWork::default(),
    }
}
