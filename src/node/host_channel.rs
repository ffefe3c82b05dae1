//! The channel to the host: reports out, control packets in, on one inherited packet socket.
//!
//! A report goes in one send that never waits, before the effects of its step are carried out: what is in the socket's
//! buffer outlives a SIGKILL, so the records before a kill are not lost.
//!
//! Invariant: the node never waits for its host. A record that finds no room is counted, and a gap record goes first as
//! soon as there is room; an answer to the host is never lost, and goes before that.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use nix::errno::Errno;
use nix::sys::socket::{MsgFlags, recv, send};

use super::clock::Stamp;
use protocol::NodeId;
use record::{Body, Control, Missed, Record, Report};

/// The size asked for as a send buffer, in bytes; the system may give less.
const SEND_BUFFER_BYTES: usize = 4 << 20;

/// The node's end of the channel.
#[derive(Debug)]
pub struct HostChannel {
    socket: OwnedFd,
    /// Answers that found no room, oldest first.
    owed: VecDeque<Vec<u8>>,
    /// Records that found no room, and the node that they are about.
    missed: u64,
    node: Option<NodeId>,
}

/// A message of the host.
#[derive(Debug)]
pub enum FromHost {
    /// A packet.
    Control(Control),
    /// A packet that cannot be read, and why.
    Unreadable(String),
    /// Nothing more for now.
    Nothing,
    /// The host is gone.
    Gone,
}

impl HostChannel {
    /// The channel on this packet socket. It asks for a larger send buffer, and takes what the system gives.
    pub fn new(socket: OwnedFd) -> HostChannel {
        // With less than asked for, a gap only comes sooner.
        let _ = socket2::SockRef::from(&socket).set_send_buffer_size(SEND_BUFFER_BYTES);
        HostChannel { socket, owed: VecDeque::new(), missed: 0, node: None }
    }

    /// The socket, to wait on.
    pub fn socket(&self) -> &OwnedFd {
        &self.socket
    }

    /// Answers the host. If there is no room now, the answer goes out before anything else.
    pub fn answer(&mut self, now: Stamp, report: &Report) {
        self.owed.push_back(packet(report));
        self.flush(now);
    }

    /// Sends a record, or counts it if there is no room; returns whether it is out.
    pub fn record(&mut self, now: Stamp, record: &Record) -> bool {
        let is_out = self.flush(now) && self.send(&packet(&Report::Record(record.clone()))).is_ok();
        if !is_out {
            self.missed += 1;
            self.node = record.node;
        }
        is_out
    }

    /// Whether something waits for room.
    pub fn owes(&self) -> bool {
        !self.owed.is_empty() || self.missed > 0
    }

    /// Sends what waits for room; returns whether all of it is out.
    pub fn flush(&mut self, now: Stamp) -> bool {
        while let Some(answer) = self.owed.front() {
            if self.send(answer).is_err() {
                return false;
            }
            self.owed.pop_front();
        }
        if self.missed > 0 {
            let gap = Body::Gap(Missed { count: self.missed, place: "in the node's own buffer".to_owned() });
            let record = now.record(self.node, gap);
            if self.send(&packet(&Report::Record(record))).is_err() {
                return false;
            }
            self.missed = 0;
        }
        true
    }

    /// Takes the next packet of the host, if one has come.
    pub fn hear(&self) -> FromHost {
        let look = MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_PEEK | MsgFlags::MSG_TRUNC;
        let descriptor = self.socket.as_raw_fd();
        loop {
            // A packet is read whole or not at all, so its length is read first.
            let bytes = match recv(descriptor, &mut [], look) {
                Ok(0) => return FromHost::Gone,
                Ok(bytes) => bytes,
                Err(Errno::EAGAIN) => return FromHost::Nothing,
                Err(Errno::EINTR) => continue,
                Err(_) => return FromHost::Gone,
            };
            let mut packet = vec![0; bytes];
            return match recv(descriptor, &mut packet, MsgFlags::MSG_DONTWAIT) {
                Ok(_) => match Control::from_line(&packet) {
                    Ok(control) => FromHost::Control(control),
                    Err(error) => FromHost::Unreadable(error.to_string()),
                },
                Err(Errno::EINTR) => continue,
                Err(_) => FromHost::Gone,
            };
        }
    }

