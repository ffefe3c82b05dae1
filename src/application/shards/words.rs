//! Words about shards: who has how many results, and who computes.

use std::cmp::Reverse;

use crate::words::{Emphasis, RowPart, is_running, keeps, words, working};
use protocol::{ApplicationFacts, ShardWork, Status, Work};
use record::{Input, Step};
use world::{NodeView, World};

/// What a step did.
pub fn did(work: &Work, step: &Step) -> Option<String> {
    let Work::Shards(work) = work else { return None };
    let is_own = matches!(step.input, Input::Timer { .. }) && keeps(step);
    let result = work.latest.filter(|_| is_own)?;
    Some(format!("computes shard {}: {} primes", result.shard, result.primes))
}

/// How far each coordinator is, the one with most results first, and how much each process has to compute.
pub fn row(world: &World, facts: &ApplicationFacts) -> Vec<RowPart> {
    let all = facts.shards.map_or(0, |facts| usize::from(facts.shards));
    let at_work: Vec<_> = working(world, is_running)
        .filter_map(|(id, view, work)| match work {
            Work::Shards(work) => Some((id, view, work)),
            _ => None,
        })
        .collect();
    let coordinates = |(id, view, _): &&(_, &NodeView, &ShardWork)| {
        view.state.as_ref().is_some_and(|state| state.status == Status::Normal && state.coordinates(*id))
    };
    let mut coordinators: Vec<_> = at_work.iter().filter(coordinates).collect();
    coordinators.sort_by_key(|(_, _, work)| Reverse(work.done.len()));
    let mut row = Vec::new();
    for (place, (id, view, work)) in coordinators.into_iter().enumerate() {
        let done = work.done.len();
        row.push(words(format!("{id} has {done} of {all}"), Emphasis::Strong));
        if place == 0 {
            row.push(RowPart::Bar { done, all });
        }
        let members = view.state.as_ref().map_or(0, |state| state.up.len()) + 1;
        if work.given.is_empty() && done < all && 2 * members <= world.nodes.len() {
            let text = format!(", and waits: {members} of {} are no majority", world.nodes.len());
            row.push(words(text, Emphasis::Doubt));
        }
        row.push(words("  ", Emphasis::Plain));
    }
    if row.is_empty() {
        row.push(words("nobody computes: no coordinator is at work  ", Emphasis::Doubt));
    }
    let out: Vec<String> = at_work
        .iter()
        .filter(|(_, _, work)| !work.out.is_empty())
        .map(|(id, _, work)| format!("{id}:{}", work.out.len()))
        .collect();
    if !out.is_empty() {
        row.push(words(format!("to compute {}", out.join(" ")), Emphasis::Dim));
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{ToldLab, at_work, node, nodes};
    use judge::trial::application;
    use protocol::{ComputingGroups, ShardFacts, ShardResult, StateVector};
    use record::EffectText;

    fn lab() -> ToldLab {
        let shards = Some(ShardFacts { shards: 64, numbers: 1_000, groups: ComputingGroups::WithMajority });
        ToldLab::new(ApplicationFacts { shards, ..application("shards", &[], 0) })
    }

    /// A step after which the process is at work under 5, if at all, with these members and shards.
    fn works(up: &str, [out, given, done]: [&str; 3], latest: Option<ShardResult>) -> Step {
        let [out, given, done] = [out, given, done].map(|shards| shards.parse().unwrap());
        let work = ShardWork { under: None, out, given, done, primes: 0, latest };
        let state = StateVector { up: nodes(up), ..StateVector::new(Status::Normal, "", Some(node(5))) };
        let input = Input::Timer { timer: "next shard".into(), set: 0, due: 0, waited_for: Default::default() };
        Step { input, effects: vec![EffectText::Save { body: "00".into() }], ..at_work(state, Work::Shards(work)) }
    }

    #[test]
    fn the_row_says_how_far_it_is() {
        let mut lab = lab();
        assert_eq!(lab.row(), "nobody computes: no coordinator is at work");
        let row = lab.takes(5, works("1-4", ["60-64", "21-64", "1-20"], None));
        assert_eq!(row, "5 has 20 of 64 [20/64]  to compute 5:5");
        let row = lab.takes(2, works("-", ["22,27", "-", "17"], Some(ShardResult { shard: 17, primes: 119 })));
        assert_eq!(row, "5 has 20 of 64 [20/64]  to compute 2:2 5:5");
        assert_eq!(lab.did, ["2 computes shard 17: 119 primes"]);
    }

    #[test]
    fn a_group_without_a_majority_waits() {
        let row = lab().takes(5, works("4", ["-", "-", "1-20"], None));
        assert_eq!(row, "5 has 20 of 64 [20/64], and waits: 2 of 5 are no majority");
    }
}
