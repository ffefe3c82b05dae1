#!/usr/bin/env bash
# Does the ordered broadcast keep its promises on real processes? Eight processes of King/Ni A broadcast COUNT times, all
# of them, while a fifth of all copies is lost. Then the session is read: any two deliver what both deliver in one order,
# none twice; what was not delivered to all stands beside what one relay hop leaves to miss, and each is counted as
# condition (c), all or nothing, broken.
set -euo pipefail

usage() {
    echo "usage: scripts/broadcast.sh COUNT [SEED]"
    echo "COUNT broadcasts (10 in a second), the dice of the losses made of SEED (default: 1)."
    echo "Needs cargo, which builds the reader in benches/. The session is kept; its path is printed."
    echo "HUSTINGS names the program (default: target/release/hustings, else on the PATH)."
}
if [[ "${1:-}" == "--help" ]]; then
    usage
    exit 0
fi
count="${1:-}"
seed="${2:-1}"
[[ "$count" =~ ^[1-9][0-9]{0,4}$ && "$seed" =~ ^[0-9]{1,15}$ ]] || {
    usage >&2
    exit 2
}

# shellcheck source=scripts/program.sh
source "$(dirname "$0")/program.sh"

HUSTINGS="$(realpath "$hustings")" cargo run --release --quiet --manifest-path "$here/benches/Cargo.toml" --bin broadcast -- \
    "$count" "$seed"
