//! Lab files as commands take them: read, parsed, told what is wrong with them.
//!
//! Invariant: a lab file that is wrong starts nothing.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::code;
use super::tell::remark;
use crate::election::CARDS;
use crate::lab::{self, Lab};

/// The lab that is built in.
pub const DEFAULT: &str = include_str!("../../labs/first.toml");
/// What the built-in lab's errors would call it.
pub const DEFAULT_NAME: &str = "first.toml (built in)";
/// A longer file is no lab.
const LAB_BYTES_MAX: u64 = 1 << 20;

/// A lab file's name and text.
#[derive(Clone, Debug)]
pub struct LabText {
    /// What its errors call it.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// The text of this lab file, or of the built-in lab. An error has been told on stderr; the code says which.
pub fn read(path: Option<&Path>) -> Result<LabText, u8> {
    let Some(path) = path else {
        return Ok(LabText { name: DEFAULT_NAME.to_owned(), text: DEFAULT.to_owned() });
    };
    read_bounded(path).map(|text| LabText { name: path.display().to_string(), text }).map_err(|error| {
        remark(format!("{}: {error}", path.display()));
        code::LAB_INVALID
    })
}

fn read_bounded(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    fs::File::open(path)?.take(LAB_BYTES_MAX + 1).read_to_string(&mut text)?;
    if text.len() as u64 > LAB_BYTES_MAX {
        return Err(io::Error::other(format!("longer than {LAB_BYTES_MAX} bytes; that is no lab file")));
    }
    Ok(text)
}

/// The lab of this text. All its errors have been told on stderr.
pub fn parse(lab: &LabText) -> Result<Lab, u8> {
    lab::parse(&lab.name, &lab.text, CARDS).map_err(|errors| {
        remark(errors);
        code::LAB_INVALID
    })
}

/// All these labs, or nothing: every file's errors are told.
pub fn parse_all(paths: &[PathBuf]) -> Result<Vec<Lab>, u8> {
    let labs: Vec<Result<Lab, u8>> = paths.iter().map(|path| parse(&read(Some(path))?)).collect();
    labs.into_iter().collect()
}
