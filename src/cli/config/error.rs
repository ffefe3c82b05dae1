//! The errors of a config file, drawn into its text as those of a lab file are: line, caret, what was expected, remedy.
//!
//! Invariant: they are told at once, in the order of the file: the first twenty, and how many more there are.

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::PathBuf;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use crate::lab::LabError;

/// So many errors are drawn.
const TOLD_MAX: usize = 20;

/// Why a config file does not hold, or not as a whole.
#[derive(Debug, thiserror::Error)]
pub enum ConfigRefusal {
    /// It cannot be read.
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
    /// It in one sentence, for a screen.
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
    /// Where in the text, in bytes.
    pub at: Range<usize>,
    /// What is wrong, as a fragment.
    pub what: String,
    /// What was expected there, as a fragment for the caret.
    pub expected: String,
    /// What to do next, as a fragment.
    pub remedy: String,
    /// Another place that has to do with it, and what stands there.
    pub other: Option<(Range<usize>, String)>,
}

impl From<LabError> for ConfigError {
    fn from(error: LabError) -> ConfigError {
        let LabError { at, what, expected, remedy } = error;
        ConfigError { at, what, expected, remedy, other: None }
    }
}

/// All errors of a config file; there is at least one.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct ConfigErrors {
    /// Where the file is.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// The errors, in the order of the file.
    pub list: Vec<ConfigError>,
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display().to_string();
        for error in self.list.iter().take(TOLD_MAX) {
            let place = AnnotationKind::Primary.span(error.at.clone()).label(error.expected.as_str());
            let mut snippet = Snippet::source(self.text.as_str()).path(path.as_str()).annotation(place);
            if let Some((at, what)) = &error.other {
                snippet = snippet.annotation(AnnotationKind::Context.span(at.clone()).label(what.as_str()));
            }
            let report = [Level::ERROR
                .primary_title(error.what.as_str())
                .element(snippet)
                .element(Level::HELP.message(error.remedy.as_str()))];
            writeln!(f, "{}\n", Renderer::plain().render(&report))?;
        }
        match self.list.len().saturating_sub(TOLD_MAX) {
            0 => {}
            1 => writeln!(f, "and 1 more error")?,
            more => writeln!(f, "and {more} more errors")?,
        }
        f.write_str("where the config file is wrong, the defaults hold")
    }
}

impl std::error::Error for ConfigErrors {}
