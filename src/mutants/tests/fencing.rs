//! The bugs of fencing, one by one.
//!
//! Invariant: every bug of that file has a test here.

use super::{Apart, Twins};
use crate::fencing::{
    ComparesIdsFirst, FirstNumberForEver, HighestNotRestored, RefusedIsTaken, RefusesTheHigher, WritesWhenHalted,
    resource_work, writer_work,
};
use application::fencing::{FencingMessage, FencingTimer, ResourceCells};
use application::working::{Working, WorkingCells, WorkingMessage, WorkingTimer};
use application::{APPLICATIONS, AnyMessage, AnySaved, AnyTimer};
use bench::call;
use bench::{node, setup};
use election::bully::{self, Bully};
use election::king_ni::b1::{self, AlgorithmB1};
use fault::Bug;
use protocol::{
    Algorithm, CallNumber, Effect, FencingNumber, Incarnation, NodeSet, Settings, Setup, Span, TermId, Timing,
    WriteProgress,
};

const TIMING: Timing =
    Timing { t: Span::from_millis(200), check: Span::from_millis(500), silence: Span::from_millis(2000) };
const PACE: WorkingTimer<bully::Timer> = WorkingTimer::Application(AnyTimer::Fencing(FencingTimer::Pace));

type Said<M> = WorkingMessage<M>;

fn with_fencing(settings: Settings) -> Settings {
    let card = APPLICATIONS.iter().find(|card| card.name == "fencing").unwrap();
    settings.with_application("fencing", Settings::defaults(card.settings, NodeSet::EMPTY))
}

/// Node `me` of three that elect; 4 is the resource.
fn setup_of<A: Algorithm>(me: u16) -> Setup {
    let setup = setup::<A>(me, 3, TIMING, with_fencing);
    let roster = setup.roster.with_bystanders(1).unwrap();
    Setup { roster, ..setup }
}

fn resource<B: Bug<Machine = Working<AlgorithmB1>>>() -> Twins<B> {
    Twins::of(&setup_of::<AlgorithmB1>(4))
}

/// A write in the first term of that process, with the number of this election.
fn write<M>(of: u16, election: u64, value: u64) -> Said<M> {
    let term = TermId { node: node(of), incarnation: Incarnation(1), serial: 1 };
    let number = FencingNumber { count: election, node: node(of) };
    WorkingMessage::Outside(AnyMessage::Fencing(FencingMessage::Write { call: call(1), term, number, value }))
}

/// The kinds of what was sent.
fn kinds<A: Algorithm>(effects: &[Effect<A>]) -> Vec<&'static str> {
    use protocol::Described;
    let kind = |effect: &Effect<A>| match effect {
        Effect::Send { message, .. } => Some(message.kind()),
        _ => None,
    };
    effects.iter().filter_map(kind).collect()
}

#[test]
fn the_resource_starts_without_the_highest_number() {
    let highest = Some(FencingNumber { count: 2, node: node(2) });
    let cells = AnySaved::Fencing(ResourceCells { value: 7, highest, landed: 7 });
    let cells = WorkingCells { election: None, application: Some(cells) };
    let Apart { plain_state, mutant_state, .. } = resource::<HighestNotRestored>().recovered(cells).apart();
    let (plain, mutant) = (resource_work(&plain_state), resource_work(&mutant_state));
    assert_eq!(((plain.highest, mutant.highest), (plain.value, mutant.value)), ((highest, None), (7, 7)));
}

#[test]
fn the_resource_refuses_a_higher_number() {
    let mut twins = resource::<RefusesTheHigher>();
    twins.give(fault::Given::Message(node(3), write(3, 1, 1)));
    let Apart { plain, mutant, .. } = twins.apart_hearing(2, write(2, 2, 2));
    assert_eq!((kinds(&plain), kinds(&mutant)), (vec!["Written"], vec!["Refused"]));
}

#[test]
fn the_resource_compares_ids_first() {
    let mut twins = resource::<ComparesIdsFirst>();
    twins.give(fault::Given::Message(node(3), write(3, 1, 1)));
    let Apart { plain, mutant, .. } = twins.apart_hearing(2, write(2, 2, 2));
    assert_eq!((kinds(&plain), kinds(&mutant)), (vec!["Written"], vec!["Refused"]));
}

#[test]
fn the_resource_holds_what_it_has_refused() {
    let twins = resource::<RefusedIsTaken>().hear(2, write(2, 2, 5));
    let Apart { plain, mutant, plain_state, mutant_state } = twins.apart_hearing(3, write(3, 1, 2));
    assert_eq!((kinds(&plain), kinds(&mutant)), (vec!["Refused"], vec!["Refused"]));
    assert_eq!((resource_work(&plain_state).value, resource_work(&mutant_state).value), (5, 2));
}

/// The resource tells node 3 its content.
fn content<M>(serial: u32) -> Said<M> {
    let call = CallNumber { incarnation: Incarnation(1), serial };
    WorkingMessage::Outside(AnyMessage::Fencing(FencingMessage::Content { call, value: 5 }))
}

#[test]
fn a_second_term_has_the_number_of_the_first() {
    let pace = || WorkingTimer::Application(AnyTimer::Fencing(FencingTimer::Pace));
    let timer = WorkingTimer::Election;
    let alone = Twins::<FirstNumberForEver>::of(&setup_of::<AlgorithmB1>(3)).time_out(timer(b1::Timer::Ready));
    let master = alone.elect().time_out(timer(b1::Timer::Table));
    let wrote = master.time_out(pace()).hear(4, content(1));
    assert_eq!(writer_work(&wrote.plain.machine.state()).progress, WriteProgress::Writes(6));
    let again = wrote.time_out(timer(b1::Timer::Ready)).elect().time_out(timer(b1::Timer::Table)).time_out(pace());
    let Apart { plain, mutant, .. } = again.apart_hearing(4, content(2));
    let number = |effects: &[Effect<Working<AlgorithmB1>>]| {
        effects.iter().find_map(|effect| match effect {
            Effect::Send {
                message: WorkingMessage::Outside(AnyMessage::Fencing(FencingMessage::Write { number, .. })),
                ..
            } => Some(number.count),
            _ => None,
        })
    };
    assert!(number(&plain) > number(&mutant), "{plain:?}");
}

#[test]
fn a_halted_coordinator_writes_on() {
    let said = |message| WorkingMessage::Election(message, None);
    let candidate = Twins::<WritesWhenHalted>::of(&setup_of::<Bully>(2));
    let candidate = candidate.time_out(WorkingTimer::Election(bully::Timer::AreYouThere));
    let halting = candidate.hear(1, said(bully::Message::HaltAnswer { call: call(2) }));
    let announcing = halting.time_out(WorkingTimer::Election(bully::Timer::Halt));
    let giving = announcing.hear(1, said(bully::Message::NewCoordinatorAnswer { call: call(3) }));
    let coordinator = giving.hear(1, said(bully::Message::ReadyAnswer { call: call(4) })).time_out(PACE);
    let halt = bully::Message::Halt { call: CallNumber { incarnation: Incarnation(4), serial: 1 } };
    let mut halted = coordinator;
    halted.give(fault::Given::Message(node(3), said(halt)));
    let Apart { plain, mutant, .. } = halted.apart_hearing(4, content(1));
    assert_eq!((kinds::<Working<Bully>>(&plain), kinds(&mutant)), (vec![], vec!["Write"]));
}
