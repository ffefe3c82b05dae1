//! `measure figures`: any lab, anything that can be counted, from one of its steps until a condition.

mod counted;
mod sheet;
mod stretch;
mod sum;
mod survey;
#[cfg(test)]
mod tests;

pub use counted::{Counted, CountedTextError};
pub use sheet::RowForm;
pub use stretch::Bounds;
pub use sum::FiguresSum;
pub use survey::FiguresSurvey;
