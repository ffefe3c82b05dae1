# shellcheck shell=bash disable=SC2154
# Bar 52: a critical section that ten processes want all the time.

bar 52 50 'entries of each process' 'mutual exclusion by election, of ten that ask all the time'
bar_52() {
    section_lab one-after-another king-ni-c last-win '' "$1"
    section_lab under-loss king-ni-b1 last-win 'loss *->* 10%' "$1"
    local name session code longest said=''
    for name in one-after-another under-loss; do
        session="$work/$name.jsonl" code=0
        timeout 3000 "$hustings" run "$work/$name.toml" --record "$session" >"$work/$name.said" 2>&1 || code=$?
        ((code == 0)) || fell "$name: exit code $code: $(tail -n 1 "$work/$name.said")"
        ! grep -E 'mutual-exclusion violated|no assumption was broken' "$work/$name.said" || fell "$name: a violation"
        stays_of "$session" >"$work/$name.stays"
        overlap "$work/$name.stays" || fell "$name: $(overlap "$work/$name.stays")"
        longest="$(sed -n 's/.*critical section: //p' "$work/$name.said")"
        said="$said$name: $longest; "
        rm -f "$session"
    done
    # By ids some starve, and under so much loss C elects two: both are told.
    section_lab by-id king-ni-b1 id '' 2 'violation fairness because unpromised'
    timeout 600 "$hustings" run "$work/by-id.toml" --no-record >"$work/by-id.said" 2>&1 || true
    grep -q 'critical section: .* still waits' "$work/by-id.said" || fell "by id nobody starves"
    grep -q 'fairness' "$work/by-id.said" || fell "by id the judge tells nothing of fairness"
    section_lab much-loss king-ni-c last-win 'loss *->* 30%' 10 'no violation'
    timeout 600 "$hustings" run "$work/much-loss.toml" --no-record >"$work/much-loss.said" 2>&1 || true
    did "$1"
    local wrong
    wrong="$(grep -oE '[a-z-]+ violated at' "$work/much-loss.said" | sort | uniq -c | awk '{ print $1, $2 }' | paste -sd ,)"
    echo "${said}by id: $(sed -n 's/.*critical section: //p' "$work/by-id.said"); C at 30 % loss: ${wrong:-nothing} violated"
}

# section_lab NAME ALGORITHM CRITERION FAULT TIMES [CONDITION]
section_lab() {
    {
        printf 'name = "%s"\nabout = "A bar."\nalgorithm = "%s"\nnodes = 10\nseed = 1\n' "$1" "$2"
        printf 'T = "200ms"\ncheck = "500ms"\nsilence = "2s"\n[settings]\ncriterion = "%s"\n' "$3"
        printf '[application]\nname = "mutual-exclusion"\noutside_ms = 100\ninside_ms = 50\n'
        printf '[[step]]\nname = "begin"\nat = "1s"\ndo = [%s]\n' "${4:+\"$4\"}"
        if [[ -z "${6:-}" ]]; then
            printf '[[expect]]\nthat = "entered %s"\nafter = "begin"\nwithin = "14900T"\n' "$5"
        else
            printf '[[step]]\nat = "55s"\ndo = []\n[[expect]]\nthat = "%s"\n' "$6"
        fi
    } >"$work/$1.toml"
}

# stays_of SESSION: who was inside, since when and until when, in nanoseconds, by the records and not by the judge.
stays_of() {
    awk '
        function ends(node, at) { if (node in since) { print since[node], at, node; delete since[node] } }
        { match($0, /"at":[0-9]+/); at = substr($0, RSTART + 5, RLENGTH - 5) }
        match($0, /"node":[0-9]+/) {
            node = substr($0, RSTART + 7, RLENGTH - 7)
            if (/"kind":"died"/) ends(node, at)
            if (match($0, /"stance":"[a-z]+"/)) {
                stance = substr($0, RSTART + 10, RLENGTH - 11)
                if (stance == "inside") { if (!(node in since)) since[node] = at }
                else ends(node, at)
            }
        }' "$1" | sort -n
}

# Whether no two of these stays overlap. A stamp is this computer's own, so they compare.
overlap() {
    awk '
        $1 < until { print $3 " is inside since " $1 ", and " who " until " until; exit 1 }
        $2 > until { until = $2; who = $3 }' "$1"
}
