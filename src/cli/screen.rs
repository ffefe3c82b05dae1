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
}

impl Look {
    /// Which glyphs it is drawn with.
    pub fn glyphs(&self) -> Glyphs {
        if self.ascii { Glyphs::Ascii } else { Glyphs::Unicode }
    }

    /// Whether colours may be used: not if NO_COLOR is set to anything.
    pub fn colour(&self) -> Colour {
        match std::env::var_os("NO_COLOR") {
            Some(value) if !value.is_empty() => Colour::Mono,
            _ => Colour::Ansi,
        }
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
