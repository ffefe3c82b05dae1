//! Real processes over loopback: one binary, two labs at a time, T at least 500 ms.
//!
//! Invariant: these tests wait for records, never for a time, and assert only what holds on a loaded computer too:
//! agreement in the end and no violation without an excuse.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bars;
mod bench;
mod broadcast;
mod catalogue;
mod commands;
mod completion;
mod config;
mod courier;
mod deaths;
mod directories;
mod endurance;
mod explorer;
mod export;
mod hostile;
mod keyboard;
mod labs;
mod moments;
mod orphans;
mod past;
mod recording;
mod screen;
mod sessions;
mod shown;
mod signals;
mod simulate;
mod spectators;
mod speeds;
mod stores;
mod verify;
mod watchers;
mod why;
