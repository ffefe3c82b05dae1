//! What the screens look like.
//!
//! Invariant: where meaning hangs on a style, the snapshot holds the styles too.

use insta::assert_snapshot;

use super::stage::{MS, calm, crash, given, lab, live, live_with, node, options, replay, step, storm};
use super::{hear, press, styled, text, write_text};
use crate::{Colour, Glyphs, Options, Role};
use protocol::Status;
use record::{Body, EffectText, Input, Record};

#[test]
fn the_overview_of_a_calm_lab() {
    assert_snapshot!(styled(&mut live(&calm()), 80, 24));
}

#[test]
fn the_overview_after_a_crash() {
    assert_snapshot!(text(&mut live(&crash()), 100, 30));
}

#[test]
fn the_overview_in_a_storm() {
    let mut model = live(&storm());
    press(&mut model, "Down Space Down Space");
    assert_snapshot!(styled(&mut model, 80, 24));
}

#[test]
fn the_compact_overview() {
    assert_snapshot!(text(&mut live(&storm()), 60, 16));
}

#[test]
fn a_terminal_that_is_too_small() {
    assert_snapshot!(text(&mut live(&storm()), 40, 12));
}

#[test]
fn where_nothing_can_be_seen_no_key_breaks_anything() {
    let mut model = live_with(options(lab(None), Role::Owner), &storm());
    text(&mut model, 40, 12);
    assert!(press(&mut model, "End c 4").is_empty());
    assert!(text(&mut model, 100, 30).contains("[1 overview]"));
    assert!(!press(&mut model, "End c").is_empty());
}

#[test]
fn the_overview_in_ascii_and_without_colour() {
    let plain = Options { glyphs: Glyphs::Ascii, colour: Colour::Mono, ..options(lab(None), Role::Visitor) };
    let mut model = live_with(plain, &storm());
    let screen = styled(&mut model, 80, 24);
    assert!(screen.is_ascii(), "{screen}");
    assert_snapshot!(screen);
}

#[test]
fn the_messages() {
    let mut model = live(&storm());
    press(&mut model, "2 Up Up");
    assert_snapshot!(styled(&mut model, 80, 24));
}

#[test]
fn the_messages_compact_and_filtered() {
    let mut model = live(&storm());
    press(&mut model, "/");
    write_text(&mut model, "!elected");
    press(&mut model, "Enter");
    assert_snapshot!(text(&mut model, 60, 16));
}

#[test]
fn a_message_in_all_its_detail() {
    let mut model = live(&crash());
    press(&mut model, "2 / H a l t Enter Enter");
    assert_snapshot!(text(&mut model, 100, 40));
}

#[test]
fn what_a_step_cites_of_a_table_stays_whole_where_its_words_do_not_fit() {
    let mut model = live(&calm());
    let facts = std::sync::Arc::make_mut(model.time.scene.facts.as_mut().unwrap());
    (facts.title, facts.listing_form) = ("King/Ni B.2".into(), protocol::ListingForm::Table);
    let mut record = step(900_000_000, 4, given(5, 4, "vect"), vec![], None);
    let Body::Step(taken) = &mut record.body else { panic!("a step") };
    taken.lines = vec![7];
    hear(&mut model, record);
    press(&mut model, "2");
    let mut row = |width, keys| {
        press(&mut model, keys);
        let screen = text(&mut model, width, 16);
        screen.lines().find(|line| line.contains("transition")).unwrap_or_default().trim_start().to_owned()
    };
    assert_eq!(row(80, ""), "›    0.900  4 <- 5  vect(number=1.7)  King/Ni B.2, transition 7");
    assert_eq!(row(60, ""), "›    0.900  4 <- 5  vect(number=…  King/Ni B.2, transition 7");
    assert_eq!(row(60, "Right"), "›    0.900  «vect(number=1.7)  King/Ni B.2, transition 7");
}

#[test]
fn the_faults() {
    let mut model = live(&storm());
    press(&mut model, "3 k k");
    assert_snapshot!(styled(&mut model, 80, 24));
}

#[test]
fn a_fault_in_all_its_detail() {
    let mut model = live(&storm());
    press(&mut model, "3 Up Up Enter");
    assert_snapshot!(text(&mut model, 80, 24));
}

