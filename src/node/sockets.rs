//! The node's two sockets, with options that let nothing leave this computer.
//!
//! The unicast socket is 127.0.0.1:base_port+N, without reuse flags and never connected (a connected one would learn of
//! a dead peer by ICMP, which the papers do not have). It sends everything, multicast too, so that every datagram shows
//! its sender's own address. The group socket receives only.
//!
//! Invariant: both are bound within 127.0.0.0/8 or to the lab's group joined on 127.0.0.1, and the multicast TTL is 0.

use std::io::{self, IoSliceMut};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, UdpSocket};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use nix::sys::socket::{MsgFlags, SockaddrIn, recvmsg};
use socket2::{Domain, Protocol, Socket, Type};

use super::os;
use super::wire::{RECEIVE_BYTES, Via};

/// The size asked for as a receive buffer, in bytes; the system may give less.
const RECEIVE_BUFFER_BYTES: usize = 4 << 20;

/// A node's sockets.
#[derive(Debug)]
pub struct Sockets {
    unicast: ReceivingSocket,
    multicast: Option<(ReceivingSocket, SocketAddrV4)>,
}

/// Why a node's sockets could not be opened. None is left open.
#[derive(Debug, thiserror::Error)]
#[error("{what} {address}: {error}; {remedy}")]
pub struct SocketError {
    /// What was tried, as a fragment before the address.
    pub what: &'static str,
    /// The address it was tried with.
    pub address: SocketAddrV4,
    /// What to do next.
    pub remedy: &'static str,
    /// The system's words.
    #[source]
    pub error: io::Error,
}

impl SocketError {
    /// The address, if something else holds it.
    pub fn taken(&self) -> Option<SocketAddrV4> {
        (self.error.kind() == io::ErrorKind::AddrInUse).then_some(self.address)
    }
}

/// A datagram that was received; its bytes are in the buffer.
#[derive(Copy, Clone, Debug)]
pub struct Arrived {
    /// How many bytes; more than the longest datagram may have if it was cut.
    pub bytes: usize,
    /// Where it came from.
    pub source: SocketAddrV4,
}

impl Sockets {
    /// Opens the socket at this address, and if there is a group, the one that hears it.
    pub fn open(address: SocketAddrV4, group: Option<SocketAddrV4>) -> Result<Sockets, SocketError> {
        let unicast = ReceivingSocket::new(open_unicast(address)?);
        let multicast = match group {
            Some(group) => Some((ReceivingSocket::new(open_multicast(group)?), group)),
            None => None,
        };
        Ok(Sockets { unicast, multicast })
    }

    /// Sends to an address; without one, to the group. Never waits: if there is no room it is an error.
    pub fn send(&self, to: Option<SocketAddrV4>, datagram: &[u8]) -> io::Result<()> {
        let to = to.or(self.multicast.as_ref().map(|(_, group)| *group));
        let to = to.expect("an algorithm broadcasts only if its Card asks for multicast");
        self.unicast.socket.send_to(datagram, to).map(drop)
    }

    /// Takes the next datagram that has come on a channel, if one has.
    pub fn receive(&mut self, via: Via, buffer: &mut [u8; RECEIVE_BYTES]) -> io::Result<Option<Arrived>> {
        match (via, &mut self.multicast) {
            (Via::Unicast, _) => self.unicast.receive(buffer),
            (Via::Multicast | Via::Ordered, Some((ear, _))) => ear.receive(buffer),
            (Via::Multicast | Via::Ordered, None) => Ok(None),
        }
    }

    /// How many datagrams the kernel has dropped for lack of buffer since the last call.
    pub fn take_overflow(&mut self) -> u64 {
        let ears = [Some(&mut self.unicast), self.multicast.as_mut().map(|(ear, _)| ear)];
        ears.into_iter().flatten().map(|ear| std::mem::take(&mut ear.overflow)).sum()
    }

    /// The descriptors to wait on: unicast, and multicast if there is one.
    pub fn descriptors(&self) -> (BorrowedFd<'_>, Option<BorrowedFd<'_>>) {
        (self.unicast.socket.as_fd(), self.multicast.as_ref().map(|(ear, _)| ear.socket.as_fd()))
    }

