//! `hustings diff A B`: where two recorded sessions part first, what each has there, and why.
//!
//! Invariant: it compares what happened, not when: real processes never keep the same times.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::columns::counted;
use super::output::{COLUMNS, remark, say, wrapped};
use super::screen::{self, ScreenLook};
use super::{candidates, code, session_names};
use dashboard::{PairPlace, SessionDifference, Source};
use judge::diff::{CourseTrack, FirstDifference, HeldAgainst, ToldRecord, held_against};
use record::{Head, Session, SessionError, StoredSession};

const EXIT_CODES: &str = "Exit codes: 0 no difference, except perhaps in their times; 4 they differ; 5 unknown: one of them \
                          is no session; 1 or 6 a file cannot be read.";

/// What `diff` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub struct Arguments {
    /// The first session's file, of one in parts any of them; or `last`, or the number or the beginning of a name that
    /// `sessions` lists
    #[arg(value_name = "SESSION", add = candidates::session())]
    one: PathBuf,
    /// The second one's
    #[arg(value_name = "SESSION", add = candidates::session())]
    other: PathBuf,
    /// One JSON object
    #[arg(long, conflicts_with = "screen")]
    json: bool,
    /// Show both sessions in the dashboard, side by side, at their first difference
    #[arg(long)]
    screen: bool,
    #[command(flatten)]
    look: ScreenLook,
}

/// What the two sessions are called.
const LETTERS: [&str; 2] = ["A", "B"];

/// A sentence about the two.
struct DiffSentence {
    text: String,
    level: SentenceLevel,
}

/// How a sentence is told.
#[derive(Copy, Clone, Eq, PartialEq)]
enum SentenceLevel {
    /// On a line of its own.
    Own,
    /// As a part of what the sentence before says.
    Part,
}

/// Something that the heads of two sessions say differently.
struct HeadDifference {
    what: String,
    has: [String; 2],
}

/// Holds the two against each other.
pub fn main(arguments: &Arguments) -> u8 {
    let opened = [&arguments.one, &arguments.other].map(|meant| opened(meant));
    let [Ok((one_file, one)), Ok((other_file, other))] = opened else {
        let codes: Vec<u8> = opened.iter().filter_map(|opened| opened.as_ref().err().copied()).collect();
        return super::run::gravest(&codes);
    };
    let names = [&one_file, &other_file].map(|file| name_of(file));
    let names =
        if names[0] == names[1] { [&one_file, &other_file].map(|file| file.display().to_string()) } else { names };
    let told = match held_against(LETTERS, [&one, &other]) {
        Ok(told) => told,
        Err(error) => {
            remark(format!("{} or {}: {error}", one_file.display(), other_file.display()));
            return code::unread(&error);
        }
    };
    let heads = head_differences(one.head(), other.head());
    let outcome = if told.first.is_some() { code::VIOLATED } else { code::MET };
    if arguments.json {
        say(object(&names, &heads, &told));
        return outcome;
    }
    let sentences = sentences(&names, &heads, &told);
    if !arguments.screen {
        tell(&sentences);
        return outcome;
    }
    let files = [one_file.as_path(), other_file.as_path()];
    let options = screen::options(Source::Session(one_file.clone()), &arguments.look);
    match screen::exit_code(&dashboard::run_beside(options, files, for_screen(&sentences, &told))) {
        code::MET => outcome,
        code => code,
    }
}

/// The session that is meant, which holds at least one line of one.
fn opened(meant: &Path) -> Result<(PathBuf, StoredSession), u8> {
    let file = session_names::file_of(meant)?;
    let unread = |error: &SessionError| {
        remark(format!("{}: {error}", file.display()));
        code::unread(error)
    };
    let session = StoredSession::open(&file).map_err(|error| unread(&error))?;
    let has_any = session_names::remark_skipped(&session, &file).map_err(|error| unread(&error))?;
    if !has_any {
        remark(format!("{}: no line of it is one of a session", file.display()));
        return Err(code::UNKNOWN);
    }
    Ok((file, session))
}