#[test]
fn a_node_in_all_its_detail() {
    let mut model = live(&crash());
    press(&mut model, "G Enter");
    assert_snapshot!(text(&mut model, 80, 24));
}

#[test]
fn the_help() {
    let mut model = live(&calm());
    press(&mut model, "?");
    assert_snapshot!(text(&mut model, 100, 150));
}

#[test]
fn the_help_of_a_replay_scrolled() {
    let mut model = replay(&storm());
    model.size = (80, 24);
    press(&mut model, "? PgDn");
    assert_snapshot!(text(&mut model, 80, 24));
}

#[test]
fn the_palette_and_what_is_wrong_with_its_line() {
    let mut model = live(&calm());
    press(&mut model, ":");
    write_text(&mut model, "loss 1->2 130%");
    press(&mut model, "Enter");
    assert_snapshot!(text(&mut model, 80, 24));
}

#[test]
fn a_violation_as_it_is_told_and_opened() {
    let mut records = storm();
    let verdict = records.pop().unwrap();
    let violation = records.pop().unwrap();
    let mut model = live(&records);
    hear(&mut model, verdict);
    hear(&mut model, violation);
    let told = styled(&mut model, 80, 24);
    press(&mut model, "V Enter");
    assert_snapshot!(format!("{told}\n{}", text(&mut model, 80, 24)));
}

#[test]
fn a_call_for_help_is_a_word_in_the_row_and_a_line_in_the_log() {
    let mut model = live(&calm());
    let mut state = super::stage::state(Status::Election, None, None);
    state.word = "coll2".into();
    let help = EffectText::Help { text: "no answer from a candidate within the time-out".into() };
    let timer = Input::Timer { timer: "phase".into(), set: 0, due: 1, waited_for: Default::default() };
    hear(&mut model, super::stage::step(900_000_000, 2, timer, vec![help], Some(state)));
    assert!(text(&mut model, 80, 24).contains("help"));
    let screen = text(&mut model, 80, 48);
    let row = screen.lines().find(|line| line.starts_with("    2 ")).unwrap();
    assert!(row.contains("Election coll2 help"), "{screen}");
    assert!(screen.contains("2 help: no answer from a candidate"), "{screen}");
}

#[test]
fn a_row_shows_the_faults_about_its_node_and_no_other() {
    let mut records = calm();
    let ordered = Body::FaultOrdered {
        id: fault::FaultId(1),
        line: "isolate 1".parse().unwrap(),
        nodes: super::stage::set("1-5"),
        rule: "isolate 1".parse().ok(),
        step: None,
    };
    records.push(Record::of_host(1_000_000_000, ordered));
    records.push(Record::of_host(1_001_000_000, Body::FaultInForce { id: fault::FaultId(1) }));
    let screen = text(&mut live(&records), 80, 34);
    let rows: Vec<&str> = screen.lines().skip(3).take(5).collect();
    assert!(rows[0].ends_with("f1 isolate") && rows[1..].iter().all(|row| !row.contains("f1")), "{screen}");
}

#[test]
fn a_replay_standing_at_its_end() {
    let mut model = replay(&storm());
    press(&mut model, "End");
    assert_snapshot!(styled(&mut model, 80, 24));
}

#[test]
fn sixty_rows_are_scrolled_beside_a_bar() {
    let mut records = Vec::new();
    for who in 1..=60 {
        records.push(Record::of_node(0, node(who), Body::Spawned { pid: 4000 + u32::from(who) }));
    }
    let mut model = live(&calm());
    model.time.scene.world = world::World::new(protocol::Roster::new(60).unwrap());
    records.into_iter().for_each(|record| hear(&mut model, record));
    press(&mut model, "+");
    let bar = |model: &mut crate::model::Model| {
        let screen = text(model, 80, 38);
        let rows: Vec<&str> = screen.lines().skip(3).take_while(|row| row.ends_with(['█', '│'])).collect();
        let signs: String = rows.iter().map(|row| row.chars().nth(79).unwrap_or(' ')).collect();
        (rows[0].split_whitespace().find_map(|word| word.parse::<usize>().ok()).unwrap(), rows.len(), signs)
    };
    let (first, count, signs) = bar(&mut model);
    assert!((20..60).contains(&count) && signs.starts_with('█') && signs.ends_with('│'), "{signs}");
    press(&mut model, "End");
    let (last, _, signs) = bar(&mut model);
    assert_eq!((first, last), (1, 61 - count));
    assert!(signs.starts_with('│') && signs.ends_with('█'), "{signs}");
}

