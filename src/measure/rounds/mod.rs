//! `measure rounds`: how many rounds Algorithm C takes under loss, beside what King, Gendreau and Ni expect (1988,
//! section 6, figure 1), and how often it fails, which their formula cannot.
//!
//! Rounds are the inits, which are one, and the final master's announcements. With one candidate the formula has 1 and
//! the machine takes 2, because it announces itself all the same.

mod election;
mod formula;
mod point;
mod real;
mod sheet;
mod sum;
mod survey;
#[cfg(test)]
mod tests;

pub use formula::expected_rounds;
pub use point::{RoundsPoint, Starts, Tables};
pub use real::RealSum;
pub use sum::RoundsSum;
pub use survey::{CANDIDATES_MAX, P_MAX, RoundsSurvey};
