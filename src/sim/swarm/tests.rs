//! What a swarm draws: the same from the same seed, everything in time, and only labs that are labs.
//!
//! Invariant: every lab of the house is drawn from, so a new one is too.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use super::seed_traits::LineKind;
use super::*;
use crate::{NetworkKind, Plan, run};
use fault::{CourierAct, FaultLine, Links, ProcessFault, Target, forms};
use lab::{LabStep, When, parse};
use protocol::{Assumption, Channel, ERRATA, Mends, Order, Roster, SettingValue, Span};
use record::{Body, Record};
use registry::BUILT_IN;

/// The labs of the house, and one with a single node.
fn labs() -> Vec<Lab> {
    let directory = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("labs");
    let mut paths: Vec<_> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    // What is measured on real processes has a folder of its own.
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    let mut labs: Vec<Lab> =
        paths.iter().map(|path| parse("a lab", &fs::read_to_string(path).unwrap(), BUILT_IN).unwrap()).collect();
    let one = labs.iter().find(|lab| lab.name == "app-history").unwrap();
    let roster = Roster::ranked(1, one.card.rank).unwrap();
    let settings = one.settings.clone().with("joins", SettingValue::Nodes(roster.all()));
    let alone = Lab { name: "alone".into(), roster, settings, ..one.clone() };
    labs.push(alone);
    labs
}

fn first() -> Lab {
    labs().into_iter().find(|lab| lab.name == "first").unwrap()
}

/// What a thousand seeds draw from the first lab: several tests look at it.
static DRAWN_FROM_FIRST: LazyLock<Vec<Lab>> = LazyLock::new(|| {
    let lab = first();
    (0..1_000).map(|seed| draw(&lab, seed)).collect()
});

/// Each lab, with what three seeds draw from it.
static DRAWN_FROM_ALL: LazyLock<Vec<(Lab, Vec<Lab>)>> = LazyLock::new(|| {
    let drawn = |lab: Lab| {
        let drawn = (0..3).map(|seed| draw(&lab, seed)).collect();
        (lab, drawn)
    };
    labs().into_iter().map(drawn).collect()
});

fn lines(lab: &Lab) -> impl Iterator<Item = &FaultLine> {
    lab.steps.iter().flat_map(|step| &step.lines)
}

/// The first words of a line, as far as they say what kind it is.
fn kind(line: &FaultLine) -> String {
    match line {
        FaultLine::HealAll => "heal all".to_owned(),
        FaultLine::Link(rule) if line.kind() == "cut" && matches!(rule.links, Links::Between { .. }) => {
            "cut both".to_owned()
        }
        other => other.kind(),
    }
}

#[test]
fn lab_and_seed_decide_what_is_drawn() {
    let lab = first();
    let other = Lab { name: "second".into(), ..lab.clone() };
    let mut seen = BTreeSet::new();
    for seed in 0..200 {
        let drawn = draw(&lab, seed);
        assert_eq!(drawn.text, draw(&lab, seed).text);
        assert_ne!(drawn.steps, draw(&other, seed).steps, "{seed}");
        seen.insert(format!("{:?}", drawn.steps));
    }
    // Seeds that draw nothing at all are the same but for their times, if those are not.
    assert!(seen.len() > 195, "{}", seen.len());
}

#[test]
fn every_lab_that_is_drawn_reads_back() {
    for (lab, all) in &*DRAWN_FROM_ALL {
        for (seed, drawn) in (0..).zip(all) {
            let read =
                parse("drawn", &drawn.text, BUILT_IN).unwrap_or_else(|errors| panic!("{errors}\n{}", drawn.text));
            assert_eq!((&read.name, &read.about, read.seed), (&drawn.name, &drawn.about, seed));
            assert_eq!((read.card.name, read.roster, read.timing), (lab.card.name, drawn.roster, drawn.timing));
            assert_eq!((&read.steps, &read.settings, read.limit), (&drawn.steps, &drawn.settings, drawn.limit));
            assert!(read.expectations.is_empty());
            assert_eq!(read.written(), drawn.text);
        }
    }
}

