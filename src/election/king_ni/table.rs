//! The transition tables of King, Gendreau and Ni 1988 as data, and what takes a process through them.
//!
//! A row has the columns of the paper: the present phase, the event, what else must hold, what becomes of `S`, `Y` and
//! `ms`, what is sent, the timer, the next phase. A column in which the paper has nothing is left out. So the listing of
//! the paper pane is the rows themselves ([`listing`]), and nothing else states a transition.
//!
//! A mend of a hole is a row too. The mends are tried before the paper's rows, each unless its hole is left open.
//!
//! Invariant: an event for which no row fits changes nothing and sends nothing.

use std::fmt::Debug;

use super::Hole;
use protocol::{Algorithm, Course, Effects, Line, LineNumber, LineTaker, NodeId, Status, Transition};

protocol::worded! {
    /// A phase of the tables.
    #[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
    pub(super) enum Phase {
        Start = "start",
        Wait = "wait",
        Normal = "normal",
        Collect = "collect",
        Coll1 = "coll1",
        Coll2 = "coll2",
        Coll3 = "coll3",
        /// In place of coll2, the rounds of an agreement (section 5.3).
        Rounds = "rounds",
        Wait1 = "wait1",
        Wait2 = "wait2",
        Wait3 = "wait3",
        Master = "master",
        Stop = "stop",
        Help = "help",
        /// The process has been killed.
        Fail = "fail",
    }
}

protocol::worded! {
    /// What comes in. `j` is the sender.
    #[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
    pub(super) enum Event {
        Starts = "starts",
        Begins = "begins",
        TimeOut = "time-out",
        /// No row of it is ever taken, for a process that is killed takes no more steps.
        Fault = "fault (the process is killed)",
        Value = "w from j",
        Init = "init,w from j",
        Vect = "vect,Sj from j",
        Elected = "elected from j",
        Dup = "dup k,l",
        /// Mended, what was remembered in coll1 counts when coll2 begins.
        Remembered = "after 8, and elected or dup are remembered",
        Ask = "ask",
        Query = "query of a follower from an earlier election",
        Claim = "claim of a master",
    }
}

/// A machine that is a table.
pub(super) trait TableMachine: Algorithm {
    /// What a row sees of the input, beside its event.
    type Heard: Debug + 'static;
    /// The rows of the paper, in its order.
    const PAPER: &'static [Row<Self>];
    /// The mends, in the order in which they are tried.
    const MENDS: &'static [Row<Self>];

    /// The present phase.
    fn phase(&self) -> Phase;
    /// Whether that hole is mended.
    fn mends(&self, hole: Hole) -> bool;
    /// Before a row does anything: it leads to that phase.
    fn leave(&mut self, _: Phase, _: &mut Effects<Self>) {}
    /// After all that a row does: that is the phase now.
    fn enter(&mut self, phase: Phase, fx: &mut Effects<Self>);
    /// Sets the timer of the table to that many T.
    fn set_table_timer(&self, times: u64, fx: &mut Effects<Self>);
}

/// What must hold, in the paper's words and as a condition on the machine, the input and the capacity of this moment.
#[derive(Debug)]
pub(super) struct Guard<M: TableMachine> {
    says: &'static str,
    holds: fn(&M, &M::Heard, i64) -> bool,
}

/// Something that a row does, in the paper's words and as what it does.
#[derive(Debug)]
pub(super) struct Act<M: TableMachine> {
    says: &'static str,
    does: fn(&mut M, &M::Heard, &mut Effects<M>),
}

/// A transition.
#[derive(Debug)]
pub(super) struct Row<M: TableMachine> {
    line: LineNumber,
    /// Where it stands, if not in the paper's table under its phase.
    procedure: Option<&'static str>,
    mends: Option<Hole>,
    phases: [Option<Phase>; Transition::PHASES_MAX],
    events: [Option<Event>; Transition::EVENTS_MAX],
    guard: Option<Guard<M>>,
    sets: Option<Act<M>>,
    sends: Option<Act<M>>,
    timer: Option<u64>,
    next: Option<Phase>,
    after: After,
}

/// What follows a row.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
enum After {
    End,
    /// The rows below are tried too.
    RowsBelow,
}

impl<M: TableMachine> Guard<M> {
    pub const CANDIDATE: Guard<M> = Guard::new("a candidate", |_, _, capacity| capacity >= 0);
    pub const NOT_CANDIDATE: Guard<M> = Guard::new("not a candidate", |_, _, capacity| capacity < 0);

    pub const fn new(says: &'static str, holds: fn(&M, &M::Heard, i64) -> bool) -> Guard<M> {
        Guard { says, holds }
    }
}

