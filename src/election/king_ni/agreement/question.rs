//! What a process has asked and heard: how the last election ended, or that one is under way.
//!
//! One word is worth nothing: t+1 must say the same, for then one of them is correct.
//!
//! Invariant: an answer counts for the open call alone, and once for each process.

use super::super::ElectionNumber;
use protocol::{CallNumber, CallNumbers, Incarnation, NodeId, NodeMap, Order};

/// What a process was told of an election.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub enum LastOutcome {
    /// Is under way.
    UnderWay,
    /// Is over, and this is the master since then, if there is one.
    Ended(Option<NodeId>),
}

/// The open call, its answers, and what waits for its end.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct OpenQuestion {
    numbers: CallNumbers,
    open: Option<CallNumber>,
    answers: NodeMap<(ElectionNumber, LastOutcome)>,
    /// The election of which a master has claimed that this process does not follow.
    pub claimed: Option<ElectionNumber>,
    /// Since its start it has heard the init of an election in which it takes no part.
    pub has_missed: bool,
    /// Since it asked it has heard a call, or the init of an election that is later than the next: somebody wants one,
    /// and cannot have it.
    pub is_called_for: bool,
    /// The first word of the master is overdue.
    pub is_overdue: bool,
    /// An order to begin that came before its time.
    pub waiting: Option<Order>,
}

impl OpenQuestion {
    /// Nothing asked yet.
    pub fn new(incarnation: Incarnation) -> OpenQuestion {
        OpenQuestion {
            numbers: CallNumbers::new(incarnation),
            open: None,
            answers: NodeMap::new(),
            claimed: None,
            has_missed: false,
            is_called_for: false,
            is_overdue: false,
            waiting: None,
        }
    }

    /// A new call; earlier answers are forgotten.
    pub fn open(&mut self) -> CallNumber {
        let call = self.numbers.give_out();
        self.answers.clear();
        self.open = Some(call);
        call
    }

    /// No answer counts from now on, and what was remembered until now is forgotten; but an order goes on waiting.
    pub fn close(&mut self) {
        self.closed();
    }

    /// The same, and what it was.
    pub fn closed(&mut self) -> OpenQuestion {
        let OpenQuestion { numbers, waiting, .. } = self.clone();
        let closed = OpenQuestion {
            numbers,
            open: None,
            answers: NodeMap::new(),
            claimed: None,
            has_missed: false,
            is_called_for: false,
            is_overdue: false,
            waiting,
        };
        std::mem::replace(self, closed)
    }

    /// An answer came; returns whether it counts.
    pub fn take(&mut self, from: NodeId, call: CallNumber, answer: (ElectionNumber, LastOutcome)) -> bool {
        let counts = self.open == Some(call);
        if counts {
            self.answers.insert(from, answer);
        }
        counts
    }

    /// An init of that process came that starts nobody here: it says as much as the word that its election is under
    /// way.
    pub fn hear_of(&mut self, node: NodeId, election: ElectionNumber) {
        self.answers.insert(node, (election, LastOutcome::UnderWay));
    }

    /// How many processes have answered.
    pub fn answered(&self) -> usize {
        self.answers.len()
    }

    /// The elections that were named.
    pub fn named(&self) -> impl Iterator<Item = ElectionNumber> {
        self.answers.values().map(|(election, _)| *election)
    }

    /// Whether anybody says that an election is under way, another one than this.
    pub fn is_another_under_way(&self, own: Option<ElectionNumber>) -> bool {
        self.answers.values().any(|(other, told)| *told == LastOutcome::UnderWay && Some(*other) != own)
    }

    /// The master that `enough` name, of the same election; of several the one of the highest.
    pub fn agreed_master(&self, enough: usize) -> Option<(ElectionNumber, NodeId)> {
        let named = self.answers.values().filter_map(|(election, told)| match told {
            LastOutcome::Ended(Some(master)) => Some((*election, *master)),
            _ => None,
        });
        named.filter(|(election, master)| self.alike(*election, LastOutcome::Ended(Some(*master))) >= enough).max()
    }

    /// Whether anybody has named a later election than this.
    pub fn names_later(&self, election: ElectionNumber) -> bool {
        self.answers.values().any(|(other, _)| *other > election)
    }

    /// The highest election after which `enough` say that there is no master.
    pub fn agreed_on_none(&self, enough: usize) -> Option<ElectionNumber> {
        let elections = self.answers.values().map(|(election, _)| *election);
        elections.filter(|election| self.alike(*election, LastOutcome::Ended(None)) >= enough).max()
    }

    /// Whether `enough` say alike how that election, or a later one, has ended.
    pub fn is_over(&self, election: ElectionNumber, enough: usize) -> bool {
        let under_master = self.agreed_master(enough).map(|(last, _)| last);
        under_master.max(self.agreed_on_none(enough)).is_some_and(|last| last >= election)
    }

    /// The highest number of which `enough` say that this election or a later one is under way.
    pub fn under_way(&self, enough: usize) -> Option<ElectionNumber> {
        let is_under_way = |(_, told): &&(ElectionNumber, LastOutcome)| *told == LastOutcome::UnderWay;
        let mut elections: Vec<_> = self.answers.values().filter(is_under_way).map(|(election, _)| *election).collect();
        elections.sort();
        elections.len().checked_sub(enough).map(|place| elections[place])
    }

    /// Whether `enough`, this process among them, are after that election under that master.
    pub fn confirms(&self, election: ElectionNumber, master: Option<NodeId>, enough: usize) -> bool {
        self.alike(election, LastOutcome::Ended(master)) + 1 >= enough
    }

    fn alike(&self, election: ElectionNumber, told: LastOutcome) -> usize {
        self.answers.values().filter(|answer| **answer == (election, told)).count()
    }
}
