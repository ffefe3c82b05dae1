//! How much of each paper the simulator reaches: every line of every listing is cited by some machine in some run.
//!
//! Invariant: a new algorithm is held to this without a line here.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::labs;
use crate::election::CARDS;
use crate::lab::{Lab, LabStep, When};
use crate::protocol::{Card, LineNumber, SettingValue, Span};
use crate::record::{Body, Record};
use crate::sim::{Plan, Weather, start, swarm};

/// The most seeds that are drawn for a lab.
const SEEDS: u64 = 400;

/// The seeds that reach the rarest lines, of Algorithms B.2 and C: they are drawn first, to save time.
const RARE: [u64; 2] = [204, 115];

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
    let mut simulated = start(&Plan { seed, weather: Weather::Drawn, ..Plan::of(lab.into()) }, Box::new(listener));
    simulated.advance_to_record(RECORDS);
    simulated.end();
}

fn garbled() -> Vec<LabStep> {
    let step = |(seconds, line): (u64, &str)| LabStep {
        name: line.to_owned(),
        when: When::At(Span::from_millis(seconds * 1000)),
        lines: vec![line.parse().unwrap()],
    };
    [(1, "elect *"), (2, "garble *->* 20%"), (20, "heal")].map(step).into()
}

fn with_errata(lab: Lab, errata: bool) -> Lab {
    Lab { settings: lab.settings.clone().with("errata", SettingValue::Flag(errata)), ..lab }
}

fn unreached(card: &Card) -> BTreeSet<LineNumber> {
    let lines = card.listing.iter().filter(|line| !line.is_the_last_of_a_process());
    let mut unreached = lines.map(|line| line.number).collect();
    let labs: Vec<_> = labs().into_iter().filter(|lab| lab.card.name == card.name).collect();
    assert!(!labs.is_empty(), "{} has no lab", card.name);
    // A lab that shows a hole reaches the line of its mend once it is mended.
    for lab in &labs {
        strike(&mut unreached, Lab::clone(lab), lab.seed);
        strike(&mut unreached, with_errata(Lab::clone(lab), true), lab.seed);
    }
    // Line 152 of Algorithm C is reached once in five thousand runs: by this one.
    for lab in labs.iter().filter(|lab| lab.name == "king-ni-c-loss-letter") {
        strike(&mut unreached, swarm::draw(lab, 1124), 1124);
    }
    for seed in RARE.into_iter().chain(0..SEEDS) {
        for lab in &labs {
            if unreached.is_empty() {
                return unreached;
            }
            let mut drawn = swarm::draw(lab, seed);
            match seed % ONE_IN {
                0 => drawn.steps = garbled(),
                1 => drawn = with_errata(drawn, false),
                _ => {}
            }
            strike(&mut unreached, drawn, seed);
        }
    }
    unreached
}

#[test]
fn every_line_of_every_listing_is_reached_in_some_simulated_run() {
    std::thread::scope(|scope| {
        for card in CARDS {
            scope.spawn(|| assert_eq!(unreached(card), BTreeSet::new(), "{}", card.name));
        }
    });
}
