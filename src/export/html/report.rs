//! What stands beside the flow: the lesson, the verdicts, what was done, the elections, why, what people wrote, and the
//! lab's file.
//!
//! Invariant: a link leads to a row of the same page, and nowhere else.

use std::fmt::Write as _;

use super::flow::DrawnFlow;
use crate::lesson::{LessonPart, answer, lesson};
use crate::told::{ToldSession, fault_state};
use record::{Outcome, SessionNote};
use web::escaped;
use world::{between, stamp};

/// A list or a table has at most so many entries, and says how many more there are.
const ENTRIES_MAX: usize = 400;

/// The sections as markup.
pub(super) fn report(told: &ToldSession, notes: &[SessionNote], flow: &DrawnFlow) -> String {
    let happened = [verdicts(told), faults(told, flow), elections(told, flow), why(told, flow)].concat();
    told_lesson(told, flow) + &happened + &written(notes, flow) + &signs() + &lab_file(told)
}

fn section(title: &str, content: &str) -> String {
    format!("<section><h2>{title}</h2>\n{content}</section>\n")
}

/// How many entries of a list are left out, if any are.
fn left_out(count: usize) -> String {
    match count.saturating_sub(ENTRIES_MAX) {
        0 => String::new(),
        more => format!("<p>{more} more are left out here; other formats have them all.</p>\n"),
    }
}

/// A link to the row of this moment.
fn link_at(flow: &DrawnFlow, at: i64) -> String {
    match flow.row_at(at) {
        Some(row) => format!("<a href=\"#r{row}\">{}</a>", stamp(at)),
        None => stamp(at),
    }
}

fn verdicts(told: &ToldSession) -> String {
    let mut list = format!("<p>{}</p>\n<ul>\n", told.findings());
    for verdict in told.world.verdicts.iter().take(ENTRIES_MAX) {
        let class = match verdict.outcome {
            Outcome::Met => "met",
            Outcome::Failed => "failed",
            Outcome::Unknown => "unknown",
        };
        writeln!(list, "<li class=\"{class}\">{}</li>", escaped(&verdict.text)).expect("memory can be written to");
    }
    list.push_str("</ul>\n");
    list.push_str(&left_out(told.world.verdicts.len()));
    if let Some(why) = told.why_no_verdict() {
        list = format!("<p>{why}</p>\n<p>{}</p>\n", told.findings());
    }
    section("The verdicts", &list)
}

fn faults(told: &ToldSession, flow: &DrawnFlow) -> String {
    let mut list = String::from("<ul>\n");
    for fault in told.world.faults.iter().take(ENTRIES_MAX) {
        let line = escaped(&format!("{} {}", fault.id, fault.line));
        let state = escaped(&fault_state(fault));
        writeln!(list, "<li>{} <b>{line}</b> ({state})</li>", link_at(flow, fault.ordered))
            .expect("memory can be written to");
    }
    list.push_str("</ul>\n");
    list.push_str(&left_out(told.world.faults.len()));
    if told.world.faults.is_empty() {
        list = "<p>Nothing was broken.</p>\n".to_owned();
    }
    section("What was done", &list)
}

fn elections(told: &ToldSession, flow: &DrawnFlow) -> String {
    let mut table = String::from(
        "<table><thead><tr><th>no</th><th>began</th><th>by</th><th>because</th><th>took</th><th>messages</th><th>elected</th>\
         </tr></thead><tbody>\n",
    );
    for election in told.elections.iter().take(ENTRIES_MAX) {
        let took = election.ended.map_or_else(|| "goes on".to_owned(), |ended| between(ended - election.began));
        writeln!(
            table,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{took}</td><td>{}</td><td>{}</td></tr>",
            election.ordinal,
            link_at(flow, election.began),
            election.by,
            escaped(&election.why.to_string()),
            election.messages(&told.head.facts.periodic),
            escaped(&election.outcome()),
        )
        .expect("memory can be written to");
    }
    table.push_str("</tbody></table>\n");
    table.push_str(&left_out(told.elections.len()));
    if told.elections.is_empty() {
        table = "<p>There was none.</p>\n".to_owned();
    }
    section("The elections", &table)
}

