//! How many clients there is room for: every client takes a descriptor, and so does everything else of a process.
//!
//! Invariant: what is reserved is never a client's, and watchers take nothing from requests.

use std::fs;

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// How many watchers there may be: each has a queue.
pub const WATCHERS_MAX: usize = 128;
/// How many connections may wait for requests.
pub const REQUESTS_MAX: usize = 128;
/// Descriptors that a process opens for a while: a save, a start of a process, a session file that is opened again, a
/// client that is turned away.
const HEADROOM: u64 = 32;
/// The least limit that POSIX allows.
const LIMIT_MIN: u64 = 20;

/// How many clients there is room for.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct Room {
    pub watchers: usize,
    /// Connections for requests.
    pub requests: usize,
}

impl Room {
    /// Room for both, in a process that will need `later` descriptors besides those that are open now. Raises this
    /// process's limit of open files to what it needs, if the system allows that; if not, there is less room.
    pub fn for_clients(later: u64) -> Room {
        Room::within(REQUESTS_MAX, later)
    }

    /// The same in a process that takes no requests.
    pub fn for_watchers(later: u64) -> Room {
        Room::within(0, later)
    }

    fn within(requests_max: usize, later: u64) -> Room {
        let reserved = open_now() + later + HEADROOM;
        let limit = raised_limit(reserved + (requests_max + WATCHERS_MAX) as u64);
        Room::divided(limit.saturating_sub(reserved), requests_max)
    }

    fn divided(free: u64, requests_max: usize) -> Room {
        let free = usize::try_from(free).unwrap_or(usize::MAX);
        let requests = requests_max.min(free.div_ceil(2));
        Room { requests, watchers: WATCHERS_MAX.min(free - requests) }
    }
}

/// How many descriptors this process has open.
fn open_now() -> u64 {
    // Elsewhere than on Linux this is the place where a process can see them.
    let places = ["/proc/self/fd", "/dev/fd"];
    places.iter().find_map(|place| fs::read_dir(place).ok()).map_or(0, |open| open.count() as u64)
}

/// This process's limit of open files, raised to this number if it is lower and the system allows it.
fn raised_limit(wanted: u64) -> u64 {
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return LIMIT_MIN };
    let raised = wanted.min(hard);
    if soft < raised && setrlimit(Resource::RLIMIT_NOFILE, raised, hard).is_ok() { raised } else { soft }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_come_first_and_nobody_gets_what_is_reserved() {
        let room = |free, requests_max| {
            let Room { watchers, requests } = Room::divided(free, requests_max);
            (requests, watchers)
        };
        let most = (REQUESTS_MAX, WATCHERS_MAX);
        assert_eq!([room(0, REQUESTS_MAX), room(1, REQUESTS_MAX), room(30, REQUESTS_MAX)], [(0, 0), (1, 0), (15, 15)]);
        assert_eq!([room(256, REQUESTS_MAX), room(u64::MAX, REQUESTS_MAX)], [most, most]);
        assert_eq!([room(0, 0), room(30, 0), room(300, 0)], [(0, 0), (0, 30), (0, WATCHERS_MAX)]);
    }
}
