# What the tests of crigate docker-proxy share: a stand-in for Docker Engine on docker.sock, and the proxy before it on proxy.sock.
# shellcheck shell=bash

load gateway

# start_docker: starts the stand-in and waits until it takes connections. What comes in is in docker.in/N.in, by connection.
start_docker() {
    mkdir -p docker.in
    start docker python3 "$BATS_TEST_DIRNAME/fake_docker.py" docker.sock docker.in
    eventually 15 talk docker 'send:GET /_ping HTTP/1.0\r\n\r\n' expect:OK
    rm -f docker.in/*.in
}

# start_proxy [OPTION...]: starts the proxy and waits until it takes connections.
start_proxy() {
    local before
    before=$(grep -c 'serves unix' proxy.log 2>/dev/null) || true
    start proxy "$CRIGATE_BUILD/crigate" docker-proxy --listen "unix://$PWD/proxy.sock" --docker "unix://$PWD/docker.sock" \
        --hooks "${HOOKS:-}" -v 3 "$@"
    eventually 15 at_least $((before + 1)) 'serves unix' proxy.log
}

# talk docker|proxy STEP...: see http_talk.py.
talk() {
    python3 "$BATS_TEST_DIRNAME/http_talk.py" "$1.sock" "${@:2}"
}

# callers COUNT: whether that many callers are connected to the proxy, as it knows: beside its listening socket, what has that name.
callers() {
    [ "$(grep -c " $PWD/proxy.sock$" /proc/net/unix)" = $(($1 + 1)) ]
}

# seen: how many bytes the stand-in has got in all.
seen() {
    find docker.in -type f -exec cat {} + | wc -c
}

# same STEP...: what comes back through the proxy is what comes back from the stand-in itself, and so are the bytes that reach it.
same() {
    local direct
    rm -f docker.in/*.in
    talk docker "$@" >direct.out || return 1
    direct=$(find docker.in -type f -exec md5sum {} + | cut -d' ' -f1)
    rm -f docker.in/*.in
    talk proxy "$@" >proxied.out || return 1
    cmp direct.out proxied.out
    [ "$direct" = "$(find docker.in -type f -exec md5sum {} + | cut -d' ' -f1)" ]
}
