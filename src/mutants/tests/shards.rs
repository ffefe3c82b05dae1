//! The bugs of the shards, one by one.
//!
//! Invariant: every bug of that file has a test here.

use super::{Apart, Twins, without};
use crate::shards::{
    CellsNotRead, CellsOverwritten, CollectedNotSaved, CollectsOneMore, ComputesWhenHalted, CoordinatorNotCounted,
    CountsOneNumberMore, GivesOutWhenHalted, MajorityNotCounted, NamesDefinitionsAnew, OneLacksTheHighest,
    ReportsOneOff, RoundNotRaised, shard_work,
};
use application::shards::{ShardMessage, ShardTimer};
use application::working::{Working, WorkingCells, WorkingMessage, WorkingTimer};
use application::{APPLICATIONS, AnyMessage, AnySaved, AnyTimer};
use bench::call;
use bench::{node, nodes};
use election::bully::{self, Bully};
use election::garcia_molina::YesOrNo;
use election::invitation::{self, Invitation};
use fault::Bug;
use protocol::{
    Algorithm, CallNumber, Effect, GroupNumber, Incarnation, NodeSet, SettingValue, Settings, ShardResult, ShardWork,
    Span, StateVector, Task, TaskId, Timing,
};

const TIMING: Timing =
    Timing { t: Span::from_millis(200), check: Span::from_millis(1000), silence: Span::from_millis(2000) };
const FIRST: ShardResult = ShardResult { shard: 1, primes: 168 };
const COMPUTE: AnyTimer = AnyTimer::Shards(ShardTimer::Compute);

type Said = WorkingMessage<bully::Message>;

/// With eight shards of a thousand numbers.
fn with_shards(settings: Settings) -> Settings {
    let own = Settings::defaults(APPLICATIONS[0].settings, NodeSet::EMPTY);
    settings.with_application("shards", own.with("shards", SettingValue::Number(8)))
}

fn started<B: Bug<Machine = Working<Bully>>>() -> Twins<B> {
    Twins::start(3, 4, TIMING, with_shards)
}

fn said(message: bully::Message) -> Said {
    WorkingMessage::Election(message, None)
}

/// Node 3, whose coming coordinator is 4.
fn following<B: Bug<Machine = Working<Bully>>>() -> Twins<B> {
    let halted = started().hear(4, said(bully::Message::Halt { call: of_4(1) }));
    halted.hear(4, said(bully::Message::NewCoordinator { call: of_4(2) }))
}

/// 4 gives out its task, and all eight shards among all four.
fn ready() -> Said {
    let task = Task { author: node(4), incarnation: Incarnation(1), serial: 1, members: nodes("1-4") };
    let left = "1-8".parse().unwrap();
    let definition = AnyMessage::Shards(ShardMessage::Definition { round: 1, left, among: nodes("1-4") });
    WorkingMessage::Election(bully::Message::Ready { call: of_4(3), task }, Some(definition))
}

/// Node 3, Normal under 4, with its shares of that.
fn member<B: Bug<Machine = Working<Bully>>>() -> Twins<B> {
    following().hear(4, ready())
}

/// Node 3, which has found 4 silent and tells 1 and 2 that it coordinates; 2 has answered.
fn announcing<B: Bug<Machine = Working<Bully>>>() -> Twins<B> {
    let candidate = started().time_out(WorkingTimer::Election(bully::Timer::AreYouThere));
    let answer = said(bully::Message::HaltAnswer { call: call(2) });
    let halting = candidate.hear(2, answer.clone()).hear(1, answer);
    let announcing = halting.time_out(WorkingTimer::Election(bully::Timer::Halt));
    announcing.hear(2, said(bully::Message::NewCoordinatorAnswer { call: call(3) }))
}

/// Node 3, Normal, which coordinates 1 and 2.
fn coordinator<B: Bug<Machine = Working<Bully>>>() -> Twins<B> {
    let giving = announcing().hear(1, said(bully::Message::NewCoordinatorAnswer { call: call(3) }));
    let answer = said(bully::Message::ReadyAnswer { call: call(4) });
    giving.hear(1, answer.clone()).hear(2, answer)
}