#[test]
fn what_an_algorithm_does_not_have_has_no_column() {
    let mut records = storm();
    for record in &mut records {
        if let Body::Step(step) = &mut record.body {
            let bare = |state| protocol::StateVector { group: None, task: None, up: Default::default(), ..state };
            step.state = step.state.take().map(bare);
        }
    }
    let mut model = live(&records);
    let with_numbers = text(&mut model, 80, 34);
    assert!(with_numbers.contains("A■ -"), "{with_numbers}");
    model.head.as_mut().unwrap().facts.groups = protocol::Groups::ByCoordinator;
    let screen = text(&mut model, 80, 34);
    let titles = screen.lines().nth(2).unwrap();
    assert_eq!(
        titles.split_whitespace().collect::<Vec<_>>(),
        ["id", "process", "status", "coord", "group", "starts", "faults"]
    );
    assert!(screen.contains("A■") && screen.contains("B▲") && !screen.contains("A■ -"), "{screen}");
}

#[test]
fn the_papers_own_word_stands_beside_the_status() {
    let mut model = live(&calm());
    let mut state = super::stage::state(Status::Normal, Some(2), None);
    state.word = "stop".into();
    hear(&mut model, step(900_000_000, 2, given(1, 2, "claim"), vec![], Some(state)));
    let narrow = text(&mut model, 80, 24);
    let strip = narrow.lines().find(|line| line.starts_with("status")).unwrap();
    assert!(
        strip.contains("stop") && narrow.contains("stop under 2"),
        "above the lanes stands what is in them: {narrow}"
    );
    let wide = text(&mut model, 140, 45);
    assert!(wide.lines().any(|line| line.contains("2 ● running  Normal stop")), "{wide}");
    press(&mut model, "j Enter");
    assert!(text(&mut model, 80, 24).contains("in the paper stop"));
}

#[test]
fn no_control_character_of_a_record_is_drawn() {
    let mut model = live(&calm());
    let evil = "a\u{1b}[31mb\u{7}c\u{202e}d\u{9b}2J";
    hear(&mut model, Record::of_host(1_000_000_000, Body::Note { text: evil.into() }));
    hear(&mut model, Record::of_node(1_000_000_001, node(1), Body::Panicked { message: evil.into() }));
    for keys in ["", "2", "Enter"] {
        press(&mut model, keys);
        let screen = text(&mut model, 80, 24);
        let is_bad = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
        assert!(!screen.contains(is_bad), "{screen:?}");
        assert!(screen.contains("a?[31mb?c?d?2J"), "{screen}");
    }
}

#[test]
fn narrow_lanes_tell_names_and_states_apart() {
    use protocol::StateVector;
    let mut model = live(&calm());
    let mut world = world::World::new(protocol::Roster::new(60).unwrap());
    let word = |who: u16| ["wait1", "wait2", "coll1", "stop"][usize::from(who % 4)];
    let records: Vec<Record> = (9..=32)
        .map(|who| {
            let state = StateVector::new(Status::Election, word(who), None);
            let timer = Input::Timer { timer: "t".into(), set: 0, due: 1, waited_for: Default::default() };
            super::stage::step(i64::from(who) * MS, who, timer, vec![], Some(state))
        })
        .collect();
    records.iter().for_each(|record| world.fold(record));
    (model.time.scene.world, model.time.scene.flow) = (world, world::flow::Flow::new(None, &Default::default()));
    records.into_iter().for_each(|record| model.time.scene.flow.take(&std::sync::Arc::new(record)));
    model.places.panes.give_keys_to(crate::model::places::Pane::Flow);
    press(&mut model, "z");
    assert_snapshot!(text(&mut model, 140, 45));
}

#[test]
fn the_keys_of_a_dead_process_are_those_that_bring_it_back() {
    let mut model = live(&crash());
    let bar = |model: &mut crate::model::Model| text(model, 80, 24).lines().last().unwrap().to_owned();
    assert!(bar(&mut model).contains("c crash"));
    press(&mut model, "Down Down Down Down");
    let of_dead = bar(&mut model);
    assert!(of_dead.contains("r recover") && !of_dead.contains("c crash"), "{of_dead}");
}
