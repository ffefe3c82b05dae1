//! The hunt: every bug of the table is found within its seeds, and no bug is found where none was planted.
//!
//! Invariant: a violation that a broken assumption excuses does not count.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::labs;
use super::table::{HuntPlace, Planted, planted};
use lab::{Lab, When};
use protocol::Property;
use record::{Body, Record};
use registry::BUILT_IN;
use sim::swarm::{self, Holes};
use sim::{AfterScript, Listener, NetworkKind, Plan, SimEnd, run};

type Simulate = fn(&Plan, Listener<'_>) -> SimEnd;

fn plain(plan: &Plan, listener: Listener<'_>) -> SimEnd {
    run(plan, listener)
}

impl HuntPlace {
    /// The lab, unchanged.
    pub(super) fn lab(self) -> Arc<Lab> {
        let (HuntPlace::Script(text) | HuntPlace::Swarm(text) | HuntPlace::Liars(text)) = self;
        labs::lab(text)
    }

    /// The lab that this seed plays.
    pub(super) fn of_seed(self, lab: &Arc<Lab>, seed: u64) -> Arc<Lab> {
        match self {
            HuntPlace::Script(_) => Arc::clone(lab),
            HuntPlace::Swarm(_) => Arc::new(swarm::draw(lab, seed)),
            HuntPlace::Liars(_) => Arc::new(swarm::draw_liars(lab, seed, Holes::Mended)),
        }
    }
}

/// The properties that were violated without an excuse, in this seed.
fn violated(simulate: Simulate, lab: Arc<Lab>, seed: u64) -> BTreeSet<Property> {
    let found = RefCell::new(BTreeSet::new());
    let plan = Plan { seed, network_kind: NetworkKind::Drawn, after: AfterScript::Judgement, ..Plan::of(lab) };
    let listener = |record: &Record| {
        if let Body::Violation(report) = &record.body
            && !report.is_excused()
        {
            found.borrow_mut().insert(report.property);
        }
    };
    simulate(&plan, Box::new(listener));
    found.into_inner()
}

/// The same lab with the operator's orders, and without faults.
fn calm(lab: &Lab) -> Lab {
    let mut calm = lab.clone();
    for step in &mut calm.steps {
        step.lines.retain(|line| line.order().is_some());
    }
    calm.steps.retain(|step| !matches!(step.when, When::Moment(_)));
    calm
}

fn has_faults(lab: &Lab) -> bool {
    lab.steps.iter().flat_map(|step| &step.lines).any(|line| line.order().is_none())
}

/// The first seed in which the bug is found. Where the lab's settings withhold the property, it may be broken without the
/// bug too.
fn found(planted: &Planted, lab: &Arc<Lab>) -> Option<u64> {
    let lab_of = |seed| planted.ground.of_seed(lab, seed);
    let is_withheld = lab.withheld().contains(&planted.violates);
    (0..planted.seeds).find(|seed| {
        let breaks = |simulate| violated(simulate, lab_of(*seed), *seed).contains(&planted.violates);
        breaks(planted.simulate) && !(is_withheld && breaks(plain))
    })
}

/// Whether it is found in one of as many seeds of this lab when nothing goes wrong in it.
fn is_found_without_faults(planted: &Planted, lab: &Lab, seeds: u64) -> bool {
    let calm = Arc::new(calm(lab));
    (0..=seeds).any(|seed| violated(planted.simulate, Arc::clone(&calm), seed).contains(&planted.violates))
}

/// Does this for each of these, on as many threads as there are processors.
pub(super) fn each<T: Sync>(all: &[T], work: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(one) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(one);
                }
            });
        }
    });
}

#[test]
fn every_planted_bug_is_found_within_its_seeds() {
    let (missed, need_a_fault) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let planted: Vec<&Planted> = planted().collect();
    each(&planted, |planted| {
        let lab = planted.ground.lab();
        let Some(seed) = found(planted, &lab) else {
            missed.lock().unwrap().push(planted.name);
            return;
        };
        println!("{} violates {} in seed {seed}, of {}", planted.name, planted.violates, planted.seeds);
        let lab = planted.ground.of_seed(&lab, seed);
        if has_faults(&lab) && !is_found_without_faults(planted, &lab, seed) {
            need_a_fault.lock().unwrap().push(planted.name);
        }
    });
    let (missed, need_a_fault) = (missed.into_inner().unwrap(), need_a_fault.into_inner().unwrap());
    println!("{} of {} need a fault: {}", need_a_fault.len(), planted.len(), need_a_fault.join(", "));
    assert_eq!(missed, [""; 0], "not found");
    assert!(need_a_fault.len() >= 5);
}

#[test]
fn nothing_is_found_where_no_bug_was_planted() {
    let mut grounds: BTreeMap<String, (HuntPlace, u64)> = BTreeMap::new();
    for Planted { ground, seeds, .. } in planted() {
        let most = &mut grounds.entry(format!("{ground:?}")).or_insert((*ground, 0)).1;
        *most = (*most).max(*seeds);
    }
    let seeds = |(ground, seeds): (HuntPlace, u64)| {
        let lab = ground.lab();
        // A sixteenth of them, to save time: how many there are is no matter here.
        (0..seeds.div_ceil(16)).map(move |seed| (ground.of_seed(&lab, seed), seed))
    };
    let runs: Vec<(Arc<Lab>, u64)> = grounds.into_values().flat_map(seeds).collect();
    each(&runs, |(lab, seed)| {
        let mut violated = violated(plain, Arc::clone(lab), *seed);
        // Where two halves are to do updates, both are no majority.
        violated.retain(|property| *property != Property::Majority || !lab.withheld().contains(property));
        assert!(violated.is_empty(), "{} in seed {seed}: {violated:?}", lab.name);
    });
}

#[test]
fn a_bug_breaks_each_promise() {
    let all: Vec<&Planted> = planted().collect();
    let hunts: BTreeSet<(&str, Property)> = all.iter().map(|planted| (planted.name, planted.violates)).collect();
    assert_eq!(hunts.len(), all.len(), "the table has each hunt once");
    assert!(all.iter().all(|planted| (1..=1_000).contains(&planted.seeds)));
    let broken: BTreeSet<Property> = all.iter().map(|planted| planted.violates).collect();
    let promised = BUILT_IN.cards().flat_map(|card| card.promises);
    let besides = BUILT_IN.application_cards().flat_map(|card| card.promises);
    let unbroken: Vec<&Property> = promised.chain(besides).filter(|property| !broken.contains(property)).collect();
    assert_eq!(unbroken, [&Property::Work; 0], "no bug here breaks it");
}
