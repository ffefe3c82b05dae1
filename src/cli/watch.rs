//! `hustings watch`: a running lab, or what one of its nodes believes.

use super::code;
use super::output::remark;
use super::running::LabChoice;
use super::screen::{self, ScreenLook};
use dashboard::{Access, Options, Source};
use protocol::NodeId;

/// What `watch` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    which: LabChoice,
    /// Show only what this node says of itself, also after a crash and a recovery
    #[arg(long, value_name = "N")]
    node: Option<NodeId>,
    /// Refuse every key that changes the lab
    #[arg(long)]
    read_only: bool,
    #[command(flatten)]
    look: ScreenLook,
}

/// Watches until `q`.
pub fn main(arguments: Arguments) -> u8 {
    let (directory, lab) = match arguments.which.lab() {
        Ok(lab) => lab,
        Err(code) => return code,
    };
    if let Some(node) = arguments.node
        && node.get() > lab.nodes
    {
        remark(format!("there is no node {node} in this lab; it has 1-{}", lab.nodes));
        return code::USAGE;
    }
    let source = Source::Lab { directory, node: arguments.node };
    let ended = dashboard::run(Options {
        access: if arguments.read_only { Access::ReadOnly } else { Access::Full },
        ..screen::options(source, &arguments.look)
    });
    screen::exit_code(&ended)
}
