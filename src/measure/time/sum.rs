//! What the trials of one point come to.
//!
//! Means are taken over even weather, whose delays have one law; the worst of all also over drawn weather, which may be
//! anything that the assumptions allow.
//!
//! Invariant: it does not depend on the order of the trials.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::super::Sample;
use super::ground::{RestTime, RestTrial};

/// Trials of one point, added up.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct TimeSum {
    /// From the common start.
    pub start: WeatherSum,
    /// From what befell the processes then.
    pub fault: WeatherSum,
}

/// Times, by weather.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct WeatherSum {
    /// In even weather.
    pub even: RestSum,
    /// In drawn weather.
    pub drawn: RestSum,
}

/// Times of one kind and weather, in microseconds.
#[derive(Copy, Clone, Default, Eq, PartialEq, Debug, Serialize, Deserialize)]
pub struct RestSum {
    /// How many trials there were.
    pub held: u64,
    /// Until the first process left its rest.
    pub noticed_us: Sample,
    /// From then on until all were at rest.
    pub election_us: Sample,
    /// Both together.
    pub whole_us: Sample,
}

impl TimeSum {
    /// One more trial in each weather.
    pub fn add(&mut self, even: &RestTrial, drawn: &RestTrial) {
        self.start.add(even.start, drawn.start);
        self.fault.add(even.fault, drawn.fault);
    }
}

impl WeatherSum {
    fn add(&mut self, even: Option<RestTime>, drawn: Option<RestTime>) {
        self.even.add(even);
        self.drawn.add(drawn);
    }

    /// How many trials there were, in all weathers.
    pub fn held(&self) -> u64 {
        self.even.held + self.drawn.held
    }

    /// In how many of them not all came to rest.
    pub fn unsettled(&self) -> u64 {
        self.held() - self.even.whole_us.count - self.drawn.whole_us.count
    }

    /// The longest election.
    pub fn worst_election_us(&self) -> Option<u64> {
        self.even.election_us.most().max(self.drawn.election_us.most())
    }

    /// The longest of all.
    pub fn worst_whole_us(&self) -> Option<u64> {
        self.even.whole_us.most().max(self.drawn.whole_us.most())
    }
}

impl RestSum {
    /// One more trial; nothing if not all came to rest.
    pub fn add(&mut self, time: Option<RestTime>) {
        self.held += 1;
        let Some(RestTime { noticed_after, rest_after }) = time else { return };
        self.noticed_us.add(noticed_after.nanos() / 1_000);
        self.election_us.add(rest_after.saturating_sub(noticed_after).nanos() / 1_000);
        self.whole_us.add(rest_after.nanos() / 1_000);
    }
}

impl AddAssign for TimeSum {
    fn add_assign(&mut self, other: TimeSum) {
        self.start += other.start;
        self.fault += other.fault;
    }
}

impl AddAssign for WeatherSum {
    fn add_assign(&mut self, other: WeatherSum) {
        self.even += other.even;
        self.drawn += other.drawn;
    }
}

impl AddAssign for RestSum {
    fn add_assign(&mut self, other: RestSum) {
        self.held += other.held;
        self.noticed_us += other.noticed_us;
        self.election_us += other.election_us;
        self.whole_us += other.whole_us;
    }
}
