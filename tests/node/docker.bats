#!/usr/bin/env bats
# Nodes whose kubelet has Docker built in: what takes its place, and what goes wrong with that.

load own_node

# docker_answers: whether somebody listens at Docker's socket. Its file stays when Docker ends, so the file alone says nothing.
docker_answers() {
    inside python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect("/run/docker.sock")'
}

# shim_is_off: whether nothing listens in the place of dockershim.
shim_is_off() {
    ! inside systemctl is-active --quiet crigate-docker && ! inside systemctl is-enabled --quiet crigate-docker
}

@test "cri-dockerd gets the kubelet's options, and sees its pods" {
    take_node docker-1.18
    run -0 crigate install
    has "write the kubelet's options for Docker to /etc/crigate/docker.env ... ok"
    has "enable and start crigate-docker.service, and wait until it answers ... ok"
    has "compare the lists of unix:///var/run/dockershim.sock with those of unix:///run/crigate/crigate.sock ... ok"
    run -0 inside cat /run/cri-dockerd.options
    has "network-plugin=cni"
    has "pod-infra-container-image=k8s.gcr.io/pause:3.2"
    has "container-runtime-endpoint=unix:///run/crigate-docker/cri-dockerd.sock"
    eventually 10 calls_through
    [[ $(last_call) == *"(runtime.v1alpha2): 2 pods, 4 containers" ]]
    run -0 inside grep 'started with' /run/kubelet.log
    [[ ${lines[-1]} == *--container-runtime=remote* && ${lines[-1]} == *--network-plugin=cni* ]]
    run -0 crigate status -o json
    jq -e '.runtimes | length == 1 and .[0].name == "docker" and .[0].dialect == "v1" and
        .[0].endpoint == "unix:///run/crigate-docker/cri-dockerd.sock"' <<<"$output"
    run -0 crigate verify
    has "unit of Docker"
    run -0 crigate uninstall
    as_before
    eventually 10 calls_directly
}

@test "a kubelet without --network-plugin keeps Docker's own network" {
    take_node docker-1.18
    inside sed -i 's/--network-plugin=cni //' "$ENV_FILE"
    restart_kubelet
    note_files
    run -0 crigate install
    run -0 inside grep network-plugin= /run/cri-dockerd.options
    [ "$output" = "network-plugin=" ]
}

@test "the unit is written where no package brought it, and one that is masked is refused" {
    take_node docker-1.22
    inside rm /usr/lib/systemd/system/crigate-docker.service
    inside systemctl daemon-reload
    note_files
    run -0 crigate install
    has "write the unit /etc/systemd/system/crigate-docker.service, and the kubelet's options for Docker to /etc/crigate/docker.env ... ok"
    run -0 crigate verify
    run -0 crigate uninstall
    as_before
    inside systemctl mask crigate-docker
    note_files
    refuses "crigate-docker.service is masked" install
}

@test "kubenet is refused, and so is a node without cri-dockerd" {
    take_node docker-1.22
    inside mv /usr/bin/cri-dockerd /root
    note_files
    refuses "by hand: install the package cri-dockerd" install
    inside mv /root/cri-dockerd /usr/bin
    inside sed -i s/=cni/=kubenet/ "$ENV_FILE"
    restart_kubelet
    note_files
    refuses "kubenet" install
}

@test "pods with host ports are named" {
    take_node docker-1.22
    inside mkdir -p /var/lib/dockershim/sandbox
    printf '{"version":"v1","name":"ingress","namespace":"web","data":{"port_mappings":[{"protocol":"tcp","container_port":80,"host_port":80}]},"checksum":1}' |
        write /var/lib/dockershim/sandbox/0123
    run -1 crigate preflight
    has "these pods have host ports: web/ingress"
    run -0 crigate install
    has "these pods have host ports: web/ingress"
}

@test "a cri-dockerd that does not come up, or sees other pods, is taken out again" {
    take_node docker-1.22
    inside sed -i 's/^OPTIONS/sys.exit("it is broken")\nOPTIONS/' /usr/bin/cri-dockerd
    refuses "crigate-docker.service" install
    inside sed -i '/it is broken/d; s/"--containers", "4"/"--containers", "3"/; s,/var/lib/docker.json,/var/lib/other.json,' /usr/bin/cri-dockerd
    refuses "is only in the list of" install
    shim_is_off
    inside test ! -e /etc/crigate/docker.env
    eventually 20 calls_directly
}

