//! Bugs planted in the applications, about two in each.
//!
//! Invariant: each is one small mistake, as a person might make it; the comment above it says what it does and what
//! follows.

use std::marker::PhantomData;

use application::copies::{CopyMessage, CounterCopies};
use application::exclusion::{Exclusion, ExclusionTimer};
use application::fencing::{Fencing, FencingMessage};
use application::history::{History, HistoryMessage};
use application::joining::{JoinMessage, JoinVote, Joining};
use application::service::{Service, ServiceTimer};
use application::shards::Shards;
use application::token::{PathCompression, TokenMessage};
use application::updates::{UpdateMessage, Updates};
use protocol::{
    Application, ApplicationEffect, ApplicationEffects, NodeId, SectionState, SettingValue, Settings, Setup, Work,
};

use super::application_bug::{ApplicationBug, Wanted};

/// More than any criterion gives.
const CRITERION_MAX: i64 = 9_999_999_999;

/// A process starts as if for the first time.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct CellsNotRead<P>(PhantomData<fn() -> P>);

impl<P> Default for CellsNotRead<P> {
    fn default() -> CellsNotRead<P> {
        CellsNotRead(PhantomData)
    }
}

impl<P: Application> ApplicationBug for CellsNotRead<P> {
    type Within = P;

    fn start(setup: &Setup, settings: &Settings, _: Option<P::Saved>) -> P {
        P::start(setup, settings, None)
    }
}

/// A shard has one number too many: its count is another one than what is computed alone.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct CountsOneNumberMore;

impl ApplicationBug for CountsOneNumberMore {
    type Within = Shards;

    fn start(setup: &Setup, settings: &Settings, saved: Option<<Shards as Application>::Saved>) -> Shards {
        let numbers = SettingValue::Number(settings.number("numbers") + 1);
        Shards::start(setup, &settings.clone().with("numbers", numbers), saved)
    }
}

/// A member that joins does not say in which group it was last. So that group is no parent of the new one.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct ReportsNothing;

impl ApplicationBug for ReportsNothing {
    type Within = History;

    fn report(&self, within: &History) -> Option<HistoryMessage> {
        let mut report = within.report();
        if let Some(HistoryMessage::Report { last, .. }) = &mut report {
            *last = None;
        }
        report
    }
}

/// The coordinator takes a no for a yes.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct NoIsYes;

impl ApplicationBug for NoIsYes {
    type Within = Updates;

    fn read(message: UpdateMessage) -> UpdateMessage {
        match message {
            UpdateMessage::No { attempt, .. } => UpdateMessage::Yes { attempt },
            other => other,
        }
    }
}

/// A member keeps an order, and does not send it to the coordinator.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct RequestNotSent;

impl ApplicationBug for RequestNotSent {
    type Within = Updates;

    fn done(&mut self, wanted: Wanted<Updates>) -> Wanted<Updates> {
        let is_request =
            |effect: &_| matches!(effect, ApplicationEffect::Send { message: UpdateMessage::Request { .. }, .. });
        wanted.into_iter().filter(|effect| !is_request(effect)).collect()
    }
}

/// The resource refuses higher numbers, and takes lower ones.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct RefusesTheHigher;

impl ApplicationBug for RefusesTheHigher {
    type Within = Fencing;

    fn read(mut message: FencingMessage) -> FencingMessage {
        if let FencingMessage::Write { number, .. } = &mut message {
            number.count = u64::MAX - number.count;
        }
        message
    }
}

/// A process stands the higher the shorter it has waited: who has just been inside gets in again before the others.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct ShortestWaitFirst;

impl ApplicationBug for ShortestWaitFirst {
    type Within = Exclusion;

    fn capacity(&self, within: &Exclusion, given: i64) -> i64 {
        within.capacity(CRITERION_MAX - given)
    }
}

/// A process that is inside does not stand in an election, as if it wanted nothing: another one is elected, and enters
/// beside it.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct InsideDoesNotStand;

impl ApplicationBug for InsideDoesNotStand {
    type Within = Exclusion;

    fn capacity(&self, within: &Exclusion, given: i64) -> i64 {
        let is_inside = within.work().section().is_some_and(|section| section.stance == SectionState::Inside);
        if is_inside { -1 } else { within.capacity(given) }
    }
}