impl<M: TableMachine> Act<M> {
    pub const fn new(says: &'static str, does: fn(&mut M, &M::Heard, &mut Effects<M>)) -> Act<M> {
        Act { says, does }
    }
}

/// A row of the paper.
pub(super) const fn row<M: TableMachine>(line: LineNumber, phase: Phase, event: Event) -> Row<M> {
    Row {
        line,
        procedure: None,
        mends: None,
        phases: [Some(phase), None, None, None],
        events: [Some(event), None],
        guard: None,
        sets: None,
        sends: None,
        timer: None,
        next: None,
        after: After::End,
    }
}

/// A row that mends a hole.
pub(super) const fn mend<M: TableMachine>(hole: Hole, line: LineNumber, phases: &[Phase], event: Event) -> Row<M> {
    Row { mends: Some(hole), ..beside(hole.word(), line, phases, event) }
}

/// A row that the paper does not have, or not for all of these phases.
pub(super) const fn beside<M: TableMachine>(
    procedure: &'static str,
    line: LineNumber,
    phases: &[Phase],
    event: Event,
) -> Row<M> {
    let mut row = row(line, phases[0], event);
    row.procedure = Some(procedure);
    let mut place = 1;
    while place < phases.len() {
        row.phases[place] = Some(phases[place]);
        place += 1;
    }
    row
}

/// The columns that may be blank.
impl<M: TableMachine> Row<M> {
    /// Another event that counts.
    pub const fn or(self, event: Event) -> Row<M> {
        Row { events: [self.events[0], Some(event)], ..self }
    }

    /// What must hold besides.
    pub const fn given(self, guard: Guard<M>) -> Row<M> {
        Row { guard: Some(guard), ..self }
    }

    /// What becomes of `S`, `Y` and `ms`.
    pub const fn sets(self, act: Act<M>) -> Row<M> {
        Row { sets: Some(act), ..self }
    }

    /// What is sent.
    pub const fn sends(self, act: Act<M>) -> Row<M> {
        Row { sends: Some(act), ..self }
    }

    /// To how many T the timer is set. Without it the running timer is left alone.
    pub const fn timer(self, times: u64) -> Row<M> {
        Row { timer: Some(times), ..self }
    }

    /// The next phase.
    pub const fn to(self, next: Phase) -> Row<M> {
        Row { next: Some(next), ..self }
    }

    /// The rows below are tried too.
    pub const fn goes_on(self) -> Row<M> {
        Row { after: After::RowsBelow, ..self }
    }

    fn fits(&self, machine: &M, event: Event, heard: &M::Heard, capacity: i64) -> bool {
        self.events.contains(&Some(event))
            && self.phases.contains(&Some(machine.phase()))
            && self.mends.is_none_or(|hole| machine.mends(hole))
            && self.guard.as_ref().is_none_or(|guard| (guard.holds)(machine, heard, capacity))
    }

    fn take(&self, machine: &mut M, heard: &M::Heard, fx: &mut Effects<M>) {
        fx.line(self.line);
        if let Some(next) = self.next {
            machine.leave(next, fx);
        }
        for act in [&self.sets, &self.sends].into_iter().flatten() {
            (act.does)(machine, heard, fx);
        }
        if let Some(times) = self.timer {
            machine.set_table_timer(times, fx);
        }
        if let Some(next) = self.next {
            machine.enter(next, fx);
        }
    }

    /// The row as the listing has it.
    const fn as_line(&self) -> Line {
        let mut phases = [None; Transition::PHASES_MAX];
        let mut place = 0;
        while place < phases.len() {
            phases[place] = word(self.phases[place]);
            place += 1;
        }
        let transition = Transition {
            phases,
            events: [event_word(self.events[0]), event_word(self.events[1])],
            guard: match &self.guard {
                Some(guard) => guard.says,
                None => "",
            },
            sets: said(&self.sets),
            sends: said(&self.sends),
            timer: match self.timer {
                None => "",
                Some(1) => "timer T",
                Some(2) => "timer 2T",
                Some(3) => "timer 3T",
                Some(5) => "timer 5T",
                Some(_) => panic!("no words for this timer"),
            },
            next: word(self.next),
        };
        let procedure = match (self.procedure, phases[0]) {
            (Some(procedure), _) | (None, Some(procedure)) => procedure,
            (None, None) => "",
        };
        let is_of_killed = matches!((self.phases[0], self.events[0]), (Some(Phase::Fail), _) | (_, Some(Event::Fault)));
        let taken_by = if is_of_killed { LineTaker::Killed } else { LineTaker::Running };
        Line { taken_by, ..Line::of_row(self.line, procedure, transition) }
    }
}

const fn word(phase: Option<Phase>) -> Option<&'static str> {
    match phase {
        Some(phase) => Some(phase.word()),
        None => None,
    }
}

