//! What becomes of one dispute that many pairs of states are about.
//!
//! Invariant: a dispute is told once; and once more if it was excused at first, and what joined it later has no excuse.

use super::*;

/// A lab of four in which a message was lost at 950 ms, and nothing was broken after. All have heard since of the node that
/// missed it.
fn lossy() -> Trace {
    let mut trace = Trace::electing(4);
    let loss = trace.fault(900, "loss 4->3 50%", "3,4");
    let word = trace.send(4, 949, 3, None);
    trace.dropped(3, 950, word, loss);
    for of in [1, 2, 4] {
        trace.tell(3, 960, of, None);
    }
    trace
}

const EXCUSED: Option<Assumption> = Some(Assumption::DeliveryInTime);

#[test]
fn an_unexcused_pair_of_a_dispute_is_told() {
    let mut trace = lossy();
    trace.become_state(4, 1000, normal(4));
    trace.become_state(3, 1100, normal(3));
    trace.speak(1500, "1-4");
    assert_eq!(trace.causes(), [EXCUSED]);
    trace.become_state(2, 5000, normal(3));
    trace.speak(5050, "1-4");
    assert_eq!(trace.causes(), [EXCUSED], "this one stands with 4, whose state the loss excuses");
    trace.become_state(1, 5100, normal(4));
    trace.become_state(1, 5200, reorganizing(4));
    trace.become_state(2, 5300, reorganizing(3));
    trace.close(9000);
    assert_eq!(trace.causes(), [EXCUSED, None], "{:#?}", trace.texts());
    assert_eq!(trace.reports[1].since, 5100 * MS);
    let tally = trace.tally(Property::Assertion1);
    assert_eq!((tally.excused, tally.broken), (1, 1));
}

#[test]
fn a_pair_of_a_waiting_dispute_is_told() {
    for (first, told) in [(1100, vec![EXCUSED, None]), (2500, vec![None])] {
        let mut trace = lossy();
        trace.become_state(4, first - 100, normal(4));
        trace.become_state(3, first, normal(3));
        trace.become_state(2, 2600, normal(3));
        trace.become_state(1, 2700, normal(4));
        trace.close(9000);
        assert_eq!(trace.causes(), told, "{:#?}", trace.texts());
    }
}

#[test]
fn the_hardest_pair_needs_an_excuse() {
    for (follows_at, because) in [(1700, EXCUSED), (5000, None)] {
        let mut trace = lossy();
        trace.become_state(4, 1000, normal(4));
        trace.become_state(3, follows_at, normal(4));
        trace.become_state(2, 5100, normal(2));
        trace.close(9000);
        assert_eq!(trace.only().because(), because);
        assert!(trace.only().text.contains("4 is Normal under 4 since 1.000 s"), "{}", trace.only().text);
    }
}

#[test]
fn each_of_many_pairs_needs_an_excuse() {
    for (is_last_hit, because) in [(true, Some(Assumption::DeliveryInTime)), (false, None)] {
        let mut trace = Trace::electing(62);
        let loss = trace.fault(1000, "loss 62->* 50%", "1-62");
        for of in 2..=61 {
            trace.become_state(of, 2000 + i64::from(of), normal(2));
        }
        // The oldest of the states is the easiest to excuse.
        for of in (2..=61).filter(|of| *of != 2 || is_last_hit) {
            let word = trace.send(62, 2100, of, None);
            trace.dropped(of, 2101, word, loss);
        }
        trace.become_state(1, 2200, normal(1));
        trace.close(9000);
        assert_eq!(trace.only().because(), because, "{}", trace.only().text);
    }
}
