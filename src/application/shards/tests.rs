//! State, one input, the exact effects.

use super::*;
use crate::tests::{cancels, node, nodes, sends as send, sets as set, setup};
use protocol::{ApplicationEffect, Incarnation, Roster, Status, Task};

const PACE: Span = Span::from_millis(100);
const SILENCE: Span = Span::from_millis(1_000);
const CHECK: Span = Span::from_millis(200);

fn shards(text: &str) -> ShardSet {
    text.parse().unwrap()
}

/// Node `me` of five, with ten shards of 100 numbers, and what its cells held.
fn machine(me: u16, saved: &[u16]) -> Shards {
    let roster = Roster::new(5).unwrap();
    let setup = setup(me, roster, CHECK, SILENCE);
    let own = Settings::defaults(card::CARD.settings, roster.all())
        .with(card::SHARDS, protocol::SettingValue::Number(10))
        .with(card::NUMBERS, protocol::SettingValue::Number(100));
    let results = saved.iter().map(|shard| result(*shard)).collect();
    Shards::start(&setup, &own, Some(ShardCells { results }))
}

/// What is right for this shard.
fn result(shard: u16) -> ShardResult {
    let first = u64::from(shard - 1) * 100;
    ShardResult { shard, primes: prime_count(first..first + 100) }
}

fn results(of: &[u16]) -> Box<[ShardResult]> {
    of.iter().map(|shard| result(*shard)).collect()
}

fn state(status: Status, under: u16, serial: u32, up: &str) -> StateVector {
    let task = Task { author: node(under), incarnation: Incarnation(1), serial, members: nodes("1-4") };
    StateVector { task: Some(task), up: nodes(up), ..StateVector::new(status, status.word(), Some(node(under))) }
}

type Did = (Vec<ApplicationEffect<Shards>>, Vec<u16>, Option<Vec<u16>>);

/// The effects, the lines without their offset, and the shards that are kept.
fn did(run: impl FnOnce(&mut ShardEffects)) -> Did {
    let (list, lines, saved) = crate::tests::did(run);
    (list, lines, saved.map(|cells| cells.results.iter().map(|result| result.shard).collect()))
}

fn definition(round: u32, left: &str, among: &str) -> ShardMessage {
    ShardMessage::Definition { round, left: shards(left), among: nodes(among) }
}

/// Node 5, which coordinates 1 to 3 and has begun; it had the results of 1 and 2.
fn coordinator() -> Shards {
    let mut five = machine(5, &[1, 2]);
    did(|fx| five.on_state(&state(Status::Reorganization, 5, 1, "1-3"), fx));
    did(|fx| five.on_state(&state(Status::Normal, 5, 1, "1-3"), fx));
    five
}

/// Node 2, which has its share of the first definition of 5.
fn member() -> Shards {
    let mut two = machine(2, &[]);
    did(|fx| two.on_state(&state(Status::Normal, 5, 1, "-"), fx));
    did(|fx| two.on_message(node(5), definition(1, "3-10", "1-3,5"), fx));
    two
}

fn work(machine: &Shards) -> ShardWork {
    let Work::Shards(work) = machine.work() else { panic!("the work of shards") };
    work
}

#[test]
fn a_coordinator_divides_what_is_left() {
    let mut five = machine(5, &[1]);
    let reorganizing = state(Status::Reorganization, 5, 1, "1-3");
    assert_eq!(
        did(|fx| five.on_report(node(2), ShardMessage::Report { results: results(&[2, 4]) }, fx)).2,
        Some(vec![1, 2, 4])
    );
    assert_eq!(did(|fx| five.on_state(&reorganizing, fx)), (vec![], vec![2], None));
    assert_eq!(five.definition(), Some(definition(1, "3,5-10", "1-3,5")));
    assert_eq!((work(&five).under, work(&five).given), (None, ShardSet::EMPTY), "it is not at work");
    let began = did(|fx| five.on_state(&state(Status::Normal, 5, 1, "1-3"), fx));
    let effects = vec![set(ShardTimer::Compute, PACE), set(ShardTimer::Results, SILENCE + PACE)];
    assert_eq!(began, (effects, vec![], None));
    // 3, 5, 6, 7, 8, 9, 10 go to 1, 2, 3, 5, 1, 2, 3.
    assert_eq!((work(&five).out, work(&five).given), (shards("7"), shards("3,5-10")));
    assert_eq!(five.waits_for(ShardTimer::Results), nodes("1-3"));
}

#[test]
fn a_member_computes_its_share() {
    let mut two = member();
    assert_eq!(work(&two).out, shards("4,8"));
    let computed = did(|fx| two.on_timer(ShardTimer::Compute, fx));
    let told = send(5, ShardMessage::Results { results: results(&[4]) });
    let effects = vec![set(ShardTimer::Compute, PACE), told, set(ShardTimer::Kept, CHECK)];
    assert_eq!(computed, (effects, vec![6], Some(vec![4])));
    assert_eq!((work(&two).out, work(&two).latest), (shards("8"), Some(ShardResult { shard: 4, primes: 16 })));
    // 5 does not answer: it is told again, until it says that it keeps them.
    let again = vec![send(5, ShardMessage::Results { results: results(&[4]) }), set(ShardTimer::Kept, CHECK)];
    assert_eq!(did(|fx| two.on_timer(ShardTimer::Kept, fx)), (again, vec![8], None));
    let kept = did(|fx| two.on_message(node(5), ShardMessage::Kept { shards: shards("4") }, fx));
    assert_eq!(kept, (vec![cancels(ShardTimer::Kept)], vec![9], None));
    assert_eq!(did(|fx| two.on_timer(ShardTimer::Kept, fx)), (vec![], vec![], None));
}

