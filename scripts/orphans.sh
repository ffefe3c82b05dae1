#!/usr/bin/env bash
# Does anything outlive a killed lab? Kills a lab's host, its dashboard, or both with SIGKILL, again and again, while
# one node stands still and another is crashed and recovered all the time; 2 s later nothing of it may be left.
set -euo pipefail

usage() {
    echo "usage: scripts/orphans.sh COUNT [LAB]"
    echo "Needs script(1) of util-linux. HUSTINGS names the program (default: target/release/hustings, else on the PATH)."
}
if [[ "${1:-}" == "--help" ]]; then
    usage
    exit 0
fi
count="${1:-}"
file="${2:-first}"
[[ "$count" =~ ^[0-9]+$ ]] || {
    usage >&2
    exit 2
}

# shellcheck source=scripts/program.sh
source "$(dirname "$0")/program.sh"

# A field of the lab's entry.
field() {
    grep -o "\"$1\":\"*[0-9a-f]*" <<<"$entry" | grep -o '[0-9a-f]*$'
}

# Processes whose command line holds the lab's id, and these others; a zombie left to process 1 does not count.
alive() {
    local lab="$1" pid state parent
    shift
    for pid in "$@" $(grep -alz -- "$lab" /proc/[0-9]*/cmdline 2>/dev/null | cut -d/ -f3); do
        [[ "$pid" != "$$" && -r "/proc/$pid/stat" ]] || continue
        read -r state parent < <(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null | cut -d' ' -f1,2) || continue
        [[ "$state" == Z && "$parent" == 1 ]] || echo "$pid"
    done | sort -u
}

# UDP sockets on the lab's ports, but for those of another lab that has taken the ports meanwhile.
sockets() {
    local lab="$1" base="$2" nodes="$3" port line inode owner
    for ((port = base + 1; port <= base + nodes; port++)); do
        while read -r line; do
            inode="$(awk '{ print $10 }' <<<"$line")"
            owner="$(find /proc/[0-9]*/fd -lname "socket:\[$inode\]" 2>/dev/null | head -n 1 | cut -d/ -f3)"
            if [[ -z "$owner" ]] || grep -aqz -- "$lab" "/proc/$owner/cmdline" 2>/dev/null; then
                echo "$line"
            fi
        done < <(grep -i "0100007F:$(printf '%04X' "$port") " /proc/net/udp || true)
    done
}

before="$("$hustings" ls --json 2>/dev/null | wc -l)"
[[ "$before" == 0 ]] || {
    echo "a lab runs already; this script wants to be alone" >&2
    exit 2
}

failed=0
for ((round = 1; round <= count; round++)); do
    script -qfec "$hustings up '$file' --no-record" /dev/null >/dev/null 2>&1 </dev/null &
    terminal=$!
    until entry="$("$hustings" ls --json 2>/dev/null)" && [[ -n "$entry" ]]; do
        kill -0 "$terminal" 2>/dev/null || {
            echo "round $round: the lab did not start" >&2
            exit 1
        }
    done
    lab="$(field lab_id)"
    host="$(field pid)"
    base="$(field base_port)"
    nodes="$(field nodes)"
    dashboard="$(sed 's/.*) //' "/proc/$host/stat" | cut -d' ' -f2)"

    "$hustings" inject --lab "$lab" 'pause 2' >/dev/null
    (
        while "$hustings" inject --lab "$lab" 'crash 3' && "$hustings" inject --lab "$lab" 'recover 3'; do
            sleep 0.02
        done
    ) >/dev/null 2>&1 &
    breaking=$!
    sleep "0.$((RANDOM % 5 + 3))"

    case $((round % 3)) in
        1) what=host && kill -KILL "$host" ;;
        2) what=dashboard && kill -KILL "$dashboard" ;;
        0) what=both && kill -KILL "$host" "$dashboard" ;;
    esac
    sleep 2
    left="$(alive "$lab" "$host" "$dashboard")"
    open="$(sockets "$lab" "$base" "$nodes")"
    if [[ -n "$left" || -n "$open" ]]; then
        failed=$((failed + 1))
        echo "round $round: $what killed; left:" >&2
        for pid in $left; do ps -o pid,ppid,stat,args -p "$pid" >&2 || true; done
        [[ -z "$open" ]] || echo "$open" >&2
    else
        echo "round $round: $what killed, nothing left"
    fi
    wait "$breaking" "$terminal" 2>/dev/null || true
    "$hustings" ls >/dev/null 2>&1 # sweeps
done
echo "$((count - failed)) of $count left nothing behind"
[[ "$failed" == 0 ]]
