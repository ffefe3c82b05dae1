# shellcheck shell=bash disable=SC2154
# Bar 53: jobs go to the processes that have least to do.

bar 53 100 jobs 'a busy process gets fewer than a tenth of the jobs'
bar_53() {
    local lab="$work/balance.toml" session="$work/balance.jsonl" asker job code=0
    {
        printf 'name = "balance"\nabout = "A bar."\nalgorithm = "king-ni-b1"\nnodes = 4\nseed = 1\n'
        printf 'T = "100ms"\ncheck = "250ms"\nsilence = "1s"\n[settings]\ncriterion = "load"\n'
        printf '[application]\nname = "service"\nparts = 3\npace_ms = 100\nnumbers = 100000\n'
        printf 'service_load = 100000\nbusy = 4\n[[step]]\nname = "jobs"\nat = "3s"\ndo = ['
        for ((job = 0; job < $1; job++)); do
            asker=$((job % 3 + 1))
            printf '"request %s",' "$asker"
        done
        printf ']\n[[expect]]\nthat = "served %s"\nafter = "jobs"\nwithin = "9000T"\n' "$1"
    } >"$lab"
    timeout 1000 "$hustings" run "$lab" --record "$session" >"$work/balance.said" 2>&1 || code=$?
    ((code == 0)) || fell "exit code $code: $(tail -n 1 "$work/balance.said")"
    did "$1"
    awk -v jobs="$1" '
        match($0, /"finished":[0-9]+/) {
            finished = substr($0, RSTART + 11, RLENGTH - 11)
            match($0, /"node":[0-9]+/)
            of[substr($0, RSTART + 7, RLENGTH - 7)] = finished
        }
        END {
            print "finished 1:" of[1] + 0 " 2:" of[2] + 0 " 3:" of[3] + 0 ", and the busy 4:" of[4] + 0
            exit of[4] * 10 >= jobs
        }' "$session" || fell "the busy one got a tenth of them or more"
}
