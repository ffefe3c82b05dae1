//! The binary: the program with what is built in, and nothing else.

use std::process::ExitCode;

fn main() -> ExitCode {
    hustings::App::new().main()
}
