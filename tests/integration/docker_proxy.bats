#!/usr/bin/env bats
# crigate docker-proxy between callers and a stand-in for Docker Engine: what passes does so byte for byte, and what is doubtful does not.

load docker

node() {
    start_docker
    start_proxy "$@"
}

# ---- what passes ----

@test "answers pass byte for byte, however their end is found" {
    node
    local path
    for path in _ping count/0 count/1 count/100000 chunks/0 chunks/7 until-close status/204 status/304 status/404 status/500 cut; do
        same "send:GET /$path HTTP/1.1\r\nHost: d\r\nConnection: close\r\n\r\n" rest
        same "send:GET /$path HTTP/1.0\r\n\r\n" shut rest
    done
    same 'send:HEAD /count/100 HTTP/1.1\r\nHost: d\r\nConnection: close\r\n\r\n' rest
    [ "$(wc -c <proxied.out)" = 40 ]
}

@test "requests pass byte for byte, with any body and in any pieces" {
    node
    same 'send:POST /echo HTTP/1.1\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello' rest
    same 'slow:POST /echo HTTP/1.1\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello' rest
    same 'slow:POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\nConnection: close\r\nX-A: \xc3\xa4\xff\t\r\n\r\n5;a=b\r\nhello\r\nA\r\n, my world\r\n0\r\nX-Sum: 1\r\n\r\n' rest
    [[ $(tail -n 1 proxied.out) =~ "hello, my world" ]]
    same 'send:POST /echo HTTP/1.1\r\nContent-Length: 3000000\r\nConnection: close\r\n\r\n' fill:3000000 rest
    [ "$(wc -c <proxied.out)" -gt 3000000 ]
    same 'send:POST /early HTTP/1.1\r\nContent-Length: 3\r\nConnection: close\r\n\r\n' expect:big
    same 'send:POST /early HTTP/1.1\r\nContent-Length: 3\r\n\r\nab' expect:big rest
}

@test "a body that goes wrong after its answer has no second answer" {
    node
    run -0 talk proxy 'send:POST /early-open HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n' 'expect:big\n' 'send:wrong\r\n' rest
    [ "$(grep -ac HTTP/1.1 <<<"$output")" = 1 ]
}

@test "a body waits for 100 Continue, which passes" {
    node
    same 'send:POST /echo HTTP/1.1\r\nContent-Length: 5\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n' \
        'expect:100 Continue\r\n\r\n' send:hello rest
}

@test "a connection serves request after request, and pipelined ones in their order" {
    node
    same 'send:GET /_ping HTTP/1.1\r\n\r\n' 'expect:OK' 'send:POST /echo HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc' expect:abc \
        'send:GET /chunks/3 HTTP/1.1\r\n\r\n' 'expect:X-Sum: 7\r\n\r\n' 'send:GET /status/404 HTTP/1.1\r\nConnection: close\r\n\r\n' rest
    same 'send:POST /echo HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcGET /chunks/3 HTTP/1.1\r\n\r\nGET /count/5 HTTP/1.1\r\nConnection: close\r\n\r\n' \
        rest
    same 'send:GET /follow/3 HTTP/1.1\r\n\r\nGET /follow/2 HTTP/1.1\r\n\r\n' shut rest
    [ "$(find docker.in -type f | wc -l)" = 1 ]
}

@test "a stream passes as it comes" {
    node
    talk proxy 'send:GET /follow/100 HTTP/1.1\r\nConnection: close\r\n\r\n' 'expect:line 0\n' close >first.out
    run -1 grep -q "line 50" first.out
}

