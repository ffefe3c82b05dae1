//! What one liar cannot do: bar a process from elections, use up their numbers, or decide one. (It can put off an end.)
//!
//! Invariant: t is 1, and all that is said wrongly is said by one process.

use super::mends::under_way;
use super::traces::{A, B, BEGINS, C, D, d_says, elects, named, network as of_four};
use super::{AlgorithmB2, READY, Timer, broadcast, elected, ended, faulty, full, init, mended, vect, with, word};
use crate::king_ni::tests::network::{self, Errata::Mended, Event, T_NANOS, Xorshift, t, timing};
use crate::king_ni::{ElectionNumber, succession};
use bench::{Bench, save};
use protocol::{Algorithm, Described, Span};

/// Process 3 of five, which asks.
fn asking() -> Bench<AlgorithmB2> {
    Bench::start(3, 5, timing(), with(Mended, "1-5"))
}

fn asks(election: u64) -> super::Message {
    succession::Message::Ask { election: ElectionNumber(election) }.into()
}

#[test]
fn one_that_speaks_of_an_election_makes_nobody_stand_aside() {
    let mut bench = asking();
    for message in [under_way(1), init(1, 5), vect(1, full(&[(5, 5)])), init(1, 5), under_way(9)] {
        bench.hear(5, message);
        assert!(bench.lines.is_empty(), "{:?}", bench.lines);
    }
    bench.time_out(READY);
    assert_eq!(bench.lines, [145, 105]);
    bench.elect();
    assert_eq!(bench.lines, [1]);
    assert!(bench.effects.contains(&broadcast(init(2, 3))), "{:?}", bench.effects);
}

/// It has passed over the first init of election 1, so it cannot take part; it sees that others do, and asks when that
/// election is over. Their words meanwhile do not make it wait longer. Each time that it asks it counts anew.
#[test]
fn who_has_passed_over_the_first_init_stands_aside_once_when_a_second_process_is_heard() {
    let mut bench = asking();
    bench.hear(5, init(1, 5));
    bench.time_out(READY);
    assert_eq!(bench.lines, [145, 105]);
    assert_eq!(bench.hear(4, init(1, 4)), []);
    bench.hear(5, vect(1, full(&[(5, 5)])));
    assert_eq!((bench.lines.as_slice(), word(&bench)), (&[115][..], "normal".into()));
    for from in [1, 2, 4, 5] {
        assert_eq!(bench.hear(from, vect(1, full(&[(5, 5), (4, 4)]))), []);
    }
    bench.time_out(READY);
    assert_eq!(bench.lines, [105]);
    bench.hear(1, ended(1, Some(5)));
    bench.hear(2, ended(1, Some(5)));
    assert_eq!((bench.lines.as_slice(), word(&bench)), (&[125, 206][..], "stop".into()));
}

#[test]
fn a_number_out_of_reach_is_dropped_whoever_says_it_unless_t_plus_1_do() {
    let mut bench = mended();
    assert_eq!(bench.hear(5, init(u64::MAX, 5)), []);
    assert!(matches!(bench.hear(5, asks(u64::MAX)), [protocol::Effect::Send { .. }]));
    bench.elect();
    assert!(bench.effects.contains(&broadcast(init(1, 3))), "{:?}", bench.effects);
    let mut bench = asking();
    assert_eq!(bench.hear(5, ended(u64::MAX, None)), []);
    assert_eq!(bench.hear(1, ended(1 << 40, None)), [save(ElectionNumber(1 << 40))], "it has been away for long");
    bench.time_out(READY);
    bench.hear(4, init((1 << 40) + 1, 4));
    assert_eq!(bench.lines, [106, 2]);
}

/// The order counts, not which process knows of higher numbers: 4 begins 1 while 3 begins 6.
#[test]
fn an_election_begins_with_the_first_init_that_the_order_brings() {
    let mut bench = mended();
    bench.hear(5, asks(5));
    bench.elect();
    assert!(bench.effects.contains(&broadcast(init(6, 3))), "{:?}", bench.effects);
    bench.hear(4, init(1, 4));
    assert_eq!((bench.lines.as_slice(), bench.machine.state().election), (&[106, 2][..], Some(1)));
    bench.hear(3, init(6, 3));
    assert_eq!((bench.lines.as_slice(), bench.machine.state().election), (&[116, 2][..], Some(6)));
    assert_eq!(bench.machine.candidates.len(), 1);
}

