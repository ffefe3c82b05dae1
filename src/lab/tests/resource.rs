//! Labs with a resource: one node more than elect, which may be broken and is ordered to nothing.
//!
//! Invariant: what is refused is told with its line and with what would do.

use super::*;

const NUMBERED: Card = Card { name: "numbered", numbers: CoordinatorNumbers::Differ("They differ."), ..BULLY };

/// A lab of this many nodes with a resource, and one step.
fn text(algorithm: &str, nodes: u16, when: &str, line: &str) -> String {
    format!(
        "name = \"l\"\nabout = \"l\"\nalgorithm = \"{algorithm}\"\nnodes = {nodes}\nseed = 1\nT = \"200ms\"\n\
         check = \"200ms\"\nsilence = \"1s\"\napplication = {{ name = \"fencing\", fence = false }}\n\
         [[step]]\nwhen = \"{when}\"\ndo = [\"{line}\"]\n"
    )
}

fn refused(text: &str) -> String {
    parse("l.toml", text, registry(&[BULLY, NUMBERED])).err().map_or_else(String::new, |errors| errors.to_string())
}

#[test]
fn the_resource_is_the_node_after_those_that_elect() {
    let text = text("numbered", 3, "refused 1", "crash 4");
    let lab = parse("l.toml", &text, registry(&[NUMBERED])).unwrap();
    assert_eq!((lab.roster.len(), lab.roster.electors().len()), (4, 3));
    assert_eq!(lab.facts().application.unwrap().bystanders, 1);
    assert_eq!(lab.withheld(), [Property::Fencing]);
    let again = parse("l.toml", &lab.written(), registry(&[NUMBERED])).unwrap();
    assert_eq!((again.roster, again.settings), (lab.roster, lab.settings));
}

#[test]
fn what_has_no_effect_on_a_resource_is_refused() {
    for (line, what) in [("elect 4", "there is no node 4 in this lab"), ("crash 5", "there is no node 5 in this lab")] {
        let told = refused(&text("numbered", 3, "coordinator 3", line));
        assert!(told.contains(what) && told.contains("l.toml:12:"), "{told}");
    }
    let told = refused(&text("numbered", 3, "coordinator 4", "crash 4"));
    assert!(told.contains("there is no node 4 in this lab") && told.contains("l.toml:11:"), "{told}");
}

#[test]
fn an_algorithm_without_numbers_and_one_node_too_many_are_refused() {
    let told = refused(&text("bully", 3, "coordinator 3", "crash 4"));
    for part in ["bully does not number its coordinators, and fencing needs that", "numbers its coordinators: numbered"]
    {
        assert!(told.contains(part), "{part} is not in {told}");
    }
    let told = refused(&text("numbered", 256, "coordinator 3", "crash 4"));
    for part in ["fencing adds 1 to these 256 nodes, and a lab has 256 at most", "expected 255 nodes at most"] {
        assert!(told.contains(part), "{part} is not in {told}");
    }
}

#[test]
fn nobody_refuses_a_write_in_a_lab_without_a_resource() {
    let told = refused(&text("numbered", 3, "refused 1", "crash 3").replace("application", "# application"));
    assert!(told.contains("this lab has no resource that could refuse a write"), "{told}");
}

#[test]
fn nobody_is_inside_or_enters_in_a_lab_without_a_critical_section() {
    for when in ["inside 2", "inside none", "entered 1"] {
        let told = refused(&text("numbered", 3, when, "crash 3"));
        assert!(told.contains("this lab has no critical section that a process could enter"), "{told}");
        let with_token = text("numbered", 3, when, "crash 3").replace("fencing\", fence = false", "token\"");
        assert_eq!(refused(&with_token), "");
    }
}
