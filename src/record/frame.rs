//! The messages between host, node and watcher: one JSON object a packet or a line.
//!
//! Invariant: a watcher first gets a snapshot, unless it is refused, then records; after a gap it gets a fresh snapshot. The world in a
//! snapshot is the judge's, and opaque here.

use std::borrow::Cow;
use std::net::SocketAddrV4;
use std::path::PathBuf;

use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::value::RawValue;

use super::{Head, Record, tagged};
use fault::{ClockFault, CourierRefusal, FaultId, LinkFault, Moment, StoreLoss};
use protocol::{Incarnation, NodeId, Order, Setup};

/// The descriptor on which a node process finds its stream to the host.
pub const STREAM_DESCRIPTOR: i32 = 3;

/// Everything a node process needs to know.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NodePlan {
    /// What the session's head says.
    pub head: Head,
    /// What the machine is told; the process itself fills in the incarnation.
    pub setup: Setup,
    /// The key of the datagrams' tag, in hex.
    pub key: String,
    /// The directory of its safe cells.
    pub store: PathBuf,
    /// The place of its observe socket.
    pub observe: PathBuf,
    /// The table of the speeds of lab time.
    pub speeds: PathBuf,
    /// The link faults in force.
    pub faults: Vec<LinkFault>,
    /// The rate of its clock, if that is not the lab's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockFault>,
    /// The part of its store that is lost at its start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<StoreLoss>,
    /// The newest datagrams that earlier processes of the node had.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub heard: Vec<HeardUpTo>,
    /// What the host knows of its store.
    #[serde(default)]
    pub past: StorePast,
}

/// The newest datagram of one sender and channel that a node has had.
#[derive(Copy, Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct HeardUpTo {
    /// The sender.
    pub from: NodeId,
    /// Whether it came by multicast; the numbers of both channels are counted apart.
    pub multicast: bool,
    /// The sender's incarnation.
    pub incarnation: Incarnation,
    /// The number.
    pub sequence: u64,
}

/// What is known of a node's store before its process opens it.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct StorePast {
    /// The highest incarnation of the node so far; 0 before the first.
    pub incarnation: Incarnation,
    /// Whether anybody has changed it since the node's last process died.
    pub since_death: SinceDeath,
}

/// What happened to a store since the process that used it died.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SinceDeath {
    /// Nothing, as far as it is known.
    #[default]
    Unchanged,
    /// Holds other bytes than then.
    Changed,
}

/// From host to node.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Control {
    /// The first packet of all.
    Plan(Box<NodePlan>),
    /// Start the machine at this moment of CLOCK_MONOTONIC; the lab began at `epoch`.
    Begin {
        /// When to start, in nanoseconds.
        at: u64,
        /// When the lab began, in nanoseconds.
        epoch: u64,
    },
    /// From now on these link faults are in force, and no others.
    Faults {
        /// Comes back in the acknowledgement.
        version: u64,
        /// The whole table.
        faults: Vec<LinkFault>,
    },
    /// Do this to one held datagram, once.
    Courier {
        /// Comes back in the acknowledgement.
        version: u64,
        act: LinkFault,
    },
    /// From now on the machine's clock runs at this rate, or at the lab's.
    Clock {
        /// Comes back in the acknowledgement.
        version: u64,
        /// The rate and the fault.
        clock: Option<ClockFault>,
    },
    /// The table of speeds has another entry: what the node waits for may come at another moment now.
    Speed {
        /// Comes back in the acknowledgement.
        version: u64,
    },
    /// Arm a moment, in place of the armed one: the next step that comes to it is held there, once. Nothing of it is
    /// carried out before [`Control::Reach`] or [`Control::Disarm`].
    Arm {
        /// The lab's step that waits for it.
        step: String,
        moment: Moment,
    },
    /// A node that the step holds carries out the effects up to the hold, and reports [`Report::Held`].
    Reach {
        /// The lab's step.
        step: String,
    },
    /// The moment of that step is no longer armed, and a node that it holds goes on.
    Disarm {
        /// The lab's step.
        step: String,
    },
    /// An order for the machine.
    Order {
        /// Comes back in the acknowledgement.
        version: u64,
        order: Order,
    },
}

