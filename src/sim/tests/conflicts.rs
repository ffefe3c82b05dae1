//! Updates without the majority rule, in labs that a swarm draws: each process's list of conflicts is what its log says.
//!
//! Invariant: the judge counts which updates of a log conflict, and no fault excuses another list.

use super::*;
use crate::swarm;
use protocol::Work;

#[test]
fn drawn_labs_list_exactly_what_conflicts() {
    let mut most = 0;
    for (name, seed) in ["app-updates-conflicts", "app-updates-conflicts-bully"]
        .into_iter()
        .flat_map(|of| (0..5).map(move |seed| (of, seed)))
    {
        let lab = Arc::new(swarm::draw(&lab_named(name), seed));
        for record in
            recorded(&Plan { seed, network_kind: NetworkKind::Drawn, after: AfterScript::Judgement, ..Plan::of(lab) })
        {
            if let Body::Violation(report) = &record.body {
                let of_logs = report.property == Property::AtomicCommit && !report.is_excused();
                assert!(!of_logs, "{name}, seed {seed}: {}", report.text);
            }
            let work = record.step().and_then(|step| step.state.as_ref()?.work.as_deref());
            if let Some(Work::Updates(work)) = work {
                most = most.max(work.in_conflict());
            }
        }
    }
    assert!(most > 5, "{most} at most");
}
