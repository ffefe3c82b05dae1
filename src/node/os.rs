//! The edge of the operating system: parts for Linux alone, their replacements on other Unixes, and the two unsafe
//! lines.
//!
//! Invariant: nothing else in this room names a system, or is unsafe.

use std::io;
use std::os::fd::{AsFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};

use nix::sys::socket::{SockType, getsockopt, sockopt};
use socket2::Socket;
use tokio::io::unix::AsyncFd;

/// Takes over a socket that the host left open for this process under this number.
///
/// # Errors
/// There is no packet socket under the number: the process was not started by a host. Nothing was changed.
pub fn inherited_socket(number: RawFd) -> io::Result<OwnedFd> {
    #[expect(unsafe_code, reason = "a number becomes a descriptor only here")]
    // SAFETY: this is called once, before the process opens anything, and the host gives the number to nobody else, so
    // nothing in the process owns it yet. If it is not open, or is no socket of ours, it is given up again below
    // without being closed.
    let socket = unsafe { OwnedFd::from_raw_fd(number) };
    match getsockopt(&socket, sockopt::SockType) {
        Ok(SockType::SeqPacket) => Ok(socket),
        other => {
            let _ = socket.into_raw_fd();
            Err(other.err().map_or_else(|| io::Error::other("it is not a packet socket"), io::Error::from))
        }
    }
}

/// Names this process in the system's lists, if the system keeps a name besides the arguments.
pub fn name_process(name: &str) {
    #[cfg(target_os = "linux")]
    if let Ok(name) = std::ffi::CString::new(name) {
        // It is a convenience of `top`; a process without it does its work.
        let _ = nix::sys::prctl::set_name(&name);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = name;
}

/// Asks the kernel to count the datagrams that it drops for lack of buffer (SO_RXQ_OVFL).
pub fn count_overflow(socket: &impl AsFd) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    nix::sys::socket::setsockopt(&socket.as_fd(), sockopt::RxqOvfl, &1)?;
    #[cfg(not(target_os = "linux"))]
    let _ = socket;
    Ok(())
}

/// Makes a group socket hear only the groups that it joined itself (IP_MULTICAST_ALL off).
pub fn hear_only_joined_groups(socket: &Socket) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    socket.set_multicast_all_v4(false)?;
    // Several labs may be on one group; elsewhere than on Linux the address alone cannot be shared.
    #[cfg(not(target_os = "linux"))]
    socket.set_reuse_port(true)?;
    Ok(())
}

/// The drop counter in a control message, if it is one.
pub fn overflow_of(message: &nix::sys::socket::ControlMessageOwned) -> Option<u32> {
    match message {
        #[cfg(target_os = "linux")]
        nix::sys::socket::ControlMessageOwned::RxqOvfl(count) => Some(*count),
        _ => None,
    }
}

/// A descriptor that can be waited on.
#[derive(Debug)]
pub struct Waitable(AsyncFd<OwnedFd>);

impl Waitable {
    /// Watches a duplicate of the descriptor, which this owns as long as it is watched.
    pub fn on(descriptor: impl AsFd) -> io::Result<Waitable> {
        let duplicate = descriptor.as_fd().try_clone_to_owned()?;
        #[expect(unsafe_code, reason = "tokio asks for a promise about the descriptor")]
        // SAFETY: an `OwnedFd` is open as long as it lives, always names the same descriptor, and is never replaced.
        Ok(Waitable(unsafe { AsyncFd::register(duplicate) }?))
    }

    /// Returns when there may be something to read. Read until there is nothing more before waiting again.
    pub async fn readable(&self) -> io::Result<()> {
        self.0.readable().await?.clear_ready();
        Ok(())
    }

    /// Returns when there may be room to write. Write until there is none before waiting again.
    pub async fn writable(&self) -> io::Result<()> {
        self.0.writable().await?.clear_ready();
        Ok(())
    }
}

/// Waits for moments of CLOCK_MONOTONIC: to the nanosecond on Linux, to tokio's millisecond elsewhere. (A millisecond
/// would be a fifth of the shortest T.)
#[derive(Debug)]
pub struct Alarm {
    #[cfg(target_os = "linux")]
    timer: nix::sys::timerfd::TimerFd,
    #[cfg(target_os = "linux")]
    watch: Waitable,
}

#[cfg(target_os = "linux")]
impl Alarm {
    /// An alarm that is not set.
    pub fn new() -> io::Result<Alarm> {
        use nix::sys::timerfd::{ClockId, TimerFd, TimerFlags};
        let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC)?;
        let watch = Waitable::on(&timer)?;
        Ok(Alarm { timer, watch })
    }

    /// Waits until this reading of CLOCK_MONOTONIC, or for ever without one. May come back too early.
    pub async fn wait_until(&self, reading: Option<u64>) -> io::Result<()> {
        use nix::sys::timerfd::{Expiration, TimerSetTimeFlags};
        let Some(reading) = reading else { return std::future::pending().await };
        // Zero would switch it off.
        let moment = Expiration::OneShot(std::time::Duration::from_nanos(reading.max(1)).into());
        self.timer.set(moment, TimerSetTimeFlags::TFD_TIMER_ABSTIME)?;
        self.watch.readable().await
    }
}

#[cfg(not(target_os = "linux"))]
impl Alarm {
    /// An alarm that is not set.
    pub fn new() -> io::Result<Alarm> {
        Ok(Alarm {})
    }

    /// Waits until this reading of CLOCK_MONOTONIC, or for ever without one.
    pub async fn wait_until(&self, reading: Option<u64>) -> io::Result<()> {
        let Some(reading) = reading else { return std::future::pending().await };
        let left = reading.saturating_sub(super::clock::monotonic());
        tokio::time::sleep(std::time::Duration::from_nanos(left)).await;
        Ok(())
    }
}
