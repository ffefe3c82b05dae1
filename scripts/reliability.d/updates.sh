# shellcheck shell=bash disable=SC2154
# Bar 51: what is left of the updates of a counter when a process dies amid their two-phase commit.

# NAME NODE MESSAGE SCENE: the node dies when it has sent this first in the scene. Where it has kept something before, it
# also dies with nobody having got the message: in a scene that cuts it off.
COMMIT_MOMENTS='
request       3  Request  order
prepare       5  Prepare  order
prepare-kept  5  Prepare  cut-order
yes           4  Yes      order
yes-kept      4  Yes      cut-order
commit        5  Commit   order
commit-kept   5  Commit   late-votes
have          4  Have     order
have-kept     4  Have     cut-voter
abort         5  Abort    silent-voter
abort-kept    5  Abort    cut-silent-voter
ask           1  Ask      blocked
refuse        4  Refuse   blocked
fetch         5  Have     behind
entries       4  Entries  behind'

bar 51 50 'of each moment' 'a death at any moment of a two-phase commit'
bar_51() {
    local run name node message scene count=0 blocked=0
    while read -r name node message scene; do
        [[ -n "$name" ]] || continue
        commit_lab "$name" "$node" "$message" "$scene" >"$work/$name.toml"
        count=$((count + 1))
        ! grep -q '"blocked 5"' "$work/$name.toml" || blocked=$((blocked + 1))
    done <<<"$COMMIT_MOMENTS"
    export -f dies_amid_commit all_know_all fell
    for ((run = 1; run <= $1; run++)); do
        find "$work" -maxdepth 1 -name '*.toml' -print0 | xargs -0 -P 4 -I '{}' \
            bash -c 'dies_amid_commit "$@"' bash '{}' "$run" >"$work/said" 2>&1 || fell "$(tail -n 1 "$work/said")"
        did "$run"
    done
    echo "$count moments; at $blocked of them the others are blocked meanwhile; in the end all logs are equal, no doubts"
}

# dies_amid_commit LAB RUN
dies_amid_commit() {
    local name session code=0
    name="$(basename "$1" .toml)-$2" session="$work/$(basename "$1" .toml)-$2.jsonl"
    timeout 120 "$hustings" run "$1" --record "$session" >"$work/$name.said" 2>&1 || code=$?
    ((code == 0)) || fell "$name: exit code $code: $(grep -m 1 -E 'FAILED|broke no|no assumption' "$work/$name.said" || tail -n 1 "$work/$name.said")"
    all_know_all "$session" || fell "$name: $(all_know_all "$session")"
    rm -f "$session" "$work/$name.said"
}

# Whether the five logs of a session are equal in the end, and nobody is in doubt.
all_know_all() {
    awk '
        match($0, /"work":{"updates":{"length":[0-9]+,"counter":-?[0-9]+,"digest":[0-9]+/) {
            log_of = substr($0, RSTART + 20, RLENGTH - 20)
            match($0, /"node":[0-9]+/)
            node = substr($0, RSTART + 7, RLENGTH - 7)
            logs[node] = log_of
            doubts[node] = /"in_doubt":/
        }
        END {
            for (node in logs) {
                count++
                if (doubts[node]) { print node " is in doubt"; exit 1 }
                if (first == "") first = logs[node]
                if (logs[node] != first) { print "of " node ": " logs[node] ", and not " first; exit 1 }
            }
            if (count != 5) { print count " logs"; exit 1 }
        }' "$1"
}

# commit_lab NAME NODE MESSAGE SCENE: a lab in which this node dies, and is back later.
commit_lab() {
    printf 'name = "%s"\nabout = "A bar."\nalgorithm = "bully"\nnodes = 5\nseed = 1\n' "$1"
    printf 'T = "200ms"\ncheck = "200ms"\nsilence = "1s"\n[application]\nname = "updates"\n'
    scene_step 'coordinator 5' '300ms' '"update 1-5 1"'
    commit_scene "$2" "$4"
    scene_step "$3 sent by $2" '' "\"crash $2\"" 'death'
    scene_heals
    case "$4" in
        late-votes)
            scene_step 'blocked 5' '1s' '"recover *"'
            scene_expects 'blocked 5' 'death'
            ;;
        blocked) scene_step 'all normal' '2s' '"recover *"' ;;
        *) scene_step "$([[ "$2" == 5 ]] && echo coordinator 4 || echo all normal)" '1500ms' '"recover *"' ;;
    esac
    scene_step 'coordinator 5' '2s' '"update 2 7"' 'last'
    # An order dies with the process that took it, unless its update is done.
    scene_expects "logged $([[ "$3" =~ ^(Request|Abort)$ ]] && echo 6 || echo 7)" 'last'
    scene_expects 'blocked none' 'last'
    printf '[[expect]]\nthat = "no violation"\n'
}

# The steps up to the moment, from when 5 has heard that all have the first updates. A request takes its time to the
# coordinator, so that somebody watches when it comes.
commit_scene() {
    local cut=''
    [[ "$2" != cut-* ]] || cut=", \"cut $1->*\""
    case "${2#cut-}" in
        order) scene_step 'logged 5' '300ms' "\"delay 1-4->5 300ms\"$cut, \"update 3 2\"" ;;
        voter)
            # It votes in time; 5 gets the other votes when this one is cut off.
            scene_step 'logged 5' '300ms' '"delay 1-3->5 600ms", "update 5 2"'
            scene_step 'all normal' '300ms' "${cut#, }"
            ;;
        silent-voter)
            scene_step 'logged 5' '300ms' '"cut 5->1", "update 5 2"'
            [[ -z "$cut" ]] || scene_step 'all normal' '500ms' "${cut#, }"
            ;;
        late-votes | blocked)
            # 5 gets the votes when it is cut off, and does the update.
            scene_step 'logged 5' '300ms' '"delay 1-4->5 600ms", "update 5 2"'
            scene_step 'all normal' '300ms' '"cut 5->*"'
            [[ "$2" == late-votes ]] || {
                scene_step 'Commit sent by 5' '' '"crash 5"'
                scene_heals
                scene_step 'blocked 5' '0ms' '"delay 2->4 300ms", "update 2 100"'
            }
            ;;
        behind)
            scene_step 'logged 5' '300ms' '"crash 5"'
            scene_step 'coordinator 4' '300ms' '"update 3 2"'
            scene_step 'logged 6' '300ms' '"delay 1-4->5 50ms", "recover 5"'
            ;;
    esac
}

# Not at once: a cut is at its receiver, and what was sent before a death may still be on its way there.
scene_heals() {
    scene_step 'all normal' '100ms' '"heal"'
}

# scene_step WHEN THEN-WAIT LINES [NAME]
scene_step() {
    printf '[[step]]\nwhen = "%s"\n' "$1"
    [[ -z "$2" ]] || printf 'then_wait = "%s"\n' "$2"
    [[ -z "${4:-}" ]] || printf 'name = "%s"\n' "$4"
    printf 'do = [%s]\n' "$3"
}

# scene_expects CONDITION STEP
scene_expects() {
    printf '[[expect]]\nthat = "%s"\nafter = "%s"\nwithin = "30T"\nstays = "1s"\n' "$1" "$2"
}
