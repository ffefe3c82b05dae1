//! The action of a key, or of its name in the palette.
//!
//! Invariant: Ctrl-C always leaves; when no line is being written, `?` helps and `q` leaves.

use super::moving::{Movement, move_cursor, scroll_layer};
use super::{faults, flow, time, why};
use crate::dashboard::action::Action;
use crate::dashboard::ending::ScreenEnd;
use crate::dashboard::happening::Command;
use crate::dashboard::model::{Follow, Layer, Model, Screen, Subject, Tone};
use crate::dashboard::paint;
use crate::dashboard::panes::Pane;
use crate::dashboard::prompt::{Prompt, PromptKind};
use crate::dashboard::scene::Frozen;

/// Long lines move by this many columns.
const PAN_COLUMNS: usize = 8;

/// Does what an action does.
pub fn perform(model: &mut Model, action: Action) -> Vec<Command> {
    if model.layer.is_some() {
        if let Some(movement) = Movement::of(action, model.size.1) {
            if !why::walk(model, movement) {
                scroll_layer(model, movement);
            }
            return Vec::new();
        }
        match action {
            Action::Open if why::open_record(model) => return Vec::new(),
            Action::Back if why::close_record(model) => return Vec::new(),
            Action::Why => {
                why::ask(model);
                return Vec::new();
            }
            Action::Back | Action::Open => {
                model.layer = None;
                return Vec::new();
            }
            Action::Help if matches!(&model.layer, Some(Layer { about: Subject::Help, .. })) => {
                model.layer = None;
                return Vec::new();
            }
            Action::Redraw | Action::Suspend | Action::Quit => {}
            // The details of a node or a fault follow the replay.
            Action::PlayOrStand
            | Action::RecordBack
            | Action::RecordForward
            | Action::SecondBack
            | Action::SecondForward
            | Action::FaultBack
            | Action::FaultForward
            | Action::ViolationBack
            | Action::ViolationForward
            | Action::Slower
            | Action::Faster
            | Action::Beginning
            | Action::End => {}
            _ => model.layer = None,
        }
    }
    if let Some(movement) = Movement::of(action, model.size.1) {
        match (model.screen, model.panes.focus) {
            (Screen::Overview, Pane::Flow) => flow::move_cursor(model, movement),
            _ => move_cursor(model, movement),
        }
        return Vec::new();
    }
    match action {
        Action::Quit => return vec![Command::Leave(ScreenEnd::Quit)],
        Action::Redraw => return vec![Command::Redraw],
        Action::Suspend => return vec![Command::Suspend],
        Action::Help => model.layer = Some(Layer { about: Subject::Help, scroll: 0 }),
        Action::Overview => model.screen = Screen::Overview,
        Action::Messages => model.screen = Screen::Messages,
        Action::Faults => model.screen = Screen::Faults,
        Action::NextPane => next_pane(model),
        Action::Unfold | Action::Heartbeats | Action::Cause | Action::Consequence | Action::Zoom => {
            flow::perform(model, action);
        }
        Action::Left => model.pan = model.pan.saturating_sub(PAN_COLUMNS),
        Action::Right => model.pan = (model.pan + PAN_COLUMNS).min(usize::from(u16::MAX)),
        Action::Open => open(model),
        Action::Why => why::ask(model),
        Action::Back => back(model),
        Action::Palette => model.prompt = Some(Prompt::new(PromptKind::Palette, "")),
        Action::Filter => {
            model.screen = Screen::Messages;
            model.prompt = Some(Prompt::new(PromptKind::Filter, model.reading.filter.text()));
        }
        Action::Follow => follow(model),
        Action::Freeze => freeze(model),
        Action::Mark => mark(model),
        Action::PlayOrStand
        | Action::RecordBack
        | Action::RecordForward
        | Action::SecondBack
        | Action::SecondForward
        | Action::FaultBack
        | Action::FaultForward
        | Action::ViolationBack
        | Action::ViolationForward
        | Action::Slower
        | Action::Faster
        | Action::Beginning
        | Action::End => time::perform(model, action),
        _ => return faults::perform(model, action),
    }
    Vec::new()
}

fn next_pane(model: &mut Model) {
    if model.screen == Screen::Overview && model.panes.focus == Pane::Nodes {
        model.panes.focus = Pane::Flow;
    } else {
        (model.screen, model.panes.focus) = (model.screen.next(), Pane::Nodes);
    }
}

fn open(model: &mut Model) {
    let told = model.toasts.back().and_then(|toast| toast.row);
    if let Some(row) = told.and_then(|number| model.scene.journal.get(number)).cloned() {
        model.toasts.pop_back();
        model.layer = Some(Layer { about: Subject::Row(row), scroll: 0 });
        return;
    }
    let about = match model.screen {
        Screen::Overview if model.panes.focus == Pane::Flow => flow::row_under_cursor(model).map(Subject::Row),
        Screen::Overview => model.selected_node().map(Subject::Node),
        Screen::Messages => {
            let number = model.selected_message();
            number.and_then(|number| model.seen().journal.get(number)).cloned().map(Subject::Row)
        }
        Screen::Faults => model.selected_fault().map(|fault| Subject::Fault(fault.id)),
    };
    match about {
        Some(about) => model.layer = Some(Layer { about, scroll: 0 }),
        None => model.tell(Tone::Plain, "There is no row to open yet."),
    }
}

/// Closes one thing at a time: the messages, the filter, the marks, the freeze, the other screens.
fn back(model: &mut Model) {
    if !model.toasts.is_empty() {
        model.toasts.clear();
    } else if model.screen == Screen::Messages && !model.reading.filter.is_open() {
        model.reading.filter = Default::default();
    } else if model.screen == Screen::Overview && !model.marked.is_empty() {
        model.marked = Default::default();
    } else if model.frozen.is_some() {
        freeze(model);
    } else {
        model.screen = Screen::Overview;
        model.pan = 0;
    }
}

fn follow(model: &mut Model) {
    let is_elsewhere = model.screen != Screen::Messages;
    model.screen = Screen::Messages;
    if is_elsewhere || model.reading.follow == Follow::Off {
        model.reading.cursor = None;
        model.reading.follow = Follow::On;
    } else {
        model.reading.cursor = model.selected_message();
        model.reading.follow = Follow::Off;
    }
}

fn freeze(model: &mut Model) {
    if model.frozen.take().is_some() {
        model.tell(Tone::Plain, "The screen shows the present again.");
        return;
    }
    let frozen = Frozen::new(&model.scene);
    let at = paint::moment(frozen.scene.at);
    model.frozen = Some(Box::new(frozen));
    model.tell(Tone::Plain, format!("Frozen at {at} s; the lab goes on. A replay shows this with `:seek {at}s`."));
}

fn mark(model: &mut Model) {
    match (model.screen, model.selected_node()) {
        (Screen::Overview, Some(node)) => {
            if !model.marked.remove(node) {
                model.marked.insert(node);
            }
        }
        (Screen::Overview, None) => model.tell(Tone::Plain, "There is no node to mark yet."),
        (Screen::Messages | Screen::Faults, _) => model.tell(Tone::Plain, "Nodes are marked on screen 1."),
    }
}