/// From node to host.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::large_enum_variant, reason = "nearly every report is a record, and none is kept")]
pub enum Report {
    /// Sockets are open and the incarnation is stored.
    Ready {
        incarnation: Incarnation,
    },
    /// The node cannot run here: nothing was started.
    Unable {
        /// The address that something else holds, if that is the reason.
        taken: Option<SocketAddrV4>,
        /// Why and what to do, as sentences.
        why: String,
    },
    /// A control packet has been carried out.
    Acknowledged {
        version: u64,
    },
    /// A control packet could not be carried out, and nothing was changed.
    Refused {
        version: u64,
        why: CourierRefusal,
    },
    /// The effects up to a hold have been carried out: the node is held, as the record of its last step says.
    Held {
        /// The lab's step that holds it.
        step: String,
    },
    Record(Record),
}

/// From host or node to a watcher; one line each.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "kebab-case")]
#[expect(clippy::large_enum_variant, reason = "nearly every frame is a record, and none is kept")]
pub enum Frame {
    /// The present state.
    Snapshot {
        /// The session's head.
        head: Box<Head>,
        /// The judge's world; null on a node's own socket.
        world: Box<RawValue>,
        /// The newest records, oldest first, for the log.
        recent: Vec<Record>,
        /// How many records this watcher missed since its last frame.
        missed: u64,
        /// Where the session is being written, if it is.
        session: Option<PathBuf>,
        /// Whether a person can still start the lab's own steps (`up` on a terminal).
        steps_held: bool,
    },
    Record {
        record: Record,
    },
    /// Nothing happened; this is the time.
    Pulse {
        /// Nanoseconds since the lab began.
        at: i64,
    },
    /// There is no room for this watcher: the lab goes on, and this stream is over.
    Refused {
        /// Why, and what to do, as a sentence.
        why: String,
    },
    /// The lab is over, and so is this stream.
    Goodbye {
        /// Why, as a sentence.
        why: String,
    },
}

/// From a client of the inject socket; one line each.
#[derive(Clone, Eq, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Request {
    /// Order this fault line.
    Inject(String),
    /// Play the lab's steps from now on.
    PlaySteps,
    /// Record this note of the people in front of the screen.
    Note(String),
    /// End the lab.
    End,
}

/// The answer to a request; one line each.
#[derive(Clone, Debug, Eq, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// Is in force, or done.
    Done {
        /// The fault's id, if the request was a fault.
        id: Option<FaultId>,
        /// What was done, as a sentence.
        text: String,
    },
    /// Was not understood or means nothing here; nothing was done.
    Refused {
        /// Why, as a sentence.
        why: String,
    },
    /// Was ordered but is not in force.
    NotInForce {
        /// The fault's id.
        id: FaultId,
        /// Why, as a sentence.
        why: String,
    },
}

/// The field that names a frame's variant.
const FRAME: &str = "frame";

impl Serialize for Frame {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        Frame::serialize(self, tagged::variant_of(&mut object, FRAME))?;
        object.end()
    }
}

impl<'de> Deserialize<'de> for Frame {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Frame, D::Error> {
        #[derive(Deserialize)]
        struct FrameFields<'a> {
            #[serde(borrow)]
            frame: Cow<'a, str>,
        }
        let text = <&RawValue>::deserialize(deserializer)?.get();
        let FrameFields { frame } = tagged::read_outer(text).map_err(de::Error::custom)?;
        let read = tagged::read_variant(&frame, text, Frame::deserialize).map_err(de::Error::custom)?;
        read.ok_or_else(|| de::Error::custom("this build knows no such frame"))
    }
}

/// Reads and writes each of these in this room, so that JSON is not compiled again wherever they are used.
macro_rules! lines {
    ($($of:ident),*) => {
        $(impl $of {
            /// The line of JSON, without its end.
            pub fn to_line(&self) -> String {
                serde_json::to_string(self).expect("it is plain data, and its maps have text keys")
            }

            /// Reads such a line.
            pub fn from_line(line: &[u8]) -> Result<$of, serde_json::Error> {
                std::str::from_utf8(line).map_err(de::Error::custom).and_then(serde_json::from_str)
            }
        })*
    };
}

lines!(Answer, Control, Frame, Report, Request);
