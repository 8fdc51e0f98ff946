#!/usr/bin/env bats
# The stand-in for the kubelet ends where a kubelet of its release would, and takes settings from where that takes them.

load node

setup_file() {
    load node
    boot kubeadm-1.31
    inside systemctl stop kubelet
}

setup() {
    set +T # see eventually.bash
    NODE=$BATS_FILE_TMPDIR/node
    describe kubeadm-1.31
}

teardown_file() {
    load node
    NODE=$BATS_FILE_TMPDIR/node
    halt
}

# kubelet VERSION ARGUMENT...: starts one, and ends it when its calls are answered.
kubelet() {
    echo "version=$1" | write /etc/kubelet-stand-in
    inside bash -c 'exec 9< <(exec kubelet --healthz-port=0 "$@" 2>&1) && sed "/calls answered/q" <&9; kill $!; wait $!' "" "${@:2}" 2>&1
}

# ends MESSAGE VERSION ARGUMENT...: it ends by itself, with a message.
ends() {
    run kubelet "${@:2}"
    [ "$status" = 1 ]
    has "$1"
}

# stays MESSAGE VERSION ARGUMENT...: its calls are answered.
stays() {
    run kubelet "${@:2}"
    [ "$status" = 143 ]
    has "$1"
}

# runtime DIALECTS: has the runtime speak these.
runtime() {
    inside sed -i "s/--api [^ ]*/--api $1/" /usr/lib/systemd/system/containerd.service
    inside systemctl daemon-reload
    inside systemctl restart containerd
    eventually 10 inside test -S "$socket"
}

AT=--container-runtime-endpoint=unix:///run/containerd/containerd.sock

@test "a flag that is gone, or not there yet, ends it" {
    ends "unknown flag: --container-runtime" v1.27.0 --container-runtime=remote $AT
    stays "calls answered" v1.26.0 --container-runtime=remote $AT
    ends "unknown flag: --pod-infra-container-image" v1.35.0 --pod-infra-container-image=a $AT
    stays "calls answered" v1.34.0 --pod-infra-container-image=a $AT
    ends "unknown flag: --config-dir" v1.27.0 --config-dir=/etc $AT
    ends "KUBELET_CONFIG_DROPIN_DIR_ALPHA" v1.29.0 --config-dir=/etc $AT
    ends "unknown command remote" v1.31.0 remote $AT
}

@test "up to 1.23 an endpoint needs --container-runtime=remote" {
    ends "docker" v1.22.0 $AT
    ends "unsupported CRI runtime" v1.25.0 --container-runtime=docker $AT
}

@test "the endpoint in a configuration file counts from 1.27 on; a flag wins, an empty value is none" {
    printf 'kind: KubeletConfiguration\napiVersion: kubelet.config.k8s.io/v1beta1\ncontainerRuntimeEndpoint: unix:///run/other.sock\n' |
        write /etc/k.yaml
    ends 'endpoint "unix:///run/other.sock"' v1.27.0 --config=/etc/k.yaml
    stays 'unknown field "containerRuntimeEndpoint"' v1.26.0 --config=/etc/k.yaml $AT
    stays "containerd.sock (flag)" v1.27.0 --config=/etc/k.yaml $AT
    inside sed -i 's/unix.*/""/' /etc/k.yaml
    stays "containerd.sock (default)" v1.27.0 --config=/etc/k.yaml
    echo 'not: [closed' | write /etc/k.yaml
    ends "/etc/k.yaml" v1.31.0 --config=/etc/k.yaml $AT
}

@test "it calls with the package of its release, and ends where the runtime lacks that" {
    runtime v1
    ends "unknown service runtime.v1alpha2.RuntimeService" v1.22.0 --container-runtime=remote $AT
    ends "unknown service runtime.RuntimeService" v1.9.0 --container-runtime=remote $AT
    stays "sock (runtime.v1)" v1.23.0 --container-runtime=remote $AT
    runtime v1alpha2
    stays "(runtime.v1alpha2)" v1.25.0 $AT
    ends "unknown service runtime.v1.RuntimeService" v1.26.0 $AT
}

@test "without its runtime it ends" {
    inside systemctl stop containerd
    ends "validate service connection" v1.31.0 $AT
}

@test "/healthz is well while calls are answered" {
    runtime v1
    echo "version=v1.31.4" | write /etc/kubelet-stand-in
    inside systemctl start kubelet
    eventually 10 healthy
    inside systemctl stop kubelet
    printf 'version=v1.31.4\nfault=sick\n' | write /etc/kubelet-stand-in
    inside truncate -s 0 /run/kubelet.log
    inside systemctl start kubelet
    eventually 10 calls_directly
    run ! healthy
}
