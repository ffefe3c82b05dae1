//! Which processes may use a lab's sockets.
//!
//! Invariant: the kernel says which user owns the process at the other end; what the process says itself does not
//! count.

use std::os::fd::AsFd;

use nix::unistd::Uid;

/// Whether the process at the other end of a Unix socket belongs to this user.
pub fn is_own_peer(socket: &impl AsFd) -> bool {
    uid_of_peer(socket).is_ok_and(|uid| uid == Uid::effective())
}

#[cfg(target_os = "linux")]
fn uid_of_peer(socket: &impl AsFd) -> nix::Result<Uid> {
    use nix::sys::socket::{getsockopt, sockopt};
    getsockopt(socket, sockopt::PeerCredentials).map(|peer| Uid::from_raw(peer.uid()))
}

#[cfg(not(target_os = "linux"))]
fn uid_of_peer(socket: &impl AsFd) -> nix::Result<Uid> {
    nix::unistd::getpeereid(socket).map(|(uid, _)| uid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ones_own_process_gets_in_and_what_is_no_socket_does_not() {
        let (one, other) = std::os::unix::net::UnixStream::pair().unwrap();
        assert!(is_own_peer(&one) && is_own_peer(&other));
        assert!(!is_own_peer(&std::fs::File::open("/dev/null").unwrap()));
    }
}
