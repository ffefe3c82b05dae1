//! What campaigns add up, whom they tell of, and that neither hangs on how many threads there are.
//!
//! Invariant: a run is made up here where its own outcome does not matter, so that each outcome is met at will.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicUsize;

use super::*;
use lab::parse;
use protocol::{Mends, Property};
use record::{Body, Record};
use registry::BUILT_IN;
use script::RunEnd;
use script::Summary;
use world::{Elections, Tally};

fn lab(name: &str) -> Arc<Lab> {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("labs").join(name).with_extension("toml");
    Arc::new(parse(name, &fs::read_to_string(path).unwrap(), BUILT_IN).unwrap())
}

fn campaign(labs: &[&str], seeds: &str, jobs: usize) -> Campaign {
    Campaign {
        labs: labs.iter().map(|name| lab(name)).collect(),
        seeds: seeds.parse().unwrap(),
        steps: StepSource::Drawn,
        holes: Holes::Mended,
        faults: None,
        dice: None,
        jobs: NonZeroUsize::new(jobs).unwrap(),
    }
}

/// A run that came out well, but for what a test makes of it.
fn well(plan: &Plan) -> SimEnd {
    let summary = Summary {
        name: plan.lab.name.clone(),
        was_played: true,
        total: 1,
        met: 1,
        failed: 0,
        unknown: 0,
        violations: 0,
        excused: 0,
        by_machine: 0,
        is_unknowable: false,
        is_defect: false,
        bugs: 0,
        unpromised: 0,
    };
    let tallies = Tallies::of(&[Property::Assertion1]);
    let faults = [("crash".to_owned(), FaultTally { in_force: 1, hit: 2 })].into_iter().collect();
    let figures = Figures { elections: 1, messages: 10, ..Figures::default() };
    SimEnd {
        run: RunEnd {
            summary,
            violations: vec![],
            defect: None,
            unknown: None,
            assumptions: vec![],
            tallies,
            figures,
            elections: Elections::default(),
            section: None,
        },
        faults,
        delivered: 0,
        lasted: 0,
    }
}

fn on(_: &Progress) -> CampaignControl {
    CampaignControl::On
}

#[test]
fn a_campaign_is_one_on_several_threads() {
    let on_threads = |jobs| {
        let campaign = campaign(&["first", "partition-and-merge", "king-ni-c"], "0..20", jobs);
        let CampaignOutcome { sums, failed, first_unknown, defect, .. } = campaign.run(&mut on);
        assert_eq!((sums.runs, sums.twice, &defect), (60, 3, &None));
        assert!(sums.faults.len() >= 8 && sums.faults.values().all(|tally| tally.in_force > 0), "{:?}", sums.faults);
        assert_eq!(sums.judged.keys().copied().collect::<Vec<_>>(), ["bully", "invitation", "king-ni-c"]);
        (sums, failed, first_unknown)
    };
    assert_eq!(on_threads(1), on_threads(3));
}

#[test]
fn written_parts_make_the_whole_campaign() {
    let mut whole = campaign(&["bully-pause", "king-ni-c-loss-letter"], "0..24", 2);
    (whole.steps, whole.holes) = (StepSource::OfTheLab, Holes::Drawn);
    let result = |campaign: &Campaign| CampaignPart::of(&campaign.run(&mut on));
    let written = |index| {
        let seeds = whole.seeds.part(SeedShard { index, of: 3 }).unwrap();
        let text = serde_json::to_string(&result(&Campaign { seeds, ..whole.clone() })).unwrap();
        serde_json::from_str::<CampaignPart>(&text).unwrap()
    };
    let parts = [written(1), written(2), written(3)];
    let alone = result(&whole);
    for order in [[0, 1, 2], [2, 0, 1]] {
        let parts = order.map(|place: usize| parts[place].clone());
        assert_eq!(CampaignPart::of(&whole.merged(&parts).unwrap()), alone);
    }
}

