# shellcheck shell=bash disable=SC2154
# Bars 1 to 4: what a process has stored.

bar 1 10000 'kills' 'kill -9 at any instant: no save lost, no number twice'
bar_1() {
    local half=$((($1 + 1) / 2))
    "$here/scripts/endurance.sh" "$half" bully
    did "$half"
    "$here/scripts/endurance.sh" "$half" invitation
    did $((2 * half))
    echo "Bully and Invitation, $half kills each; none lost, none twice, none refused"
}

bar 2 50 'of each point' 'a crash in a save: the old or the new state'
bar_2() {
    FEATURES=failpoints BAR_COUNT="$1" tests real \
        bars::failpoints::a_crash_at_any_point_of_a_save_leaves_the_old_or_the_new_state
    did "$1"
    echo 'eight algorithms; five points of a save, and of both saves of a start'
}

bar 3 1000 'rounds' 'an older store is told, no number comes again'
bar_3() {
    local round
    for ((round = 1; round <= $1; round++)); do
        tests real stores::a_store_that_is_exchanged_for_an_older_one_breaks_4_and_no_incarnation_comes_again
        did "$round"
    done
    echo 'what the disk had lost is told, as assumption 4'
}

bar 4 2000 'places' 'a store cut or flipped anywhere: never forgotten'
bar_4() {
    tests node store::tests::either_generation_cut_or_spoiled_at_every_byte_leaves_the_other \
        store::tests::a_store_of_which_nothing_reads_is_never_taken_for_a_new_one
    BAR_COUNT="$1" tests real bars::spoiled::a_store_spoiled_at_any_place_starts_from_what_is_left_or_not_at_all
    did "$1"
}