@test "a kubelet that does not come back is led back to its own Docker" {
    take_node docker-1.22
    kubelet_fault exit unix:///run/crigate/crigate.sock
    note_files
    refuses "the node has been restored" install --timeout 8s
    eventually 20 calls_directly
    shim_is_off
}

@test "after a power cut the kubelet calls crigate again, and cri-dockerd is there" {
    take_node docker-1.22
    run -0 crigate install
    "$HERE/node" reboot "$NODE"
    eventually 20 calls_through
    run -0 crigate verify
    has "crigate-docker.service is active and enabled"
    run -0 crigate uninstall
    as_before
}

@test "verify reports a cri-dockerd that is stopped or switched off, and none is started behind its owner's back" {
    take_node docker-1.22
    run -0 crigate install
    inside systemctl disable crigate-docker
    run -1 crigate verify
    has "crigate-docker.service is disabled"
    inside systemctl stop crigate-docker
    run -1 crigate verify --wait 1s
    has "crigate-docker.service, whose socket the runtime map names, is inactive"
    run -2 crigate install
    has "the kubelet's runtime docker at unix:///run/crigate-docker/cri-dockerd.sock does not answer"
    inside systemctl enable --now crigate-docker
    eventually 20 inside crigate verify
    run -0 crigate uninstall
    as_before
}

@test "uninstall is refused where the kubelet could not go back to Docker" {
    take_node docker-1.22
    run -0 crigate install
    inside systemctl stop docker
    run -2 crigate uninstall
    has "Docker does not answer at /var/run/docker.sock"
    inside systemctl start docker
    eventually 10 docker_answers
    echo "version=v1.24.17" | write /etc/kubelet-stand-in
    inside sed -i 's/--network-plugin=cni//' "$ENV_FILE"
    restart_kubelet
    eventually 20 calls_through
    run -2 crigate uninstall
    has "kubelet v1.24.17 no longer has Docker built in"
    calls_through
}

@test "a kubelet that was led back to its own Docker by hand is installed again" {
    take_node docker-1.22
    run -0 crigate install
    inside rm /etc/default/kubelet
    inside systemctl restart kubelet
    eventually 20 calls_directly
    run -1 crigate verify
    run -0 crigate install
    eventually 10 calls_through
    run -0 crigate verify
    run -0 crigate uninstall
    is_off
    eventually 20 calls_directly
}

@test "a bypass is refused before a cri-dockerd that the kubelet does not understand" {
    take_node docker-1.22
    run -0 crigate install
    run -2 crigate bypass on
    has "runtime.v1alpha2"
    calls_through
}

@test "another log driver than json-file is reported" {
    take_node docker-1.22
    inside sed -i 's/json-file/journald/' /usr/bin/dockerd
    inside systemctl restart docker
    eventually 10 docker_answers
    run -1 crigate preflight
    has "Docker's log driver is journald"
}

@test "a map that says docker stays as it is, and all commands know where it leads" {
    take_node cri-dockerd-1.28
    printf 'listen: {address: "unix:///run/crigate/crigate.sock"}\nruntimes: [{name: mobi, endpoint: docker, primary: true}]\n' |
        write /etc/crigate/crigate.yaml
    note_files
    run -1 crigate preflight --runtime docker
    has "cri-dockerd   unix:///run/cri-dockerd.sock"
    run -0 crigate install
    [[ $output != *"runtime map"* ]]
    eventually 10 calls_through
    run -0 crigate verify
    has "are the same at unix:///run/cri-dockerd.sock and through crigate"
    run -0 crigate install
    has "Already installed"
    run crigate preflight
    has "the kubelet's endpoint is crigate's already"
    run crigate bypass on
    [ "$status" -le 1 ]
    [ "$(inside readlink /run/crigate/crigate.sock)" = /run/cri-dockerd.sock ]
    run crigate bypass off
    [ "$status" -le 1 ]
    eventually 10 inside crigate verify
    run -0 crigate uninstall
    as_before
}
