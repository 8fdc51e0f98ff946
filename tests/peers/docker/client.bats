#!/usr/bin/env bats
# The real docker client cannot tell crigate docker-proxy from Docker Engine: what it does and prints through the proxy is what it does and prints without.

setup_file() {
    load_all
    mkdir -p -m 755 "$LAB/no-plugins"
    lab_daemon docker-proxy "$E2E_BUILD/crigate" docker-proxy --listen "unix://$LAB/docker-proxy.sock" --docker "$DOCKER_HOST" \
        --hooks "$LAB/no-plugins" -v 4
    lab_wait 10 env DOCKER_HOST="unix://$LAB/docker-proxy.sock" docker version
    docker pull --quiet "$BUSYBOX"
}

setup() {
    load_all
}

teardown_file() {
    load_all
    docker ps --all --quiet | xargs --no-run-if-empty docker rm --force
    lab_stop docker-proxy
}

load_all() {
    load ../../e2e/terminal.bash
    load docker.bash
}

# What differs between two runs of one command: ids, times, what a terminal echoes at the end of its input, and a complaint that the client forgets now and then, with a proxy or without.
alike() {
    sed -E 's/\^@//g; s/[0-9a-f]{64}/ID/g; s/\b[0-9a-f]{12}\b/SHORT/g; s/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[+-][0-9:]+)/TIME/g' |
        grep -v "error waiting for container: context canceled" || true
}

# same SCRIPT: runs it without the proxy and through it, each in a folder of its own. What it prints, and its exit status, must be the same.
# Prints that.
same() {
    local way
    for way in direct proxied; do
        mkdir "$BATS_TEST_TMPDIR/$way"
        (
            cd "$BATS_TEST_TMPDIR/$way"
            [ "$way" = direct ] || export DOCKER_HOST=unix://$LAB/docker-proxy.sock
            timeout 120 bash -u -c "$1" >out 2>err || echo "status $?" >>out
            alike <out >"../$way.out"
            alike <err >"../$way.err"
        )
    done
    diff "$BATS_TEST_TMPDIR/direct.out" "$BATS_TEST_TMPDIR/proxied.out" || return
    diff "$BATS_TEST_TMPDIR/direct.err" "$BATS_TEST_TMPDIR/proxied.err" || return
    cat "$BATS_TEST_TMPDIR/proxied.out" "$BATS_TEST_TMPDIR/proxied.err"
}

export BUSYBOX
# A container that waits: `docker run $WAITS NAME ...` is too long to be repeated.
export WAITS="--detach --init=false --network none --name"

# Docker Engine lists images that were made at the same time, as those of the tests, in any order.
@test "version, info, images, ps, inspect" {
    run -0 same 'docker version; docker info | grep -v "System Time\|File Descriptors\|Goroutines\|Runtimes" | sort; docker images | sort; docker ps --all
        docker inspect $BUSYBOX registry.k8s.io/pause:e2e; docker image history $BUSYBOX; docker network ls; docker volume ls'
    [[ $output == *"Server Version: 20.10"* ]]
}

@test "the head of an answer, as it is on the wire" {
    for way in docker docker-proxy; do
        socket=$LAB/$way.sock
        [ "$way" = docker-proxy ] || socket=/run/docker.sock
        printf 'GET /_ping HTTP/1.1\r\nHost: docker\r\nConnection: close\r\n\r\n' | socat -t 5 - "UNIX-CONNECT:$socket" | sed '/^Date:/d' >"$BATS_TEST_TMPDIR/$way"
    done
    diff "$BATS_TEST_TMPDIR/docker" "$BATS_TEST_TMPDIR/docker-proxy"
    grep -q "Api-Version: 1.41" "$BATS_TEST_TMPDIR/docker-proxy"
}

@test "run: both streams, and the exit status" {
    run -0 same 'docker run --rm --network none $BUSYBOX sh -c "echo out; echo err >&2; exit 3"'
    [ "$output" = $'out\nstatus 3\nerr' ]
}

