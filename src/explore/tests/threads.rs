//! The number of threads changes nothing of what is found.

use std::num::NonZeroUsize;

use super::labs::three_comes_back;
use super::{
    ENOUGH, ExploreReport, ExploreTerms, FaultKind, SearchControl, bully, explore, starting, terms, text, wish,
};

/// All that is told of an exploration with so many threads, to the last byte, but for its memory.
fn told(terms: &ExploreTerms, jobs: usize) -> String {
    let jobs = NonZeroUsize::new(jobs).expect("at least one thread");
    let report = explore(terms, ENOUGH, jobs, &mut |_| SearchControl::GoOn).expect("all timers can be counted");
    format!("{:#?}", ExploreReport { resident: 0, ..report })
}

/// One of each kind: all true; a counterexample and its lab file; messages that keep no order, and one that is lost; a
/// process that dies within a step; an ordered broadcast.
#[test]
fn counts_ways_and_lab_files_are_the_same_with_one_two_and_four_threads() {
    let early = three_comes_back("form = \"parallel-early\"", "1300ms");
    let crash = terms(&bully(2, ""), &wish(&[(FaultKind::Crash, 1), (FaultKind::Recovery, 1)], Some(8), Some(10)));
    let lossy = starting(&text("king-ni-c", 2, ("6s", "9s"), "errata = false"), "elect 1,2");
    let lossy = terms(&lossy, &wish(&[(FaultKind::Loss, 1)], Some(24), None));
    let ordered = starting(&text("king-ni-b2", 2, ("6s", "9s"), "errata = false\nt = 0"), "elect 1");
    let ordered = terms(&ordered, &wish(&[], None, None));
    for (lab, written) in [(early, true), (crash, false), (lossy, true), (ordered, false)] {
        let alone = told(&lab, 1);
        assert_eq!(alone.contains("WrittenLab"), written, "{alone}");
        for jobs in [2, 4] {
            assert!(told(&lab, jobs) == alone, "{}: {jobs} threads tell something else than one", lab.lab.card.name);
        }
    }
}
