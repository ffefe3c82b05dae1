# shellcheck shell=bash disable=SC2154
# Bars 10 to 12, 37, 38 and 42: screens, and what kills them.

SIGNALS=(HUP INT QUIT TERM ALRM USR1 ABRT KILL)

# Starts a lab with its screen in a terminal; sets terminal, dashboard, host, lab and session. What the screen writes goes
# to `$work/screen`, the terminal's modes before and after to `$work/before` and `$work/after`.
open_screen() {
    local entry
    rm -f "$work/screen" "$work/after"
    session="$work/screen-$((++screens)).jsonl"
    cat >"$work/in-terminal" <<TERMINAL
stty rows 30 cols 100
stty -a >'$work/before'
trap : HUP INT QUIT TERM
'$hustings' up '$1' --record '$session'
echo \$? >'$work/code'
stty -a >'$work/after'
TERMINAL
    script -qfec "bash '$work/in-terminal'" "$work/screen" >/dev/null 2>&1 </dev/null &
    terminal=$!
    until entry="$("$hustings" ls --json)" && [[ -n "$entry" ]] && grep -q LIVE "$work/screen" 2>/dev/null; do
        kill -0 "$terminal" || fell 'the lab did not start'
    done
    lab="$(of_entry lab_id)" host="$(of_entry pid)"
    dashboard="$(awk '{ print $4 }' <(sed 's/(.*)/x/' "/proc/$host/stat"))"
}
screens=0

# Nothing names the lab any more, two seconds from now at the latest.
nothing_left() {
    local tries pid state parent left
    for ((tries = 0; tries < 20; tries++)); do
        left=''
        while read -r pid; do
            read -r state parent < <(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null | cut -d' ' -f1,2) || continue
            [[ "$state" == Z && "$parent" == 1 ]] || left+=" $pid"
        done < <(grep -alz -- "$lab" /proc/[0-9]*/cmdline 2>/dev/null | cut -d/ -f3)
        [[ -n "$left" ]] || return 0
        sleep 0.1
    done
    fell "left after $1:$left"
}

session_opens() {
    "$hustings" export "$session" --format jsonl >"$work/exported" || fell "the session does not open after $1"
    (($(wc -l <"$work/exported") > 1)) || fell "the session is empty after $1"
}

# The terminal is as it was before: its modes, the cursor, and no alternate screen.
terminal_is_whole() {
    cmp -s "$work/before" "$work/after" || fell "the terminal's modes are not restored after $1"
    local told
    told="$(grep -ao $'\e\\[?\\(1049\\|25\\)[hl]' "$work/screen")"
    [[ "$(grep 1049 <<<"$told" | tail -n 1)" == $'\e[?1049l' ]] || fell "the screen is not left after $1"
    [[ "$(grep 25 <<<"$told" | tail -n 1)" == $'\e[?25h' ]] || fell "the cursor is hidden after $1"
}

bar 10 100 'of each signal' 'screen killed by 8 signals: whole terminal'
bar_10() {
    need script
    local round signal file
    ulimit -c 0
    file="$(lab_file screens bully 3)"
    for ((round = 1; round <= $1; round++)); do
        for signal in "${SIGNALS[@]}"; do
            open_screen "$file"
            kill "-$signal" "$dashboard"
            for _ in {1..40}; do [[ ! -s "$work/after" ]] || break; sleep 0.05; done
            [[ -s "$work/after" ]] || fell "the screen is there 2 s after SIG$signal"
            wait "$terminal" || true
            # SIGABRT tells of a bug, and SIGKILL leaves no time: what such a process leaves is not asked for.
            [[ "$signal" =~ ^(ABRT|KILL)$ ]] || terminal_is_whole "SIG$signal"
            nothing_left "SIG$signal"
            session_opens "SIG$signal"
        done
        # The terminal itself goes: the window is closed.
        open_screen "$file"
        kill -KILL "$terminal"
        wait "$terminal" || true
        nothing_left 'the end of the terminal'
        session_opens 'the end of the terminal'
        did "$round"
    done
    echo "${#SIGNALS[@]} signals and a closed terminal, $1 times each"
}

bar 11 100 'of each signal' 'host and nodes killed by 8 signals: no orphan'
bar_11() {
    local round signal file node=1 dead deaths=0
    ulimit -c 0
    file="$(lab_file killed bully 3)"
    for ((round = 1; round <= $1; round++)); do
        for signal in "${SIGNALS[@]}"; do
            up "$file" --record "$work/host-$round-$signal.jsonl"
            waits 'coordinator 3'
            kill "-$signal" "$host"
            nothing_left "SIG$signal to the host"
            session_opens "SIG$signal to the host"
        done
        did "$round"
    done
    up "$file" --record "$work/nodes.jsonl"
    for ((round = 1; round <= $1; round++)); do
        for signal in "${SIGNALS[@]}"; do
            node=$((node % 3 + 1)) dead="$(recorded '"kind":"died"')"
            kill "-$signal" "$(pid_of $node)"
            # It dies of it, which the host tells, or it heeds no such signal and lives on.
            for _ in {1..20}; do (($(recorded '"kind":"died"') == dead)) || break; sleep 0.05; done
            kill -0 "$host" || fell "SIG$signal to node $node ended the host"
            [[ -n "$(pid_of $node)" ]] || inject "recover $node"
            deaths=$((deaths + $(recorded '"kind":"died"') - dead))
        done
    done
    waits 'all normal'
    down
    session_opens 'the signals to nodes'
    (cd "$here" && cargo test --quiet --locked --lib --package hustings-dashboard terminal:: >/dev/null) || fell 'a panic leaves the terminal unrestored'
    ((deaths >= $1)) || fell 'no node died'
    echo "${#SIGNALS[@]} signals, $1 times each to a host and to a node; $deaths nodes died"
}

