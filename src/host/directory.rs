//! Run directories: the place of a lab's sockets, locks, stores and outputs while it runs. If the stores were put
//! elsewhere, the run directory has a link to them.
//!
//! Invariant: a directory whose lock nobody holds belongs to no lab, and only such a directory is deleted.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use nix::unistd::Uid;
use serde::{Deserialize, Serialize};

use crate::record::run_directory::{LOCK, STORE_GENERATIONS};

/// What a run directory says of its lab.
const ENTRY: &str = "lab.json";
/// The link to the stores, if they are elsewhere.
const STORES: &str = "stores";
/// A directory without a lock may be one that is just being made; after this it is a leftover.
const MAKING: Duration = Duration::from_secs(10);

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
    /// Its algorithm.
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
    /// The place of the stores.
    stores: PathBuf,
    _lock: Flock<File>,
}

impl RunDirectories {
    /// `$XDG_RUNTIME_DIR/hustings`, else `/dev/shm/hustings-<uid>`, else the same under the temporary directory. Makes
    /// it if it does not exist, readable by its owner only. A place that another user owns is refused.
    pub fn find() -> io::Result<RunDirectories> {
        let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_dir());
        let uid = Uid::effective();
        let own = format!("hustings-{uid}");
        let shared = [PathBuf::from("/dev/shm"), std::env::temp_dir()];
        let place = match runtime {
            Some(runtime) => runtime.join("hustings"),
            None => shared.iter().find(|path| path.is_dir()).unwrap_or(&shared[1]).join(own),
        };
        private_directory(&place)?;
        let metadata = fs::symlink_metadata(&place)?;
        if !metadata.is_dir() || metadata.uid() != uid.as_raw() {
            let why = format!("{} is not your own directory; move it away", place.display());
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        }
        Ok(RunDirectories(place))
    }

    /// Makes a lab's directory and locks it.
    pub fn make(&self, lab_id: &str) -> io::Result<RunDirectory> {
        let path = self.0.join(lab_id);
        loop {
            private_directory(&path)?;
            let lock = match File::create(path.join(LOCK)) {
                Ok(file) => Flock::lock(file, FlockArg::LockExclusive).map_err(|(_, errno)| io::Error::from(errno))?,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            // Another program may have deleted the directory between its making and the lock.
            let locked = lock.metadata()?.ino();
            if fs::metadata(path.join(LOCK)).is_ok_and(|metadata| metadata.ino() == locked) {
                return Ok(RunDirectory { stores: path.clone(), path, _lock: lock });
            }
        }
    }

    /// Deletes the directories that no host holds, and lists those that a host holds, oldest first.
    pub fn sweep(&self) -> io::Result<Vec<(PathBuf, LabEntry)>> {
        let mut labs = Vec::new();
        for entry in fs::read_dir(&self.0)? {
            let path = entry?.path();
            match holder_of(&path) {
                Holder::Host => {
                    let text = fs::read_to_string(path.join(ENTRY)).unwrap_or_default();
                    if let Ok(lab) = serde_json::from_str::<LabEntry>(&text) {
                        labs.push((path, lab));
                    }
                }
                Holder::Maker => {}
                // The lock is held while the directory is deleted, so that no host uses it meanwhile. Another program
                // may delete it at the same time, which does no harm.
                Holder::Nobody(_lock) => remove(&path),
            }
        }
        labs.sort_by_key(|(_, lab)| lab.started);
        Ok(labs)
    }
}

/// The owner of a run directory.
enum Holder {
    /// A living host.
    Host,
    /// Perhaps a host that is just making it.
    Maker,
    /// Nobody; if it has a lock, this program holds it now.
    Nobody(Option<Flock<File>>),
}

fn holder_of(path: &Path) -> Holder {
    match File::open(path.join(LOCK)) {
        Ok(file) => match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(lock) => Holder::Nobody(Some(lock)),
            Err((_, Errno::EWOULDBLOCK)) => Holder::Host,
            Err(_) => Holder::Nobody(None),
        },
        Err(_) => {
            let made = fs::metadata(path).and_then(|metadata| metadata.modified());
            let is_new = made.is_ok_and(|made| made.elapsed().is_ok_and(|age| age < MAKING));
            if is_new { Holder::Maker } else { Holder::Nobody(None) }
        }
    }
}

