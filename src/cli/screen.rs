//! The options of all commands with a screen.

use std::io::IsTerminal;

use super::tell::remark;
use crate::dashboard::{Colour, DashboardError, Glyphs, ScreenEnd};

use super::code;

/// How the screen looks.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Look {
    /// Draw with ASCII characters only
    #[arg(long)]
    ascii: bool,
    /// The colours of the screen
    #[arg(long, value_enum, default_value_t)]
    theme: ThemeName,
}

/// The colours that a person may ask for.
#[derive(Copy, Clone, Default, Debug, clap::ValueEnum)]
pub enum ThemeName {
    /// What suits the terminal, as far as its environment tells
    #[default]
    Auto,
    /// The terminal's own 16 colours
    Basic,
    /// Colours for a dark background
    Dark,
    /// Colours for a light background
    Light,
    /// The brightest of the 16 colours, and nothing dim
    HighContrast,
    /// No colours
    Mono,
}

impl Look {
    /// Which glyphs it is drawn with.
    pub fn glyphs(&self) -> Glyphs {
        if self.ascii { Glyphs::Ascii } else { Glyphs::Unicode }
    }

    /// Its colours. Where the person names none: none if NO_COLOR is set to anything, colours of our own if the terminal
    /// has them, else its 16.
    pub fn colour(&self) -> Colour {
        let variable = |name| std::env::var(name).unwrap_or_default();
        match self.theme {
            ThemeName::Auto => suited(&variable("NO_COLOR"), &variable("COLORTERM"), &variable("COLORFGBG")),
            ThemeName::Basic => Colour::Ansi,
            ThemeName::Dark => Colour::Dark,
            ThemeName::Light => Colour::Light,
            ThemeName::HighContrast => Colour::HighContrast,
            ThemeName::Mono => Colour::Mono,
        }
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
                ScreenEnd::LabLost => remark("the lab ended without a message: its host was killed"),
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
