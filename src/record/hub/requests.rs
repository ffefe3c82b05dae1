//! The door for requests: one a line, and each is answered before the next is read.
//!
//! When all places are taken and somebody comes, the connection that has waited longest without asking gives way.
//!
//! Invariant: the handler of requests is called where it may take its time, and no watcher waits for it. A request is
//! read whole or not at all, and a client that asks for nothing, or slowly, keeps nobody out.

use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream as BlockingStream;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use nix::sys::socket::{Shutdown, shutdown};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Notify;
use tokio::time::timeout;

use super::listener::{let_in, turn_away, write_all};
use crate::{Answer, Request};

/// A connection that has asked for nothing for this long is closed. A client may open another one at any time.
const IDLE_MAX: Duration = Duration::from_secs(10);
/// A longer request is refused, and its connection closed: nobody can tell where the next one would begin.
const REQUEST_BYTES_MAX: usize = 64 * 1024;

/// The handler of requests. It may block.
pub trait RequestHandler: Clone + Send + 'static {
    /// Carries a request out, except [`Request::End`].
    fn take(&self, request: Request) -> Answer;

    /// Ends the lab, and answers on this connection afterwards: the hub may be gone by then.
    fn end(&self, connection: BlockingStream);
}

/// Serves requests for ever, on this many connections at a time.
pub async fn serve_requests(listener: UnixListener, room: usize, taker: impl RequestHandler) {
    serve_the_patient(listener, room, IDLE_MAX, taker).await;
}

/// The same, with another time for those that ask for nothing.
pub(super) async fn serve_the_patient(listener: UnixListener, room: usize, idle: Duration, taker: impl RequestHandler) {
    let places = Arc::new(RequestPlaces { room, taken: Mutex::default() });
    let_in(listener, |stream| match places.take() {
        Some(place) => {
            let (places, taker) = (Arc::clone(&places), taker.clone());
            tokio::spawn(async move {
                attend(stream, idle, taker, &place).await;
                places.free(&place);
            });
        }
        None => {
            let why = format!("{room} other requests are being carried out, which is the maximum; ask again");
            turn_away(stream, &answer_line(&Answer::Refused { why }));
        }
    })
    .await;
}

/// The places of one door.
struct RequestPlaces {
    room: usize,
    taken: Mutex<Vec<Arc<RequestPlace>>>,
}

/// The place of one connection.
#[derive(Default)]
struct RequestPlace {
    /// Since when it has waited for a request; absent while one is carried out.
    waits_since: Mutex<Option<Instant>>,
    gives_way: Notify,
}

impl RequestPlaces {
    /// A place for one that has just come. If there is none, the one that has waited longest gives way, if one waits.
    fn take(&self) -> Option<Arc<RequestPlace>> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if taken.len() >= self.room {
            let waiting = taken.iter().enumerate().filter_map(|(index, place)| Some((place.waits_since()?, index)));
            let (_, longest) = waiting.min()?;
            taken.swap_remove(longest).gives_way.notify_one();
        }
        let place = Arc::new(RequestPlace::default());
        place.wait();
        taken.push(Arc::clone(&place));
        Some(place)
    }

    fn free(&self, place: &Arc<RequestPlace>) {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).retain(|other| !Arc::ptr_eq(other, place));
    }
}

impl RequestPlace {
    fn waits_since(&self) -> Option<Instant> {
        *self.waits_since.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self) {
        *self.waits_since.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    fn become_busy(&self) {
        *self.waits_since.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Writes an answer on a connection that was handed over; `false` if nobody reads it any more.
pub fn write_answer(connection: &mut BlockingStream, answer: &Answer) -> bool {
    connection.write_all(answer_line(answer).as_bytes()).is_ok()
}

fn answer_line(answer: &Answer) -> String {
    answer.to_line() + "\n"
}

/// Serves one connection until it closes, gives way, or asks for nothing or reads nothing for this long.
async fn attend<T: RequestHandler>(stream: UnixStream, idle: Duration, taker: T, place: &RequestPlace) {
    let mut read = Vec::new();
    let mut is_over = false;
    loop {
        place.wait();
        let asked = tokio::select! {
            biased;
            asked = timeout(idle, next_request(&stream, &mut read)) => asked,
            () = place.gives_way.notified() => {
                let why = "nothing was asked here for a while, and another client needed the place; connect again";
                let line = answer_line(&Answer::Refused { why: why.to_owned() });
                // The connection ends in any case.
                let _ = timeout(idle, write_all(&stream, line.as_bytes())).await;
                return;
            }
        };
        place.become_busy();
        let asked = match asked {
            Ok(Ok(read)) => read,
            // A failed read ends the connection, as its close does.
            Ok(Err(_)) => return,
            // From now on the client cannot write, and learns it when it tries; what it has written is still read.
            Err(_) => {
                is_over = shutdown(stream.as_raw_fd(), Shutdown::Read).is_ok();
                if is_over { continue } else { return }
            }
        };
        let request = match asked {
            RequestRead::Line(line) => Request::from_line(&line),
            // Half a request is none.
            RequestRead::Rest(_) if is_over => return,
            RequestRead::Rest(rest) => Request::from_line(&rest),
            RequestRead::TooLong => {
                let why =
                    format!("a request is not longer than {REQUEST_BYTES_MAX} bytes; nothing of this one was done");
                // The connection ends in any case.
                let _ = timeout(idle, write_all(&stream, answer_line(&Answer::Refused { why }).as_bytes())).await;
                return;
            }
            RequestRead::Nothing => return,
        };
        let answer = match request {
            Ok(Request::End) => {
                let handed_over = stream.into_std().and_then(|stream| stream.set_nonblocking(false).map(|()| stream));
                if let Ok(connection) = handed_over {
                    tokio::task::spawn_blocking(move || taker.end(connection));
                }
                return;
            }
            Ok(request) => {
                let taker = taker.clone();
                match tokio::task::spawn_blocking(move || taker.take(request)).await {
                    Ok(answer) => answer,
                    Err(_) => return,
                }
            }
            Err(error) => Answer::Refused { why: format!("this is not a request: {error}") },
        };
        // Who does not read its answers keeps nobody out either.
        let Ok(Ok(())) = timeout(idle, write_all(&stream, answer_line(&answer).as_bytes())).await else { return };
    }
}

/// What a client writes next.
enum RequestRead {
    /// A line, without its end.
    Line(Vec<u8>),
    /// What it wrote before it closed its side, without the end of a line.
    Rest(Vec<u8>),
    /// More than a request may be.
    TooLong,
    /// Nothing: it has closed its side.
    Nothing,
}

/// Reads what comes next. Bytes behind a line stay in `read`.
async fn next_request(stream: &UnixStream, read: &mut Vec<u8>) -> io::Result<RequestRead> {
    let mut piece = [0; 4_096];
    let mut searched = 0;
    loop {
        match read[searched..].iter().position(|byte| *byte == b'\n').map(|at| searched + at) {
            Some(length) if length < REQUEST_BYTES_MAX => {
                let mut line: Vec<u8> = read.drain(..=length).collect();
                line.pop();
                return Ok(RequestRead::Line(line));
            }
            None if read.len() < REQUEST_BYTES_MAX => {}
            _ => return Ok(RequestRead::TooLong),
        }
        searched = read.len();
        stream.readable().await?;
        match stream.try_read(&mut piece) {
            Ok(0) if read.is_empty() => return Ok(RequestRead::Nothing),
            Ok(0) => return Ok(RequestRead::Rest(std::mem::take(read))),
            Ok(length) => read.extend_from_slice(&piece[..length]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
}
