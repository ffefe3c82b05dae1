//! Updates without the majority rule in whole labs: what each process lists as conflicting is what is counted here, from
//! the records alone, in another way.
//!
//! Invariant: an update builds on what its coordinator had in its log; of two that conflict neither builds on the other.

use super::*;
use crate::Weather;
use protocol::{
    CONFLICTS_MAX, ConflictList, ConflictingUpdate, LogDigest, LoggedUpdate, NodeId, NodeMap, TransactionId,
    UpdateWork, Work,
};
use std::collections::{BTreeMap, BTreeSet};

/// A few numbers of a seed (SplitMix64).
struct Drawing(u64);

impl Drawing {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) % end
    }

    /// The five nodes in two or three parts.
    fn partition(&mut self) -> String {
        let parts = 2 + self.below(2);
        let mut text = vec![String::new(); parts as usize];
        (1..=5).for_each(|node| {
            let part = &mut text[self.below(parts) as usize];
            let comma = if part.is_empty() { "" } else { "," };
            *part += &format!("{comma}{node}");
        });
        text.retain(|part| !part.is_empty());
        if text.len() < 2 { "1,2|3-5".to_owned() } else { text.join("|") }
    }

    /// Orders to add something, to one node each.
    fn orders(&mut self) -> Vec<String> {
        (0..1 + self.below(4)).map(|_| format!("\"update {} {}\"", 1 + self.below(5), 1 + self.below(9))).collect()
    }
}

/// Three partitions one after the other, a crash in some, and orders in each; at the end all are back for long.
fn lab_of_partitions(algorithm: &str, seed: u64) -> Arc<Lab> {
    let mut drawing = Drawing(seed);
    let mut steps = Vec::new();
    let mut at = 8;
    for _ in 0..3 {
        let partition = drawing.partition();
        let lines = [drawing.orders(), vec![format!("\"partition {partition}\"")], drawing.orders()].concat();
        steps.push(format!("{{ at = \"{at}s\", do = [{}] }}", lines.join(", ")));
        at += 10 + drawing.below(8);
        steps.push(format!("{{ at = \"{at}s\", do = [{}] }}", drawing.orders().join(", ")));
        if drawing.below(3) == 0 {
            let victim = 1 + drawing.below(5);
            steps.push(format!("{{ at = \"{at}050ms\", do = [\"crash {victim}\"] }}"));
        }
        at += 1 + drawing.below(10);
        steps.push(format!("{{ at = \"{at}s\", do = [\"heal\", \"recover *\"] }}"));
        at += drawing.below(20);
    }
    steps.push(format!("{{ at = \"{}s\", do = [] }}", at + 60));
    let text = format!(
        r#"
        name = "conflicts"
        about = "Partitions, and orders in each part."
        algorithm = "{algorithm}"
        nodes = 5
        seed = 1
        T = "200ms"
        check = "1s"
        silence = "2s"
        application = {{ name = "updates", majority = false }}
        step = [{}]
        "#,
        steps.join(",\n")
    );
    lab_of("conflicts", &text)
}

/// What is counted from the records.
#[derive(Default)]
struct Counted {
    /// What is in a log of this digest.
    logs: BTreeMap<LogDigest, BTreeSet<TransactionId>>,
    updates: BTreeMap<TransactionId, LoggedUpdate>,
    /// What each update builds on.
    builds_on: BTreeMap<TransactionId, BTreeSet<TransactionId>>,
    works: NodeMap<UpdateWork>,
    /// What the judge found of logs, and what nothing excuses, but for majorities.
    broken: Vec<String>,
}

impl Counted {
    fn take(&mut self, node: NodeId, work: &UpdateWork) {
        let before = self.works.insert(node, work.clone()).unwrap_or_default();
        if !self.logs.contains_key(&work.digest) {
            let mut log = self.logs.get(&before.digest).cloned().unwrap_or_default();
            let new = if work.learnt.is_empty() { work.last.into_iter().collect() } else { work.learnt.clone() };
            for update in new {
                if work.learnt.is_empty() {
                    assert_eq!(update.by.task.author, node, "its coordinator does it first");
                    self.builds_on.insert(update.by, log.clone());
                }
                self.updates.insert(update.by, update);
                log.insert(update.by);
            }
            assert_eq!(log.len() as u32, work.length, "{node}: {work:?}");
            self.logs.insert(work.digest, log);
        }
    }

    fn do_conflict(&self, one: TransactionId, other: TransactionId) -> bool {
        one != other && !self.builds_on[&one].contains(&other) && !self.builds_on[&other].contains(&one)
    }

    /// The list of all that conflict in this log, each pair asked for.
    fn list(&self, log: &BTreeSet<TransactionId>) -> ConflictList {
        let mut order: Vec<TransactionId> = log.iter().copied().collect();
        order.sort_by_key(|by| (self.builds_on[by].len(), by.task.author));
        let (mut list, mut under) = (ConflictList::default(), BTreeMap::new());
        for (by, position) in order.iter().zip(1..) {
            let others = order.iter().filter(|other| self.do_conflict(*by, **other)).count() as u32;
            if others > 0 {
                list.updates += 1;
                list.pairs += u64::from(others);
                *under.entry(by.task.author).or_default() += 1;
                list.last.push(ConflictingUpdate { position, update: self.updates[by], others });
            }
        }
        list.under = under.into_iter().collect();
        list.pairs /= 2;
        list.last.drain(..list.last.len().saturating_sub(CONFLICTS_MAX));
        list
    }
}

#[test]
fn after_partitions_every_process_lists_exactly_the_updates_that_conflict() {
    let (mut with_conflicts, mut most) = (0, 0);
    for (algorithm, seed) in ["bully", "invitation"].into_iter().flat_map(|of| (0..5).map(move |seed| (of, seed))) {
        let counted = RefCell::new(Counted::default());
        counted.borrow_mut().logs.insert(LogDigest::default(), BTreeSet::new());
        let listener = |record: &Record| {
            if let Body::Violation(report) = &record.body
                && (report.property == Property::AtomicCommit
                    || report.because.is_none() && report.property != Property::Majority)
            {
                counted.borrow_mut().broken.push(report.text.clone());
            }
            let state = record.step().and_then(|step| step.state.as_ref());
            if let (Some(node), Some(Work::Updates(work))) =
                (record.node, state.and_then(|state| state.work.as_deref()))
            {
                counted.borrow_mut().take(node, work);
            }
        };
        let plan = Plan { seed, weather: Weather::Drawn, ..Plan::of(lab_of_partitions(algorithm, seed)) };
        run(&plan, Box::new(listener));
        let told = format!("{algorithm}, seed {seed}");
        let counted = counted.into_inner();
        let logs: BTreeSet<LogDigest> = counted.works.values().map(|work| work.digest).collect();
        assert_eq!((counted.works.len(), logs.len()), (5, 1), "{told}: {:?}", counted.works);
        let log = &counted.logs[logs.first().unwrap()];
        let right = counted.list(log);
        let sum: i64 = log.iter().map(|by| i64::from(counted.updates[by].value)).sum();
        let right = (right.updates > 0).then(|| Box::new(right));
        for (node, work) in &counted.works {
            assert_eq!(
                (work.conflicts.clone(), work.counter, work.in_doubt),
                (right.clone(), sum, None),
                "{told}: {node}"
            );
        }
        assert_eq!(counted.broken, [""; 0], "{told}");
        with_conflicts += u32::from(right.is_some());
        most = most.max(right.map_or(0, |list| list.updates));
    }
    assert!(with_conflicts > 6 && most > 12, "{with_conflicts} of 10, {most} at most");
}
