//! `hustings export FILE --format F`: a session in another form.
//!
//! Invariant: an export of text holds no character that a terminal would obey, wherever it goes; it still says the
//! same. An export of bytes goes to no terminal.

#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::new_file::{self, Existing};
use super::output::{VisibleLines, remark, say_all};
use super::{candidates, code, notes, session_moment, session_names};
use export::{CastVersion, Exported, FORMATS, Format, FormatContent, FormatScreen, SIZES, ScreenSize, named};
use protocol::Span;
use record::{Head, Session, SessionEntry, SessionError, Skipped, StoredSession};

/// The screen's size, unless another one is named.
const SIZE: ScreenSize = ScreenSize { columns: 100, rows: 30 };

/// What `export` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The session's file, of one in parts any of them; or `last`, or the number or the beginning of a name that
    /// `sessions` lists
    #[arg(value_name = "SESSION", add = candidates::session())]
    file: PathBuf,
    /// The form
    #[arg(long, value_parser = format_names())]
    format: String,
    /// How large the screen is in `svg` and `cast`; without it, 100x30
    #[arg(long, value_name = "COLUMNSxROWS", value_parser = parse_size)]
    size: Option<ScreenSize>,
    /// The moment that `svg` shows, since the lab began; without it, the end
    #[arg(long, value_name = "SPAN")]
    at: Option<Span>,
    /// The version of `cast`: 3, or 2 for older players; without it, 3
    #[arg(long, value_name = "N", value_parser = parse_cast)]
    cast_version: Option<CastVersion>,
    /// The new file to write; without it, stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file if it exists already
    #[arg(long, requires = "output")]
    force: bool,
}

fn format_names() -> clap::builder::PossibleValuesParser {
    FORMATS
        .iter()
        .map(|format| clap::builder::PossibleValue::new(format.name).help(format.about))
        .collect::<Vec<_>>()
        .into()
}

fn parse_size(text: &str) -> Result<ScreenSize, String> {
    let (least, most) = SIZES;
    let size = text
        .split_once('x')
        .and_then(|(columns, rows)| Some(ScreenSize { columns: columns.parse().ok()?, rows: rows.parse().ok()? }));
    let is_in_range = |size: &ScreenSize| {
        (least.columns..=most.columns).contains(&size.columns) && (least.rows..=most.rows).contains(&size.rows)
    };
    size.filter(is_in_range).ok_or_else(|| {
        format!(
            "write columns and rows, such as 100x30, from {}x{} to {}x{}",
            least.columns, least.rows, most.columns, most.rows
        )
    })
}

fn parse_cast(text: &str) -> Result<CastVersion, &'static str> {
    match text {
        "3" => Ok(CastVersion::Three),
        "2" => Ok(CastVersion::Two),
        _ => Err("the versions are 3 and 2"),
    }
}

/// Which option means nothing for this format, if one does.
fn unused(arguments: &Arguments, format: &Format) -> Option<String> {
    let means_nothing = [
        ("--at", arguments.at.is_some() && format.screen != FormatScreen::Moment),
        ("--size", arguments.size.is_some() && format.screen == FormatScreen::Nothing),
        ("--cast-version", arguments.cast_version.is_some() && format.screen != FormatScreen::Recording),
    ];
    let (option, _) = means_nothing.into_iter().find(|(_, is_so)| *is_so)?;
    let of = if option == "--cast-version" { "a recording" } else { "the screen" };
    let what = if option == "--at" { "one moment of " } else { "" };
    Some(format!("{option} is about {what}{of}, which {} does not show; leave it out", format.name))
}

/// Exports the session.
pub fn main(arguments: &Arguments) -> u8 {
    let format = named(&arguments.format).expect("the command line admits only these");
    let is_bytes = format.content == FormatContent::Bytes;
    if is_bytes && arguments.output.is_none() && io::stdout().is_terminal() {
        remark(format!("{} is no text, and would spoil the terminal; name a file with --output", format.name));
        return code::USAGE;
    }
    if let Some(unused) = unused(arguments, format) {
        remark(unused);
        return code::USAGE;
    }
    let file = match session_names::file_of(&arguments.file) {
        Ok(file) => file,
        Err(code) => return code,
    };
    let unread = |error: &SessionError| {
        remark(format!("{}: {error}", file.display()));
        code::unread(error)
    };
    let session = match StoredSession::open(&file) {
        Ok(session) => SkipReporter { session, file: &file, told: Cell::new(0) },
        Err(error) => return unread(&error),
    };
    let at = match arguments.at.map(|at| session_moment::within(&session.session, &file, at)).transpose() {
        Ok(at) => at,
        Err(code) => return code,
    };
    let notes = notes::beside(&session.session, &file);
    let size = arguments.size.unwrap_or(SIZE);
    let cast = arguments.cast_version.unwrap_or(CastVersion::Three);
    let exported = Exported { session: &session, notes: &notes, path: &file, size, at, cast };
    let mut write = |out: &mut dyn io::Write| {
        if is_bytes {
            let mut out = BufWriter::new(out);
            (format.write)(&exported, &mut out)?;
            return out.flush();
        }
        let mut out = VisibleLines::over(out);
        (format.write)(&exported, &mut out)?;
        out.finish()
    };
    let existing = if arguments.force { Existing::Replaced } else { Existing::Kept };
    let written = match &arguments.output {
        Some(path) => new_file::write(path, existing, &mut write),
        None => say_all(write),
    };
    match written {
        Ok(()) => code::MET,
        // The reader of our output has read enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => code::MET,
        // Something of the session is missing that the format needs.
        Err(error) if error.kind() == ErrorKind::InvalidData => {
            remark(format!("{}: {error}", file.display()));
            code::UNKNOWN
        }
        Err(error) => match error.get_ref().and_then(|error| error.downcast_ref()) {
            Some(error) => unread(error),
            None => {
                let place = arguments.output.as_ref().map_or("standard output".into(), |path| path.to_string_lossy());
                remark(format!("cannot write to {place}: {error}"));
                if error.kind() == ErrorKind::AlreadyExists { code::ENVIRONMENT } else { code::of_io(&error) }
            }
        },
    }
}

/// A session whose reader says which lines it skipped, each once.
struct SkipReporter<'a> {
    session: StoredSession,
    file: &'a Path,
    /// The last line that it told.
    told: Cell<usize>,
}

impl Session for SkipReporter<'_> {
    fn head(&self) -> Option<&Head> {
        self.session.head()
    }

    fn go_through(&self, take: &mut dyn FnMut(SessionEntry) -> ControlFlow<()>) -> Result<(), SessionError> {
        self.session.go_through(&mut |entry| {
            if let SessionEntry::Skipped(Skipped { line, why }) = &entry
                && *line > self.told.replace(self.told.get().max(*line))
            {
                remark(format!("{}:{line}: skipped: {why}", self.file.display()));
            }
            take(entry)
        })
    }
}
