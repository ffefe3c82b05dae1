//! The flow in a page: each row is a picture with a lane for each process, and the row's words beside it.
//!
//! Invariant: a row's picture is as high as the row, so the lanes go on from row to row wherever a page of paper ends, and
//! the words alone say everything that the picture shows. The flow stops before the page is too long, and says where.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{self, Write};

use super::lanes::{LaneStrokes, MessageWay};
use crate::told::{ToldSession, micros};
use protocol::NodeId;
use web::escaped;
use world::flow::{FlowRow, LaneChange, Lanes, PartKind, RowTone};
use world::seconds;

/// The flow of a page has at most so many bytes, so that a page has less than 2 MB.
const BYTES_MAX: usize = 1_500_000;
/// A line of a row is so high, and a row is so much higher than its lines, in pixels.
const LINE_HEIGHT: u32 = 18;
const ROW_MARGIN: u32 = 6;
/// A page of paper is about so wide, and has at least so much for the words of a row, in pixels.
const PAPER_WIDTH: u32 = 700;
const PAPER_WORDS_WIDTH: u32 = 350;
/// A row has at most so many lines; what more it shows is drawn on the last one.
const LINES_MAX: u32 = 24;

/// The flow as markup.
pub(super) struct DrawnFlow {
    /// The rows, each with its picture and its words.
    markup: String,
    /// The numbers of the nodes above their lanes.
    heads: String,
    width: u32,
    /// How many lines the rows have, each number once.
    lines: BTreeSet<u32>,
    /// When each row begins.
    stamps: Vec<i64>,
    /// The row that each record joined.
    rows: HashMap<u64, usize>,
}

impl DrawnFlow {
    /// The flow of this session.
    pub fn of(told: &ToldSession) -> DrawnFlow {
        let folded = told.flow.folded();
        let mut strokes = LaneStrokes::of(told.roster.all());
        let mut lanes = folded.beginning().clone();
        let mut flow = DrawnFlow {
            markup: String::new(),
            heads: strokes.heads(),
            width: strokes.width(),
            lines: BTreeSet::new(),
            stamps: Vec::new(),
            rows: HashMap::new(),
        };
        let mut stopped = None;
        for row in folded.rows() {
            if flow.markup.len() > BYTES_MAX {
                stopped = Some(row.record.at);
                break;
            }
            flow.add(row, &mut lanes, &mut strokes);
        }
        flow.end(told, stopped);
        flow
    }

    /// The row that this record joined.
    pub fn row_of(&self, record: u64) -> Option<usize> {
        self.rows.get(&record).copied()
    }

    /// The last row that begins by this moment.
    pub fn row_at(&self, at: i64) -> Option<usize> {
        self.stamps.iter().rposition(|begun| *begun <= at)
    }

    /// The rules of style that give the pictures their width and each row its height, and let wide ones fit on paper.
    pub fn sizes(&self) -> String {
        let width = self.width;
        let heights: String = self
            .lines
            .iter()
            .map(|lines| format!("#log .l{lines} {{ min-height: {}px; }}\n", height_of(*lines)))
            .collect();
        let zoom = f64::from(PAPER_WIDTH) / f64::from(width + PAPER_WORDS_WIDTH).max(f64::from(PAPER_WIDTH));
        format!(
            ".lanes {{ width: {width}px; }}\n#log li {{ padding-left: {width}px; }}\n{heights}\
             @media print {{ #flow {{ zoom: {zoom:.2}; }} }}\n"
        )
    }

