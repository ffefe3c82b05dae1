//! `--serve PORT`: the lab in a browser, state by state, until a signal comes.
//!
//! Invariant: it listens on 127.0.0.1 alone; its address is told once it listens there.

use std::net::{Ipv4Addr, TcpListener};
use std::num::NonZeroUsize;
use std::thread::sleep;
use std::time::Duration;

use super::super::code;
use super::super::output::{remark, say};
use super::super::signals::Signals;
use explore::{ExploreTerms, serve};

/// Between two looks at the signals, and at whether it still answers.
const LOOKS_APART: Duration = Duration::from_millis(50);

/// Serves the Explorer of this lab at this port, or at a free one if it is 0. Returns the exit code.
pub fn serve_until_told(terms: ExploreTerms, port: u16, states: u64, jobs: NonZeroUsize, signals: &mut Signals) -> u8 {
    let listening = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).and_then(|listener| {
        let address = listener.local_addr()?;
        Ok((listener, address))
    });
    let (listener, address) = match listening {
        Ok(listening) => listening,
        Err(error) => {
            remark(format!(
                "--serve {port}: cannot listen on 127.0.0.1:{port}: {error}; choose another port, or --serve 0 for a \
                 free one"
            ));
            return code::ENVIRONMENT;
        }
    };
    say(format!("http://{address}/ shows {} state by state; Ctrl-C ends it", terms.lab.name));
    let server = std::thread::spawn(move || serve(&terms, &listener, states, jobs));
    while !signals.has_come() {
        if server.is_finished() {
            remark(format!("--serve {port}: the pages at http://{address}/ have ended; start them again"));
            return code::FAILED;
        }
        sleep(LOOKS_APART);
    }
    code::MET
}
