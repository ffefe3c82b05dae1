//! Tests of what is deleted, and of what never is.
//!
//! Invariant: each test has a place of its own.

use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

const ID: &str = "00112233445566778899aabbccddeeff";
const OTHER: &str = "ffeeddccbbaa99887766554433221100";

fn directories(place: &tempfile::TempDir) -> RunDirectories {
    RunDirectories(place.path().to_owned())
}

/// A directory as a host leaves it that is killed; it has its mark.
fn leave(path: &Path) {
    fs::create_dir_all(path).unwrap();
    drop(lock_with_mark(path).unwrap());
}

fn entry() -> LabEntry {
    LabEntry {
        lab_id: ID.into(),
        name: "first".into(),
        algorithm: "bully".into(),
        nodes: 5,
        base_port: 20_224,
        pid: 1,
        started: 7,
        session: None,
    }
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn a_store_is_made_and_removed_with_what_lies_in_it() {
    let place = tempfile::tempdir().unwrap();
    let directory = directories(&place).make(ID).unwrap();
    directory.remove_store("store-1").unwrap();
    let store = directory.make_store("store-1").unwrap();
    fs::write(store.join("saved"), "7").unwrap();
    directory.remove_store("store-1").unwrap();
    assert!(!store.exists());
    assert_eq!(directory.make_store("store-1").unwrap(), store);
}

#[test]
fn stores_that_lie_elsewhere_go_with_the_directory_and_with_what_is_swept() {
    let (place, disk) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut ended = directories(&place).make(ID).unwrap();
    ended.put_stores_below(disk.path()).unwrap();
    let store = ended.make_store("store-1").unwrap();
    assert_eq!(store, fs::canonicalize(disk.path()).unwrap().join(ID).join("store-1"));
    let mark = ended.store_mark("store-1").unwrap();
    fs::write(store.join(STORE_GENERATIONS[0]), "7").unwrap();
    assert_ne!(ended.store_mark("store-1").unwrap(), mark);
    drop(ended);
    assert_eq!(fs::read_dir(disk.path()).unwrap().count(), 0);

    let (left, stores) = (place.path().join(OTHER), disk.path().join(OTHER));
    leave(&left);
    fs::create_dir_all(stores.join("store-1")).unwrap();
    write_mark(&stores);
    symlink(&stores, left.join(STORES)).unwrap();
    directories(&place).sweep().unwrap();
    assert!(!left.exists());
    assert_eq!(fs::read_dir(disk.path()).unwrap().count(), 0);
}

fn write_mark(stores: &Path) {
    directory_marker::write_word(&directory_marker::make(&stores.join(STORES_MARK)).unwrap()).unwrap();
}

#[test]
fn a_link_to_stores_that_are_no_labs_deletes_nothing() {
    let (place, disk) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (of_id, named, linked) = (disk.path().join(ID), disk.path().join("precious"), disk.path().join(OTHER));
    for stores in [&of_id, &named] {
        fs::create_dir(stores).unwrap();
        fs::write(stores.join("book"), "precious").unwrap();
    }
    // No mark; the mark without the name; both, but over a link.
    write_mark(&named);
    symlink(&named, &linked).unwrap();
    for (lab_id, stores) in [(ID, &of_id), (OTHER, &named), (OTHER, &linked)] {
        let left = place.path().join(lab_id);
        leave(&left);
        symlink(stores, left.join(STORES)).unwrap();
        directories(&place).sweep().unwrap();
        assert!(!left.exists() && stores.join("book").exists(), "{}", stores.display());
    }
}

#[test]
fn stores_are_put_only_where_there_is_a_directory() {
    let place = tempfile::tempdir().unwrap();
    let mut directory = directories(&place).make(ID).unwrap();
    let absent = place.path().join("absent");
    assert_eq!(directory.put_stores_below(&absent).unwrap_err().kind(), io::ErrorKind::NotFound);
    assert!(!absent.exists());
}

#[test]
fn a_sweep_takes_what_nobody_holds_and_lists_what_somebody_does() {
    let place = tempfile::tempdir().unwrap();
    let held = directories(&place).make(ID).unwrap();
    held.announce(&entry()).unwrap();
    let left = place.path().join(OTHER);
    leave(&left);
    let found = directories(&place).sweep().unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].0.as_path(), found[0].1.name.as_str()), (held.path(), "first"));
    assert!(held.path().exists() && !left.exists());
    drop(held);
    assert!(directories(&place).sweep().unwrap().is_empty());
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
}

