#!/usr/bin/env bats
# A real snapshotter's image service, built by tests/peers/build, whose package the kubelet does not ask for. A part of `make test-peers`.

load own_node

@test "the error that users of stargz-snapshotter paste is cured by install" {
    take_node kubeadm-1.31
    write /usr/bin/stargz <"$NODE_BUILD/peers/stargz-0.12/stargz"
    inside chmod 755 /usr/bin/stargz
    printf '[Service]\nExecStartPre=/bin/mkdir -p /run/containerd-stargz-grpc\nExecStart=/usr/bin/stargz /run/containerd-stargz-grpc/containerd-stargz-grpc.sock /run/containerd/containerd.sock\n' |
        write /etc/systemd/system/stargz.service
    inside systemctl daemon-reload
    inside systemctl start stargz
    inside sed -i 's,"$, --image-service-endpoint=unix:///run/containerd-stargz-grpc/containerd-stargz-grpc.sock",' "$ENV_FILE"
    inside systemctl restart kubelet
    eventually 20 inside grep -q "unknown service runtime.v1.ImageService" /run/kubelet.log
    note_files
    run -1 crigate preflight
    has 'without crigate, the kubelet would stop with "unknown service runtime.v1.ImageService"'
    run -0 crigate install
    eventually 20 calls_through
    eventually 20 healthy
    run -0 crigate verify
    run -0 inside crigate status
    has "containerd/images   images    v1alpha2   ready"
    run -2 crigate uninstall
    run -0 crigate uninstall --force
    as_before
}
