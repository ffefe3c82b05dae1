//! The tests of the lab file.