    /// A second handle for the panic hook, which can own nothing that the node owns.
    pub fn last_words(&self) -> io::Result<PanicReporter> {
        Ok(PanicReporter { socket: self.socket.try_clone()? })
    }

    fn send(&self, packet: &[u8]) -> nix::Result<()> {
        send_packet(&self.socket, packet)
    }
}

/// Tells the host of a panic.
#[derive(Debug)]
pub struct PanicReporter {
    socket: OwnedFd,
}

impl PanicReporter {
    /// Sends one record, if there is room.
    pub fn say(&self, record: Record) {
        // Nothing more can be done; standard error has the words too.
        let _ = send_packet(&self.socket, &packet(&Report::Record(record)));
    }
}

fn packet(report: &Report) -> Vec<u8> {
    report.to_line().into_bytes()
}

fn send_packet(socket: &OwnedFd, packet: &[u8]) -> nix::Result<()> {
    let flags = MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_NOSIGNAL;
    loop {
        match send(socket.as_raw_fd(), packet, flags) {
            Err(Errno::EINTR) => {}
            other => return other.map(drop),
        }
    }
}

#[cfg(test)]
mod tests {
    use nix::sys::socket::{AddressFamily, SockFlag, SockType, socketpair};

    use super::*;

    fn pair() -> (HostChannel, OwnedFd) {
        let flags = SockFlag::SOCK_CLOEXEC;
        let (node, host) = socketpair(AddressFamily::Unix, SockType::SeqPacket, None, flags).unwrap();
        (HostChannel::new(node), host)
    }

    fn next(host: &OwnedFd) -> Option<Report> {
        let mut packet = vec![0; 1 << 16];
        let bytes = recv(host.as_raw_fd(), &mut packet, MsgFlags::MSG_DONTWAIT).ok()?;
        Some(serde_json::from_slice(&packet[..bytes]).unwrap())
    }

    fn note(number: u64) -> Record {
        let text = "x".repeat(1_000);
        Record { number, ..Record::of_node(0, NodeId::new(3).unwrap(), Body::Note { text }) }
    }

    fn now() -> Stamp {
        Stamp::of(9)
    }

    #[test]
    fn records_that_find_no_room_are_counted_and_their_gap_goes_first() {
        let (mut channel, host) = pair();
        let mut given = 0;
        while !channel.owes() {
            given += 1;
            channel.record(now(), &note(given));
        }
        channel.record(now(), &note(given + 1));
        channel.answer(now(), &Report::Acknowledged { version: 7 });
        let mut read = 0;
        for number in 1..given {
            match next(&host) {
                Some(Report::Record(record)) => assert_eq!(record.number, number),
                other => panic!("{other:?}"),
            }
            read += 1;
        }
        assert_eq!(read + 1, given, "exactly one record found no room before the second");
        assert!(next(&host).is_none());
        channel.record(now(), &note(given + 2));
        assert!(!channel.owes());
        assert!(matches!(next(&host), Some(Report::Acknowledged { version: 7 })));
        match next(&host) {
            Some(Report::Record(Record { at: 9, node: Some(_), body: Body::Gap(Missed { count: 2, .. }), .. })) => {}
            other => panic!("{other:?}"),
        }
        assert!(matches!(next(&host), Some(Report::Record(record)) if record.number == given + 2));
    }

    #[test]
    fn the_host_is_heard_packet_by_packet_until_it_is_gone() {
        let (channel, host) = pair();
        assert!(matches!(channel.hear(), FromHost::Nothing));
        for packet in [r#"{"begin":{"at":5,"epoch":4}}"#, r#"{"eclipse":1}"#] {
            send(host.as_raw_fd(), packet.as_bytes(), MsgFlags::empty()).unwrap();
        }
        assert!(matches!(channel.hear(), FromHost::Control(Control::Begin { at: 5, epoch: 4 })));
        assert!(matches!(channel.hear(), FromHost::Unreadable(_)));
        assert!(matches!(channel.hear(), FromHost::Nothing));
        drop(host);
        assert!(matches!(channel.hear(), FromHost::Gone));
    }
}
