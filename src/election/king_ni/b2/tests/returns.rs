//! A process that was down for 20T and is back in the midst of an election (mend of hole 5).
//!
//! Invariant: whenever it is back, it comes to name the master that the others name, and needs no election for that.

use super::mends::under_way;
use super::{AlgorithmB2, ElectionNumber, READY, broadcast, ended, faulty, init, with, word};
use crate::king_ni::succession;
use crate::king_ni::tests::network::{self, Errata::Mended, Event, t, timing};
use bench::{Bench, save, set};
use protocol::Algorithm;

type Network = network::Network<AlgorithmB2>;

/// When the first of the others begins.
const BEGINS: f64 = 25.0;

/// The last process is down for 20T and more; it is back this long after the others have begun, each at its time.
fn returns(nodes: u16, faults: u64, starters: &[(u16, f64)], after: f64) -> Network {
    let capacities: Vec<i64> = (1..=i64::from(nodes)).collect();
    let mut network = Network::with(faulty(nodes, Mended, faults, "full"), &capacities, 0.75, 7);
    network.at(t(4.0), Event::Crash(nodes));
    for (starter, at) in starters {
        network.at(t(BEGINS + at), Event::Elect(*starter));
    }
    network.at(t(BEGINS + after), Event::Recover(nodes));
    network.run_until(t(BEGINS + 20.0));
    network
}

/// Some processes that are still in coll2 answer it, and some that have stopped, so that no t+1 say the same: it is
/// back within 3.2T to 4.0T of the beginning, or, with two starters, 3.8T to 4.0T.
#[test]
fn who_is_back_at_any_moment_of_an_election_names_its_master_in_the_end() {
    let cases = [
        (3, 1, &[(1, 0.0)][..]),
        (3, 1, &[(1, 0.0), (2, 0.5)]),
        (5, 2, &[(1, 0.0)]),
        (5, 2, &[(1, 0.0), (2, 0.6)]),
        (7, 3, &[(1, 0.0), (2, 0.3), (3, 0.7)]),
    ];
    for (nodes, faults, starters) in cases {
        for step in 0..160 {
            let after = -3.0 + 0.05 * f64::from(step);
            let network = returns(nodes, faults, starters, after);
            let masters = network.masters();
            let (case, one) = (format!("{nodes} with t={faults}, back after {after}T"), masters[0]);
            assert!(one.is_some() && masters.iter().all(|master| *master == one), "{case}: {masters:?}");
            let elections: Vec<_> = (1..=nodes).map(|of| network.machine(of).state().election).collect();
            assert!(elections.iter().all(|election| *election == Some(1)), "{case}: {elections:?}");
        }
    }
}

/// Process 3 of five, which asks; t is 1.
fn asking() -> Bench<AlgorithmB2> {
    Bench::start(3, 5, timing(), with(Mended, "1-5"))
}

#[test]
fn who_is_answered_in_two_ways_asks_again_until_t_plus_1_say_the_same() {
    let mut bench = asking();
    for _ in 0..3 {
        bench.hear(1, ended(6, Some(4)));
        assert_eq!(bench.hear(2, under_way(6)), []);
        let asks = succession::Message::Ask { election: ElectionNumber(6) };
        assert_eq!(bench.time_out(READY), [broadcast(asks.into()), set(READY, t(2.0))]);
        assert_eq!((bench.lines.as_slice(), word(&bench)), (&[145, 105][..], "normal".into()));
    }
    bench.hear(1, ended(6, Some(4)));
    assert!(bench.lines.is_empty(), "an answer to an earlier question does not count");
    bench.hear(2, ended(6, Some(4)));
    assert_eq!((bench.lines.as_slice(), word(&bench)), (&[125, 206][..], "stop".into()));
}

/// One of them is correct: what it says of the number is true, however far that is.
#[test]
fn under_way_and_ended_count_together_towards_t_plus_1_for_the_number_that_is_taken() {
    for far in [[under_way(1 << 40), ended(1 << 40, Some(4))], [ended(1 << 40, None), under_way(1 << 41)]] {
        let mut bench = asking();
        let [first, second] = far;
        assert_eq!(bench.hear(1, first.clone()), []);
        assert_eq!(bench.hear(1, first), []);
        assert_eq!(bench.hear(2, second), [save(ElectionNumber(1 << 40))]);
    }
}

#[test]
fn who_is_told_that_there_is_no_master_asks_no_more_and_who_is_told_of_one_by_too_few_goes_on() {
    let mut bench = asking();
    bench.hear(1, ended(2, None));
    bench.hear(2, ended(5, None));
    assert_eq!(bench.time_out(READY), [], "they were in other elections, and neither has a master");
    let mut bench = asking();
    for (from, master) in [(1, None), (2, None), (4, Some(4))] {
        bench.hear(from, ended(2, master));
    }
    bench.time_out(READY);
    assert_eq!(bench.lines, [145, 105]);
}

/// With t as large as n - 1 no t+1 others can agree that an election is under way; still, it is.
#[test]
fn an_order_waits_until_an_election_must_be_over_of_which_too_few_say_that_it_is_under_way() {
    let mut bench = asking();
    bench.elect();
    bench.hear(2, under_way(6));
    // One voice is not enough for the number either.
    let asks = succession::Message::Ask { election: ElectionNumber(0) };
    assert_eq!(bench.time_out(READY), [broadcast(asks.into()), set(READY, t(6.0))]);
    assert_eq!((bench.lines.as_slice(), word(&bench)), (&[145, 105][..], "normal".into()));
    bench.hear(2, under_way(6));
    bench.time_out(READY);
    assert_eq!((bench.lines.as_slice(), word(&bench)), (&[1][..], "coll1".into()), "one may say so for ever");
}

#[test]
fn who_goes_on_asking_may_begin_and_takes_part() {
    let still_asking = || {
        let mut bench = asking();
        bench.time_out(READY);
        assert_eq!(bench.lines, [145, 105]);
        bench
    };
    let mut bench = still_asking();
    bench.elect();
    assert_eq!(bench.lines, [1]);
    let mut bench = still_asking();
    bench.hear(5, init(1, 5));
    assert_eq!(bench.lines, [106, 2]);
    let mut bench = asking();
    bench.elect();
    assert_eq!(bench.lines, [156]);
    bench.time_out(READY);
    assert_eq!(bench.lines, [1], "an order that waits is carried out, whatever was answered");
}
