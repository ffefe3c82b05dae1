//! Run directories: who may use them, and what happens to a lab without one.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::bench::{Bench, bully_lab};

/// Every path below this one whose mode is not that of a thing that its owner alone uses.
fn open_to_others(path: &Path) -> Vec<String> {
    let metadata = fs::symlink_metadata(path).unwrap();
    let (mode, private) = (metadata.permissions().mode() & 0o7777, if metadata.is_dir() { 0o700 } else { 0o600 });
    let mut open = if mode == private { Vec::new() } else { vec![format!("{}: {mode:o}", path.display())] };
    if metadata.is_dir() {
        open.extend(fs::read_dir(path).unwrap().flat_map(|entry| open_to_others(&entry.unwrap().path())));
    }
    open
}

#[test]
fn what_a_lab_makes_is_its_owners_alone_whatever_the_umask_is() {
    let bench = Bench::new();
    let file = bench.file("lab.toml", &bully_lab(""));
    for umask in ["000", "022", "077"] {
        let up = bench.hustings_after(&format!("umask {umask}"), &["up", &file, "--detach", "--no-record"]).output();
        assert!(up.as_ref().unwrap().status.success(), "{up:?}");
        bench.must(&["wait", "coordinator 5"]);
        assert_eq!(open_to_others(&bench.path("hustings")), [""; 0], "umask {umask}");
        bench.must(&["down"]);
        fs::remove_dir(bench.path("hustings")).unwrap();
    }
}

#[test]
fn a_lab_whose_run_directory_is_deleted_says_so_and_ends() {
    let bench = Bench::new();
    let (file, session) = (bench.file("lab.toml", &bully_lab("")), bench.path("session.jsonl"));
    let lab = bench.must(&["up", &file, "--detach", "--record", session.to_str().unwrap()]).trim().to_owned();
    bench.must(&["wait", "coordinator 5"]);
    let entry: serde_json::Value = serde_json::from_str(bench.must(&["ls", "--json"]).trim()).unwrap();
    // A save may put a file there meanwhile.
    Bench::until("the directory gone", || fs::remove_dir_all(bench.path("hustings").join(&lab)).is_ok());
    let host = Path::new("/proc").join(entry["pid"].to_string());
    Bench::until("the end of the host", || {
        let status = fs::read_to_string(host.join("stat")).unwrap_or_default();
        status.rsplit(") ").next().is_none_or(|rest| rest.is_empty() || rest.starts_with('Z'))
    });
    let records = Bench::records(&session);
    let why = records.last().map(|record| (record["kind"].as_str().unwrap(), record["why"].as_str().unwrap()));
    assert!(matches!(why, Some(("ended", why)) if why.contains("deleted its run directory")), "{why:?}");
}
