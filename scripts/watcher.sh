#!/usr/bin/env bash
# Does a watcher that stands still slow an election down? Crashes the coordinator again and again, five times with no
# watcher attached and five times with one that was stopped, alternating, and reads from the session how long each
# failover took: from the record of the crash to the moment at which the last live node is Normal under 4. The medians
# may differ by less than a tenth of T, and each watcher, once it goes on, must say what it missed.
set -euo pipefail

usage() {
    echo "usage: scripts/watcher.sh COUNT [SECONDS]"
    echo "COUNT failovers of each kind, a multiple of 5; a watcher stands still for SECONDS (60, at least 60) at a time."
    echo "Needs script(1) and pgrep(1). The session is kept; its path is printed."
    echo "HUSTINGS names the program (default: target/release/hustings, else on the PATH)."
}
if [[ "${1:-}" == "--help" ]]; then
    usage
    exit 0
fi
count="${1:-}"
seconds="${2:-60}"
[[ "$count" =~ ^[1-9][0-9]*$ && "$seconds" =~ ^[0-9]+$ && $((count % 5)) == 0 && "$seconds" -ge 60 ]] || {
    usage >&2
    exit 2
}

# shellcheck source=scripts/program.sh
source "$(dirname "$0")/program.sh"

work="$(mktemp -d)"
lab=""
cleanup() {
    [[ -z "$lab" ]] || "$hustings" down --lab "$lab" >/dev/null 2>&1 || true
    rm -rf "$work"
}
trap cleanup EXIT

T_MS=200
cat >"$work/lab.toml" <<LAB
name = "watcher"
about = "The coordinator crashes again and again, watched and unwatched."
algorithm = "bully"
nodes = 5
seed = 1
T = "${T_MS}ms"
check = "${T_MS}ms"
silence = "1s"

[[expect]]
that = "no violation"
LAB

# Plain, because it is read while it is written.
session="${XDG_STATE_HOME:-$HOME/.local/state}/hustings/watcher-$(date +%s)-$$.jsonl"
lab="$("$hustings" up "$work/lab.toml" --detach --record "$session")"
"$hustings" wait --lab "$lab" 'coordinator 5'

# Returns when the coordinator has just checked on the others. A crash at any moment would be noticed up to a check
# earlier or later, which is more than what is to be seen here.
coordinator_checks() {
    tail -n 0 -f "$session" | grep -m 1 '"node":5,.*"input":{"timer":{"timer":"Check"' >/dev/null || true
}

# Five failovers, spread evenly. Nothing asks the lab how far it is, since who asks is a watcher too.
failovers() {
    local times pause
    pause="$(awk -v seconds="$seconds" 'BEGIN { print seconds / 10 }')"
    for ((times = 0; times < 5; times++)); do
        coordinator_checks
        "$hustings" inject --lab "$lab" 'crash 5' >/dev/null
        sleep "$pause"
        "$hustings" inject --lab "$lab" 'recover 5' >/dev/null
        sleep "$pause"
    done
}

silent=0
for ((block = 0; block < count / 5; block++)); do
    failovers

    screen="$work/screen-$block"
    script -qfec "stty rows 30 cols 100; exec '$hustings' watch --lab $lab" "$screen" >/dev/null 2>&1 </dev/null &
    terminal=$!
    until grep -q LIVE "$screen" 2>/dev/null; do
        kill -0 "$terminal" 2>/dev/null || {
            echo "the watcher did not start" >&2
            exit 1
        }
        sleep 0.05
    done
    watcher="$(pgrep -P "$terminal")"
    kill -STOP "$watcher"
    failovers
    before="$(wc -c <"$screen")"
    # script(1) may have stopped itself with its child.
    kill -CONT "$watcher" "$terminal"
    deadline=$((SECONDS + 10))
    until said="$(tail -c "+$before" "$screen" | sed 's/\x1b\[[0-9;?]*[A-Za-z]/ /g' | grep -ao 'missed \+[0-9]\+ \+records' | head -n 1)" &&
        [[ -n "$said" ]]; do
        ((SECONDS < deadline)) || break
        # In another size the whole screen is drawn, and not only the letters that differ from what stood there.
        rows=$((61 - ${rows:-30}))
        stty -F "$(readlink "/proc/$watcher/fd/0")" rows "$rows"
        sleep 0.5
    done
    echo "the watcher stood still for $seconds s and says: ${said:-nothing of what it missed}"
    [[ -n "$said" ]] || silent=$((silent + 1))
    kill -TERM "$watcher"
    wait "$terminal" || true
done
"$hustings" down --lab "$lab"
lab=""

awk -v count="$count" -v t_ms="$T_MS" '
    function number(name) {
        return match($0, "\"" name "\":-?[0-9]+") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3) : ""
    }
    function median(kind,    i, j, n, sorted, value) {
        n = 0
        for (i = 1; i <= taken[kind]; i++) {
            value = took[kind, i]
            for (j = n; j > 0 && sorted[j] > value; j--) sorted[j + 1] = sorted[j]
            sorted[j + 1] = value
            n++
        }
        return n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
    }
    /"kind":"died"/ && number("node") == 5 {
        deaths += 1
        kind = int((deaths - 1) / 5) % 2
        crashed = number("at")
        for (node = 1; node <= 4; node++) under[node] = 0
    }
    /"kind":"spawned"/ && crashed != "" { print "BAD: no agreement after crash " deaths; failed = 1; crashed = "" }
    /"kind":"step"/ && crashed != "" && /"state":\{"status"/ {
        under[number("node")] = /"status":"normal"/ && /"coordinator":4/
        if (under[1] && under[2] && under[3] && under[4]) {
            took[kind, ++taken[kind]] = (number("at") - crashed) / 1e6
            crashed = ""
        }
    }
    END {
        printf "median of %d failovers with no watcher: %.1f ms\n", taken[0], median(0)
        printf "median of %d failovers with one stopped: %.1f ms\n", taken[1], median(1)
        apart = median(0) - median(1)
        if (apart < 0) apart = -apart
        printf "apart: %.1f ms; a tenth of T is %.1f ms\n", apart, t_ms / 10
        exit failed || taken[0] != count || taken[1] != count || apart >= t_ms / 10
    }' "$session"
[[ "$silent" == 0 ]]
