#!/usr/bin/env bats
# The files that name plugins: which ones are used, what is said of the others, and how soon a change is seen.

load gateway

# Tests run with any umask; the folder and its files must not be writable by others.
umask 022

# plugin NAME [HOOK...]: writes a file of the folder, as a whole.
plugin() {
    local name=$1
    shift
    jq -nc --arg endpoint "$PWD/$name.sock" '{"remote-endpoint": $endpoint, "failure-policy": "Ignore", "runtime-hooks": $ARGS.positional}' \
        --args "$@" >"plugin.new"
    mv plugin.new "hooks.d/$name.json"
}

# hooks_map [MORE]: a map with hooks, whose folder is hooks.d.
hooks_map() {
    write_map main
    add_to_map "hooks: {folder: \"$PWD/hooks.d\"${1:-}}"
}

# start_hooks: a node with hooks.
start_hooks() {
    start_runtime main v1
    hooks_map "$@"
    start_node
}

# logged TEXT [COUNT]: whether the log has that text COUNT times.
logged() {
    [ "$(grep -cF -- "$1" crigate.log)" = "${2:-1}" ]
}

check() {
    run "$CRIGATE_BUILD/crigate" --check-config crigate.yaml
}

@test "--check-config names the plugins and every error in their files" {
    mkdir hooks.d
    hooks_map ", timeout: 1s"
    plugin b PreCreateContainer PreRunPodSandbox
    printf '{\n\t"remote-endpoint": "/run/a.sock",\n\t"runtime-hooks": ["PreStartContainer"],\n\t"failure-policy": "Fail", "timeout": 300}' >hooks.d/a.json
    check
    [ "$status" = 0 ]
    [[ $output =~ "plugin a.json: PreStartContainer at unix:///run/a.sock, failure-policy Fail, timeout 300 ms"$'\n'"plugin b.json: PreRunPodSandbox, PreCreateContainer at unix://$PWD/b.sock, failure-policy Ignore, timeout 1000 ms" ]]

    printf '{\n\t"remote-endpoint": "a.sock",\n\t"runtime-hooks": ["PreStart"],,' >hooks.d/a.json
    printf '{\n\t"remote-endpoint": "a.sock",\n\t"runtime-hooks": ["PreStart"], "policy": 5}' >hooks.d/c.json
    check
    [ "$status" = 78 ]
    [[ $output =~ "$PWD/hooks.d/a.json:3:32: not JSON: " ]]
    [[ $output =~ "$PWD/hooks.d/c.json:2:21: remote-endpoint: \"a.sock\" is a relative path; write an absolute one" ]]
    [[ $output =~ "$PWD/hooks.d/c.json:3:20: warning: runtime-hooks: unknown hook \"PreStart\", which is never called; known hooks: " ]]
    [[ $output =~ "$PWD/hooks.d/c.json:3:33: warning: unknown key \"policy\", which is ignored; known keys: " ]]
    [[ $output =~ "plugin b.json: " ]]
    [[ ! $output =~ "plugin a.json: " ]]
}

@test "--check-config needs no folder, makes none, and looks at none without hooks" {
    hooks_map
    check
    [ "$status" = 0 ]
    [[ $output =~ "$PWD/hooks.d does not exist, and crigate.service may not create it: mkdir -p -m 0755 $PWD/hooks.d" ]]
    [ ! -e hooks.d ]
    mkdir hooks.d
    echo x >hooks.d/a.json
    write_map main
    add_to_map "hooks: false"
    check
    [ "$status" = 0 ]
    [[ ! $output =~ hooks.d ]]
}

@test "what is no file, or others may write, is told and not used" {
    mkdir hooks.d hooks.d/dir.json
    mkfifo hooks.d/fifo.json
    ln -s nowhere hooks.d/link.json
    ln -s /dev/zero hooks.d/zero.json
    plugin good PreRunPodSandbox
    plugin loose PreRunPodSandbox
    chmod g+w hooks.d/loose.json
    head -c 70000 /dev/zero | tr '\0' ' ' >hooks.d/big.json
    hooks_map
    check
    [ "$status" = 78 ]
    [[ $output =~ "hooks.d/dir.json: not used: it is a folder; " ]]
    [[ $output =~ "hooks.d/fifo.json: not used: it is a FIFO; " ]]
    [[ $output =~ "hooks.d/link.json: not used: it is a link to something that does not exist; " ]]
    [[ $output =~ "hooks.d/zero.json: not used: it is a device; " ]]
    [[ $output =~ "hooks.d/loose.json: not used: with mode 0664, users other than its owner may write to it; remove that permission (chmod go-w)" ]]
    [[ $output =~ "hooks.d/big.json: it is larger than 64 KiB; " ]]
    [ "$(grep -c '^plugin ' <<<"$output")" = 1 ]
    [[ $output =~ "plugin good.json: " ]]

    start_hooks
    eventually 10 logged "plugin fifo.json: not used: it is a FIFO; "
    logged "plugin good.json: registered: PreRunPodSandbox at unix://$PWD/good.sock, failure-policy Ignore, timeout 2000 ms"
    chmod o+w hooks.d
    eventually 10 logged "plugins: $PWD/hooks.d: not used: with mode 0757, users other than its owner may write to it; remove that permission (chmod go-w)"
    eventually 10 logged "plugin good.json: removed: none of its hooks is called any more"
    chmod o-w hooks.d
    eventually 10 logged "plugin good.json: registered: " 2
    run_pod "$(pod web)"
}

