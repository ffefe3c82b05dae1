//! The errors of a config file, drawn into its text as those of a lab file are: line, caret, what was expected, remedy.
//!
//! Invariant: they are told at once, in the order of the file: the first twenty, and how many more there are.

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::PathBuf;

use lab::{LabError, TOLD_MAX, undrawn};

/// Why a config file does not hold, or not as a whole.
#[derive(Debug, thiserror::Error)]
pub enum ConfigRefusal {
    /// Cannot be read.
    #[error("the config file {} cannot be read: {error}; the defaults hold", path.display())]
    Unread {
        /// Where it is.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Something in it is wrong.
    #[error(transparent)]
    Wrong(ConfigErrors),
}

impl ConfigRefusal {
    /// In one sentence, for a screen.
    pub fn in_brief(&self) -> String {
        match self {
            ConfigRefusal::Unread { .. } => format!("{self}."),
            ConfigRefusal::Wrong(ConfigErrors { path, list, .. }) => {
                let errors = if list.len() == 1 { "1 error".to_owned() } else { format!("{} errors", list.len()) };
                let path = path.display();
                format!("{path} has {errors}, and the defaults hold there: `hustings config` shows what is wrong.")
            }
        }
    }
}

/// One error of a config file.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct ConfigError {
    /// The error, as one of a lab file.
    pub error: LabError,
    /// Another place that has to do with it, and what stands there.
    pub other: Option<(Range<usize>, String)>,
}

impl From<LabError> for ConfigError {
    fn from(error: LabError) -> ConfigError {
        ConfigError { error, other: None }
    }
}

/// All errors of a config file; there is at least one.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct ConfigErrors {
    /// Where the file is.
    pub path: PathBuf,
    pub text: String,
    /// The errors, in the order of the file.
    pub list: Vec<ConfigError>,
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display().to_string();
        for ConfigError { error, other } in self.list.iter().take(TOLD_MAX) {
            writeln!(f, "{}\n", error.drawn(&path, &self.text, other.as_ref()))?;
        }
        if let Some(more) = undrawn(self.list.len()) {
            writeln!(f, "{more}")?;
        }
        f.write_str("where the config file is wrong, the defaults hold")
    }
}

impl std::error::Error for ConfigErrors {}
