//! The action of a key, or of its name in the palette.
//!
//! Invariant: when no line is being written, `?` helps, and `q` closes what is open, then leaves; a lab that this screen
//! owns is ended by no single key, unless its person has said so before.

use crossterm::event::{KeyCode, KeyEvent};

use super::layers::PageAnswer;
use super::marking::Leap;
use super::moving::{Movement, move_cursor};
use super::{copying, faults, flow, layers, lesson, marking, mouse, moving, pacing, pair, panes, paper, time, why};
use crate::ending::ScreenEnd;
use crate::input::action::{Action, FeedKind, is_fault_key};
use crate::input::key::Key;
use crate::input::message::Command;
use crate::input::prompt::{Prompt, PromptKind};
use crate::model::pages::SessionChoice;
use crate::model::places::{Pane, Screen};
use crate::model::{Follow, Model, PendingQuestion, Receipts, Subject, Tone};
use crate::options::Leaving;
use crate::view::arrangement::focus;

/// Long lines move by this many columns, and at least so many of the longest stay in sight.
const PAN_COLUMNS: usize = 8;

/// Does what an action does.
pub fn perform(model: &mut Model, action: Action) -> Vec<Command> {
    if action == Action::Paper {
        paper::open(model);
        return Vec::new();
    }
    if why::walk_answer(model, action) {
        return Vec::new();
    }
    let action = match layers::perform(model, action) {
        PageAnswer::Do(action) => action,
        PageAnswer::Order(line) => return faults::order(model, &line),
        PageAnswer::Session(path) => return vec![Command::OpenSession(SessionChoice::File(path))],
        PageAnswer::Done => return Vec::new(),
    };
    if let Some(movement) = Movement::of(action, model.size.1) {
        match model.places.screen {
            Screen::Overview => panes::move_in(model, movement),
            Screen::Links => moving::move_sender(model, movement),
            _ => move_cursor(model, movement),
        }
        return Vec::new();
    }
    match (model.places.screen, action) {
        (Screen::Links, Action::Left | Action::Cause) => {
            moving::move_receiver(model, Movement::Up(1));
            return Vec::new();
        }
        (Screen::Links, Action::Right | Action::Consequence) => {
            moving::move_receiver(model, Movement::Down(1));
            return Vec::new();
        }
        (Screen::Overview, Action::Left) if panes::nodes_are_columns(model) => {
            panes::move_in(model, Movement::Up(1));
            return Vec::new();
        }
        (Screen::Overview, Action::Right) if panes::nodes_are_columns(model) => {
            panes::move_in(model, Movement::Down(1));
            return Vec::new();
        }
        (Screen::Links, Action::Zoom) => {
            moving::zoom(model);
            return Vec::new();
        }
        _ => {}
    }
    match action {
        Action::Quit => return leave(model),
        Action::Redraw => return vec![Command::Redraw],
        Action::Suspend => return vec![Command::Suspend],
        Action::Help => layers::open(model, Subject::Help),
        Action::Violations => layers::open(model, Subject::Violations),
        Action::Steps => layers::open(model, Subject::Steps),
        Action::Score => layers::open(model, Subject::Score),
        Action::Predict => model.dialogs.prompt = Some(Prompt::new(PromptKind::Palette, lesson::PREDICT_LINE)),
        Action::Tour => return lesson::hide_tour(model),
        // These are keys of an open question alone.
        Action::Answer | Action::Reveal | Action::PassOver => {}
        Action::Promises => layers::open(model, Subject::Promises),
        Action::Overview => model.places.screen = Screen::Overview,
        Action::Messages => model.places.screen = Screen::Messages,
        Action::Faults => model.places.screen = Screen::Faults,
        Action::Links => model.places.screen = Screen::Links,
        Action::Elections => model.places.screen = Screen::Elections,
        Action::History if model.screens().contains(&Screen::History) => model.places.screen = Screen::History,
        Action::History => model.tell(
            Tone::Plain,
            "This lab keeps no history of its groups. One with the application `history` does (labs/app-history.toml).",
        ),
        Action::NextPane => panes::next(model),
        Action::PreviousPane => panes::previous(model),
        Action::Zoom => panes::zoom(model),
        Action::Unfold if model.places.screen == Screen::Messages => {
            model.places.messages.receipts = match model.places.messages.receipts {
                Receipts::Folded => Receipts::Shown,
                Receipts::Shown => Receipts::Folded,
            };
        }
        Action::Unfold if panes::unfold_nodes(model) => {}
        Action::Unfold | Action::Heartbeats | Action::Cause | Action::Consequence => {
            flow::perform(model, action);
        }
        Action::Left => pan(model, model.pan().saturating_sub(PAN_COLUMNS)),
        Action::Right => pan(model, model.pan() + PAN_COLUMNS),
        Action::Open => open(model),
        Action::Why => why::ask(model),
        Action::Copy => return copying::copy(model),
        Action::Mouse => return mouse::turn(model),
        Action::Back => back(model),
        Action::Palette => model.dialogs.prompt = Some(Prompt::new(PromptKind::Palette, "")),
        Action::Filter if model.places.screen == Screen::Overview && focus(model) == Pane::Flow => {
            model.dialogs.prompt =
                Some(Prompt::proposing(PromptKind::FlowFilter, model.places.panes.flow_filter.text()));
        }
        Action::Filter => {
            model.places.screen = Screen::Messages;
            model.dialogs.prompt = Some(Prompt::proposing(PromptKind::Filter, model.places.messages.filter.text()));
        }
        Action::NextMatch => go_to_match(model, Movement::Down(1)),
        Action::PreviousMatch => go_to_match(model, Movement::Up(1)),
        Action::Follow => follow(model),
        Action::Freeze => pacing::freeze(model),
        Action::LastMinute => pacing::toggle_past(model),
        Action::OtherSession => pair::flip(model),
        Action::Difference => pair::go_to_difference(model),
        Action::Sessions => return vec![Command::ListSessions],
        Action::Pace => pacing::pace(model),
        Action::StopWhen => pacing::ask_when_to_stop(model),
        Action::Slower => pacing::slower(model),
        Action::Faster => pacing::faster(model),
        Action::Mark => mark(model),
        Action::WriteMarker => marking::begin(model),
        Action::NoteBack => marking::leap(model, Leap::Back),
        Action::NoteForward => marking::leap(model, Leap::On),
        Action::PlayOrStand
        | Action::EventBack
        | Action::EventForward
        | Action::SecondBack
        | Action::SecondForward
        | Action::FaultBack
        | Action::FaultForward
        | Action::ViolationBack
        | Action::ViolationForward
        | Action::ElectionBack
        | Action::ElectionForward
        | Action::Beginning
        | Action::End => time::perform(model, action),
        _ => return faults::perform(model, action),
    }
    Vec::new()
}

