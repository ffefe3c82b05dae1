//! `hustings export FILE --format F`: a session in another form.
//!
//! Invariant: an export holds no character that a terminal would obey, wherever it goes; it still says the same.

use std::io::ErrorKind;
use std::path::PathBuf;

use super::code;
use super::new_file::{self, Existing};
use super::tell::{remark, say_all};
use crate::export::{FORMATS, named};
use crate::protocol::visible;
use crate::record::SessionReader;

/// What `export` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The session file
    file: PathBuf,
    /// The form
    #[arg(long, value_parser = format_names())]
    format: String,
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

/// Exports the session.
pub fn main(arguments: &Arguments) -> u8 {
    let session = match SessionReader::open(&arguments.file) {
        Ok(session) => session,
        Err(error) => {
            remark(format!("{}: {error}", arguments.file.display()));
            return code::of_io(&error);
        }
    };
    for skipped in &session.skipped {
        remark(format!("{}:{}: skipped: {}", arguments.file.display(), skipped.line, skipped.why));
    }
    let format = named(&arguments.format).expect("the command line admits only these");
    let mut text = Vec::new();
    let written = (format.write)(&session, &mut text).and_then(|()| {
        let text = String::from_utf8_lossy(&text);
        match &arguments.output {
            Some(path) => {
                let existing = if arguments.force { Existing::Replaced } else { Existing::Kept };
                new_file::write(path, &visible(&text), existing)
            }
            None => say_all(&text),
        }
    });
    match written {
        Ok(()) => code::MET,
        // The reader of our output has read enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => code::MET,
        Err(error) => {
            let place = arguments.output.as_ref().map_or("standard output".into(), |path| path.to_string_lossy());
            remark(format!("cannot write to {place}: {error}"));
            if error.kind() == ErrorKind::AlreadyExists { code::ENVIRONMENT } else { code::of_io(&error) }
        }
    }
}