#[test]
fn a_part_of_another_program_is_refused() {
    let text = serde_json::to_string(&CampaignPart::of(&campaign(&["first"], "0..2", 1).run(&mut on))).unwrap();
    let refused = |text: String| {
        let part: CampaignPart = serde_json::from_str(&text).unwrap();
        campaign(&["first"], "0..2", 1).merged(&[part]).unwrap_err().to_string()
    };
    assert!(refused(text.replace("\"bully\"", "\"bullie\"")).contains("the algorithm bullie"));
    assert!(refused(text.replace("\"cited\":[", "\"cited\":[7,")).contains("the listing of bully"));
}

#[test]
fn a_labs_own_steps_are_judged() {
    let mut campaign = campaign(&["first"], "3..8", 2);
    campaign.steps = StepSource::OfTheLab;
    let plan = campaign.plan(Case { seed: 4, lab: 0 });
    assert_eq!((plan.seed, plan.lab.steps.len(), plan.after), (4, campaign.labs[0].steps.len(), AfterScript::End));
    let outcome = campaign.run(&mut on);
    assert_eq!((outcome.sums.runs, outcome.sums.failed, outcome.sums.unknown), (5, 0, 0));
    assert_eq!(outcome.sums.faults.keys().collect::<Vec<_>>(), ["crash"]);
}

#[test]
fn each_seed_throws_its_own_dice() {
    let throws = |dice| {
        let mut campaign = campaign(&["loss-bursts"], "0..20", 1);
        (campaign.steps, campaign.dice) = (StepSource::OfTheLab, dice);
        let lost = |seed| {
            let (plan, lost) = (campaign.plan(Case { seed, lab: 0 }), RefCell::new(BTreeSet::new()));
            let head = crate::head(&plan);
            assert_eq!((plan.seed, head.seed), (seed, dice.unwrap_or(seed)));
            let listener = |record: &Record| {
                if let Body::Dropped { id, .. } = &record.body {
                    // Until the first losses the same is sent in each run, but at other moments.
                    lost.borrow_mut().insert((id.from, id.to, record.node, id.sequence));
                }
            };
            crate::run(&plan, Box::new(listener));
            (head.lab_id, lost.into_inner())
        };
        (0..20).map(lost).collect::<Vec<_>>()
    };
    let firsts = |all: &[(String, BTreeSet<_>)]| -> usize {
        all.iter().map(|(_, lost)| lost.iter().take(5).copied().collect::<Vec<_>>()).collect::<BTreeSet<_>>().len()
    };
    let (free, held) = (throws(None), throws(Some(7)));
    assert!(firsts(&free) > 15 && firsts(&held) < 6, "{} {}", firsts(&free), firsts(&held));
    assert_eq!(free[7], held[7], "to hold them at a run's own seed changes nothing");
    let sessions: BTreeSet<&str> = free.iter().chain(&held).map(|(id, _)| &**id).collect();
    assert_eq!(sessions.len(), 39, "each run is a session of its own");
}

#[test]
fn a_second_playing_adds_nothing() {
    let campaign = campaign(&["first", "duplicates", "king-ni-c"], "0..40", 3);
    let player = |plan: &Plan, _: Listener<'_>| well(plan);
    let sums = campaign.run_by(&player, &mut on).sums;
    assert_eq!((sums.runs, sums.twice, sums.failed, sums.unknown), (120, 6, 0, 0));
    assert_eq!(sums.faults["crash"], FaultTally { in_force: 120, hit: 240 });
    assert_eq!((sums.figures.elections, sums.figures.messages), (120, 1_200));
    assert_eq!(sums.judged["bully"].get(Property::Assertion1), Tally::default());
}

