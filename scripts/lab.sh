#!/usr/bin/env bash
# A lab from a script: start it, break it three times, wait each time until the nodes have agreed, end it.
# The example to copy. It never sleeps: `inject` returns when a fault is in force, `wait` when a condition holds.
set -euo pipefail

usage() {
    echo "usage: scripts/lab.sh [LAB]"
    echo "Starts the lab (the built-in one without LAB), crashes and returns its coordinator, pauses another node,"
    echo "and prints the verdict. HUSTINGS names the program (default: target/release/hustings, else on the PATH)."
}
if [[ "${1:-}" == "--help" ]]; then
    usage
    exit 0
fi

here="$(cd "$(dirname "$0")/.." && pwd)"
hustings="${HUSTINGS:-$here/target/release/hustings}"
[[ -x "$hustings" ]] || hustings="$(command -v hustings)" || {
    echo "no hustings program: run cargo build --release first" >&2
    exit 1
}

lab="$("$hustings" up "$@" --detach)"
# Whatever happens below, the lab is not left running.
trap '"$hustings" down --lab "$lab" >/dev/null 2>&1 || true' EXIT

"$hustings" wait --lab "$lab" 'coordinator 5'

"$hustings" inject --lab "$lab" 'crash 5'
"$hustings" wait --lab "$lab" 'coordinator 4' --within 20s

"$hustings" inject --lab "$lab" 'recover 5'
"$hustings" wait --lab "$lab" 'coordinator 5' --within 20s

"$hustings" inject --lab "$lab" 'crash 1,2'
"$hustings" wait --lab "$lab" 'all normal' --within 20s

"$hustings" down --lab "$lab"
trap - EXIT
