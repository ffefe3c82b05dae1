//! `hustings diff A B`: where two recorded sessions part first, what each has there, and why.
//!
//! Invariant: it compares what happened, not when: real processes never keep the same times.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::columns::counted;
use super::tell::{COLUMNS, remark, say, wrapped};
use super::{code, session_names};
use crate::judge::diff::{CourseTrack, FirstDifference, HeldAgainst, ToldRecord, held_against};
use crate::record::{Head, Session, SessionError, StoredSession};

const EXIT_CODES: &str = "Exit codes: 0 no difference, except perhaps in their times; 4 they differ; 5 unknown: one of them \
                          is no session; 1 or 6 a file cannot be read.";

/// What `diff` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub struct Arguments {
    /// The first session's file, of one in parts any of them; or `last`, or the number or the beginning of a name that
    /// `sessions` lists
    #[arg(value_name = "SESSION")]
    one: PathBuf,
    /// The second one's
    #[arg(value_name = "SESSION")]
    other: PathBuf,
    /// One JSON object
    #[arg(long)]
    json: bool,
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
    let told = match held_against(["A", "B"], [&one, &other]) {
        Ok(told) => told,
        Err(error) => {
            remark(format!("{} or {}: {error}", one_file.display(), other_file.display()));
            return code::unread(&error);
        }
    };
    let heads = head_differences(one.head(), other.head());
    if arguments.json {
        say(object(&names, &heads, &told));
    } else {
        tell(&names, &heads, &told);
    }
    if told.first.is_some() { code::VIOLATED } else { code::MET }
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

fn tell(names: &[String; 2], heads: &[HeadDifference], told: &HeldAgainst) {
    for (letter, name) in ["A", "B"].iter().zip(names) {
        say(format!("{letter}: {name}"));
    }
    heads.iter().for_each(|of| say(format!("{}: {} in A, {} in B", of.what, of.has[0], of.has[1])));
    for (letter, missing) in ["A", "B"].iter().zip(told.missing).filter(|(_, missing)| *missing > 0) {
        say(format!("{letter} lacks {}: a difference may come of that", counted(missing, "record")));
    }
    for (letter, last) in ["A", "B"].iter().zip(told.cut_after).filter_map(|(letter, last)| Some((letter, last?))) {
        say(format!("{letter} stops after record {last}: the lab's end is missing"));
    }
    match (&told.first, told.other_times) {
        (Some(first), _) => tell_first(first),
        (None, Some((one, other))) => {
            say(format!(
                "no difference but in times: the same happened in both. Records {one} of A and {other} of B have the first \
                 stamps that differ"
            ));
        }
        (None, None) => say("no difference"),
    }
}

fn tell_first(first: &FirstDifference) {
    let FirstDifference { track: of, ordinal, has, before, why } = first;
    say(format!("the first difference is in {}, at its record {ordinal}:", track(*of)));
    for (letter, has) in ["A", "B"].iter().zip(has) {
        match has {
            Some(told) => indented(&format!("{letter}, {}: {}.", told.place(), told.words)),
            None => indented(&format!("{letter} has no such record: nothing more is recorded there.")),
        }
    }
    if !why.is_empty() {
        say("why:");
        why.iter().for_each(|sentence| indented(sentence));
    }
    if before.is_empty() {
        say("nothing is recorded before it there");
        return;
    }
    say("before it, the same in both:");
    for [one, other] in before {
        indented(&format!("records {} and {}: {}.", one.number, other.number, one.words));
    }
}

fn indented(sentence: &str) {
    for (line, text) in wrapped(sentence, COLUMNS - 4).into_iter().enumerate() {
        say(format!("{}{text}", if line == 0 { "  - " } else { "    " }));
    }
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
