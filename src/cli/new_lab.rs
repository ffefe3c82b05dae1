//! `hustings new FILE --from LAB`: a new lab file to change, out of another lab, with its comments.
//!
//! Invariant: what is written is a lab of the new name, and valid; nothing else of it is changed.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::lab_files::{self, LabText};
use super::new_file::{self, Existing};
use super::output::{remark, say};
use super::{candidates, code};
use lab::place_of;

/// What `new` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The new file, such as mine.toml; its name without .toml is the lab's name
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The lab that it begins as: a lab file, or a name that `labs` lists
    #[arg(long, value_name = "LAB", default_value = "first", add = candidates::lab())]
    from: PathBuf,
    /// Replace the file if it exists already
    #[arg(long)]
    force: bool,
}

/// Writes the file.
pub fn main(arguments: &Arguments) -> u8 {
    let file = match arguments.file.extension() {
        Some(_) => arguments.file.clone(),
        None => arguments.file.with_extension("toml"),
    };
    let Some(name) = file.file_stem().and_then(|stem| stem.to_str()).filter(|name| is_name(name)) else {
        remark(format!("{}: name the file after the lab, such as mine.toml, in letters, digits and -", file.display()));
        return code::USAGE;
    };
    let from = match lab_files::read(Some(&arguments.from)) {
        Ok(from) => from,
        Err(code) => return code,
    };
    if let Err(code) = lab_files::parse(&from) {
        return code;
    }
    let text = renamed(&from.text, name);
    if let Err(code) = lab_files::parse(&LabText { name: file.display().to_string(), text: text.clone() }) {
        return code;
    }
    let existing = if arguments.force { Existing::Replaced } else { Existing::Kept };
    match new_file::write(&file, existing, &mut |out| out.write_all(text.as_bytes())) {
        Ok(()) => {
            let shown = shown(&file);
            say(format!(
                "{shown}: begins as {}; change it, then `hustings check {shown}` and `hustings up {shown}`",
                from.name
            ));
            code::MET
        }
        Err(error) => {
            remark(format!("{}: {error}", file.display()));
            if error.kind() == ErrorKind::AlreadyExists { code::ENVIRONMENT } else { code::of_io(&error) }
        }
    }
}

/// Names that a shell and a file system take as they are.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

/// The file as another command takes it: one that begins with a dash would be an option.
fn shown(file: &Path) -> String {
    let shown = file.display().to_string();
    if shown.starts_with('-') { format!("./{shown}") } else { shown }
}

/// The text of a valid lab with this name in place of its own.
fn renamed(text: &str, name: &str) -> String {
    let at = place_of(text, &["name"]);
    format!("{}\"{name}\"{}", &text[..at.start], &text[at.end..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::built_in::LABS;

    #[test]
    fn every_lab_of_the_house_can_be_the_beginning_of_another() {
        for lab in LABS {
            let text = renamed(lab.text, "mine");
            let parsed = lab_files::parse(&LabText { name: "mine.toml".into(), text: text.clone() }).unwrap();
            assert_eq!(parsed.name, "mine");
            let changed = text.lines().zip(lab.text.lines()).filter(|(new, old)| new != old).count();
            assert_eq!((text.lines().count(), changed), (lab.text.lines().count(), 1), "{}", lab.name);
        }
    }

    #[test]
    fn a_file_is_told_as_a_command_takes_it() {
        assert_eq!(
            ["mine.toml", "-x.toml", "a/-x.toml"].map(|file| shown(file.as_ref())),
            ["mine.toml", "./-x.toml", "a/-x.toml"]
        );
    }

    #[test]
    fn a_name_is_one_word() {
        assert!(is_name("my-lab_2"));
        for name in ["", "my lab", "a/b", "\"", "ä"] {
            assert!(!is_name(name), "{name}");
        }
    }
}
