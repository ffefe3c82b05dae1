//! The signals that end many simulated runs before their end.
//!
//! Invariant: a command that listens ends by itself, and prints what it has.

use std::io;

use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};

use super::code;
use super::tell::remark;

/// The signals that end a campaign or a measurement.
pub struct Signals {
    descriptor: SignalFd,
    /// The first that has come, if one has.
    pub came: Option<i32>,
}

impl Signals {
    /// From now on they no longer end the process; threads that are made from here on do not hear them either.
    ///
    /// # Errors
    /// The code of the exit; stderr has the reason.
    pub fn listen() -> Result<Signals, u8> {
        Signals::open().map_err(|error| {
            remark(format!("cannot listen for signals: {error}"));
            code::of_io(&error)
        })
    }

    fn open() -> io::Result<Signals> {
        let signals: SigSet = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP].into_iter().collect();
        signals.thread_block()?;
        let descriptor = SignalFd::with_flags(&signals, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)?;
        Ok(Signals { descriptor, came: None })
    }

    /// Whether one has come.
    pub fn has_come(&mut self) -> bool {
        if let Ok(Some(signal)) = self.descriptor.read_signal() {
            self.came.get_or_insert(signal.ssi_signo as i32);
        }
        self.came.is_some()
    }
}
