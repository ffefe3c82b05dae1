//! What the papers claim, in labs of two and three nodes: what holds, what does not, and in how many states.

use super::{
    Counterexample, ExploreReport, ExploreTerms, ExploreWish, FaultKind, Property, PropertyFound, bully, counts,
    explored,
};
use super::{found, is_written, starting, terms, text, wish, written};

/// The counterexample to this property.
fn example(report: &ExploreReport, property: Property) -> &Counterexample {
    let found = report.rows.iter().find(|(other, _)| *other == property).map(|(_, found)| found);
    let Some(PropertyFound::False(example)) = found else { panic!("{property} was not found false") };
    example
}

/// The events of the counterexample to this property.
fn story(report: &ExploreReport, property: Property) -> Vec<String> {
    example(report, property).story.iter().map(|event| event.says.clone()).collect()
}

/// A lab in which 3 is down from the start, and may recover.
pub fn three_comes_back(settings: &str, silence: &str) -> ExploreTerms {
    let wish = wish(&[(FaultKind::Recovery, 1)], Some(6), Some(8));
    let down = "3".parse().expect("a node");
    terms(&text("bully", 3, ("300ms", silence), settings), &ExploreWish { down, ..wish })
}

#[test]
fn two_nodes_of_bully_keep_assertion_1_through_a_crash_and_a_recovery() {
    let faults = [(FaultKind::Crash, 1), (FaultKind::Recovery, 1)];
    let report = explored(&terms(&bully(2, ""), &wish(&faults, Some(8), Some(10))));
    assert_eq!((found(&report, Property::Assertion1), counts(&report)), ("true", (15_420, 9_915)));
    assert_eq!(found(&report, Property::Assertion2), "no rest");
}

#[test]
fn three_nodes_of_bully_that_start_together_keep_assertion_1_for_two_elections() {
    let report = explored(&terms(&bully(3, ""), &wish(&[], Some(0), Some(24))));
    assert_eq!((found(&report, Property::Assertion1), counts(&report)), ("true", (11_809, 4_603)));
}

/// The case of the notes: parallel Halts that end when all have answered.
#[test]
fn halts_that_end_early_break_assertion_1_and_those_that_wait_or_are_sequential_keep_it() {
    let early = explored(&three_comes_back("form = \"parallel-early\"", "1300ms"));
    assert_eq!(found(&early, Property::Assertion1), "false");
    let story = story(&early, Property::Assertion1);
    assert_eq!(story.len(), 11);
    assert_eq!(story[10], "3 hears HaltAnswer of 2; 3 is Reorganization under 3");
    assert!(is_written(&early, Property::Assertion1));
    let waiting = explored(&three_comes_back("form = \"parallel\"", "1300ms"));
    assert_eq!((found(&waiting, Property::Assertion1), counts(&waiting)), ("true", (21_298, 8_726)));
    let sequential = explored(&three_comes_back("form = \"sequential\"", "1900ms"));
    assert_eq!((found(&sequential, Property::Assertion1), counts(&sequential)), ("true", (46_872, 23_290)));
}

#[test]
fn after_a_pause_assertion_2_is_broken_to_the_letter_by_hole_b1_and_holds_when_it_is_mended() {
    let of = |settings| {
        explored(&terms(&text("bully", 2, ("1200ms", "1600ms"), settings), &wish(&[(FaultKind::Pause, 1)], None, None)))
    };
    let letter = of("errata = false");
    assert_eq!((found(&letter, Property::Assertion1), found(&letter, Property::Assertion2)), ("false", "false"));
    let mended = of("");
    assert_eq!((found(&mended, Property::Assertion1), found(&mended, Property::Assertion2)), ("false", "true"));
    assert_eq!(counts(&mended), (82_825, 65_907));
}

