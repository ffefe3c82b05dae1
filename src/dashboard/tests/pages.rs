//! The pages over a screen: the lists, what their rows lead to, and the help.
//!
//! Invariant: a page says in a sentence what the screen says in a number or a name.

use std::time::Duration;

use super::stage::{broken_storm, calm, crash, lab, live, live_with, options, replay, storm};
use super::{lines_of, press, text, write_text};
use crate::input::message::ScreenMessage;
use crate::input::update::update;
use crate::{Glyphs, Options, Role};

#[test]
fn each_fault_says_what_it_did() {
    let mut model = live(&storm());
    let mut told = Vec::new();
    press(&mut model, "3 g");
    for _ in 0..4 {
        let screen = text(&mut model, 80, 24);
        let lines: Vec<&str> = screen.lines().collect();
        let rule = lines.iter().position(|line| line.starts_with("── what f")).unwrap();
        told.push(lines[rule + 1].to_owned());
        press(&mut model, "Down");
    }
    assert_eq!(
        told,
        [
            "5 died at 2.001 s.",
            "  4 -> 1    dropped      3  held      0",
            "3 stands still since 5.201 s.",
            "It did not come into force: no answer from 1.",
        ]
    );
    let went_on = record::Record::of_node(7_000_000_000, super::stage::node(3), record::Body::Continued);
    super::hear(&mut model, went_on);
    press(&mut model, "g Down Down");
    assert!(text(&mut model, 80, 24).contains("3 stood still from 5.201 to 7.000 s."));
}

#[test]
fn a_violation_is_found_again_when_its_message_has_gone() {
    let mut model = live(&storm());
    update(&mut model, ScreenMessage::Tick(Duration::from_secs(3600)));
    let screen = text(&mut model, 80, 24);
    assert!(screen.lines().next().unwrap().ends_with("1 excused, unknown (V)"), "{screen}");
    press(&mut model, "V");
    let screen = text(&mut model, 80, 24);
    assert!(screen.contains("› 6.700 s    assertion-1 by 1,4: excused, f2 broke assumption 8"), "{screen}");
    press(&mut model, "Enter");
    let screen = text(&mut model, 80, 24);
    assert!(screen.contains("promise      assertion-1: At any instant, two nodes in Reorganization"), "{screen}");
    // From there to the promise, the assumption and the fault, and back to where one was.
    press(&mut model, "Enter");
    assert!(text(&mut model, 80, 24).contains("(Garcia-Molina 1982, section III, Assertion 1)"));
    press(&mut model, "Esc Down Enter");
    assert!(text(&mut model, 80, 24).contains("A message to a node that is up is delivered within a fixed time."));
    press(&mut model, "q Down Enter");
    assert!(text(&mut model, 80, 24).contains("─ fault f2 ─"));
    press(&mut model, "Esc Esc");
    assert!(text(&mut model, 80, 24).contains("─ violations ─"));
    press(&mut model, "Esc");
    assert!(model.dialogs.layer.is_none());
    press(&mut model, ":");
    write_text(&mut model, "violations");
    press(&mut model, "Enter");
    assert!(text(&mut model, 80, 24).contains("─ violations ─"));
}

#[test]
fn what_is_assumed_and_promised_is_told_in_sentences() {
    let mut model = live(&broken_storm());
    press(&mut model, "A");
    let screen = text(&mut model, 100, 30);
    for line in [
        "8   delivery within the bound: broken by f2 at 6.801 s",
        "9   no pauses: broken by this computer at 6.803 s, holds again",
        "assertion-1    violated once",
    ] {
        assert!(screen.contains(line), "{line}: {screen}");
    }
    press(&mut model, "Enter");
    let screen = text(&mut model, 100, 30);
    assert!(screen.contains("(Garcia-Molina 1982, section II; it has the same number there)"), "{screen}");
    assert!(screen.contains("f2"), "{screen}");
}

#[test]
fn the_help_is_searched_and_its_rows_do_what_they_say() {
    let mut model = live(&calm());
    press(&mut model, "? /");
    write_text(&mut model, "kill SIG");
    let screen = text(&mut model, 80, 24);
    assert!(screen.contains("─ help /kill sig ─") && !screen.contains("recover:"), "{screen}");
    press(&mut model, "Enter");
    assert!(model.dialogs.layer.is_some() && model.dialogs.prompt.is_none());
    assert_eq!(lines_of(&press(&mut model, "Enter")), ["crash 1"]);
    assert!(model.dialogs.layer.is_none());
    press(&mut model, "? / t h r o t t l e Enter Enter");
    assert_eq!(model.dialogs.prompt.as_ref().unwrap().text, "throttle ");
    press(&mut model, "Esc ? / x x x x x");
    assert!(text(&mut model, 80, 24).contains("No row of this list contains these words."));
    press(&mut model, "Esc");
    assert!(text(&mut model, 80, 24).contains("crash: kill"), "without the search the list is whole again");
}

