//! Which of several faults a verdict names as the excuse.
//!
//! Invariant: a fault that was over before the one that decided, and changed nobody's state, is not named.

use super::lab_of;
use crate::{Plan, run};

/// The violations that are put down to another assumption. The first fault harms nobody; the second, which begins when the
/// first is over, breaks assertion 1.
fn named_otherwise(harmless: &[&str], ends: &str, decides: &str, because: u8) -> Vec<String> {
    let text = format!(
        "name = \"two\"\nabout = \"Two faults.\"\nalgorithm = \"bully\"\nnodes = 5\nseed = 1\nT = \"200ms\"\ncheck = \"200ms\"\n\
         silence = \"1s\"\n[[step]]\nat = \"1s\"\ndo = {harmless:?}\n[[step]]\nat = \"1700ms\"\ndo = [\"{ends}\"]\n[[step]]\n\
         at = \"2500ms\"\ndo = [\"{decides}\"]\n[[step]]\nat = \"6s\"\ndo = [\"heal all\"]\n[[step]]\nat = \"9s\"\ndo = []\n\
         [[expect]]\nthat = \"violation assertion-1 because {because}\"\n"
    );
    let end = run(&Plan::of(lab_of("two", &text)), Box::new(|_| {}));
    let violations = end.run.violations.iter().filter(|text| !text.contains(&format!("broke assumption {because} ")));
    assert_eq!(end.run.summary.exit_code(), 0, "{harmless:?}, {decides}: {}", end.run.summary);
    violations.cloned().collect()
}

#[test]
fn a_harmless_fault_excuses_nothing() {
    for (decides, because) in [("partition 1,2|3-5", 8), ("pause 5", 9), ("liar 3 claim", 1)] {
        for (harmless, ends) in [
            (&["slow 2 30%"][..], "heal all"),
            (&["garble 5->3 50%"], "heal all"),
            (&["cut 5->1"], "heal all"),
            (&["crash 2", "wipe 2"], "recover 2"),
        ] {
            assert_eq!(named_otherwise(harmless, ends, decides, because), [""; 0], "{harmless:?}, then {decides}");
        }
    }
}
