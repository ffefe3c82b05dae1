# shellcheck shell=bash disable=SC2154
# Bars 43 to 45: who may use a lab.

bar 43 20 'tries' 'another user gets no word; modes under umasks'
bar_43() {
    tests real directories::what_a_lab_makes_is_its_owners_alone_whatever_the_umask_is
    tests host directory::tests::a_place_that_others_may_write_and_a_link_are_refused
    need_root
    BAR_COUNT="$1" tests real bars::strangers::another_user_gets_no_word_even_where_the_modes_would_let_it_in
    did "$1"
    echo 'modes, links; user nobody at open sockets is refused'
}

bar 44 1000000 'requests' 'hostile requests, 200 slow askers: others served'
bar_44() {
    tests real endurance::a_crowd_is_turned_away_and_the_lab_goes_on
    tests real bars::requests::slow_askers_and_an_endless_line_keep_nobody_out
    fuzz request "$1"
}

bar 45 10000 'attempts' 'fault commands over UDP: none is taken'
bar_45() {
    local attempt node lines counted
    lines=('crash 1' '{"inject":"crash 1"}' '{"inject":"crash *"}' '{"control":{"order":{"node":1}}}')
    up "$(lab_file udp bully 5)" --record "$work/udp.jsonl"
    waits 'coordinator 5'
    for ((attempt = 0; attempt < $1; attempt++)); do
        node=$((attempt % 5 + 1))
        printf '%s\n' "${lines[attempt % 4]}" >"/dev/udp/127.0.0.1/$((base + node))"
    done
    did "$attempt"
    # A node tells of each reason once a second.
    for _ in {1..50}; do
        counted="$(refused_datagrams)"
        ((counted < $1)) || break
        sleep 0.1
    done
    [[ "$(recorded '"kind":"fault-ordered"')" == 0 ]] || fell 'a fault was ordered'
    ((counted == $1)) || fell "$1 sent, $counted counted as refused"
    waits 'all normal'
    down
    echo "$1 sent, $counted refused, no fault"
}

# How many datagrams the session counts as refused or overflowed.
refused_datagrams() {
    awk '/"kind":"(refused|overflowed)"/ && match($0, /"count":[0-9]+/) { sum += substr($0, RSTART + 8, RLENGTH - 8) }
        END { print sum + 0 }' "$session"
}
