#!/usr/bin/env bash
# Do real nodes do what their machines do? Runs labs of four algorithms whose links lose, double, delay, reorder and garble
# and whose nodes crash, stand still and return, each with a seed of its own, until there are so many sessions; then feeds
# every one of them to the machines again.
set -euo pipefail

usage() {
    echo "usage: scripts/verify.sh SESSIONS"
    echo "The sessions are kept if one does not conform; their directory is printed."
    echo "JOBS is how many labs run side by side (default: 4)."
    echo "HUSTINGS names the program (default: target/release/hustings, else on the PATH)."
}
if [[ "${1:-}" == "--help" ]]; then
    usage
    exit 0
fi
sessions="${1:-}"
[[ "$sessions" =~ ^[1-9][0-9]*$ ]] || {
    usage >&2
    exit 2
}

# shellcheck source=scripts/program.sh
source "$(dirname "$0")/program.sh"
work="$(mktemp -d)"
export hustings work

# An algorithm, its periods, and the moment at which a node of it is to crash.
algorithms=(
    'bully|check = "200ms"|silence = "1s"|first NewCoordinator sent'
    'invitation|check = "900ms"|silence = "2s"|first Accept sent'
    'king-ni-b1|check = "500ms"|silence = "2s"|first elected sent'
    'king-ni-c|check = "500ms"|silence = "2s"|first elected sent'
)

# lab SEED: a lab file. Nothing is expected of it but a session.
lab() {
    local IFS='|' name check silence moment
    read -r name check silence moment <<<"${algorithms[$(($1 % ${#algorithms[@]}))]}"
    cat <<LAB
name = "storm-$1"
about = "Everything goes wrong, and is recorded."
algorithm = "$name"
nodes = 5
seed = $1
T = "200ms"
$check
$silence
limit = "12s"

[[step]]
at = "300ms"
do = ["elect 1", "elect 5", "delay *->* 1ms..30ms", "loss *->* 3%"]

[[step]]
when = "$moment"
do = ["crash $(($1 / 4 % 5 + 1))"]

[[step]]
at = "2500ms"
do = ["duplicate *->* 20%", "reorder *->* 20%", "garble *->* 5%", "corrupt *->* 5%", "elect 2"]

[[step]]
at = "3s"
do = ["crash 5", "elect 4"]

[[step]]
at = "3500ms"
do = ["recover 1-5", "pause 4"]

[[step]]
at = "4s"
do = ["crash 3", "cut 1->2"]

[[step]]
at = "4500ms"
do = ["heal all", "elect 3"]

[[step]]
at = "5s"
do = ["crash 1,2"]

[[step]]
name = "last"
at = "5500ms"
do = ["recover 1,2", "elect 5"]

[[expect]]
that = "all normal"
after = "last"
within = "2s"
LAB
}

# What a lab makes of its expectation does not matter here: its session does. One that is no lab ends the script.
run_lab() {
    local code=0
    "$hustings" run --record "$work/$1.jsonl" "$work/$1.toml" >"$work/$1.out" 2>&1 || code=$?
    # xargs stops at 255.
    ((code != 3)) || { cat "$work/$1.out" >&2; exit 255; }
}
export -f run_lab

seed=0
while missing=$((sessions - $(find "$work" -name '*.jsonl' | wc -l))) && ((missing > 0)); do
    ((seed < 2 * sessions)) || {
        echo "labs do not start; the last one said: $(tail -n 1 "$work/$seed.out")" >&2
        exit 1
    }
    first=$((seed + 1)) seed=$((seed + missing))
    for ((number = first; number <= seed; number++)); do lab "$number" >"$work/$number.toml"; done
    seq "$first" "$seed" | xargs -P "${JOBS:-4}" -I{} bash -c 'run_lab {}' || exit 1
done

count() {
    cat "$work"/*.jsonl | grep -c "$1" || true
}
echo "$sessions sessions, with $(count '"kind":"fault-in-force"') faults in force, $(count '"kind":"died"') deaths," \
    "$(count '"held":{"by"') steps held, $(count '"kind":"garbled"') messages garbled"
for algorithm in "${algorithms[@]}"; do
    name="${algorithm%%|*}"
    mapfile -t files < <(grep -l "\"facts\":{\"name\":\"$name\"" "$work"/*.jsonl || true)
    echo "$name: $("$hustings" verify "${files[@]}" | tail -n 1)"
done
"$hustings" verify "$work"/*.jsonl >"$work/verified" || {
    grep -v ': conforms: ' "$work/verified"
    echo "the sessions are in $work" >&2
    exit 1
}
tail -n 1 "$work/verified"
rm -rf "$work"
