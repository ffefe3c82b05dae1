//! A written line within a sentence: a long one is cut, so that the sentence is read.
//!
//! Invariant: nothing but what stands between two backticks is cut.

/// A longer piece of a line is cut.
pub const QUOTED_MAX: usize = 60;

/// The sentence, with each quoted piece cut where it is long.
pub fn with_short_quotes(sentence: &str) -> String {
    let pieces: Vec<&str> = sentence.split('`').collect();
    let last = pieces.len() - 1;
    let shown = pieces.iter().enumerate().map(|(place, piece)| {
        // Of an odd number of backticks the last one opens nothing.
        let is_quoted = place % 2 == 1 && place < last;
        if is_quoted && piece.chars().count() > QUOTED_MAX {
            let begins: String = piece.chars().take(QUOTED_MAX).collect();
            format!("{begins}…")
        } else {
            (*piece).to_owned()
        }
    });
    shown.collect::<Vec<_>>().join("`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_quote_is_cut_and_the_sentence_is_whole() {
        let long = "x".repeat(400);
        let cut = format!("`{}…` is no action; `help` lists them", "x".repeat(QUOTED_MAX));
        assert_eq!(with_short_quotes(&format!("`{long}` is no action; `help` lists them")), cut);
        for whole in ["no quote", "`short` is short", &format!("an open ` and {long}"), ""] {
            assert_eq!(with_short_quotes(whole), whole);
        }
    }
}
