//! Labs whose copies have weights, which are the capacities that the lab gives.
//!
//! Invariant: what is refused is told with its line and with what would do.

use super::*;

/// One process may begin for all.
const WEIGHED: Card = Card { needs: Assumption::first(12), ..KING_NI_C };

fn text(settings: &str, when: &str) -> String {
    format!(
        "name = \"l\"\nabout = \"l\"\nalgorithm = \"king-ni-c\"\nnodes = 3\nseed = 1\nT = \"200ms\"\ncheck = \"500ms\"\n\
         silence = \"2s\"\n[settings]\n{settings}\n[application]\nname = \"copies\"\n\
         [[step]]\nwhen = \"{when}\"\ndo = [\"update 2 7\"]\n"
    )
}

fn refused(text: &str) -> String {
    parse("l.toml", text, registry(&[WEIGHED])).err().map_or_else(String::new, |errors| errors.to_string())
}

#[test]
fn the_weights_are_the_capacities() {
    let lab =
        parse("l.toml", &text("criterion = \"fixed\"\ncapacities = [3, 1, 1]", "counter 12"), registry(&[WEIGHED]))
            .unwrap();
    assert_eq!(lab.facts().application.unwrap().weights, [3, 1, 1]);
    assert_eq!(refused(&text("criterion = \"fixed\"\ncapacities = [3, 1, 1]", "refused 1")), "");
}

#[test]
fn without_given_capacities_there_are_no_weights() {
    for criterion in ["id", "random"] {
        let told = refused(&text(&format!("criterion = \"{criterion}\""), "coordinator 3"));
        let what = format!("with criterion = \"{criterion}\" the lab gives none");
        for part in [what.as_str(), "l.toml:12:", "expected criterion = \"fixed\"", "capacities = [3, 1, 1]"] {
            assert!(told.contains(part), "{part} is not in {told}");
        }
    }
}

#[test]
fn nobody_holds_a_counter_in_a_lab_without_one() {
    let without = text("criterion = \"id\"", "counter 12").replace("[application]\nname = \"copies\"\n", "");
    let told = refused(&without.replace("update 2 7", "crash 2"));
    assert!(told.contains("the processes of this lab hold no counter"), "{told}");
}
