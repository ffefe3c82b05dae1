//! The config file: what a person sets once for all commands, and `hustings config`, which shows what holds.
//!
//! It is `$XDG_CONFIG_HOME/hustings/config.toml`, else `~/.config/hustings/config.toml`, or the file that
//! `HUSTINGS_CONFIG` names. What a command line says wins over it.
//!
//! Invariant: an error in it keeps no command from running: the default holds where the file is wrong. But as long as
//! anything is wrong, no session is removed to make room, for nobody knows how many the person wants to keep.

mod error;
mod page;
mod parse;
mod shape;

use std::collections::BTreeMap;
use std::env;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use self::error::ConfigErrors;
pub use self::error::ConfigRefusal;
pub use self::page::example;
pub use self::shape::schema;
use super::characters::CharactersName;
use super::code;
use super::output::{remark, say};
use super::screen::ThemeName;
use dashboard::{Keymap, Mouse};
use record::{Retention, open_regular};

/// A longer config file is refused.
const BYTES_MAX: u64 = 1 << 16;
/// The variable that names another config file.
const VARIABLE: &str = "HUSTINGS_CONFIG";

/// What `config` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 the config file is correct, or there is none; 2 something in it is wrong.")]
pub struct Arguments {
    /// Print a config file with all defaults, each behind `# `, to begin with
    #[arg(long)]
    example: bool,
}

/// What a config file sets; where it sets nothing, the default.
#[derive(Clone, Debug)]
pub struct Config {
    /// The colours of the screen.
    pub theme: ThemeName,
    /// The characters of the screen.
    pub glyphs: CharactersName,
    /// Whose the mouse is when a screen opens.
    pub mouse: Mouse,
    /// Which key does what.
    pub keymap: Keymap,
    /// How much is kept of what `run` and `simulate` record by themselves.
    pub(super) kept: Retention,
    /// The lines of the file that set something, by what they set: `theme`, `keys.crash`.
    pub(super) lines: BTreeMap<String, usize>,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            theme: ThemeName::default(),
            glyphs: CharactersName::default(),
            mouse: Mouse::default(),
            keymap: Keymap::default(),
            kept: Retention::DEFAULT,
            lines: BTreeMap::new(),
        }
    }
}

/// A config as it was found.
#[derive(Debug)]
pub struct LoadedConfig {
    /// What holds.
    pub config: Config,
    /// What is wrong with the file.
    pub wrong: Option<ConfigRefusal>,
}

impl LoadedConfig {
    /// How much is kept of what commands record by themselves; nothing is removed while something is wrong.
    pub fn retention(&self) -> Option<Retention> {
        self.wrong.is_none().then_some(self.config.kept)
    }
}

/// Reads the config file, if there is one.
pub fn load() -> LoadedConfig {
    match file() {
        Some((path, is_named)) => load_from(&path, is_named),
        None => LoadedConfig { config: Config::default(), wrong: None },
    }
}

/// Reads the config file, and tells on stderr what is wrong with it.
pub fn load_and_tell() -> LoadedConfig {
    let loaded = load();
    if let Some(wrong) = &loaded.wrong {
        remark(wrong);
    }
    loaded
}

/// What the file may set beside its keys, each with what is said of it.
pub fn settings() -> impl Iterator<Item = (&'static str, &'static str)> {
    parse::SETTINGS.iter().map(|setting| (setting.name, setting.about))
}

/// Shows what holds, or prints an example.
pub fn main(arguments: &Arguments) -> u8 {
    if arguments.example {
        page::example().iter().for_each(say);
        return code::MET;
    }
    let loaded = load_and_tell();
    let path = file().map(|(path, _)| path);
    page::holding(&loaded.config, path.as_deref()).iter().for_each(say);
    if loaded.wrong.is_some() { code::USAGE } else { code::MET }
}

/// Where the config file is, and whether the person has named it.
fn file() -> Option<(PathBuf, bool)> {
    let variable = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let named = variable(VARIABLE).map(|path| (path, true));
    let home = || variable("HOME").map(|home| home.join(".config"));
    let below = variable("XDG_CONFIG_HOME").filter(|path| path.is_absolute()).or_else(home);
    named.or_else(|| below.map(|below| (below.join("hustings").join("config.toml"), false)))
}

fn load_from(path: &Path, is_named: bool) -> LoadedConfig {
    let text = match read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound && !is_named => String::new(),
        Err(error) => {
            let wrong = Some(ConfigRefusal::Unread { path: path.to_owned(), error });
            return LoadedConfig { config: Config::default(), wrong };
        }
    };
    let (config, list) = parse::parse(&text);
    let wrong = (!list.is_empty()).then(|| ConfigRefusal::Wrong(ConfigErrors { path: path.to_owned(), text, list }));
    LoadedConfig { config, wrong }
}

fn read(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    open_regular(path)?.take(BYTES_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > BYTES_MAX {
        return Err(io::Error::other(format!("it is longer than {BYTES_MAX} bytes; a config file is shorter")));
    }
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        io::Error::other(format!("line {line} is not UTF-8; save the file as UTF-8"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_there_is_an_error_only_if_it_was_named() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        let loaded = load_from(&path, false);
        assert!(loaded.wrong.is_none() && loaded.retention() == Some(Retention::DEFAULT));
        let loaded = load_from(&path, true);
        assert!(loaded.wrong.unwrap().to_string().contains("No such file"));
        std::fs::write(&path, b"theme = \"mono\"\n# \xe9\n").unwrap();
        let wrong = load_from(&path, false).wrong.unwrap().to_string();
        assert!(wrong.contains("line 2 is not UTF-8; save the file as UTF-8"), "{wrong}");
    }

    #[test]
    fn while_something_is_wrong_the_rest_holds_and_nothing_is_removed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        std::fs::write(&path, "theme = \"mono\"\nglyhps = \"ascii\"\nkept_sessions = 7\n").unwrap();
        let loaded = load_from(&path, false);
        assert_eq!((loaded.config.theme, loaded.config.glyphs), (ThemeName::Mono, CharactersName::Auto));
        assert_eq!((loaded.config.kept.sessions, loaded.retention()), (7, None));
        let wrong = loaded.wrong.unwrap();
        assert!(wrong.to_string().contains("did you mean `glyphs`?"), "{wrong}");
        assert!(wrong.in_brief().contains("1 error"), "{}", wrong.in_brief());
    }

    #[test]
    fn a_file_that_is_too_long_is_told() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        std::fs::write(&path, "#".repeat(BYTES_MAX as usize + 1)).unwrap();
        assert!(load_from(&path, false).wrong.unwrap().to_string().contains("longer than 65536 bytes"));
    }
}
