//! The end of a lab: violations that are expected and that are not, the summary, the exit code.

use super::*;

const NINE: Option<Assumption> = Some(Assumption::NoPauses);
const EIGHT: Option<Assumption> = Some(Assumption::DeliveryInTime);

/// Closes a lab with these expectations of the end after what the world went through.
const TO_THE_LETTER: &str = "[settings]\nerrata = false\n";

fn closed(thats: &[&str], change: impl FnOnce(&mut World)) -> (Vec<ScriptAction>, Summary) {
    let expected: String = thats.iter().map(|that| format!("[[expect]]\nthat = \"{that}\"\n")).collect();
    let mut stage = Stage::of(&format!("{TO_THE_LETTER}{expected}"), Pace::Played);
    assert_eq!(stage.time(0), [ScriptAction::Finished]);
    change(&mut stage.world);
    let cues = stage.conductor.close(ms(5_000), &stage.world);
    let summary = stage.summary();
    (cues, summary)
}

#[test]
fn no_violation_means_none_at_all() {
    let (cues, summary) = closed(&["no violation"], |_| {});
    assert_eq!(cues, [met(0, "met no violation")]);
    assert_eq!((summary.to_string().as_str(), summary.exit_code()), ("made: 1 of 1 expectations met, no violation", 0));

    let (cues, summary) = closed(&["no violation"], |world| violation(world, Property::Assertion1, NINE, true));
    let text = "FAILED no violation, at the end: instead assertion-1 of 4,5 because 9 (this computer)";
    assert_eq!(cues, [failed(0, text)]);
    let line = "made: 0 of 1 expectations met, 1 violation, 1 excused, 1 by this computer";
    assert_eq!((summary.to_string().as_str(), summary.exit_code()), (line, 4));

    let (cues, summary) = closed(&["no violation"], |world| world.missed = 3);
    assert_eq!(cues, [unknown(0, "unknown no violation: 3 records are missing")]);
    assert_eq!(summary.exit_code(), 5);

    // What was found is found, also where records are missing.
    let (_, summary) = closed(&["no violation"], |world| {
        world.missed = 3;
        violation(world, Property::Assertion1, NINE, false);
    });
    assert_eq!(summary.exit_code(), 4);
}

#[test]
fn a_violation_that_is_expected_must_come_and_come_alone() {
    let expected = ["violation assertion-1 because 9"];
    let (cues, summary) = closed(&expected, |world| violation(world, Property::Assertion1, NINE, false));
    let text = "met violation assertion-1 because 9: assertion-1 of 4,5 because 9";
    assert_eq!(cues, [met(0, text)]);
    assert_eq!(summary.to_string(), "made: 1 of 1 expectations met, 1 violation, 1 excused");
    assert_eq!(summary.exit_code(), 0);

    // What another line expects is told by that line.
    let (cues, _) = closed(&[expected[0], "violation assertion-3 because 9"], |world| {
        violation(world, Property::Assertion1, NINE, false);
        violation(world, Property::Assertion3, NINE, false);
        violation(world, Property::Assertion1, NINE, false);
    });
    assert_eq!(cues[0], met(0, text));

    let (cues, _) = closed(&expected, |_| {});
    assert_eq!(cues, [failed(0, "FAILED violation assertion-1 because 9, at the end: instead no violation")]);

    for (property, because) in
        [(Property::Assertion1, EIGHT), (Property::Assertion3, NINE), (Property::Assertion1, None)]
    {
        let (_, summary) = closed(&expected, |world| {
            violation(world, Property::Assertion1, NINE, false);
            violation(world, property, because, false);
        });
        assert_eq!((summary.met, summary.failed, summary.exit_code()), (0, 1, 4), "{property} {because:?}");
    }
}

#[test]
fn an_expected_violation_that_came_with_another_one_says_which() {
    let (cues, _) = closed(&["violation assertion-1 because 9"], |world| {
        violation(world, Property::Assertion1, NINE, false);
        violation(world, Property::Assertion3, NINE, false);
    });
    let text = "FAILED violation assertion-1 because 9, at the end: it came, and so did what the lab does not expect: \
                assertion-3 of 4,5 because 9";
    assert_eq!(cues, [failed(0, text)]);
}

#[test]
fn a_lab_may_expect_several_violations() {
    let expected = ["violation assertion-1 because 9", "violation assertion-1 because 8"];
    let (_, summary) = closed(&expected, |world| {
        violation(world, Property::Assertion1, NINE, false);
        violation(world, Property::Assertion1, EIGHT, false);
    });
    assert_eq!((summary.met, summary.exit_code()), (2, 0));
    let (_, summary) = closed(&expected, |world| violation(world, Property::Assertion1, NINE, false));
    assert_eq!((summary.met, summary.failed), (1, 1));
}

