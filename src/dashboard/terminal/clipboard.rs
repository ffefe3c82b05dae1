//! What a program writes so that the terminal takes a text into its clipboard: OSC 52, with the text in Base64.
//!
//! Invariant: the text is always encoded, so the terminal cannot read a part of it as a command.

/// The digits of Base64 (RFC 4648, section 4).
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The sequence that copies this text.
pub fn sequence(text: &str) -> String {
    format!("\x1b]52;c;{}\x1b\\", base64(text.as_bytes()))
}

fn base64(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |place: usize| u32::from(group.get(place).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let value = (bits >> (18 - 6 * digit)) & 63;
            digits.push(if digit <= group.len() { char::from(DIGITS[value as usize]) } else { '=' });
        }
    }
    digits
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::prelude::BASE64_STANDARD;

    use super::*;

    #[test]
    fn another_library_reads_the_same_text() {
        for text in ["", "a", "ab", "abc", "5 crashed; 4 → 3 \u{1b}]52;c;!\u{7}", "x".repeat(1_000).as_str()] {
            let sequence = sequence(text);
            let digits = sequence.strip_prefix("\x1b]52;c;").and_then(|rest| rest.strip_suffix("\x1b\\")).unwrap();
            assert_eq!(BASE64_STANDARD.decode(digits).unwrap(), text.as_bytes());
        }
    }
}
