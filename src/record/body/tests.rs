//! Records as lines, there and back.

use super::*;

#[test]
fn a_line_reads_back() {
    let five = NodeId::new(5).unwrap();
    let id = MessageId { from: five, incarnation: Incarnation(1), to: None, sequence: 7 };
    for body in [
        Body::Began,
        Body::Dropped { id, by: FaultId(1), message: None },
        Body::Died { death: Death::Killed { by: FaultId(2) } },
        Body::Gap(Missed { count: 3, place: "in the node's own buffer".into() }),
    ] {
        let record = Record::of_node(-5, five, body);
        assert_eq!(Record::from_line(&record.to_line()).unwrap(), record);
    }
}

#[test]
fn an_unknown_kind_is_kept_and_a_broken_known_one_is_not() {
    let line = r#"{"at":5,"kind":"eclipse","moon":"full","node":3,"number":9}"#;
    let record = Record::from_line(line).unwrap();
    assert_eq!((record.number, record.at, record.node.map(NodeId::get)), (9, 5, Some(3)));
    assert_eq!(record.to_line(), line);
    assert!(Record::from_line(r#"{"at":5,"kind":"gap"}"#).is_err());
    assert!(Record::from_line(r#"{"at":5,"node"#).is_err());
}

#[test]
fn this_computers_clock_is_written_where_lab_time_is_not_the_same() {
    let record = Record::of_host(5, Body::Began);
    assert_eq!(record.to_line(), r#"{"number":0,"at":5,"kind":"began"}"#);
    let slow = Record { wall: Some(100), ..record };
    assert_eq!(slow.to_line(), r#"{"number":0,"at":5,"wall":100,"kind":"began"}"#);
    assert_eq!(Record::from_line(&slow.to_line()).unwrap(), slow);
}

#[test]
fn a_line_that_has_lab_time_twice_is_read_as_before() {
    let known = Record::from_line(r#"{"number":1,"at":5,"lab":5,"node":2,"kind":"spawned","pid":7}"#).unwrap();
    assert_eq!(known, Record { number: 1, ..Record::of_node(5, NodeId::new(2).unwrap(), Body::Spawned { pid: 7 }) });
    let unknown = Record::from_line(r#"{"at":5,"kind":"eclipse","lab":5}"#).unwrap();
    assert_eq!((unknown.at, unknown.wall), (5, None));
}
