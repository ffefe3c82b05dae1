//! The timeline of the whole session, and below its marks their names: faults, elections, violations, what people wrote,
//! and which moment is on the screen.
//!
//! Invariants: all that is known is told, also what is later than the moment on the screen. Where several marks meet, a
//! violation is in sight before a fault, a fault before a note, and a note before an election; the moment on the screen is
//! always in sight.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::input::action::FeedKind;
use crate::model::Model;
use crate::view::mouse_targets::MouseTarget;
use crate::view::paint;

/// The whole session; times are nanoseconds since the lab began.
#[derive(Clone, Debug)]
pub struct SessionTimeline {
    /// When it begins: a session a little before the lab, a running lab's past later than the lab.
    pub start: i64,
    /// When it ends, as far as is known.
    pub end: i64,
    /// The moment on the screen.
    pub at: i64,
    /// The faults: when each was ordered, its name, and its line.
    pub faults: Vec<(i64, String, String)>,
    /// The latest elections: when each began and ended, and its number.
    pub elections: Vec<(i64, Option<i64>, u64)>,
    /// When violations were found.
    pub violations: Vec<i64>,
    /// What people wrote, and the chapters of what the lab tells: at which moments, and the words.
    pub notes: Vec<(i64, String)>,
}

impl SessionTimeline {
    /// The whole session in short.
    pub fn of(model: &Model) -> SessionTimeline {
        let world = model.known_world();
        let parts_at = model.side.and_then(|side| side.parts_at);
        let notes = model.notes_and_chapters().into_iter().map(|note| (note.at, note.text));
        let faults = world.faults.iter();
        let elections = world.elections.latest.iter();
        let mut timeline = SessionTimeline {
            start: 0,
            end: model.known_end().max(1),
            at: model.seen().at,
            faults: faults.map(|fault| (fault.ordered, fault.id.to_string(), fault.line.to_string())).collect(),
            elections: elections.map(|election| (election.began, election.ended, election.ordinal)).collect(),
            violations: model.violation_times(),
            notes: notes.chain(parts_at.map(|at| (at, "difference".to_owned()))).collect(),
        };
        model.time.session_start().into_iter().for_each(|start| timeline.begin_at(start));
        timeline
    }

    /// Of what was over before this time nothing is told.
    fn begin_at(&mut self, start: i64) {
        self.start = start;
        self.end = self.end.max(start.saturating_add(1));
        self.faults.retain(|(at, ..)| *at >= start);
        self.elections.retain(|(_, ended, _)| ended.is_none_or(|ended| ended >= start));
        self.notes.retain(|(at, _)| *at >= start);
    }
}

/// Where a note does not fit, so many of its characters are shown.
const SHORT_NOTE: usize = 12;

/// A mark's place on the band, and its names, the longest first.
struct TimelineName {
    x: usize,
    names: Vec<String>,
    style: Style,
}

/// Draws it in two rows.
pub fn draw(model: &Model, buffer: &mut Buffer, area: Rect) {
    if area.height == 0 {
        return;
    }
    let theme = &model.theme;
    let timeline = SessionTimeline::of(model);
    let what = if model.feed_kind() == FeedKind::Past { "past" } else { "session" };
    let before = format!("{what}  {} s ", paint::seconds(timeline.start, 1));
    let read = if model.is_reading() { format!(", {}% read", model.percent_read()) } else { String::new() };
    let after = format!(" {} s{read}", paint::seconds(timeline.end, 1));
    let taken = paint::width(&before) + paint::width(&after);
    let band = Rect { x: area.x + paint::width(&before), width: area.width.saturating_sub(taken), ..area };
    paint::put(buffer, theme, area, 0, &Line::styled(before, theme.dim));
    paint::put_right(buffer, theme, area, 0, &Line::styled(after, theme.dim));
    let cells = usize::from(band.width);
    if cells == 0 {
        return;
    }
    model.drawing.targets.note(Rect { height: 1, ..band }, MouseTarget::Band(timeline.end));
    let spans = self::cells(model, &timeline, cells).into_iter().map(|(glyph, style)| Span::styled(glyph, style));
    paint::put(buffer, theme, band, 0, &Line::from(spans.collect::<Vec<_>>()));
    names(model, buffer, band, named(model, &timeline, cells));
}

/// The cell of a moment.
fn place(at: i64, (start, end): (i64, i64), cells: usize) -> usize {
    let part = i128::from(at.clamp(start, end) - start) * cells as i128 / i128::from(end - start);
    usize::try_from(part).unwrap_or(0).min(cells - 1)
}

