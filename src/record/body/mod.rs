//! The record: its time, its node, its event. Its kinds, field by field.
//!
//! Invariant: `at` is lab time, made by all processes alike of the monotonic clock that they share, so stamps of
//! different processes can be compared.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::{
    BrokenReport, CopyFate, Death, LabOutcome, MessageId, MessageText, Missed, Outcome, Refusal, Step, Uncertainty,
    VerdictAbout, ViolationReport, tagged,
};
use fault::{CellLoss, ClockFault, FaultId, FaultLine, LabSpeed, LinkRule};
use protocol::{Incarnation, NodeId, NodeSet, Span};

/// The length that most lines do not exceed.
const LINE_BYTES: usize = 768;
/// The field that names the kind.
const KIND: &str = "kind";

/// One record: one line of a session.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    /// The number in the session, from 1 in causal order; 0 before the host has ordered it.
    pub number: u64,
    /// Lab time: nanoseconds since the lab began; negative before that. (Earlier builds wrote it a second time, as `lab`.)
    pub at: i64,
    /// Nanoseconds of this computer's clock since the lab began, where that is not the same: slow motion stretched or
    /// squeezed lab time.
    pub wall: Option<i64>,
    /// The node that it is about, if there is one.
    pub node: Option<NodeId>,
    /// What happened.
    pub body: Body,
}

