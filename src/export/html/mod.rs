//! A session as one page for a browser: the flow as a picture beside its words, a scrubber with bands for elections, faults
//! and violations, the verdicts, and why it came so. It is read without a network, and without a script it still tells
//! everything but the state at a moment.
//!
//! Invariant: nothing of a session is markup, style or script. Everything of it is escaped text, a number, or a class out
//! of a fixed list. The page's own rule lets only the one script run that is in this folder, and lets nothing be fetched.

mod bands;
mod flow;
mod lanes;
mod report;
#[cfg(test)]
mod tests;

use std::io::{self, Write};

use self::bands::bands;
use self::flow::DrawnFlow;
use self::report::report;
use super::exported::Exported;
use super::told::{ToldSession, micros};
use record::Origin;
use web::escaped;
use world::seconds;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// The digest of [`SCRIPT`] as the page's rule names it. A browser runs no other script.
const SCRIPT_DIGEST: &str = "sha256-uO6EuBTTS3++BmQc9ADXv0m+ZZwPiWmZVOoMY4amlrM=";

const KEYS: &str = "<kbd>Space</kbd> play or stop · <kbd>↑</kbd> <kbd>↓</kbd> row · <kbd>←</kbd> <kbd>→</kbd> 0.1 s · \
     <kbd>e</kbd> election · <kbd>f</kbd> fault · <kbd>v</kbd> violation (with <kbd>Shift</kbd> the one before) · \
     <kbd>Home</kbd> <kbd>End</kbd> · <kbd>/</kbd> find · <kbd>n</kbd> next found";

/// Writes the page.
pub(super) fn write(exported: &Exported<'_>, out: &mut dyn Write) -> io::Result<()> {
    let told = ToldSession::of(exported.session)?;
    let flow = DrawnFlow::of(&told);
    let (name, start, end) = (escaped(&told.head.name), micros(told.start()), micros(told.shown_until()));
    write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src '{SCRIPT_DIGEST}'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{name} — hustings</title>\n\
         <style>\n{STYLE}{}</style>\n</head>\n<body>\n",
        flow.sizes()
    )?;
    write_head(&told, out)?;
    write!(
        out,
        "<section id=\"controls\">\n<button id=\"play\" type=\"button\">▶ play</button>\n\
         <select id=\"speed\" aria-label=\"Speed\"><option value=\"0.1\">0.1×</option><option value=\"0.25\">0.25×</option>\
         <option value=\"1\" selected>1×</option><option value=\"4\">4×</option></select>\n\
         <div id=\"time\">\n{}<input id=\"scrub\" type=\"range\" min=\"{start}\" max=\"{end}\" step=\"1000\" value=\"{end}\" \
         aria-label=\"Time\">\n</div>\n<output id=\"now\">{} s</output>\n\
         <input id=\"find\" type=\"search\" placeholder=\"find\" aria-label=\"Find in the log\">\n</section>\n",
        bands(&told, exported.notes),
        seconds(told.shown_until(), 3)
    )?;
    write_nodes(&told, out)?;
    writeln!(out, "<main>\n<section id=\"flow\" tabindex=\"0\" aria-label=\"The flow and the log\">")?;
    flow.write(out)?;
    writeln!(
        out,
        "</section>\n<aside>\n<section id=\"row\"><h2>The row</h2><p id=\"words\">Choose a row.</p></section>"
    )?;
    out.write_all(report(&told, exported.notes, &flow).as_bytes())?;
    write!(out, "</aside>\n</main>\n<footer>{KEYS}</footer>\n<script>{SCRIPT}</script>\n</body>\n</html>\n")
}

fn write_head(told: &ToldSession, out: &mut dyn Write) -> io::Result<()> {
    let head = &told.head;
    let how = match head.origin {
        Origin::Live => "real processes",
        Origin::Simulated => "simulated",
    };
    let timing = &head.timing;
    let source = head.source.as_ref().map_or_else(String::new, |source| format!(" · source: {}", escaped(source)));
    writeln!(
        out,
        "<header>\n<h1>{}</h1>\n<p>{}</p>\n<p class=\"dim\">{} ({}){source} · {} processes, {how}, seed {} · T {}, check {}, \
         silence {} · it lasted {} s</p>\n</header>",
        escaped(&head.name),
        escaped(&head.about),
        escaped(&head.facts.title),
        escaped(&head.facts.paper),
        head.nodes,
        head.seed,
        timing.t,
        timing.check,
        timing.silence,
        seconds(told.world.now, 1)
    )
}

/// A chip for each node, with its state at the end; the script puts the state at the chosen moment there.
fn write_nodes(told: &ToldSession, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<section id=\"nodes\" aria-label=\"The processes\">")?;
    for node in told.roster.all().iter() {
        writeln!(out, "<span class=\"chip\" id=\"node-{node}\"><b>{node}</b> <i></i></span>")?;
    }
    writeln!(out, "</section>")
}
