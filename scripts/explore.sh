#!/usr/bin/env bash
# Explores small labs whose searches are too long for a test, and compares what is found, and the counts of states, with
# what was found before. Takes some minutes and up to 1 GiB.
set -euo pipefail

if [[ "${1:-}" == "--help" ]]; then
    echo "usage: scripts/explore.sh [NAME...]"
    echo "Explores these labs, or all, and compares findings and counts. The program is \$HUSTINGS, or a release build."
    exit 0
fi
cd "$(dirname "$0")/.."
if [[ -z "${HUSTINGS:-}" ]]; then
    cargo build --release --quiet --locked
    HUSTINGS=target/release/hustings
fi
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
asked=("$@")
failed=0

# A lab: its name, algorithm, nodes, check and silence, settings, and what is ordered at its start. Its T is 300 ms.
lab() {
    {
        printf 'name = "%s"\nabout = "A lab to explore."\nalgorithm = "%s"\nnodes = %s\nseed = 1\n' "$1" "$2" "$3"
        printf 'T = "300ms"\ncheck = "%s"\nsilence = "%s"\n[settings]\n%s\n' "$4" "$5" "$6"
        [[ -z "${7:-}" ]] || printf '[[step]]\nat = "0ms"\ndo = ["%s"]\n' "$7"
    } > "$place/$1.toml"
}

# What must be found in the lab of this name: "PROPERTY true, ...", and "written" if a lab file must show it; the states
# generated and the different ones; options. A question is the property "always" or "never".
find() {
    local name=$1 wanted=$2 counts=$3 text seconds=$SECONDS
    shift 3
    if [[ ${#asked[@]} -gt 0 && " ${asked[*]} " != *" $name "* ]]; then
        return
    fi
    text=$("$HUSTINGS" explore "$place/$name.toml" --states 500000000 "$@" 2> /dev/null) || [[ $? == 4 ]] || true
    local row said=""
    for row in ${wanted//, /$'\n'}; do
        if [[ "$row" == written ]]; then
            ! grep -q "^as a lab file it shows" <<< "$text" || said="$said, written"
        elif [[ "$row" != true && "$row" != false ]]; then
            said="$said, $row $(awk -v row="$row" \
                '$1 == row && match($0, /  (true|false)/) { print substr($0, RSTART + 2, RLENGTH - 2); exit }' <<< "$text")"
        fi
    done
    said=${said#, }
    local counted
    counted=$(awk '/generated/ { gsub(",", ""); print $1 " " $3; exit }' <<< "$text")
    if [[ "$said" == "$wanted" && "$counted" == "$counts" ]]; then
        echo "ok      $name: $said; $counted; $((SECONDS - seconds)) s"
    else
        echo "FAILED  $name: $said; $counted; wanted: $wanted; $counts"
        failed=1
    fi
}

early=(--crashes 1 --recoveries 1)
lab parallel bully 3 300ms 1300ms ''
find parallel "assertion-1 true" "3982626 1595825" "${early[@]}" --horizon 24
lab sequential bully 3 300ms 1900ms 'form = "sequential"'
find sequential "assertion-1 true" "20669849 10734601" "${early[@]}" --horizon 36
lab one-step bully 4 300ms 1500ms 'form = "one-step"'
find one-step "assertion-1 false, assertion-2 true" "6412615 1061281" --crashes 1
lab pause bully 3 300ms 1300ms ''
find pause "assertion-1 false, assertion-2 true" "14280003 6110538" --pauses 1
lab invitation invitation 3 1500ms 3s ''
find invitation "assertion-3 true, assertion-4 true" "46963444 23190652" --losses 1 --pauses 1
lab async-bully async-bully 3 600ms 750ms ''
find async-bully "ale-1 true, ale-2 true, ale-2-prime true" "4174912 1567099" --false-alarms 1
lab path async-bully 3 600ms 750ms '' 'cut 1<->3'
find path "ale-1 true, ale-2 true" "6661998 2702999" --false-alarms 1
find path "ale-1 true, ale-2 true" "16411530 7802149" "${early[@]}"
lab appendix-a invitation 3 1500ms 3s '' 'cut 1<->3'
find appendix-a "assertion-3 true, assertion-4 false, written" "37893 14882"
# Of the six nodes of Stoller's section 7 the smallest part in which the paper's leaders would be too many: 1 and 2 are
# linked, 3 with 1, and 4 with 2. By the paper 1, 3 and 4 lead, and two sets of linked nodes cover the four.
core() {
    lab core async-bully 4 600ms 750ms ''
    printf '[[step]]\nat = "0ms"\ndo = ["cut 1<->4", "cut 2<->3", "cut 3<->4"]\n' >> "$place/core.toml"
}
core
find core "ale-1 true, ale-2 true, ale-2-prime true" "2750784 881542"
find core "ale-1 true, ale-2 true, ale-2-prime true" "8976123 3194490" --down 1 --recoveries 1 --faults-until 8
find core "ale-1 true, ale-2 true, ale-2-prime true" "2054540 658841" --false-alarms 1 --faults-until 4
lab b9-small bully 4 300ms 1300ms 'errata = false'
find b9-small "assertion-1 true, assertion-2 false, written" "3725623 1787486" --down 3,4 --crashes 2 --recoveries 1 \
    --faults-until 10
lab b9 bully 4 300ms 1300ms 'errata = false'
find b9 "assertion-1 true, assertion-2 false, written" "51972608 15658109" --down 4 --crashes 3 --recoveries 1 --faults-until 10
lab b9-mended bully 4 300ms 1300ms ''
find b9-mended "assertion-1 true, assertion-2 true" "51972666 15658141" --down 4 --crashes 3 --recoveries 1 --faults-until 10
lab king-ni-c king-ni-c 3 6s 9s '' 'elect 1-3'
find king-ni-c "uniqueness true, deadlock-free true" "564981 112110" --losses 2 --lost init --lost elected --lost dup \
    --faults-until 24
# Hole 12 lets an election last longer than it does mended, and hole 13 leaves two masters. The mends of 2, 5, 6 and 15
# would hide hole 13.
lasting=(--losses 2 --lost init --lost elected --elections 1 --faults-until 6 --always "all normal" --from 20)
lab hole-12 king-ni-c 2 6s 9s 'errata = ["2", "4", "5", "6", "7", "14", "15"]' 'elect 2'
find hole-12 "always false" "8463 6997" "${lasting[@]}"
lab hole-12-mended king-ni-c 2 6s 9s '' 'elect 2'
find hole-12-mended "always true" "7700 6296" "${lasting[@]}"
masters=(--losses 2 --lost init --lost dup --faults-until 24 --never "groups 2")
lab hole-13 king-ni-c 2 6s 9s 'errata = ["4", "7", "14"]' 'elect 1,2'
find hole-13 "never false" "2572 2374" "${masters[@]}"
lab hole-13-mended king-ni-c 2 6s 9s 'errata = ["3", "4", "7", "12", "13", "14"]' 'elect 1,2'
find hole-13-mended "never true" "2416 2206" "${masters[@]}"
exit "$failed"
