//! Pages for the browsers of this computer: a listener on the loopback interface, and what it refuses.
//!
//! Whatever reaches a port may have been sent by anybody: by a program that is wrong, or by a page of the web, which a
//! browser lets send requests to this computer (RFC 6454; DNS rebinding gives such a page any name). [`head`] reads a
//! request out of such bytes or says what is wrong with it, [`answer`] says what goes back, [`markup`] makes a page's text of any text, and [`listener`] gives each
//! connection its place and its time.
//!
//! Invariant: a page is made for a request alone whose Host and Origin are this listener's own, and which has no body.
//! Of no connection more is kept than the head of one request, and none holds its place for longer than [`WebLimits`].

mod answer;
mod head;
mod listener;
mod markup;

pub use answer::WebAnswer;
pub use head::{WebMethod, WebRequest};
pub use listener::{WebLimits, serve_pages};
pub use markup::escaped;
