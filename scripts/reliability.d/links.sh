# shellcheck shell=bash disable=SC2154
# Bars 22, 23 and 25 to 27: links that are cut, copied, spoiled, and sockets that fail.

bar 22 200 'sets of cuts' 'what is not received was dropped by its cut'
bar_22() {
    local all=$(($1 < 64 ? $1 : 64))
    BAR_COUNT="$all" tests real bars::links::every_set_of_cuts_of_three_nodes_drops_just_what_it_says
    BAR_COUNT="$1" tests real bars::links::random_cuts_of_five_processes_drop_just_what_they_say
    did "$1"
    echo "$all sets of three simulated nodes of each algorithm, $1 of five processes"
}

# Cuts of five nodes.
CUTS=(
    'bridge|cut 1,2<->4,5'
    'ring of majorities|cut 1<->3", "cut 1<->4", "cut 2<->4", "cut 2<->5", "cut 3<->5'
    'coordinator alone|isolate 5'
    'one way to the coordinator|cut 1-4->5'
    'one way from the coordinator|cut 5->1-4'
    'no broadcast of the coordinator|cut 5->* multicast'
)

bar 23 1 'run' 'bridge, ring, one way: the verdicts expected'
bar_23() {
    local algorithm cut name lines file code
    for algorithm in $("$hustings" algorithms | grep -o '^[a-z][a-z0-9-]*  '); do
        for cut in "${CUTS[@]}"; do
            name="${cut%%|*}" lines="${cut#*|}"
            file="$(lab_file cut "$algorithm" 5 'limit = "40s"')"
            cat >>"$file" <<LAB
[[step]]
at = "1s"
do = ["elect 1"]
[[step]]
at = "4s"
do = ["$lines"]
[[step]]
at = "5s"
do = ["elect 1", "elect 4"]
[[step]]
name = "healed"
at = "15s"
do = ["heal"]
[[step]]
at = "17s"
do = ["elect 2", "elect 5"]
[[expect]]
that = "all normal"
after = "healed"
within = "15s"
LAB
            code=0
            "$hustings" run "$file" --sim --no-record >"$work/said" 2>"$work/counts" || code=$?
            # To an algorithm that does not broadcast such a line is no fault.
            [[ "$code" != 3 || "$lines" != *multicast ]] || continue
            ! grep -q 'no assumption was broken' "$work/said" || fell "$algorithm, $name: $(grep -m 1 'no assumption' "$work/said")"
            # Which promises were broken and why; how often, and when, is no matter.
            echo "$algorithm, $name: exit $code; $(grep -o '^cut: .*' "$work/said" | grep -o 'no violation\|[0-9]* violations*' | sed 's/^[1-9][0-9]* /some /; s/some violation$/some violations/')"
        done
    done >"$work/verdicts"
    diff "$here/scripts/reliability.d/cuts.expected" "$work/verdicts" || fell "other verdicts than expected: $work/verdicts"
    did 1
    echo "$(wc -l <"$work/verdicts") verdicts of $(cut -d, -f1 "$work/verdicts" | sort -u | wc -l) algorithms, as expected"
}

bar 25 8 'labs' 'every datagram again, 3 times and 5 s later'
bar_25() {
    need_own_network
    BAR_COUNT="$1" tests_in_own_network real bars::replays::what_is_sent_again_moves_no_machine
    did "$1"
}

bar 26 100 'elections' 'a fifth of all datagrams spoiled: none is taken'
bar_26() {
    local election fault
    up "$(lab_file spoiled bully 5)" --record "$work/spoiled.jsonl"
    waits 'coordinator 5'
    for fault in corrupt garble; do
        inject "$fault *->* 20%"
        for ((election = 1; election <= $1; election++)); do
            inject "elect $((election % 5 + 1))"
            pause 200
        done
        inject 'heal'
    done
    did "$1"
    waits 'all normal'
    [[ "$(recorded '"kind":"\(died\|panicked\)"')" == 0 ]] || fell 'a process died'
    down
    awk '
        function id() { return match($0, /"id":\{"from":[^}]*\}/) ? substr($0, RSTART, RLENGTH) : "" }
        function node() { return match($0, /"node":[0-9]+/) ? substr($0, RSTART + 7, RLENGTH - 7) : "" }
        /"kind":"spoiled"/ { spoiled[node() " " id()] = 1; count++ }
        /"kind":"garbled"/ { garbled++ }
        /"kind":"step"/ && /"input":\{"message"/ { if ((node() " " id()) in spoiled) { print "taken: " $0; bad = 1 } }
        END { print count + 0 " spoiled before the tag, " garbled + 0 " behind it"; exit bad || !count || !garbled }' "$session" ||
        fell 'a spoiled datagram was taken, or none was spoiled'
    "$hustings" verify "$session" >/dev/null || fell 'the session does not conform'
    grep -c '"kind":"\(spoiled\|garbled\)"' "$session" | sed 's/$/ spoiled; none before the tag was taken, nobody died/'
}

bar 27 10 'times' 'every error of a socket: the node goes on'
bar_27() {
    need strace
    local times error call node pid inode hit=0
    up "$(lab_file errors bully 5)" --record "$work/errors.jsonl"
    waits 'coordinator 5'
    for ((times = 1; times <= $1; times++)); do
        for call in sendto recvmsg; do
            for error in ENOBUFS EPERM ENETUNREACH EMSGSIZE ECONNREFUSED EHOSTUNREACH EINTR ENOMEM EIO; do
                node="$(random 1 5)" pid="$(pid_of "$node")"
                inode="$(udp_socket_of "$pid")"
                strace -f -qq -o "$work/trace" -P "$inode" -e "trace=$call" -e "inject=$call:error=$error:when=1..20" -p "$pid" 2>"$work/strace" &
                until grep -q "TracerPid:.*[1-9]" "/proc/$pid/status"; do
                    kill -0 $! 2>/dev/null || skip "strace: $(tail -n 1 "$work/strace")"
                done
                inject "elect $node"
                pause 300
                kill $! 2>/dev/null || true
                wait $! || true
                hit=$((hit + $(grep -c INJECTED "$work/trace" || true)))
                kill -0 "$pid" || fell "node $node died of $error of $call"
            done
        done
        did "$times"
    done
    ((hit > 0)) || fell 'no error was injected'
    inject 'elect 5'
    waits 'coordinator 5'
    waits 'all normal'
    [[ "$(recorded '"kind":"\(died\|panicked\)"')" == 0 ]] || fell 'a process died'
    down
    echo "$hit errors of sends and receives, no process died, one coordinator"
}

# The UDP socket of a process, as its descriptor is called.
udp_socket_of() {
    local link
    while read -r link; do
        grep -q " ${link//[^0-9]/} " /proc/net/udp && { echo "$link" && return; }
    done < <(find "/proc/$1/fd" -lname 'socket:*' -printf '%l\n')
}