#[test]
fn what_a_member_has_is_not_computed_again() {
    let mut two = machine(2, &[4]);
    did(|fx| two.on_state(&state(Status::Normal, 5, 1, "-"), fx));
    let took = did(|fx| two.on_message(node(5), definition(1, "3-10", "1-3,5"), fx));
    let told = send(5, ShardMessage::Results { results: results(&[4]) });
    assert_eq!(took, (vec![set(ShardTimer::Compute, PACE), told, set(ShardTimer::Kept, CHECK)], vec![5, 8], None));
    assert_eq!(work(&two).out, shards("8"));
}

#[test]
fn a_silent_members_share_is_divided_again() {
    let mut five = coordinator();
    let kept = did(|fx| five.on_message(node(1), ShardMessage::Results { results: results(&[3]) }, fx));
    assert_eq!(kept, (vec![send(1, ShardMessage::Kept { shards: shards("3") })], vec![7], Some(vec![1, 2, 3])));
    did(|fx| five.on_message(node(2), ShardMessage::Results { results: results(&[4, 8]) }, fx));
    assert_eq!(five.waits_for(ShardTimer::Results), nodes("3"));
    let again = did(|fx| five.on_timer(ShardTimer::Results, fx));
    let anew = definition(2, "5-7,9,10", "1,2,5");
    let effects = vec![
        send(1, anew.clone()),
        send(2, anew.clone()),
        set(ShardTimer::Compute, PACE),
        set(ShardTimer::Results, SILENCE + PACE),
    ];
    assert_eq!(again, (effects, vec![3], None));
    assert_eq!(work(&five).out, shards("7"));
    // 3 lives after all: its result is kept, and it learns that the others have its shards.
    let late = did(|fx| five.on_message(node(3), ShardMessage::Results { results: results(&[5]) }, fx));
    assert_eq!(late.0, vec![send(3, ShardMessage::Kept { shards: shards("5") }), send(3, anew)]);
}

#[test]
fn who_is_left_out_stops() {
    let mut two = member();
    let out = did(|fx| two.on_message(node(5), definition(2, "4-10", "1,3,5"), fx));
    assert_eq!(out, (vec![cancels(ShardTimer::Compute)], vec![5], None));
    assert_eq!(work(&two).out, ShardSet::EMPTY);
    assert_eq!(did(|fx| two.on_message(node(5), definition(1, "3-10", "1-3,5"), fx)), (vec![], vec![], None));
    assert_eq!(did(|fx| two.on_message(node(4), definition(3, "3-10", "1-4"), fx)), (vec![], vec![], None));
}

#[test]
fn out_of_normal_nobody_computes() {
    let mut two = member();
    let stopped = did(|fx| two.on_state(&state(Status::Election, 5, 1, "-"), fx));
    let cancelled = [ShardTimer::Compute, ShardTimer::Kept, ShardTimer::Results].map(cancels);
    assert_eq!(stopped, (cancelled.to_vec(), vec![10], None));
    assert_eq!(did(|fx| two.on_timer(ShardTimer::Compute, fx)), (vec![], vec![], None));
    did(|fx| two.on_state(&state(Status::Normal, 4, 1, "-"), fx));
    did(|fx| two.on_message(node(4), definition(1, "3-10", "1-4"), fx));
    assert_eq!(work(&two).out, shards("4,8"), "a first round of another task");
}

#[test]
fn an_unmade_groups_preparation_counts_for_none() {
    let mut four = machine(4, &[]);
    did(|fx| four.on_state(&state(Status::Reorganization, 4, 1, "1-3"), fx));
    assert!(four.definition().is_some());
    did(|fx| four.on_state(&state(Status::Election, 4, 1, "-"), fx));
    assert_eq!(four.definition(), None);
    did(|fx| four.on_state(&state(Status::Normal, 5, 2, "-"), fx));
    did(|fx| four.on_message(node(5), definition(1, "1-10", "1-5"), fx));
    assert_eq!(work(&four).out, shards("4,9"));
}

#[test]
fn a_group_without_a_majority_computes_nothing() {
    let mut four = machine(4, &[]);
    did(|fx| four.on_state(&state(Status::Reorganization, 4, 1, "3"), fx));
    let began = did(|fx| four.on_state(&state(Status::Normal, 4, 1, "3"), fx));
    assert!(began.1.contains(&4), "{began:?}");
    assert_eq!((work(&four).out, work(&four).given), (ShardSet::EMPTY, ShardSet::EMPTY));
}

#[test]
fn each_shard_has_one_owner() {
    let left = ShardSet::first(256).minus(&shards("7,100-120"));
    for among in ["1", "1-2", "2,5,9", "1-17", "1-256"] {
        let division = Division { round: 1, left, among: nodes(among), silent: NodeSet::EMPTY };
        let shares: Vec<ShardSet> = division.among.iter().map(|node| division.share_of(node)).collect();
        assert_eq!(shares.iter().map(ShardSet::len).sum::<usize>(), left.len());
        assert_eq!(shares.iter().fold(ShardSet::EMPTY, |all, share| all.union(share)), left);
    }
}