#[test]
fn what_has_not_our_mark_is_never_deleted() {
    let place = tempfile::tempdir().unwrap();
    // Another name, another lock, the lock of a build without marks, and a link to what is marked.
    let strangers = ["source-tree", "00112233", &ID[1..], ID, OTHER];
    for name in strangers {
        fs::create_dir(place.path().join(name)).unwrap();
        fs::write(place.path().join(name).join("book"), "precious").unwrap();
    }
    for name in ["source-tree", "00112233"] {
        drop(lock_with_mark(&place.path().join(name)).unwrap());
    }
    fs::write(place.path().join(OTHER).join(LOCK), "").unwrap();
    let link = place.path().join(ID.replace('0', "e"));
    symlink(place.path().join("source-tree"), &link).unwrap();
    let unfinished = place.path().join(ID.to_owned() + UNFINISHED);
    fs::create_dir(&unfinished).unwrap();
    fs::write(unfinished.join("book"), "precious").unwrap();
    assert!(directories(&place).sweep().unwrap().is_empty());
    for name in strangers {
        assert!(place.path().join(name).join("book").exists(), "{name}");
    }
    assert!(unfinished.join("book").exists() && link.exists());
}

#[test]
fn what_a_killed_host_had_begun_to_make_goes() {
    let place = tempfile::tempdir().unwrap();
    let unfinished = place.path().join(ID.to_owned() + UNFINISHED);
    let stages: [&dyn Fn(); 3] = [&|| (), &|| drop(directory_marker::make(&unfinished.join(LOCK)).unwrap()), &|| {
        drop(lock_with_mark(&unfinished).unwrap())
    }];
    for stage in stages {
        fs::create_dir(&unfinished).unwrap();
        stage();
        directories(&place).sweep().unwrap();
        assert!(!unfinished.exists());
    }
    fs::create_dir(&unfinished).unwrap();
    let _being_made = lock_with_mark(&unfinished).unwrap();
    directories(&place).sweep().unwrap();
    assert!(unfinished.join(LOCK).exists());
}

#[test]
fn a_place_that_others_may_write_and_a_link_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let run = place.path().join("hustings");
    RunDirectories::at(run.clone()).unwrap();
    assert_eq!(mode(&run), 0o700);
    for open in [0o777, 0o720, 0o702] {
        fs::set_permissions(&run, fs::Permissions::from_mode(open)).unwrap();
        let refused = RunDirectories::at(run.clone()).unwrap_err().to_string();
        assert!(refused.contains(&format!("may be written by others (mode {open:o})")), "{refused}");
    }
    fs::set_permissions(&run, fs::Permissions::from_mode(0o755)).unwrap();
    RunDirectories::at(run.clone()).unwrap();
    let link = place.path().join("link");
    symlink(&run, &link).unwrap();
    assert!(RunDirectories::at(link).unwrap_err().to_string().contains("is not your own directory"));
}

#[test]
fn what_a_lab_makes_is_its_owners_alone() {
    let (place, disk) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut directory = directories(&place).make(ID).unwrap();
    directory.put_stores_below(disk.path()).unwrap();
    directory.announce(&entry()).unwrap();
    let (store, path) = (directory.make_store("store-1").unwrap(), directory.path().to_owned());
    for private in [&path, &store, store.parent().unwrap()] {
        assert_eq!(mode(private), 0o700, "{}", private.display());
    }
    for private in [path.join(LOCK), path.join(ENTRY), store.parent().unwrap().join(STORES_MARK)] {
        assert_eq!(mode(&private), 0o600, "{}", private.display());
    }
}

#[test]
fn a_directory_that_somebody_deletes_or_exchanges_is_missed_and_what_is_in_its_place_stays() {
    let place = tempfile::tempdir().unwrap();
    let directory = directories(&place).make(ID).unwrap();
    let path = directory.path().to_owned();
    assert!(!directory.is_whole(), "there is no socket yet");
    fs::write(path.join(INJECT), "").unwrap();
    assert!(directory.is_whole());
    fs::rename(&path, place.path().join("elsewhere")).unwrap();
    assert!(!directory.is_whole());
    leave(&path);
    fs::write(path.join(INJECT), "").unwrap();
    assert!(!directory.is_whole(), "it is another one");
    drop(directory);
    assert!(path.join(INJECT).exists());
}

#[test]
fn a_place_that_cannot_be_made_is_named() {
    let refused = RunDirectories::at(PathBuf::from("/proc/hustings")).unwrap_err();
    assert!(refused.to_string().starts_with("/proc/hustings: "), "{refused}");
}
