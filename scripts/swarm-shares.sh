#!/usr/bin/env bash
# Measures the table of src/sim/campaign/shares.rs anew and prints its rows: how often each property of each algorithm is
# due in a swarm, of all the times that it is looked at. Takes some minutes; put the rows into the table by hand.
set -euo pipefail

if [[ "${1:-}" == "--help" ]]; then
    echo "usage: scripts/swarm-shares.sh"
    echo "Measures the shares that a swarm is held to, over all labs, and prints them as the table's rows."
    exit 0
fi
cd "$(dirname "$0")/.."

# Not as small as a release has to be, and built in half the time.
export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_OPT_LEVEL=2
cargo test --release --quiet --locked --lib --package hustings-sim campaign::shares::tests::print_the_table -- --ignored --nocapture |
    grep '^    ("'
