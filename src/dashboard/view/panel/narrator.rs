//! What a lab tells, above the screen: its words, its question with the answers, or the strip for newcomers.
//!
//! Invariants: the panel hides nothing, because drawing and layout use the same lines; the screen beneath keeps some
//! rows, and where there is little room, the choices of a question come before its words.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::input::action::Action;
use crate::model::Model;
use crate::model::lesson::{AboveScreen, AnswerStage, Asking, ClassAnswers};
use crate::view::paint;
use crate::view::theme::Theme;
use script::ClassQuestion;

/// The screen beneath, with its footer, keeps at least so many rows.
const KEPT_ROWS: u16 = 8;
/// The columns of a choice's number and of the counts behind it.
const NUMBER_COLUMNS: u16 = 7;
const COUNT_COLUMNS: u16 = 14;

/// What stands above the screens, as lines, with its title.
#[derive(Debug)]
pub struct Narrator {
    pub title: String,
    /// Which keys it takes, for the right end of the title's row.
    pub keys: String,
    pub lines: Vec<Line<'static>>,
}

/// How many rows it takes: none while nothing is told.
pub fn narrator_rows(model: &Model) -> u16 {
    narrator(model).map_or(0, |narrator| u16::try_from(narrator.lines.len() + 1).unwrap_or(u16::MAX))
}

/// What stands above the screens.
fn narrator(model: &Model) -> Option<Narrator> {
    let told = model.above_screen()?;
    let (width, height) = model.size;
    let most = usize::from(height.saturating_sub(model.rows_of_head() + 1 + KEPT_ROWS)).max(1);
    let theme = &model.theme;
    let said = |text: &str| paint::wrap(text, width.saturating_sub(2)).into_iter().map(plain).collect::<Vec<_>>();
    Some(match told {
        AboveScreen::Tour => {
            let lines = fitted(theme, said(&tour(model)), Vec::new(), most);
            let keys = format!("{} hides it for good", model.key(Action::Tour));
            Narrator { title: "welcome".to_owned(), keys, lines }
        }
        AboveScreen::Beginning { questions } => {
            let asks = match questions {
                0 => String::new(),
                1 => ", and asks one question".to_owned(),
                count => format!(", and asks {count} questions"),
            };
            let (begin, predict) = (model.key(Action::PlaySteps), model.key(Action::Predict));
            let text =
                format!("This lab tells what it shows{asks}. {begin} begins. `{predict}` predicts the next election.");
            Narrator {
                title: "lesson".to_owned(),
                keys: format!("{begin} begins"),
                lines: fitted(theme, said(&text), vec![], most),
            }
        }
        AboveScreen::Said { chapter, text } => {
            let lines = fitted(theme, said(&text), Vec::new(), most);
            let leave = model.key(Action::Quit);
            let keys = match model.has_told_all() {
                true => format!("the last words; {leave} leaves, Esc closes it"),
                false => "Esc closes it".to_owned(),
            };
            Narrator { title: titled("lesson", chapter), keys, lines }
        }
        AboveScreen::Ended => {
            let text = "The lab has told everything. It runs on until you leave it.";
            Narrator {
                title: "lesson".to_owned(),
                keys: format!("{} leaves, Esc closes it", model.key(Action::Quit)),
                lines: fitted(theme, said(text), Vec::new(), most),
            }
        }
        AboveScreen::Asked { chapter, question, answers, asked } => {
            let text = model.worded(&question.text);
            let head = said(&text).into_iter().map(|line| line.style(theme.strong)).collect();
            let rest = choices(model, &question, &answers, asked);
            let keys = match (asked, answers.stage) {
                (Asking::Here, AnswerStage::Open) => "a digit answers, Enter reveals, Esc passes",
                (Asking::Here, _) => "Enter goes on",
                (Asking::Elsewhere, AnswerStage::Open) => "the class answers it; Esc goes on",
                (Asking::Elsewhere | Asking::Before, _) => "Esc closes it",
            };
            Narrator {
                title: titled("question", chapter),
                keys: keys.to_owned(),
                lines: fitted(theme, head, rest, most),
            }
        }
    })
}

