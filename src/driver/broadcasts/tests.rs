//! Tests of how broadcasts are read: each way in which a node misses one, and what is left aside.
//!
//! Invariant: the records are written by hand, one after the other, among nodes 1 to 3.

use super::*;
use fault::FaultId;
use protocol::{Incarnation, Span};
use record::{MessageText, Step, Words};

fn node(number: u16) -> NodeId {
    NodeId::new(number).unwrap()
}

fn set(text: &str) -> NodeSet {
    text.parse().unwrap()
}

fn id(from: u16, sequence: u64) -> MessageId {
    MessageId { from: node(from), incarnation: Incarnation(1), to: None, sequence }
}

fn text() -> MessageText {
    Words { kind: "capacity".into(), fields: Vec::new(), body: "00".into() }.into()
}

fn step(at: u16, input: Input, effects: Vec<EffectText>) -> Record {
    let step = Step { effects, ..Step::first(input) };
    Record::of_node(0, node(at), Body::Step(step))
}

/// The broadcasts read from these records, five wanted.
fn read(records: &[Record]) -> Broadcasts {
    let mut broadcasts = Broadcasts::new(set("1-3"), 5);
    for record in records {
        broadcasts.take(record);
    }
    broadcasts
}

fn in_force() -> Record {
    Record::of_host(0, Body::FaultInForce { id: FaultId(1) })
}

fn sends(from: u16, sequence: u64) -> Record {
    let input = Input::Start { saved: false };
    step(from, input, vec![EffectText::Send { id: id(from, sequence), message: text() }])
}

fn delivers(at: u16, id: MessageId) -> Record {
    step(at, Input::Message { id, message: text() }, Vec::new())
}

fn loses(at: u16, id: MessageId, through: u16) -> Record {
    let body = Body::Copy { id, through: node(through), by: FaultId(1), fate: CopyFate::Dropped };
    Record::of_node(0, node(at), body)
}

fn discards(at: u16, id: MessageId) -> Record {
    Record::of_node(0, node(at), Body::Late { id, span: Span::from_millis(1), message: None })
}

#[test]
fn what_is_missed_tells_its_copies() {
    let (even, odd) = (id(1, 2), id(1, 3));
    let both = [
        in_force(),
        sends(1, 2),
        loses(3, even, 1),
        loses(3, even, 2),
        // The sender has it without any copy.
        loses(1, even, 2),
        delivers(1, even),
        delivers(2, even),
        sends(1, 3),
        loses(2, odd, 1),
        loses(3, odd, 1),
        delivers(1, odd),
    ];
    let broadcasts = read(&both);
    let missed = |node, broadcast, copies| MissedBroadcast {
        node,
        broadcast,
        copies: set(copies),
        lost: set(copies),
        is_late: false,
    };
    // Nobody relayed the second one, since nobody took it from 1.
    let expected = [missed(node(2), odd, "1"), missed(node(3), even, "1-2"), missed(node(3), odd, "1")];
    assert_eq!(broadcasts.missed(), expected);
    assert_eq!(broadcasts.undeliverable(), expected, "the faults tell the same");
    assert_eq!(broadcasts.by_sender(), &NodeMap::from([(node(1), 2)]));
}

#[test]
fn a_missed_broadcast_needs_an_explanation() {
    let records = [in_force(), sends(1, 2), loses(3, id(1, 2), 1), delivers(1, id(1, 2)), delivers(2, id(1, 2))];
    let [missed] = read(&records).missed()[..] else { panic!() };
    assert_eq!((missed.copies, missed.lost, missed.is_explained()), (set("1-2"), set("1"), false));
    assert_eq!(read(&records).undeliverable(), []);
    let late = read(&[&records[..], &[discards(3, id(1, 2))]].concat());
    assert!(late.missed()[0].is_late && late.late() == 1);
    assert_eq!(late.undeliverable(), late.missed());
}

#[test]
fn only_the_first_wanted_count() {
    let mut records = vec![sends(1, 1), in_force()];
    records.extend((2..=9).map(|sequence| sends(2, sequence)));
    records.extend([delivers(3, id(1, 1)), loses(3, id(1, 1), 1), delivers(1, id(2, 7)), delivers(1, id(2, 6))]);
    let broadcasts = read(&records);
    assert_eq!(broadcasts.census().broadcasts(), 5);
    assert_eq!(broadcasts.by_sender(), &NodeMap::from([(node(2), 5)]));
    assert_eq!(broadcasts.missed().len(), 14, "all but the one delivery of 2.6");
}
