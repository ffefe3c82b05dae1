//! The door for requests: one a line, and each is answered before the next is read.
//!
//! Invariant: the handler of requests is called where it may take its time, and no watcher waits for it.

use std::io::{self, Write};
use std::os::unix::net::UnixStream as BlockingStream;
use std::sync::Arc;

use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::door::{let_in, turn_away, write_all};
use crate::record::{Answer, Request};

/// How many connections there may be.
const CONNECTIONS_MAX: usize = 128;
/// A longer request is refused.
const REQUEST_BYTES_MAX: usize = 64 * 1024;

/// The handler of requests. It may block.
pub trait Takes: Clone + Send + 'static {
    /// Carries a request out, except [`Request::End`].
    fn take(&self, request: Request) -> Answer;

    /// Ends the lab, and answers on this connection afterwards: the hub may be gone by then.
    fn end(&self, connection: BlockingStream);
}

/// Serves requests for ever.
pub async fn serve_requests(listener: UnixListener, taker: impl Takes) {
    let room = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let_in(listener, |stream| match Arc::clone(&room).try_acquire_owned() {
        Ok(place) => drop(tokio::spawn(attend(stream, taker.clone(), place))),
        Err(_) => {
            let why = format!(
                "{CONNECTIONS_MAX} other connections wait for requests, which is the maximum; close \
                               some of them"
            );
            turn_away(stream, &answer_line(&Answer::Refused { why }));
        }
    })
    .await;
}

/// Writes an answer on a connection that was handed over; `false` if nobody reads it any more.
pub fn write_answer(connection: &mut BlockingStream, answer: &Answer) -> bool {
    connection.write_all(answer_line(answer).as_bytes()).is_ok()
}

fn answer_line(answer: &Answer) -> String {
    serde_json::to_string(answer).expect("an answer is plain data") + "\n"
}

/// Serves one connection until it closes. The connection counts as one place until then.
async fn attend<T: Takes>(stream: UnixStream, taker: T, _place: OwnedSemaphorePermit) {
    let mut read = Vec::new();
    // A failed read ends the connection, as its close does.
    while let Ok(Some(line)) = next_line(&stream, &mut read).await {
        let answer = match serde_json::from_str(&line) {
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
        if write_all(&stream, answer_line(&answer).as_bytes()).await.is_err() {
            return;
        }
    }
}

/// The next line with its end, or the text before the connection's end; nothing after that. Bytes after the line stay
/// in `read`. A line that is too long is cut.
async fn next_line(stream: &UnixStream, read: &mut Vec<u8>) -> io::Result<Option<String>> {
    let mut piece = [0; 4_096];
    let mut searched = 0;
    loop {
        let end = read[searched..].iter().position(|byte| *byte == b'\n').map(|at| searched + at + 1);
        if let Some(length) = end.or((read.len() >= REQUEST_BYTES_MAX).then_some(REQUEST_BYTES_MAX)) {
            return text(read.drain(..length.min(REQUEST_BYTES_MAX)).collect());
        }
        searched = read.len();
        stream.readable().await?;
        match stream.try_read(&mut piece) {
            Ok(0) if read.is_empty() => return Ok(None),
            Ok(0) => return text(std::mem::take(read)),
            Ok(length) => read.extend_from_slice(&piece[..length]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
}

fn text(line: Vec<u8>) -> io::Result<Option<String>> {
    String::from_utf8(line).map(Some).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}
