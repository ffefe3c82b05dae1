//! Pages that list: the records of a line of the listing, the predictions, the recorded sessions, the lab's steps.
//!
//! Invariants: a record of a line that is not listed is counted all the same. An election that the picture has not shown to
//! its end is not told. A session's number is the one that `hustings sessions` gives it. Every step stands there, in order.

use super::page::{LinkTarget, Page, PageWriter};
use crate::input::action::Action;
use crate::model::pages::{LineRecords, ListedSession};
use crate::model::{Model, Subject};
use crate::view::listing::hole_words;
use crate::view::paint;
use crate::view::words::steps::{orders, standing};
use protocol::LineTaker;
use script::StepStanding;

/// All about a line of the listing.
pub fn line(model: &Model, of: &LineRecords, width: u16) -> Page {
    let mut sheet = PageWriter::new(&model.theme, width);
    let (facts, coverage) = (model.seen().facts.as_deref(), &model.seen().world.coverage);
    let line = facts.and_then(|facts| facts.line(of.number));
    match line {
        Some(line) => sheet.text(&format!("{}: {}", line.procedure, line.text)),
        None => sheet.text("The session's head does not list this line."),
    }
    sheet.heading("how it stands");
    let times = match coverage.times(of.number) {
        0 if line.is_some_and(|line| line.taken_by == LineTaker::Killed) => {
            "only a killed process could go through it, and that takes no more steps; it is not counted".to_owned()
        }
        0 => "never, up to this moment".to_owned(),
        1 => "once".to_owned(),
        times => format!("{times} times"),
    };
    sheet.field("reached", &times);
    sheet.field("on it", &coverage.on(of.number).to_string());
    for hole in facts.iter().flat_map(|facts| &facts.holes).filter(|hole| hole.lines.contains(&of.number)) {
        sheet.heading(&hole_words(hole));
        sheet.text(&format!("  {} ({})", hole.title, hole.stands_in));
        if let Some(lab) = &hole.lab {
            sheet.text(&format!("  `hustings up {lab}` shows it."));
        }
    }
    match of.rows.len() {
        0 if coverage.times(of.number) == 0 => {}
        0 => sheet.heading("this screen keeps none of the records that went through it"),
        1 => sheet.heading("the last record that went through it"),
        count => sheet.heading(&format!("the last {count} records that went through it, the newest first")),
    }
    for row in &of.rows {
        sheet.link(LinkTarget::To(Subject::Row(row.clone())));
        sheet.entry(&format!("{} s", paint::seconds(row.record.at, 3)), 10, &row.text);
    }
    sheet.into_page(format!("line {}", of.number))
}

/// All predictions; the latest stands lowest.
pub fn score(model: &Model, width: u16) -> Page {
    let mut sheet = PageWriter::new(&model.theme, width);
    let predictions = &model.lesson.predictions;
    match predictions.score() {
        Some(score) => sheet.text(&format!("Score: {score}.")),
        None => sheet.text("No election has been predicted and come to its end yet."),
    }
    for prediction in predictions.iter() {
        let told = prediction.told().unwrap_or_else(|| format!("{prediction}, in the next election."));
        sheet.text(&told);
        if let Some(outcome) = &prediction.outcome {
            sheet.text(&outcome.kinds_told());
        }
    }
    sheet.heading("predict");
    sheet.link(LinkTarget::Does(Action::Predict));
    sheet.entry(
        &model.key(Action::Predict),
        3,
        "before an election begins: who wins it, and with how many messages, such as `predict 4 12`",
    );
    sheet.text(
        "What counts is sent from the moment at which a process is in an election until none is. What it asks before, to \
         find out whether there has to be one, does not count, nor do heartbeats and other periodic messages. A broadcast \
         is one message.",
    );
    sheet.into_page("predictions")
}

/// The recorded sessions, the newest first.
pub fn sessions(model: &Model, list: &[ListedSession], width: u16) -> Page {
    let mut sheet = PageWriter::new(&model.theme, width);
    sheet
        .text("Enter opens a session over this screen; `:open last`, `:open 2` or `:open NAME` opens one by its name.");
    let digits = list.len().to_string().len();
    for (number, ListedSession { path, name, about }) in (1..).zip(list) {
        sheet.link(LinkTarget::Opens(path.clone()));
        sheet.entry(&format!("{number:>digits$}"), digits, name);
        sheet.entry("", digits, &format!("  {about}"));
    }
    sheet.into_page("sessions")
}

/// The lab's steps, in their order.
pub fn steps(model: &Model, width: u16) -> Page {
    let mut sheet = PageWriter::new(&model.theme, width);
    let Some(book) = model.book() else {
        sheet.text("This session does not tell the lab's steps.");
        return sheet.into_page("the lab's steps");
    };
    sheet.text(&book.about);
    let steps = book.steps(&model.seen().world);
    if steps.is_empty() {
        sheet.text("This lab has no steps of its own.");
    }
    for step in &steps {
        let sign = match step.standing {
            StepStanding::Taken(_) => "",
            StepStanding::Ordering(_) | StepStanding::Next { .. } => ", which is next",
            StepStanding::Later => ", later",
            StepStanding::GivenUp => ", which never came",
        };
        sheet.heading(&format!("{}{sign}", step.name));
        sheet.field("orders", &orders(step));
        let title = match step.standing {
            StepStanding::Next { .. } => "waits",
            _ => "when",
        };
        sheet.field(title, &standing(model, step));
    }
    sheet.into_page("the lab's steps")
}
