//! The coverage of the listing in every lab of the project: at any moment it is what the records up to it have cited.
//!
//! Invariant: what is expected here is read out of the records alone.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use protocol::{LineNumber, NodeMap};
use world::World;

#[test]
fn reached_lines_are_those_cited() {
    for lab in labs() {
        let plan = Plan::of(Arc::clone(&lab));
        let records = recorded(&plan);
        let listing = head(&plan).facts.listing;
        let mut world = World::new(head(&plan).roster().unwrap());
        let mut cited: BTreeMap<LineNumber, u64> = BTreeMap::new();
        let mut stands: NodeMap<Vec<LineNumber>> = NodeMap::new();
        for (place, record) in records.iter().enumerate() {
            world.fold(record);
            match (&record.body, record.node) {
                (Body::Step(step), Some(node)) if !step.lines.is_empty() => {
                    step.lines.iter().for_each(|line| *cited.entry(*line).or_default() += 1);
                    stands.insert(node, step.lines.clone());
                }
                (Body::Died { .. }, Some(node)) => drop(stands.remove(&node)),
                _ => {}
            }
            if place % 97 != 0 && place + 1 < records.len() {
                continue;
            }
            let told = format!("{} at record {}", lab.name, record.number);
            let coverage = &world.coverage;
            let reached = listing.iter().map(|line| line.number).filter(|line| coverage.times(*line) > 0);
            assert_eq!(reached.collect::<BTreeSet<_>>(), cited.keys().copied().collect(), "{told}");
            assert!(cited.iter().all(|(line, times)| coverage.times(*line) == *times), "{told}");
            for node in world.nodes.keys() {
                let lines = stands.get(node).map_or(&[][..], Vec::as_slice);
                assert_eq!(coverage.line_of(*node), lines.last().copied(), "{told}");
                assert!(lines.iter().all(|line| coverage.on(*line).contains(*node)), "{told}");
            }
            assert_eq!(coverage.share(&listing).reached, cited.len(), "{told}");
        }
    }
}
