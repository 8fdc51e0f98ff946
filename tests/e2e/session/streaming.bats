#!/usr/bin/env bats
# What goes over the URLs that the runtime's streaming server gives out: exec, attach and port-forward.

setup_file() {
    load ../terminal.bash
    crictl pull "$BUSYBOX"
    pod=$(run_pod streams)
    server=$(run_container "$pod" server 'exec httpd -f -p 8080 -h /www')
    # It runs as a shell at first, and listens somewhat later.
    lab_wait 20 busybox wget -q -O /dev/null "http://$(crictl inspectp "$pod" | jq -r .status.network.ip):8080/"
    shell=$(run_container "$pod" shell 'exec sh' '.stdin = true | .stdin_once = true')
    export pod server shell
}

setup() {
    load ../terminal.bash
}

teardown() {
    if [ -n "${forwarder:-}" ]; then
        kill "$forwarder"
    fi
}

teardown_file() {
    load ../terminal.bash
    remove_pods
}

@test "exec tells output and errors apart" {
    run -0 --separate-stderr crictl exec "$server" sh -c 'echo fine; echo oops >&2'
    [ "$output" = fine ]
    [ "$stderr" = oops ]
}

@test "exec tells the exit status" {
    run ! crictl exec "$server" sh -c 'exit 7'
    [[ $output =~ "exit code 7" || $output =~ "status 7" ]]
}

@test "exec -i passes standard input on until its end" {
    run -0 crictl exec -i "$server" sh -c 'wc -c; echo end' <<<"seven.."
    [ "${lines[0]}" = 8 ]
    [ "${lines[1]}" = end ]
}

@test "exec -i carries a megabyte there and back unharmed" {
    head -c 1048576 /dev/urandom >"$BATS_TEST_TMPDIR/there"
    crictl exec -i "$server" cat <"$BATS_TEST_TMPDIR/there" >"$BATS_TEST_TMPDIR/back"
    cmp "$BATS_TEST_TMPDIR/there" "$BATS_TEST_TMPDIR/back"
}

@test "exec -t gives the process a terminal" {
    run -0 script --quiet --return --command "crictl exec -i -t $server tty" /dev/null
    [[ $output =~ /dev/pts/ ]]
}

@test "attach -i speaks to the container's own process" {
    run -0 crictl attach -i "$shell" <<<'echo "I am process $$"; exit'
    [[ $output =~ "I am process 1" ]]
    lab_wait 5 sh -c "crictl inspect $shell | grep --quiet CONTAINER_EXITED"
}

@test "port-forward leads to a port inside the pod" {
    crictl port-forward "$pod" 18081:8080 >"$BATS_TEST_TMPDIR/forward" 2>&1 3>&- &
    forwarder=$!
    lab_wait 10 grep --quiet "Forwarding from 127.0.0.1:18081" "$BATS_TEST_TMPDIR/forward"
    for _ in 1 2 3; do
        run -0 busybox wget -q -O - http://127.0.0.1:18081/
        [ "$output" = "served from a pod" ]
    done
}

@test "logs -f follows what the container writes" {
    talker=$(run_container "$pod" talker 'for word in one two three; do echo $word; sleep 0.3; done')
    run -0 timeout 20 crictl logs --follow "$talker"
    [ "$output" = $'one\ntwo\nthree' ]
}
