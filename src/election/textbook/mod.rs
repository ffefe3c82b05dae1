//! The two election algorithms that textbooks of operating systems tell: Bully by messages, and the unidirectional ring.
//!
//! Source: the page "What is Election Algorithms?", its two sections "The Bully Algorithm" and "The Ring Algorithm".
//!
//! Invariant: a line of a listing below 100 is the page's, or what it takes for granted; from 100 on stand the mends of
//! its holes, and a line's last digit is the hole's number.

pub mod bully;
pub mod ring;

/// Where both are defined.
const PAGE: &str = "\"What is Election Algorithms?\", 4/5";
