//! What processes tell each other of services.
//!
//! Invariant: each message holds one account, and the newer of two accounts counts; so one that is lost, late or doubled
//! does no harm.

use serde::{Deserialize, Serialize};

use protocol::{Described, ServiceLog};

/// A message of the service.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Serialize, Deserialize)]
pub enum ServiceMessage {
    /// To the master: a user of the sender asks for this.
    Ask(ServiceLog),
    /// To all: the sender is the new master, and asks what is under way.
    Tell,
    /// This is how far a service is.
    Log(ServiceLog),
}

impl Described for ServiceMessage {
    fn kind(&self) -> &'static str {
        match self {
            ServiceMessage::Ask(_) => "Ask",
            ServiceMessage::Tell => "Tell",
            ServiceMessage::Log(_) => "Log",
        }
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        match self {
            ServiceMessage::Ask(log) | ServiceMessage::Log(log) => {
                let server = log.server.map_or_else(|| "-".to_owned(), |server| server.to_string());
                vec![("service", log.id.to_string()), ("done", log.done.to_string()), ("server", server)]
            }
            ServiceMessage::Tell => Vec::new(),
        }
    }
}
