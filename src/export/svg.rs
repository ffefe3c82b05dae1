//! A picture of the screen as SVG: every row of cells is text, with a length of its own, so that columns stand under each
//! other whatever the font.
//!
//! Invariant: the picture holds nothing but rectangles and text: no script, no link, nothing that is fetched. Who does not
//! see it is told the moment and what each process is then.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::ops::ControlFlow;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

use super::exported::{Exported, ScreenSize};
use super::screen::screen_of;
use record::{Session, SessionEntry};
use web::escaped;
use world::flow::Lanes;
use world::{World, stamp};

/// A cell's width and height, and where in it the text stands, in tenths of a pixel.
const CELL: (u32, u32, u32) = (84, 180, 135);
const FONT_SIZE: &str = "14";
const FONTS: &str = "DejaVu Sans Mono, Menlo, Consolas, monospace";
/// The terminal's own colours.
const BACKGROUND: &str = "#101418";
const FOREGROUND: &str = "#d8d8d8";

/// Writes the picture of a moment.
pub(super) fn write(exported: &Exported<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut screen = screen_of(exported)?;
    let at = exported.at.unwrap_or(i64::MAX).min(screen.span().1);
    screen.seek(at);
    let ScreenSize { columns, rows } = exported.size;
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).expect("memory can be drawn to");
    terminal.draw(|frame| screen.draw(frame)).expect("memory can be drawn to");
    out.write_all(picture(terminal.backend().buffer(), &Alternative::of(exported.session, at)?).as_bytes())
}

/// A run of cells that look alike.
#[derive(Clone, Eq, PartialEq, Debug)]
struct LikeCells {
    column: u32,
    columns: u32,
    text: String,
    looks: CellStyle,
}

/// How a cell looks.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
struct CellStyle {
    ink: Color,
    ground: Color,
    modifier: Modifier,
}

/// What is told to those who do not see the picture.
struct Alternative {
    title: String,
    description: String,
}

impl Alternative {
    /// That of this moment of the session.
    fn of(session: &dyn Session, at: i64) -> io::Result<Alternative> {
        let title = format!("{}, at {}", session.head().map_or("a session", |head| &head.name), stamp(at));
        let Some((head, roster)) = session.head().and_then(|head| Some((head, head.roster()?))) else {
            return Ok(Alternative { title, description: "The screen of hustings.".to_owned() });
        };
        let mut world = World::new(roster);
        let read = session.go_through(&mut |entry| {
            match entry {
                SessionEntry::Record(record) if record.at <= at => world.fold(&record),
                _ => {}
            }
            ControlFlow::Continue(())
        });
        read.map_err(io::Error::other)?;
        let description = format!("The screen of hustings. {} {}.", head.about, Lanes::of(&world).words());
        Ok(Alternative { title, description })
    }
}

fn picture(buffer: &Buffer, alternative: &Alternative) -> String {
    let (columns, rows) = (u32::from(buffer.area.width), u32::from(buffer.area.height));
    let (width, height) = (tenths(columns * CELL.0), tenths(rows * CELL.1));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"{FONTS}\" font-size=\"{FONT_SIZE}\" role=\"img\" aria-labelledby=\"title description\">\n\
         <title id=\"title\">{}</title>\n<desc id=\"description\">{}</desc>\n<rect width=\"100%\" height=\"100%\" fill=\"{BACKGROUND}\"/>\n",
        escaped(&alternative.title),
        escaped(&alternative.description)
    );
    for row in 0..rows {
        for cells in like_cells(buffer, row as u16) {
            draw(&mut svg, row, &cells);
        }
    }
    svg.push_str("</svg>\n");
    svg
}

fn like_cells(buffer: &Buffer, row: u16) -> Vec<LikeCells> {
    let mut like_cells: Vec<LikeCells> = Vec::new();
    for column in 0..buffer.area.width {
        let cell = &buffer[(column, row)];
        let looks = CellStyle::of(cell);
        match like_cells.last_mut().filter(|last| last.looks == looks) {
            Some(last) => {
                last.columns += 1;
                last.text.push_str(cell.symbol());
            }
            None => {
                let text = cell.symbol().to_owned();
                like_cells.push(LikeCells { column: column.into(), columns: 1, text, looks });
            }
        }
    }
    like_cells
}

fn draw(svg: &mut String, row: u32, cells: &LikeCells) {
    let LikeCells { column, columns, text, looks } = cells;
    let CellStyle { ink, ground, modifier } = *looks;
    let (x, y) = (tenths(column * CELL.0), tenths(row * CELL.1));
    let length = tenths(columns * CELL.0);
    let (ink, ground) = (hue(ink, FOREGROUND), (ground != Color::Reset).then(|| hue(ground, BACKGROUND)));
    let (ink, ground) = match modifier.contains(Modifier::REVERSED) {
        true => (ground.unwrap_or_else(|| BACKGROUND.to_owned()), Some(ink)),
        false => (ink, ground),
    };
    let mut add = |text: std::fmt::Arguments<'_>| svg.write_fmt(text).expect("memory can be written to");
    if let Some(ground) = ground {
        add(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{length}\" height=\"{}\" fill=\"{ground}\"/>\n",
            tenths(CELL.1)
        ));
    }
    if text.trim().is_empty() {
        return;
    }
    let bold = if modifier.contains(Modifier::BOLD) { " font-weight=\"bold\"" } else { "" };
    let faint = if modifier.contains(Modifier::DIM) { " opacity=\"0.65\"" } else { "" };
    let line = if modifier.contains(Modifier::UNDERLINED) { " text-decoration=\"underline\"" } else { "" };
    let y = tenths(row * CELL.1 + CELL.2);
    add(format_args!(
        "<text x=\"{x}\" y=\"{y}\" textLength=\"{length}\" lengthAdjust=\"spacingAndGlyphs\" xml:space=\"preserve\" \
         fill=\"{ink}\"{bold}{faint}{line}>{}</text>\n",
        escaped(text)
    ));
}

impl CellStyle {
    fn of(cell: &Cell) -> CellStyle {
        CellStyle { ink: cell.fg, ground: cell.bg, modifier: cell.modifier }
    }
}

/// A colour of the theme; the screen has no other ones.
fn hue(colour: Color, otherwise: &str) -> String {
    match colour {
        Color::Rgb(red, green, blue) => format!("#{red:02x}{green:02x}{blue:02x}"),
        _ => otherwise.to_owned(),
    }
}

/// Tenths of a pixel as pixels.
fn tenths(number: u32) -> String {
    format!("{}.{}", number / 10, number % 10)
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    use super::*;

    #[test]
    fn cells_that_look_alike_are_one_text_and_nothing_of_them_is_markup() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 6, 1));
        buffer.set_string(0, 0, "a<b&", Style::new().fg(Color::Rgb(255, 0, 16)).add_modifier(Modifier::BOLD));
        buffer.set_string(4, 0, "x", Style::new().add_modifier(Modifier::REVERSED));
        let alternative = Alternative { title: "a < b".to_owned(), description: "1: \"Normal\"".to_owned() };
        insta::assert_snapshot!(picture(&buffer, &alternative));
    }
}
