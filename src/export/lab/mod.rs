//! A lab file from a session: its faults become steps, and their effects become expectations.
//!
//! Each order becomes a step at its time since the lab began, or at the moment of the protocol at which the recorded lab
//! gave it; the lines of one step of the recorded lab stay together. If the world had settled before the next order, the
//! lab expects that state after the step, within twice the time it took and never under ten T ([`schedule`]).
//!
//! What the recorded lab said and asked is said and asked again. What people wrote beside the session is a comment.
//!
//! Invariant: the lab expects nothing that dice or a hair's breadth decided; its head comment says what it leaves out.

mod findings;
mod orders;
mod outlook;
mod recorded;
mod schedule;
mod story;
#[cfg(test)]
mod tests;
mod text;

use std::collections::BTreeSet;
use std::io::{self, Write};

use self::recorded::RecordedSteps;
use self::schedule::{Schedule, WITHIN_T_MIN};
use self::story::{Episode, Story};
use self::text::{comment, moment};
use fault::FaultId;
use lab::text::{Opening, narration_keys, quoted, quoted_list, table, when_keys};
use lab::{Condition, LIMIT_DEFAULT, NAME_BYTES_MAX, Narration, When};
use protocol::{Criterion, Roster, Span};
use record::{Head, Origin, Session, SessionNote};
use world::between;

/// Writes the lab.
///
/// # Errors
/// When the session's head is missing, because only the head says which lab it was, or when the session cannot be read
/// to its end; nothing is written then.
pub fn write(session: &dyn Session, written: &[SessionNote], out: &mut dyn Write) -> io::Result<()> {
    let (head, roster) = known(session)?;
    let mut story = story::tell(head, roster, session, None).map_err(io::Error::other)?;
    let (at_end, notes) = findings::at_end(head, &story);
    story.notes.extend(notes);
    let schedule = Schedule::new(head, &story);
    story.notes.extend(schedule.left_out(&story));
    story.notes.extend(of_criterion(head));
    out.write_all(opening(head, &story, &schedule).as_bytes())?;
    out.write_all(notes_of(written).as_bytes())?;
    out.write_all(body(head, &story, &schedule).as_bytes())?;
    for condition in &at_end {
        out.write_all(table("expect", &[("that", quoted(&condition.to_string()))]).as_bytes())?;
    }
    Ok(())
}

/// A lab of the session's orders alone, each at the very time at which it came, without one fault if one is named. It
/// expects nothing, and lasts until `ends`, in nanoseconds since the lab began, and as long as the session.
///
/// # Errors
/// As in [`write`].
pub fn orders_alone(session: &dyn Session, without: Option<FaultId>, ends: i64) -> io::Result<String> {
    let (head, roster) = known(session)?;
    let story = story::tell(head, roster, session, without).map_err(io::Error::other)?;
    let mut text = opening_of(head, &head.name, &head.about).to_string();
    let mut names = StepNames::default();
    let at = |nanos: i64| When::At(Span::from_nanos(u64::try_from(nanos).unwrap_or(0)));
    for episode in story.episodes.iter().filter(|episode| !episode.lines.is_empty()) {
        text += &step(&names.next(&name_of(episode)), &at(episode.at), &episode.lines, &Narration::default());
    }
    text += &step(&names.next("end"), &at(story.ended.max(ends)), &[], &Narration::default());
    Ok(text)
}

/// The head of the session, and its roster.
fn known(session: &dyn Session) -> io::Result<(&Head, Roster)> {
    session.head().and_then(|head| Some((head, head.roster()?))).ok_or_else(|| {
        let why =
            "the session's head is missing, and only the head names the lab; export a file that has its first line";
        io::Error::new(io::ErrorKind::InvalidData, why)
    })
}

/// What is not expected because chance gives the processes their capacities, if it does.
fn of_criterion(head: &Head) -> Option<String> {
    let criterion = Criterion::of(&head.settings).filter(|criterion| criterion.is_by_chance())?;
    Some(format!(
        "The criterion is `{}`, so another run may elect others: nobody is expected as master.",
        criterion.word()
    ))
}

fn opening(head: &Head, story: &Story, schedule: &Schedule) -> String {
    let faults = story.episodes.len() - 1;
    let mut text = comment(
        &format!(
            "Exported from a session of the lab \"{}\" (id {}, hustings {}): {} in {}.",
            head.name,
            head.lab_id,
            head.build,
            if faults == 1 { "1 order".to_owned() } else { format!("{faults} orders") },
            moment(story.ended)
        ),
        "",
    );
    text += "#\n";
    text += &comment(
        "Each order is a step at its time since the lab began, or at the moment of the protocol at which the lab gave \
         it. If the lab came to rest before the next order, that state is expected after the step, within twice the \
         time it took, and never less than 10T. If it had not come to rest, or dice decided, nothing is expected.",
        "",
    );
    let later = schedule.later(story);
    let of_times = match head.origin {
        Origin::Live if later > 0 => Some(format!(
            "If the session went on sooner than an expectation allows, the steps come later here: by {} in all.",
            between(later)
        )),
        Origin::Live => None,
        Origin::Simulated => {
            let text =
                "In virtual time every order keeps its time: an expectation has at most the time until the next one.";
            Some(text.to_owned())
        }
    };
    text += &of_times.map(|times| comment(&times, "")).unwrap_or_default();
    if !story.notes.is_empty() {
        text += "#\n# Different from the session:\n";
        story.notes.iter().for_each(|note| text += &comment(&format!("- {note}"), "  "));
    }
    text
}

