//! Text as HTML and XML have it.
//!
//! Invariant: escaped text is text, between tags and within the quotes of an attribute; it ends neither.

use protocol::visible;

/// The text as it stands in a document of HTML or XML, without characters that hide or reorder others.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_text_ends_neither_an_element_nor_an_attribute() {
        assert_eq!(escaped("</a> \"x\" 'y' & \u{1b}z"), "&lt;/a&gt; &quot;x&quot; &#39;y&#39; &amp; \\u001bz");
    }
}
