//! The help: every key from the table of keys, the signs and the words, every fault line from the table of forms.
//!
//! Invariant: the help lists exactly what works here, and Enter on a row does what the row says; each sign is the one that
//! the screen draws, with `--ascii` too.

use super::page::{LinkTarget, Page, PageWriter};
use crate::input::action::{Action, Binding, FeedKind, Heading, rows};
use crate::model::Model;
use crate::view::theme::{GlyphSet, UNICODE};
use fault::{FORM_LETTERS, forms};

const BRANCH: &str = "Your actions happen at the moment on the screen. If that is not the end, the lab branches: \
                      what was simulated after that moment is deleted, and a new future begins.";

/// The rows that contain all words of this search.
pub fn page(model: &Model, search: &str, width: u16) -> Page {
    let mut sheet = PageWriter::new(&model.theme, width);
    let search: Vec<String> = search.split_whitespace().map(str::to_lowercase).collect();
    let is_found = |text: &str| {
        let text = text.to_lowercase();
        search.iter().all(|word| text.contains(word.as_str()))
    };
    let is_whole = search.is_empty();
    if is_whole {
        let key = model.key(Action::Filter);
        sheet.text(&format!("`{key}` searches in this list. Enter does what the row under the cursor says."));
    }
    for group in Heading::ALL {
        let refusal = model.permission().err().filter(|_| group == Heading::Break);
        let rows: Vec<_> =
            rows(model.feed_kind()).filter(|row| row.group == group && is_found(&words(model, row))).collect();
        if rows.is_empty() || refusal.is_some() {
            continue;
        }
        sheet.heading(group.title());
        for row in rows {
            sheet.link(LinkTarget::Does(row.action));
            sheet.entry(&keys(model, row), 9, &format!("{}: {}", row.name, row.about));
        }
        if group == Heading::Lesson {
            // They work while a question is open, and not from this list.
            for row in model.question_keys().filter(|row| is_found(&words(model, row))) {
                let keys = match row.keys {
                    [first, .., last] => format!("{}-{}", first.name(), last.name()),
                    _ => row.keys[0].name(),
                };
                sheet.entry(&keys, 9, &format!("{}, at a question: {}", row.name, row.about));
            }
        }
        match (group, model.feed_kind()) {
            (Heading::Break, FeedKind::Simulated) if is_whole => sheet.text(BRANCH),
            (Heading::Time, FeedKind::Simulated) if is_whole => sheet.text(&horizon(model)),
            _ => {}
        }
    }
    for (title, meanings) in [("Signs", signs(&model.theme.glyphs)), ("Words", lab_words(model))] {
        let found = meanings.into_iter().filter(|(sign, means)| is_found(&format!("{title} {sign} {means}")));
        for (place, (sign, means)) in found.enumerate() {
            if place == 0 {
                sheet.heading(title);
            }
            sheet.entry(&sign, 11, &model.theme.glyphs.flow.spoken(means));
        }
    }
    fault_lines(model, &mut sheet, is_found);
    if sheet.is_empty() {
        sheet.text("No row of this list contains these words.");
    }
    sheet.into_page(if is_whole { "help".to_owned() } else { format!("help /{}", search.join(" ")) })
}

/// The forms of fault lines, or why none is taken here.
fn fault_lines(model: &Model, sheet: &mut PageWriter<'_>, is_found: impl Fn(&str) -> bool) {
    if let Err(why) = model.permission() {
        if is_found("") {
            sheet.heading("Faults");
            sheet.text(&why.to_string());
        }
        return;
    }
    let forms: Vec<_> = forms().filter(|(form, about)| is_found(&format!("{form} {about}"))).collect();
    if forms.is_empty() {
        return;
    }
    sheet.heading("Fault lines, after `:`, in lab files and with `hustings inject`");
    for (form, about) in forms {
        let verb = form.split_whitespace().next().unwrap_or(form);
        sheet.link(LinkTarget::Begins(if verb == *form { verb.to_owned() } else { format!("{verb} ") }));
        sheet.entry(form, 21, about);
    }
    let (letters, about) = FORM_LETTERS[0];
    sheet.text(&format!("{letters}: {about}."));
}

fn horizon(model: &Model) -> String {
    let [play, event, second] = [Action::PlayOrStand, Action::EventForward, Action::SecondForward];
    let [play, event, second] = [play, event, second].map(|action| model.key(action));
    format!(
        "The lab is simulated only as far as you look. Its end is the last simulated moment: from there, {play}, \
         `{event}`, `{second}` and `:seek` simulate more."
    )
}

fn keys(model: &Model, row: &Binding) -> String {
    let keys: Vec<String> = model.keymap.keys(row).iter().map(|key| key.name()).collect();
    keys.join(" ")
}

fn words(model: &Model, row: &Binding) -> String {
    format!("{} {} {}", keys(model, row), row.name, row.about)
}

/// The word of King and Ni's tables for a process that has not begun an election yet.
const BEFORE: &str = "normal";

