# shellcheck shell=bash disable=SC2154
# Bars 16 to 21, 28 to 32: datagrams from elsewhere, interfaces that go away, clocks that jump.

bar 16 1000000 'datagrams' 'malformed datagrams: no panic, flat memory'
bar_16() {
    fuzz datagram "$1"
}

bar 17 10 'seconds' 'a flood of random datagrams during elections'
bar_17() {
    BAR_COUNT="$1" tests real bars::flood::an_election_goes_on_under_a_flood
    did "$1"
}

bar 18 1 'run' 'every input of 0 to 2 bytes, every prefix'
bar_18() {
    tests node wire::tests::every_input_of_two_bytes_or_fewer_is_malformed \
        wire::tests::every_prefix_and_every_flipped_bit_is_refused
    fuzz datagram 10000
    did 1
}

bar 19 50 'pairs' 'two labs at once: no datagram of the other'
bar_19() {
    local pair file run foreign
    file="$(lab_file two king-ni-c 5)"
    printf '[[step]]\nname = "elect"\nat = "300ms"\ndo = ["elect 1"]\n' >>"$file"
    printf '[[expect]]\nthat = "master 5"\nafter = "elect"\nwithin = "60s"\n' >>"$file"
    for ((pair = 1; pair <= $1; pair++)); do
        for run in one other; do
            rm -f "$work/$run.jsonl"
            "$hustings" run "$file" --record "$work/$run.jsonl" >"$work/$run.out" 2>&1 &
        done
        for run in %1 %2; do wait "$run" || fell "pair $pair: $(tail -n 1 "$work/one.out" "$work/other.out")"; done
        foreign="$(cat "$work/one.jsonl" "$work/other.jsonl" | grep -c '"reason":"foreign"' || true)"
        [[ "$foreign" == 0 ]] || fell "pair $pair: $foreign records of foreign datagrams"
        did "$pair"
    done
    tests real commands::two_labs_on_one_group_refuse_each_other
    echo "apart on their own; on one group each refuses the other's"
}

bar 20 20 'times' 'addresses taken: exit 6 at once, named'
bar_20() {
    local times began
    need_own_network
    for ((times = 1; times <= $1; times++)); do
        # A host that was killed leaves a socket that is no obstacle.
        up "$(lab_file stale bully 3)" --no-record
        kill -KILL "$host"
        until ! kill -0 "$host" 2>/dev/null; do :; done
        [[ -z "$("$hustings" ls)" ]] || fell 'a dead lab is listed'
        # Where there is no loopback interface no lab can begin.
        began="$EPOCHREALTIME"
        unshare -n -- "$hustings" run "$work/stale.toml" --no-record >"$work/said" 2>&1 && fell 'a lab ran without loopback'
        code_was 6 "$?"
        awk -v began="$began" -v ended="$EPOCHREALTIME" 'BEGIN { exit ended - began > 2 }' || fell 'exit took more than 2 s'
        did "$times"
    done
    tests real commands::a_group_that_something_else_holds_is_told_at_once
    BAR_COUNT="$1" tests_in_own_network real bars::ports::ports_that_are_taken_are_told_at_once
    echo 'taken ports and group are named; a killed lab is swept'
}

# code_was WANTED GOT
code_was() {
    [[ "$1" == "$2" ]] || fell "exit code $2, not $1: $(tail -n 1 "$work/said")"
}

bar 21 10000 'datagrams' 'a flood at a paused node: each is counted'
bar_21() {
    BAR_COUNT="$1" tests real bars::flood::what_a_paused_node_does_not_take_is_counted
    did "$1"
}

DOWN_LABS=(first invitation-six king-ni-b1 king-ni-c bully-fd async-bully ring)

