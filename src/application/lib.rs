//! The applications: what an election is for. One folder each.
//!
//! Invariant: an application is told what its process's algorithm is in, and cannot reach into it; no driver names one.

/// The lines of an application's listing, counted from [`APPLICATION_LINES`](protocol::APPLICATION_LINES).
macro_rules! listing {
    ($($name:ident = $number:literal, $procedure:literal, $text:literal;)*) => {
        $(pub const $name: ::protocol::LineNumber = ::protocol::APPLICATION_LINES + $number;)*
        pub const LISTING: &[::protocol::Line] =
            &[$(::protocol::Line::new($name, $procedure, $text)),*];
    };
}

pub mod copies;
pub mod exclusion;
pub mod fencing;
pub mod history;
pub mod joining;
pub mod section;
pub mod service;
pub mod shards;
#[cfg(test)]
mod tests;
pub mod token;
pub mod updates;
