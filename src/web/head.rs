//! The head of a request (RFC 9112), read out of what anybody may have sent.

use httparse::{Error, Header, Status};

/// The longest head of a request, in bytes.
pub const HEAD_MAX: usize = 16 * 1024;

/// The most header fields of a request. Browsers send about fifteen.
const FIELDS_MAX: usize = 64;

/// What is wanted of a page.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum WebMethod {
    /// To see it.
    Get,
    /// To do what it stands for.
    Post,
}

/// A request of a page of this listener's own, or of a person.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct WebRequest {
    /// What is wanted.
    pub method: WebMethod,
    /// Of which page. It begins with a slash.
    pub path: String,
}

/// Why a request is not answered with a page.
#[derive(Copy, Clone, Eq, PartialEq, Debug, thiserror::Error)]
pub enum WebRefusal {
    /// Is no request of HTTP/1.
    #[error("this is no request of HTTP/1.1 with one Host")]
    Malformed,
    /// Was sent to another name, or by another page.
    #[error("only this server's own pages are answered, at the address that was printed")]
    Foreign,
    /// Neither GET nor POST.
    #[error("only GET and POST are answered")]
    Method,
    /// Was not there in time.
    #[error("the request did not come in time")]
    Late,
    /// Has a body, or claims one.
    #[error("a request has no body here")]
    Body,
    /// The head is too long.
    #[error("the head of a request has at most {HEAD_MAX} bytes and {FIELDS_MAX} fields")]
    Long,
}

/// The request that these bytes begin with, for the listener at this port; none if its head has no end yet.
///
/// # Errors
/// It is refused.
pub fn read_head(bytes: &[u8], port: u16) -> Result<Option<WebRequest>, WebRefusal> {
    let mut fields = [httparse::EMPTY_HEADER; FIELDS_MAX];
    let mut head = httparse::Request::new(&mut fields);
    match head.parse(bytes) {
        Ok(Status::Complete(_)) => {}
        Ok(Status::Partial) if bytes.len() < HEAD_MAX => return Ok(None),
        Ok(Status::Partial) | Err(Error::TooManyHeaders) => return Err(WebRefusal::Long),
        Err(_) => return Err(WebRefusal::Malformed),
    }
    let path = head.path.filter(|path| path.starts_with('/')).ok_or(WebRefusal::Malformed)?;
    let hosts: Vec<&[u8]> = values(head.headers, "host").collect();
    let [host] = hosts[..] else { return Err(WebRefusal::Malformed) };
    let is_own = |origin: &[u8]| origin.strip_prefix(b"http://").is_some_and(|host| is_own_host(host, port));
    if !is_own_host(host, port) || !values(head.headers, "origin").all(is_own) {
        return Err(WebRefusal::Foreign);
    }
    let method = match head.method {
        Some("GET") => WebMethod::Get,
        Some("POST") => WebMethod::Post,
        _ => return Err(WebRefusal::Method),
    };
    if values(head.headers, "transfer-encoding").next().is_some() {
        return Err(WebRefusal::Body);
    }
    for length in values(head.headers, "content-length") {
        if length.is_empty() || !length.iter().all(u8::is_ascii_digit) {
            return Err(WebRefusal::Malformed);
        }
        // What is claimed may be any number, and so it is not made one.
        if length.iter().any(|digit| *digit != b'0') {
            return Err(WebRefusal::Body);
        }
    }
    Ok(Some(WebRequest { method, path: path.to_owned() }))
}

/// The values of a field, whose name is given in small letters.
fn values<'a>(fields: &'a [Header<'a>], name: &'a str) -> impl Iterator<Item = &'a [u8]> {
    fields.iter().filter(move |field| field.name.eq_ignore_ascii_case(name)).map(|field| field.value)
}

