//! What King, Gendreau and Ni's tables do to the letter, each hole in the smallest lab that has it, and mended.
//!
//! A hole stands alone where the others are mended. What the mends of 5, 6 and 15 do would repair the outcome of 3 and of
//! 13, so these are left out beside them; and 3, 12 and 13 have one mend.

use super::{
    ExploreTerms, ExploreWish, FaultKind, Property, always, answered, counts, explored, found, is_written, never,
    starting, terms, text, wish,
};

/// The holes of Tables 4a and 4b.
const HOLES: [&str; 10] = ["2", "3", "4", "5", "6", "7", "12", "13", "14", "15"];
/// From this tick on hole 12 alone keeps a lab in its election.
const LATEST: u16 = 20;
/// Faults come before this tick.
const FAULTS_UNTIL: u16 = 24;

/// All of these holes but some, as a setting.
fn mended_but(left: &[&str]) -> String {
    let mended: Vec<String> =
        HOLES.iter().filter(|hole| !left.contains(hole)).map(|hole| format!("\"{hole}\"")).collect();
    format!("errata = [{}]", mended.join(", "))
}

/// C with so many nodes that all begin at once, with this setting, and so many losses.
fn c(nodes: u16, settings: &str, losses: u8) -> ExploreTerms {
    c_begun_by(&format!("1-{nodes}"), nodes, settings, losses, &[])
}

fn c_begun_by(who: &str, nodes: u16, settings: &str, losses: u8, lost: &[&str]) -> ExploreTerms {
    let text = starting(&text("king-ni-c", nodes, ("6s", "9s"), settings), &format!("elect {who}"));
    let lost = lost.iter().map(|kind| (*kind).to_owned()).collect();
    terms(&text, &ExploreWish { lost, ..wish(&[(FaultKind::Loss, losses)], Some(FAULTS_UNTIL), None) })
}

/// Nothing is lost, and a process asks for help.
#[test]
fn hole_2_an_announcement_that_comes_early_is_not_heard() {
    let of = |settings| {
        let text = starting(&text("king-ni-c", 2, ("6s", "9s"), settings), "elect 2");
        explored(&terms(&text, &wish(&[], Some(0), None)))
    };
    let letter = of("errata = false");
    assert_eq!((found(&letter, Property::Uniqueness), counts(&letter)), ("false", (448, 428)));
    let mended = of("");
    assert_eq!((found(&mended, Property::Uniqueness), counts(&mended)), ("true", (541, 478)));
}

#[test]
fn nothing_is_said_of_elections_where_no_process_holds_one() {
    let idle = text("king-ni-c", 2, ("6s", "9s"), "");
    let of = |wish| explored(&terms(&idle, &wish));
    let report = of(wish(&[], Some(0), None));
    assert_eq!(
        [Property::Uniqueness, Property::DeadlockFree].map(|property| found(&report, property)),
        ["no election"; 2]
    );
    let ordered = of(wish(&[(FaultKind::Elect, 1)], Some(1), None));
    assert_eq!(found(&ordered, Property::Uniqueness), "true");
}

/// A follower has asked for an explanation, and does not hear the next round: one lost init, three nodes.
#[test]
fn hole_3_a_process_in_wait3_does_not_hear_the_next_round() {
    let of = |left: &[&str]| {
        let settings = format!("{}\ncandidates = \"2-3\"", mended_but(left));
        explored(&c_begun_by("2,3", 3, &settings, 1, &["init"]))
    };
    let alone = of(&["3", "12", "13", "5", "6", "15"]);
    assert_eq!((found(&alone, Property::Uniqueness), counts(&alone)), ("false", (20_135, 10_156)));
    let mended = of(&["5", "6", "15"]);
    assert_eq!((found(&mended, Property::Uniqueness), counts(&mended)), ("true", (15_497, 6_200)));
}

