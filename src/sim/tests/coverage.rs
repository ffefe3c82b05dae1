//! How much of each paper the simulator reaches: every line of every listing is cited by some machine in some run.
//!
//! Invariant: a new algorithm is held to this without a line here.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::labs;
use crate::{NetworkKind, Plan, start, swarm};
use lab::{Lab, LabStep, When};
use protocol::{Card, LineNumber, LineTaker, SettingValue, Span};
use record::{Body, Record};
use registry::BUILT_IN;

/// The most seeds that are drawn for a lab.
const SEEDS: u64 = 400;

/// The runs that reach the rarest lines: they are played before all others, to save time. Line 152 of Algorithm C is
/// reached once in some thousand runs.
const RARE: [(u64, &str); 19] = [
    (0, "king-ni-5-3"),
    (0, "king-ni-c-hole-4"),
    (2, "king-ni-a-letter"),
    (2, "loss-bursts"),
    (4, "king-ni-random"),
    (7, "king-ni-c-hole-12"),
    (8, "king-ni-random"),
    (9, "king-ni-5-3-parts"),
    (10, "ring"),
    (12, "invitation-hole-ready"),
    (16, "king-ni-5-3-parts"),
    (17, "king-ni-5-3-seven"),
    (40, "loss-bursts"),
    (59, "king-ni-c-hole-6"),
    (93, "king-ni-5-3-liars"),
    (115, "app-crash-recovery"),
    (115, "king-ni-last-win"),
    (115, "loss-bursts"),
    (334, "king-ni-5-3-loss"),
];

/// The seeds that reach most of the other lines, drawn for all labs before the others.
const COMMON: [u64; 2] = [204, 115];

/// The most records of a run that are looked at: to the letter a ring's copies may multiply without an end.
const RECORDS: u64 = 50_000;

/// One seed in so many runs to the letter, and one garbles what is sent from beginning to end, whatever it was to do: some
/// lines are for that alone.
const ONE_IN: u64 = 4;

/// Strikes out what this run cites.
fn strike(unreached: &mut BTreeSet<LineNumber>, lab: Lab, seed: u64) {
    let unreached = RefCell::new(unreached);
    let listener = |record: &Record| {
        if let Body::Step(step) = &record.body {
            step.lines.iter().for_each(|line| {
                unreached.borrow_mut().remove(line);
            });
        }
    };
    let mut simulated =
        start(&Plan { seed, network_kind: NetworkKind::Drawn, ..Plan::of(lab.into()) }, Box::new(listener));
    simulated.advance_to_record(RECORDS);
    simulated.end();
}

fn garbled() -> Vec<LabStep> {
    let step = |(seconds, line): (u64, &str)| {
        LabStep::silent(line.to_owned(), When::At(Span::from_millis(seconds * 1000)), vec![line.parse().unwrap()])
    };
    [(1, "elect *"), (2, "garble *->* 20%"), (20, "heal")].map(step).into()
}

fn with_errata(lab: Lab, errata: bool) -> Lab {
    Lab { settings: lab.settings.clone().with("errata", SettingValue::Flag(errata)), ..lab }
}

fn unreached(card: &Card) -> BTreeSet<LineNumber> {
    let lines = card.listing.iter().filter(|line| line.taken_by == LineTaker::Running);
    let mut unreached = lines.map(|line| line.number).collect();
    let labs: Vec<_> = labs().into_iter().filter(|lab| lab.card.name == card.name).collect();
    assert!(!labs.is_empty(), "{} has no lab", card.name);
    // A lab that shows a hole reaches the line of its mend once it is mended.
    for lab in &labs {
        strike(&mut unreached, Lab::clone(lab), lab.seed);
        strike(&mut unreached, with_errata(Lab::clone(lab), true), lab.seed);
    }
    let named = |name| labs.iter().filter(move |lab| lab.name == name);
    let rare = RARE.into_iter().flat_map(|(seed, name)| named(name).map(move |lab| (seed, lab)));
    let others = COMMON.into_iter().chain(0..SEEDS).flat_map(|seed| labs.iter().map(move |lab| (seed, lab)));
    for (seed, lab) in rare.chain(others) {
        if unreached.is_empty() {
            break;
        }
        let mut drawn = swarm::draw(lab, seed);
        match seed % ONE_IN {
            0 => drawn.steps = garbled(),
            1 => drawn = with_errata(drawn, false),
            _ => {}
        }
        strike(&mut unreached, drawn, seed);
    }
    unreached
}

#[test]
fn every_line_is_reached_in_some_run() {
    std::thread::scope(|scope| {
        for card in BUILT_IN.cards() {
            scope.spawn(|| assert_eq!(unreached(card), BTreeSet::new(), "{}", card.name));
        }
    });
}
