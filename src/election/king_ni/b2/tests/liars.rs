//! What one liar cannot do: bar a process from elections, use up their numbers, or decide one. (It can put off an end.)
//!
//! Invariant: t is 1, and all that is said wrongly is said by one process.

use super::*;
use crate::king_ni::tests::network::{Event, Network, T_NANOS, Xorshift, settings};
use protocol::{Described, Span};

fn asks(election: u64) -> Message {
    succession::Message::Ask { election: ElectionNumber(election) }.into()
}

#[test]
fn one_voice_makes_nobody_stand_aside() {
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

/// Has passed over the first init of election 1, so it cannot take part; it sees that others do, and asks when that
/// election is over. Their words meanwhile do not make it wait longer. Each time that it asks it counts anew.
#[test]
fn two_voices_make_it_stand_aside_once() {
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
fn a_number_out_of_reach_is_dropped() {
    let mut bench = mended();
    assert_eq!(bench.hear(5, init(u64::MAX, 5)), []);
    assert!(matches!(bench.hear(5, asks(u64::MAX)), [Effect::Send { .. }]));
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
fn an_election_begins_with_the_first_init() {
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
fn anothers_word_does_not_unsay_the_masters() {
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
fn a_far_election_is_followed_in_one_step() {
    let mut bench = asking();
    let told = |taken: u64| succession::Message::Ended {
        election: ElectionNumber(1 << 40),
        master: Some(node(4)),
        taken: ElectionNumber(taken),
    };
    bench.hear(5, told(1).into());
    let effects = bench.hear(1, told(1 << 40).into());
    assert!(effects.contains(&save(ElectionNumber(1 << 40))), "{effects:?}");
    assert_eq!(bench.machine.state().coordinator, Some(node(4)));
}

/// A liar says the same as a correct process, and that no number is taken.
#[test]
fn the_number_that_is_followed_is_taken() {
    let mut bench = asking();
    let ended = |taken| {
        let (election, taken) = (ElectionNumber(5), ElectionNumber(taken));
        succession::Message::Ended { election, master: Some(node(4)), taken }
    };
    bench.hear(5, ended(0).into());
    bench.hear(1, ended(0).into());
    assert_eq!(bench.lines, [125, 206]);
    bench.time_out(READY);
    bench.elect();
    assert!(bench.effects.contains(&broadcast(init(6, 3))), "{:?}", bench.effects);
}

#[test]
fn an_order_outlasts_the_answers() {
    let mut bench = asking();
    assert_eq!((bench.elect().len(), bench.lines.as_slice()), (0, &[156][..]));
    bench.hear(1, ended(2, Some(4)));
    bench.hear(2, ended(2, Some(4)));
    assert_eq!(bench.lines, [125, 206]);
    bench.time_out(READY);
    assert_eq!(bench.lines, [146, 1]);
}

/// 5 has led all out of election 1. What it begins next waits, and counts from its place in the order.
#[test]
fn nobody_leads_out_of_an_election_twice() {
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
fn the_election_that_waits_begins_later() {
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
    assert_eq!(bench.machine.state().coordinator, Some(node(5)));
    bench.time_out(READY);
    assert_eq!(bench.lines, [186, 2, 101]);
    assert_eq!((bench.machine.state().election, bench.machine.lists.len()), (Some(3), 1));
}

/// What 4 might say: about elections near the present one, or far off.
fn lie(random: &mut Xorshift, present: u64) -> Message {
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
        4 => vect(election, List::Length(random.below(9) as u16)),
        5 | 6 => vect(election, full(&entries)),
        _ => init(election, random.below(10) as i64 - 1),
    }
}

/// 4 says whatever it likes for 60T: it broadcasts to all, and answers to one. 1, 2 and 3 are ordered to elect now and
/// then. At no end do they name two masters, and when 4 is silent one order is enough.
#[test]
fn whatever_one_says_others_name_one_master() {
    let mut random = Xorshift(0x2545_f491_4f6c_dd1d);
    for trial in 0..1_000 {
        let lists = if trial % 2 == 0 { "full" } else { "lengths" };
        let settings = settings::<AlgorithmB2>(4, Mended).with("lists", SettingValue::Word(lists.to_owned()));
        let mut network = Network::<AlgorithmB2>::with(settings, &[1, 2, 3, 9], 0.75, random.below(1 << 40));
        network.at(t(4.0), Event::Crash(4));
        let mut at = Span::from_nanos(3 * T_NANOS);
        while at < t(60.0) {
            at = at + Span::from_nanos(random.below(T_NANOS));
            network.run_until(at);
            let present = network.machine(1).state().election.unwrap_or_default();
            let message = lie(&mut random, present);
            let to = random.below(3) as u16 + 1;
            let is_answer = ["underway", "ended"].contains(&message.kind());
            if random.below(4) == 0 {
                network.at(at, Event::Elect(to));
            } else if is_answer {
                network.at(at, Event::Deliver { to, up_since: Some(1), from: 4, message });
            } else {
                network.at(at, Event::Broadcast { from: 4, message });
            }
        }
        network.at(t(90.0), Event::Elect(2));
        network.run_until(t(110.0));
        assert_eq!(network.two_masters, Vec::<String>::new(), "trial {trial}");
        assert_eq!(network.masters()[..3], [Some(3); 3], "trial {trial}");
    }
}
