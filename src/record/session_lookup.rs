//! Which session is meant: a file, or, of the default place, its name, `last`, a number of the list, or a unique
//! beginning of a name.
//!
//! Invariant: what is there as a file is that file; a name that means none or several is refused with those that there
//! are; nothing is changed or deleted by words that may mean another session too, or one whose lab still runs.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::newest::newest_until_ended;
use super::{KeptSession, SessionEnding, kept_sessions, parts, state_directory};

/// The word for the newest session whose lab does not run.
const LAST: &str = "last";
/// At most so many sessions are named in a refusal.
const NAMED_MAX: usize = 10;

/// No file is meant.
#[derive(Debug, thiserror::Error)]
pub enum NoSessionFile {
    /// The sessions of the default place cannot be listed.
    #[error("the recorded sessions cannot be listed: {0}")]
    Unlisted(io::Error),
    /// A name means none of them, or several.
    #[error("{0}")]
    NoneOrSeveral(NotOneSession),
}

/// A name means no session, or several.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct NotOneSession {
    /// What is wrong with the name.
    pub why: String,
    /// The sessions that there are, or that are meant.
    pub named: Vec<String>,
    /// How many more there are.
    pub more: usize,
}

impl fmt::Display for NotOneSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.why)?;
        if !self.named.is_empty() {
            write!(f, " {}", self.named.join(", "))?;
        }
        if self.more > 0 {
            write!(f, " and {} more", self.more)?;
        }
        Ok(())
    }
}

/// The file of the session that is meant, to be read.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct SelectedFile {
    pub path: PathBuf,
    /// The newer session that `last` passed over, because its lab still runs.
    pub running: Option<String>,
}

/// The file of the session that is meant: what has this path, or the session of the default place that has this name.
///
/// # Errors
/// Nothing is there, and the name means none or several.
pub fn session_file(meant: &Path) -> Result<SelectedFile, NoSessionFile> {
    let is_path = meant.components().count() != 1 || meant.symlink_metadata().is_ok() || parts::are_there(meant);
    let Some(name) = meant.to_str().filter(|_| !is_path) else {
        return Ok(SelectedFile { path: meant.to_owned(), running: None });
    };
    let place = state_directory();
    let is_a_name = |end: &&str| place.join(format!("{name}{end}")).exists();
    let sessions = if name == LAST && ![".jsonl", ".jsonl.zst"].iter().any(is_a_name) {
        newest_until_ended(&place)
    } else {
        kept_sessions().map(|shelf| shelf.sessions)
    };
    session_named(name, &sessions.map_err(NoSessionFile::Unlisted)?).map_err(NoSessionFile::NoneOrSeveral)
}

/// The one of these sessions, the newest first, that a name means to somebody who reads it.
fn session_named(name: &str, sessions: &[KeptSession]) -> Result<SelectedFile, NotOneSession> {
    let exact = sessions.iter().find(|session| is_name_of(name, session));
    let (session, running) = match exact.or_else(|| numbered(name, sessions)) {
        Some(session) => (session, None),
        None if name == LAST && !sessions.is_empty() => ended_last(sessions)?,
        None => (begun(name, sessions)?, None),
    };
    Ok(SelectedFile { path: session.path.clone(), running: running.map(KeptSession::name) })
}

/// The newest of these sessions whose lab does not run, and the newest of all, if that is another one.
fn ended_last(sessions: &[KeptSession]) -> Result<(&KeptSession, Option<&KeptSession>), NotOneSession> {
    let newest = sessions.first();
    // What cannot be read says so when it is opened.
    match sessions.iter().find(|session| !runs(session)) {
        Some(ended) => Ok((ended, newest.filter(|newest| newest.path != ended.path))),
        None => {
            let why = "no lab has ended whose session is there; `hustings watch` shows a lab that runs, and by its name its \
                       session is read as far as it goes:";
            Err(refused(why.to_owned(), sessions.iter().map(KeptSession::name)))
        }
    }
}