/// A sign or a word, and its meaning.
type Meaning = (String, &'static str);

/// The signs of the picture, in the characters of most terminals, with their meanings.
pub fn screen_signs() -> Vec<Meaning> {
    signs(&UNICODE)
}

/// The words of the picture in every lab, with their meanings.
pub fn screen_words() -> Vec<Meaning> {
    [common_words(), vec![before_word(), capacity_word()]].concat()
}

fn signs(glyphs: &GlyphSet) -> Vec<Meaning> {
    let flow = &glyphs.flow;
    let spoken = |text: &str| flow.spoken(text);
    let [sender, later] = flow.senders;
    let [from_left, from_right] = flow.heads;
    let mut signs: Vec<Meaning> = vec![
        (flow.coordinator.into(), "a coordinator"),
        (
            format!("A{} B{}", glyphs.groups[0], glyphs.groups[1]),
            "the groups; A has the coordinator that outranks the others",
        ),
        (
            "E R N D".into(),
            "in a lane, a new state: Election, Reorganization, Normal, Down; other signs are the paper's own words, \
             or short for them: w1 for wait1",
        ),
        (flow.lanes[0].into(), "in the flow, the lane of a process that runs"),
        (flow.lanes[1].into(), "the lane of a process that is paused"),
        (flow.starts[0].into(), "a new process"),
        (flow.starts[1].into(), "a process begins to run, or goes on"),
        (sender.into(), "a process that sends"),
        (later.into(), "a process whose message comes in a later row"),
        (from_left.into(), "a process that receives from the left"),
        (from_right.into(), "a process that receives from the right"),
        (flow.both.into(), "a process that sends and receives"),
        (format!("{from_left}{}", flow.receipt), "a process that receives what an earlier row sent"),
    ];
    if flow.crossings[0] == flow.crossings[1] {
        signs.push((flow.crossings[0].into(), "a message passes a lane that it does not concern"));
    } else {
        signs.push((flow.crossings[0].into(), "a message passes a lane that it does not concern"));
        signs.push((flow.crossings[1].into(), "a multicast passes a lane"));
    }
    signs.extend([
        (flow.ends[0].to_owned(), "a message that is lost, or a process that is dead"),
        (flow.ends[1].to_owned(), "a message that is on its way or held; elsewhere, a text that was cut"),
        (flow.idle.to_owned(), "an idle time, which is not drawn"),
        (spoken("✓6 ✗4"), "of the messages of this row, 6 arrived and 4 were lost; …2 are on their way, ○2 come later"),
        ("#12".to_owned(), "number 12: the row that receives this message names the same number"),
        ("f1".to_owned(), "the first fault; screen 3 says what each fault is"),
        ("4 -> 3".to_owned(), "among the messages, 4 sends to 3; `*` stands for all"),
        ("3 <- 4".to_owned(), "3 receives from 4"),
        ("3 x- 4".to_owned(), "at 3, a message of 4 is lost"),
        ("3 .. 4".to_owned(), "at 3, a message of 4 is held"),
        ("3 .- 4".to_owned(), "at 3, a held message of 4 is released"),
        ("3 .^ 4".to_owned(), "at 3, a held message of 4 is put before all others that wait"),
        ("3 ~- 4".to_owned(), "at 3, a message of 4 was overtaken by a later one"),
        ("3 =- 4".to_owned(), "at 3, a message of 4 is delivered twice"),
        ("3 ?- 4".to_owned(), "at 3, a message of 4 is garbled"),
        (glyphs.running.to_owned(), "before a word: it runs, is in force, or is good"),
        (glyphs.starting.to_owned(), "before a word: it begins, or is ordered and not in force yet"),
        (glyphs.paused.to_owned(), "before a word: it is paused, or silent"),
        (glyphs.mask.to_owned(), "it lies: its process was ordered to"),
        (glyphs.bad.to_owned(), "before a word: it is dead, or bad"),
        (format!("8{}f3", glyphs.bad), "fault f3 breaks assumption 8 of the paper"),
        ("8(f3)".to_owned(), "fault f3 broke assumption 8, which holds again"),
        (glyphs.doubt.to_owned(), "it is in doubt: a fault that is not in force, a verdict that is not certain"),
        (glyphs.cursor.to_owned(), "the row or the pane that the keys move in"),
        (glyphs.mark.to_owned(), "a marked row: the next fault key hits the marked rows"),
        (format!("{}3", glyphs.times), "it was said 3 times"),
        (format!("{}{}", glyphs.bar[0], glyphs.bar[1]), "how much of a wait has passed"),
    ]);
    let [_, _, election, note, fault, violation, present] = glyphs.timeline;
    signs.extend([
        (election.to_owned(), "on the timeline, an election"),
        (note.to_owned(), "on the timeline, a marker, note, chapter or difference"),
        (fault.to_owned(), "on the timeline, a fault"),
        (violation.to_owned(), "on the timeline, a violation"),
        (present.to_owned(), "on the timeline, the moment on the screen"),
    ]);
    signs
}

fn lab_words(model: &Model) -> Vec<Meaning> {
    let mut words = common_words();
    if model.head.as_ref().is_some_and(|head| head.facts.listing.iter().any(|line| line.procedure == BEFORE)) {
        words.push(before_word());
    }
    if model.has_criterion() {
        words.push(capacity_word());
    }
    words
}

fn common_words() -> Vec<Meaning> {
    vec![
        ("T".to_owned(), "the bound on which the lab's times rest; its paper says what it bounds"),
        ("coordinator".to_owned(), "the node that a group has elected; some papers call it master or leader"),
        ("group".to_owned(), "the nodes that have the same coordinator, and its number if the algorithm counts groups"),
        ("task".to_owned(), "what a coordinator gives its group to do"),
        ("starts".to_owned(), "how often a node has started: once, and once more after each recovery"),
        ("excused".to_owned(), "a violation with a broken assumption in its past: the algorithm need not be to blame"),
        ("steps".to_owned(), "what the lab's file orders by itself"),
        ("status".to_owned(), "the state in which a process is, in the paper's own word: Normal, Election, stop"),
        ("waits".to_owned(), "how long it is until the time-out of what a process waits for"),
        ("assumes".to_owned(), "the numbers of the assumptions on which the promises rest"),
    ]
}

fn before_word() -> Meaning {
    (
        BEFORE.to_owned(),
        "the paper's word for a process before its election, whose status is Down; in stop or master it is Normal",
    )
}

fn capacity_word() -> Meaning {
    ("capacity".to_owned(), "the largest capacity is elected; a criterion makes it")
}