fn why(told: &ToldSession, flow: &DrawnFlow) -> String {
    let mut list = String::new();
    let (explanations, more) = told.explanations();
    for explanation in &explanations {
        list.push_str("<ul class=\"why\">\n");
        for sentence in explanation.all() {
            let row = sentence.records.first().and_then(|cited| flow.row_of(cited.number));
            let shown = row.map_or_else(String::new, |row| format!(" <a href=\"#r{row}\">show</a>"));
            writeln!(list, "<li>{}{shown}</li>", escaped(&sentence.text)).expect("memory can be written to");
        }
        list.push_str("</ul>\n");
    }
    if more > 0 {
        writeln!(
            list,
            "<p>{more} more violations are not explained here; <code>hustings why</code> explains each.</p>"
        )
        .expect("memory can be written to");
    }
    if list.is_empty() {
        writeln!(list, "<p>{}</p>", told.nothing_explained()).expect("memory can be written to");
    }
    section("Why", &list)
}

/// What the lesson told, if the lab is one; an answer is seen when somebody opens it.
fn told_lesson(told: &ToldSession, flow: &DrawnFlow) -> String {
    let parts = lesson(told);
    if parts.is_empty() {
        return String::new();
    }
    let mut text = String::new();
    for (at, part) in parts.iter().take(ENTRIES_MAX) {
        let at = link_at(flow, *at);
        text += &match part {
            LessonPart::Chapter(title) => format!("<h3>{at} {}</h3>\n", escaped(title)),
            LessonPart::Said(words) => format!("<p>{at} {}</p>\n", escaped(words)),
            LessonPart::Asked(question) => {
                let choices: String = question
                    .choices
                    .iter()
                    .map(|choice| format!("<li>{}</li>", escaped(&choice.to_string())))
                    .collect();
                format!(
                    "<p>{at} <b>{}</b></p>\n<ol>{choices}</ol>\n<details><summary>The answer</summary><p>Right is {}</p></details>\n",
                    escaped(&question.text.to_string()),
                    escaped(&answer(question))
                )
            }
        };
    }
    text.push_str(&left_out(parts.len()));
    section("The lesson", &text)
}

/// The markers, notes and chapters.
fn written(notes: &[SessionNote], flow: &DrawnFlow) -> String {
    if notes.is_empty() {
        return String::new();
    }
    let mut list = String::from("<ul>\n");
    for SessionNote { kind, at, text, .. } in notes.iter().take(ENTRIES_MAX) {
        writeln!(list, "<li>{} {}: {}</li>", link_at(flow, *at), kind.word(), escaped(text))
            .expect("memory can be written to");
    }
    list.push_str("</ul>\n");
    list.push_str(&left_out(notes.len()));
    section("Markers, notes and chapters", &list)
}

/// What the signs of the flow mean.
fn signs() -> String {
    let lines = [
        "An arrow is a message that came where its head is; ✗ is one that was lost, ○ one that comes in a later row.",
        "A green ring at an arrow's beginning: the answer came back there. A red one: the answer was lost.",
        "#12 in the words: what was sent in the row of record 12 comes here, or is received in a later row.",
        "✓2 ✗1 ○3 … in the words: of the messages so many came, were lost, come later, or are on their way.",
        "A circle is a new state, by its first letter or the paper's short word; a filled square is a coordinator's.",
        "A lane has its coordinator's colour; it is dashed while its process is paused, and dotted while there is none.",
    ];
    let lines: String = lines.iter().map(|line| format!("<li>{line}</li>\n")).collect();
    section("The signs", &format!("<details><summary>What they mean</summary>\n<ul>\n{lines}</ul></details>\n"))
}

fn lab_file(told: &ToldSession) -> String {
    let file = escaped(&told.head.lab_file);
    section("The lab", &format!("<details><summary>Its file</summary>\n<pre>{file}</pre></details>\n"))
}