#[test]
fn the_lowest_failed_seed_is_told() {
    // Enough seeds that the others fail while seed 11 still runs.
    let campaign = campaign(&["first", "duplicates"], "0..600", 3);
    let player = |plan: &Plan, _: Listener<'_>| {
        let mut end = well(plan);
        // The lower the seed, the longer it takes: the others fail first.
        if plan.seed == 11 && plan.lab.name.starts_with("duplicates") {
            std::thread::sleep(Duration::from_millis(300));
            end.run.summary.bugs = 1;
        } else if plan.seed > 11 && plan.seed.is_multiple_of(2) {
            end.run.summary.bugs = 1;
        } else if plan.seed == 5 {
            end.run.summary.is_unknowable = true;
        }
        end
    };
    let mut told = Vec::new();
    let outcome = campaign.run_by(&player, &mut |progress| {
        assert_eq!(progress.seeds, 600);
        told.extend(progress.first_failed);
        CampaignControl::On
    });
    assert_eq!(outcome.first_failed(), Some(Case { seed: 11, lab: 1 }));
    assert_eq!(outcome.first_unknown, Some(Case { seed: 5, lab: 0 }));
    assert_eq!((outcome.sums.failed, outcome.sums.unknown), (2 * 294 + 1, 2));
    assert!(told.iter().all(|case| Some(*case) == outcome.first_failed()), "{told:?}");
    // Of all that failed the first are named: each even seed from 12 on fails in both labs.
    let named: Vec<Case> = outcome.failed.iter().copied().collect();
    let case = |index: u64| Case { seed: 12 + index / 2 * 2, lab: (index % 2) as usize };
    assert_eq!(named[1..], (0..NAMED_MAX as u64 - 1).map(case).collect::<Vec<_>>());
}

#[test]
fn what_is_not_promised_fails_no_swarm() {
    let mut campaign = campaign(&["bully-early"], "0..10", 1);
    let player = |plan: &Plan, _: Listener<'_>| {
        let mut end = well(plan);
        (end.run.summary.bugs, end.run.summary.unpromised) = if plan.seed == 7 { (2, 1) } else { (1, 1) };
        end
    };
    let outcome = campaign.run_by(&player, &mut on);
    assert_eq!((outcome.sums.failed, outcome.first_failed()), (1, Some(Case { seed: 7, lab: 0 })));
    campaign.steps = StepSource::OfTheLab;
    assert_eq!(campaign.run_by(&player, &mut on).sums.failed, 10);
}

#[test]
fn a_swarm_that_was_hardly_judged_failed() {
    let mut campaign = campaign(&["first"], "0..300", 1);
    let player = |due: u64| {
        move |plan: &Plan, _: Listener<'_>| {
            let tally = Tally { due, held: due, excused: 100 - due, ..Tally::default() };
            let tallies = serde_json::to_value(BTreeMap::from([(Property::Assertion1, tally)])).unwrap();
            let well = well(plan);
            SimEnd { run: RunEnd { tallies: serde_json::from_value(tallies).unwrap(), ..well.run }, ..well }
        }
    };
    assert_eq!(campaign.run_by(&player(90), &mut on).fallen, []);
    let fallen = campaign.run_by(&player(20), &mut on).fallen;
    assert_eq!(
        fallen.iter().map(|of| (of.algorithm, of.property, of.share)).collect::<Vec<_>>(),
        [("bully", Property::Assertion1, 20)]
    );
    assert!(fallen[0].to_string().starts_with("bully: assertion-1 was due in 20 % of its checks, but "));
    campaign.steps = StepSource::OfTheLab;
    assert_eq!(campaign.run_by(&player(20), &mut on).fallen, []);
}

#[test]
fn a_second_playing_that_differs_is_named() {
    let campaign = campaign(&["first", "duplicates"], "0..100", 2);
    let times = AtomicUsize::new(0);
    let player = |plan: &Plan, mut listener: Listener<'_>| {
        let time = if plan.seed == 40 { times.fetch_add(1, Ordering::Relaxed) } else { 0 };
        listener(&Record::of_host(0, Body::Note { text: time.to_string() }));
        well(plan)
    };
    let outcome = campaign.run_by(&player, &mut on);
    let (case, what) = outcome.defect.unwrap();
    let what = what.to_string();
    assert_eq!(case, Case { seed: 40, lab: 0 });
    assert!(what.starts_with("played twice, its records differ: blake3 "), "{what}");
    assert!(outcome.sums.runs < 200);
}