/// The larger capacity has the smaller id, and its init is lost: both announce themselves for ever.
#[test]
fn hole_4_names_without_capacities() {
    let of = |left: &[&str]| {
        explored(&c(2, &format!("{}\ncriterion = \"fixed\"\ncapacities = [9, 5]", mended_but(left)), 1))
    };
    let alone = of(&["4"]);
    assert_eq!((found(&alone, Property::DeadlockFree), counts(&alone)), ("false", (67_378, 37_936)));
    let mended = of(&[]);
    assert_eq!((found(&mended, Property::DeadlockFree), counts(&mended)), ("true", (2_040, 1_710)));
}

/// 1 begins later than 2, and misses its init and its first announcement: a third round for nothing, three T long.
#[test]
fn hole_12_the_next_round_is_taken_for_this_one() {
    let of = |left: &[&str]| {
        let text = starting(&text("king-ni-c", 2, ("6s", "9s"), &mended_but(left)), "elect 2");
        let lost = ["init".to_owned(), "elected".to_owned()].to_vec();
        let wish = wish(&[(FaultKind::Loss, 2), (FaultKind::Elect, 1)], Some(6), None);
        let questions = vec![always("all normal")];
        let report = explored(&terms(&text, &ExploreWish { lost, questions, asked_from: Some(LATEST), ..wish }));
        (answered(&report), counts(&report))
    };
    assert_eq!(of(&[]), ("true", (7_700, 6_296)));
    assert_eq!(of(&["3", "12", "13"]), ("false", (8_463, 6_997)));
}

/// A master does not hear the other one: an init and a `dup` are lost, and an announcement comes in coll1 (hole 2).
#[test]
fn hole_13_a_master_is_deaf() {
    let of = |left: &[&str]| {
        let mut terms = c_begun_by("1,2", 2, &mended_but(left), 2, &["init", "dup"]);
        terms.questions = vec![never("groups 2")];
        let report = explored(&terms);
        (answered(&report), counts(&report))
    };
    assert_eq!(of(&["2", "5", "6", "15"]), ("true", (2_416, 2_206)));
    assert_eq!(of(&["2", "3", "12", "13", "5", "6", "15"]), ("false", (2_572, 2_374)));
}

/// One announcement is lost, and a process asks for help beside a master.
#[test]
fn hole_15_one_lost_datagram_leaves_a_process_in_help() {
    let letter = explored(&c(2, "errata = false", 1));
    assert_eq!((found(&letter, Property::Uniqueness), counts(&letter)), ("false", (1_776, 1_662)));
    assert!(is_written(&letter, Property::Uniqueness));
    let alone = explored(&c(2, &mended_but(&["5", "6", "15"]), 1));
    assert_eq!((found(&alone, Property::Uniqueness), counts(&alone)), ("false", (1_342, 1_238)));
}

/// Mended, three nodes keep uniqueness through any one lost message.
#[test]
fn c_mended_keeps_uniqueness_through_a_loss() {
    let two = explored(&c(2, "", 2));
    assert_eq!((found(&two, Property::Uniqueness), counts(&two)), ("true", (4_165, 3_477)));
    let three = explored(&c_begun_by("2,3", 3, "candidates = \"2-3\"", 1, &[]));
    assert_eq!((found(&three, Property::Uniqueness), counts(&three)), ("true", (80_483, 17_946)));
}

/// Hole 1 of Table 3: who starts late is still in coll1 when the list of the first one comes, and has no row for it.
#[test]
fn a_late_starter_of_b2_does_not_hear_a_list_to_the_letter_and_does_when_it_is_mended() {
    let of = |settings| {
        let text = starting(&text("king-ni-b2", 2, ("6s", "9s"), settings), "elect 1");
        explored(&terms(&text, &ExploreWish::default()))
    };
    let letter = of("errata = false\nt = 0");
    assert_eq!((found(&letter, Property::Uniqueness), counts(&letter)), ("false", (1_591, 1_432)));
    let mended = of("t = 0");
    assert_eq!((found(&mended, Property::Uniqueness), counts(&mended)), ("true", (2_585, 2_186)));
}
