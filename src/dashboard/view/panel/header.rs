//! The header: lab, algorithm, T, time, LIVE or FROZEN or REPLAY or SIMULATED, REC, verdict light.
//!
//! Invariant: the right side, which says how current the picture is, is never cut for the left one.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::input::action::{Action, FeedKind};
use crate::model::{Model, Viewpoint};
use crate::time::freshness::{Freshness, Rate};
use crate::view::paint;
use crate::view::theme::Theme;
use fault::LabSpeed;
use protocol::Rank;
use record::{Origin, Outcome};
use world::{FaultState, World};

/// From this width on there is room for the moment to the microsecond.
const WIDE_COLUMNS: u16 = 100;

/// Draws it.
pub fn draw(model: &Model, buffer: &mut Buffer, area: Rect) {
    let theme = &model.theme;
    let right = right(model);
    let taken = u16::try_from(right.width()).unwrap_or(u16::MAX).min(area.width);
    paint::put_right(buffer, theme, area, 0, &right);
    let left = Rect { width: (area.width - taken).saturating_sub(1), ..area };
    paint::put(buffer, theme, left, 0, &self::left(model));
}

fn left(model: &Model) -> Line<'static> {
    let theme = &model.theme;
    let Some(head) = &model.head else { return Line::styled("hustings", theme.strong) };
    let between = || Span::styled(format!(" {} ", theme.glyphs.between), theme.dim);
    let mut spans = Vec::new();
    if let Some(side) = model.side {
        let style = if model.beside.is_some() { theme.strong.patch(theme.cursor) } else { theme.dim };
        spans.push(Span::styled(format!("{} ", side.letter), style));
    }
    spans.push(Span::styled(head.name.clone(), theme.strong));
    if head.origin == Origin::Simulated && model.feed_kind() != FeedKind::Simulated {
        spans.push(between());
        let drawn = head.drawn.as_ref().map_or_else(String::new, |drawn| format!(" seed {}", drawn.seed));
        spans.push(Span::styled(format!("SIMULATED{drawn}"), theme.replay));
    }
    if let Viewpoint::Node(node) = model.vantage {
        spans.push(Span::styled(format!(" as node {node} alone sees it"), theme.doubt));
    }
    spans.push(between());
    spans.push(Span::raw(head.facts.title.clone()));
    spans.push(between());
    // People expect the higher id to win, as it does in most of the papers.
    if head.facts.rank != Rank::HigherId {
        spans.push(Span::raw(head.facts.rank.says()));
        spans.push(between());
    }
    spans.push(Span::raw(format!("T {}", head.timing.t)));
    Line::from(spans)
}

fn right(model: &Model) -> Line<'static> {
    let theme = &model.theme;
    let scene = model.seen();
    let between = || Span::styled(format!(" {} ", theme.glyphs.between), theme.dim);
    let is_live = model.feed_kind() == FeedKind::Live;
    let time = match model.time.rate() {
        Rate::WithTheLab => paint::clock(scene.at),
        Rate::Paced { .. } | Rate::CatchingUp { .. } if is_live => paint::seconds(scene.at, 3),
        Rate::Playing => paint::seconds(scene.at, 3),
        // The lab's name comes before the microseconds.
        _ if model.size.0 < WIDE_COLUMNS => paint::seconds(scene.at, 3),
        Rate::Standing | Rate::Paced { .. } | Rate::CatchingUp { .. } => paint::moment(scene.at),
    };
    let mut spans = vec![Span::raw(format!("{time} s")), between()];
    let (word, style) = state(model);
    spans.push(Span::styled(word, style));
    if is_live && scene.world.speed != LabSpeed::PLAIN {
        spans.push(between());
        spans.push(Span::styled(format!("time {}", scene.world.speed), theme.doubt));
    }
    if model.is_recorded() {
        spans.push(between());
        spans.push(match scene.world.recording_suspended {
            None => Span::styled("REC", theme.recording),
            Some(_) => Span::styled("REC suspended", theme.bad),
        });
    }
    if model.vantage == Viewpoint::Lab {
        let (glyph, word, style) = light(model, &scene.world, model.lost() > 0 || model.lacks_end(), theme);
        spans.push(between());
        spans.push(Span::styled(format!("{glyph} {word}"), style));
        if !scene.world.violations.is_empty() {
            spans.push(Span::styled(format!(" ({})", model.key(Action::Violations)), theme.strong));
        }
    }
    Line::from(spans)
}

