# shellcheck shell=bash disable=SC2154
# Bar 50: sixteen nodes and random faults, for as long as it is asked for.

# Nodes 13 to 16 are never killed, so their memory can be watched.
FAULTS=('crash 1-3' 'crash 4' 'crash 12' 'pause 5' 'pause 6,7' 'slow 8 50%' 'clock 9 1.5x' 'partition 1-8|9-16' 'isolate 2'
    'cut 1->*' 'cut 3<->4,5' 'loss *->* 20%' 'loss 1->* 40% bursts 5' 'delay *->* 5ms..50ms' 'duplicate *->* 20%'
    'reorder *->* 20%' 'corrupt *->* 10%' 'hold 1->2' 'throttle 1->* 20/s' 'wipe 11' 'rollback 10' 'elect 4' 'elect 16' 'undo')

bar 50 1440 'minutes' 'soak: memory and descriptors flat, no zombie'
bar_50() {
    local deadline=$((SECONDS + 60 * $1)) sampled=0 faults=0 pid code=0 grown
    up "$(lab_file soak invitation 16)" --record "$work/soak.jsonl"
    waits 'groups 1'
    while ((SECONDS < deadline)); do
        "$hustings" inject --lab "$lab" "${FAULTS[RANDOM % ${#FAULTS[@]}]}" >/dev/null 2>&1 || true
        faults=$((faults + 1))
        pause "$(random 100 1500)"
        ((faults % 8)) || inject 'heal all'
        if ((SECONDS - sampled >= 10)); then
            sampled=$SECONDS
            for pid in "$host" $(pgrep -P "$host" -f -- '--node 1[3-6]$'); do sample "$pid"; done
            pgrep -P "$host" --runstates Z | sed 's/^/zombie /' >>"$work/zombies" || true
            kill -0 "$host" || fell 'the host has ended'
            did $(($1 - (deadline - SECONDS) / 60))
        fi
    done
    did "$1"
    inject 'heal all'
    waits 'groups 1' 120s
    sleep 1
    [[ -z "$(sort "$work/zombies" | uniq -d)" ]] || fell "a zombie that stays: $(sort "$work/zombies" | uniq -d | head -n 1)"
    down
    "$hustings" verify "$session" >"$work/verified" || code=$?
    ((code == 0)) || fell "verify: exit code $code: $(tail -n 1 "$work/verified")"
    # From a fifth of the time on: what the youngest sample of a process has more than the first.
    grown="$(awk -v host="$host" -v hours="$(awk -v minutes="$1" 'BEGIN { print minutes / 60 }')" '
        { count[$1]++; row[$1, count[$1]] = $2 " " $3 }
        END {
            for (pid in count) {
                split(row[pid, int(count[pid] / 5) + 1], first)
                split(row[pid, count[pid]], last)
                kind = pid == host ? "host" : "node"
                if (last[1] - first[1] > kib[kind]) kib[kind] = last[1] - first[1]
                if (last[2] - first[2] > opened[kind]) opened[kind] = last[2] - first[2]
            }
            printf "a node grew by %d KiB at most and opened %d files, the host by %d KiB and %d",
                kib["node"], opened["node"], kib["host"], opened["host"]
            # Four mebibytes of slack: tables and queues grow to their size. A host holds the last of its records.
            exit kib["node"] > 1024 * (4 + hours) || opened["node"] > 0 ||
                kib["host"] > 32 * 1024 * (1 + hours) || opened["host"] > 24
        }' "$work/samples")" || fell "$grown"
    echo "$faults faults in $1 minutes; $grown; session $(($(wc -c <"$session") / 1024)) KiB"
}

sample() {
    # It may have ended just now.
    echo "$1 $(resident "$1") $(find "/proc/$1/fd" -mindepth 1 | wc -l)" >>"$work/samples" 2>/dev/null || true
}
