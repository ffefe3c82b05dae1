//! Plots: curves that are expected and marks that were measured, as one SVG file.
//!
//! Colours go from dark to light and each kind of mark has a shape of its own, so a plot says the same in grey print.
//!
//! Invariant: the same plot is the same file, byte for byte.

use plotters::prelude::*;

/// A plot.
#[derive(Clone, PartialEq, Debug)]
pub struct SvgPlot {
    /// What it shows.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Where the legend stands.
    pub legend: Corner,
    /// What is expected: dashed curves.
    pub curves: Vec<Curve>,
    /// What was measured, with bars for its intervals. A kind of marks has the colour of the curve at the same place.
    pub marks: Vec<Marks>,
}

/// A corner in which there is room.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Corner {
    /// Above, at the left.
    UpperLeft,
    /// Below, at the right.
    LowerRight,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Axis {
    /// What it counts, with the unit.
    pub label: String,
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
}

/// A dashed curve.
#[derive(Clone, PartialEq, Debug)]
pub struct Curve {
    /// The name; one without a name is left out of the legend.
    pub name: Option<String>,
    pub points: Vec<(f64, f64)>,
}

/// Marks of one kind.
#[derive(Clone, PartialEq, Debug)]
pub struct Marks {
    pub name: String,
    /// Where they stand, and how far their intervals reach up and down.
    pub points: Vec<Mark>,
}

/// Where a mark stands, and how far its interval reaches up and down.
pub type Mark = (f64, f64, f64);

/// A plot cannot be drawn.
#[derive(Clone, Eq, PartialEq, Debug, thiserror::Error)]
#[error("the plot cannot be drawn: {0}")]
pub struct PlotError(String);

/// The size of a plot in pixels.
const SIZE: (u32, u32) = (900, 600);
/// From dark to light.
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 0, 0),
    RGBColor(66, 10, 104),
    RGBColor(147, 38, 103),
    RGBColor(200, 64, 76),
    RGBColor(236, 112, 32),
    RGBColor(214, 168, 20),
];
/// Half of a mark's size, in pixels.
const MARK: i32 = 4;
/// Half of the width of a bar's end, in pixels.
const END: i32 = 2;

impl Marks {
    /// Marks, each with the name of its kind, in the order in which the kinds come first. A kind none of whose marks can
    /// be told is in the legend all the same.
    pub fn by_name<N: Into<String>>(marks: impl IntoIterator<Item = (N, Option<Mark>)>) -> Vec<Marks> {
        let mut kinds: Vec<Marks> = Vec::new();
        for (name, mark) in marks {
            let name = name.into();
            let place = kinds.iter().position(|kind| kind.name == name).unwrap_or_else(|| {
                kinds.push(Marks { name, points: Vec::new() });
                kinds.len() - 1
            });
            kinds[place].points.extend(mark);
        }
        kinds
    }

    /// The upper end of the highest interval, or this, if that is higher.
    pub fn highest(kinds: &[Marks], least: f64) -> f64 {
        kinds.iter().flat_map(|kind| &kind.points).map(|(_, mean, half)| mean + half).fold(least, f64::max)
    }
}

impl SvgPlot {
    /// The plot as an SVG file.
    ///
    /// # Errors
    /// The axes have no extent.
    pub fn svg(&self) -> Result<String, PlotError> {
        let mut text = String::new();
        self.draw(&mut text).map_err(|error| PlotError(error.to_string()))?;
        Ok(text)
    }

