//! Measurements: what the papers claim of their algorithms, beside what many simulated runs show.
//!
//! A [`Measurement`] states its points, how one is tried with a seed and what is added up there, the columns of its sheet,
//! its plot and its sentences. One file a measurement; what is the same for all of them is written once.
//!
//! Invariant: the same points and seeds give the same sums, sheets and plots, byte for byte, on any number of threads.

pub mod detectors;
pub mod duel;
pub mod figures;
mod measurement;
pub mod messages;
mod plot;
mod real_runs;
pub mod rounds;
mod sample;
pub mod time;
mod trial;

pub use measurement::{Column, Exhibit, Findings, FindingsExtent, Measurement, carry_out};
pub use plot::SvgPlot;
pub use real_runs::{PlayReal, RealProgress};
