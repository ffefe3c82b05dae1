//! The key `v`: why the node under the cursor is in its state, why a record says what it says, or why an election came
//! out as it did.
//!
//! Invariant: an open answer moves only when a person moves in it.

use std::sync::Arc;

use super::moving::Movement;
use super::{flow, layers};
use crate::input::action::Action;
use crate::model::pages::WhyAnswer;
use crate::model::places::{Pane, Screen};
use crate::model::row::Row;
use crate::model::{Layer, Model, Subject, Tone};
use crate::view::arrangement::focus;
use crate::view::layer;
use judge::why::AskedWhy;
use protocol::NodeId;
use record::{Body, Record};
use world::ElectionView;

/// Why nothing is explained; each sentence stands in [`NotExplained::words`].
#[derive(Copy, Clone)]
enum NotExplained {
    NothingThere,
    NoCauses,
    OfAFault,
    NotKept,
    NoElection,
}

impl NotExplained {
    fn words(self, key: &str) -> String {
        match self {
            NotExplained::NothingThere => {
                format!("`{key}` tells why a node or a record is as it is; there is none under the cursor.")
            }
            NotExplained::NoCauses => "Nothing is known of its causes: it is about no node.".to_owned(),
            NotExplained::OfAFault => format!(
                "`{key}` tells why a node, an election, a message or a violation is as it is; Enter tells all about a \
                 fault."
            ),
            NotExplained::NotKept => {
                "This screen no longer holds the records of that moment: `hustings why` reads the session.".to_owned()
            }
            NotExplained::NoElection => "There was no election yet.".to_owned(),
        }
    }
}

/// What is asked about, and the moment at which it is explained, if that is neither the one that is shown nor a record's own.
type AskedThen = (AskedWhy, Option<i64>);

/// Does what an action does in an open answer. Returns whether it does anything there.
pub fn walk_answer(model: &mut Model, action: Action) -> bool {
    if let Some(movement) = Movement::of(action, model.size.1) {
        return walk(model, movement);
    }
    match action {
        Action::Open => open_record(model),
        Action::Back => close_record(model),
        Action::Why => {
            ask(model);
            true
        }
        _ => false,
    }
}

/// Opens the answer about what is under the cursor; in an open answer it asks which faults were needed.
pub fn ask(model: &mut Model) {
    let records = model.records_seen();
    if let Some(Layer { about: Subject::Why(sheet), .. }) = &mut model.dialogs.layer {
        sheet.ask_needs(model.rerun, model.head.as_ref(), &records);
        return;
    }
    let (asked, until) = match asked(model) {
        Ok(asked) => asked,
        Err(nothing) => return tell_nothing(model, nothing),
    };
    let until = match asked {
        AskedWhy::Node(_) => Some(until.unwrap_or(model.seen().at)),
        AskedWhy::Record(_) => until,
    };
    match WhyAnswer::new(asked, until, model.head.as_ref(), &records) {
        Some(sheet) => layers::open(model, Subject::Why(Box::new(sheet))),
        None => tell_nothing(model, NotExplained::NoCauses),
    }
}

fn tell_nothing(model: &mut Model, nothing: NotExplained) {
    let key = model.key(Action::Why);
    model.tell(Tone::Plain, nothing.words(&key));
}

/// What is under the cursor, and at which moment, if not at the one that is shown; or why nothing is. A violation that
/// was told just now comes first, and its message goes, as it does when it is opened.
fn asked(model: &mut Model) -> Result<AskedThen, NotExplained> {
    match &model.dialogs.layer {
        Some(Layer { about: Subject::Node(node), .. }) => return Ok((AskedWhy::Node(*node), None)),
        Some(Layer { about: Subject::Row(row), .. }) => return of_row(row),
        Some(Layer { about: Subject::Fault(_), .. }) => return Err(NotExplained::OfAFault),
        _ => {}
    }
    let told = model.toasts.back().and_then(|toast| toast.row).and_then(|number| model.time.scene.rows.get(number));
    if let Some(row) = told.filter(|row| matches!(row.record.body, Body::Violation(_))).cloned() {
        model.toasts.pop_back();
        return of_row(&row);
    }
    let of_node = |node: Option<NodeId>| Ok((AskedWhy::Node(node.ok_or(NotExplained::NothingThere)?), None));
    match model.places.screen {
        Screen::Messages => {
            let row = model.selected_message().and_then(|number| model.seen().rows.get(number));
            of_row(row.ok_or(NotExplained::NothingThere)?)
        }
        Screen::Links => of_node(model.selected_link().map(|(_, to)| to)),
        Screen::Faults => Err(NotExplained::OfAFault),
        Screen::Elections => of_election(model, model.selected_election()),
        Screen::History => of_node(model.selected_node()),
        Screen::Overview => match focus(model) {
            Pane::Flow => of_flow(model),
            Pane::Log => of_row(model.selected_news().as_ref().ok_or(NotExplained::NothingThere)?),
            Pane::Election => of_election(model, model.seen().world.elections.latest.back()),
            Pane::Nodes | Pane::Paper | Pane::Assumptions | Pane::Steps | Pane::Why => of_node(model.selected_node()),
        },
        Screen::Paper => of_node(model.selected_node()),
    }
}

