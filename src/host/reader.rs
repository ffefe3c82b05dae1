//! The reader: one thread that only waits for the nodes, the owner and signals, and passes on what comes.
//!
//! Invariant: a node's packets are passed on in their order, and its `Closed` after the last of them, so that
//! everything a killed process had written is read before its crash is recorded. What finds no room in the lab's queue
//! stays in its node's stream: the reader keeps nothing of its own.

use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::mpsc::{Receiver, Sender, SyncSender};
use std::sync::{Arc, mpsc};
use std::thread;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::eventfd::{EfdFlags, EventFd};
use nix::sys::signalfd::SignalFd;
use nix::sys::socket::{MsgFlags, recv};

use super::incoming::Incoming;
use protocol::NodeId;

/// The most packets that are read of one stream before the next: one busy node must not keep the others waiting, and
/// records of different streams should come near their order.
const READ_AT_ONCE_MAX: usize = 32;
/// The longest packet a node may send.
const PACKET_BYTES_MAX: usize = 1 << 20;

/// What the reader listens to besides the nodes.
#[derive(Debug)]
pub struct OtherInputs {
    /// End of file on it means that the owner is gone.
    pub lifeline: Option<OwnedFd>,
    /// Signals that tell the host to end.
    pub signals: SignalFd,
}

/// The handle of the reader thread; dropping it ends the thread.
#[derive(Debug)]
pub struct PacketReader {
    errands: Option<Sender<ReaderRequest>>,
    wake: Arc<EventFd>,
    thread: Option<thread::JoinHandle<()>>,
}

#[derive(Debug)]
enum ReaderRequest {
    Listen(NodeId, Arc<OwnedFd>),
    Drain(NodeId),
}

impl PacketReader {
    /// Starts the thread; it passes events on to `events`.
    pub fn start(other_inputs: OtherInputs, events: Arc<SyncSender<Incoming>>) -> io::Result<PacketReader> {
        let (errands, inbox) = mpsc::channel();
        let wake = Arc::new(EventFd::from_value_and_flags(0, EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK)?);
        let mut waiting = ReaderThread {
            other_inputs,
            wake: Arc::clone(&wake),
            inbox,
            streams: Vec::new(),
            events,
            lifeline_open: true,
        };
        let thread = thread::Builder::new().name("reader".to_owned()).spawn(move || waiting.run())?;
        Ok(PacketReader { errands: Some(errands), wake, thread: Some(thread) })
    }

    /// From now on listens to this node's stream too.
    pub fn add(&self, node: NodeId, stream: Arc<OwnedFd>) {
        self.send(ReaderRequest::Listen(node, stream));
    }

    /// Asks for everything that this node has written so far; [`Incoming::Drained`] follows the last of it.
    pub fn drain(&self, node: NodeId) {
        self.send(ReaderRequest::Drain(node));
    }

    fn send(&self, request: ReaderRequest) {
        let errands = self.errands.as_ref().expect("only drop takes it");
        errands.send(request).expect("the reader thread outlives its handle");
        self.rouse();
    }

    fn rouse(&self) {
        // An eventfd that is full is readable already.
        let _ = self.wake.write(1);
    }
}

impl Drop for PacketReader {
    fn drop(&mut self) {
        self.errands = None;
        self.rouse();
        if let Some(thread) = self.thread.take() {
            // The panic hook has already reported a panic of the thread.
            let _ = thread.join();
        }
    }
}

struct ReaderThread {
    other_inputs: OtherInputs,
    wake: Arc<EventFd>,
    inbox: Receiver<ReaderRequest>,
    streams: Vec<(NodeId, Arc<OwnedFd>)>,
    events: Arc<SyncSender<Incoming>>,
    lifeline_open: bool,
}

/// Whether there is anybody left to read for.
enum ReaderUse {
    Wait,
    End,
}

impl ReaderThread {
    fn run(&mut self) {
        let mut buffer = vec![0; PACKET_BYTES_MAX];
        while let ReaderUse::Wait = self.turn(&mut buffer) {}
    }

    fn turn(&mut self, buffer: &mut [u8]) -> ReaderUse {
        let ready = self.wait();
        let mut asked = Vec::new();
        if ready.wake {
            let _ = self.wake.read();
            loop {
                match self.inbox.try_recv() {
                    Ok(ReaderRequest::Listen(node, stream)) => self.streams.push((node, stream)),
                    Ok(ReaderRequest::Drain(node)) => asked.push(node),
                    Err(mpsc::TryRecvError::Empty) => break,
                    Err(mpsc::TryRecvError::Disconnected) => return ReaderUse::End,
                }
            }
        }
        if ready.signals
            && let Ok(Some(signal)) = self.other_inputs.signals.read_signal()
            && self.events.send(Incoming::Signal(signal.ssi_signo as i32)).is_err()
        {
            return ReaderUse::End;
        }
        if ready.lifeline && self.lifeline_is_closed() {
            self.lifeline_open = false;
            if self.events.send(Incoming::LifelineClosed).is_err() {
                return ReaderUse::End;
            }
        }
        let mut closed = Vec::new();
        for index in ready.streams {
            let (node, stream) = &self.streams[index];
            match read_some(*node, stream, buffer, &self.events) {
                StreamRest::Closed => closed.push(index),
                StreamRest::Unheard => return ReaderUse::End,
                StreamRest::Nothing | StreamRest::More => {}
            }
        }
        for index in closed.into_iter().rev() {
            let (node, _) = self.streams.remove(index);
            if self.events.send(Incoming::Closed(node)).is_err() {
                return ReaderUse::End;
            }
        }
        for node in asked {
            let stream = self.streams.iter().find(|(of, _)| *of == node);
            // The next turn finds what closes meanwhile.
            while let Some((_, stream)) = stream
                && let StreamRest::More = read_some(node, stream, buffer, &self.events)
            {}
            if self.events.send(Incoming::Drained(node)).is_err() {
                return ReaderUse::End;
            }
        }
        ReaderUse::Wait
    }

