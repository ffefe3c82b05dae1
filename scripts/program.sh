# shellcheck shell=bash
# Sourced by the scripts that drive labs: sets `hustings` to the program, or ends the script when there is none.
# (`lab.sh` says the same itself: it is the one to copy.)

here="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
hustings="${HUSTINGS:-$here/target/release/hustings}"
[[ -x "$hustings" ]] || hustings="$(command -v hustings)" || {
    echo "no hustings program: run cargo build --release first" >&2
    exit 1
}
