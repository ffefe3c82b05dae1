//! Run directories: the place of a lab's sockets, locks, stores and outputs while it runs. If the stores were put
//! elsewhere, the run directory has a link to them.
//!
//! If somebody deletes a run directory, its lab ends: with it the safe cells of all nodes are gone, so a new directory
//! would only let the lab go on with assumption 4 broken for every node, and nobody could reach it meanwhile.
//!
//! Invariant: a directory with our [mark](super::mark) whose lock nobody holds belongs to no lab, and only such a
//! directory is deleted. (A build that wrote no mark left directories that nobody deletes; while its lab runs, it is
//! listed.) Nobody but the owner can read or write what lies here.

#[cfg(test)]
mod tests;

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use nix::unistd::Uid;
use serde::{Deserialize, Serialize};

use super::directory_marker;
use record::run_directory::{INJECT, LOCK, STORE_GENERATIONS};

/// What a run directory says of its lab.
const ENTRY: &str = "lab.json";
/// The link to the stores, if they are elsewhere.
const STORES: &str = "stores";
/// The mark of the directory in which stores lie, if they are elsewhere. A run directory's mark is its lock.
const STORES_MARK: &str = "mark";
/// What the name of a directory ends with that is just being made.
const UNFINISHED: &str = ".making";
/// What others than the owner may not do with a place of run directories: write.
const OTHERS_WRITE: u32 = 0o022;

/// The place of all run directories of this user.
#[derive(Clone, Debug)]
pub struct RunDirectories(PathBuf);

/// What `ls` shows of a running lab.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LabEntry {
    /// The lab's id.
    pub lab_id: String,
    /// The lab's name.
    pub name: String,
    pub algorithm: String,
    /// How many nodes.
    pub nodes: u16,
    /// Node N is 127.0.0.1:base_port+N.
    pub base_port: u16,
    /// The host's process id.
    pub pid: u32,
    /// When it started, in seconds since 1970.
    pub started: u64,
    /// Where its session is written, if it is.
    pub session: Option<PathBuf>,
}

/// One lab's run directory, made and locked by its host; dropping this deletes it.
#[derive(Debug)]
pub struct RunDirectory {
    path: PathBuf,
    /// The directory itself, whatever its path names later.
    itself: File,
    /// The place of the stores.
    stores: PathBuf,
    _lock: Flock<File>,
}

