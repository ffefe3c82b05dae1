#!/bin/sh
# How fast the simulator is: builds it, a bare heap, madsim and turmoil round the same machine side by side (`benches/sim`)
# and runs all of them on the same workload in one go. Usage: scripts/sim-speed.sh [ROUNDS]
set -eu
cd "$(dirname "$0")/../benches/sim"
# madsim simulates only if all is built with its flag, which stands in this crate's own configuration.
unset RUSTFLAGS
cargo build --release --quiet
cargo run --release --quiet --bin speed -- "${1:-5}"
