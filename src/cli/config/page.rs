//! A config as text: what holds and where it comes from, and an example that sets nothing yet.
//!
//! Invariant: both are config files themselves; without its signs of a comment, the example sets the defaults.

use std::path::Path;

use super::Config;
use super::parse::SETTINGS;
use crate::cli::output::{COLUMNS, wrapped};
use dashboard::{Action, Keymap, Mouse};

/// Where the comments of what holds begin.
const COMMENT_COLUMN: usize = 34;

const HEAD: &[&str] = &[
    "# The config file of hustings: $XDG_CONFIG_HOME/hustings/config.toml, else",
    "# ~/.config/hustings/config.toml, or the file that HUSTINGS_CONFIG names.",
    "# Each line stands as it is without this file. To set something, take away",
    "# the `# ` before its line. `hustings config` shows what holds.",
];

const KEYS_HEAD: &[&str] = &[
    "# A key, or a list of keys: one character, \"Space\", \"F1\" to \"F12\", or",
    "# \"Ctrl-A\" to \"Ctrl-Z\". An empty list takes an action's keys away; its name",
    "# after `:` does it still. Enter, Esc, Tab, the arrows, the pages, Home, End,",
    "# the digits, `:` and Ctrl-C do the same for everybody.",
];

/// What holds, each with where it comes from.
pub fn holding(config: &Config, path: Option<&Path>) -> Vec<String> {
    let line = |setting: String, name: &str, beside: &str| {
        let from = config.lines.get(name).map_or_else(|| "default".to_owned(), |line| format!("line {line}"));
        format!("{setting:<COMMENT_COLUMN$} # {from}{beside}")
    };
    let path = path.map_or_else(|| "no config file".to_owned(), |path| path.display().to_string());
    let mut lines = vec![format!("# {path}")];
    lines.extend(SETTINGS.iter().map(|setting| line(assignment(setting.name, config), setting.name, "")));
    lines.extend([String::new(), "[keys]".to_owned()]);
    for action in Keymap::actions() {
        let setting = format!("{} = {}", action.name, keys(&config.keymap, action.action));
        let beside = always(&config.keymap, action.action).map_or_else(String::new, |keys| format!("; always {keys}"));
        lines.push(line(setting, &format!("keys.{}", action.name), &beside));
    }
    lines
}

/// A file with all defaults, as comments.
pub fn example() -> Vec<String> {
    let config = Config::default();
    let comment = |text: &str| wrapped(text, COLUMNS - 2).into_iter().map(|line| format!("# {line}"));
    let mut lines: Vec<String> = HEAD.iter().map(|line| (*line).to_owned()).collect();
    for setting in SETTINGS {
        lines.push(String::new());
        lines.extend(comment(setting.about));
        lines.push(format!("# {}", assignment(setting.name, &config)));
    }
    lines.extend([String::new(), "[keys]".to_owned()]);
    lines.extend(KEYS_HEAD.iter().map(|line| (*line).to_owned()));
    for action in Keymap::actions() {
        lines.push(String::new());
        let always =
            always(&config.keymap, action.action).map_or_else(String::new, |keys| format!(". Always: {keys}."));
        lines.extend(comment(&format!("{}{always}", action.about)));
        lines.push(format!("# {} = {}", action.name, keys(&config.keymap, action.action)));
    }
    lines
}

/// A setting as a line of the file.
fn assignment(name: &str, config: &Config) -> String {
    let value = match name {
        "theme" => format!("\"{}\"", config.theme),
        "glyphs" => format!("\"{}\"", config.glyphs),
        "mouse" => format!("\"{}\"", if config.mouse == Mouse::OfTheScreen { "screen" } else { "terminal" }),
        "kept_sessions" => config.kept.sessions.to_string(),
        "kept_mib" => (config.kept.bytes >> 20).to_string(),
        other => unreachable!("{other} is no setting"),
    };
    format!("{name} = {value}")
}

/// The keys of an action as TOML.
fn keys(keymap: &Keymap, action: Action) -> String {
    let quoted: Vec<String> = keymap.movable(action).into_iter().map(|key| quoted(&key.name())).collect();
    match &quoted[..] {
        [one] => one.clone(),
        several => format!("[{}]", several.join(", ")),
    }
}

/// The keys that an action has whatever a person binds to it.
fn always(keymap: &Keymap, action: Action) -> Option<String> {
    let names: Vec<String> = keymap.fixed(action).into_iter().map(|key| key.name()).collect();
    (!names.is_empty()).then(|| names.join(" "))
}

fn quoted(name: &str) -> String {
    toml::Value::from(name).to_string()
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;
    use super::*;

    #[test]
    fn the_example_sets_nothing_and_without_its_signs_the_defaults() {
        let default = holding(&Config::default(), None);
        let text = example().join("\n");
        let (config, wrong) = parse(&text);
        assert_eq!((holding(&config, None), wrong), (default.clone(), vec![]));
        assert!(text.lines().all(|line| line.chars().count() <= COLUMNS), "{text}");
        let is_setting = |line: &str| {
            let name = line.trim_start_matches("# ").split(" = ").next().unwrap_or_default().to_owned();
            SETTINGS.iter().any(|setting| setting.name == name)
                || Keymap::actions().iter().any(|action| action.name == name)
        };
        let set: Vec<String> = text
            .lines()
            .map(|line| if line.contains(" = ") && is_setting(line) { line[2..].to_owned() } else { line.to_owned() })
            .collect();
        let (config, wrong) = parse(&set.join("\n"));
        assert_eq!(wrong, []);
        let without_origin = |lines: Vec<String>| -> Vec<String> {
            lines.into_iter().map(|line| line.split(" # ").next().unwrap_or_default().trim_end().to_owned()).collect()
        };
        assert_eq!(without_origin(holding(&config, None)), without_origin(default));
        assert!(config.lines.len() > 60, "{:?}", config.lines);
    }

    #[test]
    fn what_holds_is_told_with_its_line() {
        let (config, wrong) = parse("theme = \"light\"\n\n[keys]\nwhy = [\"Z\", \"F2\"]\n");
        assert_eq!(wrong, []);
        let lines = holding(&config, Some(Path::new("/somewhere/config.toml")));
        assert_eq!(lines[0], "# /somewhere/config.toml");
        for line in [
            "theme = \"light\"                    # line 1",
            "glyphs = \"auto\"                    # default",
            "why = [\"Z\", \"F2\"]                  # line 4",
            "crash = \"c\"                        # default",
            "details = []                       # default; always Enter",
        ] {
            assert!(lines.iter().any(|told| told == line), "{line}: {lines:#?}");
        }
    }
}
