//! What the elected process does as a master: it learns what is under way, takes up one service that nobody serves, and
//! watches those who serve the others.
//!
//! Invariant: a master takes up nothing before the others have had their time to answer.

use std::collections::BTreeSet;

use super::card as line;
use super::{Service, ServiceEffects, ServiceMessage, ServiceRole, ServiceTimer};
use protocol::{NodeId, NodeMap, SILENT_LOOKS, ServiceLog};

impl Service {
    pub(super) fn become_master(&mut self, fx: &mut ServiceEffects) {
        self.become_member(fx);
        self.mastery = ServiceRole::Recovers(BTreeSet::new());
        fx.set_timer(ServiceTimer::Settle, self.t);
    }

    pub(super) fn become_member(&mut self, fx: &mut ServiceEffects) {
        if self.mastery != ServiceRole::Member {
            self.mastery = ServiceRole::Member;
            for timer in [ServiceTimer::Settle, ServiceTimer::Recover, ServiceTimer::Watch] {
                fx.cancel_timer(timer);
            }
        }
    }

    /// A process tells the master of the service for its user.
    pub(super) fn take_request(&mut self, from: NodeId, log: ServiceLog, fx: &mut ServiceEffects) {
        self.learn(log, fx);
        let Some(known) = self.cells.accounts.get(&log.id.node).copied() else { return };
        match self.mastery {
            ServiceRole::Watches(_) if known.server.is_none() => {
                fx.line(line::ANOTHER);
                fx.elect();
            }
            _ if known > log && from != self.me => fx.send(from, ServiceMessage::Log(known)),
            _ => {}
        }
    }

    /// A new master has heard the others: it takes up one service that nobody serves. The next one is for the next
    /// master, which may be another by then.
    pub(super) fn recover(&mut self, fx: &mut ServiceEffects) {
        let ServiceRole::Recovers(served) = std::mem::replace(&mut self.mastery, ServiceRole::Watches(NodeMap::new()))
        else {
            return;
        };
        let is_left = |log: &&ServiceLog| {
            let asker = log.id.node;
            self.is_open(log) && !served.contains(&asker) && !self.serves.contains(&asker)
        };
        let left: Vec<ServiceLog> = self.cells.accounts.values().filter(is_left).copied().collect();
        fx.line(line::GO_ON);
        // Also of what is finished: somebody may still serve it.
        for log in self.cells.accounts.values().filter(|log| !is_left(log)) {
            self.others.iter().for_each(|other| fx.send(other, ServiceMessage::Log(*log)));
        }
        if let Some(first) = left.first() {
            self.take_up(*first, fx);
        }
        self.become_active(fx);
        if left.len() > 1 {
            fx.line(line::ANOTHER);
            fx.elect();
        }
        fx.set_timer(ServiceTimer::Watch, self.check + self.pace);
    }

    fn take_up(&mut self, log: ServiceLog, fx: &mut ServiceEffects) {
        fx.line(line::TAKE_UP);
        self.serves.insert(log.id.node);
        self.keep(ServiceLog { turn: log.turn.saturating_add(1), server: Some(self.me), ..log }, fx);
    }

    /// The master looks whether the servers tell of what they do.
    pub(super) fn watch(&mut self, fx: &mut ServiceEffects) {
        let others: Vec<NodeId> = (self.cells.accounts.iter())
            .filter(|(asker, log)| self.is_open(log) && !self.serves.contains(asker))
            .map(|(asker, _)| *asker)
            .collect();
        let ServiceRole::Watches(looks) = &mut self.mastery else { return };
        looks.retain(|asker, _| others.contains(asker));
        others.iter().for_each(|asker| *looks.get_or_default(*asker) += 1);
        if looks.values().any(|looks| *looks > SILENT_LOOKS) {
            looks.clear();
            fx.line(line::SILENT);
            fx.elect();
        }
        fx.set_timer(ServiceTimer::Watch, self.check + self.pace);
    }

    /// The server of this asker's service has told how far it is.
    pub(super) fn hear_server_of(&mut self, asker: NodeId) {
        match &mut self.mastery {
            ServiceRole::Recovers(served) => drop(served.insert(asker)),
            ServiceRole::Watches(looks) => drop(looks.remove(&asker)),
            ServiceRole::Member => {}
        }
    }
}
