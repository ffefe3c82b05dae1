//! Parts of a campaign or of a measurement, as `--shard` prints them and `merge` reads them.
//!
//! A part is one line of JSON: what was asked, of which program, with which seeds and as which shard, what was found,
//! and a digest of all that stands before it.
//!
//! Invariant: parts are merged only if they are whole, answer the same question and hold each seed once.

use std::io::Read;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::output::{remark, say};
use fault::Percent;
use measure::rounds::{Starts, Tables};
use measure::time::TimeTopic;
use record::open_regular;
use sim::campaign::{Holes, SeedShard, Seeds, StepSource};

/// The program that makes a part. Another one may play the same seeds in another way.
const PROGRAM: &str = concat!("hustings ", env!("CARGO_PKG_VERSION"));

/// What stands before the digest of a part.
const DIGEST: &str = ",\"digest\":\"";

/// The question that all parts of a survey answer.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SurveyQuestion {
    Simulate {
        labs: Vec<AskedLab>,
        /// Whose steps are played.
        steps: StepSource,
        /// Which holes each seed leaves unmended.
        holes: Holes,
        /// How many faults each seed of a swarm draws, if it is told.
        #[serde(default)]
        faults: Option<u64>,
        /// The seed of the dice, if it is fixed.
        dice: Option<u64>,
    },
    /// `measure rounds`.
    Rounds {
        /// The chances of loss.
        p: Vec<Percent>,
        /// The numbers of candidates.
        candidates: Vec<u16>,
        /// When the processes begin.
        starts: Starts,
        /// Which holes of the tables are mended.
        tables: Tables,
    },
    /// `measure messages`.
    Messages {
        algorithms: Vec<String>,
        /// The numbers of processes.
        nodes: Vec<u16>,
    },
    /// `measure time`.
    Time {
        /// What is measured.
        topics: Vec<TimeTopic>,
        algorithms: Vec<String>,
        /// The numbers of processes.
        nodes: Vec<u16>,
    },
    /// `measure detectors`.
    Detectors {
        /// The chances of loss.
        p: Vec<Percent>,
        /// The number of nodes.
        nodes: u16,
    },
    /// `measure duel`.
    Duel {
        lab: AskedLab,
        /// The algorithms that play its script.
        algorithms: Vec<String>,
    },
    /// `measure figures`.
    Figures {
        lab: AskedLab,
        /// The kinds that are counted.
        count: Vec<String>,
        /// The step from which on it is.
        from: Option<String>,
        /// The condition until which it is.
        until: Option<String>,
        /// Whether each run has a row.
        each: bool,
    },
}

/// A lab that was asked for.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct AskedLab {
    /// The name or the path that was given.
    pub file: PathBuf,
    pub text: String,
}

/// What a part is a part of.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PartHead {
    /// Which program made it.
    program: String,
    /// The question.
    pub asked: SurveyQuestion,
    seeds: String,
    /// Which of the parts it is.
    shard: String,
}

/// A part.
#[derive(Debug, Serialize, Deserialize)]
struct PartFile<T> {
    head: PartHead,
    found: T,
}

/// Only the head of a part; what was found is passed over.
#[derive(Debug, Deserialize)]
struct HeadOnly {
    head: PartHead,
}

/// Parts that belong together.
#[derive(Debug)]
pub struct PartSet {
    /// The question of all of them.
    pub asked: SurveyQuestion,
    pub seeds: Seeds,
    /// The files and texts, in the order of the shards.
    parts: Vec<(PathBuf, String)>,
}

/// Prints a part.
pub fn print(asked: SurveyQuestion, seeds: Seeds, shard: SeedShard, found: impl Serialize) {
    let head = PartHead { program: PROGRAM.to_owned(), asked, seeds: seeds.to_string(), shard: shard.to_string() };
    say(text_of(&PartFile { head, found }));
}

/// The part as a file holds it.
fn text_of(part: &PartFile<impl Serialize>) -> String {
    let mut text = serde_json::to_string(part).expect("what was found is plain data");
    text.pop();
    let digest = blake3::hash(text.as_bytes());
    format!("{text}{DIGEST}{digest}\"}}")
}

