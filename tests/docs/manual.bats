#!/usr/bin/env bats
# The manual pages: that troff and mandoc have no complaint, and that every command and every option is in one.

bats_require_minimum_version 1.5.0

: "${CRIGATE_BUILD:?names the folder of the programs}"

PAGES=$CRIGATE_BUILD/man

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    PATH=$CRIGATE_BUILD:$PATH
}

# text_of PAGE: as a reader sees it, one paragraph a line.
text_of() {
    mandoc -T utf8 -O width=900 "$PAGES/$1" | col -bx
}

# page_of COMMAND: where its options are.
page_of() {
    case $1 in
    call | explain) echo "crigate-$1.1" ;;
    preflight | verify | bypass | docker-proxy) echo "crigate-$1.8" ;;
    compare) echo crigate-preflight.8 ;;
    install | uninstall) echo crigate-install.8 ;;
    *) echo crigate.8 ;;
    esac
}

@test "there is a page for all that has one" {
    [ "$(ls "$PAGES")" = "crigate-bypass.8
crigate-call.1
crigate-docker-proxy.8
crigate-explain.1
crigate-install.8
crigate-preflight.8
crigate-verify.8
crigate.8
crigate.yaml.5
crisim.1
hooksim.1" ]
}

@test "troff and mandoc have no complaint" {
    local page
    for page in "$PAGES"/*; do
        run -0 man --warnings --encoding=UTF-8 --local-file --pager=cat "$page"
        [ "$(man --warnings --encoding=UTF-8 --local-file --pager=cat "$page" 2>&1 >text)" = "" ]
        [ "$(wc -l <text)" -gt 40 ]
        run -0 mandoc -T lint -W warning "$page"
        [ -z "$output" ]
    done
}

@test "each page has its name, what it is about, and a synopsis, and no Markdown is left" {
    local page name
    for page in "$PAGES"/*; do
        name=${page##*/}
        run -0 lexgrog "$page"
        [[ $output == *": \"${name%.*} - "* ]]
        [ "$(grep -m 2 '^\.SH ' "$page")" = ".SH NAME
.SH SYNOPSIS" ]
        text_of "$name" >text
        run -1 grep -nE '\]\(|\.md#|^ *\||`.*\.md' text
        # Hyphens of options can be copied into a shell.
        run -1 grep -nE '(^|[^\\])--[a-z]' "$page"
    done
}

@test "every command and every option is in a page" {
    local command option page count=0
    for command in "" $(crigate help | sed -n '/^Commands/,$s/^  \([a-z-]*\) .*/\1/p'); do
        page=$(page_of "$command")
        text_of "$page" >text
        grep -qE "crigate( .*\|)? $command" text
        # shellcheck disable=SC2086
        for option in $(crigate $command --help | sed -nE 's/^  ( {4}|-[a-zA-Z], )?(--?[a-zA-Z][a-zA-Z-]*).*/\2/p'); do
            grep -qE "(^|[ ,\`])$option([ ,=]|$)" text || {
                echo "$page lacks $option of crigate $command"
                return 1
            }
            count=$((count + 1))
        done
    done
    [ "$count" -ge 60 ]
    for command in crisim hooksim; do
        text_of $command.1 >text
        for option in $($command --help | grep -oE '^  --[a-z-]+' | sort -u); do
            grep -qE "(^|[ ,])$option([ ,=]|$)" text || {
                echo "$command.1 lacks $option"
                return 1
            }
        done
    done
}

@test "the same sources give the same bytes" {
    local folder
    for folder in one two; do
        SOURCE_DATE_EPOCH=1700000000 "$BATS_TEST_DIRNAME/../../tools/man/pages" "$CRIGATE_BUILD/crigate" $folder
    done
    diff -r one two
    grep -q '^\.TH "CRIGATE" "8" "2023-11-14" ' one/crigate.8
}
