//! The footer: the keys that work now, from the table of keys.
//!
//! Invariant: what leaving does and how to get help are always there.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::input::action::{Action, Binding, FeedKind, Heading, rows};
use crate::input::prompt::PromptKind;
use crate::model::lesson::{AnswerStage, Asking};
use crate::model::places::{Pane, PaperCursor, Screen};
use crate::model::{Follow, Model, PendingQuestion, Subject};
use crate::options::Role;
use crate::time::freshness::{Freshness, Rate};
use crate::view::arrangement::focus;
use crate::view::{layer, paint};
use script::Steps;
use world::ProcessState;

/// Draws it.
pub fn draw(model: &Model, buffer: &mut Buffer, area: Rect) {
    let theme = &model.theme;
    if model.dialogs.asked == PendingQuestion::WhetherToEnd {
        let question = Line::from(vec![
            Span::styled("End the lab?", theme.bad),
            Span::styled(format!("  {} or Enter: yes.  Any other key: no.", model.key(Action::Quit)), theme.strong),
        ]);
        paint::put(buffer, theme, area, 0, &question);
        return;
    }
    let right = if model.dialogs.prompt.is_some() {
        vec![("Ctrl-C".to_owned(), "back")]
    } else if model.dialogs.layer.is_some() {
        vec![(model.key(Action::Quit), "closes")]
    } else {
        vec![(model.key(Action::Quit), leaving(model)), (model.key(Action::Help), "help")]
    };
    let right = line(model, right.into_iter().map(|(key, word)| (key, word.to_owned())));
    let taken = u16::try_from(right.width()).unwrap_or(u16::MAX).min(area.width);
    paint::put_right(buffer, theme, area, 0, &right);
    let mut room = (area.width - taken).saturating_sub(2);
    let mut fitting = Vec::new();
    for (key, word) in hints(model) {
        let width = paint::width(&key) + 1 + paint::width(&word) + 2;
        if width > room + 2 {
            break;
        }
        room = room.saturating_sub(width);
        fitting.push((key, word));
    }
    paint::put(buffer, theme, Rect { width: area.width - taken, ..area }, 0, &line(model, fitting.into_iter()));
}

fn line(model: &Model, hints: impl Iterator<Item = (String, String)>) -> Line<'static> {
    let mut spans = Vec::new();
    for (key, word) in hints {
        if !spans.is_empty() {
            spans.push(Span::raw("  "));
        }
        spans.push(Span::styled(key, model.theme.strong));
        spans.push(Span::styled(format!(" {word}"), model.theme.dim));
    }
    Line::from(spans)
}

fn leaving(model: &Model) -> &'static str {
    match (model.feed_kind(), model.rights.role) {
        _ if model.beneath.is_some() => "leads back",
        (FeedKind::Live | FeedKind::Past | FeedKind::Simulated, Role::Owner) => "ends the lab",
        (FeedKind::Live | FeedKind::Past | FeedKind::Simulated, Role::Visitor)
        | (FeedKind::Replay | FeedKind::Pair, _) => "leaves",
    }
}

fn hints(model: &Model) -> Vec<(String, String)> {
    let fixed = |pairs: &[(&str, &str)]| pairs.iter().map(|(key, word)| (key.to_string(), word.to_string())).collect();
    if let Some(prompt) = &model.dialogs.prompt {
        return match prompt.kind {
            PromptKind::Palette => fixed(&[("Enter", "does it"), ("Up Down", "earlier"), ("Tab", "completes")]),
            PromptKind::Search => fixed(&[("Enter", "keeps these rows")]),
            PromptKind::FlowFilter => {
                fixed(&[("Enter", "filters"), ("4 Halt", "process and kind"), ("!", "before a word: without")])
            }
            PromptKind::Filter => fixed(&[("Enter", "filters"), ("!", "before a word: without")]),
        };
    }
    if let Some(layer) = &model.dialogs.layer {
        let leads = layer::shown(model).is_some_and(|(page, height)| page.link_at(layer, height).is_some());
        let (search, moves) = (model.key(Action::Filter), moving(model));
        return match &layer.about {
            Subject::Help => {
                let enter = if leads { "does it" } else { "closes" };
                fixed(&[(&search, "search"), ("Enter", enter), (&moves, "move")])
            }
            Subject::Why(_) | Subject::Cited(..) => fixed(&[(&moves, "move"), ("Enter", "opens")]),
            _ => fixed(&[(&moves, "move"), ("Enter", if leads { "opens" } else { "closes" })]),
        };
    }
    if let Some((step, question)) = model.open_question() {
        if model.lesson.answers.get(&step).is_some_and(|answers| answers.stage == AnswerStage::Revealed) {
            return fixed(&[("Enter", "goes on")]);
        }
        let key = |row: &Binding| match row.action {
            Action::Answer => format!("1-{}", question.choices.len()),
            _ => row.keys[0].name(),
        };
        let word = |row: &Binding| match (row.action, model.asking()) {
            (Action::PassOver, Asking::Elsewhere) => "goes on without the class",
            _ => row.hint.0,
        };
        return model.question_keys().map(|row| (key(row), word(row).to_owned())).collect();
    }
    let focus = (model.places.screen == Screen::Overview).then(|| focus(model));
    let mut bindings: Vec<(&Binding, &str, u16)> = rows(model.feed_kind())
        .filter(|row| fits(model, focus, row) && !model.keymap.keys(row).is_empty())
        .filter_map(|row| hint(model, focus, row).map(|(word, place)| (row, word, place)))
        .collect();
    bindings.sort_by_key(|(_, _, place)| *place);
    bindings.into_iter().map(|(row, word, _)| (model.key(row.action), word.to_owned())).collect()
}