bar 28 10 'runs a lab' 'loopback down for 2.5 s: each verdict excused'
bar_28() {
    local run name whole=0
    need_own_network
    export -f in_lost_network
    for ((run = 1; run <= $1; run++)); do
        for name in "${DOWN_LABS[@]}"; do
            runs_in_lost_network "$name-$run-down" "$name" "$(random 1 3).$(random 0 9)" 2.5
            runs_in_lost_network "$name-$run-up" "$name" 0 0
            whole=$((whole + 2))
        done
        did "$run"
    done
    echo "$whole runs, half of them with nothing down; none hung, none without a cause"
}

# runs_in_lost_network NAME LAB DOWN-AFTER DOWN-FOR (in seconds; 0: it stays up)
runs_in_lost_network() {
    local code=0 session="$work/$1.jsonl"
    # Its own network: the interface goes down there, and nowhere else.
    timeout 120 unshare -n -- bash -c 'in_lost_network "$@"' bash "$here/labs/$2.toml" "$session" "$3" "$4" >"$work/said" 2>&1 || code=$?
    # 4: what was expected did not come; 5: unknown; 6: a process could not start. What counts is that a cause is named.
    [[ "$code" =~ ^[0456]$ ]] || fell "$1: exit code $code: $(tail -n 1 "$work/said")"
    ! grep -q 'no assumption was broken' "$work/said" || fell "$1: $(grep -m 1 'no assumption was broken' "$work/said")"
    ((code != 4)) || [[ "$4" != 0 ]] || grep -q ' [1-9][0-9]* by this computer' "$work/said" || fell "$1: $(grep -m 1 FAILED "$work/said")"
    rm -f "$session"
}

in_lost_network() {
    ip link set lo up multicast on
    ip route add 224.0.0.0/4 dev lo
    [[ "$4" == 0 ]] || {
        sleep "$3"
        ip link set lo down
        sleep "$4"
        ip link set lo up
        ip route add 224.0.0.0/4 dev lo || true
    } &
    local code=0
    "$hustings" run "$1" --record "$2" || code=$?
    wait
    return "$code"
}

bar 29 98 'labs' 'no packet on any interface but loopback'
bar_29() {
    local count="$1" out
    need_own_network
    # shellcheck disable=SC2016 # the inner shell expands it
    out="$(in_own_network bash -euo pipefail -c '
        sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
        ip link add out0 type veth peer name out1
        ip address add 192.0.2.1/24 dev out0
        ip link set out0 up multicast on
        ip link set out1 up
        ip route add default via 192.0.2.2 dev out0
        packets() { awk "/out0:/ { print \$3 + \$11 }" /proc/net/dev; }
        before="$(packets)"
        find "$here/labs" -name "*.toml" | sort -R | head -n "$0" | xargs -P 2 -n 1 timeout 150 "$hustings" run --no-record >ran 2>/dev/null || true
        echo "$(($(packets) - before))"
        # The interface counts: a datagram sent there is seen.
        echo x >/dev/udp/192.0.2.2/9 || true
        echo "$(($(packets) - before))"' "$count")" || skip "no second interface here: $out"
    did "$count"
    [[ "$(sed -n 1p <<<"$out")" == 0 ]] || fell "$(sed -n 1p <<<"$out") packets left by another interface"
    [[ "$(grep -c 'expectations met' ran)" == "$count" ]] || fell "of $count labs only $(grep -c 'expectations met' ran) ran"
    (($(sed -n 2p <<<"$out") > 0)) || fell 'the interface does not count'
    echo "$count labs, 0 packets on an interface with the default route"
}

bar 30 1 'run' 'losses here are as those of the kernel'
bar_30() {
    need_own_network
    in_own_network tc qdisc add dev lo root netem loss 20% 2>/dev/null || skip 'this kernel has no netem'
    skip 'not written yet'
}