@test "hijacked connections carry bytes in both directions, with their half-closes" {
    node
    local upgrade='Connection: Upgrade\r\nUpgrade: tcp\r\n' path
    for path in /containers/x/attach /v1.41/containers/x/attach?stream=1; do
        same "send:POST $path HTTP/1.1\r\n$upgrade\r\n" 'expect:hello\n' 'send:one\n' 'expect:one\n' 'send:two\n\x00\r\n\r\n\xff' shut rest
        grep -qa 'bye$' proxied.out
        # As clients did before Docker 1.8: no Upgrade, and 200.
        same "send:POST $path HTTP/1.1\r\nContent-Length: 0\r\n\r\n" 'expect:hello\n' 'send:one\n' 'expect:one\n' shut rest
        grep -qa 'bye$' proxied.out
    done
    # What comes with the head already belongs to the stream.
    same "send:POST /containers/x/attach HTTP/1.1\r\n${upgrade}\r\nearly\n" 'expect:early\n' shut rest
    same "send:POST /containers/x/attach HTTP/1.1\r\n$upgrade\r\n" 'expect:hello\n' pump:2000000 shut rest
    [ "$(wc -c <proxied.out)" -gt 2000000 ]
}

@test "an answer without a length to another request is no stream: nothing more of the caller passes" {
    node
    printf 'HTTP/1.1 200 OK\r\n\r\nall' >docker.in/open
    run -0 talk proxy 'send:POST /raw/open HTTP/1.1\r\nContent-Length: 0\r\n\r\n' expect:all 'send:GET /_ping HTTP/1.1\r\n\r\n' pause:300 close
    run -1 grep -q _ping docker.in/*.in
}

@test "what one caller sends and gets is only its own" {
    node
    local number pids=()
    for number in {1..20}; do
        talk proxy "send:POST /echo HTTP/1.1\r\nContent-Length: 200000\r\nConnection: close\r\n\r\n" "send:$number:" \
            "fill:$((199999 - ${#number}))" rest >"$number.out" 3>&- &
        pids+=($!)
    done
    wait "${pids[@]}"
    for number in {1..20}; do
        [ "$(tail -n +4 "$number.out" | cut -d: -f1)" = "$number" ]
        [ "$(tail -n +4 "$number.out" | wc -c)" = 200000 ]
    done
    [ "$(find docker.in -type f | wc -l)" = 20 ]
}

# ---- what does not ----

# refused BYTES: the request gets 400 and the end of the connection, and Docker sees nothing.
refused() {
    rm -f docker.in/*.in
    run -0 talk proxy "send:$1" rest
    [[ ${lines[0]} =~ ^"HTTP/1.1 400 Bad Request" && ${lines[-1]} == '{"message":"'* ]] || {
        echo "not refused: $1: $output"
        return 1
    }
    [ "$(seen)" = 0 ]
}

@test "a head that is doubtful gets 400, and nothing of it reaches Docker" {
    node
    local fields
    for fields in 'Content-Length: 5\r\nTransfer-Encoding: chunked' 'Transfer-Encoding: chunked\r\nContent-Length: 5' \
        'Content-Length: 5\r\nContent-Length: 5' 'Content-Length: 5\r\nContent-Length: 6' 'Content-Length: 5, 5' \
        'Transfer-Encoding: gzip, chunked' 'Transfer-Encoding: identity' 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked' \
        'Transfer-Encoding : chunked' 'Transfer-Encoding:\x0bchunked' 'A: b\r\n folded' 'Content-Length: +5' 'A: b\nContent-Length: 5' \
        'A: b\x00' 'A\x00: b' 'A: b\rc' 'A b: c' 'no colon'; do
        refused "POST /echo HTTP/1.1\r\nHost: d\r\n$fields\r\n\r\n0\r\n\r\nGET /_ping HTTP/1.1\r\n\r\n"
    done
    refused 'POST /echo HTTP/1.1\nHost: d\n\n'
    refused 'GET http://docker/_ping HTTP/1.1\r\n\r\n'
    refused 'CONNECT /_ping HTTP/1.1\r\n\r\n'
    refused 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
    refused '\x16\x03\x01\x02\x00\x01\x00\x01\n'
    refused "GET /$(head -c 70000 /dev/zero | tr '\0' a) HTTP/1.1\r\n\r\n"
    refused "GET / HTTP/1.1\r\n$(printf 'A%s: b\\r\\n' {1..300})\r\n"
    # It is still there for others.
    same 'send:GET /_ping HTTP/1.1\r\nConnection: close\r\n\r\n' rest
    [ "$(grep -c 'refused with 400' proxy.log)" -ge 20 ]
}

@test "a doubtful request behind a good one is refused, and the good one is answered" {
    node
    run -0 talk proxy 'send:GET /_ping HTTP/1.1\r\n\r\nPOST /echo HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx' rest
    [[ $output =~ "OKHTTP/1.1 400 Bad Request" ]]
    run -1 grep -q echo docker.in/*.in
}

@test "wrong chunks end both connections: Docker never sees the end of the body" {
    node
    local chunks
    for chunks in '5\nhello\n0\n\n' '5 \r\nhello\r\n0\r\n\r\n' '5\r\nhello world\r\n0\r\n\r\n' '0x5\r\nhello\r\n0\r\n\r\n' \
        'ffffffffffffffff\r\nhello' '0\r\nContent-Length: 5\r\n\r\n'; do
        rm -f docker.in/*.in
        run -0 talk proxy "send:POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}GET /_ping HTTP/1.1\r\n\r\n" rest
        [[ ${lines[0]} =~ "HTTP/1.1 400 Bad Request" ]]
        eventually 10 compgen -G 'docker.in/*.in' # the stand-in may be slower than the refusal
        run -1 grep -q -e _ping -e Content-Length docker.in/*.in
    done
}

@test "answers of Docker that are doubtful get 502" {
    node
    local number=0 head
    for head in 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n' \
        'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n' 'HTTP/1.1 200 OK\nContent-Length: 0\n\n' \
        'HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n' 'HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n' \
        'SSH-2.0\r\n\r\n' 'HTTP/1.1 204 No\r\nContent-Length: 3\r\n\r\nabc'; do
        number=$((number + 1))
        printf '%b' "$head" >"docker.in/bad$number"
        run -0 talk proxy "send:GET /raw/bad$number HTTP/1.1\r\n\r\n" rest
        [[ ${lines[0]} =~ ^"HTTP/1.1 502 Bad Gateway" && $output =~ "Docker's answer" ]]
    done
    # Two answers to one request: the second reaches nobody.
    printf 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecond' >docker.in/two
    run -0 talk proxy "send:GET /raw/two HTTP/1.1\r\n\r\nGET /_ping HTTP/1.1\r\n\r\n" rest
    [[ $output =~ "ok" && ! $output =~ "second" ]]
}

@test "neither the log nor a refusal has what requests carry" {
    node -v 5
    talk proxy 'send:GET /_ping?token=hidden HTTP/1.1\r\nX-Registry-Auth: hidden\r\nConnection: close\r\n\r\n' rest >/dev/null
    run -0 talk proxy 'send:GET /_ping?token=hidden HTTP/1.1\r\nX-Registry-Auth: hidden\r\nContent-Length: hidden\r\n\r\n' rest
    [[ ! $output =~ hidden ]]
    run -1 grep -q hidden proxy.log
}

# ---- limits ----

@test "callers beyond the limit wait until another leaves" {
    node --connections 2
    start first python3 "$BATS_TEST_DIRNAME/http_talk.py" proxy.sock 'send:GET /follow/10000 HTTP/1.1\r\n\r\n' expect:OK pause:60000
    start second python3 "$BATS_TEST_DIRNAME/http_talk.py" proxy.sock 'send:GET /follow/10000 HTTP/1.1\r\n\r\n' expect:OK pause:60000
    eventually 10 grep -q OK first.log
    eventually 10 grep -q OK second.log
    start third python3 "$BATS_TEST_DIRNAME/http_talk.py" proxy.sock 'send:GET /_ping HTTP/1.1\r\nConnection: close\r\n\r\n' rest
    eventually 10 grep -q 'which is the limit' proxy.log
    run -1 grep -q OK third.log
    crash first
    finish third
    grep -q OK third.log
    crash second
}

@test "connections that nobody uses make room for callers that wait" {
    node --connections 300
    start kept python3 "$BATS_TEST_DIRNAME/http_talk.py" proxy.sock 'send:GET /_ping HTTP/1.1\r\n\r\n' expect:OK pause:60000
    eventually 10 grep -q OK kept.log
    # Of these, about half are there, and the others wait before the caller.
    start silent python3 "$BATS_TEST_DIRNAME/http_talk.py" proxy.sock more:600 pause:60000
    eventually 10 grep -q 'more are connected' silent.log
    run -0 talk proxy 'send:GET /follow/3 HTTP/1.1\r\nConnection: close\r\n\r\n' rest
    [[ ${lines[0]} =~ "HTTP/1.1 200 OK" ]]
    grep -q 'which is the limit' proxy.log
    crash silent
    crash kept
}

@test "a caller that does not read keeps Docker from sending, and takes bounded memory" {
    node
    local before after
    before=$(awk '/VmRSS/ {print $2}' "/proc/${PIDS[proxy]}/status")
    start slow python3 "$BATS_TEST_DIRNAME/http_talk.py" proxy.sock 'send:GET /count/200000000 HTTP/1.1\r\nConnection: close\r\n\r\n' pause:2000 rest
    finish slow
    [ "$(wc -c <slow.log)" -gt 200000000 ]
    rm slow.log
    # The most that it ever took: while the caller paused, Docker could have sent all.
    after=$(awk '/VmHWM/ {print $2}' "/proc/${PIDS[proxy]}/status")
    ! plain_build || ((after - before < 2000))
}

# ---- Docker comes and goes ----

@test "without Docker callers get 503, which says where it was expected, and Docker is found when it comes" {
    start_proxy
    run -0 talk proxy 'send:GET /_ping HTTP/1.1\r\n\r\n' rest
    [[ ${lines[0]} =~ "HTTP/1.1 503 Service Unavailable" && $output =~ "cannot connect to Docker at unix://$PWD/docker.sock" ]]
    start_docker
    same 'send:GET /_ping HTTP/1.1\r\nConnection: close\r\n\r\n' rest
}

@test "Docker killed in the middle: streams end, idle connections too, and the next request finds the new Docker" {
    node
    start stream python3 "$BATS_TEST_DIRNAME/http_talk.py" proxy.sock 'send:GET /follow/10000 HTTP/1.1\r\n\r\n' rest
    start hijacked python3 "$BATS_TEST_DIRNAME/http_talk.py" proxy.sock 'send:POST /containers/x/attach HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n' rest
    start waiting python3 "$BATS_TEST_DIRNAME/http_talk.py" proxy.sock 'send:GET /hang HTTP/1.1\r\n\r\n' rest
    start idle python3 "$BATS_TEST_DIRNAME/http_talk.py" proxy.sock 'send:GET /_ping HTTP/1.1\r\n\r\n' rest
    eventually 10 grep -q 'line 5' stream.log
    eventually 10 grep -q hello hijacked.log
    eventually 10 grep -q OK idle.log
    eventually 10 grep -rq hang docker.in
    crash docker
    finish stream
    finish hijacked
    finish waiting
    finish idle
    [ ! -s waiting.log ]
    run -0 talk proxy 'send:GET /_ping HTTP/1.1\r\n\r\n' rest
    [[ ${lines[0]} =~ 503 ]]
    start_docker
    same 'send:GET /_ping HTTP/1.1\r\nConnection: close\r\n\r\n' rest
}

@test "Docker hung: callers wait, those that leave are forgotten, and all goes on when Docker does" {
    node
    start stream python3 "$BATS_TEST_DIRNAME/http_talk.py" proxy.sock 'send:GET /follow/60 HTTP/1.1\r\nConnection: close\r\n\r\n' rest
    eventually 10 grep -q 'line 5' stream.log
    kill -STOP "${PIDS[docker]}"
    start waiting python3 "$BATS_TEST_DIRNAME/http_talk.py" proxy.sock 'send:GET /_ping HTTP/1.1\r\nConnection: close\r\n\r\n' rest
    talk proxy 'send:GET /echo HTTP/1.1\r\n\r\n' pause:100 close
    eventually 10 callers 2 # the stream and the one that waits
    run -1 ended waiting
    [ ! -s waiting.log ]
    kill -CONT "${PIDS[docker]}"
    finish stream
    finish waiting
    grep -q 'line 59' stream.log
    grep -q OK waiting.log
    eventually 10 no_connections
}

# no_connections: whether the proxy has no socket but the one it listens on.
no_connections() {
    [ "$(find "/proc/${PIDS[proxy]}/fd" -lname 'socket:*' | wc -l)" = 1 ]
}

@test "a caller that leaves ends what it asked for" {
    node
    talk proxy 'send:GET /follow/100000 HTTP/1.1\r\n\r\n' 'expect:line 3\n' close >/dev/null
    talk proxy 'send:GET /hang HTTP/1.1\r\n\r\n' pause:100 close
    talk proxy 'send:POST /containers/x/attach HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n' expect:hello close >/dev/null
    talk proxy 'send:POST /echo HTTP/1.1\r\nContent-Length: 100\r\n\r\nhalf' close
    eventually 10 no_connections
}

# ---- the process ----

@test "the socket has the owner, the group and not more than Docker's mode; a stale one is replaced, a live one refused" {
    start_docker
    [ "$(id -u)" != 0 ] || chown 1234:4321 docker.sock
    start_proxy
    [ "$(stat -c '%u %g' docker.sock)" = "$(stat -c '%u %g' proxy.sock)" ]
    [ "$(stat -c %a proxy.sock)" = 660 ]
    run -1 "$CRIGATE_BUILD/crigate" docker-proxy --listen "unix://$PWD/proxy.sock" --docker "unix://$PWD/docker.sock" --hooks ""
    [[ $output =~ "another" ]]
    run -1 "$CRIGATE_BUILD/crigate" docker-proxy --listen "unix://$PWD/docker.sock" --docker /nowhere --hooks ""
    [[ $output =~ "another program listens on $PWD/docker.sock" ]]
    crash proxy
    start_proxy
    same 'send:GET /_ping HTTP/1.1\r\nConnection: close\r\n\r\n' rest
    stop proxy
    [ ! -e proxy.sock ]
    ln -s proxy.sock other.sock
    run -1 "$CRIGATE_BUILD/crigate" docker-proxy --listen "unix://$PWD/proxy.sock" --docker "unix://$PWD/other.sock" --hooks ""
    [[ $output =~ "are the same socket" && ! -e proxy.sock ]]
}

@test "SIGTERM lets requests under way end, and cuts those that take longer than the grace" {
    node --shutdown-grace 20s
    start stream python3 "$BATS_TEST_DIRNAME/http_talk.py" proxy.sock 'send:GET /follow/40 HTTP/1.1\r\n\r\n' rest
    start idle python3 "$BATS_TEST_DIRNAME/http_talk.py" proxy.sock 'send:GET /_ping HTTP/1.1\r\n\r\n' rest
    eventually 10 grep -q 'line 2' stream.log
    eventually 10 grep -q OK idle.log
    kill -TERM "${PIDS[proxy]}"
    finish idle
    finish stream
    finish proxy
    grep -q 'X-Sum: 7' stream.log
    start_proxy --shutdown-grace 1s
    start endless python3 "$BATS_TEST_DIRNAME/http_talk.py" proxy.sock 'send:GET /follow/100000 HTTP/1.1\r\n\r\n' rest
    eventually 10 grep -q 'line 2' endless.log
    local began=$SECONDS
    stop proxy
    [ $((SECONDS - began)) -lt 10 ]
    finish endless
    grep -q '1 connections still have requests under way' proxy.log
}

@test "wrong options are reported" {
    local option
    for option in '--listen run/x.sock' '--listen unix:///run/' '--docker tcp://127.0.0.1:2375' '--shutdown-grace 5' '--hooks-timeout 0s' \
        '--connections 0' '--connections x' '-v 9' '--log-format xml' 'stray' '--listen unix:///run/docker.sock'; do
        # shellcheck disable=SC2086
        run -64 "$CRIGATE_BUILD/crigate" docker-proxy $option
        [[ $output =~ ^"crigate docker-proxy: " ]]
    done
    run -0 "$CRIGATE_BUILD/crigate" docker-proxy --help
    [[ $output =~ "Usage: crigate docker-proxy" ]]
}
