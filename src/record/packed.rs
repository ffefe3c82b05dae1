//! Compressed text: a zstd stream that is flushed after every line, and all that can be read of one.
//!
//! Invariant: a line is in the file once its bytes are, whatever becomes of its writer; a stream that is cut ends there,
//! and of a damaged one everything before the damage is read; neither side needs more memory than its window allows.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};

use zstd::{Decoder, Encoder};

/// How every frame begins.
pub(super) const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Lines are much like those before them, so that a higher level gains a tenth only.
const LEVEL: i32 = 1;
/// The writer remembers this many bytes of text, as a power of 2.
const WINDOW_LOG: u32 = 18;
/// A frame that asks its reader to remember more is not read.
const WINDOW_LOG_MAX: u32 = 23;
/// Ends a frame: an empty block, said to be the last one.
const FRAME_END: [u8; 3] = [1, 0, 0];

/// Makes of lines the bytes that follow in a file. Whoever writes them says whether they are [`kept`](Self::kept) or
/// [`lost`](Self::lost) before there are others.
#[derive(Default)]
pub(super) struct LinePacker {
    /// It knows what stands in the frame; absent when the next line begins another one.
    encoder: Option<Encoder<'static, Vec<u8>>>,
    end: FrameEnd,
}

/// How the stream ends in the file.
#[derive(Copy, Clone, Eq, PartialEq, Default, Debug)]
enum FrameEnd {
    /// Every frame has its end.
    #[default]
    Whole,
    /// The last frame goes on.
    Open,
    /// The last frame lacks its end, and its encoder is gone.
    Abandoned,
}

impl LinePacker {
    /// The bytes after which the file holds this text too.
    pub fn pack(&mut self, text: &[u8]) -> io::Result<Vec<u8>> {
        let encoder = match &mut self.encoder {
            Some(encoder) => encoder,
            None => {
                let mut encoder = Encoder::new(Vec::new(), LEVEL)?;
                encoder.window_log(WINDOW_LOG)?;
                self.encoder.insert(encoder)
            }
        };
        if self.end == FrameEnd::Abandoned {
            encoder.get_mut().extend(FRAME_END);
        }
        encoder.write_all(text)?;
        encoder.flush()?;
        Ok(std::mem::take(encoder.get_mut()))
    }

    /// The bytes that [`pack`](Self::pack) gave are in the file.
    pub fn kept(&mut self) {
        self.end = FrameEnd::Open;
    }

    /// None of these bytes is in the file: the next line begins another frame.
    pub fn lost(&mut self) {
        self.encoder = None;
        if self.end == FrameEnd::Open {
            self.end = FrameEnd::Abandoned;
        }
    }

    /// The bytes after which the file is whole for every reader.
    pub fn ending(&self) -> &'static [u8] {
        if self.end == FrameEnd::Whole { &[] } else { &FRAME_END }
    }
}

impl fmt::Debug for LinePacker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LinePacker").field("end", &self.end).finish_non_exhaustive()
    }
}

/// This text as a frame of its own.
pub(super) fn packed_alone(text: &[u8]) -> io::Result<Vec<u8>> {
    Ok([LinePacker::default().pack(text)?, FRAME_END.to_vec()].concat())
}

/// The text of a compressed stream, as far as it can be read.
pub(super) struct UnpackedText<R: Read> {
    decoder: Decoder<'static, ByteByByte<R>>,
    state: Unpacking,
}

enum Unpacking {
    GoesOn,
    Ended,
    /// Nothing behind this place can be read, and why.
    Damaged(String),
}

impl<R: Read> UnpackedText<R> {
    /// The text of this stream.
    pub fn new(stream: R) -> io::Result<UnpackedText<R>> {
        let mut decoder = Decoder::with_buffer(ByteByByte(BufReader::new(stream)))?;
        decoder.window_log_max(WINDOW_LOG_MAX)?;
        Ok(UnpackedText { decoder, state: Unpacking::GoesOn })
    }

    /// Why the stream is not read to its end, if it was damaged where the text ended.
    pub fn damage(self) -> Option<String> {
        if let Unpacking::Damaged(why) = self.state { Some(why) } else { None }
    }
}

impl<R: Read> Read for UnpackedText<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !matches!(self.state, Unpacking::GoesOn) {
            return Ok(0);
        }
        match self.decoder.read(buffer) {
            Ok(read) => return Ok(read),
            Err(error) if error.raw_os_error().is_some() => return Err(error),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => self.state = Unpacking::Ended,
            Err(error) => self.state = Unpacking::Damaged(error.to_string()),
        }
        Ok(0)
    }
}

/// Gives one byte at a time: a decoder that finds damage gives nothing of what it was given with it.
struct ByteByByte<R>(BufReader<R>);

impl<R: Read> Read for ByteByByte<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl<R: Read> BufRead for ByteByByte<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.0.fill_buf().map(|bytes| &bytes[..bytes.len().min(1)])
    }

    fn consume(&mut self, count: usize) {
        self.0.consume(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read of this, and whether it was damaged.
    fn unpacked(bytes: &[u8]) -> (String, bool) {
        let mut stream = UnpackedText::new(bytes).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        (text, stream.damage().is_some())
    }

    fn lines() -> Vec<String> {
        (0..40).map(|number| format!("line {number}, which is like line {}\n", number / 2)).collect()
    }

    #[test]
    fn what_is_cut_anywhere_holds_all_lines_that_were_written_before() {
        let mut packer = LinePacker::default();
        let (mut stream, mut ends) = (packed_alone(b"head\n").unwrap(), Vec::new());
        let mut text = "head\n".to_owned();
        for (place, line) in lines().iter().enumerate() {
            ends.push((stream.len(), text.len()));
            if place % 7 == 3 {
                // These bytes never come to the file.
                packer.pack(b"lost\n").unwrap();
                packer.lost();
            }
            stream.extend(packer.pack(line.as_bytes()).unwrap());
            packer.kept();
            text += line;
        }
        stream.extend(packer.ending());
        assert_eq!(unpacked(&stream), (text.clone(), false));
        assert_eq!(zstd::decode_all(&stream[..]).unwrap(), text.as_bytes(), "for every reader");
        for cut in 0..stream.len() {
            let kept = ends.iter().rev().find(|(end, _)| *end <= cut).map_or(0, |(_, length)| *length);
            let (read, damaged) = unpacked(&stream[..cut]);
            assert!(!damaged && read.len() >= kept && text.starts_with(&read), "{cut}: {read}");
        }
    }

    #[test]
    fn everything_before_a_damage_is_read_and_the_damage_is_told() {
        let mut packer = LinePacker::default();
        let lines = lines();
        let mut stream = Vec::new();
        for line in &lines {
            stream.extend(packer.pack(line.as_bytes()).unwrap());
            packer.kept();
        }
        let (before, behind) = (stream.len(), packer.pack(b"one more\n").unwrap());
        // A block of the kind that is none.
        stream.push(0b110);
        stream.extend(&behind[1..]);
        assert_eq!(unpacked(&stream), (lines.concat(), true));
        assert_eq!(unpacked(&stream[..before]), (lines.concat(), false));
    }

    #[test]
    fn a_frame_that_wants_much_memory_is_not_read() {
        let mut encoder = Encoder::new(Vec::new(), LEVEL).unwrap();
        encoder.window_log(WINDOW_LOG_MAX + 1).unwrap();
        encoder.write_all(b"text\n").unwrap();
        encoder.flush().unwrap();
        assert_eq!(unpacked(encoder.get_ref()), (String::new(), true));
    }
}
