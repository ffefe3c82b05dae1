# shellcheck shell=bash disable=SC2154
# Bars 34 to 36, and 39 to 41: what is recorded, and read again.

bar 34 1000 'cuts' 'recorder killed, session cut anywhere: it opens'
bar_34() {
    local kills=$((($1 + 49) / 50)) times end size wholes=() whole wanted got
    need zstdcat
    FEATURES=failpoints BAR_COUNT="$kills" tests real bars::failpoints::a_host_that_dies_round_a_write_leaves_whole_records
    for ((times = 1; times <= kills; times++)); do
        for end in jsonl jsonl.zst; do
            up "$(lab_file killed bully 5)" --record "$work/killed-$times.$end"
            pause "$(random 0 700)"
            kill -KILL "$host"
            until ! kill -0 "$host" 2>/dev/null; do :; done
            opens_with "$session" 'a killed host'
            wholes+=("$session")
        done
    done
    for ((times = 1; times <= $1; times++)); do
        # The last of either form, in turn.
        whole="${wholes[-1 - times % 2]}" session="$work/cut-$((times % 2)).jsonl"
        size="$(wc -c <"$whole")"
        head -c "$(random 1 "$size")" "$whole" >"$session"
        opens_with "$session" 'a cut'
        did "$times"
    done
    echo "$((2 * kills)) hosts killed, $1 cuts: every whole record is there, and no other"
}

# The text of a session, all its parts, compressed or not, as far as it goes.
text_of() {
    local parts
    mapfile -t parts < <(compgen -G "${1%.jsonl*}.[1-9]*.jsonl*" | sort -V || true)
    zstdcat --quiet --force "$1" "${parts[@]}" 2>/dev/null || true
}

# All complete lines of this session are read, and only those. A last line that lacks nothing but its end counts too.
opens_with() {
    wanted="$(text_of "$1" | grep -c '}$' || true)"
    got="$("$hustings" export "$1" --format jsonl 2>"$work/said" | wc -l)" || true
    # A head alone that is cut is no session, and says so.
    ((wanted > 0)) || { [[ -s "$work/said" ]] && return; }
    ((got == wanted || got == wanted - 1 && wanted > 0 && $(text_of "$1" | tail -n 1 | is_torn) == 1)) ||
        fell "$got of $wanted records are read after $2"
}

# Whether a line, though it ends with a brace, is a part of a record only.
is_torn() {
    awk '{ opened += gsub(/\{/, ""); closed += gsub(/\}/, "") } END { print opened != closed ? 1 : 0 }'
}

bar 35 10 'runs' 'no room, no file, an error: recording waits'
bar_35() {
    local times error
    for ((times = 1; times <= $1; times++)); do
        tests real recording::a_full_disk_suspends_recording_and_nothing_else \
            recording::a_file_that_may_not_grow_suspends_recording_and_nothing_else \
            directories::a_lab_whose_run_directory_is_deleted_says_so_and_ends
        did "$times"
    done
    if command -v strace >/dev/null && command -v zstdcat >/dev/null; then
        for error in EIO EROFS EDQUOT ENOSPC; do write_fails_with "$error"; done
    fi
    echo 'full disk, file limit, deleted directory; EIO, EROFS, EDQUOT, ENOSPC where strace is'
}

# The next writes to the session fail; the lab goes on, and recording too, with the right count of what is missing.
write_fails_with() {
    local tracer verdict missing
    up "$(lab_file "$1" bully 5)" --record "$work/$1.jsonl.zst"
    waits 'coordinator 5'
    strace -f -qq -o "$work/trace-$1" -P "$session" -e trace=write,writev -e "inject=write,writev:error=$1" -p "$host" 2>/dev/null &
    tracer=$!
    inject 'crash 5'
    inject 'elect 4'
    waits 'coordinator 4'
    kill -0 "$tracer" 2>/dev/null || return 0
    kill "$tracer"
    wait "$tracer" || true
    inject 'recover 5'
    waits 'coordinator 5'
    verdict="$("$hustings" down --lab "$lab")" || true
    missing="$(grep -o '[0-9]* records could not be written' <<<"$verdict" | cut -d' ' -f1)"
    [[ -n "$missing" ]] || fell "$1: nothing is missing: $verdict"
    text_of "$session" | grep "\"kind\":\"gap\".*\"count\":$missing" >/dev/null || fell "$1: the session has no gap of $missing"
}

