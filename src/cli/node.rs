//! `hustings node`: a node's process. Its plan comes from the host, over a stream that it inherits.

use super::code;
use super::registry_in_use;

/// The arguments of `node`; they are there for `ps`, because the plan says everything.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The lab's id
    #[arg(long)]
    lab: String,
    /// The node's id
    #[arg(long)]
    node: u16,
}

/// Runs the node until the host is gone.
pub fn main(_: &Arguments) -> u8 {
    u8::try_from(node::main(registry_in_use())).unwrap_or(code::BUG)
}
