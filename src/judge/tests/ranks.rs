//! Who is meant by "the coordinator", and in which order groups stand: by the roster's rank.
//!
//! Invariant: of several in whom equally many believe, the one that outranks the others is meant.

use super::*;
use world::World;

/// 1 and 2 believe in 1, 3 and 4 in 4.
fn divided(rank: Rank) -> World {
    let mut world = World::new(Roster::ranked(4, rank).unwrap());
    let mut trace = Trace::new(&head(4, &[], &[]));
    for (of, coordinator) in [(1, 1), (2, 1), (3, 4), (4, 4)] {
        trace.start(of, 10, normal(coordinator));
    }
    trace.records.iter().for_each(|record| world.fold(record));
    world
}

#[test]
fn the_first_in_rank_is_meant_and_its_group_comes_first() {
    for (rank, first, last) in [(Rank::HigherId, 4, 1), (Rank::LowerId, 1, 4)] {
        let world = divided(rank);
        assert_eq!(world.coordinator(None), Some(node(first)));
        let coordinators: Vec<NodeId> = world.groups().iter().map(|group| group.coordinator).collect();
        assert_eq!(coordinators, [node(first), node(last)]);
        assert_eq!(world.groups()[0].letter, "A");
    }
}