/// 1 tells its coordinator the result of the first shard.
fn results<B: Bug<Machine = Working<Bully>>>(twins: &Twins<B>) -> Said {
    let task = TaskId::at_work(&twins.plain.machine.state()).unwrap();
    WorkingMessage::Application(task, AnyMessage::Shards(ShardMessage::Results { results: [FIRST].into() }))
}

fn of_4(serial: u32) -> CallNumber {
    CallNumber { incarnation: Incarnation(4), serial }
}

/// The cells in which the first result is.
fn saved() -> AnySaved {
    serde_json::from_str(r#"{"Shards":{"results":[{"shard":1,"primes":168}]}}"#).unwrap()
}

/// Node 3 of 3, alone in its group, with these cells.
fn alone<B: Bug<Machine = Working<Invitation>>>() -> Twins<B> {
    Twins::start(3, 3, TIMING, with_shards).recovered(WorkingCells { election: None, application: Some(saved()) })
}

fn works(apart: &(StateVector, StateVector)) -> (ShardWork, ShardWork) {
    (shard_work(&apart.0), shard_work(&apart.1))
}

fn states<B: Bug>(apart: &Apart<B>) -> (StateVector, StateVector) {
    (apart.plain_state.clone(), apart.mutant_state.clone())
}

#[test]
fn a_shard_has_one_number_too_many() {
    let apart = member::<CountsOneNumberMore>().apart_at(WorkingTimer::Application(COMPUTE));
    let (plain, mutant) = works(&states(&apart));
    assert_eq!((plain.primes, mutant.primes), (127, 128));
}

#[test]
fn one_member_gets_another_definition() {
    let answer = said(bully::Message::NewCoordinatorAnswer { call: call(3) });
    let Apart { plain, mutant, .. } = announcing::<OneLacksTheHighest>().apart_hearing(1, answer);
    let among = |effects: &[Effect<Working<Bully>>]| -> Vec<NodeSet> {
        let of = |effect: &Effect<Working<Bully>>| match effect {
            Effect::Send {
                message: WorkingMessage::Election(_, Some(AnyMessage::Shards(ShardMessage::Definition { among, .. }))),
                ..
            } => Some(*among),
            _ => None,
        };
        effects.iter().filter_map(of).collect()
    };
    assert_eq!((among(&plain), among(&mutant)), (vec![nodes("1-3"); 2], vec![nodes("1-2"), nodes("1-3")]));
}

#[test]
fn a_member_does_not_count_the_coordinator() {
    let apart = following::<CoordinatorNotCounted>().apart_hearing(4, ready());
    let (plain, mutant) = works(&states(&apart));
    assert_eq!((plain.out.to_string(), mutant.out.to_string()), ("3,7".into(), "3,6".into()));
}

#[test]
fn a_process_starts_with_no_results() {
    let cells = WorkingCells { election: None, application: Some(saved()) };
    let (plain, mutant) = works(&states(&started::<CellsNotRead>().recovered(cells).apart()));
    assert_eq!((plain.done.to_string(), mutant.done.to_string()), ("1".into(), "-".into()));
}

#[test]
fn what_is_collected_is_not_saved() {
    let twins = coordinator::<CollectedNotSaved>();
    let results = results(&twins);
    let Apart { plain, mutant, plain_state, mutant_state } = twins.apart_hearing(1, results);
    let saves = plain.iter().filter(|effect| matches!(effect, Effect::Save { .. })).cloned().collect::<Vec<_>>();
    assert_eq!((saves.len(), mutant), (1, without(&plain, &saves)));
    assert_eq!(plain_state, mutant_state);
}

#[test]
fn the_cells_of_the_election_replace_those_of_the_application() {
    let answer = invitation::Message::AreYouCoordinatorAnswer { call: call2(1), coordinator: YesOrNo::Yes };
    let looking = alone::<CellsOverwritten>().time_out(WorkingTimer::Election(invitation::Timer::Check));
    let found = looking.hear(2, WorkingMessage::Election(answer, None));
    let Apart { plain, mutant, .. } = found.apart_at(WorkingTimer::Election(invitation::Timer::AreYouCoordinator));
    let kept = |effects: &[Effect<Working<Invitation>>]| {
        effects.iter().find_map(|effect| match effect {
            Effect::Save { saved } => Some(saved.application.clone()),
            _ => None,
        })
    };
    assert_eq!((kept(&plain), kept(&mutant)), (Some(Some(saved())), Some(None)));
}

fn call2(serial: u32) -> CallNumber {
    CallNumber { incarnation: Incarnation(2), serial }
}

#[test]
fn a_second_definition_has_the_round_of_the_first() {
    let twins = coordinator::<RoundNotRaised>();
    let results = results(&twins);
    let silent = WorkingTimer::Application(AnyTimer::Shards(ShardTimer::Results));
    let apart = twins.hear(1, results).apart_at(silent);
    let (plain, mutant) = works(&states(&apart));
    assert_eq!((plain.under.unwrap().round, mutant.under.unwrap().round), (2, 1));
    assert_eq!(plain.out, mutant.out);
}

#[test]
fn each_life_takes_itself_for_the_first() {
    let cells = WorkingCells { election: None, application: None };
    let apart = started::<NamesDefinitionsAnew>().alike().recovered(cells).apart();
    let asked = |effects: &[Effect<Working<Bully>>]| {
        effects.iter().find_map(|effect| match effect {
            Effect::Send { message: WorkingMessage::Election(bully::Message::AreYouThere { call }, _), .. } => {
                Some(call.incarnation)
            }
            _ => None,
        })
    };
    assert_eq!((asked(&apart.plain), asked(&apart.mutant)), (Some(Incarnation(2)), Some(Incarnation(1))));
}

#[test]
fn one_prime_too_many_is_collected() {
    let twins = coordinator::<CollectsOneMore>();
    let results = results(&twins);
    let (plain, mutant) = works(&states(&twins.apart_hearing(1, results)));
    assert_eq!((plain.primes, mutant.primes, plain.done), (168, 169, mutant.done));
}

#[test]
fn a_reported_result_goes_to_the_next_shard() {
    let answer = invitation::Message::AreYouCoordinatorAnswer { call: call(1), coordinator: YesOrNo::Yes };
    let looking = Twins::<ReportsOneOff>::start(3, 3, TIMING, with_shards)
        .time_out(WorkingTimer::Election(invitation::Timer::Check))
        .hear(2, WorkingMessage::Election(answer, None));
    let inviting = looking.time_out(WorkingTimer::Election(invitation::Timer::AreYouCoordinator));
    let accept = invitation::Message::Accept { call: call(1), group: GroupNumber { node: node(3), counter: 2 } };
    let report = AnyMessage::Shards(ShardMessage::Report { results: [FIRST].into() });
    let apart = inviting.apart_hearing(2, WorkingMessage::Election(accept, Some(report)));
    let (plain, mutant) = works(&states(&apart));
    assert_eq!((plain.done.to_string(), mutant.done.to_string()), ("1".into(), "2".into()));
}

#[test]
fn a_halted_member_computes_on() {
    let halt = said(bully::Message::Halt { call: of_4(4) });
    let mut twins = member::<ComputesWhenHalted>();
    twins.give(fault::Given::Message(node(4), halt));
    let (plain, mutant) = works(&states(&twins.apart()));
    assert_eq!((plain.out.to_string(), mutant.out.to_string()), ("-".into(), "3,7".into()));
    let apart = twins.apart_at(WorkingTimer::Application(COMPUTE));
    let (plain, mutant) = works(&states(&apart));
    assert_eq!((plain.done.to_string(), mutant.done.to_string()), ("-".into(), "3".into()));
    assert!(matches!(apart.mutant[..], [Effect::Save { .. }, ..]), "{:?}", apart.mutant);
}

#[test]
fn a_halted_coordinator_takes_nothing_back() {
    let halt = said(bully::Message::Halt { call: of_4(4) });
    let (plain, mutant) = works(&states(&coordinator::<GivesOutWhenHalted>().apart_hearing(4, halt)));
    assert_eq!((plain.given.to_string(), mutant.given.to_string()), ("-".into(), "1-8".into()));
}

#[test]
fn a_group_of_one_computes() {
    let (plain, mutant) = works(&states(&alone::<MajorityNotCounted>().apart()));
    assert_eq!((plain.out.to_string(), mutant.out.to_string()), ("-".into(), "2-8".into()));
}
