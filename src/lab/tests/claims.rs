//! A lab file may name a defect of the paper as the reason for an expected violation.
//!
//! Invariant: a defect that the lab corrects, or that its algorithm does not have, is an error; the error lists the
//! possible ones.

use super::*;

#[test]
fn a_hole_that_the_lab_does_not_have_is_refused_and_those_that_it_has_are_named() {
    for (old, new, what, expected) in [
        ("hole B1", "hole B2", "Bully has no hole B2", "this lab has these holes: B1, B8, B9"),
        ("errata = false", "errata = [\"B9\"]", "this lab mends hole B1", "this lab has these holes: B8"),
        ("errata = false", "errata = true", "this lab mends hole B1", "this lab has no hole"),
    ] {
        let text = WHOLE.replace(old, new);
        let errors = parse("whole.toml", &text, *REGISTRY).unwrap_err();
        let [error] = errors.list.as_slice() else { panic!("one error for {new}:\n{errors}") };
        assert!(text[error.at.clone()].starts_with("\"violation assertion-1 because hole "), "{errors}");
        assert!(error.what.starts_with(what) && error.expected == expected, "{errors}");
    }
}
