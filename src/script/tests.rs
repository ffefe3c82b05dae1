//! The tests of the conductor.