/// Removes a run directory, and stores elsewhere. Files that cannot be removed stay.
fn remove(path: &Path) {
    if let Ok(stores) = fs::read_link(path.join(STORES)) {
        let _ = fs::remove_dir_all(stores);
    }
    let _ = fs::remove_dir_all(path);
}

fn private_directory(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

impl RunDirectory {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Tells `ls` of the lab.
    pub fn announce(&self, entry: &LabEntry) -> io::Result<()> {
        fs::write(self.path.join(ENTRY), serde_json::to_string(entry)?)
    }

    /// Puts the lab's stores into a directory of its own below this existing place. Call it before a store is made.
    pub fn put_stores_below(&mut self, place: &Path) -> io::Result<()> {
        let own = self.path.file_name().expect("a run directory is named after its lab");
        let stores = fs::canonicalize(place)?.join(own);
        DirBuilder::new().mode(0o700).create(&stores)?;
        std::os::unix::fs::symlink(&stores, self.path.join(STORES))?;
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
        remove(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_made_and_removed_with_what_lies_in_it() {
        let place = tempfile::tempdir().unwrap();
        let directory = RunDirectories(place.path().to_owned()).make("aa").unwrap();
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
        let directories = RunDirectories(place.path().to_owned());
        let mut ended = directories.make("aa").unwrap();
        ended.put_stores_below(disk.path()).unwrap();
        let store = ended.make_store("store-1").unwrap();
        assert_eq!(store, fs::canonicalize(disk.path()).unwrap().join("aa/store-1"));
        let mark = ended.store_mark("store-1").unwrap();
        fs::write(store.join(STORE_GENERATIONS[0]), "7").unwrap();
        assert_ne!(ended.store_mark("store-1").unwrap(), mark);
        drop(ended);
        assert_eq!(fs::read_dir(disk.path()).unwrap().count(), 0);

        fs::create_dir_all(place.path().join("bb")).unwrap();
        fs::write(place.path().join("bb").join(LOCK), "").unwrap();
        fs::create_dir_all(disk.path().join("bb/store-1")).unwrap();
        std::os::unix::fs::symlink(disk.path().join("bb"), place.path().join("bb").join(STORES)).unwrap();
        directories.sweep().unwrap();
        assert!(!place.path().join("bb").exists());
        assert_eq!(fs::read_dir(disk.path()).unwrap().count(), 0);
    }

    #[test]
    fn stores_are_put_only_where_there_is_a_directory() {
        let place = tempfile::tempdir().unwrap();
        let mut directory = RunDirectories(place.path().to_owned()).make("aa").unwrap();
        let absent = place.path().join("absent");
        assert_eq!(directory.put_stores_below(&absent).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert!(!absent.exists());
    }

    #[test]
    fn a_sweep_takes_what_nobody_holds_and_lists_what_somebody_does() {
        let place = tempfile::tempdir().unwrap();
        let directories = RunDirectories(place.path().to_owned());
        let held = directories.make("aa").unwrap();
        let entry = LabEntry {
            lab_id: "aa".into(),
            name: "first".into(),
            algorithm: "bully".into(),
            nodes: 5,
            base_port: 20_224,
            pid: 1,
            started: 7,
            session: None,
        };
        held.announce(&entry).unwrap();
        let left = directories.make("bb").unwrap();
        let left_path = left.path().to_owned();
        std::mem::forget(Flock::lock(File::open(left_path.join(LOCK)).unwrap(), FlockArg::LockSharedNonblock).err());
        fs::create_dir(place.path().join("cc")).unwrap();
        fs::write(place.path().join("cc").join(LOCK), "").unwrap();

        let found = directories.sweep().unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].1.name, "first");
        assert!(left_path.exists() && !place.path().join("cc").exists());
        drop(held);
        assert!(directories.sweep().unwrap().is_empty());
        assert!(!place.path().join("aa").exists());
    }
}
