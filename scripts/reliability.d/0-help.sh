# shellcheck shell=bash disable=SC2034,SC2154
# What the bars stand on. Each bar runs in a directory of its own, `$work`, in which its labs, stores and sessions lie;
# the last line that it prints stands in the table.

# The bar cannot be shown here.
skip() {
    echo "$*"
    exit 77
}

# The bar fell.
fell() {
    echo "$*"
    exit 1
}

# So many are done.
did() {
    echo "$1" >"$DONE_FILE"
}

# Skips the bar where these programs are missing.
need() {
    local program
    for program in "$@"; do
        command -v "$program" >/dev/null || skip "there is no $program(1) here"
    done
}

need_root() {
    [[ "$(id -u)" == 0 ]] || skip "needs root"
}

# Ends the labs of a bar, and deletes its directory unless the bar fell.
leave_nothing() {
    local pid
    trap - EXIT ERR
    for pid in $("$hustings" ls --json 2>/dev/null | grep -o '"pid":[0-9]*' | cut -d: -f2); do
        kill -KILL "$pid" 2>/dev/null || true
    done
    for pid in $(jobs -p); do kill "$pid" 2>/dev/null || true; done
    if [[ "$1" == 0 || "$1" == 77 ]]; then
        cd /
        rm -rf "$work" "$runtime"
    fi
    exit "$1"
}

# tests WHERE NAME...: runs these tests (WHERE: real for those with real processes, or a room), the ignored ones too, once,
# built with these FEATURES. The bar's count is in BAR_COUNT for those that have one.
tests() {
    local where="$1" run said passed
    shift
    [[ "$where" == real ]] && run=(--test real) || run=(--lib --package "hustings-$where")
    run+=(--features "${FEATURES:-}")
    said="$(cd "$here" && cargo test --quiet --locked "${run[@]}" -- --include-ignored --nocapture --exact "$@" 2>&1)" || {
        echo "$said"
        fell "$(grep -A 1 'panicked at' <<<"$said" | sed -n 2p)"
    }
    passed="$(grep -o '[0-9]* passed' <<<"$said" | cut -d' ' -f1)"
    [[ "$passed" == "$#" ]] || fell "of $# tests $passed are there: $*"
    ! grep -q '^skipped: ' <<<"$said" || echo "$(grep -c '^skipped: ' <<<"$said") were skipped"
    grep '^bar: ' <<<"$said" | cut -c 6- || true
}

# fuzz TARGET COUNT: so many inputs of one kind, and a thousand at least: fewer say nothing of its memory.
fuzz() {
    [[ -f "$here/benches/src/bin/fuzz.rs" ]] || skip "benches/ has no fuzz program yet"
    cargo run --release --quiet --manifest-path "$here/benches/Cargo.toml" --bin fuzz -- "$1" $(($2 > 1000 ? $2 : 1000)) ||
        fell "an input of $1 fell, or memory grows"
    did "$2"
}

# lab_file NAME ALGORITHM NODES [LINE...]: writes a lab file without steps; prints its path.
lab_file() {
    local path="$work/$1.toml" name="$1" algorithm="$2" nodes="$3"
    shift 3
    {
        printf 'name = "%s"\nabout = "A bar."\nalgorithm = "%s"\nnodes = %d\n' "$name" "$algorithm" "$nodes"
        grep -q '^seed' <<<"$*" || echo 'seed = 1'
        grep -q '^T ' < <(printf '%s\n' "$@") || printf 'T = "200ms"\ncheck = "1s"\nsilence = "2s"\n'
        printf '%s\n' "$@"
    } >"$path"
    echo "$path"
}

# up ARGUMENT...: starts a lab; sets lab, host, base, nodes and session.
up() {
    local entry
    lab="$("$hustings" up --detach "$@")"
    entry="$("$hustings" ls --json | grep "\"lab_id\":\"$lab\"")"
    host="$(of_entry pid)" base="$(of_entry base_port)" nodes="$(of_entry nodes)" session="$(of_entry session)"
}

of_entry() {
    grep -o "\"$1\":\"*[^\",}]*" <<<"$entry" | sed 's/.*[:"]//'
}

inject() {
    "$hustings" inject --lab "$lab" "$1" >/dev/null
}

# waits CONDITION [WITHIN]
waits() {
    "$hustings" wait --lab "$lab" "$1" --within "${2:-60s}"
}

# Ends the lab; falls if a promise was broken and no assumption, or if records are missing.
down() {
    local verdict
    verdict="$("$hustings" down --lab "$lab")" || fell "down: exit code $?: $verdict"
    echo "$verdict"
    ! grep -q 'no assumption was broken' <<<"$verdict" || fell "$verdict"
}

# The process of a node, if it has one that is no zombie.
pid_of() {
    pgrep -P "$host" -f -- "--node $1\$" || true
}

# A number from the first to the second, both included.
random() {
    echo $(($1 + (RANDOM * 32768 + RANDOM) % ($2 - $1 + 1)))
}

# pause MILLISECONDS
pause() {
    sleep "$(printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)))"
}

# How many lines of the session hold this.
recorded() {
    grep -c -- "$1" "$session" || true
}

# Runs a command in a network of its own that has nothing but a loopback interface, which can multicast.
in_own_network() {
    unshare -n -- bash -euo pipefail -c '
        ip link set lo up multicast on
        ip route add 224.0.0.0/4 dev lo
        "$@"' bash "$@"
}

# The same as `tests`, in a network of its own.
tests_in_own_network() {
    # shellcheck disable=SC2016 # the inner shell expands it
    in_own_network bash -euo pipefail -c 'source "$here/scripts/reliability.d/0-help.sh"; tests "$@"' bash "$@"
}

need_own_network() {
    need_root
    need unshare ip
    unshare -n true 2>/dev/null || skip "this user may not make a network of its own"
}
