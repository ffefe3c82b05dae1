//! The stable store: the papers' safe cells (assumption 4 of Garcia-Molina 1982) of one node, and its incarnation.
//!
//! A directory with two files, `even` and `odd`, one for each of the last two generations. A file is: magic `HSTG`,
//! version 1, the algorithm's wire number, generation (u64), incarnation (u32), 1 and the saved body or 0 and nothing,
//! then blake3 over all of that. Numbers are in network order.
//!
//! The two generations are those of the last two saves, so a `rollback` brings the older one back. The incarnation is
//! not a cell of a paper: a start raises it in both, and a loss of the cells keeps it. If the store is exchanged for an
//! older one, the host knows the highest incarnation, and the next one is above that.
//!
//! Invariant: a save is on disk when it returns, and replaces only the older generation, in one rename; so a process
//! that is killed at any point leaves the last save that returned, or the one that it was writing.

#[cfg(test)]
mod tests;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use fault::CellLoss;
use protocol::Incarnation;
use record::run_directory::STORE_GENERATIONS as NAMES;
use record::{SinceDeath, StorePast, failpoint, make_own_directory};

const MAGIC: [u8; 4] = *b"HSTG";
const VERSION: u8 = 1;
const HEADER_BYTES: usize = 4 + 1 + 1 + 8 + 4 + 1;
const CHECKSUM_BYTES: usize = 32;

/// One node's store, opened.
#[derive(Debug)]
pub struct Store {
    directory: PathBuf,
    algorithm: u8,
    generation: u64,
    content: Content,
    /// What the generation before holds of the cells, if it exists.
    older: Option<Option<Vec<u8>>>,
    health: StoreHealth,
}

/// What a store holds.
#[derive(Clone, Default, Eq, PartialEq, Debug)]
pub struct Content {
    /// The incarnation of the latest start; 0 before the first.
    pub incarnation: Incarnation,
    /// What the algorithm saved last, encoded.
    pub saved: Option<Vec<u8>>,
}

/// How a store was found.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Found {
    /// There was none: nothing was ever saved.
    New,
    /// Was whole.
    Whole,
    /// One of the two generations is spoiled. It may have been the newer one, and then a save is lost.
    Spoiled,
}

/// Whether the store still takes saves.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum StoreHealth {
    Sound,
    Failed,
}

/// Why a store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There are generations, but none can be read. Nothing was changed.
    #[error(
        "the store {0} cannot be read: neither of its two copies is whole, or another algorithm wrote them; the node \
         does not start, because a node that forgets its safe cells breaks assumption 4; the store is unchanged: \
         remove the store to begin anew"
    )]
    Unreadable(PathBuf),
    /// The system refused. After a failed save nobody knows what is on disk, so it is not tried again.
    #[error("the store {0}: {1}; make its directory writable, or choose another with --store")]
    System(PathBuf, #[source] io::Error),
    /// There is no higher incarnation. Nothing was changed.
    #[error(
        "the store {0} holds incarnation {1}, and there are not enough higher ones: no node starts that often, so somebody \
         has written the store; the node does not start, because no incarnation may be used twice; the store is \
         unchanged: remove the store to begin anew"
    )]
    UsedUp(PathBuf, u32),
    /// A save has failed before.
    #[error("the store {0} takes no more saves: an earlier save failed")]
    Failed(PathBuf),
}

impl Store {
    /// Opens the store in this directory, for an algorithm by its wire number; an absent directory is a new store, and
    /// is made.
    pub fn open(directory: &Path, algorithm: u8) -> Result<(Store, Found), StoreError> {
        let system = |error| StoreError::System(directory.to_owned(), error);
        make_own_directory(directory).map_err(system)?;
        let files =
            [read(&directory.join(NAMES[0])).map_err(system)?, read(&directory.join(NAMES[1])).map_err(system)?];
        let there = files.iter().flatten().count();
        let mut whole: Vec<(u64, Content)> =
            files.into_iter().flatten().filter_map(|bytes| parse(&bytes, algorithm)).collect();
        let found = match (there, whole.len()) {
            (0, _) => Found::New,
            (_, 0) => return Err(StoreError::Unreadable(directory.to_owned())),
            (there, whole) if there == whole => Found::Whole,
            _ => Found::Spoiled,
        };
        // A start that was killed may have raised it in one generation only.
        let incarnation = whole.iter().map(|(_, content)| content.incarnation).max().unwrap_or_default();
        whole.sort_by_key(|(generation, _)| *generation);
        let (generation, newest) = whole.pop().unwrap_or_default();
        let content = Content { incarnation, ..newest };
        let older = whole.pop().map(|(_, content)| content.saved);
        let directory = directory.to_owned();
        Ok((Store { directory, algorithm, generation, content, older, health: StoreHealth::Sound }, found))
    }

    /// What was saved last.
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// Whether somebody has changed it who is no process of the node: the host has seen that, or the incarnation in it is
    /// lower than one that the host knows.
    pub fn was_changed(&self, past: StorePast) -> bool {
        past.since_death == SinceDeath::Changed || self.content.incarnation < past.incarnation
    }

