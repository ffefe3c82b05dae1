//! The panes of the overview: side by side where there is room, walked by Tab and given the whole screen.
//!
//! Invariant: what a snapshot shows is what a person reads: no pane is empty, and no word is cut in a pane of text.

use insta::assert_snapshot;

use super::stage::{
    MS, broken_storm, calm, crash, given, head, lab, live, live_with, node, numbered, options, replay, state, step,
    storm,
};
use super::{hear, press, styled, text};
use crate::model::Model;
use crate::model::places::{LinksLook, Pane, Screen, Zoom};
use crate::view::arrangement::focus;
use crate::{Colour, Glyphs, Options, Role};
use fault::FaultId;
use protocol::{Assumption, Incarnation, Status};
use record::{Body, Death, Head, Outcome, Record, SessionReader, VerdictAbout};

#[test]
fn all_panes_of_a_wide_screen() {
    let mut model = live(&broken_storm());
    assert_snapshot!(text(&mut model, 140, 45));
}

#[test]
fn all_panes_of_the_widest_screen() {
    let mut model = live(&broken_storm());
    press(&mut model, "Tab");
    assert_snapshot!(text(&mut model, 200, 60));
}

#[test]
fn a_wide_replay_amid_its_session() {
    let mut model = replay(&storm());
    press(&mut model, "] } [");
    assert_snapshot!(text(&mut model, 140, 45));
}

#[test]
fn a_wide_screen_in_ascii_and_without_colour() {
    let plain = Options { glyphs: Glyphs::Ascii, colour: Colour::Mono, ..options(lab(None), Role::Visitor) };
    let mut model = live_with(plain, &storm());
    let screen = styled(&mut model, 140, 45);
    assert!(screen.is_ascii(), "{screen}");
    assert_snapshot!(screen);
}

#[test]
fn a_node_alone_knows_no_assumptions_and_no_reasons() {
    let mut model = live_with(options(lab(Some(node(3))), Role::Visitor), &crash());
    assert_snapshot!(text(&mut model, 140, 45));
}

#[test]
fn tab_walks_the_panes_that_are_on_the_screen() {
    let mut model = live(&storm());
    let mut walked = |width, height| {
        model.size = (width, height);
        (model.places.screen, model.places.panes.focus) = (Screen::Overview, Pane::Nodes);
        let mut panes = vec![focus(&model)];
        while press(&mut model, "Tab").is_empty() && model.places.screen == Screen::Overview {
            panes.push(focus(&model));
        }
        panes
    };
    assert_eq!(walked(140, 45), Pane::ALL);
    assert_eq!(walked(80, 24), [Pane::Nodes, Pane::Flow]);
    assert_eq!(walked(100, 30), [Pane::Nodes, Pane::Flow]);
    assert_eq!(walked(100, 60), [Pane::Nodes, Pane::Flow, Pane::Log]);
    for screen in Screen::ALL.into_iter().filter(|screen| ![Screen::Overview, Screen::History].contains(screen)) {
        (model.places.screen, model.places.panes.focus) = (screen, Pane::Nodes);
        press(&mut model, "Tab");
        assert_eq!(model.places.screen, screen.next(model.screens()));
    }
}

#[test]
fn the_pane_that_has_the_keys_gets_the_whole_screen_and_gives_it_back() {
    let mut model = live(&broken_storm());
    model.size = (140, 45);
    press(&mut model, "Tab Tab Tab z");
    assert_eq!((focus(&model), model.places.panes.zoom), (Pane::Election, Zoom::Alone));
    // On a smaller screen, which does not have that pane, the flow has the keys.
    assert_snapshot!(text(&mut model, 80, 24));
    let screen = text(&mut model, 140, 45);
    assert!(screen.contains("›the latest election") && !screen.contains("assumptions ──"), "{screen}");
    press(&mut model, "z");
    assert!(text(&mut model, 140, 45).contains("assumptions ──"));
}

#[test]
fn the_pane_that_has_the_keys_scrolls_no_further_than_its_end() {
    let mut model = live(&broken_storm());
    model.size = (130, 40);
    let head = model.head.as_mut().unwrap();
    head.facts.needs =
        (1..=10).filter_map(|number| Assumption::ALL.into_iter().find(|of| of.number() == number)).collect();
    model.places.panes.focus = Pane::Assumptions;
    let first = text(&mut model, 130, 40);
    press(&mut model, "PgDn PgDn PgDn");
    let at = model.places.panes.scrolls;
    let last = text(&mut model, 130, 40);
    assert!(!first.contains("10 ● one clock rate") && last.contains("10 ● one clock rate"), "{first}{last}");
    press(&mut model, "Down");
    assert_eq!(model.places.panes.scrolls, at);
    press(&mut model, "g");
    assert_eq!(text(&mut model, 130, 40), first);
}