fn state(model: &Model) -> (String, Style) {
    let theme = &model.theme;
    match model.standing() {
        // How a session is played, and the position in it.
        Freshness::Played { rate, speed, position, count } => {
            let rate = match rate {
                Rate::Playing => format!("playing {speed}"),
                Rate::Paced { .. } => format!("paced {}", model.time.pace),
                _ => format!("stopped {speed}"),
            };
            let word = match (model.feed_kind(), &model.time.pending) {
                (FeedKind::Past, _) => {
                    return (format!("PAST {rate} {}", behind(model)), theme.frozen);
                }
                (FeedKind::Replay | FeedKind::Pair, Some(_)) => {
                    return (format!("READING ON, {}%", model.percent_read()), theme.doubt);
                }
                // Half a screen has no room for what its letter says.
                (FeedKind::Pair, None) => "",
                (FeedKind::Live | FeedKind::Replay, _) => "REPLAY ",
                (FeedKind::Simulated, _) => "SIMULATED ",
            };
            // Of a long session file more may come.
            let more = if model.is_reading() { "+" } else { "" };
            (format!("{word}{rate} {position}/{count}{more}"), theme.replay)
        }
        Freshness::Calling | Freshness::Live | Freshness::SilentSince(_) | Freshness::Over | Freshness::Gone
            if model.time.is_behind() =>
        {
            let word = match model.time.rate() {
                Rate::Paced { .. } => format!("PACED {}", model.time.pace),
                Rate::CatchingUp { .. } => "CATCHING UP".to_owned(),
                // The lab goes on meanwhile; whoever answers has time.
                _ if model.open_question().is_some() => return ("QUESTION".to_owned(), theme.frozen),
                _ => "FROZEN".to_owned(),
            };
            let behind = match model.behind() / 1_000_000_000 {
                0 => String::new(),
                seconds => format!(" {seconds}s behind"),
            };
            (format!("{word}{behind}"), theme.frozen)
        }
        Freshness::Calling => ("CALLING".into(), theme.doubt),
        Freshness::Live => ("LIVE".into(), theme.live),
        Freshness::SilentSince(at) => (format!("silent since {} s", paint::clock(at)), theme.doubt),
        Freshness::Over => ("LAB OVER".into(), theme.strong),
        Freshness::Gone => ("LAB GONE".into(), theme.bad),
    }
}

/// How far the past on the screen is behind the lab, or before its end.
fn behind(model: &Model) -> String {
    let of_what = match model.lab_standing() {
        Freshness::Over | Freshness::Gone => "before the end",
        _ => "behind live",
    };
    format!("{}s {of_what}", model.behind() / 1_000_000_000)
}

/// The verdict light: glyph, words and style. If records of the session are missing, or its end, nothing is green.
fn light(model: &Model, world: &World, is_torn: bool, theme: &Theme) -> (&'static str, String, Style) {
    let violations = world.violations.count(|_| true);
    let excused = world.violations.count(|view| view.report.is_excused());
    let count = |outcome| world.verdicts.iter().filter(|verdict| verdict.outcome == outcome).count();
    let failed = count(Outcome::Failed);
    let is_unknown = world.missed > 0
        || is_torn
        || world.undecidable.is_some()
        || count(Outcome::Unknown) > 0
        || world.faults.iter().any(|fault| matches!(fault.state, FaultState::NotInForce(_)));
    let plural = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    let expected = world.violations.count(|view| model.is_expected(&view.report));
    if violations > excused + expected {
        let of_these = if excused > 0 { format!(", {excused} excused") } else { String::new() };
        (theme.glyphs.bad, format!("{}{of_these}", plural(violations, "violation")), theme.bad)
    } else if failed > 0 {
        (theme.glyphs.bad, format!("{failed} failed"), theme.bad)
    } else if expected > 0 && !is_unknown {
        let of_these = if excused > 0 { format!(", {excused} excused") } else { ", expected".to_owned() };
        (theme.glyphs.doubt, format!("{}{of_these}", plural(violations, "violation")), theme.doubt)
    } else if excused > 0 {
        let all = plural(violations, "violation");
        let words = if is_unknown { format!("{violations} excused, unknown") } else { format!("{all}, excused") };
        (theme.glyphs.doubt, words, theme.doubt)
    } else if is_unknown {
        (theme.glyphs.doubt, "unknown".into(), theme.doubt)
    } else {
        (theme.glyphs.good, "ok".into(), theme.good)
    }
}