fn runs(session: &KeptSession) -> bool {
    matches!(session.ending(), Ok(SessionEnding::Running))
}

/// The one of these sessions, the newest first, that somebody means who changes or deletes it; the one at the path of this
/// name, if there is one, is a meaning too.
///
/// # Errors
/// None or several are meant, or may be, or it is the newest one and its lab still runs.
pub fn session_to_change<'s>(
    name: &str,
    at_path: Option<&'s KeptSession>,
    sessions: &'s [KeptSession],
) -> Result<&'s KeptSession, NotOneSession> {
    let newest = if name == LAST { sessions.first() } else { None };
    let by_word = newest.or_else(|| numbered(name, sessions));
    let Some(by_word) = by_word else {
        let exact = at_path.or_else(|| sessions.iter().find(|session| is_name_of(name, session)));
        return exact.map_or_else(|| begun(name, sessions), Ok);
    };
    let is_meant = |session: &&KeptSession| {
        let is_at_path = at_path.is_some_and(|at_path| at_path.path == session.path);
        session.path != by_word.path && (is_at_path || session.name().starts_with(name))
    };
    let others: Vec<&KeptSession> = sessions.iter().filter(is_meant).collect();
    if !others.is_empty() {
        let of_list = if newest.is_some() { "the newest session" } else { "a number of the list" };
        let why = format!(
            "{name} may be {of_list} or the name of another one, so nothing is done; write one of these names, as it stands \
             here:"
        );
        return Err(refused(why, std::iter::once(by_word).chain(others).map(file_name)));
    }
    if newest.is_some() && runs(by_word) {
        let why = "the newest session is of a lab that still runs, so nothing is done; write the name of the session that \
                   you mean:";
        return Err(refused(why.to_owned(), sessions.iter().map(KeptSession::name)));
    }
    Ok(by_word)
}

/// The session of this number in the list.
fn numbered<'s>(name: &str, sessions: &'s [KeptSession]) -> Option<&'s KeptSession> {
    let is_number = !name.is_empty() && name.len() < 6 && name.bytes().all(|byte| byte.is_ascii_digit());
    let number: usize = is_number.then(|| name.parse().ok()).flatten()?;
    sessions.get(number.checked_sub(1)?)
}

/// The only one of these sessions whose name begins so.
fn begun<'s>(name: &str, sessions: &'s [KeptSession]) -> Result<&'s KeptSession, NotOneSession> {
    let begun: Vec<&KeptSession> = sessions.iter().filter(|session| session.name().starts_with(name)).collect();
    let names = |of: &[&KeptSession]| of.iter().map(|session| session.name()).collect::<Vec<String>>();
    match &begun[..] {
        [one] => Ok(one),
        [] if sessions.is_empty() => {
            let why = format!("there is no file and no session {name}, and no session was recorded yet");
            Err(refused(why, std::iter::empty()))
        }
        [] => {
            let why = format!("there is no file and no session {name}; the newest sessions are:");
            Err(refused(why, sessions.iter().map(KeptSession::name)))
        }
        several => Err(refused(format!("{} sessions begin with {name}:", several.len()), names(several).into_iter())),
    }
}

fn is_name_of(name: &str, session: &KeptSession) -> bool {
    session.name() == name || session.path.file_name().is_some_and(|of| of == name)
}

