//! `--serve PORT`: stateright's web Explorer of the lab, until a signal comes.
//!
//! Invariant: it listens on 127.0.0.1 alone; its address is told when it answers there.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::num::NonZeroUsize;
use std::thread::sleep;
use std::time::Duration;

use super::super::code;
use super::super::signals::Signals;
use super::super::tell::{remark, say};
use crate::explore::{ExploreTerms, serve};

/// Between two looks at the signals, and at whether it answers.
const LOOKS_APART: Duration = Duration::from_millis(50);

/// Serves the Explorer of this lab at this port, or at a free one if it is 0. Returns the exit code.
pub fn serve_until_told(terms: ExploreTerms, port: u16, states: u64, jobs: NonZeroUsize, signals: &mut Signals) -> u8 {
    let address = match free(port) {
        Ok(address) => address,
        Err(error) => {
            remark(format!(
                "--serve {port}: cannot listen on 127.0.0.1:{port}: {error}; choose another port, or --serve 0 for a \
                 free one"
            ));
            return code::ENVIRONMENT;
        }
    };
    let name = terms.lab.name.clone();
    let server = std::thread::spawn(move || serve(&terms, address, states, jobs));
    let mut is_told = false;
    while !signals.has_come() {
        if server.is_finished() {
            remark(format!("--serve {port}: the Explorer at http://{address}/ has ended; start it again"));
            return code::FAILED;
        }
        if !is_told && TcpStream::connect(address).is_ok() {
            say(format!("http://{address}/ shows {name} in stateright's Explorer; Ctrl-C ends it"));
            is_told = true;
        }
        sleep(LOOKS_APART);
    }
    code::MET
}

/// The address, if nobody listens there. Stateright listens there itself, and says nothing of an error.
fn free(port: u16) -> io::Result<SocketAddr> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port))?.local_addr()
}
