//! Lab time as every process of a lab reads it off the one clock of this computer.
//!
//! Slow motion runs lab time at another speed. The table of speeds is a file in the lab's run directory: its host
//! appends, all processes read. An entry is two numbers of eight bytes, the speed and then the moment at which it
//! begins. Whoever finds the first alone waits for the second. The host takes the moment after the first is in the file
//! and a little ahead.
//!
//! Invariant: the same reading of the clock is the same lab time in every process, however long any of them stood still:
//! a process reads the clock first and the table after it, and no speed begins before a moment at which every reader
//! would find it. So lab time never runs backwards in a process, nor from one process to another.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use nix::unistd::{Pid, getppid};

use super::monotonic_nanos;
use fault::{LabSpeed, SpeedTable};

/// How many bytes a number of an entry has, and an entry.
const NUMBER: usize = 8;
const ENTRY: usize = 2 * NUMBER;
/// How far ahead a speed begins. Processes that sleep hear of it before.
const AHEAD: Duration = Duration::from_millis(20);
/// How long a reader rests before it looks again for the second number.
const REST: Duration = Duration::from_micros(20);

/// The table of speeds, in its file. Clones share what has been read of it.
#[derive(Clone, Debug)]
pub struct SpeedFile(Arc<SharedTable>);

#[derive(Debug)]
struct SharedTable {
    file: File,
    /// Of whoever opened it; a node's is the host.
    parent: Pid,
    /// The table so far, and how many bytes of the file are in it.
    read: Mutex<(SpeedTable, u64)>,
}

impl SpeedFile {
    /// Makes the file of a lab that has not begun.
    pub fn make(path: &Path) -> io::Result<SpeedFile> {
        let file = OpenOptions::new().read(true).append(true).create_new(true).mode(0o600).open(path)?;
        Ok(SpeedFile::of(file))
    }

    /// Opens the file of a lab, to read it.
    pub fn open(path: &Path) -> io::Result<SpeedFile> {
        File::open(path).map(SpeedFile::of)
    }

    fn of(file: File) -> SpeedFile {
        SpeedFile(Arc::new(SharedTable { file, parent: getppid(), read: Mutex::new((SpeedTable::default(), 0)) }))
    }

    /// The table, with everything that is in the file now.
    fn table(&self) -> MutexGuard<'_, (SpeedTable, u64)> {
        let mut read = self.0.read.lock().unwrap_or_else(PoisonError::into_inner);
        let mut entry = [0; ENTRY];
        loop {
            match self.0.file.read_at(&mut entry, read.1) {
                Ok(ENTRY) => match entry_of(&entry) {
                    Some((speed, wall)) => {
                        read.0.change(speed, wall);
                        read.1 += ENTRY as u64;
                    }
                    // Somebody else wrote it: the table ends here.
                    None => return read,
                },
                Ok(0) => return read,
                Err(error) if error.kind() != ErrorKind::Interrupted => return read,
                // A host that is gone appends nothing more.
                Ok(_) if getppid() != self.0.parent => return read,
                Ok(_) | Err(_) => thread::sleep(REST),
            }
        }
    }
}

fn entry_of(entry: &[u8; ENTRY]) -> Option<(LabSpeed, u64)> {
    let (speed, wall) = entry.split_at(NUMBER);
    let number = |bytes: &[u8]| Some(u64::from_le_bytes(bytes.try_into().ok()?));
    Some((LabSpeed::of_thousandths(u16::try_from(number(speed)?).ok()?)?, number(wall)?))
}

/// Lab time of a lab that began at a reading of CLOCK_MONOTONIC. All times are in nanoseconds.
#[derive(Clone, Debug)]
pub struct LabTime {
    epoch: u64,
    speeds: SpeedFile,
}

impl LabTime {
    /// The lab began at this reading.
    pub fn new(epoch: u64, speeds: SpeedFile) -> LabTime {
        LabTime { epoch, speeds }
    }

