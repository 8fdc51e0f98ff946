#!/usr/bin/env bats
# The completion of shells, and `crigate help`: what a real bash and a real zsh offer, and that no command and no option is missing.

load gateway

setup() {
    set +T # see eventually.bash
    cd "$BATS_TEST_TMPDIR" || return 1
    PATH=$CRIGATE_BUILD:$PATH
    crigate completion bash >completion.bash
    crigate completion zsh >completion.zsh
}

# completions LINE: what bash offers at the end of that command line, a line each.
completions() {
    bash -uc '
        source completion.bash
        COMP_LINE=$1 COMP_POINT=${#1} COMPREPLY=()
        _crigate crigate
        [ ${#COMPREPLY[@]} = 0 ] || printf "%s\n" "${COMPREPLY[@]}"
    ' bash "$1"
}

# offers LINE WORD...: whether bash offers just these words there, in whatever order. On a busy machine, names come too late at times.
offers() {
    local line=$1 wanted offered attempt
    shift
    wanted=$([ $# = 0 ] || printf '%s\n' "$@" | sort)
    for attempt in {1..20}; do
        offered=$(completions "$line" | sort)
        [ "$offered" != "$wanted" ] || return 0
    done
    echo "after \"$line\", bash offers: $offered, $attempt times"
    return 1
}

# commands: all that `crigate help` lists.
commands() {
    crigate help | sed -n '/^Commands/,$s/^  \([a-z-]*\) .*/\1/p'
}

# options_of COMMAND...: the long options in its --help, or of crigate itself.
options_of() {
    crigate "$@" --help | sed -nE 's/^  ( ?   |-[a-zA-Z], )?(--?[a-zA-Z][a-zA-Z-]*).*/\2/p'
}

@test "bash registers the completion" {
    run -0 bash -euc 'source completion.bash; complete -p crigate'
    [ "$output" = "complete -F _crigate crigate" ]
}

@test "bash: commands, options and their values" {
    offers "crigate sta" status
    offers "crigate --log-f" --log-format
    offers "crigate --log-format " text json
    offers "crigate --log-format=j" json
    offers "crigate status -o " text json prometheus
    offers "crigate -c some.yaml --take" --takeover
    offers "crigate reload -" -c --config --control -h --help
    offers "crigate criproxy -connec" -connect
    offers "crigate completion " bash zsh
    offers "crigate help expl" explain
    offers "crigate explain --from v1al" v1alpha2
    offers "crigate no-such-command --"
    offers "crigate version "
    offers "crigate call --timeout "
}

@test "bash: files, also behind an equals sign" {
    mkdir maps
    touch maps/one.yaml "maps/the other.yaml"
    offers "crigate --check-config maps/o" maps/one.yaml
    offers "crigate --config=maps/o" maps/one.yaml
    offers "crigate status --config maps/" maps/one.yaml "maps/the other.yaml"
    offers "crigate explain --from v1 --to v1_9 RunPodSandbox ma" maps
}

@test "bash: methods are those of the dialect on the command line" {
    offers "crigate call ListMet" ListMetricDescriptors
    offers "crigate call --api v1_9 ListMet"
    offers "crigate call --api=v1_9 ContainerSt" ContainerStatus ContainerStats
    offers "crigate explain --from v1_9 --to v1 ListMet"
    # The second argument is a request.
    offers "crigate call Version Ver"
    offers "crigate call --timeout 2s --compact Vers" Version
}

@test "names of runtimes and ids are asked live" {
    local pod
    start_runtime main v1
    start_runtime vm.local v1_9
    write_map main vm.local
    eventually 30 eval '[ "$(crigate complete runtime --config crigate.yaml | xargs)" = "main vm.local" ]'
    offers "crigate owner --config crigate.yaml "
    start_crigate
    eventually 15 runtime_ready main
    eventually 15 runtime_ready vm.local
    for id in first second; do
        crigate call --endpoint "unix://$PWD/crigate.sock" RunPodSandbox \
            '{"config": {"metadata": {"name": "'$id'", "uid": "'$id'", "namespace": "default"}, "logDirectory": "/tmp"}}' >pod.json
    done
    pod=$(jq -r .podSandboxId pod.json)
    eventually 30 eval '[ "$(completions "crigate owner --config crigate.yaml " | wc -l)" = 2 ]'
    offers "crigate owner --config=crigate.yaml ${pod::20}" "$pod"
    [ "$(crigate owner --config crigate.yaml "$pod")" = main ]
}

@test "whatever fails, the completion of names is quiet" {
    local arguments
    start_runtime main v1 --hang ListPodSandbox --hang ListContainers
    for arguments in "runtime --config none.yaml" "id --endpoint unix://$PWD/none.sock" "id --endpoint unix://$PWD/main.sock" \
        "id --endpoint nonsense" "method --api v7" "nonsense" "" "runtime --config $PWD"; do
        # shellcheck disable=SC2086
        run -0 --separate-stderr crigate complete $arguments
        [ -z "$output$stderr" ]
    done
}

@test "no command and no option is missing in --help, in bash or in zsh" {
    local command option count=0
    [ "$(commands | wc -l)" -ge 11 ]
    # shellcheck disable=SC2046
    offers "crigate " $(commands)
    for command in "" $(commands); do
        [ -n "$(options_of $command)" ]
        # shellcheck disable=SC2046
        diff <(options_of $command | grep -v '^-.$') <(completions "crigate $command -" | grep -v '^-.$')
        sed -n "/^    '$command')\$/,/;;/p" completion.zsh >arguments.zsh
        for option in $(options_of $command); do
            grep -qE -- "[{,' ]$option[]'=}+[]" arguments.zsh || {
                echo "$command $option is missing in zsh"
                return 1
            }
            count=$((count + 1))
        done
    done
    [ "$count" -ge 50 ]
}

@test "zsh: commands, options, values and names" {
    touch request.json
    mkfifo buffer
    cat >types.zsh <<'END'
zmodload zsh/zpty
exec 3<>buffer
# A shell at a terminal, in which ^T hands out the command line as it stands and empties it.
zpty shell zsh -f -i
zpty -w shell "hand-out() { print -r -- \$BUFFER >buffer; BUFFER= }; zle -N hand-out; bindkey '^T' hand-out"
zpty -w shell "autoload -Uz compinit; compinit -D -u; source ./completion.zsh"
# becomes TEXT EXPECTED: what a tab makes of that text.
becomes() {
    local line shown
    repeat 20; do
        zpty -n -w shell "$1"$'\t'
        zpty -n -w shell $'\C-t'
        IFS= read -r -u 3 line
        while zpty -r -t shell shown; do :; done
        [[ $line != "$2" ]] || return 0
    done
    print -r -- "\"$1\" becomes \"$line\""
    exit 1
}
zpty -n -w shell $'\C-t'
IFS= read -r -u 3 ready
becomes "crigate stat" "crigate status "
becomes "crigate --log-fo" "crigate --log-format="
becomes "crigate status --out" "crigate status --output="
becomes "crigate status --output=j" "crigate status --output=json "
becomes "crigate call --api v1_9 Versi" "crigate call --api v1_9 Version "
becomes "crigate call --api v1_9 ListMet" "crigate call --api v1_9 ListMet"
becomes "crigate explain --from v1 RunPod" "crigate explain --from v1 RunPodSandbox "
becomes "crigate explain --from v1 RunPodSandbox requ" "crigate explain --from v1 RunPodSandbox request.json "
becomes "crigate criproxy -streamP" "crigate criproxy -streamPort="
becomes "crigate help comple" "crigate help completion "
print -r -- "all as it should be"
END
    run -0 timeout 100 zsh -f types.zsh
    [ "$output" = "all as it should be" ]
}

@test "zsh: as a file of fpath" {
    mkdir functions
    mv completion.zsh functions/_crigate
    run -0 zsh -fc 'fpath=($PWD/functions $fpath); autoload -Uz compinit; compinit -D -u; print -r -- $_comps[crigate]'
    [ "$output" = _crigate ]
}

@test "crigate help: all commands, or one" {
    local command
    [ "$(crigate help)" = "$(crigate --help)" ]
    for command in $(commands); do
        [ "$(crigate help "$command")" = "$(crigate "$command" --help)" ]
    done
    run -64 crigate help statsu
    [ "$output" = "crigate: no command 'statsu'; did you mean 'status'? See crigate --help" ]
    run -64 crigate help status owner
    [ "$output" = "crigate help: unexpected argument: owner; see crigate help --help" ]
    run -64 crigate completion fish
    [ "$output" = "crigate completion: there is no completion for fish, only for bash and zsh; see crigate completion --help" ]
    run -1 bash -c 'crigate help >/dev/full'
}
