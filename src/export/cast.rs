//! The screen as a recording for the player of asciinema, format 3 or 2: the session played at the lab's own speed, with a
//! marker at each fault, election and violation, and wherever somebody wrote something.
//!
//! Invariant: the frames are those of the screen, ten a second; the same session gives the same bytes.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;
use std::time::Duration;

use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};
use serde_json::json;

use super::exported::{CastVersion, Exported, ScreenSize};
use super::screen::screen_of;
use super::told::ToldSession;
use crate::record::{Body, SessionNote};

/// From one frame to the next, in nanoseconds.
const FRAME: i64 = 100_000_000;
/// A marker's words are cut after so many characters.
const WORDS_MAX: usize = 80;

/// Bytes that the terminal's backend writes.
#[derive(Clone, Default)]
struct Output(Rc<RefCell<Vec<u8>>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes the recording.
pub(super) fn write(exported: &Exported<'_>, out: &mut dyn Write) -> io::Result<()> {
    let version = exported.cast;
    let told = ToldSession::of(exported.session)?;
    let mut screen = screen_of(exported)?;
    let ScreenSize { columns, rows } = exported.size;
    let title = &told.head.name;
    let head = match version {
        CastVersion::Three => json!({ "version": 3, "term": { "cols": columns, "rows": rows }, "title": title }),
        CastVersion::Two => json!({ "version": 2, "width": columns, "height": rows, "title": title }),
    };
    writeln!(out, "{head}")?;
    // Whatever this process's own terminal is.
    crossterm::style::force_color_output(true);
    let output = Output::default();
    let viewport = Viewport::Fixed(Rect::new(0, 0, columns, rows));
    let mut terminal = Terminal::with_options(CrosstermBackend::new(output.clone()), TerminalOptions { viewport })?;
    let (start, end) = screen.span();
    let mut markers = markers(&told, exported.notes).into_iter().peekable();
    let (mut last, mut at) = (0, start);
    let mut tell = |out: &mut dyn Write, at: i64, code: &str, data: &str| {
        let since = match version {
            CastVersion::Three => at - std::mem::replace(&mut last, at),
            CastVersion::Two => at,
        };
        writeln!(out, "{}", json!([since as f64 / 1e9, code, data]))
    };
    loop {
        while let Some((stamp, words)) = markers.next_if(|(stamp, _)| *stamp <= at) {
            tell(out, stamp.max(start) - start, "m", &words)?;
        }
        screen.seek(at);
        screen.tick(Duration::from_nanos(u64::try_from(at - start).unwrap_or(0)));
        terminal.draw(|frame| screen.draw(frame))?;
        let bytes = std::mem::take(&mut *output.0.borrow_mut());
        if !bytes.is_empty() {
            tell(out, at - start, "o", &String::from_utf8_lossy(&bytes))?;
        }
        if at >= end {
            return Ok(());
        }
        at = (at + FRAME).min(end);
    }
}

/// When something happens that a viewer looks for, and its words.
fn markers(session: &ToldSession, notes: &[SessionNote]) -> Vec<(i64, String)> {
    let told = session.records.iter().filter_map(|record| match &record.body {
        Body::FaultOrdered { id, line, .. } => Some((record.at, format!("{id} {line}"))),
        Body::Violation(violation) => Some((record.at, format!("{} is violated", violation.property))),
        Body::Marker { text } => Some((record.at, text.clone())),
        _ => None,
    });
    let begun = session.elections.iter().map(|election| {
        (election.began, format!("election {} begins, by {}: {}", election.ordinal, election.by, election.why))
    });
    let written = notes.iter().map(|note| (note.at, format!("{}: {}", note.kind.word(), note.text)));
    let mut markers: Vec<(i64, String)> = told.chain(begun).chain(written).collect();
    markers.sort();
    markers.iter_mut().for_each(|(_, words)| *words = words.chars().take(WORDS_MAX).collect());
    markers
}
