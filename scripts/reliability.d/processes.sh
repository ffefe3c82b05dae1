# shellcheck shell=bash disable=SC2154
# Bars 5 to 9 and 13 to 15, and 33: processes that are killed, stopped, slowed and reaped.

bar 5 500 'kills' 'a crash loop: at most 10 starts a second'
bar_5() {
    local killed=0 old='' pid before after
    up "$(lab_file loop bully 5)" --record "$work/loop.jsonl"
    waits 'coordinator 5'
    before="$(resident "$host")"
    inject 'crash 3'
    while ((killed < $1)); do
        "$hustings" inject --lab "$lab" 'recover 3' >/dev/null 2>&1 &
        until pid="$(pid_of 3)" && [[ -n "$pid" && "$pid" != "$old" ]]; do kill -0 "$host"; done
        pause "$(random 0 60)"
        kill -KILL "$pid" 2>/dev/null || true
        old="$pid" killed=$((killed + 1))
        wait $!  || true
    done
    did "$killed"
    "$hustings" inject --lab "$lab" 'heal all' >/dev/null
    waits 'coordinator 5'
    after="$(resident "$host")"
    awk '/"kind":"spawned"/ && /"node":3,/ {
            match($0, /"at":-?[0-9]+/)
            start[++starts] = substr($0, RSTART + 5, RLENGTH - 5)
            if (starts > 10 && start[starts] - start[starts - 10] < 1e9) { print "11 starts within a second: " $0; exit 1 }
        }
        END { print starts " starts" }' "$session" || fell '11 starts within a second'
    ((after - before < 5 * 1024)) || fell "the host grew by $((after - before)) KiB"
    down >/dev/null
    echo "never 11 starts within a second; the host grew by $((after - before)) KiB"
}

bar 6 1000 'restarts' 'no zombie older than 500 ms, no descriptor left'
bar_6() {
    local restarts before after
    up "$(lab_file zombies bully 5)" --no-record
    waits 'coordinator 5'
    before="$(descriptors)"
    watch_for_zombies &
    for ((restarts = 0; restarts < $1; restarts += 5)); do
        inject 'crash *'
        inject 'recover *'
    done
    did "$restarts"
    waits 'all normal'
    [[ ! -s "$work/zombies" ]] || fell "dead and not reaped for 500 ms: $(head -n 1 "$work/zombies")"
    after="$(descriptors)"
    [[ "$before" == "$after" ]] || fell "$before descriptors before, $after after"
    down >/dev/null
    echo "$(cat "$work/looks") looks, no zombie twice; $after descriptors before and after"
}

# Every half second: the zombies that were there half a second ago.
watch_for_zombies() {
    local looks=0 now='' earlier
    while kill -0 "$host" 2>/dev/null; do
        earlier="$now" now="$(pgrep -P "$host" --runstates Z | sort || true)"
        comm -12 <(echo "$earlier") <(echo "$now") | grep . >>"$work/zombies" || true
        echo "$((++looks))" >"$work/looks"
        sleep 0.5
    done
}

# The host's open files, when it knows of every watcher that has left: it looks four times a second.
descriptors() {
    sleep 1
    find "/proc/$host/fd" -mindepth 1 | wc -l
}

# The memory of a process that is in use, in KiB.
resident() {
    awk '/^VmRSS/ { print $2 }' "/proc/$1/status"
}

bar 7 200 'kills' 'a killed host or screen leaves no process'
bar_7() {
    need script
    "$here/scripts/orphans.sh" "$1" "$(lab_file orphans bully 16)"
    did "$1"
}

bar 9 60 'seconds' 'left alone, every node lives on'
bar_9() {
    local before
    up "$(lab_file idle invitation 5)" --no-record
    waits 'groups 1'
    before="$(pgrep -P "$host" | sort)"
    sleep "$1"
    did "$1"
    [[ "$(pgrep -P "$host" | sort)" == "$before" ]] || fell 'not the processes that were started'
    waits 'all normal'
    down >/dev/null
    echo "the same $(wc -l <<<"$before") processes"
}