    fn lifeline_is_closed(&self) -> bool {
        let mut byte = [0; 16];
        match &self.other_inputs.lifeline {
            Some(lifeline) => !matches!(nix::unistd::read(lifeline, &mut byte), Ok(1..) | Err(Errno::EINTR)),
            None => false,
        }
    }

    fn wait(&self) -> Ready {
        let mut fds = vec![
            PollFd::new(self.wake.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.other_inputs.signals.as_fd(), PollFlags::POLLIN),
        ];
        fds.extend(self.streams.iter().map(|(_, stream)| PollFd::new(stream.as_fd(), PollFlags::POLLIN)));
        let lifeline = self.other_inputs.lifeline.as_ref().filter(|_| self.lifeline_open);
        fds.extend(lifeline.map(|lifeline| PollFd::new(lifeline.as_fd(), PollFlags::POLLIN)));
        // A signal that interrupts the wait leaves nothing ready; the next turn waits again.
        let _ = poll(&mut fds, PollTimeout::NONE);
        let is_ready: Vec<bool> = fds.iter().map(|fd| fd.any().unwrap_or(false)).collect();
        let streams = self.streams.len();
        Ready {
            wake: is_ready[0],
            signals: is_ready[1],
            streams: (0..streams).filter(|index| is_ready[2 + index]).collect(),
            lifeline: is_ready.get(2 + streams).copied().unwrap_or(false),
        }
    }
}

struct Ready {
    wake: bool,
    signals: bool,
    lifeline: bool,
    streams: Vec<usize>,
}

/// The rest of a stream.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum StreamRest {
    Nothing,
    /// There may be more: one busy node must not keep the others waiting.
    More,
    /// The other end is closed.
    Closed,
    /// Nobody takes what is read any more.
    Unheard,
}

fn read_some(node: NodeId, stream: &OwnedFd, buffer: &mut [u8], events: &SyncSender<Incoming>) -> StreamRest {
    for _ in 0..READ_AT_ONCE_MAX {
        match recv(stream.as_raw_fd(), buffer, MsgFlags::MSG_DONTWAIT) {
            Ok(0) => return StreamRest::Closed,
            Ok(length) => {
                if events.send(Incoming::Packet(node, buffer[..length].to_vec())).is_err() {
                    return StreamRest::Unheard;
                }
            }
            Err(Errno::EAGAIN) => return StreamRest::Nothing,
            // A process that was killed before it read its messages leaves this error in front of its output. It is
            // reported once; the end of the stream follows the last packet.
            Err(Errno::ECONNRESET | Errno::EINTR) => {}
            Err(_) => return StreamRest::Closed,
        }
    }
    StreamRest::More
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::sys::socket::{AddressFamily, SockFlag, SockType, send, socketpair};

    #[test]
    fn what_a_process_wrote_is_read_even_if_it_died_before_it_read_what_it_was_told() {
        let (ours, theirs) =
            socketpair(AddressFamily::Unix, SockType::SeqPacket, None, SockFlag::SOCK_CLOEXEC).unwrap();
        send(theirs.as_raw_fd(), b"a record", MsgFlags::empty()).unwrap();
        send(ours.as_raw_fd(), b"an order that nobody reads", MsgFlags::empty()).unwrap();
        drop(theirs);
        let node = NodeId::new(3).unwrap();
        let (events, passed_on) = mpsc::sync_channel(8);
        assert_eq!(read_some(node, &ours, &mut [0; 64], &events), StreamRest::Closed);
        let events: Vec<Incoming> = passed_on.try_iter().collect();
        assert!(matches!(&events[..], [Incoming::Packet(_, packet)] if packet == b"a record"), "{events:?}");
    }

    #[test]
    fn what_nobody_takes_stays_in_its_stream() {
        let (ours, theirs) =
            socketpair(AddressFamily::Unix, SockType::SeqPacket, None, SockFlag::SOCK_CLOEXEC).unwrap();
        for packet in [b"one", b"two"] {
            send(theirs.as_raw_fd(), packet, MsgFlags::empty()).unwrap();
        }
        let (events, passed_on) = mpsc::sync_channel(1);
        drop(passed_on);
        assert_eq!(read_some(NodeId::new(3).unwrap(), &ours, &mut [0; 64], &events), StreamRest::Unheard);
        let mut left = [0; 64];
        let length = recv(ours.as_raw_fd(), &mut left, MsgFlags::MSG_DONTWAIT).unwrap();
        assert_eq!(&left[..length], b"two", "only the packet that was to be passed on is read");
    }
}
