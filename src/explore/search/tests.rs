//! The search in models of numbers.

use std::num::NonZeroUsize;

use stateright::{Model, Property};

use super::{Limits, SearchExtent, Staged, ToTheEnd, search};

const ENOUGH: Limits = Limits { states: 1_000, resident: u64::MAX };

/// A number and a stage: each action adds to one of them. A stage takes any number with it.
struct Climb;

impl Model for Climb {
    type State = (u32, u32);
    type Action = (u32, u32);

    fn init_states(&self) -> Vec<(u32, u32)> {
        vec![(0, 0)]
    }

    fn actions(&self, _: &(u32, u32), actions: &mut Vec<(u32, u32)>) {
        actions.extend([(1, 0), (5, 1), (0, 1)]);
    }

    fn next_state(&self, (number, stage): &(u32, u32), (more, later): (u32, u32)) -> Option<(u32, u32)> {
        Some((number + more, stage + later))
    }

    fn within_boundary(&self, (number, stage): &(u32, u32)) -> bool {
        *number <= 9 && *stage <= 2
    }

    fn properties(&self) -> Vec<Property<Climb>> {
        vec![
            Property::always("below 6 in stage 0", |_, (number, stage)| *stage > 0 || *number < 6),
            Property::always("not 7 in stage 1", |_, state| *state != (7, 1)),
            Property::always("never 10", |_, (number, _)| *number < 10),
        ]
    }
}

impl Staged for Climb {
    fn stage(&self, (_, stage): &(u32, u32)) -> u32 {
        *stage
    }
}

#[test]
fn a_found_way_has_the_earliest_stage_and_in_it_the_fewest_actions() {
    let found = search(&Climb, ENOUGH, NonZeroUsize::MIN, &mut ToTheEnd);
    let ways: Vec<(&str, &[u16])> = found.found.iter().map(|(name, way)| (*name, &way.places[..])).collect();
    // 7 in stage 1 is three actions away, by two of 1 and one of 5, and seven by the other way.
    assert_eq!((ways[0].0, ways[0].1.len()), ("below 6 in stage 0", 6));
    assert_eq!((ways[1].0, ways[1].1.len()), ("not 7 in stage 1", 3));
    assert_eq!(ways.len(), 2);
    assert_eq!(
        (found.exhaustion, found.tally.unique, &found.tally.stages[..]),
        (SearchExtent::Exhausted, 30, &[10, 10, 10][..])
    );
}

#[test]
fn a_search_that_is_stopped_says_by_what() {
    let stopped = search(&Climb, Limits { states: 12, ..ENOUGH }, NonZeroUsize::MIN, &mut ToTheEnd);
    assert_eq!((stopped.exhaustion, stopped.tally.unique >= 12), (SearchExtent::States, true));
}
