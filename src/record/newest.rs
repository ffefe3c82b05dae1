//! The newest session of a place whose lab does not run, found without the heads of all.
//!
//! A session's name says when its lab was made, if this program gave it; of a simulated lab its file's time says so. What
//! neither tells is read. So the sessions are opened from the newest on, until no other one can be newer.
//!
//! Invariant: they are the first ones of the whole list.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::parts::{self, DirectoryNames};
use super::retention::{self, NamedTime};
use super::{KeptSession, SessionEnding};

/// The newest sessions of this directory, down to the first whose lab does not run: all, if every lab runs. What cannot be
/// read is passed over.
///
/// # Errors
/// The directory is there and cannot be read.
pub(super) fn newest_until_ended(directory: &Path) -> io::Result<Vec<KeptSession>> {
    let names = match DirectoryNames::read(directory) {
        Ok(names) => names,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut unopened: Vec<(u64, PathBuf)> = names.sessions().map(|path| (made_by(&path, &names), path)).collect();
    unopened.sort();
    // The oldest first.
    let mut opened: Vec<KeptSession> = Vec::new();
    let mut newest = Vec::new();
    loop {
        let made = opened.last().map(KeptSession::made);
        if let Some((_, path)) = unopened.pop_if(|(made_by, _)| made.is_none_or(|made| made <= *made_by)) {
            if let Ok(Some(session)) = KeptSession::at(&path, &names) {
                let place = opened.partition_point(|other| other.age_order() < session.age_order());
                opened.insert(place, session);
            }
            continue;
        }
        let Some(session) = opened.pop() else { return Ok(newest) };
        let runs = matches!(session.ending(), Ok(SessionEnding::Running));
        newest.push(session);
        if !runs {
            return Ok(newest);
        }
    }
}

/// The second, since 1970, after which the lab of the session with this first part was certainly not made.
fn made_by(path: &Path, names: &DirectoryNames) -> u64 {
    match retention::named_time(path) {
        Some(NamedTime::Seconds(seconds)) => seconds,
        Some(NamedTime::OfFile) => {
            let later = names
                .later(path)
                .into_iter()
                .flat_map(|part| [parts::places_of(path, part), vec![parts::unfinished(path, part)]].concat());
            let written =
                later.chain([path.to_owned()]).filter_map(|path| fs::symlink_metadata(path).ok()?.modified().ok());
            let since = written.max().and_then(|written| written.duration_since(SystemTime::UNIX_EPOCH).ok());
            since.map_or(0, |since| since.as_secs())
        }
        None => u64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;
    use std::time::Duration;

    use super::*;
    use crate::default_sessions::sessions_in;
    use crate::{FirstLine, Head, SessionWriter, sample};

    fn begun(place: &Path, name: &str, wall_clock: u64, written: u64) -> SessionWriter {
        let path = place.join(format!("{name}.jsonl"));
        let head = Head { wall_clock, ..sample::head() };
        let writer = SessionWriter::create(&path, FirstLine { head, made_by: None, part: 0 }).unwrap();
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(written)).unwrap();
        writer
    }

    #[test]
    fn the_newest_are_those_of_the_whole_list_down_to_the_first_that_does_not_run() {
        let place = tempfile::tempdir().unwrap();
        drop(begun(place.path(), "first-300-aabbccdd", 300, 10));
        drop(begun(place.path(), "first-simulated-7-aabbccdd", 0, 350));
        drop(begun(place.path(), "mine", 400, 20));
        drop(begun(place.path(), "first-100-aabbccdd", 100, 900));
        let names = |sessions: &[KeptSession]| sessions.iter().map(KeptSession::name).collect::<Vec<_>>();
        let mut running = Vec::new();
        let newest_first = ["mine", "first-simulated-7-aabbccdd", "first-300-aabbccdd", "first-100-aabbccdd"];
        assert_eq!(names(&sessions_in(place.path()).unwrap().sessions), newest_first);
        for runs in 0..newest_first.len() {
            let newest = newest_until_ended(place.path()).unwrap();
            assert_eq!(names(&newest), newest_first[..=runs]);
            let last = newest.last().unwrap();
            let lock =
                nix::fcntl::Flock::lock(fs::File::open(&last.path).unwrap(), nix::fcntl::FlockArg::LockExclusive);
            running.push(lock.unwrap());
        }
        assert_eq!(names(&newest_until_ended(place.path()).unwrap()), newest_first);
    }

    #[test]
    fn no_others_are_opened_than_may_be_the_newest() {
        let place = tempfile::tempdir().unwrap();
        drop(begun(place.path(), "first-300-aabbccdd", 300, 10));
        // Its head says that it is newer, so it would come first if it were opened.
        drop(begun(place.path(), "first-200-aabbccdd", 999, 10));
        let newest = newest_until_ended(place.path()).unwrap();
        assert_eq!(newest.iter().map(KeptSession::name).collect::<Vec<_>>(), ["first-300-aabbccdd"]);
    }
}
