//! `measure detectors`: the failure detectors of Stoller 1997, sections 2 and 6, on the same traffic and under the same
//! loss: how soon they report a crash, how often they are mistaken, how long that lasts, and what they cost.

mod point;
mod sheet;
mod sum;
mod survey;
#[cfg(test)]
mod tests;
mod trial;

pub use point::DetectorPoint;
pub use sum::DetectorsSum;
pub use survey::DetectorsSurvey;
