//! Measurements: what the papers claim of their algorithms, beside what many simulated runs show.
//!
//! A measurement is a [`SeedSurvey`]: points, each looked at with every seed, whose sums become a [`FigureSheet`] and a
//! [`SvgPlot`]. One folder a measurement.
//!
//! Invariant: the same points and seeds give the same sums, sheets and plots, byte for byte, on any number of threads.

pub mod detectors;
pub mod duel;
mod exhibit;
pub mod figures;
pub mod messages;
mod plot;
mod real;
pub mod rounds;
mod sample;
mod survey;
pub mod time;

pub use exhibit::Exhibit;
pub use plot::{Axis, Corner, Curve, Marks, PlotError, SvgPlot};
pub use real::{PlayReal, RealProgress};
pub use sample::{CONFIDENCE, Estimate, Sample, reach};
pub use survey::{Findings, SeedSurvey, SurveyExtent, carry_out};