#[test]
fn a_run_that_panics_is_named() {
    let campaign = campaign(&["first"], "0..1000", 2);
    let player = |plan: &Plan, _: Listener<'_>| {
        assert_ne!(plan.seed, 17, "as this test wants it");
        well(plan)
    };
    let outcome = campaign.run_by(&player, &mut on);
    assert_eq!(outcome.defect.unwrap().0, Case { seed: 17, lab: 0 });
}

#[test]
fn whoever_watches_can_end_a_campaign() {
    let campaign = campaign(&["first"], "0..9223372036854775808", 2);
    let player = |plan: &Plan, _: Listener<'_>| well(plan);
    let mut tells = 0;
    let outcome = campaign.run_by(&player, &mut |progress| {
        tells += 1;
        assert!(progress.done > 0 || tells == 1);
        if tells == 2 { CampaignControl::NoFurther } else { CampaignControl::On }
    });
    assert!(tells >= 2 && outcome.sums.runs > 0);
    assert_eq!(outcome.sums.figures.elections, outcome.sums.runs);
}

#[test]
fn a_run_broken_off_does_not_count() {
    let text = "name = \"long\"\nabout = \"A long lab.\"\nalgorithm = \"bully\"\nnodes = 3\nseed = 1\nT = \"1ms\"\n\
                check = \"1ms\"\nsilence = \"9ms\"\n[[step]]\nname = \"end\"\nat = \"1440m\"\ndo = []\n";
    let (labs, steps) = (vec![Arc::new(parse("long", text, BUILT_IN).unwrap())], StepSource::OfTheLab);
    let campaign = Campaign { labs, steps, ..campaign(&["first"], "1..5", 2) };
    let outcome = campaign.run(&mut |_| CampaignControl::NoFurther);
    assert_eq!((outcome.sums.runs, outcome.first_unknown, outcome.defect.is_some()), (0, None, false));
}

#[test]
fn one_run_in_twenty_is_played_twice() {
    for labs in [1, 16, 20] {
        let twice = (0..1_000)
            .flat_map(|seed| (0..labs).map(move |lab| Case { seed, lab }))
            .filter(|case| case.is_played_twice());
        assert_eq!(twice.count(), 50 * labs);
    }
}

/// A run that fails if this is so of the numbers of the holes that are left in.
fn failing_if(left_in: impl Fn(&[&str]) -> bool + Sync) -> impl Fn(&Plan, Listener<'_>) -> SimEnd + Sync {
    move |plan, _| {
        let holes = plan.lab.card.holes();
        let mends = Mends::of(&plan.lab.settings, holes);
        let left: Vec<&str> = holes.iter().filter(|hole| !mends.has(hole.place)).map(|hole| hole.number).collect();
        let mut end = well(plan);
        end.run.summary.bugs += usize::from(left_in(&left));
        end
    }
}

#[test]
fn what_fails_by_a_hole_is_told() {
    let campaign = Campaign { holes: Holes::Drawn, ..campaign(&["bully-pause"], "0..40", 2) };
    let outcome = |fails: &(dyn Fn(&[&str]) -> bool + Sync)| {
        let outcome = campaign.run_by(&failing_if(fails), &mut on);
        let holes: Vec<&str> = outcome.sums.by_holes.keys().map(|(_, number)| *number).collect();
        (outcome.sums.failed, holes)
    };
    assert_eq!(outcome(&|left| left.contains(&"B8")), (0, vec!["B8"]));
    assert_eq!(outcome(&|left| left.contains(&"B1") && left.contains(&"B9")), (0, vec!["B1", "B9"]));
    let either = |left: &[&str]| left.contains(&"B1") || left.contains(&"B9");
    assert_eq!(outcome(&either), (0, vec!["B1", "B9", "several"]));
    assert_eq!(outcome(&|_| true), (40, vec![]), "with all mended too: a failure like any other");
}
