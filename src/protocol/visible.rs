//! Text from outside, in a form that no terminal takes for orders.
//!
//! Invariant: what is shown holds no control character but a new line and a tab, and nothing that hides or reorders
//! text; text without such characters is shown unchanged.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a terminal may take this character for an order, or it hides or reorders the text around it.
pub fn is_unshowable(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// The text, but each character that must not be shown is written as in `\u001b`. Inside the strings of JSON and TOML
/// that means the same character, so a file in one of these forms still says the same.
pub fn visible(text: &str) -> Cow<'_, str> {
    let is_escaped = |c: char| is_unshowable(c) && !matches!(c, '\n' | '\t');
    if !text.chars().any(is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if is_escaped(c) => write!(shown, "\\u{:04x}", u32::from(c)).expect("a string takes all"),
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// The same in one line: line ends and tabs are spelled out too. What stands in a cell of a table makes no other row.
pub fn visible_line(text: &str) -> Cow<'_, str> {
    match visible(text) {
        shown if !shown.contains(['\n', '\t']) => shown,
        shown => Cow::Owned(shown.replace('\n', "\\u000a").replace('\t', "\\u0009")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_might_obey_is_spelled_out_and_all_else_stays() {
        for plain in ["", "Größe 4→5\tand\nmore", "a\\u001b"] {
            assert!(matches!(visible(plain), Cow::Borrowed(same) if same == plain));
        }
        assert_eq!(
            visible("a\u{1b}[31m\r\u{7}\u{7f}\u{9b}\u{202e}z"),
            "a\\u001b[31m\\u000d\\u0007\\u007f\\u009b\\u202ez"
        );
        let all = || ('\0'..='\u{9f}').chain('\u{600}'..='\u{61f}').chain('\u{2000}'..='\u{206f}');
        let shown = visible(&all().collect::<String>()).into_owned();
        assert_eq!(shown.chars().filter(|c| is_unshowable(*c)).collect::<String>(), "\t\n");
    }

    #[test]
    fn a_line_has_no_end_within_it() {
        assert!(matches!(visible_line("Größe 4→5"), Cow::Borrowed("Größe 4→5")));
        assert_eq!(visible_line("a\nb\tc\rd\u{85}e\u{2028}"), "a\\u000ab\\u0009c\\u000dd\\u0085e\\u2028");
    }

    #[test]
    fn a_string_of_json_and_of_toml_means_the_same_afterwards() {
        let text: String =
            ('\u{7f}'..='\u{9f}').chain("\u{61c}\u{200e}\u{2029}\u{202a}\u{2069}\u{feff}".chars()).collect();
        let json = serde_json::to_string(&text).expect("a text is JSON");
        assert_ne!(visible(&json), json);
        assert_eq!(serde_json::from_str::<String>(&visible(&json)).expect("still JSON"), text);
        let toml = format!("key = \"{text}\"");
        let read: toml::Table = visible(&toml).parse().expect("still TOML");
        assert_eq!(read["key"].as_str(), Some(text.as_str()));
    }
}