#[test]
fn the_word_of_another_does_not_make_the_masters_unsaid() {
    let mut bench = mended();
    bench.hear(4, init(1, 4));
    bench.hear(3, init(1, 3));
    bench.time_out(Timer::Table);
    for from in [4, 1, 3, 2] {
        bench.hear(from, vect(1, full(&[(4, 4), (3, 3)])));
    }
    bench.hear(4, elected(1));
    bench.hear(5, elected(1));
    bench.time_out(Timer::Table);
    assert_eq!(bench.lines, [9, 109, 302, 206]);
}

/// A liar has raised the numbers far beyond what this process knows. One step makes both answers known, and saves once.
#[test]
fn an_election_far_beyond_all_that_is_known_is_followed_in_one_step() {
    let mut bench = asking();
    let told = |taken: u64| succession::Message::Ended {
        election: ElectionNumber(1 << 40),
        master: Some(super::node(4)),
        taken: ElectionNumber(taken),
    };
    bench.hear(5, told(1).into());
    let effects = bench.hear(1, told(1 << 40).into());
    assert!(effects.contains(&save(ElectionNumber(1 << 40))), "{effects:?}");
    assert_eq!(bench.machine.state().coordinator, Some(super::node(4)));
}

/// A liar says the same as a correct process, and that no number is taken.
#[test]
fn the_number_of_an_election_that_is_followed_is_taken() {
    let mut bench = asking();
    let ended = |taken| {
        let (election, taken) = (ElectionNumber(5), ElectionNumber(taken));
        succession::Message::Ended { election, master: Some(super::node(4)), taken }
    };
    bench.hear(5, ended(0).into());
    bench.hear(1, ended(0).into());
    assert_eq!(bench.lines, [125, 206]);
    bench.time_out(READY);
    bench.elect();
    assert!(bench.effects.contains(&broadcast(init(6, 3))), "{:?}", bench.effects);
}

#[test]
fn an_order_that_waits_outlasts_the_answers() {
    let mut bench = asking();
    assert_eq!((bench.elect().len(), bench.lines.as_slice()), (0, &[156][..]));
    bench.hear(1, ended(2, Some(4)));
    bench.hear(2, ended(2, Some(4)));
    assert_eq!(bench.lines, [125, 206]);
    bench.time_out(READY);
    assert_eq!(bench.lines, [146, 1]);
}

/// A's list is [A B C]; D's init comes when A is in coll2, so those of B and C have D too. Y' is the lists of A, D and
/// B. D's list is long, and begins with B: if it were walked, it would make B's list decide, and D master.
#[test]
fn a_forged_list_is_not_the_longest() {
    let mut network = of_four(Mended, "full", [5, 1, 2, 9]);
    network.delay(A, "init", t(1.0));
    network.delay(A, "vect", t(0.5));
    elects(&mut network, A, 0.0);
    d_says(&mut network, Mended, 2.2, super::traces::init(9));
    d_says(&mut network, Mended, 2.6, super::traces::vect(full(&[(B, 1), (B, 1), (7, 7), (8, 8), (9, 9), (6, 6)])));
    assert_eq!(named(network), [Some(A); 3]);
}

/// D begins another election all the time. It leads all out of the first one into the second; what it begins after
/// that waits for the end, and only the highest of it is held.
#[test]
fn inits_of_higher_elections_lead_all_out_of_one_election_and_the_next_comes_to_its_end() {
    let mut network = of_four(Mended, "full", [1, 2, 3, 9]);
    elects(&mut network, A, 0.0);
    for place in 1..6 {
        let election = ElectionNumber(1 + place);
        d_says(&mut network, Mended, 0.8 * place as f64, move |_| super::Message::Init { election, capacity: 9 });
    }
    let election = |network: &network::Network<AlgorithmB2>, of| network.machine(of).state().election;
    network.run_until(t(BEGINS + 5.5));
    assert_eq!(network.masters()[..3], [Some(D); 3]);
    assert_eq!([A, B, C].map(|of| election(&network, of)), [Some(2); 3]);
    network.run_until(t(BEGINS + 24.0));
    // D, whose capacity is the largest, is elected in 6 too, and found silent.
    assert_eq!([A, B, C].map(|of| election(&network, of)), [Some(7); 3]);
    assert_eq!(network.masters()[..3], [Some(C); 3]);
    assert_eq!(network.two_masters, Vec::<String>::new());
}

