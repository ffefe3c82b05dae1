//! Connections, each with a place and a time: a thread for each place takes one connection after the other, and answers one
//! request on each. Connections beyond the places wait in the system's own queue.

use std::convert::Infallible;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use super::answer::WebAnswer;
use super::head::{HEAD_MAX, WebRefusal, WebRequest, read_head};

/// What is read and thrown away after an answer, at most: with unread bytes at its end, a connection may lose the answer.
const REST_MAX: u64 = 1 << 20;

/// How long no connection is taken after one could not be: the system is short of something, such as open files.
const PAUSE: Duration = Duration::from_millis(100);

/// What connections may take.
#[derive(Copy, Clone, Debug)]
pub struct WebLimits {
    /// How many are served at a time.
    pub connections: NonZeroUsize,
    /// How long a request may take to come, with all that is sent after it, from its connection on.
    pub request: Duration,
    /// How long an answer may take to go.
    pub answer: Duration,
}

impl Default for WebLimits {
    /// For the few people of one computer: a browser opens six connections at a time.
    fn default() -> WebLimits {
        let connections = NonZeroUsize::new(16).expect("not zero");
        WebLimits { connections, request: Duration::from_secs(5), answer: Duration::from_secs(10) }
    }
}

/// Answers the requests that come to this listener, for ever.
///
/// # Errors
/// The listener has no address.
pub fn serve_pages(
    listener: &TcpListener,
    limits: WebLimits,
    answer: impl Fn(&WebRequest) -> WebAnswer + Sync,
) -> io::Result<Infallible> {
    let port = listener.local_addr()?.port();
    let take_place = || -> Infallible {
        loop {
            match listener.accept() {
                // A connection that breaks is the other side's loss.
                Ok((stream, _)) => drop(attend(&stream, limits, port, &answer)),
                Err(error) if error.kind() == ErrorKind::ConnectionAborted => {}
                Err(_) => std::thread::sleep(PAUSE),
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..limits.connections.get() {
            scope.spawn(take_place);
        }
        Ok(take_place())
    })
}

/// Answers one request, and ends the connection.
fn attend(
    stream: &TcpStream,
    limits: WebLimits,
    port: u16,
    answer: &impl Fn(&WebRequest) -> WebAnswer,
) -> io::Result<()> {
    let mut coming = TimedStream::new(stream, limits.request);
    let answer = match request(&mut coming, port)? {
        Ok(request) => answer(&request),
        Err(refusal) => refusal.into(),
    };
    answer.write_to(&mut TimedStream::new(stream, limits.answer))?;
    stream.shutdown(Shutdown::Write)?;
    io::copy(&mut coming.take(REST_MAX), &mut io::sink())?;
    Ok(())
}

/// The request of this connection, or why it is refused.
///
/// # Errors
/// The connection broke, or ended before its request did.
fn request(stream: &mut TimedStream<'_>, port: u16) -> io::Result<Result<WebRequest, WebRefusal>> {
    let (mut bytes, mut length) = ([0; HEAD_MAX], 0);
    loop {
        match stream.read(&mut bytes[length..]) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(more) => length += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::TimedOut => return Ok(Err(WebRefusal::Late)),
            Err(error) => return Err(error),
        }
        if let Some(read) = read_head(&bytes[..length], port).transpose() {
            return Ok(read);
        }
    }
}

/// A connection until a moment: what is not read or written then is late.
struct TimedStream<'a> {
    stream: &'a TcpStream,
    until: Instant,
}

impl TimedStream<'_> {
    fn new(stream: &TcpStream, span: Duration) -> TimedStream<'_> {
        TimedStream { stream, until: Instant::now() + span }
    }

    fn left(&self) -> io::Result<Duration> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(ErrorKind::TimedOut.into()) } else { Ok(left) }
    }
}

/// The error by which a system says that the time is over differs.
fn late(error: io::Error) -> io::Error {
    if error.kind() == ErrorKind::WouldBlock { ErrorKind::TimedOut.into() } else { error }
}

impl Read for TimedStream<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(Some(self.left()?))?;
        self.stream.read(buffer).map_err(late)
    }
}

