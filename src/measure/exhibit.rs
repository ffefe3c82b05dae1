//! What a measurement shows.

use super::plot::Plot;
use super::sheet::Sheet;

/// What a measurement shows: a sheet, a plot of it, and what it comes to in sentences.
#[derive(Clone, PartialEq, Debug)]
pub struct Exhibit {
    /// The table.
    pub sheet: Sheet,
    /// The plot.
    pub plot: Option<Plot>,
    /// The sentences.
    pub remarks: Vec<String>,
}
