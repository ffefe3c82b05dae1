//! An election of one's own, from end to end: of the processes that are up, the one with the lowest id coordinates.
//!
//! Each process tells all others once a period that it is here. A process that is silent for too long is down. Each
//! names the lowest id that it hears. `cargo run --example my_election -- up src/examples/my_election.toml` opens the screen.

use std::fmt;
use std::process::ExitCode;

use hustings::App;
use hustings::protocol::{
    Algorithm, Card, Described, Effects, Formula, NodeId, NodeSet, Property, Rank, Setup, Span, StateVector, Status,
};
use serde::{Deserialize, Serialize};

fn main() -> ExitCode {
    App::new().with::<MyElection>().main()
}

#[derive(Clone, Eq, PartialEq, Hash, Debug)]
struct MyElection {
    others: NodeSet,
    check: Span,
    silence: Span,
    /// Those that it hears, and itself.
    up: NodeSet,
}

#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
struct Here;

impl Described for Here {
    fn kind(&self) -> &'static str {
        "Here"
    }
}

#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
enum Timer {
    /// Is time to say that it is here.
    Say,
    /// This process has been silent for too long.
    Silent(NodeId),
}

impl fmt::Display for Timer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl Algorithm for MyElection {
    type Message = Here;
    type Timer = Timer;
    type Saved = ();
    const CARD: Card = Card {
        rank: Rank::LowerId,
        messages: &["Here"],
        periodic: &["Here"],
        promises: &[Property::EndState],
        quiet_bound: Formula { text: "silence + 2 check + T", value: |t, _, _| t.silence + t.check * 2 + t.t },
        ..Card::new("my-election", "My election")
    };

    fn start(setup: &Setup, _: Option<()>, fx: &mut Effects<MyElection>) -> MyElection {
        let up = NodeSet::of(setup.me);
        let (check, silence) = (setup.timing.check, setup.timing.silence + setup.timing.check);
        let mut process = MyElection { others: setup.roster.others(setup.me), check, silence, up };
        process.on_elect(fx);
        process
    }

    fn on_message(&mut self, from: NodeId, _: Here, fx: &mut Effects<MyElection>) {
        self.up.insert(from);
        fx.set_timer(Timer::Silent(from), self.silence);
    }

    fn on_timer(&mut self, timer: Timer, fx: &mut Effects<MyElection>) {
        match timer {
            Timer::Say => self.on_elect(fx),
            Timer::Silent(node) => drop(self.up.remove(node)),
        }
    }

    fn on_elect(&mut self, fx: &mut Effects<MyElection>) {
        fx.send_each(self.others, Here);
        fx.set_timer(Timer::Say, self.check);
    }

    fn waits_for(&self, timer: Timer) -> NodeSet {
        if let Timer::Silent(node) = timer { NodeSet::of(node) } else { NodeSet::EMPTY }
    }

    fn state(&self) -> StateVector {
        StateVector::new(Status::Normal, "Normal", self.up.iter().next())
    }
}
