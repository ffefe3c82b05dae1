#!/usr/bin/env bash
# The manual's tables of measurements: carries out each command that stands there, and compares what it prints.
set -euo pipefail

if [[ "${1:-}" == "--help" ]]; then
    echo "usage: scripts/tables.sh"
    echo "Compares the tables of src/manual/measurements.md with what their commands print."
    echo "HUSTINGS names the program (default: target/release/hustings, else on the PATH)."
    exit 0
fi

# shellcheck source=scripts/program.sh
source "$(dirname "$0")/program.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
awk -v work="$work" '
    /^\$ hustings measure / { place += 1; sub(/^\$ hustings /, ""); continues = 1; inside = 1 }
    continues {
        continues = sub(/\\$/, "")
        printf "%s", $0 (continues ? "" : "\n") > (work "/" place ".command")
        next
    }
    /^```/ { inside = 0 }
    inside { print > (work "/" place ".table") }
' "$here/src/manual/measurements.md"

differ=0
for command in "$work"/*.command; do
    table=${command%.command}.table
    # The command line is the reader's: a shell takes it apart.
    if eval "\"\$hustings\" $(cat "$command")" 2>/dev/null | head -n "$(wc -l <"$table")" | diff "$table" -; then
        echo "the same: hustings $(cat "$command")"
    else
        echo "DIFFERENT: hustings $(cat "$command")"
        differ=1
    fi
done
exit "$differ"