@test "run -i: standard input to its end, a good deal of it, and back" {
    run -0 same 'head -c 20000000 /dev/zero | tr "\0" x | docker run --rm -i --network none $BUSYBOX sh -c "cat; echo end" | sha256sum; echo "${PIPESTATUS[*]}"'
    [[ $output == *"0 0 0 0" ]]
    [ "$(sha256sum < <(head -c 20000000 /dev/zero | tr '\0' x; echo end))" = "$(head -n 1 "$BATS_TEST_TMPDIR/direct/out")" ]
}

@test "exec: a terminal, standard input, the exit status" {
    run -0 same 'docker run $WAITS exec $BUSYBOX sleep 1000 >/dev/null
        script --quiet --return --command "docker exec -it exec sh -c \"tty; exit 5\"" /dev/null; echo $?
        seq 1 1000 | docker exec -i exec wc -l
        docker exec exec sh -c "echo out; echo err >&2; exit 4"; echo $?
        docker exec exec nothing; echo $?
        docker rm --force exec'
    [[ $output == *"/dev/pts/0"*$'\n5\n1000\nout\n4\n'* ]]
}

@test "exec -it: what is typed gets there, one line after the other" {
    run -0 same 'docker run $WAITS typed $BUSYBOX sleep 1000 >/dev/null
        { sleep 0.5; echo "echo first \$((1 + 1))"; sleep 0.5; echo exit; } |
            script --quiet --return --command "docker exec -it typed sh" /dev/null | grep -a "^first"
        docker rm --force typed'
    [[ $output == "first 2"* ]]
}

@test "attach: to a shell that reads" {
    run -0 same 'docker run --interactive $WAITS attached $BUSYBOX sh >/dev/null
        { echo "echo I am \$\$; echo oops >&2"; sleep 1; echo exit 6; } | docker attach attached; echo $?
        docker wait attached; docker rm attached'
    [[ $output == "I am 1"$'\n'* && $output == *oops* ]]
}

@test "logs, logs -f until the container ends, and logs -f that is given up" {
    run -0 same 'docker run $WAITS logged $BUSYBOX sh -c "for word in one two three; do echo \$word; echo \$word again >&2; sleep 0.3; done" >/dev/null
        docker logs --follow logged 2>/dev/null
        docker logs --timestamps logged 2>&1 >/dev/null
        docker logs --tail 2 logged 2>&1 | sort
        docker rm logged
        docker run $WAITS endless $BUSYBOX sh -c "echo begin; sleep 1000" >/dev/null
        timeout 8 docker logs --follow endless; echo $?
        docker rm --force endless'
    [[ $output == $'one\ntwo\nthree\n'* && $output == *"TIME three again"* && $output == *$'begin\n124'* ]]
}

@test "cp: a file and a tree, there and back" {
    run -0 same 'mkdir -p tree/below; head -c 3000000 /dev/urandom >tree/below/file; ln -s below/file tree/link
        docker create --name copied $BUSYBOX true >/dev/null
        docker cp tree copied:/root/; docker cp copied:/root/tree back; cmp tree/below/file back/below/file && readlink back/link
        tar -c -C tree . | docker cp - copied:/tmp; docker cp copied:/tmp/below/file - | tar -x -O | cmp - tree/below/file && echo streamed
        docker cp copied:/nothing .; echo $?; docker rm copied'
    [[ $output == *$'below/file\nstreamed\n1\ncopied'* ]]
}

@test "build: with the builder of Docker Engine" {
    run -0 same 'mkdir context; head -c 5000000 /dev/zero >context/big; echo hello >context/file
        printf "FROM %s\nCOPY file big /root/\nRUN wc -c /root/big >/root/count\nCMD cat /root/file /root/count\n" $BUSYBOX >context/Dockerfile
        DOCKER_BUILDKIT=0 docker build --no-cache --network none --tag built context; docker run --rm --network none built; docker rmi built >/dev/null
        printf "FROM %s\nRUN exit 9\n" $BUSYBOX | DOCKER_BUILDKIT=0 docker build --no-cache --network none -; echo $?'
    [[ $output == *$'hello\n5000000 /root/big'* && $output == *"returned a non-zero code: 9"* ]]
}

