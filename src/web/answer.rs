//! What goes back to a browser: a page, or why there is none.

use std::borrow::Cow;
use std::io::{self, Write};

use super::head::WebRefusal;

/// What every answer says of itself. It is what it is called and nothing else, it stands in no frame of another page, no
/// other page may load it, it loads nothing and runs no script, and no copy of it is kept. The connection ends with it.
const FIELDS: &str = "X-Content-Type-Options: nosniff\r\n\
                      X-Frame-Options: DENY\r\n\
                      Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'\r\n\
                      Cross-Origin-Resource-Policy: same-origin\r\n\
                      Cache-Control: no-store\r\n\
                      Connection: close\r\n";

/// An answer.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct WebAnswer {
    /// The code and its words (RFC 9110, section 15).
    status: &'static str,
    media_type: &'static str,
    body: Cow<'static, [u8]>,
    /// The page to which the browser goes on.
    place: Option<&'static str>,
}

impl WebAnswer {
    /// A page of this media type.
    pub fn page(media_type: &'static str, body: impl Into<Cow<'static, [u8]>>) -> WebAnswer {
        WebAnswer { status: "200 OK", media_type, body: body.into(), place: None }
    }

    /// What was asked for was done; the browser goes on to this page.
    pub fn elsewhere(path: &'static str) -> WebAnswer {
        WebAnswer { place: Some(path), ..WebAnswer::told("303 See Other", format!("{path}\n")) }
    }

    /// There is no such page.
    pub fn missing(why: impl Into<String>) -> WebAnswer {
        WebAnswer::told("404 Not Found", why.into())
    }

    fn told(status: &'static str, why: String) -> WebAnswer {
        WebAnswer { status, media_type: "text/plain; charset=utf-8", body: Cow::Owned(why.into_bytes()), place: None }
    }

    /// Writes it (RFC 9112).
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        let WebAnswer { status, media_type, body, place } = self;
        let (length, place) = (body.len(), place.map_or(String::new(), |path| format!("Location: {path}\r\n")));
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {media_type}\r\nContent-Length: {length}\r\n{place}{FIELDS}\r\n"
        );
        out.write_all(head.as_bytes())?;
        out.write_all(body)
    }
}

impl From<WebRefusal> for WebAnswer {
    fn from(refusal: WebRefusal) -> WebAnswer {
        let status = match refusal {
            WebRefusal::Malformed => "400 Bad Request",
            WebRefusal::Foreign => "403 Forbidden",
            WebRefusal::Method => "405 Method Not Allowed",
            WebRefusal::Late => "408 Request Timeout",
            WebRefusal::Body => "413 Content Too Large",
            WebRefusal::Long => "431 Request Header Fields Too Large",
        };
        WebAnswer::told(status, format!("{refusal}\n"))
    }
}
