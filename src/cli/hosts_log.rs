//! The file `hosts.log` beside the sessions: the panics of hosts, whose stderr nobody reads.
//!
//! Invariant: it is there only if a host had something to say. Where it has more than 1 MiB, a new one is begun, and the
//! text before that is kept once, as `hosts.log.old`. An error here keeps no lab from running.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use protocol::visible;
use record::{make_own_directory, state_directory};

/// A longer file makes place for a new one.
const BYTES_MAX: u64 = 1 << 20;

/// Where it is.
pub fn place() -> PathBuf {
    state_directory().join("hosts.log")
}

/// Adds this at the end. What cannot be written is lost: there is nobody to tell.
pub fn add(words: &str) {
    let _ = open_at(&place()).and_then(|mut file| file.write_all(format!("{}\n", visible(words)).as_bytes()));
}

fn open_at(path: &Path) -> io::Result<File> {
    if let Some(directory) = path.parent() {
        make_own_directory(directory)?;
    }
    if fs::metadata(path).is_ok_and(|file| file.len() > BYTES_MAX) {
        fs::rename(path, path.with_extension("log.old"))?;
    }
    // Several hosts may write there; each writes whole lines at the end.
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_is_there_stays_until_it_is_long_and_then_once_more() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("below").join("hosts.log");
        for line in ["one\n", "two\n"] {
            open_at(&path).unwrap().write_all(line.as_bytes()).unwrap();
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\n");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(path.parent().unwrap()), mode(&path)), (0o700, 0o600));
        open_at(&path).unwrap().set_len(BYTES_MAX + 1).unwrap();
        open_at(&path).unwrap().write_all(b"three\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "three\n");
        assert!(fs::read_to_string(path.with_extension("log.old")).unwrap().starts_with("one\ntwo\n"));
    }
}