@test "build: with BuildKit, which upgrades connections and has two at once" {
    run -0 same 'mkdir context; head -c 5000000 /dev/urandom >context/big; sha256sum <context/big >sum
        printf "FROM %s\nCOPY big /root/\nCMD sha256sum /root/big\n" $BUSYBOX >context/Dockerfile
        DOCKER_BUILDKIT=1 docker build --no-cache --network none --quiet --tag kit context
        [ "$(docker run --rm --network none kit | cut -c 1-64)" = "$(cut -c 1-64 sum)" ] && echo the same; docker rmi kit >/dev/null'
    [[ $output == *"the same"* ]]
}

@test "events: as they happen, and of the past" {
    # A watcher that begins late gets what came before it, too.
    run -0 same 'since=$(date +%s.%N)
        docker events --since "$since" --filter type=container --filter container=seen \
            --format "{{.Action}} {{.Actor.Attributes.name}}" >live & watcher=$!
        sleep 0.5
        docker run $WAITS seen $BUSYBOX sleep 1000 >/dev/null; docker kill seen; docker wait seen; docker rm seen
        until grep -q destroy live; do sleep 0.1; done; kill $watcher; cat live
        docker events --since "$since" --until "$(date +%s.%N)" --filter container=seen --format "{{.Type}} {{.Action}}"'
    [[ $output == *$'create seen\n'*$'start seen\n'*$'die seen\n'*$'destroy seen\n'*"container destroy"* ]]
}

@test "update, pause, stop, wait, start, restart, rename, top, diff, rm" {
    run -0 same 'docker run $WAITS changed $BUSYBOX sh -c "trap \"exit 7\" TERM; touch /root/new; while :; do sleep 0.1; done" >/dev/null
        docker update --cpu-shares 333 --memory 64m --memory-swap 64m changed
        docker inspect --format "{{.HostConfig.CpuShares}} {{.HostConfig.Memory}}" changed
        docker exec changed cat /sys/fs/cgroup/cpu/cpu.shares /sys/fs/cgroup/cpu.weight 2>/dev/null
        docker pause changed; docker ps --format "{{.Names}} {{.Status}}" | sed -nE "s/^(changed) Up .*(\(Paused\))/\1 \2/p"; docker unpause changed
        until docker diff changed | grep new; do sleep 0.1; done; docker top changed -o comm | sort -u | grep -v sleep
        docker stop changed; docker wait changed; docker start changed; docker restart --time 5 changed
        docker rename changed other; docker rm other; docker rm --force other; docker rm --force other; echo $?'
    [[ $output == *"333 67108864"* && $output == *$'\n7\n'* && $output == *"You cannot remove a running container"* ]]
}

@test "pull, push, tag, save, load, rmi" {
    run -0 same 'docker tag $BUSYBOX 127.0.0.1:5000/pushed:e2e; docker push 127.0.0.1:5000/pushed:e2e | grep -v "Pushed\|already exists"
        docker rmi 127.0.0.1:5000/pushed:e2e; docker pull 127.0.0.1:5000/pushed:e2e; docker rmi 127.0.0.1:5000/pushed:e2e >/dev/null
        docker save $BUSYBOX | sha256sum >sum; cat sum; cut -c 1-32 sum
        docker save registry.k8s.io/pause:e2e | docker load
        docker pull 127.0.0.1:5000/nothing; echo $?'
    [[ $output == *"Loaded image: registry.k8s.io/pause:e2e"* ]]
}

@test "mistakes are reported in Docker Engine's words" {
    run -0 same 'docker inspect nothing; docker start nothing; docker logs nothing; docker exec nothing true; docker run --name "a b" $BUSYBOX; docker stop nothing
        docker run --rm --network none $BUSYBOX nothing; echo $?; docker run --rm --network nothing $BUSYBOX true; echo $?; docker ps --filter nothing=x'
    [[ $output == *"No such object: nothing"* && $output == *127* ]]
}

@test "many at once" {
    run -0 same 'docker run $WAITS many $BUSYBOX sleep 1000 >/dev/null
        for i in $(seq 1 30); do docker exec many echo $i & done | sort -n | tr "\n" " "; wait; docker rm --force many'
    [[ $output == "1 2 3 "*" 30 "* ]]
}
