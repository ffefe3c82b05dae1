//! `measure time`: how long an algorithm takes until all agree, beside its Card's bounds: from the common start, from a
//! leader's crash, and from the end of a partition for the groups of Invitation (Garcia-Molina 1982, section IV). For
//! the Asynchronous Bully it also tries the links on which appendix B of Stoller 1997 fails.
//!
//! Two times are told apart. An election lasts from the first process that leaves its rest until all agree; its bound is
//! that of one election, T, 3T, 5T or rounds of 3T. The whole time begins with the fault, which must be noticed first;
//! its bound is the one after which the judge asks for agreement, such as c_S.

mod fit;
mod ground;
mod point;
mod real;
mod real_sheet;
mod rest;
mod row;
mod sheet;
mod sum;
mod survey;
#[cfg(test)]
mod tests;

pub use point::{PARTED_NODES, T, TimePoint, TimedScene};
pub use real::RealTimeSum;
pub use sum::TimeSum;
pub use survey::{TimeSurvey, TimeTopic};