/// The seeds of this shard, or of all.
///
/// # Errors
/// There are too few; stderr has the reason.
pub fn seeds_of(seeds: Seeds, shard: Option<SeedShard>) -> Result<Seeds, u8> {
    let Some(shard) = shard else { return Ok(seeds) };
    seeds.part(shard).map_err(|error| {
        remark(error);
        super::code::USAGE
    })
}

impl PartSet {
    /// The parts of these files.
    ///
    /// # Errors
    /// A sentence for everything that keeps them from being merged.
    pub fn read(files: &[PathBuf]) -> Result<PartSet, Vec<String>> {
        let (mut wrong, mut parts) = (Vec::new(), Vec::new());
        for file in files {
            match read(file) {
                Ok((head, shard, text)) => parts.push((head, shard, file.clone(), text)),
                Err(why) => wrong.push(why),
            }
        }
        let Some((first, first_shard, first_file, _)) = parts.first().cloned() else { return Err(wrong) };
        for (head, shard, file, _) in &parts[1..] {
            if let Some(difference) = difference(&first, head, first_shard.of, shard.of) {
                let [file, first_file] = [file, &first_file].map(|file| file.display());
                wrong.push(format!("{file} does not belong to {first_file}: {difference}"));
            }
        }
        if wrong.is_empty() {
            parts.sort_by_key(|(_, shard, ..)| *shard);
            for pair in parts.windows(2) {
                let [(_, one, file, _), (_, other, second, _)] = pair else { continue };
                if one == other {
                    wrong.push(format!("the shard {one} is there twice: {} and {}", file.display(), second.display()));
                }
            }
            let is_there = |index: &u64| parts.iter().any(|(_, shard, ..)| shard.index == *index);
            let missing: Vec<String> = (1..=first_shard.of)
                .filter(|index| !is_there(index))
                .map(|index| format!("{index}/{}", first_shard.of))
                .collect();
            match &missing[..] {
                [] => {}
                [one] => wrong.push(format!("the shard {one} is missing")),
                several => wrong.push(format!("the shards {} are missing", several.join(", "))),
            }
        }
        let seeds = first.seeds.parse().map_err(|error| vec![format!("{}: {error}", first_file.display())])?;
        if !wrong.is_empty() {
            return Err(wrong);
        }
        Ok(PartSet {
            asked: first.asked,
            seeds,
            parts: parts.into_iter().map(|(_, _, file, text)| (file, text)).collect(),
        })
    }

    /// What each part found.
    ///
    /// # Errors
    /// A file holds what another question found.
    pub fn found<T: DeserializeOwned>(&self) -> Result<Vec<T>, String> {
        let found = |(file, text): &(PathBuf, String)| {
            let part = serde_json::from_str::<PartFile<T>>(text);
            part.map(|part| part.found).map_err(|_| format!("{} answers another question", file.display()))
        };
        self.parts.iter().map(found).collect()
    }
}

fn read(file: &Path) -> Result<(PartHead, SeedShard, String), String> {
    let name = file.display();
    let mut text = Vec::new();
    let read = open_regular(file).and_then(|mut part| part.read_to_end(&mut text));
    read.map_err(|error| format!("{name}: {error}"))?;
    let no_part = || format!("{name} is no part that `--shard` printed");
    let text = String::from_utf8(text).map_err(|_| no_part())?;
    let HeadOnly { head } = serde_json::from_str(&text).map_err(|error| match error.is_eof() {
        true => format!("{name} is cut off, or empty: make the part again"),
        false => no_part(),
    })?;
    let shard: SeedShard = head.shard.parse().map_err(|error| format!("{name}: {error}"))?;
    let (told, digest) = text.rsplit_once(DIGEST).ok_or_else(no_part)?;
    if digest.trim_end() != format!("{}\"}}", blake3::hash(told.as_bytes())) {
        return Err(format!("{name} was changed since `--shard` printed it: make the part again"));
    }
    Ok((head, shard, text))
}