impl RunDirectories {
    /// `$XDG_RUNTIME_DIR/hustings`, else `/dev/shm/hustings-<uid>`, else the same under the temporary directory. Makes
    /// it if it does not exist, for its owner only. A link, and a place that others own or may write, is refused.
    pub fn find() -> io::Result<RunDirectories> {
        let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_dir());
        let own = format!("hustings-{}", Uid::effective());
        let shared = [PathBuf::from("/dev/shm"), std::env::temp_dir()];
        RunDirectories::at(match runtime {
            Some(runtime) => runtime.join("hustings"),
            None => shared.iter().find(|path| path.is_dir()).unwrap_or(&shared[1]).join(own),
        })
    }

    pub fn place(&self) -> &Path {
        &self.0
    }

    fn at(place: PathBuf) -> io::Result<RunDirectories> {
        private_directory(&place).map_err(|error| named(&place, &error))?;
        let refused = |why: &str| io::Error::new(io::ErrorKind::PermissionDenied, format!("{} {why}", place.display()));
        if !directory_marker::is_own_directory(&place) {
            return Err(refused("is not your own directory; move it away"));
        }
        let mode = fs::symlink_metadata(&place)?.mode() & 0o7777;
        if mode & OTHERS_WRITE != 0 {
            return Err(refused(&format!(
                "may be written by others (mode {mode:o}); look what is in it, then `chmod 700` it"
            )));
        }
        Ok(RunDirectories(place))
    }

    /// Makes a lab's directory and locks it.
    pub fn make(&self, lab_id: &str) -> io::Result<RunDirectory> {
        let (path, unfinished) = (self.0.join(lab_id), self.0.join(lab_id.to_owned() + UNFINISHED));
        loop {
            DirBuilder::new().mode(0o700).create(&unfinished).map_err(|error| named(&unfinished, &error))?;
            // Another program may take it for a leftover until it has its lock.
            let made = lock_with_mark(&unfinished).and_then(|lock| fs::rename(&unfinished, &path).map(|()| lock));
            match made {
                Ok(lock) => {
                    let itself = File::open(&path)?;
                    return Ok(RunDirectory { stores: path.clone(), path, itself, _lock: lock });
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Deletes the marked directories that no host holds, and lists those that a host holds, oldest first.
    pub fn sweep(&self) -> io::Result<Vec<(PathBuf, LabEntry)>> {
        let mut labs = Vec::new();
        for entry in fs::read_dir(&self.0)? {
            let path = entry?.path();
            match holder_of(&path) {
                DirectoryOwner::Host => {
                    let text = fs::read_to_string(path.join(ENTRY)).unwrap_or_default();
                    if let Ok(lab) = serde_json::from_str::<LabEntry>(&text) {
                        labs.push((path, lab));
                    }
                }
                // The lock is held while the directory is deleted, so that no host uses it meanwhile. Another program
                // may delete it at the same time, which does no harm.
                DirectoryOwner::Nobody(_lock) => remove(&path),
                DirectoryOwner::NobodyYet(_lock) => remove_unfinished(&path),
                DirectoryOwner::Stranger => {}
            }
        }
        labs.sort_by_key(|(_, lab)| lab.started);
        Ok(labs)
    }
}

/// The owner of a directory among the run directories.
enum DirectoryOwner {
    /// A living host.
    Host,
    /// A host that is dead; this program holds its lock now.
    Nobody(Flock<File>),
    /// A host that died while it made the directory; if that has a lock, this program holds it now.
    NobodyYet(Option<Flock<File>>),
    /// Is not a lab's.
    Stranger,
}

fn holder_of(path: &Path) -> DirectoryOwner {
    let name = path.file_name().unwrap_or_default();
    let is_unfinished = name
        .to_str()
        .and_then(|name| name.strip_suffix(UNFINISHED))
        .is_some_and(|id| directory_marker::is_lab_id(id.as_ref()));
    if !directory_marker::is_own_directory(path) || !(is_unfinished || directory_marker::is_lab_id(name)) {
        return DirectoryOwner::Stranger;
    }
    let lock = directory_marker::open(&path.join(LOCK)).map(|file| Flock::lock(file, FlockArg::LockExclusiveNonblock));
    match lock {
        Ok(Ok(lock)) if is_unfinished => DirectoryOwner::NobodyYet(Some(lock)),
        Ok(Ok(lock)) if directory_marker::has_word(&lock) => DirectoryOwner::Nobody(lock),
        Ok(Err((_, Errno::EWOULDBLOCK))) if !is_unfinished => DirectoryOwner::Host,
        Err(error) if is_unfinished && error.kind() == io::ErrorKind::NotFound => DirectoryOwner::NobodyYet(None),
        _ => DirectoryOwner::Stranger,
    }
}

/// Puts the mark into a directory, as its lock.
fn lock_with_mark(directory: &Path) -> io::Result<Flock<File>> {
    let file = directory_marker::make(&directory.join(LOCK))?;
    let lock = Flock::lock(file, FlockArg::LockExclusive).map_err(|(_, errno)| io::Error::from(errno))?;
    directory_marker::write_word(&lock)?;
    Ok(lock)
}

/// Removes a run directory, and stores elsewhere. Files that cannot be removed stay.
fn remove(path: &Path) {
    if let (Ok(stores), Some(lab_id)) = (fs::read_link(path.join(STORES)), path.file_name()) {
        // The link may have been forged.
        if stores.file_name() == Some(lab_id) {
            remove_stores(&stores);
        }
    }
    let _ = fs::remove_dir_all(path);
}

/// Removes what stores were put into, if it has our mark, or if nothing is in it.
fn remove_stores(stores: &Path) {
    if directory_marker::is_own_directory(stores)
        && directory_marker::open(&stores.join(STORES_MARK)).is_ok_and(|file| directory_marker::has_word(&file))
    {
        let _ = fs::remove_dir_all(stores);
    } else {
        let _ = fs::remove_dir(stores);
    }
}

/// Removes what is left of a directory that never got its name: it has a lock at most.
fn remove_unfinished(path: &Path) {
    let lock = path.join(LOCK);
    if fs::symlink_metadata(&lock).is_ok_and(|found| found.is_file() && found.len() == 0)
        || directory_marker::open(&lock).is_ok_and(|file| directory_marker::has_word(&file))
    {
        let _ = fs::remove_file(&lock);
    }
    let _ = fs::remove_dir(path);
}

/// The error with the place that it is about.
fn named(place: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", place.display()))
}

/// Makes a directory for its owner alone, if it is not there.
fn private_directory(path: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

impl RunDirectory {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the lab can still be reached: the directory is there, with its lock and its socket for requests.
    pub fn is_whole(&self) -> bool {
        self.is_itself() && [LOCK, INJECT].iter().all(|name| self.path.join(name).exists())
    }

    /// Whether its path still names it.
    fn is_itself(&self) -> bool {
        let identity = |found: fs::Metadata| (found.dev(), found.ino());
        match (fs::symlink_metadata(&self.path), self.itself.metadata()) {
            (Ok(found), Ok(itself)) => identity(found) == identity(itself),
            _ => false,
        }
    }

    /// Tells `ls` of the lab.
    pub fn announce(&self, entry: &LabEntry) -> io::Result<()> {
        let mut file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(self.path.join(ENTRY))?;
        file.write_all(serde_json::to_string(entry)?.as_bytes())
    }

    /// Puts the lab's stores into a directory of its own below this existing place. Call it before a store is made.
    pub fn put_stores_below(&mut self, place: &Path) -> io::Result<()> {
        let own = self.path.file_name().expect("a run directory is named after its lab");
        let stores = fs::canonicalize(place)?.join(own);
        // A host that dies in between leaves a link to nothing, or to an empty directory.
        std::os::unix::fs::symlink(&stores, self.path.join(STORES))?;
        DirBuilder::new().mode(0o700).create(&stores)?;
        directory_marker::write_word(&directory_marker::make(&stores.join(STORES_MARK))?)?;
        self.stores = stores;
        Ok(())
    }

    /// Makes the directory of a store.
    pub fn make_store(&self, name: &str) -> io::Result<PathBuf> {
        let path = self.stores.join(name);
        private_directory(&path)?;
        Ok(path)
    }

    /// A number that stands for the content of this store: another one after each save.
    pub fn store_mark(&self, name: &str) -> io::Result<u64> {
        let mut hasher = blake3::Hasher::new();
        for generation in STORE_GENERATIONS {
            match fs::read(self.stores.join(name).join(generation)) {
                Ok(bytes) => drop(hasher.update(blake3::hash(&bytes).as_bytes())),
                Err(error) if error.kind() == io::ErrorKind::NotFound => drop(hasher.update(&[0])),
                Err(error) => return Err(error),
            }
        }
        Ok(u64::from_le_bytes(hasher.finalize().as_bytes()[..8].try_into().expect("a hash is 32 bytes")))
    }

    /// Removes a store. Nothing happens if it is not there.
    pub fn remove_store(&self, name: &str) -> io::Result<()> {
        match fs::remove_dir_all(self.stores.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

impl Drop for RunDirectory {
    fn drop(&mut self) {
        // Files that cannot be removed now are deleted later, once the lock is free.
        if self.stores != self.path {
            remove_stores(&self.stores);
        }
        // Another one that has its path now is somebody else's.
        if self.is_itself() {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}
