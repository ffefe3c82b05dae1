//! Tests of the stable store: cut and spoiled at every byte of either generation.
//!
//! Invariant: whatever is done to one generation, the store gives back the newest whole one or says that it cannot.

use super::*;

const BULLY: u8 = 1;

fn stored(saves: &[&[u8]]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let (mut store, found) = Store::open(directory.path(), BULLY).unwrap();
    assert_eq!((found, store.content()), (Found::New, &Content::default()));
    assert_eq!(store.raise_incarnation(found, Incarnation::default()).unwrap(), Incarnation(1));
    for saved in saves {
        store.save(saved).unwrap();
    }
    directory
}

fn opened(directory: &Path) -> (Content, Found) {
    let (store, found) = Store::open(directory, BULLY).unwrap();
    (store.content().clone(), found)
}

fn content(saved: &[u8]) -> Content {
    Content { incarnation: Incarnation(1), saved: Some(saved.to_owned()) }
}

#[test]
fn the_last_save_is_read_back_and_nothing_else_lies_about() {
    let directory = stored(&[b"one", b"two", b""]);
    assert_eq!(opened(directory.path()), (content(b""), Found::Whole));
    let mut names: Vec<_> = fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, NAMES);
}

#[test]
fn a_save_that_a_kill_broke_off_leaves_the_one_before_and_is_written_over() {
    let directory = stored(&[b"before"]);
    let broken = directory.path().join("unfinished");
    fs::write(&broken, b"HSTG half of a gene").unwrap();
    let (mut store, found) = Store::open(directory.path(), BULLY).unwrap();
    assert_eq!((found, store.content()), (Found::Whole, &content(b"before")));
    store.save(b"after").unwrap();
    assert_eq!((opened(directory.path()), broken.exists()), ((content(b"after"), Found::Whole), false));
}

#[test]
fn either_generation_cut_or_spoiled_at_every_byte_leaves_the_other() {
    // Generations 2 and 3: the even file is the older one.
    for (name, left) in [("even", b"newer"), ("odd", b"older")] {
        let directory = stored(&[b"older", b"newer"]);
        let path = directory.path().join(name);
        let whole = fs::read(&path).unwrap();
        for place in 0..whole.len() {
            fs::write(&path, &whole[..place]).unwrap();
            assert_eq!(opened(directory.path()), (content(left), Found::Spoiled), "{name} cut at {place}");
            let mut flipped = whole.clone();
            flipped[place] ^= 0x10;
            fs::write(&path, &flipped).unwrap();
            assert_eq!(opened(directory.path()), (content(left), Found::Spoiled), "{name} spoiled at {place}");
        }
        fs::write(&path, &whole).unwrap();
        assert_eq!(opened(directory.path()), (content(b"newer"), Found::Whole));
    }
}

#[test]
fn a_store_of_which_nothing_reads_is_never_taken_for_a_new_one() {
    let directory = stored(&[b"older", b"newer"]);
    for name in NAMES {
        fs::write(directory.path().join(name), b"").unwrap();
    }
    assert!(matches!(Store::open(directory.path(), BULLY), Err(StoreError::Unreadable(_))));
    let other = stored(&[b"saved"]);
    assert!(matches!(Store::open(other.path(), BULLY + 1), Err(StoreError::Unreadable(_))));
}

#[test]
fn an_incarnation_is_never_used_twice_even_if_the_newest_generation_is_lost() {
    let directory = stored(&[b"saved"]);
    let raise = || {
        let (mut store, found) = Store::open(directory.path(), BULLY).unwrap();
        store.raise_incarnation(found, Incarnation::default()).unwrap().0
    };
    assert_eq!((raise(), raise()), (2, 3));
    // The save was generation 2 (file `even`). The other generation also contains incarnation 3.
    fs::write(directory.path().join("even"), b"torn").unwrap();
    assert_eq!(raise(), 5);
    assert_eq!(raise(), 6);
}

#[test]
fn a_store_that_is_older_than_what_the_host_knows_is_told_and_no_incarnation_comes_again() {
    let directory = stored(&[b"saved"]);
    let past = |incarnation, since_death| StorePast { incarnation: Incarnation(incarnation), since_death };
    let (mut store, found) = Store::open(directory.path(), BULLY).unwrap();
    assert!(!store.was_changed(past(1, SinceDeath::Unchanged)));
    assert!(store.was_changed(past(1, SinceDeath::Changed)) && store.was_changed(past(2, SinceDeath::Unchanged)));
    assert_eq!(store.raise_incarnation(found, Incarnation(7)).unwrap(), Incarnation(8));
    assert_eq!(opened(directory.path()).0.incarnation, Incarnation(8));
}