#[test]
fn every_kind_of_line_is_drawn() {
    let forms: BTreeSet<String> = forms()
        .map(|(form, _)| match *form {
            "cut A<->B" => "cut both".to_owned(),
            "heal all" => "heal all".to_owned(),
            "cut A->B multicast" => "cut multicast".to_owned(),
            "cut A->B unicast" => "cut unicast".to_owned(),
            "loss A->B P% bursts L" => "loss bursts".to_owned(),
            "release A->B reversed" => "release reversed".to_owned(),
            form => form.split(' ').next().unwrap().to_owned(),
        })
        .collect();
    let broadcasting = labs().into_iter().find(|lab| lab.name == "king-ni-c").unwrap();
    let drawn_from_it: Vec<Lab> = (0..1_000).map(|seed| draw(&broadcasting, seed)).collect();
    for (lab, all) in [(first(), &*DRAWN_FROM_FIRST), (broadcasting, &drawn_from_it)] {
        let name = &lab.name;
        let mut drawn: BTreeMap<String, u32> = BTreeMap::new();
        for line in all.iter().flat_map(lines) {
            *drawn.entry(kind(line)).or_default() += 1;
        }
        // What an algorithm never sends no fault bites, and what it does not know nobody orders.
        let broadcasts = lab.card.channel == Channel::Multicast;
        let suits = |form: &&String| match form.as_str() {
            "cut multicast" | "partial" => broadcasts,
            "update" | "request" => LineKind::takes_orders(&lab),
            "start-over" => lab.card.orders.contains(&Order::StartOver),
            // In virtual time a speed changes nothing.
            "speed" => false,
            // Only where the algorithm bears some.
            "liar" | "honest" => lab.card.needs.contains(&Assumption::FaultyAtMostT),
            // What waits on a held link depends on the moment, and a swarm draws its lines before the lab begins.
            _ => CourierAct::named(form.as_str()).is_none(),
        };
        let forms: BTreeSet<String> = forms.iter().filter(suits).cloned().collect();
        assert_eq!(drawn.keys().cloned().collect::<BTreeSet<_>>(), forms, "{name}");
        assert!(drawn.values().all(|times| *times >= 5), "{name}: {drawn:?}");
    }
}

/// When a step is taken, if time says it.
fn at(step: &LabStep) -> Option<Span> {
    if let When::At(at) = step.when { Some(at) } else { None }
}

#[test]
fn most_seeds_heal_all_at_the_end() {
    let (mut all, mut healed, mut dead) = (0, 0, 0);
    for (_, drawn) in &*DRAWN_FROM_ALL {
        for drawn in drawn {
            let last = drawn.steps.last().unwrap();
            let heals = lines(drawn).filter(|line| **line == FaultLine::HealAll).count();
            assert!(heals == usize::from(last.lines.last() == Some(&FaultLine::HealAll)), "{}", drawn.text);
            let times: Vec<Span> = drawn.steps.iter().filter_map(at).collect();
            assert!(times.windows(2).all(|pair| pair[0] <= pair[1]), "{}", drawn.text);
            all += 1;
            healed += heals;
            dead += usize::from(matches!(last.lines.last(), Some(FaultLine::Process(ProcessFault::Crash, _))));
        }
    }
    assert!((70..90).contains(&(100 * healed / all)), "{healed} of {all}");
    assert!(dead > all / 40, "{dead} of {all}");
}

#[test]
fn what_is_aimed_meets_a_machines_step() {
    let lab = first();
    let (mut moments, mut beside) = (0, 0);
    for seed in 0..200 {
        let drawn = draw(&lab, seed);
        let comes: Vec<Span> = drawn.steps.iter().filter_map(at).collect();
        let steps = RefCell::new(BTreeSet::new());
        let listener = |record: &Record| {
            if let Body::Step(_) = record.body {
                steps.borrow_mut().insert(record.at as u64);
            }
        };
        let waits = |step: &&LabStep| matches!(step.when, When::Moment(_));
        moments += drawn.steps.iter().filter(waits).count();
        let plan = Plan { seed, network_kind: NetworkKind::Drawn, ..Plan::of(Arc::new(drawn)) };
        let end = run(&plan, Box::new(listener));
        assert_eq!(end.run.summary.failed, 0, "a moment did not come: {}", plan.lab.text);
        let steps = steps.into_inner();
        // What is ordered right after a step is told from what brings a step about by nobody; what is right before it is.
        beside += comes.iter().filter(|at| steps.contains(&(at.nanos() + 1))).count();
    }
    assert!(moments > 15 && beside > 15, "{moments} {beside}");
}

#[test]
fn a_seed_leaves_kinds_out() {
    let ending =
        ["heal", "heal all", "lift", "undo", "recover", "resume", "elect", "start-over", "release", "release reversed"];
    let begun = |drawn| -> BTreeSet<String> {
        lines(drawn).map(kind).filter(|kind| !ending.contains(&kind.as_str())).collect()
    };
    let all: Vec<BTreeSet<String>> = DRAWN_FROM_FIRST.iter().map(begun).collect();
    let number = |of: &dyn Fn(&BTreeSet<String>) -> bool| all.iter().filter(|kinds| of(kinds)).count();
    // Six are begun at the most, and the loss of a store may kill whose it is first; or one, and three are aimed.
    assert!(all.iter().all(|kinds| kinds.iter().filter(|kind| *kind != "crash").count() <= 6));
    assert!(number(&|kinds| kinds.is_empty()) >= 30);
    assert!(number(&|kinds| kinds.len() == 1 && kinds.contains("crash")) >= 50);
    assert!(number(&|kinds| kinds.len() >= 3) >= 200);
    assert!(number(&|kinds| kinds.contains("pause") && !kinds.contains("crash")) >= 20);
}

