//! Nobody is elected: an election that processes began, and that ended with no master or coordinator named, although all
//! are up, honest and linked, breaks what each algorithm promises, by its own words.
//!
//! Invariant: who has heard of no election need not name anybody, and a list with nothing above -1 elects nobody. The
//! quiet's bound is 3 s, an election's 800 ms.

use super::*;
use protocol::{Lie, SettingValue};

/// All wait in normal; what King and Ni's algorithms need that these tests break.
fn lab(nodes: u16, property: Property) -> Trace {
    let needs = [Assumption::DeliveryInTime, Assumption::NoPauses, Assumption::NothingGarbled];
    let mut trace = Trace::new(&head(nodes, &[property], &needs));
    trace.start_all(nodes, &at_rest("normal", 0));
    trace
}

fn at_rest(word: &'static str, election: u64) -> StateVector {
    StateVector { election: Some(election), ..state(Status::Down, word, None) }
}

/// The properties of King and Ni's algorithms that an election without a master breaks: A, B.1 and C; B.2 and 5.3; all.
const BROKEN: [Property; 3] = [Property::DeadlockFree, Property::DeadlockFreeMalicious, Property::Uniqueness];

/// What was told, without the reports of the quiet: each property with its excuse.
fn told(trace: &Trace, of_quiet: bool) -> Vec<Option<Assumption>> {
    let reports = trace.reports.iter().filter(|report| report.text.contains("quiet since") == of_quiet);
    reports.map(|report| report.because()).collect()
}

#[test]
fn normal_after_an_election_is_its_end() {
    for property in BROKEN {
        let mut trace = lab(3, property);
        trace.all(3, 100, &standing_with(1, 1));
        trace.all(3, 900, &at_rest("normal", 1));
        trace.close(2500);
        let report = trace.only();
        assert_eq!((report.property, report.nodes, report.because()), (property, set("1-3"), None));
        let what = "the election that began at 0.100 s has elected nobody: 1-3 are in normal";
        assert!(report.text.contains(what), "{}", report.text);
    }
}

#[test]
fn the_quiet_tells_that_nobody_was_elected() {
    // Another one was down while it was held, so only the quiet tells.
    for property in BROKEN {
        let mut trace = lab(3, property);
        trace.crash(3, 50);
        trace.all(2, 100, &standing_with(1, 1));
        trace.all(2, 900, &at_rest("normal", 1));
        trace.recover(3, 1000, at_rest("normal", 1));
        trace.close(9000);
        let report = trace.only();
        assert_eq!((report.property, report.nodes, report.because()), (property, set("1-3"), None));
        assert!(report.text.contains("quiet since 1.001 s, but 1-3 are in normal"), "{}", report.text);
        assert_eq!(trace.tally(property).broken, 1);
    }
}

