//! One process of a node: signals that reach it and nobody else, and waits for its state that come to an end.
//!
//! Where the kernel has them (Linux 5.3), signals and waits go to a descriptor of the process, a pidfd, which never
//! names another one; elsewhere they go to its pid, which stays its own until it is reaped here.
//!
//! Invariant: no wait lasts longer than it is told to, whoever else signals the process.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;

/// A process stops within this after SIGSTOP, unless it waits in the kernel.
pub const STOPS_WITHIN: Duration = Duration::from_secs(1);
/// A process has ended within this after SIGKILL, unless it waits in the kernel.
pub const DIES_WITHIN: Duration = Duration::from_secs(2);
/// The shortest and the longest time between two looks at a process's state.
const LOOKS: [Duration; 2] = [Duration::from_micros(20), Duration::from_millis(2)];

/// A started process that has not been reaped.
#[derive(Debug)]
pub struct NodeChild {
    child: Child,
    handle: Option<OwnedFd>,
    kernel_state: KernelState,
}

/// Whether the kernel lets a process run.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum KernelState {
    /// Runs, or has ended.
    Runs,
    /// A signal has stopped it.
    Stopped,
}

/// Why a process was not stopped. It goes on.
#[derive(Copy, Clone, Eq, PartialEq, Debug, thiserror::Error)]
pub enum NotStopped {
    /// Another process sent it SIGCONT.
    #[error("it runs: somebody else continued it")]
    Continued,
    /// Nobody knows why.
    #[error("it runs: it did not stop within {STOPS_WITHIN:?}; somebody else continued it, or it waits in the kernel")]
    NotInTime,
}

impl NodeChild {
    /// Takes over a process that has just been started.
    pub fn of(child: Child) -> NodeChild {
        let handle = pidfd::open(child.id());
        NodeChild { child, handle, kernel_state: KernelState::Runs }
    }

    /// The process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Stops it; it is stopped when this returns, or has ended.
    pub fn stop(&mut self) -> io::Result<()> {
        // It does not stop twice.
        if self.look() == KernelState::Stopped {
            return Ok(());
        }
        self.signal(Signal::SIGSTOP)?;
        self.await_stop(STOPS_WITHIN).map_err(io::Error::other)
    }

    /// Lets it go on.
    pub fn resume(&mut self) -> io::Result<()> {
        self.signal(Signal::SIGCONT)?;
        self.look();
        Ok(())
    }

    /// Whether it runs now.
    pub fn look(&mut self) -> KernelState {
        match self.change() {
            Some(WaitStatus::Stopped(..)) => self.kernel_state = KernelState::Stopped,
            Some(WaitStatus::Continued(_)) => self.kernel_state = KernelState::Runs,
            _ => {}
        }
        self.kernel_state
    }

    /// Kills it, if it has not ended, and reaps it. `None` if it has not ended within this time: then it waits in the
    /// kernel, which ends it as soon as it can, and it runs no more code of its own.
    pub fn kill(&mut self, within: Duration) -> Option<ExitStatus> {
        if let Some(status) = self.reap() {
            return Some(status);
        }
        // If it has ended meanwhile, nothing gets the signal.
        let _ = self.signal(Signal::SIGKILL);
        self.await_end(within)
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) -> io::Result<()> {
        match &self.handle {
            Some(handle) => pidfd::send(handle, signal)?,
            None => kill(Pid::from_raw(self.child.id() as i32), signal)?,
        }
        Ok(())
    }

    /// The exit code or signal, if it has ended.
    fn reap(&mut self) -> Option<ExitStatus> {
        // The system does not know it any more: somebody had it reap the dead by itself.
        self.child.try_wait().unwrap_or_else(|_| Some(ExitStatus::from_raw(Signal::SIGKILL as i32)))
    }

    /// Waits until it is stopped, after SIGSTOP.
    fn await_stop(&mut self, within: Duration) -> Result<(), NotStopped> {
        let deadline = Instant::now() + within;
        let mut rest = LOOKS[0];
        loop {
            match self.change() {
                Some(WaitStatus::Stopped(..)) => {
                    self.kernel_state = KernelState::Stopped;
                    return Ok(());
                }
                Some(WaitStatus::Continued(_)) => return Err(NotStopped::Continued),
                // It is reaped later.
                Some(_) => return Ok(()),
                None if Instant::now() >= deadline => {
                    // It must not stop later, when nobody expects it any more.
                    let _ = self.signal(Signal::SIGCONT);
                    return Err(NotStopped::NotInTime);
                }
                None => thread::sleep(rest),
            }
            rest = (rest * 2).min(LOOKS[1]);
        }
    }

    /// Waits until it has ended, and reaps it.
    fn await_end(&mut self, within: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + within;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if let Some(status) = self.reap() {
                return Some(status);
            }
            if left.is_zero() {
                return None;
            }
            match &self.handle {
                Some(handle) => {
                    let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
                    // A signal may interrupt the wait; the loop looks again.
                    let _ = poll(&mut [PollFd::new(handle.as_fd(), PollFlags::POLLIN)], timeout);
                }
                None => thread::sleep(LOOKS[1].min(left)),
            }
        }
    }

    /// How its state has changed since the last call; an end comes again until it is reaped.
    fn change(&self) -> Option<WaitStatus> {
        let turns = WaitPidFlag::WSTOPPED | WaitPidFlag::WCONTINUED | WaitPidFlag::WNOHANG;
        let found = waitid(self.id(), turns | WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT).ok()?;
        match found {
            WaitStatus::StillAlive => None,
            WaitStatus::Stopped(..) | WaitStatus::Continued(_) => {
                waitid(self.id(), turns).ok().filter(|change| *change != WaitStatus::StillAlive)
            }
            ended => Some(ended),
        }
    }

    fn id(&self) -> Id<'_> {
        match &self.handle {
            #[cfg(target_os = "linux")]
            Some(handle) => Id::PIDFd(handle.as_fd()),
            _ => Id::Pid(Pid::from_raw(self.child.id() as i32)),
        }
    }
}

