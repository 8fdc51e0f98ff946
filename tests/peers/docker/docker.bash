# Docker Engine and cri-dockerd in the laboratory of the end-to-end tests (tests/e2e/lab.bash). Sourced by `suite` and the bats files.
# shellcheck shell=bash
#
# Docker Engine uses the laboratory's containerd, as it does where both are Debian's. It pulls from the laboratory's registry, whatever
# an image's name says. Its socket and cri-dockerd's are where they usually are: /run is the laboratory's own.

DOCKER_TESTS=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
export DOCKER_HOST=unix:///run/docker.sock DOCKER_CONFIG=$LAB/docker-client

# lab_docker_config: what Docker Engine is told. Its pods get their network from CNI.
lab_docker_config() {
    cat <<EOF
{
  "hosts": ["$DOCKER_HOST"],
  "data-root": "$LAB/docker",
  "exec-root": "$LAB/docker-run",
  "pidfile": "$LAB/docker.pid",
  "deprecated-key-path": "$LAB/docker-key.json",
  "containerd": "$LAB/containerd.sock",
  "cgroup-parent": "$LAB_CGROUP/docker",
  "iptables": false,
  "ip6tables": false,
  "bridge": "none",
  "oom-score-adjust": $(cat /proc/self/oom_score_adj),
  "storage-driver": "overlay2",
  "exec-opts": ["native.cgroupdriver=cgroupfs"],
  "runtimes": {"within-limits": {"path": "$DOCKER_TESTS/runc-within-limits", "runtimeArgs": ["$LAB/specs"]}},
  "default-runtime": "within-limits",
  "registry-mirrors": ["http://127.0.0.1:5000"],
  "insecure-registries": ["registry.k8s.io", "k8s.gcr.io", "gcr.io"]
}
EOF
}

lab_docker_answers() {
    docker version
}

# lab_docker: starts a Docker Engine that lab_start_docker has made before, and cri-dockerd.
lab_docker() {
    lab_daemon dockerd dockerd --config-file "$LAB/docker.json"
    lab_wait 30 lab_docker_answers
}

lab_cri_dockerd() {
    ln -sf /run/cri-dockerd.sock "$LAB/cri-dockerd.sock"
    lab_daemon cri-dockerd cri-dockerd --container-runtime-endpoint unix:///run/cri-dockerd.sock --docker-endpoint "$DOCKER_HOST" \
        --cri-dockerd-root-directory "$LAB/cri-dockerd" --network-plugin cni --cni-bin-dir /usr/lib/cni \
        --cni-conf-dir "$LAB/cri-dockerd/cni" --cni-cache-dir "$LAB/cri-dockerd/cni-cache" \
        --pod-infra-container-image registry.k8s.io/pause:e2e --streaming-bind-addr 127.0.0.1
    lab_wait 30 lab_answers "$LAB/cri-dockerd.sock"
}

# lab_start_docker: makes a Docker Engine and a cri-dockerd with sockets, folders and network of their own, and starts them.
lab_start_docker() {
    # Before it starts, since it does not look there again at once.
    { cat /etc/hosts && echo "127.0.0.1 registry.k8s.io k8s.gcr.io gcr.io"; } >"$LAB/etc-hosts"
    mount --bind "$LAB/etc-hosts" /etc/hosts
    mkdir -p "$LAB/cri-dockerd/cni" "$LAB/specs" "$DOCKER_CONFIG"
    lab_docker_config >"$LAB/docker.json"
    lab_cni_config cri-dockerd crigate2 10.203.0.0/24 >"$LAB/cri-dockerd/cni/10-e2e.conflist"
    lab_docker || return 1
    docker load --quiet --input "$E2E_IMAGES/pause.tar" || return 1
    lab_cri_dockerd
}

# lab_docker_registries: makes the laboratory's registry those of critest's images, too. Docker Engine knows mirrors only of docker.io.
lab_docker_registries() {
    sed 's/:5000/:80/' "$LAB/registry.yaml" >"$LAB/registry-80.yaml"
    lab_daemon registry-80 docker-registry serve "$LAB/registry-80.yaml"
    lab_wait 10 busybox wget -q -O - http://127.0.0.1/v2/
}

# lab_docker_in_map [API]: its entry in the gateway's runtime map.
lab_docker_in_map() {
    printf '  - name: docker\n    endpoint: unix://%s/cri-dockerd.sock\n    primary: true\n    api: %s\n' "$LAB" "${1:-auto}"
}

# docker_process ID: the first process of a container or sandbox, as Docker Engine reports it.
docker_process() {
    docker inspect --format '{{.State.Pid}}' "$1"
}