/// Hole 1 of Stoller's figure 1: a Halt is lost on a node that is just coming back.
#[test]
fn a_node_that_comes_back_leaves_bully_fd_waiting_to_the_letter_and_not_when_it_is_mended() {
    let of = |settings| {
        let wish = wish(&[(FaultKind::Recovery, 1)], Some(8), None);
        let down = "2".parse().expect("a node");
        explored(&terms(&text("bully-fd", 2, ("600ms", "750ms"), settings), &ExploreWish { down, ..wish }))
    };
    let letter = of("errata = false");
    assert_eq!((found(&letter, Property::Sle2), counts(&letter)), ("false", (11_150, 7_004)));
    let several = written(&letter, Property::Sle2).expect("a lab");
    assert!(
        several.contains("by one of the holes that the lab leaves open:\n# 1, 2, 7") && !several.contains("[[expect]]")
    );
    let one = of("errata = [\"2\", \"7\", \"8\", \"9\", \"10\"]");
    let one = written(&one, Property::Sle2).expect("a lab");
    assert!(one.contains("that = \"violation sle-2 because hole 1\""), "{one}");
    let mended = of("");
    assert_eq!((found(&mended, Property::Sle2), counts(&mended)), ("true", (17_633, 12_442)));
}

/// Hole 3 of Stoller's figure 3.
#[test]
fn one_false_alarm_leaves_asynchronous_bully_waiting_to_the_letter_and_not_when_it_is_mended() {
    let of = |settings: &str, until| {
        let settings = format!("detector = \"i-am-alive\"\n{settings}");
        let wish = wish(&[(FaultKind::FalseAlarm, 1)], until, None);
        explored(&terms(&text("async-bully", 2, ("600ms", "750ms"), &settings), &wish))
    };
    let letter = of("errata = false", Some(6));
    assert_eq!((found(&letter, Property::Ale1), found(&letter, Property::Ale2Prime)), ("true", "false"));
    assert_eq!(counts(&letter), (34_142, 20_041));
    let mended = of("", None);
    assert_eq!((found(&mended, Property::Ale1), found(&mended, Property::Ale2Prime)), ("true", "true"));
    assert_eq!(counts(&mended), (21_345, 11_367));
}

/// The shortest way needs two time-outs of a paused process to come before what it is handed when it goes on.
#[test]
fn a_pause_breaks_assertion_1_of_three_nodes_and_the_way_becomes_a_lab_file() {
    let report = explored(&terms(&bully(3, ""), &wish(&[(FaultKind::Pause, 1)], Some(12), Some(12))));
    assert_eq!(found(&report, Property::Assertion1), "false");
    assert_eq!(story(&report, Property::Assertion1).len(), 31);
    // All follow 3: what contradicts each other are the tasks.
    let stands = &example(&report, Property::Assertion1).stands;
    assert!(stands.starts_with("1 is Normal under 3 with task 3.1.2, 2 is Normal under 3 with task 3.1.1"), "{stands}");
    assert!(is_written(&report, Property::Assertion1));
}

/// Stoller 1997, appendix A: three nodes, and one link that is cut for ever.
#[test]
fn a_cut_link_breaks_assertion_4_of_invitation_and_not_ale_2_of_asynchronous_bully() {
    let invitation = starting(&text("invitation", 3, ("1500ms", "3s"), ""), "cut 1<->3");
    let report = explored(&terms(&invitation, &ExploreWish::default()));
    assert_eq!((found(&report, Property::Assertion3), found(&report, Property::Assertion4)), ("true", "false"));
    assert_eq!(counts(&report), (37_893, 14_882));
    assert!(is_written(&report, Property::Assertion4), "as groups, for the judge of a run does not judge it there");
    let path = starting(&text("async-bully", 3, ("600ms", "750ms"), ""), "cut 1<->3");
    let report = explored(&terms(&path, &ExploreWish::default()));
    assert_eq!((found(&report, Property::Ale1), found(&report, Property::Ale2)), ("true", "true"));
    assert_eq!(counts(&report), (61_789, 29_975));
}