/// What people wrote about the session.
fn notes_of(written: &[SessionNote]) -> String {
    if written.is_empty() {
        return String::new();
    }
    let notes = written.iter().map(|note| format!("- {}, {}: {}", moment(note.at), note.kind.word(), note.text));
    "#\n# Written about the session:\n".to_owned() + &notes.map(|note| comment(&note, "  ")).collect::<String>()
}

fn body(head: &Head, story: &Story, schedule: &Schedule) -> String {
    let (name, about) =
        (name_again(&head.name), format!("The orders of a session of \"{}\", and their effects.", head.name));
    let mut text = format!("\n{}", opening_of(head, &name, &about));
    let mut names = StepNames::default();
    let mut last = None;
    let recorded = RecordedSteps::of(head, story);
    for (place, (episode, (begins, within))) in story.episodes.iter().zip(&schedule.slots).enumerate() {
        if !episode.lines.is_empty() {
            let name = names.next(&name_of(episode));
            let when = match recorded.moment(episode) {
                Some(moment) => When::Moment(moment.clone()),
                None => When::At(schedule.at(*begins)),
            };
            text += &step(&name, &when, &episode.lines, &recorded.narration(episode));
            last = Some(name);
        }
        if let (Some(settled), Some(within)) = (&episode.settled, within) {
            for condition in &settled.conditions {
                text += &expectation(condition, last.as_deref(), &within.to_string());
            }
        }
        let ends = story.episodes.get(place + 1).map_or(i64::MAX, |next| next.at);
        for (at, name, narration) in recorded.apart(episode.at..ends) {
            let when = When::At(schedule.at(begins + at - episode.at));
            text += &step(&names.next(name), &when, &[], narration);
        }
    }
    // Without a last step the lab would end before everything that the session saw could happen.
    let end = names.next("end");
    text += &step(&end, &When::At(schedule.at(schedule.ended)), &[], &Narration::default());
    if let Some(help) = &story.help {
        text += &expectation(help, Some(&end), &format!("{WITHIN_T_MIN}T"));
    }
    text
}

/// The lab's name with a mark, cut to the length that a name may have.
fn name_again(name: &str) -> String {
    const MARK: &str = "-again";
    let mut end = name.len().min(NAME_BYTES_MAX - MARK.len());
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{MARK}", &name[..end])
}

fn step(name: &str, when: &When, lines: &[String], narration: &Narration) -> String {
    let mut keys = vec![("name", quoted(name))];
    keys.extend(when_keys(when));
    keys.extend(narration_keys(narration));
    if !lines.is_empty() || narration.is_silent() {
        keys.push(("do", quoted_list(lines)));
    }
    table("step", &keys)
}

/// What the lab file says before its steps.
fn opening_of<'a>(head: &'a Head, name: &'a str, about: &'a str) -> Opening<'a> {
    Opening {
        name,
        about,
        source: head.source.as_deref(),
        algorithm: &head.facts.name,
        nodes: head.nodes,
        seed: head.seed,
        timing: head.timing,
        limit: limit_of(&head.lab_file),
        settings: &head.settings,
    }
}

/// How long a step of this lab may wait.
fn limit_of(lab_file: &str) -> Span {
    let lab = lab_file.parse::<toml::Table>().ok();
    let limit = lab.as_ref().and_then(|lab| lab.get("limit")?.as_str()?.parse().ok());
    limit.unwrap_or(LIMIT_DEFAULT)
}

fn expectation(that: &Condition, after: Option<&str>, within: &str) -> String {
    let mut keys = vec![("that", quoted(&that.to_string()))];
    keys.extend(after.map(|after| ("after", quoted(after))));
    keys.push(("within", quoted(within)));
    table("expect", &keys)
}

fn name_of(episode: &Episode) -> String {
    episode.step.clone().unwrap_or_else(|| episode.lines.join(", "))
}

/// The names of steps so far: no two are the same.
#[derive(Default)]
struct StepNames(BTreeSet<String>);

impl StepNames {
    /// The name itself, or with a number if it was given before.
    fn next(&mut self, name: &str) -> String {
        let numbered = (2..).map(|number| format!("{name} ({number})"));
        let mut free = std::iter::once(name.to_owned()).chain(numbered);
        let name = free.find(|name| !self.0.contains(name)).expect("numbers do not end");
        self.0.insert(name.clone());
        name
    }
}
