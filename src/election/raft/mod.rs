//! Raft's election: terms, votes, and time-outs by chance (Ongaro and Ousterhout 2014, section 5.2 and figure 2). There is
//! no log, so no candidate is behind another one, and a heartbeat appends nothing.
//!
//! `check` is the period of the heartbeats. An election time-out lasts from `silence` to twice that, by chance, each time
//! anew.
//!
//! Invariant: the term and the vote in it are kept before a message of the step leaves: so nobody votes twice in a term.

mod card;
mod message;
#[cfg(test)]
mod tests;

use card as line;
pub use message::{Message, TermNumber};
use serde::{Deserialize, Serialize};

use protocol::{Algorithm, Card, Effect, Effects, NodeId, NodeSet, Setup, StateVector, Status, Timing};

/// One server.
#[derive(Clone, Eq, PartialEq, Hash, Debug)]
pub struct Raft {
    me: NodeId,
    others: NodeSet,
    timing: Timing,
    cells: Persistent,
    role: ServerRole,
}

/// The paper's persistent state.
#[derive(Copy, Clone, Default, Eq, PartialEq, Hash, Debug, Serialize, Deserialize)]
pub struct Persistent {
    /// `currentTerm`: the latest term that it has seen.
    pub term: TermNumber,
    /// `votedFor`: who has its vote in this term.
    pub voted_for: Option<NodeId>,
}

#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
enum ServerRole {
    /// Follows the leader of its term, if it has heard of one.
    Follower(Option<NodeId>),
    /// Stands, and these have voted for it.
    Candidate(NodeSet),
    Leader,
}

protocol::worded! {
    /// What a server waits for.
    #[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
    pub enum Timer {
        /// The election time-out.
        Election = "election time-out",
        /// The next heartbeat is due.
        Heartbeat = "heartbeat",
    }
}

impl Algorithm for Raft {
    type Message = Message;
    type Timer = Timer;
    type Saved = Persistent;
    const CARD: Card = card::CARD;

    fn start(setup: &Setup, saved: Option<Persistent>, fx: &mut Effects<Raft>) -> Raft {
        fx.line(line::START);
        let others = setup.roster.others(setup.me);
        let (cells, role) = (saved.unwrap_or_default(), ServerRole::Follower(None));
        let raft = Raft { me: setup.me, others, timing: setup.timing, cells, role };
        raft.begin_time_out(fx);
        raft
    }

    fn on_message(&mut self, from: NodeId, message: Message, fx: &mut Effects<Raft>) {
        let kept = self.cells;
        if message.term() > self.cells.term {
            fx.line(line::NEWER_TERM);
            self.cells = Persistent { term: message.term(), voted_for: None };
            self.become_follower(None, fx);
        }
        match message {
            Message::RequestVote { term } => self.request_vote(from, term, fx),
            Message::RequestVoteAnswer { term, granted: true } if term == self.cells.term => self.count(from, fx),
            Message::AppendEntries { term } => self.append_entries(from, term, fx),
            Message::RequestVoteAnswer { .. } | Message::AppendEntriesAnswer { .. } => {}
        }
        if self.cells != kept {
            fx.save_first(self.cells);
        }
    }

    fn on_timer(&mut self, timer: Timer, fx: &mut Effects<Raft>) {
        match timer {
            Timer::Election => {
                fx.line(line::TIME_OUT);
                self.become_candidate(fx);
            }
            Timer::Heartbeat => self.beat(fx),
        }
    }

    fn on_elect(&mut self, fx: &mut Effects<Raft>) {
        self.become_candidate(fx);
    }

    fn waits_for(&self, timer: Timer) -> NodeSet {
        match (timer, self.role) {
            (Timer::Election, ServerRole::Follower(Some(leader))) => NodeSet::of(leader),
            _ => NodeSet::EMPTY,
        }
    }

    fn state(&self) -> StateVector {
        let (status, word, leader) = match self.role {
            ServerRole::Follower(None) => (Status::Election, "Follower", None),
            ServerRole::Follower(leader) => (Status::Normal, "Follower", leader),
            ServerRole::Candidate(_) => (Status::Election, "Candidate", None),
            ServerRole::Leader => (Status::Normal, "Leader", Some(self.me)),
        };
        StateVector { election: Some(self.cells.term), ..StateVector::new(status, word, leader) }
    }
}

impl Raft {
    /// The receiver of the RequestVote call.
    fn request_vote(&mut self, candidate: NodeId, term: TermNumber, fx: &mut Effects<Raft>) {
        let granted = term == self.cells.term && self.cells.voted_for.is_none_or(|other| other == candidate);
        if granted {
            fx.line(line::GRANT);
            self.cells.voted_for = Some(candidate);
            self.begin_time_out(fx);
        } else {
            fx.line(line::REFUSE);
        }
        fx.send(candidate, Message::RequestVoteAnswer { term: self.cells.term, granted });
    }

    /// The receiver of the AppendEntries call.
    fn append_entries(&mut self, leader: NodeId, term: TermNumber, fx: &mut Effects<Raft>) {
        if term == self.cells.term {
            fx.line(line::FOLLOW);
            self.become_follower(Some(leader), fx);
            self.begin_time_out(fx);
        } else {
            fx.line(line::REFUSE_OLD);
        }
        fx.send(leader, Message::AppendEntriesAnswer { term: self.cells.term });
    }

    fn become_follower(&mut self, leader: Option<NodeId>, fx: &mut Effects<Raft>) {
        if self.role == ServerRole::Leader {
            fx.cancel_timer(Timer::Heartbeat);
            self.begin_time_out(fx);
        }
        self.role = ServerRole::Follower(leader);
    }

    fn become_candidate(&mut self, fx: &mut Effects<Raft>) {
        if self.role == ServerRole::Leader {
            fx.cancel_timer(Timer::Heartbeat);
        }
        fx.line(line::STAND);
        self.cells = Persistent { term: self.cells.term + 1, voted_for: Some(self.me) };
        fx.save(self.cells);
        self.role = ServerRole::Candidate(NodeSet::EMPTY);
        self.begin_time_out(fx);
        fx.send_each(self.others, Message::RequestVote { term: self.cells.term });
        self.count(self.me, fx);
    }

    /// A vote in its own term. It counts for a candidate, once.
    fn count(&mut self, voter: NodeId, fx: &mut Effects<Raft>) {
        let ServerRole::Candidate(votes) = &mut self.role else { return };
        fx.line(line::COUNT);
        votes.insert(voter);
        if 2 * votes.len() > self.others.len() + 1 {
            self.become_leader(fx);
        }
    }

    fn become_leader(&mut self, fx: &mut Effects<Raft>) {
        fx.line(line::LEAD);
        self.role = ServerRole::Leader;
        fx.cancel_timer(Timer::Election);
        self.beat(fx);
    }

    fn beat(&self, fx: &mut Effects<Raft>) {
        fx.line(line::BEAT);
        fx.send_each(self.others, Message::AppendEntries { term: self.cells.term });
        fx.set_timer(Timer::Heartbeat, self.timing.check);
    }

    fn begin_time_out(&self, fx: &mut Effects<Raft>) {
        let (shortest, longest) = (self.timing.silence, self.timing.silence * 2);
        fx.add(Effect::SetTimer { timer: Timer::Election, shortest, longest });
    }
}
