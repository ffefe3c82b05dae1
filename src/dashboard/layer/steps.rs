//! The page of the lab's steps: what the lab shows, and each step as it stands.
//!
//! Invariant: every step of the lab stands there, in its order.

use super::page::Page;
use super::sheet::Sheet;
use crate::model::Model;
use crate::steps_words::{book, orders, standing};
use script::StepStanding;

/// Its page.
pub fn page(model: &Model, width: u16) -> Page {
    let mut sheet = Sheet::new(&model.theme, width);
    let Some(book) = book(model) else {
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