const fn event_word(event: Option<Event>) -> Option<&'static str> {
    match event {
        Some(event) => Some(event.word()),
        None => None,
    }
}

const fn said<M: TableMachine>(act: &Option<Act<M>>) -> &'static str {
    match act {
        Some(act) => act.says,
        None => "",
    }
}

/// Takes the machine through the first row that fits, the mends before the paper's.
pub(super) fn step<M: TableMachine>(machine: &mut M, event: Event, heard: &M::Heard, fx: &mut Effects<M>) {
    for row in M::MENDS.iter().chain(M::PAPER) {
        if row.fits(machine, event, heard, fx.capacity()) {
            row.take(machine, heard, fx);
            if row.after == After::End {
                return;
            }
        }
    }
}

/// The listing of a machine: the paper's rows, the mends, these lines beside them, and these of the watch. `N` is how many
/// there are.
pub(super) const fn listing<M: TableMachine, const N: usize>(beside: &[Line], watch: &[Line]) -> [Line; N] {
    let mut lines = [Line::new(0, "", ""); N];
    let (mends, others) = (M::PAPER.len(), M::PAPER.len() + M::MENDS.len());
    let of_watch = others + beside.len();
    let mut place = 0;
    while place < N {
        lines[place] = match place {
            _ if place < mends => M::PAPER[place].as_line(),
            _ if place < others => M::MENDS[place - mends].as_line(),
            _ if place < of_watch => beside[place - others],
            _ => watch[place - of_watch],
        };
        place += 1;
    }
    lines
}

impl Phase {
    /// Whether the table has come to its end.
    pub fn is_final(self) -> bool {
        matches!(self, Phase::Master | Phase::Stop | Phase::Help)
    }

    /// What all algorithms call it.
    pub fn status(self) -> Status {
        match self {
            Phase::Start | Phase::Normal => Status::Down,
            Phase::Master | Phase::Stop => Status::Normal,
            _ => Status::Election,
        }
    }

    /// The same, where to the letter a process may come to stop without a master.
    pub fn status_under(self, master: Option<NodeId>) -> Status {
        if self == Phase::Stop && master.is_none() { Status::Election } else { self.status() }
    }

    /// How far an election has come.
    pub fn course(self) -> Course {
        match self {
            Phase::Start | Phase::Normal => Course::Idle,
            Phase::Master | Phase::Stop => Course::AtRest,
            Phase::Help => Course::Help,
            _ => Course::Electing,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::{a::AlgorithmA, b1::AlgorithmB1, b2::AlgorithmB2, c::AlgorithmC};
    use super::*;

    /// The phases that a process can be in.
    fn phases<M: TableMachine>() -> BTreeSet<&'static str> {
        let rows = || M::PAPER.iter().chain(M::MENDS);
        let named = rows().flat_map(|row| row.phases.into_iter().chain([row.next])).flatten();
        named.filter(|phase| *phase != Phase::Fail).map(Phase::word).collect()
    }

    fn words<M: TableMachine>() -> BTreeSet<&'static str> {
        M::CARD.words.iter().copied().collect()
    }

    #[test]
    fn a_card_lists_the_phases_of_its_table() {
        assert_eq!(words::<AlgorithmA>(), phases::<AlgorithmA>());
        assert_eq!(words::<AlgorithmB1>(), phases::<AlgorithmB1>());
        assert_eq!(words::<AlgorithmB2>(), phases::<AlgorithmB2>());
        assert_eq!(words::<AlgorithmC>(), phases::<AlgorithmC>());
    }

    #[test]
    fn a_row_reads_as_in_the_paper() {
        let told = |number| AlgorithmC::CARD.listing.iter().find(|line| line.number == number).unwrap();
        for (number, procedure, text) in [
            (1, "normal", "begins, a candidate: S={(i,v)}; broadcast init,v; timer 2T; to coll1"),
            (6, "coll1", "init,w from j: S+=(j,w)"),
            (19, "wait2", "elected from j, j is not ms: broadcast dup ms,j; to wait3"),
            (102, "mend of hole 2", "coll1: elected from j or dup k,l: remember the names"),
            (113, "mend of hole 3", "wait2, wait3: dup k,l, of a later round: timer 2T; to wait3"),
        ] {
            assert_eq!((told(number).procedure, told(number).text().as_ref()), (procedure, text));
        }
    }

    #[test]
    fn only_the_killed_go_through_fault_and_fail() {
        let killed = AlgorithmB2::CARD.listing.iter().filter(|line| line.taken_by == LineTaker::Killed);
        assert_eq!(killed.map(|line| line.number).collect::<Vec<_>>(), [4, 7, 10, 11]);
    }
}