/// Says of a key that has no row in the table where it would do something.
pub fn idle(model: &mut Model, key: &KeyEvent) -> Vec<Command> {
    let Some(name) = Key::of(key).map(Key::name) else { return Vec::new() };
    let of_present = model.keymap.action_of(key, FeedKind::Live);
    if let (Some(action), Err(why)) = (of_present, model.permission())
        && is_fault_key(action)
    {
        model.tell(Tone::Bad, why.to_string());
        return Vec::new();
    }
    let moves_in_time = model.feed_kind() == FeedKind::Live && model.keymap.action_of(key, FeedKind::Replay).is_some();
    let text = if moves_in_time {
        let again = model.key(Action::LastMinute);
        format!(
            "{name} moves in time, and a running lab cannot. {again} plays its last minute again; there {name} works."
        )
    } else if of_present.is_some() && model.feed_kind() == FeedKind::Past {
        let returns = model.key(Action::LastMinute);
        format!("{name} does something in the present of the lab only; {returns} returns there.")
    } else {
        format!("{name} does nothing here; {} lists the keys.", model.key(Action::Help))
    };
    model.tell(Tone::Plain, text);
    Vec::new()
}

/// Leaves the past for the present; else the screen, or asks first whether it should.
fn leave(model: &mut Model) -> Vec<Command> {
    match model.rights.leaving {
        _ if model.time.lab.is_some() => {
            pacing::return_to_present(model);
            Vec::new()
        }
        Leaving::AtOnce => vec![Command::Leave(ScreenEnd::Quit)],
        Leaving::AfterAsking => {
            model.dialogs.asked = PendingQuestion::WhetherToEnd;
            Vec::new()
        }
    }
}

/// Takes the answer to the question whether the lab is to end: the same key again, or Enter. Every other key means no,
/// and does nothing else, unless it concerns the terminal alone.
pub fn reply(model: &mut Model, key: &KeyEvent, action: Option<Action>) -> Vec<Command> {
    match action {
        Some(action @ (Action::Redraw | Action::Suspend)) => perform(model, action),
        Some(Action::Quit) => vec![Command::Leave(ScreenEnd::Quit)],
        _ if key.code == KeyCode::Enter => vec![Command::Leave(ScreenEnd::Quit)],
        _ => {
            model.dialogs.asked = PendingQuestion::Nothing;
            Vec::new()
        }
    }
}