/// A record without a number, out of a node's own stream, is not found again: it stands for its node.
fn of_row(row: &Row) -> Result<AskedThen, NotExplained> {
    match (row.record.number, row.record.node) {
        (0, None) => Err(NotExplained::NoCauses),
        (0, Some(node)) => Ok((AskedWhy::Node(node), None)),
        _ if matches!(row.record.body, Body::FaultOrdered { .. }) => Err(NotExplained::OfAFault),
        (number, _) => Ok((AskedWhy::Record(number), None)),
    }
}

/// A row that a fault began is about the first process to which it did something.
fn of_flow(model: &Model) -> Result<AskedThen, NotExplained> {
    let numbers = flow::records_under_cursor(model);
    let records = model.records_seen();
    let known: Vec<&Arc<Record>> = records.iter().filter(|record| numbers.contains(&record.number)).collect();
    let explained = known.iter().find(|record| record.node.is_some() || matches!(record.body, Body::Violation(_)));
    match (explained, known.first()) {
        (Some(record), _) => of_row(&Row::first_of(record, None)),
        (None, Some(first)) if matches!(first.body, Body::FaultOrdered { .. }) => Err(NotExplained::OfAFault),
        (None, Some(_)) => Err(NotExplained::NoCauses),
        (None, None) if numbers.is_empty() => Err(NotExplained::NothingThere),
        (None, None) => Err(NotExplained::NotKept),
    }
}

/// The election's outcome: why the coordinator became that, or where nobody did, why one who took part followed nobody.
fn of_election(model: &Model, election: Option<&ElectionView>) -> Result<AskedThen, NotExplained> {
    let election = election.ok_or(NotExplained::NoElection)?;
    let rank = model.seen().world.rank;
    let node = [election.elected, election.without.intersection(&election.took_part), election.by]
        .iter()
        .find_map(|nodes| rank.first_of(nodes))
        .ok_or(NotExplained::NothingThere)?;
    // What a screen that keeps the newest records only would make of an older moment is no answer.
    let first = model.records_seen().first().map_or(i64::MAX, |record| record.at);
    let is_kept = first <= election.began || election.record == 0;
    if is_kept { Ok((AskedWhy::Node(node), election.ended)) } else { Err(NotExplained::NotKept) }
}

/// Opens the next record of the sentence under the cursor, and behind its last one the answer again. Returns whether an
/// answer is open.
fn open_record(model: &mut Model) -> bool {
    let Some(Layer { about: Subject::Why(sheet) | Subject::Cited(sheet, _), .. }) = &mut model.dialogs.layer else {
        return false;
    };
    let number = sheet.open_next();
    let sheet = sheet.clone();
    let row = number.and_then(|number| row_of(model, number));
    let about = match row {
        Some(row) => Subject::Cited(sheet, row),
        None => Subject::Why(sheet),
    };
    let is_back = matches!(about, Subject::Why(_));
    show_about(model, about);
    if is_back {
        show_cursor(model);
    }
    true
}

/// Closes the record that is open over an answer. Returns whether there was one.
fn close_record(model: &mut Model) -> bool {
    let Some(Layer { about: Subject::Cited(sheet, _), .. }) = &model.dialogs.layer else { return false };
    let sheet = WhyAnswer { opened: None, ..(**sheet).clone() };
    show_about(model, Subject::Why(Box::new(sheet)));
    show_cursor(model);
    true
}

/// Moves within an open answer. Returns whether there is one.
pub fn walk(model: &mut Model, movement: Movement) -> bool {
    let Some(Layer { about: Subject::Why(sheet), .. }) = &mut model.dialogs.layer else { return false };
    let count = sheet.sentences().len();
    sheet.cursor = movement.from(sheet.cursor, count);
    sheet.opened = None;
    show_cursor(model);
    true
}

/// The uppermost page is about this, from its beginning.
fn show_about(model: &mut Model, about: Subject) {
    let beneath = model.dialogs.layer.take().and_then(|layer| layer.beneath);
    model.dialogs.layer = Some(Layer { beneath, ..Layer::new(about) });
}

/// Scrolls so far that the sentence under the cursor is in sight; with the last one, what stands below it is too.
fn show_cursor(model: &mut Model) {
    let scroll = layer::scroll_to_cursor(model);
    if let Some(layer) = &mut model.dialogs.layer {
        layer.scroll = scroll;
    }
}

/// A row of the record of this number.
fn row_of(model: &Model, number: u64) -> Option<Arc<Row>> {
    let record: Arc<Record> = model.records_seen().into_iter().find(|record| record.number == number)?;
    Some(Arc::new(Row::first_of(&record, model.head.as_ref().map(|head| &head.facts))))
}
