#!/usr/bin/env bash
# One pane for each node of a running lab, each showing what that node alone believes.
set -euo pipefail

usage() {
    echo "usage: scripts/tmux.sh [LAB-ID]"
    echo "Opens a tmux window with one 'hustings watch --node N' per pane, for the lab that runs (or the one named)."
    echo "HUSTINGS names the program (default: target/release/hustings, else on the PATH)."
}
if [[ "${1:-}" == "--help" ]]; then
    usage
    exit 0
fi

# shellcheck source=scripts/program.sh
source "$(dirname "$0")/program.sh"
command -v tmux >/dev/null || {
    echo "tmux is not installed" >&2
    exit 1
}

# A field of the lab's entry.
field() {
    grep -o "\"$1\":\"*[0-9a-f]*" <<<"$entry" | grep -o '[0-9a-f]*$'
}

entry="$("$hustings" ls --json | grep "\"lab_id\":\"${1:-}" || true)"
case "$(grep -c . <<<"$entry")" in
    1) ;;
    0)
        echo "no running lab matches; start one with: $hustings up --detach" >&2
        exit 2
        ;;
    *)
        echo "several labs are running; name one of these:" >&2
        "$hustings" ls >&2
        exit 2
        ;;
esac
lab="$(field lab_id)"
nodes="$(field nodes)"

session="hustings-${lab:0:8}"
# The panes of a lab that has them already are shown again.
if ! tmux has-session -t "=$session" 2>/dev/null; then
    tmux new-session -d -s "$session" -x 200 -y 60 "$hustings" watch --lab "$lab" --node 1
    for ((node = 2; node <= nodes; node++)); do
        tmux split-window -t "$session" "$hustings" watch --lab "$lab" --node "$node"
        tmux select-layout -t "$session" tiled >/dev/null
    done
fi
if [[ -t 1 && -z "${TMUX:-}" ]]; then
    exec tmux attach -t "$session"
fi
echo "tmux attach -t $session"
