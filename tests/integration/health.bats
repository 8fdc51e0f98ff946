#!/usr/bin/env bats
# grpc.health.v1.Health on crigate's socket: Check, Watch and List, by whether the primary and its image service are ready.

load gateway

SERVING=1
NOT_SERVING=2
SERVICE_UNKNOWN=3

# health METHOD [SERVICE | --bytes HEX]
health() {
    "$CRIGATE_BUILD/health_caller" "unix://$PWD/crigate.sock" "$@"
}

# watch NAME [SERVICE]: a caller of Watch, which goes on.
watch() {
    start "$1" "$CRIGATE_BUILD/health_caller" "unix://$PWD/crigate.sock" Watch "${2:-}"
}

# told NAME STATUS...: whether that caller of Watch was told these, in this order, and nothing else.
told() {
    local name=$1
    shift
    [ "$(jq -r 'if has("code") then "end" else .[] end' "$name.log" | xargs)" = "$*" ]
}

is() {
    expect ".[\"$2\"] == $1" "$(health Check "$2" | head -n 1)"
}

@test "Check: each service of each package, and all, by whether the primary is ready" {
    local service
    start_runtime main v1
    write_map main
    start_node
    for service in "" runtime.RuntimeService runtime.ImageService runtime.v1{,alpha2}.{Runtime,Image}Service; do
        expect ".[\"$service\"] == $SERVING" "$(health Check "$service" | head -n 1)"
        expect '.code == 0' "$(health Check "$service" | tail -n 1)"
    done
    expect ". == {\"\": 1, \"runtime.RuntimeService\": 1, \"runtime.ImageService\": 1, \"runtime.v1alpha2.RuntimeService\": 1,
        \"runtime.v1alpha2.ImageService\": 1, \"runtime.v1.RuntimeService\": 1, \"runtime.v1.ImageService\": 1}" "$(health List | head -n 1)"
    crash main
    eventually 10 is "$NOT_SERVING" ""
    is "$NOT_SERVING" runtime.v1.RuntimeService
    expect 'length == 7 and all(. == 2)' "$(health List | head -n 1)"
    start_runtime main v1
    eventually 15 is "$SERVING" ""
}

@test "an image service that is away takes the services of images with it, and no other" {
    start_runtime main v1
    start images "$CRIGATE_BUILD/crisim" --listen "unix://$PWD/unused.sock" --image-listen "unix://$PWD/images.sock" --api v1
    write_map "main, image_endpoint: \"unix://$PWD/images.sock\""
    start_node
    eventually 15 is "$SERVING" ""
    watch all
    watch pods runtime.v1.RuntimeService
    watch pictures runtime.v1.ImageService
    eventually 10 eval 'told all 1 && told pods 1 && told pictures 1'
    crash images
    eventually 10 is "$NOT_SERVING" runtime.v1.ImageService
    is "$NOT_SERVING" ""
    is "$SERVING" runtime.v1.RuntimeService
    eventually 10 eval 'told all 1 2 && told pods 1 && told pictures 1 2'
    stop all
    stop pods
    stop pictures
}

@test "another runtime than the primary, and a reload" {
    start_runtime main v1
    start_runtime other v1
    write_map main other
    start_node
    eventually 15 runtime_ready other
    watch all
    eventually 10 told all 1
    crash other
    eventually 10 grep -q "connection to .* lost" crigate.log
    is "$SERVING" ""
    write_map other main
    kill -HUP "${PIDS[crigate]}"
    eventually 10 told all 1 2
    start_runtime other v1
    eventually 15 told all 1 2 1
    # A Watch that goes on holds no runtime that has gone from the map.
    write_map other
    kill -HUP "${PIDS[crigate]}"
    eventually 10 eval '[ "$(grep -c "$PWD/main.sock" /proc/net/unix)" = 1 ]'
    stop all
}

@test "a service that is not there: Check says so, Watch waits for it" {
    start_runtime main v1
    write_map main
    start_node
    expect '.code == 5 and (.details | startswith("crigate: health: there is no service \"containerd\""))' "$(health Check containerd)"
    watch stranger containerd
    eventually 10 told stranger "$SERVICE_UNKNOWN"
    stop stranger
    expect '.code == 1' "$(tail -n 1 stranger.log)"
}

@test "malformed requests, and methods that are not there" {
    start_runtime main v1
    write_map main
    start_node
    expect '.code == 3' "$(health Check --bytes 0aff)"
    expect '.code == 3' "$(health Watch --bytes 0801)"
    expect '.code == 12' "$(health Sleep)"
    # What a newer protocol may add does no harm.
    expect ".[\"\"] == $SERVING" "$(health Check --bytes 12026f6b | head -n 1)"
}

@test "callers of Watch are among those of limits.streams, and leave no trace" {
    local i
    start_runtime main v1
    write_map main
    add_to_map "limits: {streams: 3, startup_grace: 10s}"
    start_node
    for i in 1 2 3; do
        watch "ear$i"
        eventually 10 told "ear$i" 1
    done
    expect '.code == 8' "$(health Watch)"
    for i in 1 2 3; do
        stop "ear$i"
    done
    # Some are cancelled before they have begun.
    for i in $(seq 20); do
        "$CRIGATE_BUILD/health_caller" "unix://$PWD/crigate.sock" Watch >/dev/null &
        sleep "0.0$((i % 5))"
        kill -KILL "$!" # bash may be about to start it, and lets a SIGTERM pass
        wait "$!" || true
    done
    eventually 10 calls_show '.calls == []'
    watch last
    eventually 10 told last 1
    stop last
}

@test "a stop ends Watch with UNAVAILABLE" {
    start_runtime main v1
    write_map main
    start_node
    watch all
    eventually 10 told all 1
    stop crigate
    finish all
    expect '.code == 14' "$(tail -n 1 all.log)"
}
