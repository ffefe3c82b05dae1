//! `measure duel`: one script, played by several algorithms with the same seeds.

mod bout;
mod contest;
mod sheet;
mod sum;
mod survey;
#[cfg(test)]
mod tests;

pub use contest::{Contest, ContestError};
pub use sum::{Compared, DuelSum};
