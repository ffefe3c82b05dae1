//! The errors of a lab file, drawn into its text: line, caret, what was expected, remedy.
//!
//! Invariant: the errors of a file are told at once, in its order: the first twenty, and how many more there are.

use std::fmt;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

/// So many errors are drawn; nobody reads more, and each takes a walk through the whole text.
pub(super) const TOLD_MAX: usize = 20;

/// One error of a lab file.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct LabError {
    /// Where in the text, in bytes.
    pub at: Range<usize>,
    /// What is wrong, as a fragment.
    pub what: String,
    /// What was expected there, as a fragment for the caret.
    pub expected: String,
    /// What to do next, as a fragment.
    pub remedy: String,
}

/// All errors of a lab file; there is at least one. It prints the first of them as a person should see them.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct LabErrors {
    /// The file's name.
    pub file: String,
    /// Its text.
    pub text: String,
    /// The errors, in the order of the file.
    pub list: Vec<LabError>,
}

impl fmt::Display for LabErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.list.iter().take(TOLD_MAX).enumerate() {
            if index > 0 {
                f.write_str("\n\n")?;
            }
            let place = AnnotationKind::Primary.span(error.at.clone()).label(error.expected.as_str());
            let snippet = Snippet::source(self.text.as_str()).path(self.file.as_str()).annotation(place);
            let report = [Level::ERROR
                .primary_title(error.what.as_str())
                .element(snippet)
                .element(Level::HELP.message(error.remedy.as_str()))];
            f.write_str(&Renderer::plain().render(&report))?;
        }
        match self.list.len().saturating_sub(TOLD_MAX) {
            0 => Ok(()),
            1 => f.write_str("\n\nand 1 more error"),
            more => write!(f, "\n\nand {more} more errors"),
        }
    }
}

impl std::error::Error for LabErrors {}
