//! The binary: the command line, and nothing else.

use std::process::ExitCode;

fn main() -> ExitCode {
    // A panic is our bug, and has been told on stderr by the panic hook.
    std::panic::catch_unwind(hustings::cli::main).unwrap_or(ExitCode::from(70))
}