/// In what a part differs from the first one.
fn difference(first: &PartHead, other: &PartHead, of: u64, other_of: u64) -> Option<String> {
    if first.program != other.program {
        Some(format!("it was made by {}, and not by {}", other.program, first.program))
    } else if first.asked != other.asked {
        Some("it answers another question: another command, or other labs or options".to_owned())
    } else if first.seeds != other.seeds {
        Some(format!("its seeds are those of {}, and not of {}", other.seeds, first.seeds))
    } else if of != other_of {
        Some(format!("it is one of {other_of} shards, and not of {of}"))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn part(directory: &Path, name: &str, seeds: &str, shard: &str, nodes: u16) -> PathBuf {
        let asked = SurveyQuestion::Messages { algorithms: vec!["bully".into()], nodes: vec![nodes] };
        let (program, seeds, shard) = (PROGRAM.to_owned(), seeds.to_owned(), shard.to_owned());
        let file = directory.join(name);
        let part = PartFile { head: PartHead { program, asked, seeds, shard }, found: vec![1u64 << 60, 2] };
        fs::write(&file, text_of(&part)).unwrap();
        file
    }

    #[test]
    fn parts_that_belong_together_are_read_in_the_order_of_their_shards() {
        let directory = tempfile::tempdir().unwrap();
        let files = ["2/2", "1/2"].map(|shard| part(directory.path(), &shard.replace('/', "-"), "0..9", shard, 5));
        let set = PartSet::read(&files).unwrap();
        assert_eq!((set.seeds.number(), set.parts[0].0.clone()), (9, files[1].clone()));
        assert_eq!(set.found::<Vec<u64>>().unwrap(), [[1 << 60, 2]; 2]);
        assert!(set.found::<String>().unwrap_err().ends_with("answers another question"));
    }

    #[test]
    fn a_file_that_is_no_part_any_more_is_told() {
        let directory = tempfile::tempdir().unwrap();
        let whole = part(directory.path(), "whole", "0..9", "1/1", 5);
        let text = fs::read_to_string(&whole).unwrap();
        assert!(PartSet::read(std::slice::from_ref(&whole)).is_ok());
        for (damaged, what) in [
            (text.replace("1152921504606846976,2", "1152921504606846976,3"), "was changed since `--shard` printed it"),
            (text.replace("digest", "digits"), "is no part"),
            (text[..text.len() / 2].to_owned(), "is cut off, or empty"),
            (String::new(), "is cut off, or empty"),
            ("[]".to_owned(), "is no part"),
        ] {
            fs::write(&whole, damaged).unwrap();
            let wrong = PartSet::read(std::slice::from_ref(&whole)).unwrap_err();
            assert!(wrong.len() == 1 && wrong[0].contains(what), "{wrong:?}");
        }
    }

    #[test]
    fn parts_that_do_not_belong_together_overlap_or_are_missing_are_told() {
        let directory = tempfile::tempdir().unwrap();
        let part = |name: &str, seeds: &str, shard: &str, nodes| part(directory.path(), name, seeds, shard, nodes);
        let (a, again) = (part("a", "0..9", "1/4", 5), part("again", "0..9", "1/4", 5));
        let wrong = PartSet::read(&[a.clone(), again]).unwrap_err();
        assert!(wrong[0].starts_with("the shard 1/4 is there twice: "), "{wrong:?}");
        assert_eq!(wrong[1], "the shards 2/4, 3/4, 4/4 are missing");
        for (other, what) in [
            (part("b", "0..9", "2/4", 6), "it answers another question"),
            (part("c", "0..8", "2/4", 5), "its seeds are those of 0..8, and not of 0..9"),
            (part("d", "0..9", "2/3", 5), "it is one of 3 shards, and not of 4"),
        ] {
            let wrong = PartSet::read(&[a.clone(), other]).unwrap_err();
            assert!(wrong.len() == 1 && wrong[0].contains(what), "{wrong:?}");
        }
        let none = PartSet::read(&[directory.path().join("none")]).unwrap_err();
        assert!(none[0].contains("No such file"), "{none:?}");
        let device = PartSet::read(&["/dev/zero".into()]).unwrap_err();
        assert!(device[0].contains("it is no regular file"), "{device:?}");
    }
}
