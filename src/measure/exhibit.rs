//! What a measurement shows.

use super::plot::SvgPlot;
use world::FigureSheet;

/// What a measurement shows: a sheet, a plot of it, and what it comes to in sentences.
#[derive(Clone, PartialEq, Debug)]
pub struct Exhibit {
    /// The table.
    pub sheet: FigureSheet,
    /// The plot.
    pub plot: Option<SvgPlot>,
    /// The sentences.
    pub remarks: Vec<String>,
}
