//! The blocks of a pcapng file (the IETF's draft-ietf-opsawg-pcapng): a section's head, its one interface, packets.
//!
//! Invariant: every block says its length at both ends, its parts are filled up to four bytes, and all numbers are
//! little-endian.

const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const PACKET: u32 = 6;
/// The section head's number that tells the order of bytes.
const BYTE_ORDER: u32 = 0x1a2b_3c4d;
/// Packets begin with their IP header.
const LINK_RAW: u16 = 101;
const COMMENT: u16 = 1;
const NAME: u16 = 2;
const APPLICATION: u16 = 4;
const RESOLUTION: u16 = 9;
/// Stamps count nanoseconds: tens to the minus ninth of a second.
const NANOSECONDS: u8 = 9;
/// An option's text is cut after so many bytes: its length is a number of 16 bits.
const TEXT_MAX: usize = 60_000;

/// The head of a section with this comment.
pub(super) fn section(comment: &str) -> Vec<u8> {
    let mut content = BYTE_ORDER.to_le_bytes().to_vec();
    content.extend(1_u16.to_le_bytes());
    content.extend(0_u16.to_le_bytes());
    // How long the section is stands nowhere.
    content.extend((-1_i64).to_le_bytes());
    add_text(&mut content, COMMENT, comment);
    add_text(&mut content, APPLICATION, concat!("hustings ", env!("CARGO_PKG_VERSION")));
    block(SECTION, with_end(content))
}

/// The interface that all packets came through.
pub(super) fn interface() -> Vec<u8> {
    let mut content = LINK_RAW.to_le_bytes().to_vec();
    content.extend(0_u16.to_le_bytes());
    // A packet is never cut.
    content.extend(0_u32.to_le_bytes());
    add_text(&mut content, NAME, "hustings");
    add_option(&mut content, RESOLUTION, &[NANOSECONDS]);
    block(INTERFACE, with_end(content))
}

/// A packet at this time, in nanoseconds since 1970, with a comment.
pub(super) fn packet_block(at: u64, bytes: &[u8], comment: &str) -> Vec<u8> {
    let length = u32::try_from(bytes.len()).expect("a datagram has less than 64 KiB");
    let mut content = 0_u32.to_le_bytes().to_vec();
    content.extend(((at >> 32) as u32).to_le_bytes());
    content.extend((at as u32).to_le_bytes());
    content.extend(length.to_le_bytes());
    content.extend(length.to_le_bytes());
    content.extend(bytes);
    fill_up(&mut content);
    add_text(&mut content, COMMENT, comment);
    block(PACKET, with_end(content))
}

fn add_text(content: &mut Vec<u8>, code: u16, text: &str) {
    let end = (0..=text.len().min(TEXT_MAX)).rev().find(|place| text.is_char_boundary(*place)).unwrap_or(0);
    add_option(content, code, &text.as_bytes()[..end]);
}

fn add_option(content: &mut Vec<u8>, code: u16, value: &[u8]) {
    content.extend(code.to_le_bytes());
    content.extend(u16::try_from(value.len()).expect("an option's value was cut").to_le_bytes());
    content.extend(value);
    fill_up(content);
}

fn with_end(mut content: Vec<u8>) -> Vec<u8> {
    content.extend([0; 4]);
    content
}

fn fill_up(content: &mut Vec<u8>) {
    content.resize(content.len().next_multiple_of(4), 0);
}

fn block(kind: u32, content: Vec<u8>) -> Vec<u8> {
    let length = u32::try_from(content.len() + 12).expect("a block is short").to_le_bytes();
    [&kind.to_le_bytes()[..], &length, &content, &length].concat()
}