#[test]
fn a_row_of_the_log_is_walked_to_and_opened_while_others_come() {
    let mut model = live(&crash());
    model.size = (140, 45);
    model.places.panes.focus = Pane::Log;
    press(&mut model, "Up Up Up");
    let chosen = model.places.panes.log_cursor;
    for record in storm().into_iter().skip(crash().len()) {
        hear(&mut model, record);
    }
    assert_eq!(model.places.panes.log_cursor, chosen);
    let screen = text(&mut model, 140, 45);
    assert!(screen.contains("log  not following (G)"), "{screen}");
    // Enter opens what was told last, until that is closed.
    model.toasts.clear();
    press(&mut model, "Enter");
    let page = text(&mut model, 140, 45);
    assert!(page.contains("1 Normal under 4"), "{page}");
    press(&mut model, "Esc G");
    assert_eq!(model.places.panes.log_cursor, None);
}

#[test]
fn a_message_for_a_while_takes_its_rows_from_the_log_alone() {
    let mut model = live(&calm());
    let before = text(&mut model, 140, 45);
    press(&mut model, "Tab n");
    model.places.panes.focus = Pane::Nodes;
    model.places.screen = Screen::Overview;
    assert!(model.toasts.back().is_some());
    let after = text(&mut model, 140, 45);
    let places = |screen: &str| -> Vec<usize> {
        let lines = screen.lines().enumerate();
        lines.filter(|(_, line)| line.starts_with("── ") && !line.contains("log")).map(|(place, _)| place).collect()
    };
    assert_eq!(places(&before), places(&after));
}

/// A lab whose steps are those of the storm: one was taken, and another waits.
fn stepping(records: &[Record]) -> Model {
    let is_order = |record: &Record| matches!(&record.body, Body::FaultOrdered { step: Some(_), .. });
    let mut records = records.to_vec();
    if let Some(place) = records.iter().position(is_order) {
        records.insert(place, Record::of_host(records[place].at, Body::StepTaken { step: "part".into() }));
    }
    let mut model = live(&numbered(records));
    let head = model.head.as_mut().unwrap();
    head.lab_file = "[[step]]\nname = \"part\"\nat = \"5s\"\ndo = [\"partition 1,2|3-5\"]\n\
                     [[step]]\nname = \"mend\"\nwhen = \"groups 2\"\nthen_wait = \"1s\"\ndo = [\"heal\"]\n\
                     [[step]]\nname = \"rest\"\nwhen = \"all normal\"\ndo = []\n"
        .into();
    head.lab_id = "stepping".into();
    model
}

#[test]
fn the_steps_of_a_lab_say_which_is_next_and_what_it_waits_for_since_when() {
    let mut model = stepping(&storm());
    assert_snapshot!(text(&mut model, 140, 45));
    press(&mut model, "s");
    assert_snapshot!(text(&mut model, 80, 24));
    press(&mut model, "s");
    assert!(model.dialogs.layer.is_none());
}

#[test]
fn a_step_that_was_given_up_stays_the_next_one() {
    let mut model = stepping(&storm());
    let text_of = "FAILED step \"mend\": groups 2 never came".to_owned();
    let about = VerdictAbout::Step("mend".to_owned());
    let verdict = Body::Verdict { about, outcome: Outcome::Failed, text: text_of };
    hear(&mut model, Record { number: 99, ..Record::of_host(7_000 * MS, verdict) });
    let screen = text(&mut model, 140, 45);
    assert!(screen.contains("mend: heal") && screen.contains("when groups 2, and 1s later;"), "{screen}");
    press(&mut model, "s");
    let page = text(&mut model, 80, 45);
    assert!(page.contains("mend, which never came") && page.contains("rest, later"), "{page}");
}

#[test]
fn steps_that_nobody_plays_say_who_can() {
    let screen = text(&mut stepping(&crash()), 140, 45);
    assert!(screen.contains("part: partition 1,2|3-5"), "{screen}");
    assert!(screen.contains("S plays them"), "{screen}");
}

/// Sixty nodes: 58 coordinates most of them, 20 a few, three are dead, one is paused and one holds an election.
fn sixty() -> Model {
    let mut records: Vec<Record> = Vec::new();
    for who in 1..=60 {
        records.push(Record::of_node(-50 * MS, node(who), Body::Ready { incarnation: Incarnation(1) }));
    }
    records.push(Record::of_host(0, Body::Began));
    for who in 1..=60 {
        let under = if (17..=20).contains(&who) { 20 } else { 58 };
        let state = match who {
            31 => state(Status::Election, None, None),
            _ => state(Status::Normal, Some(under), Some((under, 1))),
        };
        records.push(step(500 * MS + i64::from(who), who, given(under, who, "Elected"), vec![], Some(state)));
    }
    for who in [7, 59, 60] {
        let death = Death::Killed { by: FaultId(1) };
        records.push(Record::of_node(900 * MS, node(who), Body::Died { death }));
    }
    records.push(Record::of_node(950 * MS, node(40), Body::Stopped { by: FaultId(2) }));
    let session =
        SessionReader { head: Some(Head { nodes: 60, ..head() }), records: numbered(records), skipped: Vec::new() };
    let mut model = super::replay_of(&super::options_of_replay(), session);
    press(&mut model, "End");
    model
}