impl Write for TimedStream<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(Some(self.left()?))?;
        self.stream.write(bytes).map_err(late)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, SocketAddr};
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::sync::{Arc, Barrier};
    use std::thread::spawn;

    use super::*;

    const LONG: Duration = Duration::from_secs(600);
    const SHORT: Duration = Duration::from_millis(20);

    /// The address of a listener with these limits, whose pages this makes. It ends with the tests' process.
    fn served(
        (connections, request, answer): (usize, Duration, Duration),
        page: impl Fn(&WebRequest) -> WebAnswer + Send + Sync + 'static,
    ) -> SocketAddr {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let limits = WebLimits { connections: NonZeroUsize::new(connections).unwrap(), request, answer };
        spawn(move || serve_pages(&listener, limits, page));
        address
    }

    /// The path, as a page.
    fn echo(request: &WebRequest) -> WebAnswer {
        WebAnswer::page("text/plain", request.path.clone().into_bytes())
    }

    fn connected(address: SocketAddr) -> TcpStream {
        let stream = TcpStream::connect(address).unwrap();
        // Longer than any of these waits takes; they end as soon as what they wait for is there.
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// What is answered to these bytes until the connection ends.
    fn answered(address: SocketAddr, bytes: &[u8]) -> String {
        let mut stream = connected(address);
        stream.write_all(bytes).unwrap();
        rest(&mut stream)
    }

    fn rest(stream: &mut TcpStream) -> String {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// A sane request of this path.
    fn get(address: SocketAddr, path: &str) -> String {
        answered(address, format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes())
    }

    #[test]
    fn a_page_comes_whole_and_keeps_to_itself() {
        let address = served((2, LONG, LONG), echo);
        let answer = get(address, "/a");
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("\r\n\r\n/a"), "{answer}");
        for field in ["Content-Length: 2", "X-Frame-Options: DENY", "Cross-Origin-Resource-Policy: same-origin"] {
            assert!(answer.contains(&format!("\r\n{field}\r\n")), "{answer}");
        }
    }

    #[test]
    fn each_attack_is_answered_with_its_code_and_the_next_request_with_its_page() {
        let address = served((1, LONG, LONG), echo);
        let host = format!("Host: {address}\r\n");
        let own = format!("GET / HTTP/1.1\r\n{host}");
        for (bytes, code) in [
            (format!("{own}Content-Length: 99999999999\r\n\r\n"), 413),
            (format!("POST / HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\nffffffffff\r\n"), 413),
            (format!("POST / HTTP/1.1\r\n{host}Content-Length: 500000\r\n\r\n{}", "x".repeat(500_000)), 413),
            (format!("{own}X: {}", "x".repeat(500_000)), 431),
            (format!("{own}{}", "X: y\r\n".repeat(50_000)), 431),
            ("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n".to_owned(), 403),
            (format!("POST / HTTP/1.1\r\n{host}Origin: http://evil.example\r\n\r\n"), 403),
            (format!("PUT / HTTP/1.1\r\n{host}\r\n"), 405),
            ("\0\u{1}\r\n\r\n".to_owned(), 400),
        ] {
            let answer = answered(address, bytes.as_bytes());
            assert!(answer.starts_with(&format!("HTTP/1.1 {code} ")), "{code}: {answer}");
            assert!(get(address, "/still").ends_with("/still"), "after {code}");
        }
    }

    #[test]
    fn a_connection_that_says_nothing_or_never_enough_loses_its_place() {
        let address = served((1, SHORT, LONG), echo);
        assert!(answered(address, b"").starts_with("HTTP/1.1 408 "));
        let mut slow = connected(address);
        // A byte at a time, for as long as no answer has come.
        let (mut sender, is_answered) = (slow.try_clone().unwrap(), Arc::new(AtomicBool::new(false)));
        let heard = Arc::clone(&is_answered);
        let sent = spawn(move || while !heard.load(Ordering::SeqCst) && sender.write_all(b"x").is_ok() {});
        let mut answer = [0; 10];
        // What it goes on sending may cost it the answer.
        let came = slow.read_exact(&mut answer).map_err(|error| error.kind());
        assert!(came == Err(ErrorKind::ConnectionReset) || &answer == b"HTTP/1.1 4", "{came:?}");
        is_answered.store(true, Ordering::SeqCst);
        sent.join().unwrap();
        // A connection of which the other side thinks no more, with a request after it.
        drop(connected(address));
        let again = served((1, LONG, LONG), echo);
        drop(connected(again));
        assert!(get(again, "/next").ends_with("/next"));
    }

    #[test]
    fn one_who_does_not_read_the_answer_loses_its_place() {
        let long = |request: &WebRequest| {
            let length = if request.path == "/long" { 64 << 20 } else { 1 };
            WebAnswer::page("text/plain", vec![b'x'; length])
        };
        let address = served((1, LONG, SHORT), long);
        let mut deaf = connected(address);
        write!(deaf, "GET /long HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
        // The only place is free again, though that one still holds its end: the next connection ends. Its own answer may
        // be late too.
        let next = get(address, "/short");
        assert!(next.is_empty() || next.starts_with("HTTP/1.1 200 "), "{next}");
        drop(deaf);
    }

    #[test]
    fn more_connections_than_places_wait_and_all_are_answered() {
        const PLACES: usize = 3;
        let (at_once, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (together, most_seen) = (Barrier::new(PLACES), Arc::clone(&most));
        let address = served((PLACES, LONG, LONG), move |request| {
            most.fetch_max(at_once.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            together.wait();
            at_once.fetch_sub(1, Ordering::SeqCst);
            echo(request)
        });
        let streams: Vec<TcpStream> = (0..13 * PLACES).map(|_| connected(address)).collect();
        for (number, mut stream) in streams.iter().enumerate() {
            write!(stream, "GET /{number} HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
        }
        for (number, mut stream) in streams.into_iter().enumerate() {
            assert!(rest(&mut stream).ends_with(&format!("\r\n/{number}")));
        }
        assert_eq!(most_seen.load(Ordering::SeqCst), PLACES);
    }
}