/// The file's name without its endings.
fn name_of(file: &Path) -> String {
    let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
    let plain = name.strip_suffix(".zst").unwrap_or(&name);
    plain.strip_suffix(".jsonl").unwrap_or(plain).to_owned()
}

fn head_differences(one: Option<&Head>, other: Option<&Head>) -> Vec<HeadDifference> {
    let (Some(one), Some(other)) = (one, other) else { return Vec::new() };
    let mut differences = Vec::new();
    let mut hold = |what: &str, of: &dyn Fn(&Head) -> String| {
        let has = [of(one), of(other)];
        if has[0] != has[1] {
            differences.push(HeadDifference { what: what.to_owned(), has });
        }
    };
    hold("lab", &|head| head.name.clone());
    hold("algorithm", &|head| head.facts.name.to_string());
    hold("nodes", &|head| head.nodes.to_string());
    hold("T", &|head| head.timing.t.to_string());
    hold("check", &|head| head.timing.check.to_string());
    hold("silence", &|head| head.timing.silence.to_string());
    hold("dice seed", &|head| head.seed.to_string());
    hold("run's seed", &|head| head.drawn.as_ref().map_or_else(|| "none".to_owned(), |drawn| drawn.seed.to_string()));
    hold("origin", &|head| format!("{:?}", head.origin).to_lowercase());
    hold("build", &|head| head.build.clone());
    let settings: std::collections::BTreeSet<String> =
        [one, other].iter().flat_map(|head| head.settings.iter().map(|(name, _)| name.to_owned())).collect();
    for name in settings {
        hold(&name, &|head| {
            let value = head.settings.iter().find(|(of, _)| *of == name).map(|(_, value)| value.to_string());
            value.unwrap_or_else(|| "not set".to_owned())
        });
    }
    differences
}

fn track(track: CourseTrack) -> String {
    match track {
        CourseTrack::Orders => "the orders".to_owned(),
        CourseTrack::Node(node) => format!("node {node}"),
        CourseTrack::Judged => "the judge's findings".to_owned(),
    }
}

/// What is told of the two: sentences, and those that belong to the one before.
fn sentences(names: &[String; 2], heads: &[HeadDifference], told: &HeldAgainst) -> Vec<DiffSentence> {
    let mut sentences = Vec::new();
    let mut tell = |text: String| sentences.push(DiffSentence { text, level: SentenceLevel::Own });
    for (letter, name) in LETTERS.iter().zip(names) {
        tell(format!("{letter}: {name}"));
    }
    heads.iter().for_each(|of| tell(format!("{}: {} in A, {} in B", of.what, of.has[0], of.has[1])));
    for (letter, missing) in LETTERS.iter().zip(told.missing).filter(|(_, missing)| *missing > 0) {
        tell(format!("{letter} lacks {}: a difference may come of that", counted(missing, "record")));
    }
    for (letter, last) in LETTERS.iter().zip(told.cut_after).filter_map(|(letter, last)| Some((letter, last?))) {
        tell(match last {
            0 => format!("{letter} has no record: the lab's end is missing"),
            last => format!("{letter} stops after record {last}: the lab's end is missing"),
        });
    }
    match (&told.first, told.other_times) {
        (Some(first), _) => sentences.extend(of_first(first)),
        (None, Some((one, other))) => tell(format!(
            "no difference but in times: the same happened in both. Records {one} of A and {other} of B have the first \
             stamps that differ"
        )),
        (None, None) => tell("no difference".to_owned()),
    }
    sentences
}