/// Whether a browser calls this computer alone by this name. Of the port of HTTP it says nothing.
fn is_own_host(host: &[u8], port: u16) -> bool {
    let names = ["127.0.0.1", "localhost", "[::1]"];
    names.iter().any(|name| {
        let whole = format!("{name}:{port}");
        host.eq_ignore_ascii_case(whole.as_bytes()) || port == 80 && host.eq_ignore_ascii_case(name.as_bytes())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PORT: u16 = 8000;

    /// What becomes of a request with this first line and these fields.
    fn read(line: &str, fields: &[&str]) -> Result<Option<WebRequest>, WebRefusal> {
        let lines: Vec<&str> = std::iter::once(line).chain(fields.iter().copied()).collect();
        read_head(format!("{}\r\n\r\n", lines.join("\r\n")).as_bytes(), PORT)
    }

    #[test]
    fn a_request_of_this_listeners_own_pages_is_read() {
        let own = |method, path: &str| Ok(Some(WebRequest { method, path: path.to_owned() }));
        for host in ["Host: 127.0.0.1:8000", "host: LocalHost:8000", "HOST:[::1]:8000"] {
            assert_eq!(read("GET /a/0/1 HTTP/1.1", &[host]), own(WebMethod::Get, "/a/0/1"), "{host}");
        }
        let fields = ["Host: localhost:8000", "Origin: http://localhost:8000", "Content-Length: 0"];
        assert_eq!(read("POST /do HTTP/1.1", &fields), own(WebMethod::Post, "/do"));
        let http = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
        assert_eq!(read_head(http, 80), own(WebMethod::Get, "/"));
        assert_eq!(read_head(http, PORT), Err(WebRefusal::Foreign));
        assert_eq!(read_head(b"GET / HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n", PORT), Ok(None));
    }

    #[test]
    fn what_another_name_or_another_page_asks_is_foreign() {
        for host in
            ["evil.example:8000", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:8000.evil.example", "0.0.0.0:8000", ""]
        {
            assert_eq!(read("GET / HTTP/1.1", &[&format!("Host: {host}")]), Err(WebRefusal::Foreign), "{host}");
        }
        for origin in ["http://evil.example", "null", "https://127.0.0.1:8000", "http://127.0.0.1:80", ""] {
            let fields = ["Host: 127.0.0.1:8000", &format!("Origin: {origin}")];
            assert_eq!(read("POST /do HTTP/1.1", &fields), Err(WebRefusal::Foreign), "{origin}");
        }
        let two = ["Host: 127.0.0.1:8000", "Origin: http://127.0.0.1:8000", "Origin: http://evil.example"];
        assert_eq!(read("GET / HTTP/1.1", &two), Err(WebRefusal::Foreign));
    }

    #[test]
    fn what_is_no_request_is_malformed_and_what_is_no_page_is_refused() {
        let host = "Host: 127.0.0.1:8000";
        for (line, fields, why) in [
            ("nonsense", &[host][..], WebRefusal::Malformed),
            ("GET / HTTP/9.9", &[host], WebRefusal::Malformed),
            ("GET http://127.0.0.1:8000/ HTTP/1.1", &[host], WebRefusal::Malformed),
            ("OPTIONS * HTTP/1.1", &[host], WebRefusal::Malformed),
            ("GET / HTTP/1.1", &[], WebRefusal::Malformed),
            ("GET / HTTP/1.1", &[host, host], WebRefusal::Malformed),
            ("GET / HTTP/1.1", &[host, "no colon"], WebRefusal::Malformed),
            ("GET / HTTP/1.1", &[host, "Content-Length: -1"], WebRefusal::Malformed),
            ("GET / HTTP/1.1", &[host, "Content-Length:"], WebRefusal::Malformed),
            ("HEAD / HTTP/1.1", &[host], WebRefusal::Method),
            ("OPTIONS / HTTP/1.1", &[host], WebRefusal::Method),
            ("DELETE / HTTP/1.1", &[host], WebRefusal::Method),
            ("POST / HTTP/1.1", &[host, "Content-Length: 99999999999"], WebRefusal::Body),
            ("GET / HTTP/1.1", &[host, "Content-Length: 99999999999999999999999999"], WebRefusal::Body),
            ("POST / HTTP/1.1", &[host, "Content-Length: 0", "Content-Length: 1"], WebRefusal::Body),
            ("POST / HTTP/1.1", &[host, "Transfer-Encoding: chunked"], WebRefusal::Body),
        ] {
            assert_eq!(read(line, fields), Err(why), "{line} {fields:?}");
        }
    }

    #[test]
    fn a_head_without_end_is_long_at_its_limit() {
        let mut endless = b"GET / HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nX: ".to_vec();
        endless.resize(HEAD_MAX - 1, b'x');
        assert_eq!(read_head(&endless, PORT), Ok(None));
        endless.push(b'x');
        assert_eq!(read_head(&endless, PORT), Err(WebRefusal::Long));
        assert_eq!(read("GET / HTTP/1.1", &["X: y"; FIELDS_MAX + 1]), Err(WebRefusal::Long));
    }
}
