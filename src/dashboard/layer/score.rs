//! The page of the predictions: what was predicted of which election, what came of it, and the score.
//!
//! Invariant: an election that the picture has not shown to its end is not told.

use super::page::{Leads, Page};
use super::sheet::Sheet;
use crate::action::Action;
use crate::model::Model;

/// Its page; the latest prediction stands lowest.
pub fn page(model: &Model, width: u16) -> Page {
    let mut sheet = Sheet::new(&model.theme, width);
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
    sheet.link(Leads::Does(Action::Predict));
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
