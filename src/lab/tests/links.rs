//! Lines that read well and could do nothing in their lab: refused with the line and what would do.

use super::*;

const BROADCASTS: Card = Card { name: "broadcasts", channel: Channel::Multicast, ..BULLY };

const STARTS_OVER: Card = Card { name: "starts-over", orders: &[Order::Elect, Order::StartOver], ..BULLY };

fn refused(algorithm: &str, line: &str) -> Option<String> {
    let text = format!(
        "name = \"l\"\nabout = \"l\"\nalgorithm = \"{algorithm}\"\nnodes = 5\nseed = 1\nT = \"200ms\"\n\
         check = \"200ms\"\nsilence = \"1s\"\n[[step]]\nat = \"1s\"\ndo = [\"{line}\"]\n"
    );
    parse("l.toml", &text, registry(&[BULLY, BROADCASTS, STARTS_OVER])).err().map(|errors| errors.to_string())
}

#[test]
fn a_unicast_algorithm_is_given_no_fault_of_multicasts() {
    let told = refused("bully", "cut 1->3 multicast").unwrap();
    for part in ["l.toml:11:", "this algorithm sends nothing by multicast", "write `cut 1->3`, or use an algorithm"] {
        assert!(told.contains(part), "{part} is not in {told}");
    }
    assert!(refused("bully", "partial 2->* 2").unwrap().contains("write for example `loss 2->* 30%`"));
    for line in ["cut 1<->3 unicast", "hold 1->3", "release 1->3 reversed", "loss 1->* 30% bursts 5"] {
        assert_eq!(refused("bully", line), None, "{line}");
    }
}

#[test]
fn an_order_that_an_algorithm_does_not_know_is_refused_with_those_that_it_knows() {
    let told = refused("bully", "start-over 4").unwrap();
    for part in ["l.toml:11:", "does not know the order `start-over`; it knows `elect`", "use an order that it knows"] {
        assert!(told.contains(part), "{part} is not in {told}");
    }
    assert_eq!(refused("starts-over", "start-over 4"), None);
}

#[test]
fn a_number_out_of_range_is_told_with_what_would_do() {
    assert_eq!(refused("broadcasts", "partial 2->* 3"), None);
    assert_eq!(refused("broadcasts", "cut 1->3 multicast"), None);
    for (line, parts) in [
        ("partial 2->* 4", ["4 nodes hear each broadcast, and it has at most 4 receivers", "write a smaller number"]),
        ("partial 2->* 0", ["`0` is not a number of receivers", "expected `partial A->B K`"]),
        ("loss 1->2 30% bursts 2000", ["`2000` is not a burst length", "expected `loss A->B P% bursts L`"]),
        (
            "loss 1->2 80% bursts 4",
            [
                "a loss of 80% has runs of this length even without bursts",
                "write a mean of 5 \
            or more",
            ],
        ),
        ("cut 1->2 broadcast", ["`broadcast` is not a channel; write unicast or multicast", "expected `cut A->B`"]),
        ("release 1->2 sideways", ["`sideways` is not an order", "expected `release A->B` or"]),
        ("hold 1->9", ["there is no node 9 in this lab", "expected nodes of 1-5"]),
    ] {
        let told = refused("broadcasts", line).unwrap();
        assert!(parts.iter().all(|part| told.contains(part)), "{line}: {told}");
    }
}
