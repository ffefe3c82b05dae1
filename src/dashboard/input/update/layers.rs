//! The pages over a screen: opening, closing, scrolling and following their links.
//!
//! Invariant: a page is scrolled no further than its last line, and the cursor is on a link that is seen.

use std::path::PathBuf;

use super::moving::Movement;
use crate::input::action::Action;
use crate::input::prompt::{Prompt, PromptKind};
use crate::model::{Layer, Model, Subject};
use crate::view::layer;
use crate::view::layer::LinkTarget;
use fault::FaultLine;

/// The cursor goes to the next link if that is at most this many lines out of sight; else the page is scrolled.
const REACH: usize = 3;

/// What became of an action while there is a page.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum PageAnswer {
    /// The page has done it.
    Done,
    /// This is to be done on the screen.
    Do(Action),
    /// This line is to be ordered.
    Order(FaultLine),
    /// The session of this file is to be opened.
    Session(PathBuf),
}

/// Does what an action does while there is a page.
pub fn perform(model: &mut Model, action: Action) -> PageAnswer {
    let Some(about) = model.dialogs.layer.as_ref().map(|layer| layer.about.clone()) else {
        return PageAnswer::Do(action);
    };
    if let Some(movement) = Movement::of(action, model.size.1) {
        scroll(model, movement);
        return PageAnswer::Done;
    }
    match (action, about) {
        (Action::Back | Action::Quit, _)
        | (Action::Help, Subject::Help)
        | (Action::Steps, Subject::Steps)
        | (Action::Score, Subject::Score)
        | (Action::Sessions, Subject::Sessions(_)) => close(model),
        (Action::Open, _) => return follow(model),
        (Action::Filter, Subject::Help) => {
            let search = model.dialogs.layer.as_ref().map_or_else(String::new, |layer| layer.search.clone());
            model.dialogs.prompt = Some(Prompt::new(PromptKind::Search, search));
        }
        (Action::Help, _) => open(model, Subject::Help),
        // A page has no lines that are longer than it is wide.
        (Action::Left | Action::Right, _) => {}
        // The line of the palette lies over the page, and these change nothing of it.
        (Action::Redraw | Action::Suspend | Action::Palette | Action::Copy | Action::Mouse, _) => {
            return PageAnswer::Do(action);
        }
        // The details of a node or a fault follow the replay.
        (
            Action::PlayOrStand
            | Action::EventBack
            | Action::EventForward
            | Action::SecondBack
            | Action::SecondForward
            | Action::FaultBack
            | Action::FaultForward
            | Action::ViolationBack
            | Action::ViolationForward
            | Action::Slower
            | Action::Faster
            | Action::Beginning
            | Action::End,
            _,
        ) => return PageAnswer::Do(action),
        _ => {
            model.dialogs.layer = None;
            return PageAnswer::Do(action);
        }
    }
    PageAnswer::Done
}

/// Opens a page over what there is.
pub fn open(model: &mut Model, about: Subject) {
    let is_list = matches!(about, Subject::Violations);
    let beneath = model.dialogs.layer.take().map(Box::new);
    model.dialogs.layer = Some(Layer { beneath, ..Layer::new(about) });
    if is_list {
        scroll(model, Movement::Last);
    }
}

fn close(model: &mut Model) {
    model.dialogs.layer = model.dialogs.layer.take().and_then(|layer| layer.beneath).map(|beneath| *beneath);
}

/// Shows the rows of the help that contain this text.
pub fn search(model: &mut Model, text: &str) {
    if let Some(layer) = &mut model.dialogs.layer {
        *layer = Layer { search: text.to_owned(), scroll: 0, chosen: None, ..layer.clone() };
    }
}

fn follow(model: &mut Model) -> PageAnswer {
    let Some((page, height)) = layer::shown(model) else { return PageAnswer::Done };
    let link = model.dialogs.layer.as_ref().and_then(|layer| page.link_at(layer, height));
    match link.map(|link| page.links[link].leads.clone()) {
        None => close(model),
        Some(LinkTarget::To(about)) => {
            if let Some(layer) = &mut model.dialogs.layer {
                layer.chosen = link;
            }
            open(model, about);
        }
        // What is open is closed first, and then nothing is asked.
        Some(LinkTarget::Does(Action::Quit)) => close(model),
        Some(LinkTarget::Does(action)) => {
            model.dialogs.layer = None;
            return PageAnswer::Do(action);
        }
        Some(LinkTarget::Orders(line)) => {
            close(model);
            return PageAnswer::Order(line);
        }
        Some(LinkTarget::Opens(path)) => return PageAnswer::Session(path),
        Some(LinkTarget::Begins(text)) => {
            model.dialogs.layer = None;
            model.dialogs.prompt = Some(Prompt::new(PromptKind::Palette, text));
        }
    }
    PageAnswer::Done
}

/// Scrolls the page, or chooses its next link.
pub fn scroll(model: &mut Model, movement: Movement) {
    let Some((page, height)) = layer::shown(model) else { return };
    let Some(layer) = &mut model.dialogs.layer else { return };
    let most = page.lines.len().saturating_sub(height);
    layer.scroll = layer.scroll.min(most);
    let chosen = page.link_at(layer, height);
    let line = |place: usize| page.links.get(place).map(|link| link.line);
    let next = match movement {
        Movement::Down(1) => {
            let next = chosen
                .map_or_else(|| page.links.iter().position(|link| link.line >= layer.scroll), |place| Some(place + 1));
            next.filter(|place| line(*place).is_some_and(|line| line < layer.scroll + height + REACH))
        }
        Movement::Up(1) => {
            let before = chosen.and_then(|place| place.checked_sub(1));
            before.filter(|place| line(*place).is_some_and(|line| line + REACH >= layer.scroll))
        }
        _ => None,
    };
    match next.and_then(|place| Some((place, line(place)?))) {
        Some((place, line)) => {
            layer.chosen = Some(place);
            layer.scroll = layer.scroll.min(line).max((line + 1).saturating_sub(height));
        }
        None => {
            layer.scroll = movement.from(layer.scroll, most + 1);
            if movement == Movement::Last {
                layer.chosen = page.links.len().checked_sub(1);
            }
        }
    }
}
