//! Whether the loopback interface returns multicast: asked before a lab that needs it starts its processes.
//!
//! A group can be joined even if a packet filter then drops everything sent to it. Such a lab would begin, lose every
//! broadcast, and look as if its algorithm had failed.
//!
//! Invariant: nothing leaves this computer, and no lab hears it: the system picks a port for this alone.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::time::Duration;

/// How often it is asked, and how long an answer may take. Over loopback the answer is there when the send returns.
const TRIES: usize = 3;
const WITHIN: Duration = Duration::from_millis(300);
const WORD: &[u8] = b"hustings: does this come back?";
const REMEDY: &str = "let UDP to 239.255.0.0/16 pass on the loopback interface (`nft list ruleset` or `iptables -S` shows \
                      what drops it), or run a lab of an algorithm that broadcasts nothing";

/// Why no broadcast would be heard.
#[derive(Debug, thiserror::Error)]
#[error("{}; {}", self.what(), self.remedy())]
pub enum NotHeard {
    /// The system does not return the address of a socket.
    Nowhere(io::Error),
    /// Cannot be joined, or no socket for it be opened.
    NotOpened {
        group: Ipv4Addr,
        /// What the system says.
        error: io::Error,
    },
    /// Cannot be sent to.
    NotSent {
        /// The group.
        to: SocketAddr,
        /// What the system says.
        error: io::Error,
    },
    /// Nothing that is sent to it returns.
    Dropped(SocketAddr),
}

impl NotHeard {
    /// What does not work.
    pub fn what(&self) -> String {
        match self {
            NotHeard::Nowhere(error) => format!("the system does not say which address a socket has: {error}"),
            NotHeard::NotOpened { group, error } => {
                format!("cannot join the group {group} on the loopback interface: {error}")
            }
            NotHeard::NotSent { to, error } => format!("cannot send to the group {to}: {error}"),
            NotHeard::Dropped(to) => {
                format!("datagrams to the group {to} do not come back, although it could be joined")
            }
        }
    }

    /// What to do.
    pub fn remedy(&self) -> &'static str {
        match self {
            NotHeard::Nowhere(_) => "run the program where sockets have addresses",
            NotHeard::NotOpened { .. } => "see that `ip link show lo` says UP, and that this system has IPv4 multicast",
            NotHeard::NotSent { .. } | NotHeard::Dropped(_) => REMEDY,
        }
    }
}

/// Sends to the group on the loopback interface and listens for it; an error says what does not work, and what to do.
pub fn hears_multicast(group: Ipv4Addr) -> Result<(), NotHeard> {
    let wrong = |error| NotHeard::NotOpened { group, error };
    let (mouth, ear) = (open_mouth().map_err(wrong)?, open_ear(group).map_err(wrong)?);
    is_heard(&mouth, &ear)
}

/// The same for a lab that is about to start. If no socket can be opened, the processes cannot open one either, and they
/// say why.
pub fn multicast_comes_back(group: Ipv4Addr) -> Result<(), NotHeard> {
    match hears_multicast(group) {
        Err(NotHeard::NotOpened { .. }) => Ok(()),
        heard => heard,
    }
}

fn open_mouth() -> io::Result<UdpSocket> {
    let mouth = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    socket2::SockRef::from(&mouth).set_multicast_if_v4(&Ipv4Addr::LOCALHOST)?;
    mouth.set_multicast_ttl_v4(0)?;
    mouth.set_multicast_loop_v4(true)?;
    Ok(mouth)
}

fn open_ear(group: Ipv4Addr) -> io::Result<UdpSocket> {
    let ear = UdpSocket::bind((group, 0))?;
    ear.join_multicast_v4(&group, &Ipv4Addr::LOCALHOST)?;
    ear.set_read_timeout(Some(WITHIN))?;
    Ok(ear)
}

fn is_heard(mouth: &UdpSocket, ear: &UdpSocket) -> Result<(), NotHeard> {
    let to = ear.local_addr().map_err(NotHeard::Nowhere)?;
    for _ in 0..TRIES {
        mouth.send_to(WORD, to).map_err(|error| NotHeard::NotSent { to, error })?;
        if hears(ear, mouth.local_addr().ok()) {
            return Ok(());
        }
    }
    Err(NotHeard::Dropped(to))
}

fn hears(ear: &UdpSocket, from: Option<SocketAddr>) -> bool {
    let mut heard = [0; WORD.len()];
    ear.recv_from(&mut heard).is_ok_and(|(_, source)| Some(source) == from)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUP: Ipv4Addr = Ipv4Addr::new(239, 255, 77, 1);

    #[test]
    fn multicast_comes_back_here() {
        multicast_comes_back(GROUP).unwrap();
    }

    #[test]
    fn what_does_not_come_back_is_told_with_its_remedy() {
        // This equals a filter: nobody has joined this group.
        let deaf = UdpSocket::bind((Ipv4Addr::new(239, 255, 77, 3), 0)).unwrap();
        deaf.set_read_timeout(Some(Duration::from_millis(10))).unwrap();
        let told = is_heard(&open_mouth().unwrap(), &deaf).unwrap_err().to_string();
        assert!(told.contains("239.255.77.3") && told.contains("nft list ruleset"), "{told}");
    }
}
