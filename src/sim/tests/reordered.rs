//! `reorder` in whole labs: it lets messages be overtaken, keeps none past its bound, and leaves a record of what it keeps.
//!
//! Invariant: nothing else is ordered in these labs, so whatever is broken in them is broken by it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::labs;
use crate::{NetworkKind, Plan, run};
use fault::FaultId;
use lab::{Lab, LabStep, When};
use protocol::{Assumption, NodeId, Span};
use record::{Body, EffectText, Input, MessageId, Record};

/// How many seeds of each algorithm: so many that more than a thousand messages are overtaken.
const SEEDS: u64 = 10;

/// A lab in which half of all messages are to be overtaken, from the beginning to its end.
fn reordered(lab: &Lab) -> Lab {
    let step = |(seconds, line): (u64, &str)| {
        LabStep::silent(line.to_owned(), When::At(Span::from_millis(seconds * 1000)), vec![line.parse().unwrap()])
    };
    let steps = [(0, "reorder *->* 50%"), (1, "elect *"), (4, "elect 1"), (8, "heal")].map(step).into();
    Lab { steps, expectations: Vec::new(), ..lab.clone() }
}

/// How long each message that reached a machine took, when it left, and when it was held back.
#[derive(Default)]
struct Journeys {
    sent: BTreeMap<MessageId, u64>,
    held: BTreeMap<(MessageId, NodeId), u64>,
    overtaken: u64,
}

impl Journeys {
    fn take(&mut self, record: &Record, bound: Span) {
        let Some(node) = record.node else { return };
        match &record.body {
            Body::Step(step) => {
                for effect in &step.effects {
                    if let EffectText::Send { id, .. } = effect {
                        self.sent.insert(*id, record.at as u64);
                    }
                }
                if let Input::Message { id, .. } = &step.input {
                    let took = Span::from_nanos(record.at as u64 - self.sent[id]);
                    assert!(took <= bound, "{id:?} took {took} to {node}, of {bound}");
                    self.held.remove(&(*id, node));
                }
            }
            Body::Held { id, by, span, .. } => {
                assert_eq!((*by, span.is_some()), (FaultId(1), true));
                self.held.insert((*id, node), record.at as u64);
            }
            Body::Reordered { id, .. } => {
                assert!(self.held.contains_key(&(*id, node)), "{id:?} was overtaken and had not waited");
                self.overtaken += 1;
            }
            _ => {}
        }
    }
}

#[test]
fn what_is_overtaken_keeps_its_bound() {
    let (mut seen, mut overtaken) = (Vec::new(), 0);
    for lab in labs() {
        if seen.contains(&lab.card.name) {
            continue;
        }
        seen.push(lab.card.name);
        let lab = Arc::new(reordered(&lab));
        let bound = lab.card.t_bounds.one_way(lab.timing.t);
        for seed in 0..SEEDS {
            let journeys = RefCell::new(Journeys::default());
            let plan = Plan { seed, network_kind: NetworkKind::Drawn, ..Plan::of(Arc::clone(&lab)) };
            let end = run(&plan, Box::new(|record| journeys.borrow_mut().take(record, bound)));
            let late = end.run.assumptions.iter().find(|view| view.assumption == Assumption::DeliveryInTime).unwrap();
            assert_eq!((late.by_faults, late.by_machine), (0, 0), "{}: {:?}", lab.card.name, late.text);
            overtaken += journeys.into_inner().overtaken;
        }
    }
    assert_eq!(seen.len(), registry::BUILT_IN.algorithms.len());
    assert!(overtaken > 1_000, "{overtaken}");
}