    /// The receive buffers that the system gave, in bytes.
    pub fn receive_buffers(&self) -> Vec<usize> {
        let ears = [Some(&self.unicast), self.multicast.as_ref().map(|(ear, _)| ear)];
        ears.into_iter().flatten().map(ReceivingSocket::receive_buffer).collect()
    }
}

/// A socket for receiving, and the kernel's count of its drops.
#[derive(Debug)]
struct ReceivingSocket {
    socket: UdpSocket,
    /// The kernel's counter when it was last seen; it runs from the socket's birth and may wrap.
    counter: u32,
    overflow: u64,
}

impl ReceivingSocket {
    fn new(socket: Socket) -> ReceivingSocket {
        ReceivingSocket { socket: socket.into(), counter: 0, overflow: 0 }
    }

    fn receive_buffer(&self) -> usize {
        socket2::SockRef::from(&self.socket).recv_buffer_size().unwrap_or(0)
    }

    fn receive(&mut self, buffer: &mut [u8; RECEIVE_BYTES]) -> io::Result<Option<Arrived>> {
        let mut parts = [IoSliceMut::new(buffer)];
        let mut control = nix::cmsg_space!(u32);
        let flags = MsgFlags::MSG_DONTWAIT;
        let message = match recvmsg::<SockaddrIn>(self.socket.as_raw_fd(), &mut parts, Some(&mut control), flags) {
            Ok(message) => message,
            Err(nix::errno::Errno::EAGAIN) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        if let Some(counter) = message.cmsgs()?.find_map(|message| os::overflow_of(&message)) {
            self.overflow += u64::from(counter.wrapping_sub(self.counter));
            self.counter = counter;
        }
        let source = message.address.map_or(SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0), SocketAddrV4::from);
        Ok(Some(Arrived { bytes: message.bytes, source }))
    }
}

fn open_unicast(address: SocketAddrV4) -> Result<Socket, SocketError> {
    let wrong = |error: io::Error| {
        let remedy = match error.kind() {
            io::ErrorKind::AddrInUse => {
                "end the program that uses it, or start the lab again, which takes another port"
            }
            io::ErrorKind::AddrNotAvailable => "bring the loopback interface up: `ip link set lo up`",
            _ => "`hustings doctor` tells what to do",
        };
        SocketError { what: "cannot take the node's address", address, remedy, error }
    };
    let open = || -> io::Result<Socket> {
        let socket = new_socket()?;
        socket.set_multicast_if_v4(&Ipv4Addr::LOCALHOST)?;
        socket.set_multicast_ttl_v4(0)?;
        socket.set_multicast_loop_v4(true)?;
        socket.bind(&SocketAddr::V4(address).into())?;
        Ok(socket)
    };
    open().map_err(wrong)
}

fn open_multicast(group: SocketAddrV4) -> Result<Socket, SocketError> {
    let remedy = "choose another group with --group 239.255.x.y:p, and see that this system lets the loopback \
                  interface join groups";
    let wrong = |error| SocketError { what: "cannot join the group", address: group, remedy, error };
    let open = || -> io::Result<Socket> {
        let [first, second, ..] = group.ip().octets();
        if (first, second) != (239, 255) {
            return Err(io::Error::other("a lab's group lies in 239.255.0.0/16"));
        }
        let socket = new_socket()?;
        // Every node of the lab is bound to it, and a lab next door may be too: the lab id tells them apart.
        socket.set_reuse_address(true)?;
        os::hear_only_joined_groups(&socket)?;
        socket.bind(&SocketAddr::V4(group).into())?;
        socket.join_multicast_v4(group.ip(), &Ipv4Addr::LOCALHOST)?;
        Ok(socket)
    };
    open().map_err(wrong)
}

fn new_socket() -> io::Result<Socket> {
    let socket = Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP))?;
    socket.set_nonblocking(true)?;
    socket.set_recv_buffer_size(RECEIVE_BUFFER_BYTES)?;
    os::count_overflow(&socket)?;
    Ok(socket)
}