/// The keys that scroll a page.
fn moving(model: &Model) -> String {
    format!("{} {} PgUp PgDn", model.key(Action::Down), model.key(Action::Up))
}

/// The hint's word in the present state, and its place among the hints; nothing, if it has none here. On the overview
/// this pane has the keys.
fn hint(model: &Model, focus: Option<Pane>, row: &Binding) -> Option<(&'static str, u16)> {
    let is_away = focus.is_some_and(|focus| focus != Pane::Nodes);
    let of_flow = focus == Some(Pane::Flow);
    // Where time moves, playing it comes first.
    let behind = if model.feed_kind() == FeedKind::Live { 0 } else { 30 };
    let place = match row.action {
        Action::Back if is_away => return Some(("nodes", 1)),
        Action::Cause if of_flow => return Some(("cause", behind + 5)),
        Action::Consequence if of_flow => return Some(("effect", behind + 6)),
        _ if row.hint.1 == 0 => return None,
        Action::Why if model.places.screen == Screen::Overview => behind + 2,
        Action::Open if model.places.screen == Screen::Overview => behind + 3,
        Action::NextPane if model.places.screen == Screen::Overview => behind + 4,
        Action::PlaySteps => 9,
        _ => 10 * u16::from(row.hint.1),
    };
    Some((word(model, row), place))
}

/// Whether the row is worth a hint on this screen, where this pane has the keys, if it is the overview.
fn fits(model: &Model, focus: Option<Pane>, row: &Binding) -> bool {
    let may_break = model.permission().is_ok();
    let has_targets = model.places.screen == Screen::Overview || !model.places.marked.is_empty();
    match row.action {
        Action::NextMatch => model.places.screen == Screen::Messages && !model.places.messages.filter.is_open(),
        Action::Filter => model.places.screen == Screen::Messages || focus == Some(Pane::Flow),
        Action::Follow => matches!(model.places.screen, Screen::Messages | Screen::Paper) || focus == Some(Pane::Flow),
        Action::PlaySteps => model.steps() == Steps::Held && may_break && !model.has_no_steps(),
        Action::Why => model.places.screen != Screen::Faults,
        Action::Undo | Action::HealAll => may_break && model.places.screen != Screen::Messages,
        Action::Mark => model.places.screen == Screen::Overview && may_break,
        Action::Crash | Action::PauseOrResume | Action::Elect if model.places.marked.is_empty() => {
            may_break && has_targets && has_process(model)
        }
        _ if row.group == Heading::Break => may_break && has_targets,
        _ => true,
    }
}

/// Whether the selected node has a process that can be stopped or told something.
fn has_process(model: &Model) -> bool {
    let view = model.selected_node().and_then(|node| model.seen().world.nodes.get(&node));
    view.is_none_or(|view| view.process.is_up())
}

/// The hint's word in the present state.
fn word(model: &Model, row: &Binding) -> &'static str {
    let state = model.selected_node().and_then(|node| model.time.scene.world.nodes.get(&node)).map(|view| view.process);
    match row.action {
        Action::PauseOrResume if model.places.marked.is_empty() && state == Some(ProcessState::Paused) => "resume",
        Action::Freeze if model.time.is_behind() => "present",
        Action::LastMinute if model.time.lab.is_some() => "present",
        Action::Follow
            if model.places.screen == Screen::Paper && model.places.paper.cursor != PaperCursor::Following =>
        {
            "follow"
        }
        Action::Follow if model.places.screen == Screen::Overview => {
            if model.places.panes.flow_cursor.is_some() {
                "follow"
            } else {
                "stay here"
            }
        }
        Action::Follow if model.places.screen == Screen::Paper || model.places.messages.follow == Follow::On => {
            "stay here"
        }
        Action::PlayOrStand => match model.standing() {
            Freshness::Played { rate: Rate::Playing | Rate::Paced { .. }, .. } => "stop",
            _ => "play",
        },
        _ => row.hint.0,
    }
}
