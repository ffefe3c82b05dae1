//! The client's side of a lab's sockets: ask for something, or read frames.
//!
//! Invariant: one JSON object a line, both ways; a line is read whole or not at all, even if reads time out meanwhile.

use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use super::run_directory::INJECT;
use super::{Answer, Frame, Request};

/// A host answers within this, or not at all: it is longer than a process may take to start.
const ANSWERS_WITHIN: Duration = Duration::from_secs(15);

/// Asks the host of the lab with this run directory for something, and waits for its answer.
pub fn ask(directory: &Path, request: &Request) -> io::Result<Answer> {
    let mut stream = UnixStream::connect(directory.join(INJECT))?;
    let line = request.to_line() + "\n";
    // Who is refused while it writes is told why nevertheless.
    let written = stream.write_all(line.as_bytes());
    let mut answers = Lines::of(stream);
    answers.wait_at_most(ANSWERS_WITHIN)?;
    match answers.next_line()? {
        LineRead::Line(answer) => Ok(Answer::from_line(answer.as_bytes())?),
        LineRead::Nothing => {
            let why = format!("the lab did not answer within {ANSWERS_WITHIN:?}; its host is paused or stuck");
            Err(io::Error::new(ErrorKind::TimedOut, why))
        }
        LineRead::Closed => {
            written?;
            Err(io::Error::new(ErrorKind::UnexpectedEof, "the lab ended before it answered"))
        }
    }
}

/// The result of a read of a lab's socket.
#[derive(Clone, Eq, PartialEq, Debug)]
pub enum LineRead<T> {
    /// A line, or something read from it.
    Line(T),
    /// No whole line came in the given time.
    Nothing,
    /// The other side has closed. The line that it had begun is lost.
    Closed,
}

/// The lines of a connection.
#[derive(Debug)]
pub struct Lines {
    reader: BufReader<UnixStream>,
    /// The bytes of a read that timed out wait here for the next read; they may end within a character.
    line: Vec<u8>,
}

impl Lines {
    /// The lines of this connection. Without [`Lines::wait_at_most`] a read waits for ever.
    pub fn of(stream: UnixStream) -> Lines {
        Lines { reader: BufReader::new(stream), line: Vec::new() }
    }

    /// From now on a read waits at most this long.
    pub fn wait_at_most(&self, span: Duration) -> io::Result<()> {
        self.reader.get_ref().set_read_timeout(Some(span.max(Duration::from_millis(1))))
    }

    /// The next line, with its end.
    pub fn next_line(&mut self) -> io::Result<LineRead<String>> {
        match self.reader.read_until(b'\n', &mut self.line) {
            Ok(_) if self.line.last() == Some(&b'\n') => {
                let line = String::from_utf8_lossy(&self.line).into_owned();
                self.line.clear();
                Ok(LineRead::Line(line))
            }
            Ok(_) => Ok(LineRead::Closed),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => Ok(LineRead::Nothing),
            Err(error) => Err(error),
        }
    }
}

/// The frames of an observe socket, first a snapshot.
#[derive(Debug)]
pub struct Frames {
    lines: Lines,
}

impl Frames {
    /// Attaches to this socket.
    pub fn attach(socket: &Path) -> io::Result<Frames> {
        Ok(Frames { lines: Lines::of(UnixStream::connect(socket)?) })
    }

    /// From now on a frame may take at most this long.
    pub fn wait_at_most(&self, span: Duration) -> io::Result<()> {
        self.lines.wait_at_most(span)
    }

    /// The next frame. A record of a kind that this build does not know is kept; a line that is not a frame is an error
    /// of kind `InvalidData`, and the next call goes on after it.
    pub fn next_frame(&mut self) -> io::Result<LineRead<Frame>> {
        Ok(match self.lines.next_line()? {
            LineRead::Line(line) => {
                let frame = Frame::from_line(line.as_bytes());
                LineRead::Line(frame.map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?)
            }
            LineRead::Nothing => LineRead::Nothing,
            LineRead::Closed => LineRead::Closed,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Body, Record};

    fn frames() -> (UnixStream, Frames) {
        let (lab, watcher) = UnixStream::pair().unwrap();
        let frames = Frames { lines: Lines::of(watcher) };
        frames.wait_at_most(Duration::ZERO).unwrap();
        (lab, frames)
    }

    #[test]
    fn a_frame_that_comes_in_pieces_is_read_whole() {
        let (mut lab, mut frames) = frames();
        let line = "{\"frame\":\"goodbye\",\"why\":\"5 漢\"}\n".as_bytes();
        for byte in &line[..line.len() - 1] {
            lab.write_all(&[*byte]).unwrap();
            assert!(matches!(frames.next_frame(), Ok(LineRead::Nothing)));
        }
        lab.write_all(b"\n{\"frame\":").unwrap();
        assert!(matches!(frames.next_frame(), Ok(LineRead::Line(Frame::Goodbye { why })) if why == "5 漢"));
        assert!(matches!(frames.next_frame(), Ok(LineRead::Nothing)));
        drop(lab);
        assert!(matches!(frames.next_frame(), Ok(LineRead::Closed)));
    }

    #[test]
    fn what_is_not_known_is_kept_and_what_is_no_frame_is_told_and_passed_over() {
        let (mut lab, mut frames) = frames();
        let lines = "{\"frame\":\"record\",\"record\":{\"at\":1,\"lab\":1,\"kind\":\"eclipse\"}}\nno frame\n\
                     {\"frame\":\"record\",\"record\":{\"at\":1,\"lab\":1,\"kind\":\"gap\"}}\n\
                     {\"frame\":\"pulse\",\"at\":7}\n";
        lab.write_all(lines.as_bytes()).unwrap();
        let is_unknown = |record: &Record| matches!(record.body, Body::Unknown(_));
        assert!(matches!(frames.next_frame(), Ok(LineRead::Line(Frame::Record { record })) if is_unknown(&record)));
        for _ in 0..2 {
            assert_eq!(frames.next_frame().unwrap_err().kind(), ErrorKind::InvalidData);
        }
        assert!(matches!(frames.next_frame(), Ok(LineRead::Line(Frame::Pulse { at: 7 }))));
    }
}
