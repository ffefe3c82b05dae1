//! A datagram of UDP over IPv4 (RFC 768, RFC 791), of its addresses and its payload.
//!
//! Invariant: both checksums are right.

use std::net::SocketAddrV4;

const IP_HEADER: usize = 20;
const UDP_HEADER: usize = 8;
const UDP: u8 = 17;
/// How many routers it may pass: it never leaves the computer.
const HOPS: u8 = 1;
/// A session that claims more is cut: a length is a number of 16 bits.
const PAYLOAD_MAX: usize = u16::MAX as usize - IP_HEADER - UDP_HEADER;

/// The datagram, from its IP header on.
pub(super) fn datagram(from: SocketAddrV4, to: SocketAddrV4, payload: &[u8]) -> Vec<u8> {
    let payload = &payload[..payload.len().min(PAYLOAD_MAX)];
    let length = (UDP_HEADER + payload.len()) as u16;
    let mut udp = [from.port(), to.port(), length, 0].map(u16::to_be_bytes).concat();
    udp.extend(payload);
    let mut pseudo = [from.ip().octets(), to.ip().octets()].concat();
    pseudo.extend([0, UDP]);
    pseudo.extend(length.to_be_bytes());
    pseudo.extend(&udp);
    // Zero means that there is none.
    let sum = match checksum(&pseudo) {
        0 => u16::MAX,
        sum => sum,
    };
    udp[6..8].copy_from_slice(&sum.to_be_bytes());

    let mut ip = vec![0x45, 0];
    ip.extend((length + IP_HEADER as u16).to_be_bytes());
    // No identification, not to be taken apart.
    ip.extend([0, 0, 0x40, 0, HOPS, UDP, 0, 0]);
    ip.extend(from.ip().octets());
    ip.extend(to.ip().octets());
    let sum = checksum(&ip);
    ip[10..12].copy_from_slice(&sum.to_be_bytes());
    [ip, udp].concat()
}

/// The checksum of RFC 1071.
fn checksum(bytes: &[u8]) -> u16 {
    let mut sum: u32 =
        bytes.chunks(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair.get(1).copied().unwrap_or(0)]))).sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}