    /// The reading at which the lab began.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Lab time at this reading, which must have been taken before this call; negative before the lab began.
    pub fn at(&self, reading: u64) -> i64 {
        match reading.checked_sub(self.epoch) {
            Some(wall) => i64::try_from(self.speeds.table().0.lab_at(wall)).unwrap_or(i64::MAX),
            None => self.wall(reading),
        }
    }

    /// How long ago the lab began by this computer's clock; negative before that.
    pub fn wall(&self, reading: u64) -> i64 {
        let since = i128::from(reading) - i128::from(self.epoch);
        i64::try_from(since).expect("a lab does not last 292 years")
    }

    /// The first reading at which lab time is this, as far as it is known now.
    pub fn reading(&self, lab: u64) -> u64 {
        self.epoch.saturating_add(self.speeds.table().0.wall_at(lab))
    }

    /// How long after the lab's beginning this lab time was or will be by this computer's clock, if that is not the same.
    pub fn other_wall(&self, at: i64) -> Option<i64> {
        let lab = u64::try_from(at).ok()?;
        let wall = self.speeds.table().0.wall_at(lab);
        (wall != lab).then(|| i64::try_from(wall).unwrap_or(i64::MAX))
    }

    /// Lab time runs at this speed from a moment soon to come; returns the reading at that moment. The error says why the
    /// table could not be written; then nothing has changed. Only the host calls this.
    pub fn change(&self, speed: LabSpeed) -> io::Result<u64> {
        let mut file = &self.speeds.0.file;
        let before = file.metadata()?.len();
        file.write_all(&u64::from(speed.thousandths()).to_le_bytes())?;
        let begins = monotonic_nanos() + AHEAD.as_nanos() as u64;
        if let Err(error) = file.write_all(&begins.saturating_sub(self.epoch).to_le_bytes()) {
            // No reader may wait for the rest.
            file.set_len(before)?;
            return Err(error);
        }
        Ok(begins)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn speed(text: &str) -> LabSpeed {
        text.parse().unwrap()
    }

    #[test]
    fn every_reader_has_the_same_lab_time_whenever_it_opened_the_table() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("speeds");
        let writer = SpeedFile::make(&path).unwrap();
        let early = SpeedFile::open(&path).unwrap();
        let epoch = monotonic_nanos();
        let host = LabTime::new(epoch, writer);
        let early = LabTime::new(epoch, early);
        assert_eq!((early.at(epoch + 9), early.at(epoch - 9), early.other_wall(9)), (9, -9, None));
        let slow = host.change(speed("0.05x")).unwrap();
        assert_eq!(early.at(slow + 20_000) - early.at(slow), 1_000);
        let fast = host.change(speed("10x")).unwrap();
        assert!(epoch < slow && slow <= fast);
        let late = LabTime::new(epoch, SpeedFile::open(&path).unwrap());
        for reading in [epoch, slow - 1, slow, slow + 20_000, fast, fast + 7_000, fast + 1_000_000] {
            let at = host.at(reading);
            assert_eq!((early.at(reading), late.at(reading)), (at, at));
            assert!(host.reading(at as u64) <= reading && host.at(host.reading(at as u64)) == at);
        }
        assert_eq!(late.at(fast + 1_000) - late.at(fast), 10_000);
        assert_eq!(late.other_wall(late.at(fast)), Some(late.wall(host.reading(late.at(fast) as u64))));
    }

    #[test]
    fn a_reader_that_finds_half_an_entry_waits_for_the_rest() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("speeds");
        let writer = SpeedFile::make(&path).unwrap();
        let append = |number: u64| (&writer.0.file).write_all(&number.to_le_bytes()).unwrap();
        append(500);
        let reader = LabTime::new(1_000, SpeedFile::open(&path).unwrap());
        let waiting = thread::spawn(move || reader.at(1_300));
        append(100);
        assert_eq!(waiting.join().unwrap(), 200);
    }

    #[test]
    fn what_is_no_entry_ends_the_table() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("speeds");
        std::fs::write(&path, [[0xff; ENTRY], [0; ENTRY]].concat()).unwrap();
        assert_eq!(LabTime::new(0, SpeedFile::open(&path).unwrap()).at(7), 7);
    }
}