#[test]
fn a_page_says_how_much_of_it_is_above() {
    let mut model = live(&calm());
    press(&mut model, "?");
    assert!(!text(&mut model, 80, 24).contains("more above"));
    press(&mut model, "PgDn");
    assert!(text(&mut model, 80, 24).lines().nth(2).unwrap().contains(" more above "));
}

#[test]
fn the_help_explains_each_sign_that_the_screen_draws() {
    let mut model = live(&calm());
    press(&mut model, "? / s i g n s Enter");
    let screen = text(&mut model, 80, 60);
    for meaning in ["★           a coordinator", "#12         number 12", "3 x- 4      at 3, a message of 4 is lost"]
    {
        assert!(screen.contains(meaning), "{meaning}: {screen}");
    }
    press(&mut model, "Esc ? / ◉");
    let screen = text(&mut model, 80, 24);
    assert!(screen.contains("◉           a process that sends and receives") && !screen.contains("crash"), "{screen}");
    assert!(text(&mut model, 80, 24).contains("Signs"), "{screen}");
    let mut model = live_with(Options { glyphs: Glyphs::Ascii, ..options(lab(None), Role::Owner) }, &calm());
    press(&mut model, "? / s i g n s Enter");
    let screen = text(&mut model, 80, 60);
    assert!(screen.is_ascii() && screen.contains("@           a process that sends and receives"), "{screen}");
    assert!(screen.contains("+6 x4") && screen.contains("o2 come later"), "{screen}");
    press(&mut model, "Esc ? / w o r d s Enter");
    assert!(text(&mut model, 80, 24).contains("starts      how often a node has started"));
}

#[test]
fn the_help_of_a_replay_has_no_faults_in_it() {
    let mut model = replay(&storm());
    press(&mut model, "?");
    let screen = text(&mut model, 100, 220);
    assert!(!screen.contains("crash") && !screen.contains("partition"), "{screen}");
    assert!(screen.contains("A replay takes no faults: it shows what has already happened."), "{screen}");
    for unfit in ["write any fault line", "the lab itself goes on", "the nodes and the log"] {
        assert!(!screen.contains(unfit), "{unfit}: {screen}");
    }
    press(&mut model, "Esc : f o o Enter");
    let screen = text(&mut model, 100, 30);
    assert!(screen.contains("there is no fault `foo`") && !screen.contains("takes no faults"), "{screen}");
}

#[test]
fn the_footer_says_what_enter_does_in_a_box_and_it_never_asks_to_end_the_lab() {
    let mut model = live(&crash());
    press(&mut model, "2 f Up Enter");
    let screen = text(&mut model, 80, 24);
    assert!(
        model.dialogs.layer.is_some() && screen.contains("Enter closes") && !screen.contains("Enter opens"),
        "{screen}"
    );
    assert!(press(&mut model, "Enter").is_empty() && model.dialogs.layer.is_none());
    assert!(!text(&mut model, 80, 24).contains("End the lab?"));
    let mut model = live(&storm());
    press(&mut model, "V");
    assert!(text(&mut model, 80, 24).contains("Enter opens"));
    // The row of the help that leaves closes the help first.
    press(&mut model, "? /");
    write_text(&mut model, "quit:");
    press(&mut model, "Enter Enter");
    let screen = text(&mut model, 80, 24);
    assert!(!screen.contains("End the lab?") && !screen.contains("─ help ─"), "{screen}");
}

#[test]
fn nothing_of_the_screen_beneath_sticks_out_beside_a_box() {
    for width in [80, 100, 109] {
        let mut model = live(&storm());
        press(&mut model, "Enter");
        let screen = text(&mut model, width, 24);
        assert!(screen.lines().skip(2).take(21).all(|line| line.starts_with(['┌', '│', '└'])), "{screen}");
    }
    let mut model = live(&storm());
    press(&mut model, "Enter");
    let title = text(&mut model, 120, 24).lines().nth(2).unwrap().to_owned();
    assert!(title.contains("┌─ node 1 ─") && !title.starts_with('┌'), "{title}");
}