fn of_first(first: &FirstDifference) -> Vec<DiffSentence> {
    let FirstDifference { track: of, ordinal, before, why, .. } = first;
    let mut sentences = Vec::new();
    let mut tell = |level, text: String| sentences.push(DiffSentence { text, level });
    tell(SentenceLevel::Own, format!("the first difference is in {}, at its record {ordinal}:", track(*of)));
    has(first).into_iter().for_each(|text| tell(SentenceLevel::Part, text));
    if !why.is_empty() {
        tell(SentenceLevel::Own, "why:".to_owned());
        why.iter().for_each(|sentence| tell(SentenceLevel::Part, sentence.clone()));
    }
    if before.is_empty() {
        tell(SentenceLevel::Own, "nothing is recorded before it there".to_owned());
        return sentences;
    }
    tell(SentenceLevel::Own, "before it, the same in both:".to_owned());
    for [one, other] in before {
        tell(SentenceLevel::Part, format!("records {} and {}: {}.", one.number, other.number, one.words));
    }
    sentences
}

/// What each session has where they part.
fn has(first: &FirstDifference) -> Vec<String> {
    let told = |(letter, has): (&&str, &Option<ToldRecord>)| match has {
        Some(told) => format!("{letter}, {}: {}.", told.place(), told.words),
        None => format!("{letter} has no such record: nothing more is recorded there."),
    };
    LETTERS.iter().zip(&first.has).map(told).collect()
}

fn tell(sentences: &[DiffSentence]) {
    for sentence in sentences {
        match sentence.level {
            SentenceLevel::Own => say(&sentence.text),
            SentenceLevel::Part => indented(&sentence.text),
        }
    }
}

fn indented(sentence: &str) {
    for (line, text) in wrapped(sentence, COLUMNS - 4).into_iter().enumerate() {
        say(format!("{}{text}", if line == 0 { "  - " } else { "    " }));
    }
}

/// The same for a screen that shows both.
fn for_screen(sentences: &[DiffSentence], told: &HeldAgainst) -> SessionDifference {
    let whole = sentences.iter().map(|sentence| match sentence.level {
        SentenceLevel::Own => sentence.text.clone(),
        SentenceLevel::Part => format!("- {}", sentence.text),
    });
    let whole = whole.collect();
    let Some(first) = &told.first else {
        let title = if told.other_times.is_some() { "no difference but in times" } else { "no difference" };
        let text = sentences.last().map_or_else(String::new, |sentence| sentence.text.clone());
        let text = format!("The two were held against each other: {text}.");
        return SessionDifference { title: title.to_owned(), sentences: vec![text], whole, places: None, node: None };
    };
    let title = format!("first difference: {}, its record {}", track(first.track), first.ordinal);
    let times = first.has.iter().flatten().map(|told| told.at);
    let at = times.min().unwrap_or(0);
    let place =
        |has: &Option<ToldRecord>| has.as_ref().map_or(PairPlace::Time(at), |told| PairPlace::Record(told.number));
    let why = first.why.iter().map(|sentence| format!("Why: {sentence}"));
    let sentences = has(first).into_iter().chain(why).collect();
    let node = if let CourseTrack::Node(node) = first.track { Some(node) } else { None };
    SessionDifference { title, sentences, whole, places: Some([place(&first.has[0]), place(&first.has[1])]), node }
}

fn object(names: &[String; 2], heads: &[HeadDifference], told: &HeldAgainst) -> String {
    let heads: Vec<_> = heads.iter().map(|of| json!({"what": of.what, "a": of.has[0], "b": of.has[1]})).collect();
    let pair = |[one, other]: &[ToldRecord; 2]| json!({"a": one, "b": other});
    let first = told.first.as_ref().map(|first| {
        json!({
            "in": track(first.track), "ordinal": first.ordinal, "a": first.has[0], "b": first.has[1], "why": first.why,
            "before": first.before.iter().map(pair).collect::<Vec<_>>(),
        })
    });
    let times = told.other_times.map(|(one, other)| json!({"a": one, "b": other}));
    json!({
        "v": 1, "a": names[0], "b": names[1], "heads": heads, "missing": told.missing,
        "cut_after": told.cut_after, "first": first, "first_other_time": times,
    })
    .to_string()
}