fn cells(model: &Model, timeline: &SessionTimeline, cells: usize) -> Vec<(&'static str, Style)> {
    let theme = &model.theme;
    let [past, to_come, election, note, fault, violation, present] = theme.glyphs.timeline;
    let x = |at: i64| place(at, (timeline.start, timeline.end), cells);
    let now = x(timeline.at);
    let plain = |cell: usize| if cell <= now { (past, theme.normal) } else { (to_come, theme.dim) };
    let mut drawn: Vec<(&'static str, Style)> = (0..cells).map(plain).collect();
    let mut is_marked = vec![false; cells];
    for (began, ended, _) in &timeline.elections {
        let last = x(ended.unwrap_or(timeline.end));
        for cell in x(*began)..=last {
            (drawn[cell], is_marked[cell]) = ((election, theme.unsettled), true);
        }
    }
    for (at, _) in &timeline.notes {
        (drawn[x(*at)], is_marked[x(*at)]) = ((note, theme.strong), true);
    }
    for (ordered, ..) in &timeline.faults {
        (drawn[x(*ordered)], is_marked[x(*ordered)]) = ((fault, theme.fault), true);
    }
    for at in &timeline.violations {
        (drawn[x(*at)], is_marked[x(*at)]) = ((violation, theme.bad), true);
    }
    let (glyph, style) = drawn[now];
    drawn[now] = if is_marked[now] { (glyph, style.patch(theme.cursor)) } else { (present, theme.strong) };
    drawn
}

fn named(model: &Model, timeline: &SessionTimeline, cells: usize) -> Vec<TimelineName> {
    let theme = &model.theme;
    let x = |at: i64| place(at, (timeline.start, timeline.end), cells);
    let mut named: Vec<TimelineName> = Vec::new();
    for (at, id, line) in &timeline.faults {
        named.push(TimelineName { x: x(*at), names: vec![format!("{id} {line}"), id.clone()], style: theme.fault });
    }
    for at in &timeline.violations {
        named.push(TimelineName { x: x(*at), names: vec!["violation".to_owned()], style: theme.bad });
    }
    for (at, text) in &timeline.notes {
        let short: String = text.chars().take(SHORT_NOTE).collect();
        named.push(TimelineName { x: x(*at), names: vec![text.clone(), short], style: theme.strong });
    }
    for (began, _, ordinal) in &timeline.elections {
        let names = vec![format!("election {ordinal}"), format!("e{ordinal}")];
        named.push(TimelineName { x: x(*began), names, style: theme.unsettled });
    }
    named.sort_by_key(|mark| mark.x);
    named
}

/// Writes the names that fit; a name ends before the next mark begins, or is a shorter one.
fn names(model: &Model, buffer: &mut Buffer, band: Rect, named: Vec<TimelineName>) {
    let mut free = 0;
    for (place, mark) in named.iter().enumerate() {
        if mark.x < free {
            continue;
        }
        let end = named[place + 1..]
            .iter()
            .map(|next| next.x)
            .find(|x| *x > mark.x)
            .map_or(usize::from(band.width), |x| x - 1);
        let fits = |name: &&String| mark.x + usize::from(paint::width(name)) <= end;
        let Some(name) = mark.names.iter().find(fits) else { continue };
        free = mark.x + usize::from(paint::width(name)) + 1;
        let x = band.x + u16::try_from(mark.x).unwrap_or(u16::MAX);
        let place = Rect { x, width: band.right().saturating_sub(x), ..band };
        paint::put(buffer, &model.theme, place, 1, &Line::styled(name.clone(), mark.style));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::stage::{calm, live};

    /// The glyphs of a timeline of 100 ns in ten cells: past `=`, to come `-`, election `E`, fault `f`, violation `x`.
    fn drawn(at: i64, faults: &[i64], elections: &[(i64, Option<i64>)], violations: &[i64]) -> String {
        let mut model = live(&calm());
        model.theme.glyphs = crate::view::theme::ASCII;
        let timeline = SessionTimeline {
            start: 0,
            end: 100,
            at,
            faults: faults.iter().map(|at| (*at, "f1".to_owned(), "crash 5".to_owned())).collect(),
            elections: elections.iter().map(|(began, ended)| (*began, *ended, 1)).collect(),
            violations: violations.to_vec(),
            notes: vec![(60, "here".to_owned())],
        };
        cells(&model, &timeline, 10).into_iter().map(|(glyph, _)| glyph).collect()
    }

    #[test]
    fn each_mark_stands_at_its_time_and_the_graver_one_in_front() {
        assert_eq!(drawn(45, &[], &[], &[]), "====#-m---");
        assert_eq!(drawn(100, &[0], &[(20, Some(39))], &[100]), "f=EE==m==x");
        assert_eq!(drawn(45, &[20, 30], &[(20, Some(49))], &[30]), "==fxE-m---");
        assert_eq!(drawn(45, &[], &[(70, None)], &[]), "====#-mEEE", "one that goes on reaches to the end");
        assert_eq!(drawn(-9, &[-9], &[], &[]), "f-----m---", "what came before the lab began");
    }
}
