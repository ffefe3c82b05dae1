//! The codec: messages and safe cells as bytes, and messages in words; the one place that knows bincode.
//!
//! Invariant: what does not decode exactly is refused: of each value there is one encoding. Nothing is allocated by a
//! length that was not checked.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use bincode::enc::write::{SizeWriter, Writer};
use serde::{Serialize, de::DeserializeOwned};

use super::{Described, Words};

/// The longest body of a message: what a datagram has room for.
pub const BODY_BYTES_MAX: usize = 1_125;
/// The longest content of the safe cells.
pub const SAVED_BYTES_MAX: usize = 1 << 20;

/// The most bytes that most messages and safe cells take.
const USUAL_BYTES: usize = 32;

/// How much memory the reading of a message or safe cells may claim. bincode compares the limit with the width of what
/// it reads in memory, not with the bytes it was written in (a number below 251 counts as eight), so the limit is well
/// above those.
const MESSAGE_CLAIM_MAX: usize = 1 << 16;
const SAVED_CLAIM_MAX: usize = SAVED_BYTES_MAX << 4;

/// How timers are encoded: of unsigned numbers, bytes in this order compare as the numbers do.
const TIMER_CODE: bincode::config::Configuration<bincode::config::BigEndian> =
    bincode::config::standard().with_big_endian();

/// Why a value has no encoding.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum EncodeError {
    /// Is longer than its place allows.
    #[error("it takes {bytes} bytes, but at most {most} are allowed; use fewer nodes")]
    TooLong {
        /// The length.
        bytes: usize,
        /// The most there may be.
        most: usize,
    },
    /// The type cannot be encoded.
    #[error("it cannot be encoded: {0}")]
    Unencodable(String),
}

/// The body of a message.
pub fn encode_message<M: Serialize>(message: &M) -> Result<Vec<u8>, EncodeError> {
    encode(message, BODY_BYTES_MAX)
}

/// The content of the safe cells as bytes.
pub fn encode_saved<S: Serialize>(saved: &S) -> Result<Vec<u8>, EncodeError> {
    encode(saved, SAVED_BYTES_MAX)
}

/// The safe cells with which these bytes begin, and the rest of the bytes.
pub(super) fn decode_saved_before<S: Serialize + DeserializeOwned>(bytes: &[u8]) -> Option<(S, &[u8])> {
    decode_before::<S, SAVED_CLAIM_MAX>(bytes)
}

/// The message with this body, one that [`encode_message`] made.
pub fn decode_message<M: Serialize + DeserializeOwned>(body: &[u8]) -> Option<M> {
    // bincode passes over trailing bytes.
    decode_message_before(body).and_then(|(message, rest)| rest.is_empty().then_some(message))
}

/// The message with which this body begins, and the rest of the body.
pub fn decode_message_before<M: Serialize + DeserializeOwned>(body: &[u8]) -> Option<(M, &[u8])> {
    decode_before::<M, MESSAGE_CLAIM_MAX>(body)
}

/// The words of a message, with its encoded body.
pub fn words_of<M: Described + Serialize>(message: &M) -> Words {
    let named = message.fields().into_iter();
    let fields = named.map(|(name, value)| (Cow::Borrowed(name), value)).collect();
    let body = encode_in_hex(message, BODY_BYTES_MAX).expect("what a Card's most nodes allow fits a datagram");
    Words { kind: Cow::Borrowed(message.kind()), fields, body }
}

/// How many bytes the body of a message has.
pub fn body_bytes<M: Serialize>(message: &M) -> usize {
    let mut writer = SizeWriter::default();
    bincode::serde::encode_into_writer(message, &mut writer, bincode::config::standard())
        .expect("a message is plain data");
    writer.bytes_written
}

/// Writes the name of a timer into these bytes, so that the bytes have the order of the timers; returns how many it
/// takes. A timer that takes more is a bug of its algorithm.
pub(super) fn encode_timer<T: Serialize>(timer: &T, bytes: &mut [u8]) -> usize {
    bincode::serde::encode_into_slice(timer, bytes, TIMER_CODE).expect("a timer is a name and some small numbers")
}

/// The timer that [`encode_timer`] wrote.
pub(super) fn decode_timer<T: DeserializeOwned>(bytes: &[u8]) -> T {
    bincode::serde::decode_from_slice(bytes, TIMER_CODE).expect("a timer of this kind of machine").0
}

/// Bytes as lower-case hex.
pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    append_hex(&mut text, bytes);
    text
}

/// The bytes that this hex stands for; `None` if it is no hex.
pub fn bytes_of(hex: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        hex.chars().map(|digit| digit.to_digit(16).and_then(|value| u8::try_from(value).ok())).collect();
    let digits = digits?;
    digits.len().is_multiple_of(2).then(|| digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

/// Refuses what is longer than this.
pub(super) fn check_length(bytes: &[u8], most: usize) -> Result<(), EncodeError> {
    if bytes.len() > most { Err(EncodeError::TooLong { bytes: bytes.len(), most }) } else { Ok(()) }
}

/// Flips one bit of these bytes, at this place, a share in [0, 1). There is at least one byte.
pub fn flip_bit(bytes: &mut [u8], place: f64) {
    let bits = bytes.len() * 8;
    // The share is below one; the last bit is still the limit, because of rounding.
    let bit = ((bits as f64 * place) as usize).min(bits - 1);
    bytes[bit / 8] ^= 1 << (bit % 8);
}

fn encode<T: Serialize>(value: &T, most: usize) -> Result<Vec<u8>, EncodeError> {
    let mut bytes = Vec::with_capacity(USUAL_BYTES);
    bincode::serde::encode_into_std_write(value, &mut bytes, bincode::config::standard()).map_err(unencodable)?;
    // The limit of bincode's configuration holds for decoding only.
    check_length(&bytes, most)?;
    Ok(bytes)
}

/// The encoded value in hex, without its bytes in between.
fn encode_in_hex<T: Serialize>(value: &T, most: usize) -> Result<String, EncodeError> {
    let mut writer = HexWriter(String::with_capacity(2 * USUAL_BYTES));
    bincode::serde::encode_into_writer(value, &mut writer, bincode::config::standard()).map_err(unencodable)?;
    let HexWriter(text) = writer;
    let bytes = text.len() / 2;
    if bytes > most { Err(EncodeError::TooLong { bytes, most }) } else { Ok(text) }
}

/// Writes the bytes that it gets in hex.
struct HexWriter(String);

impl Writer for HexWriter {
    fn write(&mut self, bytes: &[u8]) -> Result<(), bincode::error::EncodeError> {
        append_hex(&mut self.0, bytes);
        Ok(())
    }
}

fn append_hex(text: &mut String, bytes: &[u8]) {
    const DIGITS: [u8; 16] = *b"0123456789abcdef";
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
}

fn unencodable(error: bincode::error::EncodeError) -> EncodeError {
    EncodeError::Unencodable(error.to_string())
}

fn decode_before<T: Serialize + DeserializeOwned, const CLAIM: usize>(bytes: &[u8]) -> Option<(T, &[u8])> {
    let limited = bincode::config::standard().with_limit::<CLAIM>();
    let (value, consumed) = bincode::serde::decode_from_slice(bytes, limited).ok()?;
    let (own, rest) = bytes.split_at(consumed);
    is_encoding_of(&value, own).then_some((value, rest))
}

/// Whether these bytes are the one encoding of the value: bincode reads numbers that were written longer than necessary.
fn is_encoding_of<T: Serialize>(value: &T, bytes: &[u8]) -> bool {
    encode(value, bytes.len()).is_ok_and(|again| again == bytes)
}