    fn draw(&self, text: &mut String) -> Result<(), Box<dyn std::error::Error>> {
        if self.x.from >= self.x.to || self.y.from >= self.y.to {
            return Err("an axis has no extent".into());
        }
        let root = SVGBackend::with_string(text, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&root)
            .caption(&self.title, ("sans-serif", 20))
            .margin(12)
            .margin_right(24)
            .x_label_area_size(44)
            .y_label_area_size(60)
            .build_cartesian_2d(self.x.from..self.x.to, self.y.from..self.y.to)?;
        chart
            .configure_mesh()
            .x_desc(&self.x.label)
            .y_desc(&self.y.label)
            .label_style(("sans-serif", 15))
            .axis_desc_style(("sans-serif", 16))
            .x_label_formatter(&|value| number(*value))
            .y_label_formatter(&|value| number(*value))
            .light_line_style(WHITE)
            .bold_line_style(BLACK.mix(0.12))
            .draw()?;
        for (place, curve) in self.curves.iter().enumerate() {
            let style = colour(place).stroke_width(1);
            let drawn = chart.draw_series(DashedLineSeries::new(curve.points.clone(), 6, 4, style))?;
            if let Some(name) = &curve.name {
                drawn.label(name).legend(move |at| {
                    EmptyElement::at(at)
                        + PathElement::new(vec![(1, 0), (7, 0)], style)
                        + PathElement::new(vec![(11, 0), (17, 0)], style)
                });
            }
        }
        for (place, marks) in self.marks.iter().enumerate() {
            let style = colour(place).stroke_width(1);
            let bars = marks.points.iter().filter(|(_, _, half)| *half > 0.0);
            chart.draw_series(
                bars.clone().map(|(x, y, half)| PathElement::new(vec![(*x, y - half), (*x, y + half)], style)),
            )?;
            let ends = bars.flat_map(|(x, y, half)| [(*x, y - half), (*x, y + half)]);
            chart.draw_series(
                ends.map(|end| EmptyElement::at(end) + PathElement::new(vec![(-END, 0), (END, 0)], style)),
            )?;
            // More kinds than shapes get other pairs of shape and colour.
            let shape = move || mark(place + place / COLOURS.len());
            chart
                .draw_series(
                    marks.points.iter().map(|(x, y, _)| EmptyElement::at((*x, *y)) + PathElement::new(shape(), style)),
                )?
                .label(&marks.name)
                .legend(move |(x, y)| EmptyElement::at((x + 9, y)) + PathElement::new(shape(), style));
        }
        chart
            .configure_series_labels()
            .position(match self.legend {
                Corner::UpperLeft => SeriesLabelPosition::UpperLeft,
                Corner::LowerRight => SeriesLabelPosition::LowerRight,
            })
            .label_font(("sans-serif", 15))
            .background_style(WHITE.mix(0.85))
            .border_style(BLACK.mix(0.4))
            .draw()?;
        root.present()?;
        Ok(())
    }
}

fn colour(place: usize) -> RGBColor {
    COLOURS[place % COLOURS.len()]
}

/// The outline of a mark round its place.
fn mark(place: usize) -> Vec<(i32, i32)> {
    const M: i32 = MARK;
    match place % 6 {
        // A box, a diamond, two triangles, a cross and a star with its points up.
        0 => vec![(-M, -M), (M, -M), (M, M), (-M, M), (-M, -M)],
        1 => vec![(0, -M - 1), (M + 1, 0), (0, M + 1), (-M - 1, 0), (0, -M - 1)],
        2 => vec![(0, -M - 1), (M, M), (-M, M), (0, -M - 1)],
        3 => vec![(0, M + 1), (M, -M), (-M, -M), (0, M + 1)],
        4 => vec![(-M, -M), (M, M), (0, 0), (M, -M), (-M, M)],
        _ => vec![(0, -M - 1), (0, M + 1), (0, 0), (-M - 1, 0), (M + 1, 0)],
    }
}

/// A number of an axis, without needless digits.
fn number(value: f64) -> String {
    // Ticks are computed, and may lie beside their value by a rounding error.
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot() -> SvgPlot {
        SvgPlot {
            title: "Rounds & <losses>".into(),
            x: Axis { label: "candidates".into(), from: 0.0, to: 3.0 },
            y: Axis { label: "rounds".into(), from: 1.0, to: 4.0 },
            legend: Corner::UpperLeft,
            curves: vec![Curve { name: Some("formula".into()), points: vec![(1.0, 1.0), (2.0, 2.5)] }],
            marks: vec![Marks { name: "simulated".into(), points: vec![(1.0, 2.0, 0.0), (2.0, 2.4, 0.2)] }],
        }
    }

    #[test]
    fn a_plot_says_its_title_its_axes_and_its_series_and_is_the_same_each_time() {
        let svg = plot().svg().unwrap();
        assert_eq!(svg, plot().svg().unwrap());
        assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
        for text in ["Rounds &amp; &lt;losses&gt;", "candidates", "rounds", "formula", "simulated"] {
            assert!(svg.contains(text), "{text} is missing:\n{svg}");
        }
    }

    #[test]
    fn axes_without_extent_are_refused() {
        let flat = SvgPlot { y: Axis { label: "rounds".into(), from: 2.0, to: 2.0 }, ..plot() };
        assert_eq!(flat.svg().unwrap_err().to_string(), "the plot cannot be drawn: an axis has no extent");
    }

    #[test]
    fn the_numbers_of_an_axis_have_no_needless_digits() {
        assert_eq!([0.0, 2.5, 0.300_000_000_000_000_04, 1_200.0].map(number), ["0", "2.5", "0.3", "1200"]);
    }
}
