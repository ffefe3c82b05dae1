//! The overview at every size: which nodes are in sight.
//!
//! Invariant: no node is hidden while rows are empty, a larger screen never shows fewer nodes, and a coordinator is always
//! in sight.

use std::collections::BTreeSet;
use std::iter::once;

use super::lessons::{taken, told_head};
use super::stage::{MS, given, node, numbered, state, step};
use super::{press, replay_of, text};
use crate::model::places::Pane;
use crate::model::{Model, Tone};
use crate::view::arrangement::{Arrangement, Shape, body};
use crate::view::mouse_targets::MouseTarget;
use protocol::{NodeId, Status};
use record::{Body, Head, Record, SessionReader};

const WIDTHS: std::ops::RangeInclusive<u16> = 60..=200;
const HEIGHTS: std::ops::RangeInclusive<u16> = 16..=60;

/// What takes rows from the panes.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum Taking {
    Nothing,
    /// A lesson's question with its answer.
    Question,
    /// What a lesson says, and messages for a while.
    WordsAndMessages,
}

/// So many nodes under the last one, after so many elections of one node each.
fn model_of(count: u16, elections: u16, taking: Taking) -> Model {
    let told = match taking {
        Taking::Nothing => None,
        Taking::Question => Some("who"),
        Taking::WordsAndMessages => Some("welcome"),
    };
    let normal = |at, who| {
        step(at, who, given(count, who, "Elected"), vec![], Some(state(Status::Normal, Some(count), Some((count, 1)))))
    };
    let mut records = vec![Record::of_host(0, Body::Began)];
    records.extend(told.map(|step| taken(MS, step)));
    records.extend((1..=count).map(|who| normal(2 * MS, who)));
    for election in 0..elections {
        let (at, who) = (i64::from(election + 1) * 100 * MS, election % count + 1);
        records.push(step(at, who, given(count, who, "Halt"), vec![], Some(state(Status::Election, None, None))));
        records.push(normal(at + 50 * MS, who));
    }
    let head = Head { nodes: count, ..told_head() };
    let head = Some(if told.is_some() { head } else { Head { lab_file: String::new(), ..head } });
    let session = SessionReader { head, records: numbered(records), skipped: Vec::new() };
    let mut model = replay_of(&super::options_of_replay(), session);
    press(&mut model, "End");
    if taking == Taking::WordsAndMessages {
        for number in 1..=4 {
            model.tell(Tone::Plain, format!("Message {number} is one of four that are shown for a while."));
        }
    }
    model
}

/// How many nodes the arrangement has room for.
fn room_for_nodes(model: &Model, count: u16) -> u16 {
    let arrangement = Arrangement::now(model);
    match arrangement.shape {
        Shape::Strip => count,
        _ => arrangement.inside(Pane::Nodes).height.saturating_sub(1).min(count),
    }
}

/// The nodes that are drawn in the table, or as heads of lanes where there is no table.
fn drawn_nodes(model: &Model) -> BTreeSet<NodeId> {
    let arrangement = Arrangement::now(model);
    let (nodes, flow) = (arrangement.inside(Pane::Nodes), arrangement.inside(Pane::Flow));
    let cells: Vec<(u16, u16)> = match arrangement.shape {
        Shape::Strip => (flow.left()..flow.right()).map(|x| (x, flow.y)).collect(),
        _ => (nodes.top()..nodes.bottom()).map(|y| (nodes.x, y)).collect(),
    };
    let spots = cells.into_iter().filter_map(|(x, y)| model.drawing.targets.at(x, y));
    spots.filter_map(|(_, spot)| if let MouseTarget::Node(node) = spot { Some(node) } else { None }).collect()
}

/// Draws the screen at its size, and looks whether it shows what it has room for.
fn check_drawn(model: &mut Model, count: u16, room: u16, context: &str) {
    let (width, height) = model.size;
    let screen = text(model, width, height);
    let drawn = drawn_nodes(model);
    assert_eq!(drawn.len(), usize::from(room), "{context}\n{screen}");
    assert!(drawn.contains(&node(count)), "{context}: the coordinator is out of sight\n{screen}");
    if room < count {
        let body = body(model);
        let mut rows = screen.lines().skip(usize::from(body.y)).take(usize::from(body.height));
        assert!(
            rows.all(|row| !row.is_empty()),
            "{context}: a row is empty, and {room} of {count} are shown\n{screen}"
        );
    }
}

#[test]
fn no_node_is_hidden_while_rows_are_empty_and_a_larger_screen_never_shows_fewer() {
    for taking in [Taking::Nothing, Taking::Question, Taking::WordsAndMessages] {
        // Before the flow has filled its rows, these are the nodes'.
        for (count, elections) in [(3, 40), (5, 40), (9, 40), (16, 40), (16, 2)] {
            let mut model = model_of(count, elections, taking);
            let mut lower = vec![0; usize::from(*WIDTHS.end()) + 1];
            for height in HEIGHTS {
                let mut narrower = 0;
                for width in WIDTHS {
                    model.size = (width, height);
                    let room = room_for_nodes(&model, count);
                    let context = format!("{count} nodes, {elections} elections, {taking:?}, {width}x{height}");
                    assert!(room >= narrower, "{context}: {room} nodes, and {narrower} on a narrower screen");
                    let below = lower[usize::from(width)];
                    assert!(room >= below, "{context}: {room} nodes, and {below} on a lower screen");
                    (narrower, lower[usize::from(width)]) = (room, room);
                    let is_sample = width % 35 == 25 && height % 8 == 0;
                    if is_sample || room < count && width % 45 == 0 {
                        check_drawn(&mut model, count, room, &context);
                    }
                }
            }
        }
    }
}

#[test]
fn a_coordinator_stays_in_sight_while_the_cursor_goes_through_nodes_that_do_not_all_fit() {
    let mut model = model_of(16, 40, Taking::Question);
    (model.size, model.places.panes.focus) = ((80, 24), Pane::Nodes);
    let mut selected = BTreeSet::new();
    for _ in 0..16 {
        let screen = text(&mut model, 80, 24);
        let drawn = drawn_nodes(&model);
        let at = model.selected_node().unwrap();
        assert!(drawn.len() < 16 && drawn.contains(&node(16)) && drawn.contains(&at), "{screen}");
        selected.insert(at);
        press(&mut model, "Down");
    }
    assert_eq!(selected, (1..=16).map(node).collect());
}

#[test]
fn the_panes_beside_the_nodes_keep_rows_of_their_own() {
    for (count, taking) in [(5, Taking::Nothing), (5, Taking::Question), (9, Taking::Nothing), (16, Taking::Nothing)] {
        let mut model = model_of(count, 40, taking);
        for size in [(80, 24), (100, 30), (130, 39), (130, 40), (140, 44), (140, 45), (200, 60)] {
            model.size = size;
            let arrangement = Arrangement::now(&model);
            let panes = arrangement.panes.iter().map(|(pane, _)| *pane).filter(|pane| *pane != Pane::Nodes);
            for pane in panes.chain(once(Pane::Flow)) {
                let rows = arrangement.inside(pane).height;
                let least = match pane {
                    Pane::Flow => 5,
                    Pane::Log | Pane::Why => 2,
                    _ => 7,
                };
                let is_squeezed = matches!((pane, taking), (Pane::Log, Taking::Question));
                assert!(rows >= least || is_squeezed, "{count} nodes, {taking:?}, {size:?}: {pane:?} has {rows} rows");
            }
        }
    }
}