/// So many nodes under the first one.
fn many(count: u16) -> Model {
    let mut records = vec![Record::of_host(0, Body::Began)];
    let normal =
        |who| step(500 * MS, who, given(1, who, "Elected"), vec![], Some(state(Status::Normal, Some(1), None)));
    records.extend((1..=count).map(normal));
    let head = Some(Head { nodes: count, ..head() });
    let session = SessionReader { head, records: numbered(records), skipped: Vec::new() };
    let mut model = super::replay_of(&super::options_of_replay(), session);
    press(&mut model, "End");
    model
}

#[test]
fn up_to_sixteen_processes_have_a_row_each_and_are_drawn() {
    for (count, is_few) in [(16, true), (17, false)] {
        let mut model = many(count);
        let screen = text(&mut model, 80, 24);
        assert_eq!(screen.contains("group coord"), !is_few, "{screen}");
        press(&mut model, "5 z");
        assert_eq!(model.places.links.look == LinksLook::Drawing, is_few, "{count}");
    }
}

#[test]
fn sixty_processes_fold_into_their_groups() {
    let mut model = sixty();
    press(&mut model, "Down Down");
    let sizes = [(60, 16), (80, 24), (100, 30), (140, 45)];
    let screens = sizes.map(|(width, height)| {
        let screen = text(&mut model, width, height);
        let rows = screen.lines().skip(2).take(8).map(|row| row.split('│').next().unwrap_or_default().trim_end());
        rows.collect::<Vec<_>>().join("\n")
    });
    assert_snapshot!(screens.join("\n\n"));
}

#[test]
fn a_key_shows_each_of_many_processes_and_folds_them_again() {
    let mut model = sixty();
    model.size = (80, 24);
    let folded = text(&mut model, 80, 24);
    assert!(folded.contains("nodes (+ shows each)"), "{folded}");
    press(&mut model, "+");
    let each = text(&mut model, 80, 24);
    assert!(each.contains(" 2  ● running  Normal") && !each.contains("(+ shows each)"), "{each}");
    assert!(["20", "58"].iter().all(|leads| each.contains(&format!("★{leads} ● running"))), "{each}");
    press(&mut model, "+");
    assert_eq!(text(&mut model, 80, 24), folded);
    press(&mut model, "z");
    let (whole, row) = (text(&mut model, 80, 24), "16  ● running  Normal");
    assert!(whole.contains(row) && !each.contains(row), "the whole screen has room for more: {whole}");
}

#[test]
fn messages_for_a_while_make_the_flow_lower_and_change_nothing_else() {
    let mut model = live(&calm());
    let head = |screen: String| screen.lines().skip(2).take(7).map(str::to_owned).collect::<Vec<_>>();
    let before = head(text(&mut model, 100, 30));
    for key in ["n", "Y", "n", "J"] {
        press(&mut model, key);
        model.places.screen = Screen::Overview;
    }
    assert!(model.toasts.rows(&model.theme, (100, 30)) > 1);
    assert_eq!(head(text(&mut model, 100, 30)), before);
}

#[test]
fn the_table_of_the_nodes_keeps_its_columns() {
    let mut model = live(&calm());
    let titles = |model: &mut Model| text(model, 120, 36).lines().nth(2).unwrap().to_owned();
    let before = titles(&mut model);
    assert!(before.contains("task") && before.contains("members"), "{before}");
    for who in 1..=5 {
        let input = given(1, who, "Halt");
        hear(&mut model, step(9_000 * MS, who, input, vec![], Some(state(Status::Down, None, None))));
        assert_eq!(titles(&mut model), before);
    }
}

#[test]
fn a_replay_has_from_its_beginning_the_columns_that_it_once_has() {
    let mut model = replay(&storm());
    let titles = |model: &mut Model| text(model, 120, 36).lines().nth(2).unwrap().to_owned();
    let at_the_beginning = titles(&mut model);
    press(&mut model, "End");
    assert_eq!(titles(&mut model), at_the_beginning);
}

#[test]
fn among_many_lanes_that_of_a_coordinator_is_in_sight() {
    let mut model = sixty();
    let coordinators: Vec<String> =
        model.seen().world.groups().iter().map(|group| format!("{}★", group.coordinator)).collect();
    let screen = text(&mut model, 80, 24);
    let has_lane = |name: &String| screen.lines().any(|line| line.contains("more processes") && line.contains(name));
    assert!(!coordinators.is_empty() && coordinators.iter().all(has_lane), "{coordinators:?} {screen}");
}
