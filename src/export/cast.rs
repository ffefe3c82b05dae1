//! The screen as a recording for the player of asciinema, format 3 or 2: the session played at the lab's own speed, with a
//! marker at each fault, election and violation, and wherever somebody wrote something.
//!
//! Where nothing is recorded for long, that time is left out, and a recording of half an hour stops and says so.
//!
//! Invariant: the frames are those of a screen that plays the session, ten a second; the same session gives the same bytes.
//! The terminal that plays it is cleared at the beginning, and its cursor is hidden until the end and no longer.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;
use std::time::Duration;

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::queue;
use crossterm::terminal::{Clear, ClearType};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};
use serde_json::json;

use super::exported::{CastVersion, Exported, ScreenSize};
use super::screen::screen_of;
use super::told::ToldSession;
use protocol::visible;
use record::{Body, SessionNote};
use world::seconds;

/// From one frame to the next, in nanoseconds.
const FRAME: i64 = 100_000_000;
/// Of a time in which nothing is recorded, so much is shown, in nanoseconds.
const IDLE_MAX: i64 = 3_000_000_000;
/// So many frames are shown.
const FRAMES_MAX: usize = 18_000;
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
    let title = visible(&told.head.name);
    let head = match version {
        CastVersion::Three => json!({ "version": 3, "term": { "cols": columns, "rows": rows }, "title": title }),
        CastVersion::Two => json!({ "version": 2, "width": columns, "height": rows, "title": title }),
    };
    writeln!(out, "{head}")?;
    // Whatever this process's own terminal is.
    crossterm::style::force_color_output(true);
    let mut output = Output::default();
    queue!(output, Hide, Clear(ClearType::All), MoveTo(0, 0))?;
    let viewport = Viewport::Fixed(Rect::new(0, 0, columns, rows));
    let mut terminal = Terminal::with_options(CrosstermBackend::new(output.clone()), TerminalOptions { viewport })?;
    let (start, end) = screen.span();
    let mut markers = markers(&told, exported.notes).into_iter().peekable();
    let (mut last, mut at, mut left_out) = (0, start, 0);
    let mut stamps: Vec<i64> = told.records.iter().map(|record| record.at).collect();
    stamps.sort_unstable();
    let mut tell = |out: &mut dyn Write, at: i64, code: &str, data: &str| {
        // What somebody wrote about a time that is left out stands behind it.
        let at = at.max(last);
        let before = std::mem::replace(&mut last, at);
        let since = match version {
            CastVersion::Three => at - before,
            CastVersion::Two => at,
        };
        writeln!(out, "{}", json!([since as f64 / 1e9, code, data]))
    };
    screen.play();
    for frame in 1.. {
        while let Some((stamp, words)) = markers.next_if(|(stamp, _)| *stamp <= at) {
            tell(out, stamp.max(start).saturating_sub(left_out).saturating_sub(start), "m", &words)?;
        }
        let shown_at = at - left_out - start;
        screen.tick(Duration::from_nanos(u64::try_from(shown_at).unwrap_or(0)));
        // Not by the terminal's own `draw`, which hides the cursor again at each frame.
        screen.draw(&mut terminal.get_frame());
        terminal.flush()?;
        terminal.swap_buffers();
        let (is_end, is_full) = (at >= end, frame == FRAMES_MAX);
        if is_end || is_full {
            queue!(output, MoveTo(0, rows - 1), Show)?;
        }
        let bytes = std::mem::take(&mut *output.0.borrow_mut());
        if !bytes.is_empty() {
            tell(out, shown_at, "o", &String::from_utf8_lossy(&bytes))?;
        }
        if is_end {
            break;
        }
        if is_full {
            let words = format!("here the recording stops, at {} s of {} s", seconds(at, 1), seconds(end, 1));
            return tell(out, shown_at, "m", &words);
        }
        let next = stamps.get(stamps.partition_point(|stamp| *stamp <= at)).copied().unwrap_or(end);
        let idle = next.saturating_sub(at).saturating_sub(IDLE_MAX).max(0);
        if idle > 0 {
            screen.seek(at + idle);
        }
        (at, left_out) = ((at + idle + FRAME).min(end), left_out + idle);
    }
    Ok(())
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
