"""The pairs of the matrix, and which of their peers are built."""
import json
import pathlib

KUBELETS = ["1.37", "1.29", "1.25", "1.22"]
# Each with one runtime that serves what they call, and one that does not.
OLDER_KUBELETS = ["1.20", "1.18", "1.12", "1.9"]
# The first that takes a streaming URL without a scheme for TLS, with the runtime that answers such URLs. 1.37 does so with every runtime.
KUBELET_OF_STREAMS, RUNTIME_OF_STREAMS = "1.36", "cri-dockerd"
RUNTIMES = ["containerd-1.6", "containerd-1.7", "containerd-2.4", "crio-1.36", "crio-1.23", "cri-dockerd"]
RUNTIMES_OF_OLDER = ["containerd-1.6", "containerd-2.4"]
# Debian's own.
INSTALLED = {"containerd-1.6": "/usr/bin/containerd"}


def all_pairs():
    """As KUBELET RUNTIME; tools stands for crictl, critest and callers of each package."""
    return ([f"kubelet-{kubelet} {runtime}" for kubelet in KUBELETS for runtime in RUNTIMES] +
            [f"kubelet-{KUBELET_OF_STREAMS} {RUNTIME_OF_STREAMS}"] +
            [f"kubelet-{kubelet} {runtime}" for kubelet in OLDER_KUBELETS for runtime in RUNTIMES_OF_OLDER] +
            [f"tools {runtime}" for runtime in RUNTIMES])


def peers_of(pair):
    first, runtime = pair.split()
    return (["crictl", "critest"] if first == "tools" else [first, "stream-client"]) + [runtime] + (["docker"] if runtime == "cri-dockerd" else [])


def built(peers, name):
    """None if a peer is there, or else why it is not."""
    if name in INSTALLED:
        return None if pathlib.Path(INSTALLED[name]).exists() else f"{INSTALLED[name]} is not installed"
    file = pathlib.Path(peers) / name / "build.json"
    if not file.exists():
        return "it is not built"
    error = json.loads(file.read_text()).get("error")
    return f"it could not be built: {error}" if error else None


def missing(peers, pair):
    """What a pair lacks: {PEER: WHY}."""
    return {name: reason for name in peers_of(pair) if (reason := built(peers, name))}
