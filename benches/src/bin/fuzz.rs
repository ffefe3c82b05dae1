//! Gives a target many inputs: `fuzz TARGET COUNT [SEED]`. The inputs are mutations of the corpus beside this crate and of
//! the labs; a panic ends it and leaves the input in a file that it names.
//!
//! What is measured: inputs a second, and the resident memory after a tenth of them and at the end.
//! (`cargo +nightly fuzz run TARGET --fuzz-dir benches/fuzz` lets libFuzzer look for inputs that reach new lines.)

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use hustings::protocol::codec::bytes_of;
use hustings::registry::BUILT_IN;
use hustings_benches::resident_kib;
use hustings_benches::targets::TARGETS;

/// How much the memory may grow between a tenth of the inputs and the last, in KiB.
const GROWTH_MAX_KIB: u64 = 1024;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let target = arguments.first().and_then(|name| TARGETS.iter().find(|(of, _)| of == name));
    let count = arguments.get(1).and_then(|text| text.parse::<u64>().ok());
    let (Some((name, take)), Some(count)) = (target, count) else {
        let names: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
        eprintln!("usage: fuzz TARGET COUNT [SEED]\nTARGET is one of {}", names.join(", "));
        return ExitCode::from(2);
    };
    let seed = arguments.get(2).and_then(|text| text.parse().ok()).unwrap_or(1);
    let mut source = InputSource { corpus: corpus(name), state: seed, input: Vec::new() };
    let memory = || resident_kib(std::process::id()).unwrap_or(0);
    let (began, mut settled_kib) = (Instant::now(), 0);
    for done in 0..count {
        if done == count / 10 {
            settled_kib = memory();
        }
        let input = source.next_input();
        if catch_unwind(AssertUnwindSafe(|| take(input))).is_err() {
            let path = std::env::temp_dir().join(format!("fuzz-{name}-{seed}-{done}"));
            let kept = fs::write(&path, &source.input);
            eprintln!("{name}: input {done} fell; {}: {kept:?}", path.display());
            return ExitCode::FAILURE;
        }
    }
    let (seconds, end_kib) = (began.elapsed().as_secs_f64(), memory());
    println!(
        "{name}: {count} inputs, none fell; {:.0} a second; {settled_kib} KiB after a tenth, {end_kib} KiB at the end",
        count as f64 / seconds
    );
    if end_kib > settled_kib + GROWTH_MAX_KIB { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// What the inputs of this target are made of.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let place = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |name: &str| fs::read_to_string(place.join("corpus").join(name)).expect("the corpus is there");
    let lines = |text: String| text.lines().map(|line| line.as_bytes().to_vec()).collect::<Vec<_>>();
    match target {
        "datagram" => read("datagrams.txt").lines().flat_map(datagrams).collect(),
        "session" => std::iter::once(read("head.json").into_bytes()).chain(lines(read("records.jsonl"))).collect(),
        "lab" => {
            let labs = fs::read_dir(place.join("../labs")).expect("the labs are there");
            let files = labs.flatten().filter_map(|entry| fs::read(entry.path()).ok());
            files.filter(|text| text.len() < 4_000).collect()
        }
        _ => lines(read(&format!("{target}s.txt"))),
    }
}

/// A line names an algorithm and a body in hex: the datagram in each channel.
fn datagrams(line: &str) -> Vec<Vec<u8>> {
    let (name, hex) = line.split_once(' ').expect("a line has two words");
    let place = BUILT_IN.cards().position(|card| card.name == name).expect("the corpus names algorithms");
    let body = bytes_of(hex).expect("the corpus has hex");
    (1..6).step_by(2).map(|how| [&[place as u8, how][..], &body].concat()).collect()
}

/// Draws inputs.
struct InputSource {
    corpus: Vec<Vec<u8>>,
    state: u64,
    input: Vec<u8>,
}

impl InputSource {
    /// Mostly one of the corpus with a few changes; a session has its head and a few records.
    fn next_input(&mut self) -> &[u8] {
        self.input.clear();
        let is_session = self.corpus[0].starts_with(b"{\"format\"");
        let pieces = if is_session { 1 + self.below(6) } else { 1 };
        if is_session {
            self.input.extend_from_slice(&self.corpus[0]);
            while self.input.last() == Some(&b'\n') {
                self.input.pop();
            }
        }
        let head = self.input.len();
        for _ in 0..pieces {
            if is_session {
                self.input.push(b'\n');
            }
            let place = self.below(self.corpus.len());
            self.input.extend_from_slice(&self.corpus[place]);
        }
        // The head is the longest by far, and would take nearly all changes.
        let from = if self.below(8) == 0 { 0 } else { head };
        for _ in 0..self.below(5) {
            self.change(from);
        }
        &self.input
    }

    fn change(&mut self, from: usize) {
        let length = self.input.len();
        if length <= from {
            return;
        }
        let at = from + self.below(length - from);
        match self.below(8) {
            0 => self.input[at] ^= 1 << self.below(8),
            1 => self.input[at] = self.below(256) as u8,
            2 => self.input.truncate(at),
            3 => drop(self.input.remove(at)),
            4 => {
                let byte = self.below(256) as u8;
                self.input.insert(at, byte);
            }
            5 => {
                let other = self.below(self.corpus.len());
                let start = self.below(self.corpus[other].len().max(1));
                let end = (start + 1 + self.below(24)).min(self.corpus[other].len());
                let piece: Vec<u8> = self.corpus[other][start.min(end)..end].to_vec();
                self.input.splice(at..at, piece);
            }
            6 => {
                let end = (at + 1 + self.below(16)).min(length);
                let piece: Vec<u8> = self.input[at..end].to_vec();
                self.input.splice(at..at, piece);
            }
            _ => {
                let words =
                    ["0", "-1", "18446744073709551615", "9223372036854775807", "null", "[]", "{}", "\"", "*", "1e308"];
                let word = words[self.below(words.len())].as_bytes().to_vec();
                self.input.splice(at..at, word);
            }
        }
    }

    /// A number below this one (splitmix64).
    fn below(&mut self, end: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }
}
