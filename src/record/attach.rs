//! The client's side of a lab's sockets: ask for something, or read frames.
//!
//! Invariant: one JSON object a line, both ways.

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use super::run_directory::INJECT;
use super::{Answer, Frame, Request};

/// A host answers within this, or not at all: longer than a process may take to start.
const ANSWERS_WITHIN: Duration = Duration::from_secs(15);

/// Asks the host of the lab with this run directory for something, and waits for its answer.
pub fn ask(directory: &Path, request: &Request) -> io::Result<Answer> {
    let mut stream = UnixStream::connect(directory.join(INJECT))?;
    stream.set_read_timeout(Some(ANSWERS_WITHIN))?;
    let line = serde_json::to_string(request)? + "\n";
    stream.write_all(line.as_bytes())?;
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer).map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock => io::Error::new(
            io::ErrorKind::TimedOut,
            format!("no answer within {ANSWERS_WITHIN:?}; its host stands still"),
        ),
        _ => error,
    })?;
    if answer.is_empty() {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the lab ended before it answered"));
    }
    Ok(serde_json::from_str(&answer)?)
}

/// The frames of an observe socket, first a snapshot.
#[derive(Debug)]
pub struct Frames {
    lines: BufReader<UnixStream>,
    line: String,
}

impl Frames {
    /// Attaches to this socket.
    pub fn attach(socket: &Path) -> io::Result<Frames> {
        Ok(Frames { lines: BufReader::new(UnixStream::connect(socket)?), line: String::new() })
    }

    /// From now on waits at most so long for a frame; then the error's kind is `WouldBlock`, and nothing is lost.
    pub fn wait_at_most(&self, span: Duration) -> io::Result<()> {
        self.lines.get_ref().set_read_timeout(Some(span.max(Duration::from_millis(1))))
    }

    /// Another handle on the connection, for closing it from elsewhere.
    pub fn connection(&self) -> io::Result<UnixStream> {
        self.lines.get_ref().try_clone()
    }

    /// The next frame; `None` when the other side has closed.
    pub fn next_frame(&mut self) -> io::Result<Option<Frame>> {
        // What a time-out cut short stays in `line` and is completed by the next call.
        if self.lines.read_line(&mut self.line)? == 0 && self.line.is_empty() {
            return Ok(None);
        }
        let frame = serde_json::from_str(&self.line)?;
        self.line.clear();
        Ok(Some(frame))
    }
}
