//! `hustings export FILE --format F`: a session in another form.

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::PathBuf;

use super::code;
use super::tell::remark;
use crate::export::{FORMATS, named};
use crate::record::SessionReader;

/// What `export` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The session file
    file: PathBuf,
    /// The form
    #[arg(long, value_parser = format_names())]
    format: String,
    /// The file to write; without it, stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
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
            return code::FAILED;
        }
    };
    for skipped in &session.skipped {
        remark(format!("{}:{}: skipped: {}", arguments.file.display(), skipped.line, skipped.why));
    }
    let format = named(&arguments.format).expect("the command line admits only these");
    let written = match &arguments.output {
        Some(path) => File::create(path).and_then(|file| write_all(format.write, &session, file)),
        None => write_all(format.write, &session, io::stdout().lock()),
    };
    match written {
        Ok(()) => code::MET,
        // The reader of our output has read enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => code::MET,
        Err(error) => {
            remark(format!("cannot write: {error}"));
            code::FAILED
        }
    }
}

fn write_all(
    write: fn(&SessionReader, &mut dyn Write) -> io::Result<()>,
    session: &SessionReader,
    out: impl Write,
) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    write(session, &mut out)?;
    out.flush()
}