    /// Writes it.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let DrawnFlow { markup, heads, width, .. } = self;
        writeln!(
            out,
            "<div id=\"heads\"><svg width=\"{width}\" height=\"26\">{heads}</svg></div>\n<ol id=\"log\">\n{markup}</ol>"
        )
    }

    fn add(&mut self, row: &FlowRow, lanes: &mut Lanes, strokes: &mut LaneStrokes) {
        let place = self.stamps.len();
        let lines = lines_of(row);
        let count = u32::try_from(lines.len()).unwrap_or(LINES_MAX).clamp(1, LINES_MAX);
        for (line, what) in (0..).zip(&lines) {
            let y = ROW_MARGIN / 2 + line.min(count - 1) * LINE_HEIGHT + LINE_HEIGHT / 2;
            match what {
                RowLine::Way(way) => strokes.draw_way(way, y),
                RowLine::Changes(changes) => {
                    for (node, change) in changes {
                        lanes.change(**node, change);
                        strokes.draw_change(**node, change, &lanes.each[*node], y, place);
                    }
                }
            }
        }
        self.say(row, place, count, &strokes.end_row());
        self.rows.extend(row.records.iter().map(|record| (*record, place)));
        self.stamps.push(row.record.at);
        self.lines.insert(count);
    }

    fn say(&mut self, row: &FlowRow, place: usize, lines: u32, picture: &str) {
        let tone = match row.tone {
            RowTone::Plain => "",
            RowTone::Fault => " fault",
            RowTone::Violation => " violation",
            RowTone::Doubt => " doubt",
            RowTone::Note => " note",
        };
        let parts: Vec<String> = row
            .parts()
            .iter()
            .map(|part| {
                let class = match part.kind {
                    PartKind::Cause => "cause",
                    PartKind::Message => "message",
                    PartKind::Loss => "loss",
                    PartKind::State => "state",
                    PartKind::Told => "told",
                    PartKind::Lie => "lie",
                };
                format!("<span class=\"{class}\">{}</span>", escaped(&part.text))
            })
            .collect();
        self.markup.push_str(&format!(
            "<li id=\"r{place}\" class=\"l{lines}{tone}\" data-at=\"{}\" data-records=\"{}\">\
             <svg class=\"lanes\" aria-hidden=\"true\">{picture}</svg><p><time>{}</time> {}</p></li>\n",
            micros(row.record.at),
            spans(&row.records),
            seconds(row.record.at, 3),
            parts.join(" ")
        ));
    }

    fn end(&mut self, told: &ToldSession, stopped: Option<i64>) {
        let last = told.records.last().map(|record| record.until().0);
        let taken = told.flow_until();
        let until = stopped.or_else(|| (taken < last).then_some(self.stamps.last().copied().unwrap_or(0)));
        if let Some(at) = until {
            let (at, end) = (seconds(at, 3), seconds(told.world.now, 3));
            self.markup.push_str(&format!(
                "<li class=\"l1 doubt\"><p><time>{at}</time> here the page stops, at {at} s of {end} s: it would be too long</p></li>\n"
            ));
            self.lines.insert(1);
        }
    }
}

/// What stands on one line of a row.
enum RowLine<'a> {
    /// A message's way.
    Way(MessageWay<'a>),
    /// The changes of the lanes.
    Changes(Vec<(&'a NodeId, &'a LaneChange)>),
}

fn lines_of(row: &FlowRow) -> Vec<RowLine<'_>> {
    let mut lines: Vec<RowLine<'_>> = row.arrows.iter().map(|arrow| RowLine::Way(MessageWay::Sent(arrow))).collect();
    let mut received: BTreeMap<(NodeId, u64), Vec<NodeId>> = BTreeMap::new();
    for receipt in &row.arrivals {
        received.entry((receipt.from, receipt.number)).or_default().push(receipt.to);
    }
    let received = received.into_iter().map(|((from, _), to)| RowLine::Way(MessageWay::Received { from, to }));
    lines.extend(received);
    if !row.changes.is_empty() {
        lines.push(RowLine::Changes(row.changes.iter().map(|(node, change)| (node, change)).collect()));
    }
    lines
}

fn height_of(lines: u32) -> u32 {
    lines * LINE_HEIGHT + ROW_MARGIN
}

/// Numbers of records: `12-14 18`.
fn spans(records: &[u64]) -> String {
    let numbers: BTreeSet<u64> = records.iter().copied().collect();
    let mut spans: Vec<(u64, u64)> = Vec::new();
    for number in numbers {
        match spans.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ => spans.push((number, number)),
        }
    }
    let words = spans.iter().map(|(first, last)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn records_that_follow_each_other_are_one_span() {
        assert_eq!(spans(&[14, 12, 13, 18, 12]), "12-14 18");
        assert_eq!(spans(&[]), "");
    }
}
