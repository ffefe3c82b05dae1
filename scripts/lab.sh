#!/usr/bin/env bash
# A lab from a script: start it, break it three times, wait each time until what must follow has, end it.
# The example to copy. It never sleeps: `inject` returns when a fault is in force, `wait` when a condition holds.
set -euo pipefail

usage() {
    echo "usage: scripts/lab.sh"
    echo "Starts the built-in lab, crashes its coordinator and the next one, returns both, and tells the verdict."
    echo "HUSTINGS names the program (default: target/release/hustings, else on the PATH)."
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

lab="$("$hustings" up --detach)"
# Whatever happens below, the lab is not left running.
trap '"$hustings" down --lab "$lab" >/dev/null 2>&1 || true' EXIT

"$hustings" wait --lab "$lab" 'coordinator 5'

"$hustings" inject --lab "$lab" 'crash 5'
"$hustings" wait --lab "$lab" 'coordinator 4' --within 20s

"$hustings" inject --lab "$lab" 'crash 4'
"$hustings" wait --lab "$lab" 'coordinator 3' --within 20s

"$hustings" inject --lab "$lab" 'recover 4,5'
"$hustings" wait --lab "$lab" 'coordinator 5' --within 20s

"$hustings" down --lab "$lab"
trap - EXIT
