//! The bugs of services, one by one.
//!
//! Invariant: every bug of that file has a test here.

use super::{Apart, Twins, without};
use crate::service::{
    AnswersNotAwaited, CountsOnePrimeMore, LastAccountTaken, ServerNotRead, SumToldForThePart, service_work,
};
use application::service::{ServiceMessage, ServiceTimer};
use application::working::{Working, WorkingMessage, WorkingTimer};
use application::{APPLICATIONS, AnyMessage, AnyTimer};
use bench::{node, setup};
use election::king_ni::ElectionNumber;
use election::king_ni::b1::{self, AlgorithmB1, Message};
use fault::{Bug, Given};
use protocol::{Algorithm, Effect, Incarnation, NodeSet, Order, OrderId, ServiceLog, Settings, Span, TaskId, Timing};

type WithService = Working<AlgorithmB1>;

const TIMING: Timing =
    Timing { t: Span::from_millis(200), check: Span::from_millis(500), silence: Span::from_millis(2000) };

fn timer(timer: ServiceTimer) -> WorkingTimer<b1::Timer> {
    WorkingTimer::Application(AnyTimer::Service(timer))
}

/// Node 3 of four, whose user has asked: election 1 is under way.
fn asking<B: Bug<Machine = WithService>>() -> Twins<B> {
    let card = APPLICATIONS.iter().find(|card| card.name == "service").unwrap();
    let own = Settings::defaults(card.settings, NodeSet::EMPTY);
    let setup = setup::<WithService>(3, 4, TIMING, |of| of.with_application("service", own.clone()));
    let mut asking = Twins::of(&setup).time_out(WorkingTimer::Election(b1::Timer::Ready));
    asking.give(Given::Order(Order::Request));
    asking.alike()
}

/// It is elected, and serves its own user.
fn serving<B: Bug<Machine = WithService>>() -> Twins<B> {
    let master = asking::<B>().time_out(WorkingTimer::Election(b1::Timer::Table));
    master.time_out(timer(ServiceTimer::Settle)).time_out(timer(ServiceTimer::Recover))
}

/// Another process tells the account of that service.
fn account<B: Bug<Machine = WithService>>(twins: &Twins<B>, done: u16, server: u16) -> WorkingMessage<Message> {
    let task = TaskId::at_work(&twins.plain.machine.state()).unwrap();
    let id = OrderId { node: node(3), incarnation: Incarnation(1), serial: 1 };
    let log = ServiceLog { id, done, turn: 2, server: Some(node(server)), primes: 0 };
    WorkingMessage::Application(task, AnyMessage::Service(ServiceMessage::Log(log)))
}

#[test]
fn a_part_has_one_prime_too_many() {
    let Apart { plain_state, mutant_state, .. } = serving::<CountsOnePrimeMore>().apart_at(timer(ServiceTimer::Part));
    let primes = |state| service_work(state).part.unwrap().primes;
    assert_eq!(primes(&plain_state) + 1, primes(&mutant_state));
}

#[test]
fn a_server_goes_on_with_what_another_serves() {
    let serving = serving::<ServerNotRead>();
    let newer = account(&serving, 1, 2);
    let Apart { plain_state, mutant_state, .. } = serving.apart_hearing(2, newer);
    let serves = |state| service_work(state).serves;
    assert_eq!((serves(&plain_state), serves(&mutant_state)), (NodeSet::EMPTY, NodeSet::of(node(3))));
}

#[test]
fn the_second_part_has_the_primes_of_both() {
    let mut serving = serving::<SumToldForThePart>();
    serving.give(Given::Timer(timer(ServiceTimer::Part)));
    let first = serving.compared().plain_state;
    let Apart { plain_state, mutant_state, .. } = serving.alike().apart_at(timer(ServiceTimer::Part));
    let primes = |state| service_work(state).part.unwrap().primes;
    assert_eq!(primes(&first) + primes(&plain_state), primes(&mutant_state));
}

#[test]
fn an_older_account_is_taken_for_the_newest() {
    let mut member = asking::<LastAccountTaken>();
    let capacity = Message::Capacity { election: ElectionNumber(1), capacity: 4 };
    member = member.hear(4, WorkingMessage::Election(capacity, None));
    member = member.time_out(WorkingTimer::Election(b1::Timer::Table));
    let (newer, older) = (account(&member, 2, 4), account(&member, 1, 4));
    let Apart { plain_state, mutant_state, .. } = member.hear(4, newer).apart_hearing(4, older);
    let done = |state| service_work(state).asked.unwrap().done;
    assert_eq!((done(&plain_state), done(&mutant_state)), (2, 1));
}

#[test]
fn a_new_master_waits_for_no_answers() {
    let master = asking::<AnswersNotAwaited>().time_out(WorkingTimer::Election(b1::Timer::Table));
    let Apart { plain, mutant, .. } = master.apart_at(timer(ServiceTimer::Settle));
    let answers = TIMING.t * 2;
    let awaits = Effect::SetTimer { timer: timer(ServiceTimer::Recover), shortest: answers, longest: answers };
    assert_eq!(mutant, without(&plain, &[awaits]));
}