    /// Raises the incarnation above the latest and above all that the host knows, and stores it: call this before the
    /// first send of a start.
    pub fn raise_incarnation(&mut self, found: Found, highest: Incarnation) -> Result<Incarnation, StoreError> {
        // A spoiled generation may hold one incarnation more than the whole one, and none may be used twice.
        let by = if found == Found::Spoiled { 2 } else { 1 };
        let latest = self.content.incarnation.max(highest).0;
        let raised = latest.checked_add(by).ok_or_else(|| StoreError::UsedUp(self.directory.clone(), latest))?;
        let incarnation = Incarnation(raised);
        let saved = self.content.saved.clone();
        match self.older.clone() {
            Some(older) => {
                self.put(self.generation - 1, &Content { incarnation, saved: older })?;
                self.content = Content { incarnation, saved };
                self.put(self.generation, &self.content.clone())?;
            }
            None => self.write(Content { incarnation, saved })?,
        }
        Ok(incarnation)
    }

    /// The saved cells are lost; returns whether that changes anything. The incarnation stays.
    pub fn lose(&mut self, loss: CellLoss) -> Result<bool, StoreError> {
        let left = match (loss, self.older.take()) {
            (CellLoss::Wipe, _) => None,
            (CellLoss::Rollback, Some(older)) => older,
            // Nothing was saved before, or it was lost already.
            (CellLoss::Rollback, None) => return Ok(false),
        };
        let is_other = left != self.content.saved;
        // The remaining cells are written in place of the older generation, and then the newer one goes.
        self.write(Content { incarnation: self.content.incarnation, saved: left })?;
        let lost = self.directory.join(name_of(self.generation - 1));
        match fs::remove_file(&lost) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(self.failed(error)),
            _ => self.older = None,
        }
        Ok(is_other)
    }

    /// Keeps this as the algorithm's safe cells. After an error the store takes nothing more.
    pub fn save(&mut self, saved: &[u8]) -> Result<(), StoreError> {
        self.write(Content { incarnation: self.content.incarnation, saved: Some(saved.to_owned()) })
    }

    /// Writes the next generation.
    fn write(&mut self, content: Content) -> Result<(), StoreError> {
        self.put(self.generation + 1, &content)?;
        // Before the first there was none.
        self.older = (self.generation > 0).then(|| self.content.saved.take());
        self.generation += 1;
        self.content = content;
        Ok(())
    }

    /// Writes a generation in its place.
    fn put(&mut self, generation: u64, content: &Content) -> Result<(), StoreError> {
        if self.health == StoreHealth::Failed {
            return Err(StoreError::Failed(self.directory.clone()));
        }
        let bytes = compose(generation, content, self.algorithm);
        replace(&self.directory, name_of(generation), &bytes).map_err(|error| self.failed(error))
    }

    fn failed(&mut self, error: io::Error) -> StoreError {
        // After a failed sync the kernel may call the pages clean, so a second try could report a false success.
        self.health = StoreHealth::Failed;
        StoreError::System(self.directory.clone(), error)
    }
}

fn name_of(generation: u64) -> &'static str {
    NAMES[usize::from(generation % 2 == 1)]
}

/// Writes beside the file, syncs, renames over it, and syncs the directory.
fn replace(directory: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let unfinished = directory.join("unfinished");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&unfinished)?;
    failpoint("store-before-write");
    file.write_all(bytes)?;
    failpoint("store-after-write");
    file.sync_all()?;
    failpoint("store-after-sync");
    fs::rename(&unfinished, directory.join(name))?;
    failpoint("store-after-rename");
    File::open(directory)?.sync_all()?;
    failpoint("store-after-directory-sync");
    Ok(())
}

fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn compose(generation: u64, content: &Content, algorithm: u8) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER_BYTES + CHECKSUM_BYTES + content.saved.as_ref().map_or(0, Vec::len));
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&[VERSION, algorithm]);
    bytes.extend_from_slice(&generation.to_be_bytes());
    bytes.extend_from_slice(&content.incarnation.0.to_be_bytes());
    bytes.push(content.saved.is_some().into());
    bytes.extend_from_slice(content.saved.as_deref().unwrap_or_default());
    bytes.extend_from_slice(blake3::hash(&bytes).as_bytes());
    bytes
}

fn parse(bytes: &[u8], algorithm: u8) -> Option<(u64, Content)> {
    let (body, checksum) = bytes.split_at_checked(bytes.len().checked_sub(CHECKSUM_BYTES)?)?;
    if blake3::hash(body).as_bytes() != checksum {
        return None;
    }
    let rest = body.strip_prefix(&MAGIC)?.strip_prefix(&[VERSION, algorithm])?;
    let (generation, rest) = rest.split_first_chunk()?;
    let (incarnation, rest) = rest.split_first_chunk()?;
    let saved = match rest.split_first()? {
        (0, []) => None,
        (1, saved) => Some(saved.to_owned()),
        _ => return None,
    };
    let incarnation = Incarnation(u32::from_be_bytes(*incarnation));
    Some((u64::from_be_bytes(*generation), Content { incarnation, saved }))
}
