#!/usr/bin/env bats
# The pictures of terminals in docs/pictures show what the programs print today.

bats_require_minimum_version 1.5.0

TOP=$BATS_TEST_DIRNAME/../..

# shows PICTURE SOURCE: whether a line of the picture has the headings of the table in that source, in their order.
shows() {
    local headings
    mapfile -t headings < <(grep -oE '\{"[A-Z/ ]+", "\w+", table_' "$TOP/$2" | cut -d'"' -f2)
    [ ${#headings[@]} -ge 9 ]
    grep -qE "$(printf '<tspan[^>]*>%s</tspan>' "${headings[@]}")</text>" "$TOP/docs/pictures/$1.svg" || {
        echo "$1.svg has other columns than $2 (${headings[*]}): run tools/pictures/make BUILD_FOLDER"
        return 1
    }
}

@test "the pictures of crigate top and calls have the columns of today" {
    shows top cli/commands/frame.c
    shows top cli/commands/calls_table.c
    shows calls cli/commands/calls_table.c
}