/// The descriptor of a process.
#[cfg(target_os = "linux")]
mod pidfd {
    use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

    use nix::errno::Errno;
    use nix::libc;
    use nix::sys::signal::Signal;

    /// Opens it; absent where the kernel has none. The process must not have been reaped. A child does not inherit it.
    pub fn open(pid: u32) -> Option<OwnedFd> {
        #[expect(unsafe_code, reason = "no crate here has this system call")]
        // SAFETY: the call takes two numbers and no memory of ours. A result that is no error is a new descriptor, and
        // nobody else owns it.
        unsafe {
            let descriptor = libc::syscall(libc::SYS_pidfd_open, pid as libc::pid_t, 0);
            RawFd::try_from(descriptor).ok().filter(|descriptor| *descriptor >= 0).map(|raw| OwnedFd::from_raw_fd(raw))
        }
    }

    /// Sends a signal to the process that it names, and to no other.
    pub fn send(handle: &OwnedFd, signal: Signal) -> nix::Result<()> {
        let information = std::ptr::null::<libc::siginfo_t>();
        #[expect(unsafe_code, reason = "no crate here has this system call")]
        // SAFETY: the call takes numbers and a pointer that may be null: then the kernel fills in what `kill` would.
        let result = unsafe {
            libc::syscall(libc::SYS_pidfd_send_signal, handle.as_raw_fd(), signal as libc::c_int, information, 0)
        };
        Errno::result(result).map(drop)
    }
}

#[cfg(not(target_os = "linux"))]
mod pidfd {
    use std::os::fd::OwnedFd;

    use nix::sys::signal::Signal;

    pub fn open(_: u32) -> Option<OwnedFd> {
        None
    }

    pub fn send(_: &OwnedFd, _: Signal) -> nix::Result<()> {
        Err(nix::errno::Errno::ENOSYS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// Two handles of one kind of process: with a descriptor of it, and without.
    fn sleepers() -> [NodeChild; 2] {
        let start = || NodeChild::of(Command::new("sleep").arg("600").spawn().unwrap());
        [start(), NodeChild { handle: None, ..start() }]
    }

    /// Waits until the process stands or goes, and not longer than a test may take.
    fn until(child: &mut NodeChild, kernel_state: KernelState) {
        let deadline = Instant::now() + Duration::from_secs(20);
        while child.look() != kernel_state {
            assert!(Instant::now() < deadline, "it is not so: {kernel_state:?}");
            thread::yield_now();
        }
    }

    #[test]
    fn a_process_that_somebody_else_continues_is_not_waited_for() {
        for mut child in sleepers() {
            child.signal(Signal::SIGSTOP).unwrap();
            // Until the kernel has stopped it a continuation would only take the signal back.
            while !matches!(
                waitid(child.id(), WaitPidFlag::WSTOPPED | WaitPidFlag::WNOWAIT),
                Ok(WaitStatus::Stopped(..))
            ) {}
            child.signal(Signal::SIGCONT).unwrap();
            assert_eq!(child.await_stop(STOPS_WITHIN), Err(NotStopped::Continued));
            // A stop that was taken back before it came leaves nothing to be found.
            assert_eq!(child.await_stop(Duration::from_millis(5)), Err(NotStopped::NotInTime));
            child.stop().unwrap();
            assert_eq!(child.look(), KernelState::Stopped);
            assert_eq!(child.kill(DIES_WITHIN).unwrap().signal(), Some(Signal::SIGKILL as i32));
        }
    }

    #[test]
    fn what_somebody_else_does_to_a_process_is_found() {
        for mut child in sleepers() {
            child.signal(Signal::SIGSTOP).unwrap();
            until(&mut child, KernelState::Stopped);
            // It stands already, so no second stop is waited for.
            child.stop().unwrap();
            child.signal(Signal::SIGCONT).unwrap();
            until(&mut child, KernelState::Runs);
            child.stop().unwrap();
            child.resume().unwrap();
            assert_eq!(child.look(), KernelState::Runs);
            child.kill(DIES_WITHIN).unwrap();
        }
    }

    #[test]
    fn an_end_that_does_not_come_is_not_waited_for() {
        for mut child in sleepers() {
            assert_eq!(child.await_end(Duration::from_millis(5)), None);
            assert_eq!(child.kill(DIES_WITHIN).unwrap().signal(), Some(Signal::SIGKILL as i32));
            // One that is gone is neither signalled nor waited for.
            assert!(child.handle.is_none() || child.signal(Signal::SIGTERM).is_err());
            assert_eq!(child.kill(DIES_WITHIN).unwrap().signal(), Some(Signal::SIGKILL as i32));
        }
    }
}
