# shellcheck shell=bash disable=SC2154
# Bars 46 to 49: is what judges the labs itself sound? And 24, whose seeds are the same campaign's.

# swarm SEEDS: plays all labs that need no real processes with these seeds.
swarm() {
    "$hustings" simulate "$here"/labs/*.toml --swarm --no-record --json --seeds "$1" >"$work/table" 2>"$work/said" || {
        tail -n 5 "$work/said"
        fell "$(tail -n 1 "$work/table" | cut -c 1-300)"
    }
}

lab_count() {
    find "$here/labs" -maxdepth 1 -name '*.toml' | wc -l
}

# The number in this field of the campaign's last line.
of_campaign() {
    tail -n 1 "$work/table" | grep -o "\"$1\":[0-9]*" | head -n 1 | cut -d: -f2
}

bar 24 1000 'seeds' 'swarms of link faults: agreement when healed'
bar_24() {
    swarm "500000..$((500000 + $1))"
    did "$1"
    # Each of these bites somewhere; each broken promise had a broken assumption as its cause, or the swarm had failed.
    local kind
    for kind in loss delay duplicate reorder hold; do
        grep -q "\"fault\":\"$kind\",\"hit\":[1-9]" "$work/table" || fell "$kind hit no datagram"
    done
    echo "$(of_campaign runs) runs, none failed"
}

bar 46 1 'run' 'planted bugs are found by the judge'
bar_46() {
    local said
    said="$(cd "$here" && cargo test --quiet --locked --package hustings-mutants 2>&1)" || { echo "$said" && fell 'a planted bug was not found'; }
    did 1
    echo "$(grep -c '^    [a-z_]*::[A-Za-z<>:]*: ' "$here/src/mutants/table.rs") planted bugs, each found within its seeds"
}

bar 47 100 'seeds' 'each fault kind in force, each property judged'
bar_47() {
    swarm "600000..$((600000 + $1))"
    did "$1"
    local idle undue
    idle="$(grep '"kind":"fault"' "$work/table" | grep '"in_force":0' || true)"
    [[ -z "$idle" ]] || fell "never in force: $idle"
    undue="$(grep '"kind":"property"' "$work/table" | grep '"due":0' || true)"
    [[ -z "$undue" ]] || fell "never due: $undue"
    echo "$(grep -c '"kind":"fault"' "$work/table") kinds in force, $(grep -c '"kind":"property"' "$work/table") properties due"
}

bar 48 1000000 'runs' 'swarm simulation of all labs; one in 20 twice'
bar_48() {
    local seeds=$((($1 + $(lab_count) - 1) / $(lab_count)))
    swarm "700000..$((700000 + seeds))"
    did "$(of_campaign runs)"
    echo "none failed; $(of_campaign twice) played twice, the same records"
}

bar 49 1 'run' 'every order of a small lab'
bar_49() {
    skip 'there is no explorer yet'
}
