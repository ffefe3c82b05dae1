//! The flow of every lab of the project: what happened before stands above, and nothing that was sent is left out.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::*;
use protocol::NodeMap;
use record::{EffectText, Input, MessageId};
use world::World;
use world::flow::{Arrow, Flow, FlowDetail, FlowRow, Periodic, RowTone, idle_between};

/// The rows of a lab's session.
fn flow_of(records: &[Arc<Record>], head: &record::Head, folding: FlowDetail, periodic: Periodic) -> Flow {
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
fn in_every_flow_causes_stand_above() {
    for lab in labs() {
        let plan = Plan::of(Arc::clone(&lab));
        let records: Vec<Arc<Record>> = recorded(&plan).into_iter().map(Arc::new).collect();
        let head = head(&plan);
        for (folding, periodic) in [
            (FlowDetail::Folded, Periodic::Hidden),
            (FlowDetail::Folded, Periodic::Shown),
            (FlowDetail::Unfolded, Periodic::Shown),
            (FlowDetail::Unfolded, Periodic::Hidden),
        ] {
            let shown = &records[..records.len().min(6_000)];
            let flow = flow_of(shown, &head, folding, periodic);
            let rows = flow.rows();
            let places = places(&rows);
            let mut sent: BTreeMap<MessageId, u64> = BTreeMap::new();
            let mut last: NodeMap<usize> = NodeMap::new();
            let mut sendings = 0;
            for record in shown {
                let (Some(step), Some(node)) = (record.step(), record.node) else { continue };
                for effect in step.effects_around_hold().0 {
                    if let EffectText::Send { id, message } = effect {
                        sent.insert(*id, record.number);
                        sendings += usize::from(!flow.rules().hides(message));
                    }
                }
                let Some((first, newest)) = places.get(&record.number).copied() else { continue };
                let before = last.insert(node, newest);
                assert!(before.is_none_or(|before| before <= first), "{}: record {}", lab.name, record.number);
                if let Input::Message { id, .. } = &step.input
                    && let Some((sending, _)) = sent.get(id).and_then(|number| places.get(number))
                    && folding == FlowDetail::Unfolded
                {
                    assert!(*sending <= newest, "{}: record {} above its cause", lab.name, record.number);
                }
            }
            let drawn = |arrow: &Arrow| if arrow.is_multicast { 1 } else { arrow.heads.len() };
            let drawn: usize = rows.iter().flat_map(|row| &row.arrows).map(drawn).sum();
            if folding == FlowDetail::Unfolded {
                assert_eq!(drawn, sendings, "{}", lab.name);
            }
            for (row, of) in rows.iter().enumerate() {
                assert!(of.after.iter().all(|before| *before < row), "{}: row {row}", lab.name);
            }
        }
    }
}

/// Algorithm C, one election under losses of this seed.
fn with_losses(seed: u32) -> Arc<Lab> {
    let whole = lab_named("king-ni-c");
    let (text, _) = whole.text.split_once("[[step]]\nname = \"crash\"").unwrap();
    let text = text.replace("do = [\"elect 1\"]", "do = [\"loss *->* 20%\", \"elect 1\"]");
    let text = text.replace("seed = 1\n", &format!("seed = {seed}\n"));
    lab_of(&format!("king-ni-c, seed {seed}"), &text)
}

#[test]
fn an_election_fits_a_screen() {
    let of_project = labs().into_iter().filter_map(|lab| match lab.name.as_str() {
        "first" | "king-ni-c" | "async-bully-six" => Some((lab, 18)),
        "ring" => Some((lab, 30)),
        _ => None,
    });
    let mut elections = 0;
    for (lab, most) in of_project.chain((1..=8).map(|seed| (with_losses(seed), 18))) {
        let plan = Plan::of(Arc::clone(&lab));
        let kept = RefCell::new(Vec::new());
        let end = run(&plan, Box::new(|record: &Record| kept.borrow_mut().push(Arc::new(record.clone()))));
        let flow = flow_of(&kept.into_inner(), &head(&plan), FlowDetail::Folded, Periodic::Hidden);
        let rows = flow.rows();
        for election in &end.run.elections.latest {
            let span = election.began..=election.ended.unwrap_or(i64::MAX);
            // With the lines of idle times; without those of faults, which are no part of it.
            let is_of = |row: &&FlowRow| row.tone == RowTone::Plain && span.contains(&row.record.at);
            let of: Vec<&FlowRow> = rows.iter().filter(is_of).collect();
            let idle = of.windows(2).filter(|pair| idle_between(pair[0], pair[1], 1_000_000_000).is_some());
            let lines = of.len() + idle.count();
            let words = |row: &&FlowRow| row.parts().into_iter().map(|part| part.text + " ").collect::<String>() + "\n";
            assert!(lines <= most, "{}: {lines} lines\n{}", lab.name, of.iter().map(words).collect::<String>());
            elections += 1;
        }
    }
    assert!(elections > 15, "{elections}");
}
