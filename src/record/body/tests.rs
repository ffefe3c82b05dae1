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
    let line = r#"{"at":5,"kind":"eclipse","lab":5,"moon":"full","node":3,"number":9}"#;
    let record = Record::from_line(line).unwrap();
    assert_eq!((record.number, record.at, record.node.map(NodeId::get)), (9, 5, Some(3)));
    assert_eq!(record.to_line(), line);
    assert!(Record::from_line(r#"{"at":5,"lab":5,"kind":"gap"}"#).is_err());
    assert!(Record::from_line(r#"{"at":5,"lab"#).is_err());
}