bar 31 20 'runs' 'a wall clock that jumps changes nothing'
bar_31() {
    local run step steps=(1 -1 288000 -288000 -2000000000000 3000000000000) head
    need cc
    cat >"$work/jumps.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
/* The wall clock is JUMP_MS off, and right again, every STROBE_MS. */
int clock_gettime(clockid_t clock, struct timespec *time) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, time);
    struct timespec now;
    real(CLOCK_MONOTONIC, &now);
    long long ms = now.tv_sec * 1000LL + now.tv_nsec / 1000000, strobe = atoll(getenv("STROBE_MS"));
    if (clock == CLOCK_REALTIME && (strobe == 0 || ms / strobe % 2)) time->tv_sec += atoll(getenv("JUMP_MS")) / 1000;
    return result;
}
C
    cc -shared -fPIC -O1 -o "$work/jumps.so" "$work/jumps.c" -ldl 2>"$work/said" || skip "cc: $(head -n 1 "$work/said")"
    for ((run = 0; run < $1; run++)); do
        step="${steps[run % ${#steps[@]}]}"
        # Half of the runs begin with the jump made, half see it again and again.
        LD_PRELOAD="$work/jumps.so" JUMP_MS="$step" STROBE_MS="$((run % 2 * (1 + run * 37 % 1000)))" \
            "$hustings" run first --record "$work/jump-$run.jsonl" >"$work/said" 2>&1 || by_this_machine "$step ms: $(tail -n 1 "$work/said")"
        head="$(head -n 1 "$work/jump-$run.jsonl" | grep -o '"wall_clock":[0-9]*' | cut -d: -f2)"
        if ((run % 2 == 0 && (step > 1000000 || step < -1000000))); then
            ((head - $(date +%s) > 100000 || head - $(date +%s) < -100000)) || fell "the wall clock did not jump: $head"
        fi
        did $((run + 1))
    done
    echo 'wall clock off by 1 ms to decades, and strobed: the same lab'
}

# Falls, unless the run says that this computer itself was too slow.
by_this_machine() {
    grep -q ' [1-9][0-9]* by this computer' "$work/said" || fell "$1"
}

bar 32 10 'rates' 'clocks at 0.5x to 2x: told, and no hang'
bar_32() {
    local done_rates algorithm rate file code
    for ((done_rates = 0; done_rates < $1; done_rates++)); do
        rate="$(awk -v i="$done_rates" -v n="$1" 'BEGIN { printf "%.2f", 0.5 + 1.5 * i / (n > 1 ? n - 1 : 1) }')"
        [[ "$rate" != 1.00 ]] || rate=1.05
        for algorithm in bully king-ni-a king-ni-b1 king-ni-b2 king-ni-c textbook-bully ring invitation; do
            file="$(lab_file "rate-$algorithm" "$algorithm" 5 'limit = "40s"')"
            printf '[[step]]\nat = "2s"\ndo = ["clock 2,4 %sx", "elect 2"]\n[[step]]\nat = "8s"\ndo = ["crash 5", "elect 3"]\n' "$rate" >>"$file"
            printf '[[step]]\nname = "healed"\nat = "20s"\ndo = ["heal all", "elect 4"]\n[[expect]]\nthat = "all normal"\nafter = "healed"\nwithin = "60T"\n' >>"$file"
            code=0
            timeout 60 "$hustings" run "$file" --sim --no-record >"$work/said" 2>&1 || code=$?
            [[ "$code" == 0 ]] || fell "$algorithm at ${rate}x: exit code $code: $(grep -m 1 'FAILED\|error' "$work/said")"
            ! grep -q 'no assumption was broken' "$work/said" || fell "$algorithm at ${rate}x: $(grep -m 1 'no assumption' "$work/said")"
        done
        did $((done_rates + 1))
    done
    file="$(lab_file real-rate bully 5)"
    up "$file" --record "$work/rate.jsonl"
    waits 'coordinator 5'
    inject 'clock 3 2x'
    inject 'elect 3'
    sleep 2
    inject 'heal'
    waits 'all normal'
    down
    echo 'eight algorithms simulated, Bully on processes too'
}
