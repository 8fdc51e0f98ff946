# What tests of hooks share: simulated plugins. Plugin NAME listens on NAME.sock, and writes NAME.journal and NAME.log; its file is
# plugins/NAME.json.
# shellcheck shell=bash

# hooks_on [KEYS]: switches hooks on in crigate.yaml.
hooks_on() {
    mkdir -p -m 755 plugins
    add_to_map "hooks: {folder: \"$PWD/plugins\"${1:+, $1}}"
}

# start_plugin NAME [OPTION...]: starts a simulated plugin, and waits until it has written its file.
start_plugin() {
    local name=$1
    shift
    rm -f "$name.log"
    start "$name" "$CRIGATE_BUILD/hooksim" --listen "unix://$PWD/$name.sock" --name "$name" --journal "$name.journal" \
        --write-file "$PWD/plugins" "$@"
    eventually 15 grep -q "listening on" "$name.log"
}

# plugins_state FILTER: whether jq's filter is true of what `crigate hooks` prints.
plugins_state() {
    "$CRIGATE_BUILD/crigate" hooks --config crigate.yaml -o json | jq -e "$1"
}

# knows_plugins NAME...: whether the gateway calls exactly these.
knows_plugins() {
    local names
    names=$(printf '"%s.json",' "$@")
    plugins_state "[.plugins[].name] == [${names%,}]"
}

# hooked PLUGIN HOOK: the last request of that hook, as the plugin decoded it.
hooked() {
    jq -c --arg hook "$2" 'select(.method | endswith("/" + $hook + "Hook")) | .request' "$1.journal" | tail -n 1
}

# times_hooked PLUGIN HOOK: how often it was called.
times_hooked() {
    jq -c --arg hook "$2" 'select(.method | endswith("/" + $hook + "Hook"))' "$1.journal" 2>/dev/null | wc -l
}

# was_hooked PLUGIN HOOK COUNT: whether it was called COUNT times.
was_hooked() {
    [ "$(times_hooked "$1" "$2")" = "$3" ]
}
