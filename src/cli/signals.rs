//! The signals that end simulated runs before their end.
//!
//! A thread of its own waits for them, so they are heard whatever the command does meanwhile.
//!
//! Invariant: a command that listens ends by itself, and prints what it has.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;

use nix::errno::Errno;
use nix::sys::signal::{SigSet, Signal};

use super::code;
use super::output::remark;
use sim::Interrupt;

/// The signals that end a run, a campaign or a measurement.
pub struct Signals {
    /// Is raised when one has come.
    pub interrupt: Interrupt,
    /// The first that has come, or 0.
    came: Arc<AtomicI32>,
}

impl Signals {
    /// From now on the first of them raises the interrupt, and only SIGINT ends the process after that; threads that
    /// are made from here on do not hear them.
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
        let (interrupt, came) = (Interrupt::default(), Arc::new(AtomicI32::new(0)));
        let (raised, first) = (interrupt.clone(), Arc::clone(&came));
        let wait = move || {
            loop {
                match signals.wait() {
                    // A person who types Ctrl-C again does not want to wait for what there is. `timeout` sends its
                    // signal twice.
                    Ok(signal @ Signal::SIGINT) if raised.is_raised() => {
                        std::process::exit(code::signal(signal as i32).into())
                    }
                    Ok(signal) => {
                        first.store(signal as i32, Ordering::Release);
                        raised.raise();
                    }
                    Err(Errno::EINTR) => {}
                    Err(error) => panic!("a set of signals that the system knows can be waited for: {error}"),
                }
            }
        };
        thread::Builder::new().name("signals".to_owned()).spawn(wait)?;
        Ok(Signals { interrupt, came })
    }

    /// The first that has come, if one has.
    pub fn came(&self) -> Option<i32> {
        Some(self.came.load(Ordering::Acquire)).filter(|signal| *signal != 0)
    }

    /// Whether one has come.
    pub fn has_come(&self) -> bool {
        self.came().is_some()
    }
}
