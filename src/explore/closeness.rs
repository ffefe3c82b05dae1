//! How closely the script of a counterexample keeps to its way, and why there may be no script.
//!
//! Invariant: whatever a script leaves open, the simulator decides whether the lab shows the violation.

/// How closely a script keeps to its way.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct Closeness {
    /// The order of all events.
    pub events: EventOrder,
    /// The order of the timers of one tick.
    pub clocks: TimerCloseness,
}

/// The order of events at several nodes.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum EventOrder {
    /// All events come in the order of the way.
    OfTheWay,
    /// The events of each node do.
    OfEachNode,
}

/// How closely the timers of one tick keep to the way.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum TimerCloseness {
    /// Run out in the order of the way.
    AsTold,
    /// In a tick in which several timers of a node are due, they may run out in another order, and earlier than other
    /// events of the tick. On a way with a false alarm, they may run out in other ticks too.
    AsTheyCome,
}

impl Closeness {
    /// From the closest on.
    pub const ALL: [Closeness; 4] = [
        Closeness { events: EventOrder::OfTheWay, clocks: TimerCloseness::AsTold },
        Closeness { events: EventOrder::OfTheWay, clocks: TimerCloseness::AsTheyCome },
        Closeness { events: EventOrder::OfEachNode, clocks: TimerCloseness::AsTold },
        Closeness { events: EventOrder::OfEachNode, clocks: TimerCloseness::AsTheyCome },
    ];
}

/// Why no lab file shows a way.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Debug, thiserror::Error)]
pub enum NotWritten {
    /// Stands on the ordered broadcast.
    #[error("an ordered broadcast comes when its layer delivers it, and no line of a lab orders when")]
    Ordered,
    /// No moments keep the spans of all timers.
    #[error("true clocks do not go it: its timers run out in an order that their spans do not allow")]
    Clocks,
    /// A message comes to another process than the one that it was sent to.
    #[error("in it a message comes to a process that was started after it was sent, and no order of a lab does that")]
    LaterProcess,
    /// A process dies within a step, and has sent something by then.
    #[error("in it a process is killed after the first sends of a step, and a lab's lines come between steps")]
    DiesWithin,
    /// The lab was run, and did not show it.
    #[error("with the moments that were found for its events, the simulator shows no violation")]
    NotShown,
}