/// What happened, by its `kind`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "kebab-case")]
pub enum Body {
    /// The lab began: all machines start at this instant.
    Began,
    /// A machine took a step.
    Step(Step),
    /// A link fault dropped a datagram at its receiver, the record's node.
    Dropped {
        id: MessageId,
        /// The fault.
        by: FaultId,
        /// What was in it, if it could be read.
        message: Option<MessageText>,
    },
    /// A link fault holds a datagram back at its receiver.
    Held {
        id: MessageId,
        /// The fault.
        by: FaultId,
        /// For how long, in nanoseconds; absent if it waits for its release.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        span: Option<Span>,
        /// What is in it, if it could be read.
        message: Option<MessageText>,
    },
    /// A release delivers what `hold` kept back at its receiver, the record's node: it meets the order filter next.
    Released {
        id: MessageId,
        /// The release; the hold itself, if that was lifted.
        by: FaultId,
    },
    /// `first` put a held datagram before all others that its receiver, the record's node, holds of the same link.
    PutFirst {
        id: MessageId,
        /// The sender of the link: another node than the datagram's sender, if it is a relayed copy.
        through: NodeId,
        /// The fault.
        by: FaultId,
    },
    /// `corrupt` spoiled a datagram before its tag was checked at its receiver, the record's node. The tag was wrong,
    /// so the datagram was dropped.
    Spoiled {
        id: MessageId,
        /// The fault.
        by: FaultId,
        /// What had been in it.
        message: Option<MessageText>,
    },
    /// `duplicate` doubled a datagram behind the order filter of its receiver, the record's node. Both are delivered
    /// after this record.
    Duplicated {
        id: MessageId,
        /// The fault.
        by: FaultId,
    },
    /// `reorder` let another datagram overtake this one behind the order filter of its receiver, the record's node. The
    /// other one was delivered before this record, this one after it.
    Reordered {
        id: MessageId,
        /// The fault.
        by: FaultId,
    },
    /// `garble` changed a datagram's body behind the tag at its receiver, the record's node.
    Garbled {
        id: MessageId,
        /// The fault.
        by: FaultId,
        /// What had been in it.
        was: MessageText,
        /// What is in it now, which the machine gets after this record; absent if that is not a message: then it was
        /// dropped as malformed.
        became: Option<MessageText>,
    },
    /// The order filter dropped a datagram: a younger one of its link had been delivered.
    Stale { id: MessageId },
    /// A link fault hit one copy of an ordered broadcast at its receiver, the record's node. Another copy may still
    /// deliver the broadcast there.
    Copy {
        /// Which broadcast.
        id: MessageId,
        /// The node that sent this copy: the broadcast's sender, or the node that relayed it.
        through: NodeId,
        /// The fault.
        by: FaultId,
        /// What it did.
        fate: CopyFate,
    },
    /// The ordered broadcast discarded a broadcast that came too late at the record's node: no copy came in time there,
    /// so it is not delivered, and others may have delivered it.
    Late {
        id: MessageId,
        /// How long after its delivery time it came, in nanoseconds.
        span: Span,
        /// What was in it, if it could be read.
        message: Option<MessageText>,
    },
    /// Datagrams were refused before any of their content was believed.
    Refused {
        /// Why.
        reason: Refusal,
        /// How many since the last such record of this node and reason.
        count: u64,
    },
    /// Datagrams were dropped because the node's receive buffer was full, the kernel's or that of its link.
    Overflowed {
        /// How many since the last such record of this node.
        count: u64,
    },
    /// A datagram could not be sent.
    SendFailed {
        id: MessageId,
        /// The system's words.
        error: String,
    },
    /// The host started a process for the node.
    Spawned {
        /// The process id.
        pid: u32,
    },
    /// A starting process has found its safe cells different from how it saved them; it goes on with what is left.
    CellsLost {
        /// The fault.
        by: FaultId,
        /// What happened to the store.
        loss: CellLoss,
        /// The encoded content that is left, in hex; absent if nothing is.
        left: Option<String>,
    },
    /// A starting process has found its store changed, and no fault of the lab did that: somebody exchanged it, changed
    /// it or removed it. The process goes on with what is there.
    CellsChanged {
        /// The encoded content that is there, in hex; absent if nothing is.
        left: Option<String>,
    },
    /// The process has opened its sockets and raised its incarnation.
    Ready { incarnation: Incarnation },
    /// A process ended. Its stamp is the later of the host's kill and its own last record.
    Died { death: Death },
    /// The process was stopped by an order.
    Stopped {
        /// The fault that ordered it.
        by: FaultId,
    },
    /// The process goes on.
    Continued,
    /// From here on the machine's timers run by a clock of another rate than the lab's, or by the lab's own again. The
    /// stamps of its records are still in the lab's time.
    ClockSet {
        /// The clock's rate and the fault; absent once it runs as the lab's.
        clock: Option<ClockFault>,
    },
    /// From here on lab time runs at this speed, in all processes.
    SpeedSet {
        speed: LabSpeed,
        /// The fault line that ordered it.
        by: FaultId,
    },
    /// The process panicked; it dies of it.
    Panicked {
        /// The panic's message and place.
        message: String,
    },
    /// A fault line was ordered. Lines that only end faults (recover, resume, heal, lift, undo, elect) are faults
    /// without a duration: they are in force once and are then lifted.
    FaultOrdered {
        id: FaultId,
        line: FaultLine,
        /// The nodes it is about.
        nodes: NodeSet,
        /// What it does to links, if it is a link fault.
        rule: Option<LinkRule>,
        /// The step of the lab that ordered it; absent if a person did.
        step: Option<String>,
    },
    /// Every running process concerned has acknowledged the fault.
    FaultInForce { id: FaultId },
    /// The fault did not come into force.
    FaultNotInForce {
        id: FaultId,
        /// Why, as a sentence.
        why: String,
    },
    /// The fault is over.
    FaultLifted { id: FaultId },
    /// A step of the lab's script was taken.
    StepTaken {
        /// The name.
        step: String,
    },
    /// An expectation of the lab, or the judge's property, came to an outcome.
    Verdict {
        /// The expectation or the property.
        about: VerdictAbout,
        /// With what outcome.
        outcome: Outcome,
        /// The verdict line, as `run` prints it.
        text: String,
    },
    /// The judge found a contradiction.
    Violation(ViolationReport),
    /// An assumption that the algorithm needs is broken.
    AssumptionBroken(BrokenReport),
    /// The judge can no longer tell what happened before what: from here on no verdict is green.
    Undecidable {
        why: Uncertainty,
        /// The same as a fragment.
        text: String,
    },
    /// A note of the host, for the log.
    Note {
        /// A sentence.
        text: String,
    },
    /// A marker set by a person.
    Marker { text: String },
    /// Records are missing here.
    Gap(Missed),
    /// The session file takes no more records for now; the lab goes on, and watchers get all records.
    RecordingSuspended {
        /// The system's words.
        why: String,
    },
    /// The session file takes records again. Before this record the file has a gap, which no other stream has.
    RecordingResumed {
        /// How many records are missing in the file since recording was suspended.
        count: u64,
    },
    /// The lab ended.
    Ended {
        /// Why, as a sentence.
        why: String,
        /// What came out, so that nobody has to read the whole session for it; earlier builds did not write it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        outcome: Option<LabOutcome>,
    },
    /// A kind that this build does not know. It is kept as it was.
    #[serde(skip)]
    Unknown(Map<String, Value>),
    /// Where records are held in memory: those of unknown kinds from this one on. They are written nowhere.
    #[serde(skip)]
    Untold {
        /// The number of the last of them.
        until: u64,
        /// The stamp.
        latest: i64,
    },
}

