//! The flow of every lab of the project: what happened before stands above, and nothing that was sent is left out.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::*;
use crate::protocol::NodeId;
use crate::record::{EffectText, Input, MessageId};
use crate::world::World;
use crate::world::flow::{Arrow, Flow, FlowRow, Folding, Periodic};

/// The rows of a lab's session.
fn flow_of(records: &[Arc<Record>], head: &crate::record::Head, folding: Folding, periodic: Periodic) -> Flow {
    let mut flow = Flow::new(Some(&head.facts), &World::new(head.roster().unwrap()));
    flow.show(folding, periodic);
    records.iter().for_each(|record| flow.take(record));
    flow
}

/// The rows in which each record stands.
fn places(rows: &[FlowRow]) -> BTreeMap<u64, (usize, usize)> {
    let mut places: BTreeMap<u64, (usize, usize)> = BTreeMap::new();
    for (row, numbers) in rows.iter().map(|row| &row.records).enumerate() {
        for number in numbers {
            let (first, last) = places.entry(*number).or_insert((row, row));
            (*first, *last) = ((*first).min(row), (*last).max(row));
        }
    }
    places
}

#[test]
fn in_the_flow_of_every_lab_causes_stand_above_and_no_sending_is_left_out() {
    for lab in labs() {
        let plan = Plan::of(Arc::clone(&lab));
        let kept = RefCell::new(Vec::new());
        run(&plan, Box::new(|record: &Record| kept.borrow_mut().push(Arc::new(record.clone()))));
        let records = kept.into_inner();
        let head = head(&plan);
        for (folding, periodic) in [
            (Folding::Folded, Periodic::Hidden),
            (Folding::Folded, Periodic::Shown),
            (Folding::Unfolded, Periodic::Shown),
            (Folding::Unfolded, Periodic::Hidden),
        ] {
            let shown = &records[..records.len().min(6_000)];
            let flow = flow_of(shown, &head, folding, periodic);
            let rows = flow.rows();
            let places = places(&rows);
            let mut sent: BTreeMap<MessageId, u64> = BTreeMap::new();
            let mut last: BTreeMap<NodeId, usize> = BTreeMap::new();
            let mut sendings = 0;
            for record in shown {
                let (Some(step), Some(node)) = (record.step(), record.node) else { continue };
                for effect in step.effects_around_hold().0 {
                    if let EffectText::Send { id, message } = effect {
                        sent.insert(*id, record.number);
                        sendings += usize::from(!flow.rules().hides(&message.kind()));
                    }
                }
                let Some((first, newest)) = places.get(&record.number).copied() else { continue };
                let before = last.insert(node, newest);
                assert!(before.is_none_or(|before| before <= first), "{}: record {}", lab.name, record.number);
                if let Input::Message { id, .. } = &step.input
                    && let Some((sending, _)) = sent.get(id).and_then(|number| places.get(number))
                    && folding == Folding::Unfolded
                {
                    assert!(*sending <= newest, "{}: record {} above its cause", lab.name, record.number);
                }
            }
            let drawn = |arrow: &Arrow| if arrow.is_multicast { 1 } else { arrow.heads.len() };
            let drawn: usize = rows.iter().flat_map(|row| &row.arrows).map(drawn).sum();
            if folding == Folding::Unfolded {
                assert_eq!(drawn, sendings, "{}", lab.name);
            }
            for (row, of) in rows.iter().enumerate() {
                assert!(of.after.iter().all(|before| *before < row), "{}: row {row}", lab.name);
            }
        }
    }
}
