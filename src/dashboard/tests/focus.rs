//! Which pane of the overview has the keys: how it looks, how one gets there and back.
//!
//! Invariant: one sign of the cursor is on the screen, and it is where the keys move.

use super::stage::{calm, crash, live, storm};
use super::{press, text};
use crate::model::places::{Pane, Screen};
use crate::view::arrangement::focus;

#[test]
fn escape_leads_from_the_flow_back_to_the_nodes() {
    for (width, height) in [(80, 24), (100, 30), (140, 45)] {
        let mut model = live(&crash());
        text(&mut model, width, height);
        press(&mut model, "Down 6 Enter");
        let screen = text(&mut model, width, height);
        assert!(screen.contains("Esc nodes") && screen.contains("not following (G)"), "{screen}");
        let marked: Vec<&str> = screen.lines().filter(|line| line.starts_with('›')).collect();
        assert!(marked.len() == 1 && marked[0].starts_with("›  3.100"), "{screen}");
        press(&mut model, "Up");
        assert_eq!(model.selected_node().map(|node| node.get()), Some(2), "the nodes stand still");
        press(&mut model, "Esc");
        let screen = text(&mut model, width, height);
        assert_eq!((focus(&model), model.places.panes.flow_cursor), (Pane::Nodes, None));
        assert!(!screen.contains("not following") && !screen.contains("Esc nodes"), "{screen}");
        assert!(screen.contains("›2") || screen.contains("›   2"), "{screen}");
        press(&mut model, "Up");
        assert_eq!(model.selected_node().map(|node| node.get()), Some(1));
    }
}

#[test]
fn shift_tab_walks_back() {
    let mut model = live(&calm());
    text(&mut model, 80, 24);
    press(&mut model, "Tab BackTab");
    assert_eq!((model.places.screen, focus(&model)), (Screen::Overview, Pane::Nodes));
    press(&mut model, "Tab Tab BackTab");
    assert_eq!((model.places.screen, focus(&model)), (Screen::Overview, Pane::Flow));
    press(&mut model, "BackTab BackTab");
    assert_eq!(model.places.screen, Screen::Elections);
}

#[test]
fn a_flow_that_follows_marks_its_last_row() {
    let mut model = live(&crash());
    press(&mut model, "Tab");
    let screen = text(&mut model, 80, 24);
    let marked: Vec<&str> = screen.lines().filter(|line| line.starts_with('›')).collect();
    assert!(marked.len() == 1 && marked[0].starts_with("›  3.300"), "{screen}");
    assert!(screen.contains("›flow: following"), "{screen}");
}

#[test]
fn the_footer_says_first_what_matters_here() {
    let mut model = live(&calm());
    let footer = |model: &mut crate::model::Model| text(model, 80, 24).lines().last().unwrap().to_owned();
    assert!(footer(&mut model).starts_with("v why  Enter details  Tab panes  S play steps"), "{}", footer(&mut model));
    press(&mut model, "Tab");
    assert!(footer(&mut model).starts_with("Esc nodes  v why  Enter details  Tab panes"), "{}", footer(&mut model));
}

#[test]
fn in_the_flow_following_is_its_own_and_elsewhere_the_way_to_the_messages_is_told() {
    let mut model = live(&storm());
    press(&mut model, "Tab f");
    assert!(model.places.screen == Screen::Overview && model.places.panes.flow_cursor.is_some());
    assert!(text(&mut model, 140, 24).contains("not following"));
    press(&mut model, "f");
    assert!(model.places.screen == Screen::Overview && model.places.panes.flow_cursor.is_none());
    for key in ["f", "n"] {
        model.toasts.clear();
        press(&mut model, "Esc 1");
        press(&mut model, key);
        assert!(model.places.screen == Screen::Messages);
        let told = "These are the messages; 1 leads back.";
        assert!(model.toasts.iter().any(|toast| toast.text == told), "{key}");
    }
}
