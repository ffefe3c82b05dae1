//! What a liar can make of each family's messages (King, Gendreau and Ni 1988, section 5.2: malicious processes).
//!
//! Invariant: no file of an algorithm knows of lies; a lie that is made here stands on the algorithm's Card.

mod garcia_molina;
mod king_ni;
mod raft;
mod signed;
mod stoller;
mod textbook;
