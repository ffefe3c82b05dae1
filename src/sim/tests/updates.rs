//! Updates in whole labs: a process dies at each moment of the two-phase commit, and nothing is lost or done twice.
//!
//! Invariant: when all are back, all logs are equal, nobody is in doubt, and every update that was acknowledged is there.

use super::*;
use crate::NetworkKind;
use protocol::{NodeMap, OrderId, UpdateWork, Work};
use std::collections::BTreeSet;

/// A process dies when it sends this, and is back later. Requests are on their way for a while, so that somebody watches
/// when they come.
fn lab_with_death(algorithm: &str, moment: &str, victim: u16) -> Arc<Lab> {
    let text = format!(
        r#"
        name = "death"
        about = "A process dies at a moment of the two-phase commit."
        algorithm = "{algorithm}"
        nodes = 5
        seed = 1
        T = "200ms"
        check = "300ms"
        silence = "2s"
        application = {{ name = "updates" }}
        step = [
            {{ when = "coordinator 5", then_wait = "500ms", do = ["update 1-5 1"] }},
            {{ when = "logged 5", do = ["delay 1-4->5 80ms", "update 1,3 2"] }},
            {{ when = "{moment} sent by {victim}", do = ["crash {victim}"] }},
            {{ when = "all normal", then_wait = "9s", do = ["heal", "update 4 5"] }},
            {{ when = "all normal", then_wait = "3s", do = ["recover *"] }},
            {{ when = "all normal", then_wait = "9s", do = ["update 2 7"] }},
        ]
        expect = [
            {{ that = "logged 8", after = "step 6", within = "5s", stays = "5s" }},
            {{ that = "blocked none", after = "step 6", within = "5s", stays = "5s" }},
            {{ that = "no violation" }},
        ]
        "#
    );
    let text = if algorithm == "invitation" { text.replace("300ms", "1s") } else { text };
    lab_of("death", &text)
}

/// The work of each process at the end, and what was acknowledged.
fn outcome(lab: Arc<Lab>, seed: u64) -> (NodeMap<UpdateWork>, BTreeSet<OrderId>, SimEnd) {
    let kept = RefCell::new((NodeMap::new(), BTreeSet::new()));
    let listener = |record: &Record| {
        let (works, acknowledged) = &mut *kept.borrow_mut();
        let state = record.step().and_then(|step| step.state.as_ref());
        if let (Some(node), Some(Work::Updates(work))) = (record.node, state.and_then(|state| state.work.as_deref())) {
            acknowledged.extend(work.acknowledged.map(|acknowledged| acknowledged.id));
            works.insert(node, work.clone());
        }
    };
    let end = run(&Plan { seed, network_kind: NetworkKind::Drawn, ..Plan::of(lab) }, Box::new(listener));
    let (works, acknowledged) = kept.into_inner();
    (works, acknowledged, end)
}

#[test]
fn a_death_in_the_commit_loses_nothing() {
    for algorithm in ["bully", "invitation"] {
        for (moment, victim) in [("Prepare", 5), ("Commit", 5), ("Yes", 1), ("Yes", 4), ("Have", 1), ("Have", 4)] {
            for seed in 0..5 {
                let lab = lab_with_death(algorithm, moment, victim);
                let (works, acknowledged, end) = outcome(lab, seed);
                let told = format!("{algorithm}: {moment} of {victim}, seed {seed}");
                assert_eq!(end.run.summary.exit_code(), 0, "{told}: {} {:?}", end.run.summary, end.run.violations);
                let ends: BTreeSet<_> = works.values().map(|work| (work.length, work.counter, work.digest)).collect();
                assert_eq!((works.len(), ends.len()), (5, 1), "{told}: {works:?}");
                assert!(works.values().all(|work| work.in_doubt.is_none()), "{told}: {works:?}");
                let length = ends.first().map_or(0, |(length, ..)| *length as usize);
                // Nobody but the one who died can have lost an order, and its order may be done all the same.
                assert!((8..=9).contains(&length) && acknowledged.len() + 1 >= length, "{told}: {acknowledged:?}");
            }
        }
    }
}
