//! Tests of the criterion and its numbers in a lab file, and of labs that no simulator can run.
//!
//! Invariant: every error here is the only one of its file.

use super::*;

/// The text of a lab of three nodes under King/Ni C with these settings.
fn text(settings: &str) -> String {
    format!(
        "name = \"criteria\"\nabout = \"Capacities.\"\nalgorithm = \"king-ni-c\"\nnodes = 3\nseed = 1\nT = \"200ms\"\n\
         check = \"500ms\"\nsilence = \"2s\"\n[settings]\n{settings}\n"
    )
}

#[test]
fn a_criterion_is_one_of_five_and_the_numbers_are_one_for_each_node() {
    let lab = parse("a lab", &text("criterion = \"fixed\"\ncapacities = [3, 0, 4_294_967_295]"), *REGISTRY).unwrap();
    assert_eq!(Criterion::of(&lab.settings), Some(Criterion::Fixed));
    assert_eq!(lab.settings.numbers("capacities"), [3, 0, u32::MAX]);
    let again = parse("a lab", &lab.written(), *REGISTRY).unwrap();
    assert_eq!(again.settings, lab.settings);
    for word in ["id", "random", "load", "last-win"] {
        let lab = parse("a lab", &text(&format!("criterion = \"{word}\"")), *REGISTRY).unwrap();
        assert_eq!(Criterion::of(&lab.settings).map(Criterion::word), Some(word));
        assert!(lab.settings.numbers("capacities").is_empty());
        assert!(!lab.written().contains("capacities"));
    }
    let lab = parse("a lab", &text(""), *REGISTRY).unwrap();
    assert_eq!(Criterion::of(&lab.settings), Some(Criterion::Id));
}

#[test]
fn what_is_wrong_with_them_is_told_where_it_stands() {
    for (settings, place, what, remedy) in [
        ("criterion = \"fixd\"", "\"fixd\"", "`criterion` cannot be \"fixd\"", "write one of id, fixed, random"),
        ("criterion = 3", "3", "one of id, fixed, random, load, last-win belongs here", "write one of id"),
        (
            "criterion = \"fixed\"",
            "\"fixed\"",
            "criterion = \"fixed\" needs a number for each",
            "`capacities = [3, 9, 4]`",
        ),
        (
            "criterion = \"fixed\"\ncapacities = [3, 9]",
            "[3, 9]",
            "`capacities` has 2 numbers, and the lab has 3 nodes",
            "from node 1 on",
        ),
        (
            "criterion = \"fixed\"\ncapacities = [3, -9, 4]",
            "-9",
            "a whole number from 0 to 4294967295 belongs here, and this is -9",
            "write a whole number from 0",
        ),
        (
            "criterion = \"fixed\"\ncapacities = [3, 9, 4294967296]",
            "4294967296",
            "a whole number from 0",
            "write a whole",
        ),
        ("criterion = \"fixed\"\ncapacities = [3, 9, \"4\"]", "\"4\"", "a whole number from 0", "write a whole number"),
        (
            "criterion = \"fixed\"\ncapacities = 3",
            "3",
            "a list with a whole number from 0 for each node",
            "write a list",
        ),
        (
            "capacities = [3, 9, 4]",
            "[3, 9, 4]",
            "`capacities` is not used with criterion = \"id\"",
            "criterion = \"fixed\"",
        ),
        (
            "criterion = \"random\"\ncapacities = [3, 9, 4]",
            "[3, 9, 4]",
            "`capacities` is not used with criterion = \"random\"",
            "remove it",
        ),
        (
            "criterion = \"fixd\"\ncapacities = [3, 9, 4]",
            "\"fixd\"",
            "`criterion` cannot be \"fixd\"",
            "write one of id, fixed, random",
        ),
    ] {
        let text = text(settings);
        let errors = parse("a lab", &text, *REGISTRY).unwrap_err();
        let [error] = errors.list.as_slice() else { panic!("one error for {settings}:\n{errors}") };
        assert_eq!(&text[error.at.clone()], place, "{errors}");
        assert!(error.what.starts_with(what) && error.remedy.contains(remedy), "{errors}");
    }
}

#[test]
fn an_algorithm_without_a_criterion_takes_none() {
    let text = text("criterion = \"id\"").replace("king-ni-c", "invitation").replace("500ms", "900ms");
    let errors = parse("a lab", &text, *REGISTRY).unwrap_err();
    assert_eq!(errors.list.len(), 1, "{errors}");
    assert_eq!(errors.list[0].what, "invitation has no setting `criterion`");
}

#[test]
fn a_lab_that_is_measured_is_no_lab_for_a_simulator() {
    let text = text("criterion = \"load\"");
    let lab = parse("a lab", &text, *REGISTRY).unwrap();
    let errors = lab.check_simulable("a lab").unwrap_err();
    let [error] = errors.list.as_slice() else { panic!("{errors}") };
    assert_eq!(&text[error.at.clone()], "\"load\"");
    assert!(error.what.contains("is measured on real processes"), "{errors}");
    assert!(
        error.remedy.contains("without --sim") && error.remedy.ends_with("id, fixed, random, last-win"),
        "{errors}"
    );
    for settings in ["", "criterion = \"random\"", "criterion = \"last-win\""] {
        let lab = parse("a lab", &self::text(settings), *REGISTRY).unwrap();
        assert_eq!(lab.check_simulable("a lab"), Ok(()));
    }
}
