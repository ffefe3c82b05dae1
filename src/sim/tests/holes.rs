//! The labs of the holes of King, Gendreau and Ni: with `errata` true each elects the one whom its comment names.
//!
//! Invariant: what happens to a lab is the same either way, but for steps that wait for what the mended table never does.

use std::sync::Arc;

use super::{lab_of, labs, session};
use crate::Plan;
use lab::Lab;

/// The lab, after which step one master must stand within how long, and who it is, when mended. Liars are not asked.
const MENDED: &[(&str, &str, &str, &str)] = &[
    ("king-ni-b1-hole-6", "crash", "20T", "master 2"),
    ("king-ni-b1-hole-7", "return", "20T", "master 3"),
    // All have the three lists at 3.65T after the first start, and the last stops at 4.9T.
    ("king-ni-b2-hole-1", "elect", "5.2T", "master 3"),
    // 3 begins Delta after 1, and stops 4T later.
    ("king-ni-b2-hole-8", "elect", "4.8T", "coordinator 3 of 1-3"),
    ("king-ni-b2-hole-9", "elect", "4.8T", "coordinator 1 of 1,2,4"),
    // 4 lies in the first election and does not say that it is master, so there is a second one.
    ("king-ni-b2-hole-10", "elect", "11T", "coordinator 3 of 1-3"),
    ("king-ni-b2-hole-11", "elect", "4.8T", "coordinator 4 of 1,2"),
    // 1 stops at 5.9T, behind the announcer that it remembers.
    ("king-ni-c-hole-2", "elect", "6T", "master 2"),
    // 1 and 2 stop at 8.5T, behind the announcer of the second round.
    ("king-ni-c-hole-3", "elect", "8.7T", "master 3"),
    // 1 is master at 8T, after its second announcement, and there is no third.
    ("king-ni-c-hole-4", "elect", "8.7T", "master 1"),
    ("king-ni-c-hole-6", "crash", "40T", "master 2"),
    ("king-ni-c-hole-7", "return", "40T", "master 3"),
    // 2 is master at 8T; 1, which gave way at 5.5T, stops at 8.5T.
    ("king-ni-c-hole-12", "elect", "8.7T", "master 2"),
    // 1 was master at 5T, gave way at 5.5T, and stops at 8.5T, when 2 is master.
    ("king-ni-c-hole-13", "elect", "8.7T", "master 2"),
    ("king-ni-c-hole-14", "elect", "12T", "master 4"),
    // 1 and 2 ask three times from 6T on, begin at 12T, and 2 is master at 17T.
    ("king-ni-c-hole-15", "elect", "18T", "master 2"),
];

/// The text with `errata` on, without the steps that wait for a moment, and with one expectation of a master.
fn mended(lab: &Lab, after: &str, within: &str, elects: &str) -> String {
    let mend = |line: &str| if line.starts_with("errata = ") { "errata = true".to_owned() } else { line.to_owned() };
    let text: String = lab.text.lines().map(|line| mend(line) + "\n").collect();
    let is_kept =
        |table: &&str| !table.starts_with("expect]]") && !table.contains("enters") && !table.contains("sent by");
    let kept: Vec<&str> = text.split("\n[[").filter(is_kept).collect();
    let elects = format!("that = \"{elects}\"\nafter = \"{after}\"\nwithin = \"{within}\"\nstays = \"2s\"");
    format!("{}\n[[expect]]\n{elects}\n\n[[expect]]\nthat = \"no violation\"\n", kept.join("\n[["))
}

#[test]
fn mended_labs_elect_whom_they_name() {
    let labs = labs();
    let is_of_c = |lab: &&Arc<Lab>| lab.name.starts_with("king-ni-c-hole-");
    assert_eq!(
        labs.iter().filter(is_of_c).count(),
        MENDED.iter().filter(|row| row.0.starts_with("king-ni-c-")).count()
    );
    for (name, after, within, elects) in MENDED {
        let lab = labs.iter().find(|lab| lab.name == *name).unwrap_or_else(|| panic!("{name}"));
        // That the lab meets its expectations to the letter, and not when mended, is tested for every lab.
        let (_, end) = session(&Plan::of(lab_of(name, &mended(lab, after, within, elects))));
        assert_eq!(end.run.summary.exit_code(), 0, "{name}: {} {:?}", end.run.summary, end.run.violations);
        assert_eq!(end.run.summary.met, 2, "{name}: {}", end.run.summary);
    }
}
