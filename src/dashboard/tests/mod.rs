//! The screen under test: hand-made records, keys by name, and the drawn screen as text with its styles.
//!
//! Invariant: nothing here knows more of a screen than what a person presses and sees.

mod assumptions;
mod capacities;
mod copying;
mod elections;
mod fake_lab;
mod flow_causes;
mod flow_filter;
mod flow_lies;
mod focus;
mod group_history;
mod history;
mod hostile;
mod idle;
mod keymap;
mod keys;
mod late_connection;
mod lessons;
mod links;
mod live;
mod marks;
mod mouse;
mod order;
mod pacing;
mod pages;
mod pair;
mod paper;
mod past;
mod pending_seeks;
mod prompt;
mod random_input;
mod reading;
mod receipts;
mod replay;
mod screens;
mod sessions;
mod simulated;
mod sizes;
mod source;
mod spectators;
pub(super) mod stage;
mod toasts;
mod why;
mod wide;
mod work;

use std::fmt::Write;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::input::message::Command;
use crate::input::message::ScreenMessage;
use crate::input::update::update;
use crate::model::Model;
use crate::time::feed::Feed;
use crate::time::playback::Playback;
use crate::time::simulated::SimulatedLab;
use crate::view::panel::view;
use record::{Frame, Record, Request, SessionReader};

/// Presses keys: single characters, or names such as `Enter`, `C-c`, with blanks between.
fn press(model: &mut Model, keys: &str) -> Vec<Command> {
    keys.split_whitespace().flat_map(|key| update(model, ScreenMessage::Key(key_of(key)))).collect()
}

/// Writes a text into the prompt.
fn write_text(model: &mut Model, text: &str) {
    for c in text.chars() {
        update(model, ScreenMessage::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE)));
    }
}

fn key_of(name: &str) -> KeyEvent {
    let plain = |code| KeyEvent::new(code, KeyModifiers::NONE);
    match name {
        "Enter" => plain(KeyCode::Enter),
        "Esc" => plain(KeyCode::Esc),
        "Space" => plain(KeyCode::Char(' ')),
        "Up" => plain(KeyCode::Up),
        "Down" => plain(KeyCode::Down),
        "Left" => plain(KeyCode::Left),
        "Right" => plain(KeyCode::Right),
        "PgUp" => plain(KeyCode::PageUp),
        "PgDn" => plain(KeyCode::PageDown),
        "Home" => plain(KeyCode::Home),
        "End" => plain(KeyCode::End),
        "Tab" => plain(KeyCode::Tab),
        "BackTab" => KeyEvent::new(KeyCode::BackTab, KeyModifiers::SHIFT),
        "Backspace" => plain(KeyCode::Backspace),
        "Delete" => plain(KeyCode::Delete),
        _ => match (name.strip_prefix("C-"), name.chars().next()) {
            (Some(letter), _) => KeyEvent::new(KeyCode::Char(letter.parse().unwrap()), KeyModifiers::CONTROL),
            (None, Some(letter)) if letter.is_uppercase() => KeyEvent::new(KeyCode::Char(letter), KeyModifiers::SHIFT),
            (None, letter) => plain(KeyCode::Char(letter.unwrap())),
        },
    }
}

/// The fault lines among these commands.
fn lines_of(commands: &[Command]) -> Vec<String> {
    commands
        .iter()
        .filter_map(|command| match command {
            Command::Request(Request::Inject(line)) => Some(line.clone()),
            _ => None,
        })
        .collect()
}

/// The session that is played, if the records are not those of a running lab.
fn played(model: &Model) -> Option<&Playback> {
    match &model.time.feed {
        Feed::Live(_) => None,
        Feed::Replay(playback) | Feed::Simulated(SimulatedLab { playback, .. }) => Some(playback),
    }
}

/// A replay of this session, at its beginning.
fn replay_of(options: &super::Options, session: SessionReader) -> Model {
    let SessionReader { head, records, skipped } = session;
    let mut playback = Playback::new(head.as_ref(), records);
    skipped.into_iter().for_each(|line| playback.pass_over(line));
    let mut model = Model::replay(options, head, playback);
    model.tell_unusable();
    model
}

fn options_of_replay() -> super::Options {
    stage::options(super::Source::Session("first.session".into()), super::Role::Visitor)
}

fn hear(model: &mut Model, record: Record) {
    update(model, ScreenMessage::Frame(Box::new(Frame::Record { record })));
}

/// Draws at this size.
fn draw(model: &mut Model, width: u16, height: u16) -> Buffer {
    update(model, ScreenMessage::Resize(width, height));
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| view(model, frame)).unwrap();
    terminal.backend().buffer().clone()
}

/// The screen's text.
fn text(model: &mut Model, width: u16, height: u16) -> String {
    let buffer = draw(model, width, height);
    let row = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
    (0..height).map(row).collect::<Vec<_>>().join("\n")
}

/// The screen's text, and below it each run of cells that is not in the terminal's own style.
fn styled(model: &mut Model, width: u16, height: u16) -> String {
    let buffer = draw(model, width, height);
    let mut dump = text(model, width, height);
    dump.push_str("\n\nstyles:\n");
    for y in 0..height {
        let mut x = 0;
        while x < width {
            let style = buffer[(x, y)].style();
            let start = x;
            let mut run = String::new();
            while x < width && buffer[(x, y)].style() == style {
                run.push_str(buffer[(x, y)].symbol());
                x += 1;
            }
            if !words_of(style).is_empty() && !run.trim().is_empty() {
                writeln!(dump, "{y:>2} {start:>3} {:<24} {}", words_of(style), run.trim_end()).unwrap();
            }
        }
    }
    dump
}

fn words_of(style: Style) -> String {
    let mut words = Vec::new();
    if let Some(colour) = style.fg.filter(|colour| *colour != ratatui::style::Color::Reset) {
        words.push(format!("{colour}"));
    }
    if let Some(colour) = style.bg.filter(|colour| *colour != ratatui::style::Color::Reset) {
        words.push(format!("on {colour}"));
    }
    words.extend(style.add_modifier.iter_names().map(|(name, _)| name.to_lowercase()));
    words.join(" ")
}
