//! The errors of a lab file, drawn into its text: line, caret, what was expected, remedy.
//!
//! Invariant: the errors of a file are told at once, in its order: the first twenty, and how many more there are.

use std::fmt;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

/// So many errors are drawn; nobody reads more, and each takes a walk through the whole text.
pub const TOLD_MAX: usize = 20;

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
            f.write_str(&error.drawn(&self.file, &self.text, None))?;
        }
        undrawn(self.list.len()).map_or(Ok(()), |more| write!(f, "\n\n{more}"))
    }
}

impl LabError {
    /// Drawn into the text of this file, with another place that has to do with it and what stands there, if there is
    /// one.
    pub fn drawn(&self, file: &str, text: &str, other: Option<&(Range<usize>, String)>) -> String {
        let place = AnnotationKind::Primary.span(self.at.clone()).label(self.expected.as_str());
        let other = other.map(|(at, what)| AnnotationKind::Context.span(at.clone()).label(what.as_str()));
        let snippet = Snippet::source(text).path(file).annotation(place).annotations(other);
        let report = [Level::ERROR
            .primary_title(self.what.as_str())
            .element(snippet)
            .element(Level::HELP.message(self.remedy.as_str()))];
        Renderer::plain().render(&report)
    }
}

/// In words, how many of so many errors are not drawn; nothing, if all are.
pub fn undrawn(errors: usize) -> Option<String> {
    match errors.saturating_sub(TOLD_MAX) {
        0 => None,
        1 => Some("and 1 more error".to_owned()),
        more => Some(format!("and {more} more errors")),
    }
}

impl std::error::Error for LabErrors {}