/// A process that is inside does not hear that its time is over: it never leaves.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct NeverLeaves;

impl ApplicationBug for NeverLeaves {
    type Within = Exclusion;

    fn time_out(&mut self, within: &mut Exclusion, timer: ExclusionTimer, effects: &mut ApplicationEffects<Exclusion>) {
        if timer != ExclusionTimer::Inside {
            within.on_timer(timer, effects);
        }
    }
}

/// A server counts one prime too many in each part.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct CountsOnePrimeMore;

impl ApplicationBug for CountsOnePrimeMore {
    type Within = Service;

    fn work(&self, within: &Service) -> Work {
        let mut work = within.work();
        if let Work::Service(service) = &mut work
            && let Some(part) = &mut service.part
        {
            part.primes += 1;
        }
        work
    }
}

/// A new master asks for the accounts, and sets no timer for the answers: it never serves anything.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct AnswersNotAwaited;

impl ApplicationBug for AnswersNotAwaited {
    type Within = Service;

    fn done(&mut self, wanted: Wanted<Service>) -> Wanted<Service> {
        let awaits = |effect: &_| matches!(effect, ApplicationEffect::SetTimer { timer: ServiceTimer::Recover, .. });
        wanted.into_iter().filter(|effect| !awaits(effect)).collect()
    }
}

/// A process that has a next one forgets it when another request comes, and keeps the new requester in its place.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct NextOverwritten {
    forwards: bool,
    next: Option<NodeId>,
}

impl ApplicationBug for NextOverwritten {
    type Within = PathCompression;

    fn hear(
        &mut self,
        within: &mut PathCompression,
        from: NodeId,
        message: TokenMessage,
        effects: &mut ApplicationEffects<PathCompression>,
    ) {
        let has_next = within.work().token().is_some_and(|work| work.next.is_some());
        self.forwards = has_next && matches!(message, TokenMessage::Request { .. });
        within.on_message(from, message, effects);
    }

    fn done(&mut self, wanted: Wanted<PathCompression>) -> Wanted<PathCompression> {
        let mut done = Vec::new();
        for effect in wanted {
            match effect {
                ApplicationEffect::Send { message: TokenMessage::Request { of, .. }, .. } if self.forwards => {
                    self.next = Some(of);
                }
                ApplicationEffect::Send { to, message: message @ TokenMessage::Token { .. } } => {
                    done.push(ApplicationEffect::Send { to: self.next.take().unwrap_or(to), message });
                }
                other => done.push(other),
            }
        }
        self.forwards = false;
        done
    }

    fn work(&self, within: &PathCompression) -> Work {
        let mut work = within.work();
        if let Work::Token(token) = &mut work {
            token.next = self.next.or(token.next);
        }
        work
    }
}

/// A process adds one more than it is told to hold.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct HoldsOneMore;

impl ApplicationBug for HoldsOneMore {
    type Within = CounterCopies;

    fn read(mut message: CopyMessage) -> CopyMessage {
        if let CopyMessage::Write(held) = &mut message {
            held.counter += 1;
        }
        message
    }
}

/// The newcomer takes every vote for a yes.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct VotesAreYes;

impl ApplicationBug for VotesAreYes {
    type Within = Joining;

    fn read(mut message: JoinMessage) -> JoinMessage {
        if let JoinMessage::Vote(_, vote, _) = &mut message {
            *vote = JoinVote::Yes;
        }
        message
    }
}

/// A member that is asked for its vote forgets to whom it has said yes before: two newcomers may follow one member set.
#[derive(Clone, Default, Eq, PartialEq, Hash, Debug)]
pub struct SaysYesToAll;

impl ApplicationBug for SaysYesToAll {
    type Within = Joining;

    fn hear(
        &mut self,
        within: &mut Joining,
        from: NodeId,
        message: JoinMessage,
        effects: &mut ApplicationEffects<Joining>,
    ) {
        if let (JoinMessage::Join(..), Work::Joining(work)) = (&message, within.work())
            && let Some(pending) = work.pending
        {
            within.on_message(pending.newcomer, JoinMessage::Withdraw(pending.attempt), effects);
        }
        within.on_message(from, message, effects);
    }
}