bar 13 200 'pauses' 'a pause that a SIGCONT may end ends; no hang'
bar_13() {
    local node pid raced=0 pauses
    up "$(lab_file pauses bully 5 'T = "200ms"' 'check = "200ms"' 'silence = "1s"')" --record "$work/pauses.jsonl"
    waits 'coordinator 5'
    for ((pauses = 0; pauses < $1; pauses++)); do
        node=$((pauses % 3 == 0 ? 5 : $(random 1 4)))
        pid="$(pid_of "$node")"
        if ((pauses % 2)); then
            raced=$((raced + 1))
            ( for _ in {1..20}; do kill -CONT "$pid" && pause "$(random 0 3)"; done ) &
        fi
        # Refused is what a race may make of it; to hang is not.
        answers "pause $node"
        wait
        sleep 2.5
        answers "resume $node"
        kill -0 "$pid" || fell "node $node died of a pause"
        timeout 60 "$hustings" wait --lab "$lab" 'all normal' --within 30s || fell "after pause $pauses of node $node"
    done
    did "$pauses"
    down
    echo "$pauses pauses, $raced of them raced"
}

# The host answers this fault line within ten seconds, whatever it says.
answers() {
    local code=0
    timeout 10 "$hustings" inject --lab "$lab" "$1" || code=$?
    ((code != 124)) || fell "no answer to $1"
}

bar 14 600 'seconds' 'four of eight nodes at half speed: none dies'
bar_14() {
    local deaths
    up "$(lab_file slow invitation 8)" --record "$work/slow.jsonl"
    waits 'groups 1'
    inject 'slow 1-4 50%'
    sleep "$1"
    did "$1"
    deaths="$(recorded '"kind":"died"')"
    [[ "$deaths" == 0 ]] || fell "$deaths died"
    inject 'heal all'
    waits 'groups 1'
    down
    echo "no death; one group when healed"
}

bar 15 1000 'kills' 'no signal goes to a process that was reaped'
bar_15() {
    need strace
    local killed node pid
    up "$(lab_file signals bully 5)" --no-record
    waits 'coordinator 5'
    strace -f -qq -o "$work/trace" -e trace=kill,tkill,tgkill,pidfd_send_signal,pidfd_open,waitid,wait4 -p "$host" 2>"$work/strace" &
    until [[ -s "$work/trace" ]] || ! kill -0 $! 2>/dev/null; do sleep 0.05; done
    [[ -s "$work/trace" ]] || skip "strace: $(tail -n 1 "$work/strace")"
    for ((killed = 0; killed < $1; killed++)); do
        node=$((killed % 5 + 1)) pid="$(pid_of "$node")"
        # Whoever comes first, the host or this script, the other one has nothing left to kill.
        { pause "$(random 0 30)" && kill -KILL "$pid"; } 2>/dev/null &
        answers "crash $node" >/dev/null 2>&1
        inject "recover $node"
    done
    did "$killed"
    # A pid may be signalled until it was reaped; what is sent through a descriptor reaches nobody else.
    awk '
        /waitid\(P_PID|wait4\(/ && /CLD_EXITED|CLD_KILLED|WIFSIGNALED|WIFEXITED/ && !/WNOWAIT/ {
            if (match($0, /si_pid=[0-9]+/)) gone[substr($0, RSTART + 7, RLENGTH - 7)] = 1
            else if (match($0, /wait4\([0-9]+/)) gone[substr($0, RSTART + 6, RLENGTH - 6)] = 1
        }
        /pidfd_open\([0-9]+/ { match($0, /pidfd_open\([0-9]+/); delete gone[substr($0, RSTART + 11, RLENGTH - 11)] }
        /pidfd_send_signal\(/ { handles++ }
        / t?g?kill\([0-9]+/ {
            match($0, /kill\([0-9]+/)
            if (substr($0, RSTART + 5, RLENGTH - 5) in gone) { print "after it was reaped: " $0; exit 1 }
            plain++
        }
        END {
            print handles + 0 " signals through a descriptor, " plain + 0 " by number"
            exit handles + plain == 0
        }' "$work/trace" || fell 'a signal went to a pid that had been reaped, or no signal was seen'
}

bar 33 60 'seconds' 'everything stands still, the host too, and goes on'
bar_33() {
    local processes pid
    up "$(lab_file still bully 5 'T = "200ms"' 'check = "200ms"' 'silence = "1s"')" --record "$work/still.jsonl"
    waits 'coordinator 5'
    mapfile -t processes < <(pgrep -P "$host" && echo "$host")
    for pid in "${processes[@]}"; do kill -STOP "$pid"; done
    sleep "$1"
    for pid in "${processes[@]}"; do kill -CONT "$pid"; done
    did "$1"
    waits 'coordinator 5'
    waits 'all normal'
    [[ "$(recorded '"kind":"died"')" == 0 ]] || fell 'a node died'
    down
    echo 'all under one coordinator again'
}