bar 36 60 'seconds' '10,000 records a second, and none is lost'
bar_36() {
    local began records seconds
    up "$(lab_file storm bully 48 'T = "400ms"' 'check = "1s"' 'silence = "9s"')" --record "$work/storm.jsonl.zst"
    need zstdcat
    waits 'all normal'
    began=$SECONDS records="$(text_of "$session" | wc -l)"
    while ((SECONDS - began < $1)); do inject 'elect *'; done
    seconds=$((SECONDS - began))
    records=$((($(text_of "$session" | wc -l) - records) / seconds))
    did "$seconds"
    [[ "$(text_of "$session" | grep -c '"kind":"gap"' || true)" == 0 ]] || fell "records are missing at $records a second"
    (($(resident "$host") < 256 * 1024)) || fell "the host takes $(resident "$host") KiB"
    "$hustings" down --lab "$lab" >/dev/null || true
    ((records >= 10000)) || skip "this computer came to $records records a second, of which none was lost"
    echo "$records records a second, none lost"
}

bar 39 1000000 'inputs' 'hostile session files: no panic, no escape'
bar_39() {
    local escape=$'\e]0;owned\a' payload='\u001b]0;owned\u0007' session="$work/hostile.jsonl" kib
    "$hustings" run "$(lab_file named bully 3 'limit = "3s"')" --sim --record "$work/clean.jsonl"
    sed "s/named/na$payload/g; s/\"starts\"/\"$payload\"/g" "$work/clean.jsonl" >"$session"
    echo '{"number":9999,"at":1,"kind":"note","text":"'"$payload"'"}' >>"$session"
    "$hustings" export "$session" --format lab >"$work/said" 2>&1 || true
    "$hustings" verify "$session" >>"$work/said" 2>&1 || true
    need script
    script -qfec "stty rows 30 cols 100; timeout -s TERM 2 '$hustings' replay '$session'" "$work/screen" >/dev/null 2>&1 </dev/null || true
    ! grep -aqF -- "$escape" "$work/said" "$work/screen" || fell 'an escape sequence of the file comes to the terminal'
    # A gibibyte at the full count, of lines that are none.
    kib=$((1 + $1))
    head -n 1 "$work/clean.jsonl" >"$session"
    head -c "${kib}K" /dev/zero | tr '\0' '{' | fold -w 1000 >>"$session"
    opens_in_bounds "$session"
    fuzz session "$1"
}

# Reads this file within its bounds of time (2 s) and memory (64 MiB).
opens_in_bounds() {
    local began="$EPOCHREALTIME" most=0 now pid
    "$hustings" export "$1" --format jsonl >/dev/null 2>&1 &
    pid=$!
    while now="$(awk '/^VmHWM/ { print $2 }' "/proc/$pid/status" 2>/dev/null)" && [[ -n "$now" ]]; do most="$now"; done
    wait "$pid" || true
    awk -v began="$began" -v ended="$EPOCHREALTIME" 'BEGIN { exit ended - began > 2 }' || fell "$(wc -c <"$1") bytes take longer than 2 s"
    ((most < 64 * 1024)) || fell "$(wc -c <"$1") bytes take $most KiB of memory"
}

bar 40 100 'seeds' 'the same seed makes the same session'
bar_40() {
    local seed file name
    for ((seed = 1; seed <= $1; seed++)); do
        for name in first invitation-six king-ni-c bully-fd ring; do
            file="$work/$name.toml"
            sed "s/^seed = .*/seed = $seed/" "$here/labs/$name.toml" >"$file"
            "$hustings" run "$file" --sim --record "$work/one.jsonl" >/dev/null 2>&1 || true
            # In another place, with other threads' stacks, another environment and other addresses.
            (cd / && env -i RUST_MIN_STACK=8388608 PATH="$PATH" XDG_STATE_HOME="$work" LC_ALL=C TZ=Asia/Kathmandu \
                "$hustings" run "$file" --sim --record "$work/two.jsonl" >/dev/null 2>&1) || true
            cmp -s "$work/one.jsonl" "$work/two.jsonl" || fell "$name with seed $seed is not the same session twice"
            rm "$work/one.jsonl" "$work/two.jsonl"
        done
        did "$seed"
    done
    echo "five labs a seed, byte for byte (on $(uname -m) alone)"
}

bar 41 200 'sessions' 'recorded steps fed to the machines again'
bar_41() {
    "$here/scripts/verify.sh" "$1"
    did "$1"
}