fn open(model: &mut Model) {
    let about = match model.places.screen {
        Screen::Paper => return paper::open_item(model),
        Screen::Overview => return panes::open(model),
        Screen::Messages => {
            let number = model.selected_message();
            number.and_then(|number| model.seen().rows.get(number)).cloned().map(Subject::Row)
        }
        Screen::Faults => model.selected_fault().map(|fault| Subject::Fault(fault.id)),
        Screen::Links => model.selected_link().map(|(from, to)| Subject::Link(from, to)),
        Screen::Elections => return flow::show_election(model),
        Screen::History => {
            return model.tell(Tone::Plain, "A group's row is all there is. Where it is cut, a wider screen or `export --format dot` shows the rest.");
        }
    };
    match about {
        Some(about) => layers::open(model, about),
        None => model.tell(Tone::Plain, "There is no row to open yet."),
    }
}

/// Takes away the messages for a while, and closes one thing: the filter, the marks, the pane, the freeze, the other screens.
fn back(model: &mut Model) {
    model.toasts.clear();
    if model.time.pending.take().is_some() {
        model.tell(Tone::Plain, "The picture stays here; the rest of the session is read meanwhile.");
    } else if lesson::dismiss(model) {
    } else if model.places.screen == Screen::Messages && !model.places.messages.filter.is_open() {
        model.places.messages.filter = Default::default();
    } else if model.places.screen == Screen::Overview && !model.places.panes.flow_filter.is_open() {
        model.places.panes.flow_filter = Default::default();
    } else if model.places.screen == Screen::Overview && !model.places.marked.is_empty() {
        model.places.marked = Default::default();
    } else if panes::return_to_nodes(model) {
    } else if model.places.screen == Screen::Paper {
        paper::back(model);
    } else if model.time.lab.is_some() {
        pacing::return_to_present(model);
    } else if model.time.is_behind() {
        pacing::show_newest(model);
    } else {
        model.places.screen = Screen::Overview;
        model.places.pans = Default::default();
    }
}

/// Goes to the next row that passes the filter, or the one before.
fn go_to_match(model: &mut Model, way: Movement) {
    show_messages(model);
    if model.places.messages.filter.is_open() {
        let key = model.key(Action::Filter);
        model.tell(Tone::Plain, format!("There is no filter. `{key}` writes one."));
        return;
    }
    let before = model.selected_message();
    move_cursor(model, way);
    if before.is_none() {
        model.tell(Tone::Plain, "No row passes the filter.");
    } else if model.selected_message() == before {
        let end = if matches!(way, Movement::Up(_)) { "first" } else { "last" };
        model.tell(Tone::Plain, format!("This is the {end} row that passes the filter."));
    }
}

/// Moves the long lines of this screen, as far as the longest of those that may be in sight has more to show.
fn pan(model: &mut Model, columns: usize) {
    let (seen, rows) = (model.seen(), usize::from(model.size.1));
    let lengths: Vec<usize> = match model.places.screen {
        Screen::Overview => {
            let news = seen.rows.news_before(u64::MAX).take(rows);
            news.map(|(_, row)| row.text.chars().count()).collect()
        }
        Screen::Messages => {
            let now = model.selected_message().unwrap_or(0);
            let around = seen
                .rows
                .before(now)
                .chain(seen.rows.from(now).take(rows))
                .filter(|(_, row)| model.has_message_row(row));
            around.take(2 * rows).map(|(_, row)| row.text.chars().count()).collect()
        }
        Screen::Elections | Screen::History => Vec::new(),
        Screen::Faults => seen.world.faults.iter().map(|fault| fault.line.to_string().chars().count()).collect(),
        Screen::Paper => Vec::new(),
        Screen::Links => Vec::new(),
    };
    let longest = lengths.into_iter().max().unwrap_or(0);
    let screen = model.places.screen as usize;
    model.places.pans[screen] = columns.min(longest.saturating_sub(PAN_COLUMNS));
}

/// Goes to the messages, and says so if that is another screen.
fn show_messages(model: &mut Model) {
    if model.places.screen != Screen::Messages {
        model.places.screen = Screen::Messages;
        let back = model.key(Action::Overview);
        model.tell(Tone::Plain, format!("These are the messages; {back} leads back."));
    }
}

fn follow(model: &mut Model) {
    if model.places.screen == Screen::Paper {
        return paper::follow(model);
    }
    if model.places.screen == Screen::Overview && focus(model) == Pane::Flow {
        return flow::follow(model);
    }
    let is_elsewhere = model.places.screen != Screen::Messages;
    show_messages(model);
    if is_elsewhere || model.places.messages.follow == Follow::Off {
        model.places.messages.follow_newest();
    } else {
        model.places.messages.cursor = model.selected_message();
        model.places.messages.follow = Follow::Off;
    }
}

fn mark(model: &mut Model) {
    match (model.places.screen, model.selected_node()) {
        (Screen::Overview, Some(node)) => {
            if !model.places.marked.remove(node) {
                model.places.marked.insert(node);
            }
        }
        (Screen::Overview, None) => model.tell(Tone::Plain, "There is no node to mark yet."),
        _ => model.tell(Tone::Plain, "Nodes are marked on screen 1."),
    }
}
