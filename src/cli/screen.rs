//! The options of all commands with a screen.

use std::io::IsTerminal;

use super::characters::{CharactersName, TerminalCharacters};
use super::config::{self, Config, LoadedConfig};
use super::output::remark;
use super::{code, lesson_progress, necessary_faults};
use dashboard::{Access, Colour, DashboardError, Leaving, Options, Role, ScreenEnd, Source, Tour};

/// How the screen looks.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ScreenLook {
    /// Draw with ASCII characters only; without it, so does a terminal whose locale is not UTF-8
    #[arg(long)]
    ascii: bool,
    /// Draw with all characters, whatever the config file and the locale say
    #[arg(long, conflicts_with = "ascii")]
    unicode: bool,
    /// The colours of the screen; without it, as the config file says, or `auto`
    #[arg(long, value_enum)]
    theme: Option<ThemeName>,
}

protocol::worded! {
    /// The colours that a person may ask for.
    #[derive(Copy, Clone, Default, Eq, PartialEq, Debug, clap::ValueEnum)]
    pub enum ThemeName {
        /// What suits the terminal, as far as its environment tells
        #[default]
        Auto = "auto",
        /// The terminal's own 16 colours
        Basic = "basic",
        /// Colours for a dark background
        Dark = "dark",
        /// Colours for a light background
        Light = "light",
        /// The brightest of the 16 colours, and nothing dim
        HighContrast = "high-contrast",
        /// No colours
        Mono = "mono",
    }
}

impl ThemeName {
    /// The colours. Where the person names none: none if NO_COLOR is set to anything, colours of our own if the
    /// terminal has them, else its 16.
    fn colour(self) -> Colour {
        let variable = |name| std::env::var(name).unwrap_or_default();
        match self {
            ThemeName::Auto => suited(&variable("NO_COLOR"), &variable("COLORTERM"), &variable("COLORFGBG")),
            ThemeName::Basic => Colour::Ansi,
            ThemeName::Dark => Colour::Dark,
            ThemeName::Light => Colour::Light,
            ThemeName::HighContrast => Colour::HighContrast,
            ThemeName::Mono => Colour::Mono,
        }
    }
}

impl ScreenLook {
    /// What the person says of the characters: on the command line, else in the config file.
    fn characters(&self, config: &Config) -> CharactersName {
        match (self.ascii, self.unicode) {
            (true, _) => CharactersName::Ascii,
            (false, true) => CharactersName::Unicode,
            (false, false) => config.glyphs,
        }
    }
}

/// The options of a screen that shows this to a visitor who may only look. What the command line says of its look wins
/// over the config file; what is wrong with that file, the screen tells.
pub fn options(source: Source, look: &ScreenLook) -> Options {
    let LoadedConfig { config, wrong } = config::load();
    Options {
        source,
        access: Access::ReadOnly,
        role: Role::Visitor,
        leaving: Leaving::AtOnce,
        glyphs: look.characters(&config).glyphs(&TerminalCharacters::here()),
        colour: look.theme.unwrap_or(config.theme).colour(),
        keymap: config.keymap,
        mouse: config.mouse,
        told: wrong.map(|wrong| wrong.in_brief()),
        rerun: necessary_faults::again,
        tour: Tour::Hidden,
        remember: lesson_progress::remember,
    }
}

/// The colours that suit a terminal with these environment variables.
fn suited(no_color: &str, colorterm: &str, colorfgbg: &str) -> Colour {
    let is_light = matches!(colorfgbg.rsplit(';').next(), Some("7" | "15"));
    match colorterm {
        _ if !no_color.is_empty() => Colour::Mono,
        "truecolor" | "24bit" if is_light => Colour::Light,
        "truecolor" | "24bit" => Colour::Dark,
        _ => Colour::Ansi,
    }
}

/// Whether standard input and output are a terminal.
pub fn is_there() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// The exit code for the end of a dashboard; stderr says what went wrong.
pub fn exit_code(ended: &Result<ScreenEnd, DashboardError>) -> u8 {
    match ended {
        Ok(ending) => {
            match ending {
                ScreenEnd::LabLost => remark(
                    "the lab ended without a message: its host was killed; if it was recorded, `hustings replay last` shows \
                     it up to then",
                ),
                ScreenEnd::Refused(why) => remark(format!("the lab goes on, but this screen cannot watch it: {why}")),
                _ => {}
            }
            ending.exit_code()
        }
        Err(error) => {
            remark(error);
            match error {
                DashboardError::NoTerminal => code::USAGE,
                DashboardError::Unreachable { .. } => code::FAILED,
                DashboardError::Session { error, .. } => code::unread(error),
                DashboardError::Terminal(error) => code::of_io(error),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_wins_over_the_config_file() {
        let ascii = Config { glyphs: CharactersName::Ascii, ..Config::default() };
        let look = ScreenLook::default();
        assert_eq!(look.characters(&ascii), CharactersName::Ascii);
        assert_eq!(look.characters(&Config::default()), CharactersName::Auto);
        let look = ScreenLook { unicode: true, ..ScreenLook::default() };
        assert_eq!(look.characters(&ascii), CharactersName::Unicode);
        let look = ScreenLook { ascii: true, ..ScreenLook::default() };
        assert_eq!(look.characters(&Config::default()), CharactersName::Ascii);
    }

    #[test]
    fn a_theme_has_the_same_word_everywhere() {
        for theme in <ThemeName as clap::ValueEnum>::value_variants() {
            let value = clap::ValueEnum::to_possible_value(theme).unwrap();
            assert_eq!(value.get_name(), theme.word());
        }
    }

    #[test]
    fn the_environment_says_which_colours_suit() {
        for (no_color, colorterm, colorfgbg, suits) in [
            ("", "", "", Colour::Ansi),
            ("", "truecolor", "", Colour::Dark),
            ("", "24bit", "15;0", Colour::Dark),
            ("", "truecolor", "0;15", Colour::Light),
            ("1", "truecolor", "0;15", Colour::Mono),
        ] {
            assert_eq!(suited(no_color, colorterm, colorfgbg), suits, "{colorterm} {colorfgbg}");
        }
    }
}
