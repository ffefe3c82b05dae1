//! The last record of a session, read from the end of its last file alone.
//!
//! The end of a lab is a line of its own in a plain file, and a frame of its own in a compressed one: whoever lists many
//! sessions reads no more than that of each.
//!
//! Invariant: what cannot be told from the end alone is not guessed.

use std::fs::File;
use std::io::{self, Read};

use super::Record;
use super::files::FileFrom;
use super::packed::{MAGIC, UnpackedText};
use super::parts::PartForm;

/// The last record is sought in this many bytes; that of a lab's end is shorter.
const END_BYTES: u64 = 4 << 10;

/// The last record of this file, if its end tells it: a compressed file that was not written to its end does not.
///
/// # Errors
/// The file cannot be read.
pub(super) fn last_record(file: &File, form: PartForm) -> io::Result<Option<Record>> {
    let begin = file.metadata()?.len().saturating_sub(END_BYTES);
    let mut end = Vec::new();
    FileFrom::new(file, begin).take(END_BYTES).read_to_end(&mut end)?;
    match form {
        PartForm::Plain => Ok(last_line(&end)),
        PartForm::Compressed => last_packed(&end),
    }
}

/// The last record of the frames that begin within these bytes.
fn last_packed(end: &[u8]) -> io::Result<Option<Record>> {
    for (place, _) in end.windows(MAGIC.len()).enumerate().rev().filter(|(_, bytes)| *bytes == MAGIC) {
        let mut frame = UnpackedText::new(&end[place..])?;
        let mut text = vec![b'\n'];
        let bytes = (&mut frame).take(END_BYTES).read_to_end(&mut text)?;
        let is_whole = (bytes as u64) < END_BYTES && frame.damage().is_none();
        // By chance, packed bytes look like the beginning of a frame.
        if let Some(record) = last_line(&text).filter(|_| is_whole) {
            return Ok(Some(record));
        }
    }
    Ok(None)
}

/// The record of the last line of this text, if the line begins and ends within it.
fn last_line(text: &[u8]) -> Option<Record> {
    let text = text.strip_suffix(b"\n")?;
    let begin = text.iter().rposition(|byte| *byte == b'\n')? + 1;
    Record::from_line(std::str::from_utf8(&text[begin..]).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::Body;
    use crate::packed::{LinePacker, packed_alone};

    fn last(form: PartForm, bytes: &[u8]) -> Option<u64> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        last_record(&file, form).unwrap().map(|record| record.number)
    }

    fn lines() -> Vec<String> {
        let note = |number: u64| Record { number, ..Record::of_host(0, Body::Note { text: "n".repeat(99) }) };
        (1..=999).map(|number| note(number).to_line() + "\n").collect()
    }

    #[test]
    fn the_last_line_of_a_plain_file_is_its_last_record() {
        let text = lines().concat();
        assert_eq!(last(PartForm::Plain, text.as_bytes()), Some(999));
        for cut in [text.len() - 1, text.len() - 20, 10, 0] {
            assert_eq!(last(PartForm::Plain, &text.as_bytes()[..cut]), None, "{cut}");
        }
        assert_eq!(last(PartForm::Plain, (text + &"x".repeat(9_999) + "\n").as_bytes()), None, "a longer line");
    }

    #[test]
    fn the_last_frame_of_a_compressed_file_is_its_last_record_and_no_frame_is_guessed() {
        let mut packer = LinePacker::default();
        let mut packed = packed_alone(b"head\n").unwrap();
        for line in lines() {
            packed.extend(packer.pack(line.as_bytes()).unwrap());
            packer.kept();
        }
        assert_eq!(last(PartForm::Compressed, &packed), None, "it begins too far from the end");
        packed.extend(packer.ending());
        let whole = [&packed[..], &packed_alone(lines()[998].as_bytes()).unwrap()].concat();
        assert_eq!(last(PartForm::Compressed, &whole), Some(999));
        let seems = [&packed_alone(lines()[998].as_bytes()).unwrap()[..], &MAGIC, b"none"].concat();
        assert_eq!(last(PartForm::Compressed, &seems), Some(999), "it only looks like the beginning of a frame");
        for cut in packed.len() + 1..whole.len() - 3 {
            assert_eq!(last(PartForm::Compressed, &whole[..cut]), None, "{cut}");
        }
    }
}