#[test]
fn a_forged_incarnation_above_which_there_is_none_is_refused() {
    let directory = stored(&[b"saved"]);
    let forge = |incarnation: u32| {
        let content = Content { incarnation: Incarnation(incarnation), saved: Some(b"saved".to_vec()) };
        fs::write(directory.path().join("even"), compose(2, &content, BULLY)).unwrap();
    };
    forge(u32::MAX);
    let before = fs::read(directory.path().join("even")).unwrap();
    let (mut store, found) = Store::open(directory.path(), BULLY).unwrap();
    assert_eq!((found, store.content().incarnation), (Found::Whole, Incarnation(u32::MAX)));
    let refused = store.raise_incarnation(found, Incarnation::default()).unwrap_err().to_string();
    assert!(refused.contains("holds incarnation 4294967295"), "{refused}");
    assert_eq!(fs::read(directory.path().join("even")).unwrap(), before);
    // Two are needed where one generation is spoiled.
    forge(u32::MAX - 1);
    fs::write(directory.path().join("odd"), b"torn").unwrap();
    let (mut store, found) = Store::open(directory.path(), BULLY).unwrap();
    assert!(matches!(store.raise_incarnation(found, Incarnation::default()), Err(StoreError::UsedUp(..))));
}

#[test]
fn after_a_failed_save_the_store_takes_nothing_more() {
    let directory = stored(&[b"saved"]);
    let (mut store, _) = Store::open(directory.path(), BULLY).unwrap();
    // A directory in the place of the file cannot be renamed over.
    let aside = directory.path().join("odd");
    let bytes = fs::read(&aside).unwrap();
    fs::remove_file(&aside).unwrap();
    fs::create_dir(&aside).unwrap();
    assert!(matches!(store.save(b"next"), Err(StoreError::System(..))));
    fs::remove_dir(&aside).unwrap();
    fs::write(&aside, bytes).unwrap();
    assert!(matches!(store.save(b"next"), Err(StoreError::Failed(_))));
    assert_eq!(opened(directory.path()), (content(b"saved"), Found::Whole));
}

/// Applies the loss, raises the incarnation as at a start, and returns whether anything was lost and what is left.
fn after(directory: &Path, loss: CellLoss) -> (bool, Content) {
    let (mut store, found) = Store::open(directory, BULLY).unwrap();
    let bit = store.lose(loss).unwrap();
    store.raise_incarnation(found, Incarnation::default()).unwrap();
    assert_eq!(opened(directory), (store.content().clone(), Found::Whole));
    (bit, store.content().clone())
}

#[test]
fn a_wipe_leaves_nothing_but_the_incarnation_and_a_rollback_after_it_brings_nothing_back() {
    let directory = stored(&[b"one", b"two"]);
    let wiped = |incarnation| Content { incarnation: Incarnation(incarnation), saved: None };
    assert_eq!(after(directory.path(), CellLoss::Wipe), (true, wiped(2)));
    assert_eq!(after(directory.path(), CellLoss::Wipe), (false, wiped(3)));
    assert_eq!(after(directory.path(), CellLoss::Rollback), (false, wiped(4)));
}

#[test]
fn a_rollback_brings_back_what_was_saved_before_the_last_save_however_often_the_node_started() {
    let directory = stored(&[b"one", b"two", b"three"]);
    for incarnation in 2..5 {
        let (mut store, found) = Store::open(directory.path(), BULLY).unwrap();
        assert_eq!(store.raise_incarnation(found, Incarnation::default()).unwrap(), Incarnation(incarnation));
    }
    let two = |incarnation| Content { incarnation: Incarnation(incarnation), saved: Some(b"two".to_vec()) };
    assert_eq!(after(directory.path(), CellLoss::Rollback), (true, two(5)));
    // Older saves are not kept.
    assert_eq!(after(directory.path(), CellLoss::Rollback), (false, two(6)));
    let first = stored(&[b"one"]);
    assert_eq!(after(first.path(), CellLoss::Rollback), (true, Content { incarnation: Incarnation(2), saved: None }));
    assert!(!after(stored(&[]).path(), CellLoss::Rollback).0);
}
