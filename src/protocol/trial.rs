//! A small algorithm for tests of drivers: it asks for the next number by unicast and by broadcast, and counts.
//!
//! Invariant: it uses every effect that there is.

use serde::{Deserialize, Serialize};

use crate::*;

/// Counts the numbers it hears.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct CountingAlgorithm {
    me: NodeId,
    heard: u64,
}

/// The one message.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum TrialMessage {
    /// So far the sender has counted.
    Count {
        /// The number.
        number: u64,
        /// What makes the message long.
        note: String,
    },
}

/// The timers.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum TrialTimer {
    /// Is set at the start.
    Alone,
    /// Is set by the order to elect.
    Drawn,
    /// One of many; the machine itself sets none.
    Numbered(u64),
}

impl std::fmt::Display for TrialTimer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TrialTimer::Alone | TrialTimer::Drawn => write!(f, "{self:?}"),
            TrialTimer::Numbered(number) => write!(f, "bell {number}"),
        }
    }
}

/// The message with this number.
pub fn count(number: u64) -> TrialMessage {
    TrialMessage::Count { number, note: "counted".into() }
}

impl Deceit for TrialMessage {}

impl Described for TrialMessage {
    fn kind(&self) -> &'static str {
        "Count"
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        let TrialMessage::Count { number, .. } = self;
        vec![("number", number.to_string())]
    }
}

impl Algorithm for CountingAlgorithm {
    type Message = TrialMessage;
    type Timer = TrialTimer;
    type Saved = u64;
    const CARD: Card = Card {
        name: "trial",
        title: "Trial",
        paper: "none",
        wire: 250,
        rank: Rank::HigherId,
        orders: &[Order::Elect],
        listing: &[],
        listing_form: ListingForm::Procedures,
        messages: &["Count"],
        hands_in: &[],
        hands_out: &[],
        periodic: &[],
        plays_dead: None,
        words: &["counting"],
        t_bounds: TBounds::CallAndAnswer,
        channel: Channel::Multicast,
        delivery: Delivery::InOrder,
        keys: KeyUse::None,
        lies: &[],
        groups: Groups::ByCoordinator,
        numbers: CoordinatorNumbers::None("Nothing is numbered here."),
        needs: &[],
        promises: &[],
        withholds: |_, _| &[],
        time_bound: Formula { text: "T", value: |timing, _, _| timing.t },
        quiet_bound: Formula { text: "T", value: |timing, _, _| timing.t },
        message_bound: "n",
        nodes_max: 8,
        settings: &[],
        periods: &[],
    };

    /// Sets one of the two timers.
    fn start(setup: &Setup, saved: Option<u64>, fx: &mut Effects<CountingAlgorithm>) -> CountingAlgorithm {
        fx.line(1);
        fx.set_timer(TrialTimer::Alone, setup.timing.t);
        CountingAlgorithm { me: setup.me, heard: saved.unwrap_or(0) }
    }

    /// Sends the number above it back, and saves the number between two sends.
    fn on_message(
        &mut self,
        from: NodeId,
        TrialMessage::Count { number, .. }: TrialMessage,
        fx: &mut Effects<CountingAlgorithm>,
    ) {
        if number >= 10 {
            return;
        }
        fx.line(2);
        self.heard = number;
        fx.send(from, count(number + 1));
        fx.save(number);
        fx.send(from, count(number + 2));
        fx.cancel_timer(TrialTimer::Alone);
    }

    /// Only tells the operator: its state stays as it is.
    fn on_timer(&mut self, timer: TrialTimer, fx: &mut Effects<CountingAlgorithm>) {
        fx.help(format!("{timer:?} has rung"));
    }

    /// Broadcasts.
    fn on_elect(&mut self, fx: &mut Effects<CountingAlgorithm>) {
        fx.set_timer(TrialTimer::Drawn, Span::from_millis(1));
        fx.set_timer(TrialTimer::Alone, Span::from_millis(1));
        fx.broadcast(count(1));
    }

    fn waits_for(&self, timer: TrialTimer) -> NodeSet {
        if timer == TrialTimer::Alone { NodeSet::of(self.me) } else { NodeSet::EMPTY }
    }

    fn state(&self) -> StateVector {
        StateVector { election: Some(self.heard), ..StateVector::new(Status::Normal, "counting", None) }
    }
}

/// The setup of a node in a lab of three, T being 20 ms.
pub fn setup(me: u16) -> Setup {
    let timing = Timing { t: Span::from_millis(20), check: Span::from_millis(10), silence: Span::from_millis(200) };
    Setup {
        me: NodeId::new(me).expect("nodes are counted from 1"),
        roster: Roster::new(3).expect("a lab may have three nodes"),
        timing,
        settings: Settings::default(),
        incarnation: Incarnation(1),
        keyring: None,
    }
}

/// A registry of these Cards, of which no lab is run: all have the machines of the trial.
pub fn registry_of(cards: &[Card], applications: &'static [&'static ApplicationEntry]) -> Registry {
    let with_card = |card: &Card| {
        let mut entry = *AlgorithmEntry::of::<CountingAlgorithm>();
        entry.card = *card;
        &*Box::leak(Box::new(entry))
    };
    let entries: Vec<&'static AlgorithmEntry> = cards.iter().map(with_card).collect();
    Registry { algorithms: entries.leak(), applications }
}
