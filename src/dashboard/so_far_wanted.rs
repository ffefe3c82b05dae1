//! What a screen wants of the session of a running lab to which it has come late.
//!
//! Invariant: a record is named by its number, which no other one of the lab has.

use std::path::PathBuf;

/// Which session is to be read, and how far.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct SoFarWanted {
    /// Where the session is being written.
    pub path: PathBuf,
    /// The lab that writes it.
    pub lab_id: String,
    /// The number of the last record that is wanted.
    pub until: u64,
}
