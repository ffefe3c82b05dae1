//! What the algorithm assumes and promises: each in a sentence, with its source, and what broke it.
//!
//! Invariant: what is said here of an assumption agrees with the meter in the header.

use super::page::{LinkTarget, Page, PageWriter};
use super::violations::list;
use crate::model::{Model, Subject};
use crate::view::assumptions::{Mark, marks};
use crate::view::paint;
use protocol::{Assumption, Property};

/// All of them.
pub fn all(model: &Model, width: u16) -> Page {
    let mut sheet = PageWriter::new(&model.theme, width);
    let Some(head) = &model.head else {
        sheet.text("The algorithm is not known yet.");
        return sheet.into_page("assumptions and promises");
    };
    sheet.heading(&format!("{} assumes", head.facts.title));
    for mark in marks(model, head) {
        sheet.link(LinkTarget::To(Subject::Assumption(mark.assumption)));
        let words = format!("{}: {}", mark.assumption.says(), standing(&mark));
        sheet.entry(&mark.assumption.number().to_string(), 3, &words);
    }
    let violations = &model.seen().world.violations;
    let mut list = |title: &str, promises: &[Property]| {
        if promises.is_empty() {
            return;
        }
        sheet.heading(title);
        for promise in promises {
            let standing = match violations.count(|view| view.report.property == *promise) {
                0 => "not violated".to_owned(),
                1 => "violated once".to_owned(),
                count => format!("violated {count} times"),
            };
            sheet.link(LinkTarget::To(Subject::Promise(*promise)));
            sheet.entry(promise.word(), 14, &standing);
        }
    };
    list("It promises", &head.facts.promises);
    list("With this lab's settings it does not promise", &head.facts.withheld);
    sheet.into_page("assumptions and promises")
}

fn standing(mark: &Mark<'_>) -> String {
    mark.told().unwrap_or_else(|| "nothing has broken it".to_owned())
}

/// One assumption.
pub fn of_assumption(model: &Model, assumption: Assumption, width: u16) -> Page {
    let mut sheet = PageWriter::new(&model.theme, width);
    sheet.text(assumption.sentence());
    sheet.text(&format!("({})", assumption.source()));
    let mark = model.head.as_ref().and_then(|head| {
        let mut marks = marks(model, head).into_iter();
        marks.find(|mark| mark.assumption == assumption)
    });
    sheet.heading("how it stands");
    match mark {
        Some(mark) => sheet.text(&format!("  {}", standing(&mark))),
        None => sheet.text("  This algorithm does not need it."),
    }
    let world = &model.seen().world;
    let breaks: Vec<_> = world.broken.iter().filter(|broken| broken.report.broken.assumption == assumption).collect();
    if !breaks.is_empty() {
        sheet.heading("what broke it");
        for broken in breaks {
            if let Some(by) = broken.report.broken.by.fault() {
                sheet.link(LinkTarget::To(Subject::Fault(by)));
            }
            sheet.entry(&format!("{} s", paint::seconds(broken.at, 3)), 10, &broken.report.text);
        }
    }
    sheet.into_page(format!("assumption {}", assumption.number()))
}

/// One promise.
pub fn of_promise(model: &Model, promise: Property, width: u16) -> Page {
    let mut sheet = PageWriter::new(&model.theme, width);
    sheet.text(promise.sentence());
    sheet.text(&format!("({})", promise.source()));
    let world = &model.seen().world;
    let violations: Vec<_> = world.violations.iter().filter(|view| view.report.property == promise).collect();
    sheet.heading(if violations.is_empty() { "It was not violated up to this moment." } else { "its violations" });
    for view in violations {
        list(model, &mut sheet, view);
    }
    sheet.into_page(format!("promise {promise}"))
}
