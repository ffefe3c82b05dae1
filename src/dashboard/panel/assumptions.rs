//! The assumption meter: which assumptions of the running algorithm hold, and what broke the others.
//!
//! Each is shown by its number: `8✗f2` is broken by f2, `8(f2)` was broken and holds again, `9✗computer` was broken by a
//! stall of this computer. An assumption is broken while the fault that broke it is in force, and for the algorithm's
//! own time bound after its last effect. Lost safe cells do not come back, so assumption 4 stays broken for ever.
//!
//! Invariant: a broken one is always in sight: where room is short, those that hold are drawn together, then left out.

use ratatui::text::{Line, Span};

use crate::dashboard::model::Model;
use crate::protocol::Assumption;
use crate::record::Head;
use crate::world::BrokenView;

/// The state of one.
struct Mark<'a> {
    number: u8,
    by: Option<(&'a BrokenView, Now)>,
}

#[derive(Copy, Clone, Eq, PartialEq)]
enum Now {
    Broken,
    StandsAgain,
}

/// The strip in at most this many columns; empty, if the algorithm is unknown.
pub fn strip(model: &Model, columns: u16) -> Line<'static> {
    let Some(head) = &model.head else { return Line::default() };
    let marks = marks(model, head);
    let each = titled(model, marks.iter().map(|mark| word(model, mark)));
    let together = || drawn_together(model, &marks);
    let broken = listed(marks.iter().filter(|mark| mark.by.is_some()).map(|mark| word(model, mark)));
    let drawn = [each, titled(model, together()), listed(together()), broken];
    let fits = |line: &&Line<'_>| line.width() <= usize::from(columns);
    drawn.iter().find(fits).or(drawn.last()).cloned().unwrap_or_default()
}

fn marks<'a>(model: &'a Model, head: &Head) -> Vec<Mark<'a>> {
    let scene = model.seen();
    let bound = i64::try_from(head.facts.time_bound.nanos()).unwrap_or(i64::MAX);
    let now = |broken: &BrokenView| {
        let stands = |by| scene.world.active_faults().any(|fault| fault.id == by);
        let is_fresh = scene.at.saturating_sub(broken.at) <= bound;
        let is_broken =
            broken.report.assumption == Assumption::SafeCells || is_fresh || broken.report.by.is_some_and(stands);
        if is_broken { Now::Broken } else { Now::StandsAgain }
    };
    let mark = |assumption: Assumption| {
        let all = scene.world.broken.iter().filter(|broken| broken.report.assumption == assumption);
        // The latest of those that break it now; else the latest that did.
        let by = all.map(|broken| (broken, now(broken))).max_by_key(|(broken, now)| (*now == Now::Broken, broken.at));
        Mark { number: assumption.number(), by }
    };
    let mut needs = head.facts.needs.clone();
    needs.sort_by_key(|assumption| assumption.number());
    needs.into_iter().map(mark).collect()
}

fn word(model: &Model, mark: &Mark<'_>) -> Span<'static> {
    let theme = &model.theme;
    let Some((broken, now)) = mark.by else { return Span::raw(mark.number.to_string()) };
    let by = broken.report.by.map_or_else(|| "computer".to_owned(), |by| by.to_string());
    match now {
        Now::Broken => Span::styled(format!("{}{}{by}", mark.number, theme.glyphs.bad), theme.bad),
        Now::StandsAgain => Span::styled(format!("{}({by})", mark.number), theme.doubt),
    }
}

fn titled(model: &Model, words: impl IntoIterator<Item = Span<'static>>) -> Line<'static> {
    let mut line = listed(words);
    line.spans.insert(0, Span::styled(" assumes", model.theme.dim));
    line
}

fn listed(words: impl IntoIterator<Item = Span<'static>>) -> Line<'static> {
    let spaced = words.into_iter().flat_map(|word| [Span::raw(" "), word]);
    Line::from(spaced.chain([Span::raw(" ")]).collect::<Vec<_>>())
}

/// Those that hold, with their neighbours: `1-7 8✗f2`.
fn drawn_together(model: &Model, marks: &[Mark<'_>]) -> Vec<Span<'static>> {
    let is_one = |a: &Mark<'_>, b: &Mark<'_>| a.by.is_none() && b.by.is_none() && a.number + 1 == b.number;
    let runs = marks.chunk_by(is_one).map(|run| match run {
        [first, .., last] => Span::raw(format!("{}-{}", first.number, last.number)),
        _ => word(model, &run[0]),
    });
    runs.collect()
}