#[test]
fn some_seeds_recover_nothing_before_the_end() {
    let (mut to_the_end, mut wide, mut tight) = (0, 0, 0);
    for drawn in &*DRAWN_FROM_FIRST {
        let crashes = lines(drawn).any(|line| matches!(line, FaultLine::Process(ProcessFault::Crash, _)));
        let ends = |line: &FaultLine| {
            matches!(
                line,
                FaultLine::Process(ProcessFault::Recover, _) | FaultLine::Lift(_) | FaultLine::Undo | FaultLine::Heal
            )
        };
        to_the_end += u32::from(crashes && !lines(drawn).any(ends));
        let bound = (drawn.card.quiet_bound.value)(&drawn.timing, drawn.roster.len(), &drawn.settings);
        let times: Vec<Span> = drawn.steps.iter().filter_map(at).collect();
        let gaps: Vec<Span> = times.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect();
        wide += u32::from(gaps.iter().filter(|gap| **gap > bound).count() >= 2);
        tight += u32::from(gaps.iter().filter(|gap| **gap < drawn.timing.t / 2).count() >= 3);
        assert!(drawn.steps.len() <= 40, "{}", drawn.text);
    }
    assert!(to_the_end >= 80 && wide >= 200 && tight >= 100, "{to_the_end} {wide} {tight}");
}

#[test]
fn settings_are_kept_but_for_the_holes() {
    let letter = labs().into_iter().find(|lab| lab.name == "bully-pause").unwrap();
    assert!(letter.settings.value(ERRATA) == Some(&SettingValue::Flag(false)));
    assert!(draw(&letter, 1).settings.value(ERRATA) == Some(&SettingValue::Flag(true)));
    let early = labs().into_iter().find(|lab| lab.name == "bully-early").unwrap();
    let kept = (0..100).filter(|seed| draw(&early, *seed).settings.word("form") == "parallel-early").count();
    assert!((50..90).contains(&kept), "{kept}");
}

#[test]
fn a_lift_means_a_fault_before_it() {
    for drawn in &*DRAWN_FROM_FIRST {
        let all: Vec<&FaultLine> = lines(drawn).collect();
        for (index, line) in all.iter().enumerate() {
            if let FaultLine::Lift(id) = line {
                let lifted = all[id.0 as usize - 1];
                assert!((id.0 as usize) <= index, "{}", drawn.text);
                assert!(
                    !matches!(
                        lifted,
                        FaultLine::Lift(_) | FaultLine::Heal | FaultLine::Process(ProcessFault::Elect, _)
                    ),
                    "{}",
                    drawn.text
                );
            }
        }
    }
}

#[test]
fn whoever_is_named_can_be_met() {
    for drawn in &*DRAWN_FROM_FIRST {
        for line in lines(drawn) {
            let FaultLine::Link(rule) = line else { continue };
            if let Links::To { from: Target::Nodes(from), to: Target::Nodes(to) } = &rule.links {
                assert!(from.intersection(to).is_empty(), "{line}");
            }
            if let Links::Across(parts) = &rule.links {
                let named: Vec<_> = parts.iter().map(Target::named).collect();
                assert!(named.iter().all(|part| !part.is_empty()), "{line}");
                let all = usize::from(drawn.roster.len());
                assert_eq!(named.iter().map(|part| part.len()).sum::<usize>(), all, "{line}");
            }
        }
    }
}

#[test]
fn a_swarm_leaves_holes_in_if_asked() {
    for lab in
        labs().into_iter().filter(|lab| ["bully-pause", "invitation-six", "king-ni-c", "ring"].contains(&&*lab.name))
    {
        let holes = lab.card.holes();
        let mends = |seed| {
            let drawn = draw_for(&lab, seed, seed, &SwarmShape { holes: Holes::Drawn, faults: None });
            let read = parse(&drawn.name, &drawn.text, BUILT_IN).unwrap_or_else(|errors| panic!("{errors}"));
            assert_eq!(read.settings, drawn.settings);
            Mends::of(&drawn.settings, holes)
        };
        let drawn: Vec<Mends> = (0..100).map(mends).collect();
        assert!(drawn.iter().all(|mends| holes.iter().any(|hole| !mends.has(hole.place))), "{}", lab.name);
        for hole in holes {
            let left = drawn.iter().filter(|mends| !mends.has(hole.place)).count();
            assert!((1..100).contains(&left), "{} {}: {left}", lab.name, hole.number);
        }
    }
}

#[test]
fn a_swarm_throws_as_often_as_told() {
    let lab = first();
    let lines = |lab: &Lab| lab.steps.iter().map(|step| step.lines.len()).sum::<usize>();
    let (seeds, faults) = (30, 25);
    let mut thrown = 0;
    for seed in 0..seeds {
        let many = draw_for(&lab, seed, seed, &SwarmShape { faults: Some(faults), ..SwarmShape::default() });
        assert!(lines(&many) > lines(&draw(&lab, seed)), "seed {seed} orders {} lines", lines(&many));
        thrown += lines(&many);
        assert_eq!(draw_for(&lab, seed, seed, &SwarmShape::default()).text, draw(&lab, seed).text);
    }
    assert!(thrown as u64 >= seeds * faults, "{thrown} lines");
}
