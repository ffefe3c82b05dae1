//! The screen of a lab, live, replayed and simulated.
//!
//! Elm-shaped: [`update`](update::update) makes the next [`Model`](model::Model) from a message, and the panels draw
//! it. Keys, frames, answers and the clock are messages; requests to the lab, redrawing, suspending and leaving are
//! commands, and only [`terminal`] and [`source`] carry them out. Panels and updates know the model but not each other:
//! rules that both follow are in the model.
//!
//! Invariant: this room reaches a lab only through its observe and inject sockets, or as a [`VirtualLab`](script::VirtualLab), and always
//! puts the terminal back as it was.

mod action;
mod answers;
mod arrangement;
mod assumed;
mod beside;
mod body_words;
mod causes;
mod class_word;
mod countdown;
mod crossing;
mod delayed;
mod election_words;
mod ending;
mod errand;
mod fault_words;
mod feed;
mod flight_recorder;
mod flow_filter;
mod freshness;
mod glyphs;
mod grid;
mod happening;
mod journal;
mod key;
mod key_feeds;
mod keyframes;
mod keymap;
mod landmark;
mod lane_room;
mod lane_word;
mod layer;
mod lesson;
mod line_quote;
mod line_sheet;
mod link_words;
mod listed_session;
mod log_room;
mod marks;
mod model;
mod narrator;
mod node_groups;
mod noted;
mod offscreen;
mod opening;
mod options;
mod paint;
mod pair;
mod pane_text;
mod panel;
mod panes;
mod paper;
mod paper_place;
mod permission;
mod playback;
mod prediction;
mod present;
mod prompt;
mod row;
mod row_kind;
mod scene;
mod scene_records;
mod screen;
mod selection;
mod sendings;
mod session_list;
mod session_so_far;
mod shelf;
mod simulated;
mod so_far_wanted;
mod source;
mod spots;
mod step_shelf;
mod steps_words;
mod subject;
mod terminal;
#[cfg(test)]
mod tests;
mod theme;
mod timeline;
mod toast;
mod update;
mod why_line;
mod why_sheet;
mod work_words;

use std::io::{self, IsTerminal};
use std::path::Path;

pub use action::Action;
pub use beside::{PairPlace, ToldDifference};
pub use ending::{DashboardError, ScreenEnd};
pub use key::{Key, KeyTextError};
pub use keymap::{BindableAction, KeyConflict, Keymap};
pub use lane_word::sign_within;
use model::{Model, Tone};
pub use offscreen::Offscreen;
pub use options::{Access, Farewell, Mouse, Options, Remembered, Role, Source, Tour};
use record::StoredSession;
use script::SharedLab;
pub use theme::{Colour, Glyphs};
pub use why_sheet::Rerun;

/// Shows a screen until it ends. It owns the terminal meanwhile, and every signal that would end the process
/// ends it instead, except those that tell of a bug.
///
/// # Errors
/// When there is no terminal, no such session, or no such lab; the terminal is then as it was.
pub fn run(options: Options) -> Result<ScreenEnd, DashboardError> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(DashboardError::NoTerminal);
    }
    let mut model = match &options.source {
        Source::Session(path) => opened(&options, path)?,
        Source::Lab { .. } => Model::live(&options),
        Source::Simulated(lab) => Model::simulated(&options, SharedLab::clone(lab)),
    };
    if let Some(told) = &options.told {
        model.tell_long(Tone::Bad, told);
    }
    terminal::run(options, model)
}

/// Shows two sessions side by side at their first difference, with these options but for their source.
///
/// # Errors
/// As [`run`].
pub fn run_beside(
    options: Options,
    [one, other]: [&Path; 2],
    told: ToldDifference,
) -> Result<ScreenEnd, DashboardError> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(DashboardError::NoTerminal);
    }
    let of = |path: &Path| opened(&Options { source: Source::Session(path.to_owned()), ..options.clone() }, path);
    let mut model = Model::beside(of(one)?, of(other)?, told);
    update::open_at_difference(&mut model);
    terminal::run(options, model)
}

fn opened(options: &Options, path: &Path) -> Result<Model, DashboardError> {
    let unread = |error| DashboardError::Session { path: path.to_owned(), error };
    StoredSession::open(path).and_then(|session| Model::opened(options, session)).map_err(unread)
}