#[test]
fn an_excuse_of_the_machine_is_no_lesson_and_spoils_none() {
    let expected = ["violation assertion-1 because 9"];
    let (_, summary) = closed(&expected, |world| violation(world, Property::Assertion1, NINE, true));
    assert_eq!((summary.failed, summary.exit_code()), (1, 4));
    let (_, summary) = closed(&expected, |world| {
        violation(world, Property::Assertion1, NINE, false);
        violation(world, Property::Assertion1, EIGHT, true);
    });
    assert_eq!((summary.met, summary.violations, summary.exit_code()), (1, 2, 0));
    assert_eq!((summary.excused, summary.by_machine), (2, 1));
}

#[test]
fn a_hole_is_met_only_where_no_assumption_was_broken_and_only_if_the_lab_claims_it() {
    let hole = ["violation assertion-1 because hole B1"];
    let (_, summary) = closed(&hole, |world| violation(world, Property::Assertion1, None, false));
    assert_eq!((summary.met, summary.bugs, summary.exit_code()), (1, 0, 0));
    let (_, summary) = closed(&hole, |world| violation(world, Property::Assertion1, NINE, false));
    assert_eq!((summary.met, summary.exit_code()), (0, 4));
    // Without the claim it is a bug, whatever else the lab expects.
    for expected in [&[][..], &["violation assertion-1"][..], &["violation uniqueness because hole B9"][..]] {
        let (_, summary) = closed(expected, |world| violation(world, Property::Assertion1, None, false));
        assert_eq!((summary.bugs, summary.exit_code()), (1, 4), "{expected:?}");
    }
}

#[test]
fn what_it_means_that_no_assumption_was_broken_is_said_by_the_lab() {
    let claim = "[[expect]]\nthat = \"violation assertion-1 because hole B1\"\n";
    let claims = lab(&format!("{TO_THE_LETTER}{claim}"));
    let mut world = world();
    violation(&mut world, Property::Assertion1, None, false);
    violation(&mut world, Property::Assertion1, NINE, false);
    violation(&mut world, Property::Uniqueness, None, false);
    let told = explained(["1", "2", "3"].map(str::to_owned).to_vec(), &claims, &world);
    let open = "3: this is one of the 2 holes that the lab leaves open, or a bug";
    assert_eq!(told, ["1: the lab expects it as hole B1", "2", open]);
    let told = explained(vec!["1".to_owned()], &lab("[settings]\nerrata = [\"B1\"]\n"), &world);
    assert_eq!(told, ["1: this is the hole B9, which the lab leaves open, or a bug"]);
}

#[test]
fn what_the_algorithm_does_not_promise_with_these_settings_is_still_to_be_expected_by_the_lab() {
    let withheld = |rest: &str| {
        let mut lab = (*lab(rest)).clone();
        lab.card.withholds = |_, _| &[Property::Assertion1];
        lab
    };
    let mut world = world();
    violation(&mut world, Property::Assertion1, None, false);
    violation(&mut world, Property::Uniqueness, None, false);
    let (silent, claims) = (
        withheld(""),
        withheld(&format!("{TO_THE_LETTER}[[expect]]\nthat = \"violation assertion-1 because hole B1\"\n")),
    );
    let counted = |lab: &Lab| {
        let summary = ScriptRunner::new(Arc::new(lab.clone()), Pace::Played).summary(&world);
        (summary.bugs, summary.unpromised)
    };
    assert_eq!((counted(&silent), counted(&claims)), ((2, 1), (1, 0)));
    let told = explained(["1", "2"].map(str::to_owned).to_vec(), &silent, &world);
    let not_promised = "1: with these settings it is not promised, and the lab does not expect it";
    assert_eq!(told, [not_promised, "2: this is a bug of the algorithm or the lab"]);
}

#[test]
fn a_violation_that_an_assumption_explains_is_a_lesson_where_the_lab_asks_nothing() {
    let (cues, summary) = closed(&[], |world| violation(world, Property::Assertion1, NINE, false));
    assert_eq!((cues, summary.exit_code()), (vec![], 0));
    assert_eq!(summary.to_string(), "made: 0 of 0 expectations met, 1 violation, 1 excused");
}

#[test]
fn an_expected_violation_with_records_missing_is_unknown() {
    let expected = ["violation assertion-1 because 9"];
    let (_, summary) = closed(&expected, |world| world.missed = 1);
    assert_eq!((summary.unknown, summary.exit_code()), (1, 5));
    let (_, summary) = closed(&expected, |world| {
        world.missed = 1;
        violation(world, Property::Assertion3, EIGHT, false);
    });
    assert_eq!((summary.failed, summary.exit_code()), (1, 4));
}

#[test]
fn a_script_that_nobody_played_had_nothing_to_meet() {
    let rest = "[[expect]]\nthat = \"coordinator 5\"\nwithin = \"1s\"\n[[expect]]\nthat = \"no violation\"\n";
    let mut stage = Stage::of(rest, Pace::Held);
    violation(&mut stage.world, Property::Assertion1, NINE, false);
    assert_eq!(stage.conductor.close(ms(9_000), &stage.world), []);
    assert_eq!(stage.summary().to_string(), "made: steps not played, 1 violation, 1 excused");
    assert_eq!(stage.summary().exit_code(), 0);
    // A bug is a bug.
    violation(&mut stage.world, Property::Assertion1, None, false);
    assert_eq!(stage.summary().exit_code(), 4);
}