#[test]
fn nobody_must_be_named_where_nobody_stood() {
    type Case = (&'static str, fn(&mut Trace));
    let cases: [Case; 3] = [
        ("nobody has heard of an election", |_| {}),
        ("nothing is above -1", |trace| {
            trace.all(3, 100, &collecting(1));
            trace.all(3, 900, &at_rest("normal", 1));
        }),
        ("the only candidate crashed and returned: to begin is the application's", |trace| {
            trace.become_state(3, 100, standing_with(3, 1));
            trace.all(2, 100, &collecting(1));
            trace.crash(3, 200);
            trace.all(2, 900, &at_rest("normal", 1));
            trace.recover(3, 1000, at_rest("normal", 1));
        }),
    ];
    for (property, (case, happens)) in BROKEN.into_iter().flat_map(|of| cases.map(|case| (of, case))) {
        let mut trace = lab(3, property);
        happens(&mut trace);
        trace.close(9000);
        assert_eq!(trace.texts(), [""; 0], "{property}: {case}");
    }
}

#[test]
fn a_failed_election_before_another_is_over() {
    for property in BROKEN {
        let mut trace = lab(2, property);
        let loss = trace.fault(10, "loss 1->2 100%", "1,2");
        let word = trace.send(1, 50, 2, None);
        trace.all(2, 100, &standing_with(1, 1));
        trace.dropped(2, 110, word, loss);
        trace.all(2, 900, &at_rest("normal", 1));
        trace.all(2, 1000, &standing_with(1, 2));
        trace.all(2, 1800, &stopped(2, 2));
        trace.close(9000);
        assert_eq!(told(&trace, true), []);
    }
}

#[test]
fn a_loss_within_the_election_excuses_it() {
    // That some process takes itself for master no loss prevents.
    for property in [Property::DeadlockFreeMalicious, Property::Uniqueness] {
        let lost = Some(Assumption::DeliveryInTime);
        for (lost_at, because) in [(100, None), (1500, lost), (2500, None)] {
            let mut trace = lab(2, property);
            let loss = trace.fault(10, "loss 1->2 100%", "1,2");
            let word = trace.send(1, 50, 2, None);
            let drop_at = |trace: &mut Trace, from: i64, until: i64| {
                if (from..until).contains(&lost_at) {
                    trace.dropped(2, lost_at, word, loss);
                }
            };
            drop_at(&mut trace, 0, 1000);
            trace.all(2, 1000, &standing_with(1, 1));
            drop_at(&mut trace, 1000, 2000);
            trace.all(2, 2000, &at_rest("normal", 1));
            drop_at(&mut trace, 2000, 9000);
            trace.close(12_000);
            assert_eq!((told(&trace, false), told(&trace, true)), (vec![because], vec![because]), "{lost_at}");
        }
    }
}

#[test]
fn of_one_number_the_later_election_counts() {
    let mut trace = lab(2, Property::Uniqueness);
    let loss = trace.fault(10, "loss 1->2 100%", "1,2");
    let word = trace.send(1, 50, 2, None);
    trace.all(2, 100, &standing_with(1, 1));
    trace.dropped(2, 110, word, loss);
    trace.all(2, 900, &at_rest("normal", 1));
    trace.all(2, 5000, &standing_with(1, 1));
    trace.all(2, 5800, &at_rest("normal", 1));
    trace.close(20_000);
    assert_eq!(trace.reports.last().map(|report| report.because()), Some(None), "{:?}", trace.texts());
}

#[test]
fn what_a_liar_went_through_does_not_count() {
    for goes in [false, true] {
        let mut trace = lab(2, Property::Uniqueness);
        trace.all(2, 100, &collecting(1));
        trace.become_state(2, 110, standing_with(2, 1));
        if goes {
            trace.lie(2, 150, Some(Lie::Claim));
            trace.lie(2, 160, None);
        }
        trace.all(2, 900, &at_rest("normal", 1));
        trace.close(2500);
        assert_eq!(trace.reports.len(), usize::from(!goes), "{:?}", trace.texts());
    }
}

#[test]
fn other_papers_ask_for_a_coordinator_too() {
    let down = || state(Status::Down, "Down", None);
    for property in [
        Property::Assertion2,
        Property::Assertion4,
        Property::Sle2,
        Property::Ale2,
        Property::Ale2Prime,
        Property::EndState,
    ] {
        let mut trace = Trace::new(&head(3, &[property], Assumption::first(7)));
        trace.start_all(3, &down());
        for (at, state) in [(100, electing()), (900, down())] {
            trace.all(3, at, &StateVector { election: Some(1), ..state });
        }
        trace.close(9000);
        let report = trace.only();
        assert_eq!((report.property, report.nodes, report.because()), (property, set("1-3"), None));
        assert!(report.text.contains("1-3 are in Down"), "{}", report.text);
    }
}

/// A lab of four in which one may be faulty, all in normal.
fn lab_of_one_faulty() -> Trace {
    let mut head = head(4, &[Property::Uniqueness], &[Assumption::FaultyAtMostT]);
    head.settings = head.settings.with("t", SettingValue::Number(1));
    let mut trace = Trace::new(&head);
    trace.start_all(4, &at_rest("normal", 0));
    trace
}

#[test]
fn more_than_t_deaths_promise_nothing() {
    for (dead, is_told) in [(1, true), (2, false)] {
        let mut trace = lab_of_one_faulty();
        trace.all(4, 100, &standing_with(1, 1));
        (1..=dead).for_each(|node| trace.crash(node, 200));
        (dead + 1..=4).for_each(|node| trace.become_state(node, 900, at_rest("normal", 1)));
        (1..=dead).for_each(|node| trace.recover(node, 1000, at_rest("normal", 0)));
        trace.close(9000);
        assert_eq!(!trace.reports.is_empty(), is_told, "{dead}: {:?}", trace.texts());
    }
}

#[test]
fn more_than_t_just_back_promise_nothing() {
    for (began, is_told) in [(700, false), (2000, true)] {
        let mut trace = lab_of_one_faulty();
        (1..=2).for_each(|node| trace.crash(node, 200));
        (1..=2).for_each(|node| trace.recover(node, 600, at_rest("normal", 0)));
        trace.all(4, began, &standing_with(1, 1));
        trace.all(4, began + 800, &at_rest("normal", 1));
        trace.close(12_000);
        assert_eq!(!trace.reports.is_empty(), is_told, "{began}: {:?}", trace.texts());
    }
}

#[test]
fn an_unpromised_failure_hides_no_later_one() {
    let mut trace = lab_of_one_faulty();
    (2..=4).for_each(|node| trace.crash(node, 200));
    trace.become_state(1, 300, standing_with(1, 1));
    trace.become_state(1, 1100, at_rest("normal", 1));
    (2..=4).for_each(|node| trace.recover(node, 2000, at_rest("normal", 0)));
    trace.capacity = -1;
    (2..=4).for_each(|node| trace.become_state(node, 5000, collecting(1)));
    (2..=4).for_each(|node| trace.become_state(node, 5800, at_rest("normal", 1)));
    trace.close(12_000);
    assert_eq!(trace.reports.len(), 1, "{:?}", trace.texts());
}

#[test]
fn who_was_up_before_is_not_left_out() {
    // That one of those who begin is elected no loss prevents, but a loss may have kept others from it.
    let of_all = [Property::DeadlockFreeMalicious, Property::Uniqueness];
    for (returns_at, is_told) in [(1000, true), (4000, true), (4600, false)] {
        for property in of_all {
            let mut trace = lab(3, property);
            trace.crash(3, 100);
            trace.recover(3, returns_at, at_rest("normal", 0));
            trace.capacity = -1;
            trace.all(2, 4500, &collecting(1));
            trace.all(2, 5300, &at_rest("normal", 1));
            trace.close(12_000);
            assert_eq!(told(&trace, true), [None; 1][..usize::from(is_told)], "{returns_at}");
        }
    }
}