fn file_name(session: &KeptSession) -> String {
    session.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn refused(why: String, names: impl Iterator<Item = String>) -> NotOneSession {
    let all: Vec<String> = names.collect();
    NotOneSession { why, more: all.len().saturating_sub(NAMED_MAX), named: all.into_iter().take(NAMED_MAX).collect() }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::default_sessions::sessions_in;
    use crate::{Body, FirstLine, Head, Record, SessionWriter, sample};

    /// A session of a lab that was made at this second; its writer, before it has an end.
    fn begun_at(place: &Path, name: &str, wall_clock: u64) -> SessionWriter {
        let head = Head { wall_clock, ..sample::head() };
        let first = FirstLine { head, made_by: None, part: 0 };
        SessionWriter::create(&place.join(format!("{name}.jsonl")), first).unwrap()
    }

    fn ended_at(place: &Path, name: &str, wall_clock: u64) {
        let body = Body::Ended { why: String::new(), outcome: None };
        begun_at(place, name, wall_clock).write(&Record { number: 1, ..Record::of_host(0, body) }).unwrap();
    }

    fn read(name: &str, sessions: &[KeptSession]) -> String {
        let meant = session_named(name, sessions).unwrap();
        meant.path.file_name().unwrap().to_str().unwrap().to_owned()
    }

    #[test]
    fn a_whole_name_is_meant_before_a_number_and_last_and_a_beginning_after_them() {
        let place = tempfile::tempdir().unwrap();
        [("1", 10), ("last", 20), ("22-a", 30), ("newest", 40)].iter().for_each(|(name, at)| {
            ended_at(place.path(), name, *at);
        });
        let sessions = sessions_in(place.path()).unwrap().sessions;
        for (name, meant) in [("1", "1"), ("last", "last"), ("2", "22-a"), ("4", "1"), ("22", "22-a"), ("n", "newest")]
        {
            assert_eq!(read(name, &sessions), format!("{meant}.jsonl"), "{name}");
        }
        assert_eq!(read("1.jsonl", &sessions), "1.jsonl");
        assert!(session_named("x", &sessions).unwrap_err().why.starts_with("there is no file and no session x"));
    }

    #[test]
    fn nothing_is_changed_by_a_word_that_may_mean_two() {
        let place = tempfile::tempdir().unwrap();
        [("1", 10), ("last", 20), ("3-a", 30), ("newest", 40)].iter().for_each(|(name, at)| {
            ended_at(place.path(), name, *at);
        });
        let sessions = sessions_in(place.path()).unwrap().sessions;
        let change = |name: &str| session_to_change(name, None, &sessions).map(KeptSession::name);
        for (name, both) in [
            ("1", ["newest.jsonl", "1.jsonl"]),
            ("last", ["newest.jsonl", "last.jsonl"]),
            ("3", ["last.jsonl", "3-a.jsonl"]),
        ] {
            let refused = change(name).unwrap_err();
            assert!(refused.why.contains("so nothing is done"), "{refused}");
            assert_eq!(refused.named, both, "{name}");
            // What it offers means one.
            for named in &both {
                assert_eq!(change(named).unwrap() + ".jsonl", *named);
            }
        }
        assert_eq!((change("2").unwrap(), change("4").unwrap()), ("3-a".to_owned(), "1".to_owned()));
        assert_eq!(change("newest").unwrap(), "newest");
        let at_path = sessions.iter().find(|session| session.name() == "last");
        assert_eq!(session_to_change("2", at_path, &sessions).unwrap_err().named, ["3-a.jsonl", "last.jsonl"]);
    }

    #[test]
    fn last_is_the_newest_that_does_not_run_and_nothing_is_changed_past_one_that_does() {
        let place = tempfile::tempdir().unwrap();
        let only = begun_at(place.path(), "runs", 50);
        let listed = || sessions_in(place.path()).unwrap().sessions;
        assert!(session_named("last", &listed()).unwrap_err().why.starts_with("no lab has ended"));
        ended_at(place.path(), "ended", 40);
        // It was cut.
        drop(begun_at(place.path(), "cut", 45));
        fs::write(place.path().join("ended.notes"), "").unwrap();
        let meant = session_named("last", &listed()).unwrap();
        assert_eq!((meant.path, meant.running), (place.path().join("cut.jsonl"), Some("runs".to_owned())));
        let refused = session_to_change("last", None, &listed()).unwrap_err();
        assert!(refused.why.contains("still runs"), "{refused}");
        assert_eq!(refused.named, ["runs", "cut", "ended"]);
        drop(only);
        assert_eq!(session_to_change("last", None, &listed()).unwrap().name(), "runs");
        assert_eq!(session_named("last", &listed()).unwrap().running, None);
    }
}
