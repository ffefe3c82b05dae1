//! `hustings watch`: a running lab, or what one of its nodes believes.

use super::running::Which;
use super::screen::{self, Look};
use crate::dashboard::{self, Access, Options, Role, Source};
use crate::protocol::NodeId;

/// What `watch` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    which: Which,
    /// Only what this node says of itself; it is followed through crash and recovery
    #[arg(long, value_name = "N")]
    node: Option<NodeId>,
    /// Refuse every key that would change something
    #[arg(long)]
    read_only: bool,
    #[command(flatten)]
    look: Look,
}

/// Watches until `q`.
pub fn main(arguments: Arguments) -> u8 {
    let directory = match arguments.which.directory() {
        Ok(directory) => directory,
        Err(code) => return code,
    };
    let ended = dashboard::run(Options {
        source: Source::Lab { directory, node: arguments.node },
        access: if arguments.read_only { Access::ReadOnly } else { Access::Full },
        role: Role::Visitor,
        glyphs: arguments.look.glyphs(),
        colour: arguments.look.colour(),
    });
    screen::exit_code(&ended)
}