/// 5 has led all out of election 1. What it begins next waits, and counts from its place in the order.
#[test]
fn who_has_led_out_of_an_election_does_so_again_only_after_its_end() {
    let mut bench = mended();
    bench.hear(4, init(1, 4));
    bench.hear(5, init(2, 5));
    assert_eq!((bench.lines.as_slice(), bench.machine.candidates.len()), (&[116, 2][..], 1));
    bench.hear(5, init(3, 5));
    assert_eq!((bench.lines.as_slice(), bench.machine.state().election), (&[176][..], Some(2)));
    // Another has just come back, or was at rest, and follows it.
    bench.hear(1, init(3, 1));
    assert_eq!((bench.lines.as_slice(), bench.machine.state().election), (&[116, 2, 5][..], Some(3)));
    assert_eq!(bench.machine.candidates.iter().map(|(from, _)| from.get()).collect::<Vec<_>>(), [5, 1]);
    for from in [5, 1] {
        bench.hear(from, init(4, 9));
        assert_eq!(bench.lines, [176], "two cannot help each other out for ever");
    }
}

#[test]
fn the_election_that_waits_begins_t_after_the_end_with_all_that_came_of_it() {
    let mut bench = mended();
    for (from, election) in [(4, 1), (5, 2), (5, 3)] {
        bench.hear(from, init(election, 4));
    }
    bench.hear(5, vect(3, full(&[(5, 4)])));
    bench.time_out(Timer::Table);
    for from in [4, 1, 3, 2] {
        bench.hear(from, vect(2, full(&[(5, 4)])));
    }
    bench.time_out(Timer::Table);
    assert_eq!(bench.machine.state().coordinator, Some(super::node(5)));
    bench.time_out(READY);
    assert_eq!(bench.lines, [186, 2, 101]);
    assert_eq!((bench.machine.state().election, bench.machine.lists.len()), (Some(3), 1));
}

#[test]
fn the_last_number_of_all_ends_no_elections_and_makes_no_two_masters() {
    for lists in ["full", "lengths"] {
        let mut network = of_four(Mended, lists, [1, 2, 3, 9]);
        for (after, message) in [(-0.5, init(u64::MAX, 9)), (-0.4, asks(u64::MAX)), (2.5, init(u64::MAX, 9))] {
            d_says(&mut network, Mended, after, move |_| message.clone());
        }
        elects(&mut network, A, 0.0);
        elects(&mut network, B, 0.7);
        assert_eq!(named(network), [Some(C); 3]);
    }
}

/// What D might say: about elections near the present one, or far off.
fn lie(random: &mut Xorshift, present: u64) -> super::Message {
    let election = match random.below(8) {
        0 => u64::MAX - random.below(2),
        1 => random.below(1 << 30),
        _ => (present + random.below(4)).saturating_sub(1),
    };
    let entries: Vec<(u16, i64)> =
        (0..random.below(7)).map(|_| (random.below(6) as u16 + 1, random.below(10) as i64 - 1)).collect();
    let master = (random.below(4) > 0).then(|| random.below(4) as u16 + 1);
    match random.below(10) {
        0 => elected(election),
        1 => asks(election),
        2 => under_way(election),
        3 => ended(election, master),
        4 => vect(election, super::List::Length(random.below(9) as u16)),
        5 | 6 => vect(election, full(&entries)),
        _ => init(election, random.below(10) as i64 - 1),
    }
}

/// D says whatever it likes for 60T: it broadcasts to all, and answers to one. A, B and C are ordered to elect now and
/// then. At no end do they name two masters, and when D is silent one order is enough.
#[test]
fn whatever_one_liar_says_the_others_name_one_master() {
    let mut random = Xorshift(0x2545_f491_4f6c_dd1d);
    for trial in 0..1_000 {
        let lists = if trial % 2 == 0 { "full" } else { "lengths" };
        let settings = faulty(4, Mended, 1, lists);
        let mut network = network::Network::<AlgorithmB2>::with(settings, &[1, 2, 3, 9], 0.75, random.below(1 << 40));
        network.at(t(4.0), Event::Crash(D));
        let mut at = Span::from_nanos(3 * T_NANOS);
        while at < t(60.0) {
            at = at + Span::from_nanos(random.below(T_NANOS));
            network.run_until(at);
            let present = network.machine(A).state().election.unwrap_or_default();
            let message = lie(&mut random, present);
            let to = random.below(3) as u16 + 1;
            let is_answer = ["underway", "ended"].contains(&message.kind());
            if random.below(4) == 0 {
                network.at(at, Event::Elect(to));
            } else if is_answer {
                network.at(at, Event::Deliver { to, up_since: Some(1), from: D, message });
            } else {
                network.at(at, Event::Broadcast { from: D, message });
            }
        }
        network.at(t(90.0), Event::Elect(B));
        network.run_until(t(110.0));
        assert_eq!(network.two_masters, Vec::<String>::new(), "trial {trial}");
        assert_eq!(network.masters()[..3], [Some(C); 3], "trial {trial}");
    }
}
