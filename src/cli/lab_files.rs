//! Lab files for commands: reads and parses them, and prints their errors.
//!
//! Invariant: a lab file with errors starts nothing.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::output::remark;
use super::registry_in_use;
use super::run::Time;
use super::{built_in, code};
use lab::{FILE_BYTES_MAX, Lab};

/// The lab to begin with.
const DEFAULT: &str = "first";
/// At most so many labs are named that a wrong name may mean.
const NAMED_MAX: usize = 5;

/// A lab file's name and text.
#[derive(Clone, Debug)]
pub struct LabText {
    /// What its errors call it.
    pub name: String,
    pub text: String,
}

/// The text of this lab file, or of the lab to begin with. If there is no such file, a built-in lab may have this name.
/// On an error stderr has the reason; the code says which error.
pub fn read(path: Option<&Path>) -> Result<LabText, u8> {
    let Some(path) = path else {
        return Ok(built_in::named(DEFAULT).expect("the lab to begin with is built in"));
    };
    let is_no_file = !path.exists() || path.is_dir();
    if let Some(lab) = path.to_str().filter(|_| is_no_file).and_then(built_in::named) {
        return Ok(lab);
    }
    read_bounded(path).map(|text| LabText { name: path.display().to_string(), text }).map_err(|error| {
        remark(format!("{}: {}", path.display(), why_not(path, &error)));
        if code::of_io(&error) == code::ENVIRONMENT { code::ENVIRONMENT } else { code::LAB_INVALID }
    })
}

/// Why the file cannot be read, and what the name may mean.
fn why_not(path: &Path, error: &io::Error) -> String {
    if error.kind() != io::ErrorKind::NotFound {
        return error.to_string();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let lists = "`hustings labs` lists them";
    let meant = match &built_in::near(&stem)[..] {
        [] => lists.to_owned(),
        near => format!("did you mean {}? {lists}", near[..near.len().min(NAMED_MAX)].join(", ")),
    };
    format!("there is no such file, and no built-in lab of that name; {meant}")
}

fn read_bounded(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    fs::File::open(path)?.take(FILE_BYTES_MAX as u64 + 1).read_to_string(&mut text)?;
    if text.len() > FILE_BYTES_MAX {
        return Err(io::Error::other(format!("longer than {FILE_BYTES_MAX} bytes; a lab file is shorter")));
    }
    Ok(text)
}

/// The lab of this text. On an error stderr has all reasons.
pub fn parse(lab: &LabText) -> Result<Lab, u8> {
    lab::parse(&lab.name, &lab.text, registry_in_use()).map_err(|errors| {
        remark(errors);
        code::LAB_INVALID
    })
}

/// The lab of this text, if it can run in this time. On an error stderr has all reasons.
pub fn parse_for(time: Time, text: &LabText) -> Result<Lab, u8> {
    let lab = parse(text)?;
    if time == Time::Virtual {
        lab.check_simulable(&text.name).map_err(|errors| {
            remark(errors);
            code::LAB_INVALID
        })?;
    }
    Ok(lab)
}

/// All these labs, or nothing: the errors of every file are printed.
pub fn parse_all(time: Time, paths: &[PathBuf]) -> Result<Vec<Lab>, u8> {
    let labs: Vec<Result<Lab, u8>> = paths.iter().map(|path| parse_for(time, &read(Some(path))?)).collect();
    labs.into_iter().collect()
}