/// What newcomers are told.
fn tour(model: &Model) -> String {
    let [crash, recover, why, help] =
        [Action::Crash, Action::Recover, Action::Why, Action::Help].map(|action| model.key(action));
    format!(
        "New here? These are processes, and they elect a coordinator. `{crash}` crashes the one under the cursor, \
         `{recover}` brings it back, `{why}` says why, `{help}` lists all keys. `hustings learn` has eight lessons."
    )
}

fn plain(line: String) -> Line<'static> {
    Line::raw(format!(" {line}"))
}

fn titled(word: &str, chapter: Option<String>) -> String {
    chapter.map_or_else(|| word.to_owned(), |chapter| format!("{word}: {chapter}"))
}

/// The choices with their counts; after the answer is revealed, also the right choice and the reason.
fn choices(model: &Model, question: &ClassQuestion, answers: &ClassAnswers, asked: Asking) -> Vec<Line<'static>> {
    let (theme, (width, _)) = (&model.theme, model.size);
    let is_shown = match asked {
        Asking::Here | Asking::Elsewhere => answers.stage != AnswerStage::Open,
        Asking::Before => true,
    };
    let room = width.saturating_sub(NUMBER_COLUMNS + COUNT_COLUMNS + 1);
    let mut lines = Vec::new();
    for (place, choice) in question.choices.iter().enumerate() {
        let is_right = is_shown && place == question.answer;
        let style = if is_right { theme.good } else { theme.strong };
        let sign = if is_right { theme.glyphs.good } else { " " };
        let counted = match answers.counts.get(place).copied().unwrap_or(0) {
            0 => String::new(),
            1 => "1 answer".to_owned(),
            count => format!("{count} answers"),
        };
        for (row, part) in paint::wrap(&model.worded(choice), room).into_iter().enumerate() {
            let (number, counted) =
                if row == 0 { (format!(" {sign} [{}]", place + 1), &*counted) } else { ("   ".to_owned(), "") };
            let columns = usize::from(room);
            let pad = columns.saturating_sub(usize::from(paint::width(&part)));
            lines.push(Line::from(vec![
                Span::styled(format!("{number:<7}"), style),
                Span::styled(part, if is_right { theme.good } else { theme.normal }),
                Span::styled(format!("{}{counted:>14}", " ".repeat(pad)), theme.strong),
            ]));
        }
    }
    if is_shown {
        let right = format!("Right is {}.", question.answer + 1);
        let because = question.because.as_ref().map(|because| format!("{right} {}", model.worded(because)));
        let because = because.unwrap_or(right);
        lines.extend(paint::wrap(&because, width.saturating_sub(2)).into_iter().map(plain));
    }
    lines
}

/// At most `most` lines. `head` is cut first, but keeps one line.
fn fitted(theme: &Theme, mut head: Vec<Line<'static>>, rest: Vec<Line<'static>>, most: usize) -> Vec<Line<'static>> {
    let room = most.saturating_sub(rest.len()).max(1);
    let cut = |lines: &mut Vec<Line<'static>>, room: usize| {
        if lines.len() > room {
            lines.truncate(room);
            if let Some(last) = lines.last_mut() {
                last.push_span(Span::styled(format!(" {}", theme.glyphs.cut), theme.dim));
            }
        }
    };
    cut(&mut head, room);
    head.extend(rest);
    cut(&mut head, most);
    head
}

/// The columns of the rule behind the keys.
const END_COLUMNS: u16 = 2;

/// Draws it, if something is told.
pub fn draw(model: &Model, buffer: &mut Buffer, area: Rect) {
    let Some(narrator) = narrator(model) else { return };
    let theme = &model.theme;
    let keys = Line::styled(format!(" {} ", narrator.keys), theme.dim);
    // A long title is cut before the keys.
    let keys_columns = u16::try_from(keys.width()).unwrap_or(u16::MAX);
    let titled = Rect { width: area.width.saturating_sub(keys_columns + END_COLUMNS), ..area };
    paint::rule(buffer, theme, area, 0, Line::default());
    paint::rule(buffer, theme, titled, 0, Line::from(Span::styled(narrator.title, theme.prompt)));
    paint::put_right(buffer, theme, Rect { width: area.width.saturating_sub(END_COLUMNS), ..area }, 0, &keys);
    for (row, line) in (1..).zip(&narrator.lines) {
        paint::put(buffer, theme, area, row, line);
    }
}