@test "a file that cannot be read is told" {
    needs "setpriv (package util-linux)" command -v setpriv
    mkdir hooks.d
    plugin a PreRunPodSandbox
    hooks_map
    chmod 0 hooks.d/a.json
    # Root, if it is root, as crigate.service has it: without its powers.
    run setpriv --bounding-set -all --inh-caps -all "$CRIGATE_BUILD/crigate" --check-config crigate.yaml
    [ "$status" = 78 ]
    [[ $output =~ "hooks.d/a.json: cannot be read: Permission denied" ]]
}

@test "the folder is made, and files that appear, change and vanish are seen" {
    start_hooks
    [ "$(stat -c %a hooks.d)" = 755 ]
    plugin a PreRunPodSandbox
    eventually 10 logged "plugin a.json: registered: PreRunPodSandbox at unix://$PWD/a.sock, "
    plugin a PreRunPodSandbox PostStopPodSandbox
    eventually 10 logged "plugin a.json: its file has changed: PreRunPodSandbox, PostStopPodSandbox at unix://$PWD/a.sock, "

    echo '{"remote-endpoint": ' >hooks.d/a.json
    eventually 10 logged "plugin a.json:2:1: not JSON: the text ends too early"
    logged "plugin a.json: the file's previous content stays in force until it is corrected"
    # Another file's change brings no second line of this one.
    plugin b PreStartContainer
    eventually 10 logged "plugin b.json: registered: PreStartContainer at "
    logged "plugin a.json:2:1: not JSON: the text ends too early"
    logged "plugin a.json: removed" 0

    rm hooks.d/a.json
    eventually 10 logged "plugin a.json: removed: none of its hooks is called any more"
    rm -r hooks.d
    eventually 10 logged "plugin b.json: removed: none of its hooks is called any more"
}

@test "a folder that appears later, or again, is seen" {
    mkdir none
    start_runtime main v1
    write_map main
    # A link without a target: crigate cannot create the folder.
    ln -s "$PWD/later/hooks.d" link
    add_to_map "hooks: {folder: \"$PWD/link\"}"
    start_node
    [ ! -e later ]
    mkdir -p later/hooks.d
    echo "{\"remote-endpoint\": \"$PWD/a.sock\", \"runtime-hooks\": [\"PreRunPodSandbox\"]}" >later/hooks.d/a.json
    eventually 20 logged "plugin a.json: registered: "
    mv later/hooks.d later/away
    eventually 20 logged "plugin a.json: removed: "
    mv later/away later/hooks.d
    eventually 20 logged "plugin a.json: registered: " 2
    rm later/hooks.d/a.json
    eventually 20 logged "plugin a.json: removed: " 2
}

@test "files that links are exchanged for, as in a mounted config map, are read anew" {
    mkdir -p hooks.d/..1 hooks.d/..2
    plugin a PreRunPodSandbox
    mv hooks.d/a.json hooks.d/..1/
    plugin a PreCreateContainer
    mv hooks.d/a.json hooks.d/..2/
    ln -s ..1 hooks.d/..data
    ln -s ..data/a.json hooks.d/a.json
    start_hooks
    eventually 10 logged "plugin a.json: registered: PreRunPodSandbox at "
    ln -s ..2 hooks.d/..new
    mv -T hooks.d/..new hooks.d/..data
    eventually 10 logged "plugin a.json: its file has changed: PreCreateContainer at "
}

@test "a reload switches hooks on, moves the folder, changes the timeout, and switches them off" {
    start_runtime main v1
    write_map main
    mkdir hooks.d others.d
    plugin a PreRunPodSandbox
    start_node
    run_pod "$(pod first)"
    logged "plugin a.json" 0

    hooks_map
    eventually 10 logged "plugin a.json: registered: "
    plugin b PreRunPodSandbox
    eventually 10 logged "plugin b.json: registered: "
    hooks_map ", timeout: 300ms"
    eventually 10 logged "plugin a.json: its file has changed: PreRunPodSandbox at unix://$PWD/a.sock, failure-policy Ignore, timeout 300 ms"

    mv hooks.d/b.json others.d/c.json
    eventually 10 logged "plugin b.json: removed: "
    sed -i 's,hooks\.d,others.d,' crigate.yaml
    eventually 10 logged "plugin c.json: registered: "
    mv others.d/c.json others.d/d.json
    eventually 10 logged "plugin d.json: registered: "

    write_map main
    eventually 10 logged "the runtime map was reloaded" 4
    plugin e PreRunPodSandbox
    cp hooks.d/e.json others.d/
    run_pod "$(pod second)"
    hooks_map
    eventually 10 logged "plugin e.json: registered: "
}