bar 12 50 'times' 'Ctrl-Z and fg: screen right, nodes unmoved'
bar_12() {
    need tmux
    local times before pane entry=''
    pane=(tmux -S "$work/tmux" -f /dev/null)
    "${pane[@]}" new-session -d -x 100 -y 30 "bash --norc"
    trap 'code=$?; "${pane[@]}" kill-server 2>/dev/null || true; leave_nothing $code' EXIT
    "${pane[@]}" send-keys "'$hustings' up '$(lab_file stopped bully 5)' --record '$work/stopped.jsonl'" Enter
    seen 'LIVE'
    entry="$("$hustings" ls --json)" lab="$(of_entry lab_id)" host="$(of_entry pid)" session="$work/stopped.jsonl"
    waits 'coordinator 5'
    before="$(pgrep -P "$host" | sort)"
    for ((times = 1; times <= $1; times++)); do
        "${pane[@]}" send-keys C-z
        seen 'Stopped'
        "${pane[@]}" send-keys 'clear; fg' Enter
        seen 'LIVE'
        seen '5 ● running'
        did "$times"
    done
    [[ "$(pgrep -P "$host" | sort)" == "$before" ]] || fell 'other processes than before'
    down
    [[ "$(recorded '"kind":"\(died\|stopped\)"')" == 0 ]] || fell 'a node was stopped or died'
    echo "$1 times, nodes as before"
}

# This text comes to the pane.
seen() {
    local deadline=$((SECONDS + 20))
    until "${pane[@]}" capture-pane -p | grep -q -- "$1"; do
        ((SECONDS < deadline)) || { "${pane[@]}" capture-pane -p && fell "never on the screen: $1"; }
        sleep 0.02
    done
}

bar 37 20 'failovers' 'a stopped watcher slows no election'
bar_37() {
    need script pgrep
    local count=$((($1 + 4) / 5 * 5))
    "$here/scripts/watcher.sh" "$count"
    did "$count"
}

bar 38 5000 'sizes' 'a storm of sizes: no panic, right at the end'
bar_38() {
    need script
    local sizes tty rows columns entry
    "$hustings" run "$(lab_file sized bully 5 'limit = "5s"')" --sim --record "$work/sized.jsonl"
    script -qfec "stty rows 30 cols 100; '$hustings' replay '$work/sized.jsonl'" "$work/screen" >/dev/null 2>&1 </dev/null &
    terminal=$!
    until grep -q sized "$work/screen" 2>/dev/null; do kill -0 "$terminal"; done
    dashboard="$(pgrep -P "$terminal" | head -n 1)"
    dashboard="$(pgrep -P "$dashboard" | head -n 1 || true)"
    [[ -n "$dashboard" ]] || dashboard="$(pgrep -P "$terminal" | head -n 1)"
    tty="$(readlink "/proc/$dashboard/fd/0")"
    for ((sizes = 1; sizes <= $1; sizes++)); do
        case $((sizes % 8)) in
            0) rows=0 columns=0 ;;
            1) rows=1 columns=1 ;;
            2) rows=1 columns=500 ;;
            3) rows=200 columns=1 ;;
            *) rows="$(random 0 200)" columns="$(random 0 500)" ;;
        esac
        stty -F "$tty" rows "$rows" cols "$columns"
        did "$sizes"
    done
    kill -0 "$dashboard" || fell "it ended: $(tail -c 300 "$work/screen")"
    stty -F "$tty" rows 30 cols 100
    entry="$(wc -c <"$work/screen")"
    for _ in {1..100}; do
        tail -c "+$entry" "$work/screen" | grep -q sized && break
        sleep 0.05
    done
    tail -c "+$entry" "$work/screen" | grep -q sized || fell 'it is not drawn in the last size'
    ! grep -aq panicked "$work/screen" || fell 'it panicked'
    kill -TERM "$dashboard"
    wait "$terminal" || true
    echo "$1 sizes, then drawn in 30 rows of 100"
}

bar 42 1000 'visits' 'two screens, one that may only look; no leaks'
bar_42() {
    BAR_COUNT="$1" tests real endurance::hundreds_of_watchers_come_and_go_and_leave_nothing_open \
        screen::a_spectator_may_look_and_not_touch_and_sees_that_the_session_was_deleted
    did "$1"
    echo 'a spectator is refused; as many descriptors as before'
}
