#!/usr/bin/env bash
# Does a lab bear its nodes being killed from outside? Sends SIGKILL to a random node of five every 20 to 200 ms, also
# to nodes that are just starting, and has the host recover each; heals, and waits for agreement. Then reads from the
# session and the stores that no incarnation and no group number was used twice, that each process of Bully began with
# the task that the one before had saved, and that no start was refused.
set -euo pipefail

usage() {
    echo "usage: scripts/endurance.sh KILLS [ALGORITHM]"
    echo "The algorithm is invitation, which is what goes without one, or bully."
    echo "Needs pgrep(1), od(1), awk(1) and zstdcat(1). The session is kept; its path is printed."
    echo "HUSTINGS names the program (default: target/release/hustings, else on the PATH)."
}
if [[ "${1:-}" == "--help" ]]; then
    usage
    exit 0
fi
kills="${1:-}"
algorithm="${2:-invitation}"
[[ "$kills" =~ ^[0-9]+$ && "$algorithm" =~ ^(invitation|bully)$ ]] || {
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

nodes=5
[[ "$algorithm" == bully ]] && agreed="coordinator $nodes" || agreed='groups 1'
cat >"$work/lab.toml" <<LAB
name = "endurance"
about = "Nodes are killed from outside again and again; healed, they agree."
algorithm = "$algorithm"
nodes = $nodes
seed = 1
T = "100ms"
check = "500ms"
silence = "1s"

[[expect]]
that = "no violation"
LAB

# A text field of the lab's entry.
field() {
    "$hustings" ls --json | grep "\"lab_id\":\"$lab\"" | grep -o "\"$1\":\"*[^\",}]*" | sed 's/.*[:"]//'
}

# The process of a node, if it has one that is no zombie.
pid_of() {
    pgrep -P "$host" -f -- "--node $1\$" || true
}

# The host's open files, when every watcher that has left is known to have: the host looks four times a second.
descriptors() {
    sleep 1
    find "/proc/$host/fd" -mindepth 1 | wc -l
}

# Has the host recover a node of which this process was killed, once the host knows that it is dead.
recover() {
    local node="$1" killed="$2" now
    local deadline=$((SECONDS + 30))
    while now="$(pid_of "$node")" && [[ -z "$now" || "$now" == "$killed" ]]; do
        "$hustings" inject --lab "$lab" "recover $node" >/dev/null 2>&1 || true
        ((SECONDS < deadline)) || {
            echo "node $node was not started within 30 s" >&2
            return 1
        }
    done
}

lab="$("$hustings" up "$work/lab.toml" --detach)"
host="$(field pid)"
session="$(field session)"
run="$(dirname "$(find "${XDG_RUNTIME_DIR:-/dev/shm}" /tmp -maxdepth 3 -path "*/$lab/lab.json" 2>/dev/null | head -n 1)")"
"$hustings" wait --lab "$lab" "$agreed" --within 60s
open_before="$(descriptors)"

done_kills=0
recovering=()
# The process of each node that was killed last: on a busy computer it may take a while to die, and it dies once.
killed=()
while ((done_kills < kills)); do
    sleep "0.$(printf '%03d' $((RANDOM % 181 + 20)))"
    # A node that has no process just now is passed over for another.
    node=$((RANDOM % nodes + 1))
    until pid="$(pid_of "$node")" && [[ -n "$pid" && "$pid" != "${killed[node]:-}" ]]; do
        node=$((node % nodes + 1))
    done
    kill -KILL "$pid" 2>/dev/null || continue
    killed[node]="$pid"
    done_kills=$((done_kills + 1))
    recover "$node" "$pid" &
    recovering+=($!)
    # The shell forgets how those ended that it is asked about too late.
    if ((${#recovering[@]} > 100)); then
        wait "${recovering[0]}"
        recovering=("${recovering[@]:1}")
    fi
done
for pid in "${recovering[@]}"; do wait "$pid"; done

"$hustings" inject --lab "$lab" 'heal all'
"$hustings" wait --lab "$lab" "$agreed" --within 60s
"$hustings" wait --lab "$lab" 'all normal' --within 60s
open_after="$(descriptors)"
zombies="$(pgrep -c -P "$host" --runstates Z || true)"
cp -r "$run" "$work/run"
verdict="$("$hustings" down --lab "$lab")" || true
lab=""
echo "$verdict"
if grep -q 'no assumption was broken' <(zstdcat "$session" | grep '"kind":"violation"'); then
    echo "BAD: a promise was broken, and no assumption"
    exit 1
fi

# The numbers of the bytes of a file, from an offset on.
bytes() {
    od -An -v -tu1 -j "$2" -N "$3" "$1"
}

# `node incarnation counter` of each store: the younger of its two generations. The safe cells of Invitation begin with
# the counter of group numbers: a byte, or 251 and two.
for ((node = 1; node <= nodes; node++)); do
    for generation in even odd; do
        file="$work/run/store-$node/$generation"
        [[ -f "$file" ]] || continue
        echo "$node $(bytes "$file" 6 8) $(bytes "$file" 14 4) $(bytes "$file" 19 3)"
    done
done | awk '
    {
        generation = 0; for (i = 2; i <= 9; i++) generation = generation * 256 + $i
        incarnation = 0; for (i = 10; i <= 13; i++) incarnation = incarnation * 256 + $i
        counter = $14 == 251 ? $15 + 256 * $16 : $14
        if (generation >= newest[$1]) { newest[$1] = generation; found[$1] = incarnation " " counter }
    }
    END { for (node in found) print node, found[node] }' >"$work/stores"

awk -v nodes="$nodes" -v kills="$kills" -v algorithm="$algorithm" '
    function number(name,    text) {
        return match($0, "\"" name "\":-?[0-9]+") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3) : ""
    }
    function bad(text) { print "BAD: " text; failed = 1 }
    FILENAME == ARGV[1] { stored[$1] = $2; counted[$1] = $3; next }
    /"kind":"spawned"/ { spawned++ }
    /"kind":"gap"/ { bad("records are missing: " $0) }
    /"kind":"note"/ && /cannot (run|be started)/ { bad("a start was refused: " $0) }
    /"kind":"died"/ {
        node = number("node")
        if (/"signalled":\{"signal":9\}/) killed++; else bad("a death of another kind: " $0)
        # What the last step of a process says it does, it may not have done.
        if (made_in_last[node] != "") undone[made_in_last[node]] = 1
    }
    /"kind":"ready"/ {
        ready++
        key = number("node") "." number("incarnation")
        if (key in begun) bad("incarnation used twice: " key)
        begun[key] = 1
        if (number("incarnation") + 0 > highest[number("node")]) highest[number("node")] = number("incarnation") + 0
    }
    /"kind":"step"/ {
        node = number("node")
        if (!((node "." number("incarnation")) in begun)) bad("a step of an incarnation that was never ready: " $0)
        is_start = /"input":\{"start"/
        if (is_start) current[node] = ""
        made_in_last[node] = ""
        if (match($0, /"task":(null|\{[^}]*\})/)) {
            found = substr($0, RSTART, RLENGTH)
            if (!(node in task)) task[node] = before[node] = found
            # What the last step of a process says it saves, it may not have saved.
            if (is_start && algorithm == "bully" && found != task[node] && found != before[node]) {
                bad("node " node " began with " found ", not with " task[node])
            }
            before[node] = is_start ? found : task[node]
            task[node] = found
        } else before[node] = task[node]
        if (match($0, /"group":\{"node":[0-9]+,"counter":[0-9]+\}/)) {
            split(substr($0, RSTART + 16, RLENGTH - 17), part, /,"counter":/)
            group = part[1] "." part[2]
            if (part[1] != node) known[group] = 1
            else if (group != current[node]) {
                if (group in made && !(group in undone && !(group in known))) bad("group number used twice: " group)
                made[group] = 1
                delete undone[group]
                made_in_last[node] = group
                groups++
                if (part[2] + 0 > largest[node]) largest[node] = part[2] + 0
            }
            current[node] = group
        }
    }
    END {
        for (node = 1; node <= nodes; node++) {
            if (stored[node] + 0 != highest[node]) bad("store " node ": incarnation " stored[node] ", session " highest[node])
            if (algorithm == "invitation" && counted[node] + 0 < largest[node]) bad("store " node ": counter " counted[node] ", session " largest[node])
        }
        if (killed + 0 != kills + 0) bad(kills " kills, and the session tells of " killed + 0)
        printf "%d killed, %d started, %d of them ready, %d group numbers made\n", killed, spawned, ready, groups
        exit failed
    }' "$work/stores" <("$hustings" export "$session" --format jsonl) || exit 1
[[ "$open_before" == "$open_after" && "$zombies" == 0 ]] || {
    echo "BAD: $open_before descriptors before, $open_after after, $zombies zombies" >&2
    exit 1
}
echo "no incarnation and no group number used twice, nothing saved is lost, no start refused; $open_after descriptors before and after, no zombie"
