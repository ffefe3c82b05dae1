//! Compressed text: a zstd stream that is flushed after every line, and all that can be read of one.
//!
//! Invariant: a line is in the file once its bytes are, whatever becomes of its writer; a stream that is cut ends there,
//! and of a damaged one everything before the damage is read; neither side needs more memory than its window allows.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};

use zstd::Encoder;
use zstd::stream::raw::{DParameter, Decoder, InBuffer, Operation, OutBuffer};

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
    /// Knows what stands in the frame; absent when the next line begins another one.
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
pub(super) struct UnpackedText<R> {
    /// The stream from its beginning on.
    stream: R,
    input: BufReader<R>,
    decoder: Decoder<'static>,
    /// How many bytes the decoder is given at once. One that finds damage gives nothing of what it was given with it, so
    /// before a damage it is given one at a time.
    at_once: usize,
    /// How many bytes of text were read.
    read: u64,
    state: Unpacking,
}

enum Unpacking {
    GoesOn,
    Ended,
    /// Nothing behind this place can be read, and why.
    Damaged(String),
}

impl<R: Read + Clone> UnpackedText<R> {
    /// The text of this stream.
    pub fn new(stream: R) -> io::Result<UnpackedText<R>> {
        let input = BufReader::new(stream.clone());
        Ok(UnpackedText { stream, input, decoder: decoder()?, at_once: usize::MAX, read: 0, state: Unpacking::GoesOn })
    }

    /// Why the stream is not read to its end, if it was damaged where the text ended.
    pub fn damage(&self) -> Option<&str> {
        if let Unpacking::Damaged(why) = &self.state { Some(why) } else { None }
    }

    /// Begins again, byte by byte, and passes over the text that was read.
    fn begin_again(&mut self) -> io::Result<()> {
        (self.input, self.decoder, self.at_once) = (BufReader::new(self.stream.clone()), decoder()?, 1);
        let mut left = self.read;
        let mut passed = [0; 1 << 12];
        while left > 0 {
            let room = passed.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            match self.unpack(&mut passed[..room])? {
                0 => break,
                bytes => left -= bytes as u64,
            }
        }
        Ok(())
    }

    /// The next bytes of the text; none at the end, and at the end of a stream that is cut.
    fn unpack(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut text = OutBuffer::around(buffer);
        loop {
            let bytes = self.input.fill_buf()?;
            // At its end, the decoder may have text left that found no room.
            let is_end = bytes.is_empty();
            let mut packed = InBuffer::around(&bytes[..bytes.len().min(self.at_once)]);
            self.decoder.run(&mut packed, &mut text)?;
            let count = packed.pos();
            self.input.consume(count);
            if text.pos() > 0 || is_end {
                return Ok(text.pos());
            }
        }
    }
}

/// A decoder that needs no more memory than a window may.
fn decoder() -> io::Result<Decoder<'static>> {
    let mut decoder = Decoder::new()?;
    decoder.set_parameter(DParameter::WindowLogMax(WINDOW_LOG_MAX))?;
    Ok(decoder)
}

impl<R: Read + Clone> Read for UnpackedText<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() || !matches!(self.state, Unpacking::GoesOn) {
            return Ok(0);
        }
        let mut unpacked = self.unpack(buffer);
        if unpacked.as_ref().is_err_and(is_damage) && self.at_once > 1 {
            unpacked = self.begin_again().and_then(|()| self.unpack(buffer));
        }
        match unpacked {
            Ok(0) => self.state = Unpacking::Ended,
            Ok(bytes) => {
                self.read += bytes as u64;
                return Ok(bytes);
            }
            Err(error) if is_damage(&error) => self.state = Unpacking::Damaged(error.to_string()),
            Err(error) => return Err(error),
        }
        Ok(0)
    }
}

/// Whether the decoder says so, not the system.
fn is_damage(error: &io::Error) -> bool {
    error.raw_os_error().is_none()
}

impl<R> fmt::Debug for UnpackedText<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnpackedText").field("read", &self.read).finish_non_exhaustive()
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
    fn text_that_finds_no_room_at_the_end_of_an_open_stream_comes_next_time() {
        let mut packer = LinePacker::default();
        let line = lines().concat();
        let packed = packer.pack(line.as_bytes()).unwrap();
        let (mut stream, mut text) = (UnpackedText::new(&packed[..]).unwrap(), Vec::new());
        loop {
            let mut few = [0; 7];
            let count = stream.read(&mut few).unwrap();
            text.extend(&few[..count]);
            if count == 0 {
                break;
            }
        }
        assert_eq!(String::from_utf8(text).unwrap(), line);
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