impl Body {
    /// The kind, as its line names it.
    ///
    /// # Panics
    /// It is [`Body::Untold`], which has no line.
    pub fn kind(&self) -> String {
        let line = Record::of_host(0, self.clone()).to_line();
        let fields: RecordFields<'_> = serde_json::from_str(&line).expect("this build wrote it");
        fields.kind.into_owned()
    }
}

/// A part of a record as it stands in its line.
pub fn json_value(part: &impl Serialize) -> Value {
    // By way of the text, so that no record is compiled for a second form.
    let text = serde_json::to_string(part).expect("what stands in a record is plain data");
    serde_json::from_str(&text).expect("this build wrote it")
}

impl Record {
    /// A record of the host at this time.
    pub fn of_host(at: i64, body: Body) -> Record {
        Record { number: 0, at, wall: None, node: None, body }
    }

    /// A record about a node at this time.
    pub fn of_node(at: i64, node: NodeId, body: Body) -> Record {
        Record { node: Some(node), ..Record::of_host(at, body) }
    }

    /// The record's line, without its end.
    pub fn to_line(&self) -> String {
        let mut line = Vec::with_capacity(LINE_BYTES);
        serde_json::to_writer(&mut line, self).expect("a record is plain data, and its maps have text keys");
        String::from_utf8(line).expect("JSON is text")
    }

    /// Reads a line. A kind that is not known is kept whole.
    pub fn from_line(line: &str) -> Result<Record, serde_json::Error> {
        let RecordFields { number, at, wall, node, kind } = tagged::read_outer(line)?;
        let body = match tagged::read_variant(&kind, line, Body::deserialize)? {
            Some(body) => body,
            None => Body::Unknown(serde_json::from_str(line)?),
        };
        Ok(Record { number, at, wall, node, body })
    }

    /// The number and the stamp of the last record that it stands for: its own, but where records are held in memory.
    pub fn until(&self) -> (u64, i64) {
        match self.body {
            Body::Untold { until, latest } => (until, latest),
            _ => (self.number, self.at),
        }
    }

    /// The step, if it is one.
    pub fn step(&self) -> Option<&Step> {
        match &self.body {
            Body::Step(step) => Some(step),
            _ => None,
        }
    }
}

/// What each record has beside the fields of its kind.
#[derive(Deserialize)]
struct RecordFields<'a> {
    #[serde(default)]
    number: u64,
    at: i64,
    wall: Option<i64>,
    node: Option<NodeId>,
    #[serde(borrow)]
    kind: Cow<'a, str>,
}

impl Serialize for Record {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Body::Unknown(map) = &self.body {
            return map.serialize(serializer);
        }
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("number", &self.number)?;
        object.serialize_entry("at", &self.at)?;
        if let Some(wall) = self.wall {
            object.serialize_entry("wall", &wall)?;
        }
        if let Some(node) = self.node {
            object.serialize_entry("node", &node)?;
        }
        Body::serialize(&self.body, tagged::variant_of(&mut object, KIND))?;
        object.end()
    }
}

impl<'de> Deserialize<'de> for Record {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Record, D::Error> {
        let text = <&RawValue>::deserialize(deserializer)?;
        Record::from_line(text.get()).map_err(de::Error::custom)
    }
}
