"""The runtimes of the matrix, each at its usual socket: what they are told, how they start, and what one of them can be replaced by."""
import json
import os
import pathlib
import stat

import machine

PAUSE = "registry.k8s.io/pause:e2e"
REGISTRIES = ["docker.io", "registry.k8s.io", "k8s.gcr.io", "gcr.io"]

CONTAINERD = """version = {version}
root = "{root}"
state = "{state}"
[grpc]
  address = "{socket}"
[plugins."io.containerd.internal.v1.opt"]
  path = "{root}/opt"
"""
CONTAINERD_1 = """[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{pause}"
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "{cni}"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "/etc/containerd/certs.d"
"""
CONTAINERD_2 = """[plugins."io.containerd.cri.v1.runtime"]
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  [plugins."io.containerd.cri.v1.runtime".cni]
    bin_dirs = ["/usr/lib/cni"]
    conf_dir = "{cni}"
[plugins."io.containerd.cri.v1.images".pinned_images]
  sandbox = "{pause}"
[plugins."io.containerd.cri.v1.images".registry]
  config_path = "/etc/containerd/certs.d"
"""
HOSTS = """server = "http://127.0.0.1:5000"
[host."http://127.0.0.1:5000"]
  capabilities = ["pull", "resolve"]
"""
CRIO_CONFIG = """[crio]
root = "/var/lib/containers/storage"
runroot = "/run/containers/storage"
storage_driver = "overlay"
log_dir = "/var/log/crio/pods"
version_file = "/run/crio/version"
clean_shutdown_file = "/var/lib/crio/clean.shutdown"
[crio.api]
listen = "{socket}"
[crio.runtime]
conmon = "{conmon}"
conmon_cgroup = "pod"
cgroup_manager = "cgroupfs"
namespaces_dir = "/run/crio/namespaces"
container_exits_dir = "/run/crio/exits"
container_attach_socket_dir = "/run/crio/attach"
pinns_path = "{pinns}"
default_runtime = "runc"
# CRI-O does not survive a pod with ports where no nft is; CNI's portmap does it.
disable_hostport_mapping = true
[crio.runtime.runtimes.runc]
runtime_path = "{runc}"
runtime_type = "oci"
runtime_root = "/run/runc"
monitor_path = "{conmon}"
monitor_cgroup = "pod"
[crio.image]
pause_image = "{pause}"
signature_policy = "/etc/containers/policy.json"
[crio.network]
network_dir = "{cni}"
plugin_dirs = ["/usr/lib/cni"]
[crio.nri]
enable_nri = false
"""


def write(path, text, mode=None):
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    if mode:
        path.chmod(mode)
    return path


def cni(folder, bridge, subnet):
    """A network of its own for the pods of one runtime."""
    plugins = [{"type": "bridge", "bridge": bridge, "isGateway": True, "ipMasq": True,
                "ipam": {"type": "host-local", "dataDir": f"/var/lib/cni/{bridge}", "ranges": [[{"subnet": subnet}]], "routes": [{"dst": "0.0.0.0/0"}]}},
               {"type": "portmap", "capabilities": {"portMappings": True}}]
    write(f"{folder}/10-matrix.conflist", json.dumps({"cniVersion": "0.4.0", "name": f"matrix-{bridge}", "plugins": plugins}, indent=2))


def runc_within_limits(repository, path):
    """A runc for a machine on which root has not all capabilities. What it is told is kept in the folder /run/specs."""
    os.makedirs("/run/specs", exist_ok=True)
    wrapper = repository / "tests/peers/docker/runc-within-limits"
    write(path, f'#!/bin/sh\nexec "{wrapper}" /run/specs "$@"\n', 0o755)


class Runtime:
    """What the kubelet's side of a runtime is: a socket; and daemons, the last of which speaks CRI."""

    def __init__(self, name, peers, repository, logs, place=0):
        self.name, self.peers, self.repository, self.logs, self.place = name, peers, repository, logs, place
        self.version = name.rpartition("-")[2]
        self.daemons = []

    def network(self):
        folder = f"/etc/cni/{self.name}" if self.place else "/etc/cni/net.d"
        cni(folder, f"cni{self.place}", f"10.20{self.place}.0.0/24")
        return folder

    def program(self, name):
        own = self.peers / self.name / name
        return own if own.exists() else pathlib.Path("/usr/bin") / name

    def start(self):
        for daemon in self.daemons:
            daemon.start()
            if not machine.eventually(40, self.answers, daemon):
                return False
        return True

    def answers(self, daemon):
        path = self.socket_of(daemon)
        return os.path.exists(path) and stat.S_ISSOCK(os.stat(path).st_mode) and daemon.runs()

    def socket_of(self, _daemon):
        return self.socket

    @property
    def speaker(self):
        """The daemon that speaks CRI."""
        return self.daemons[-1]

    def successor(self):
        """Another version that takes over what this one holds."""
        return None


class Containerd(Runtime):
    SUCCESSORS = {"containerd-1.6": "containerd-1.7", "containerd-1.7": "containerd-2.4"}

    def prepare(self):
        # At its usual socket, where cAdvisor looks for it, unless another containerd is there.
        second = f"-{self.name}" if list(pathlib.Path("/etc/containerd").glob("*.toml")) else ""
        self.socket = f"/run/containerd{second}/containerd.sock"
        values = {"root": f"/var/lib/containerd/{self.name}" if second else "/var/lib/containerd", "state": f"/run/containerd{second}",
                  "socket": self.socket, "pause": PAUSE, "cni": self.network(), "version": 3 if self.version.startswith("2") else 2}
        self.lay(values)
        return self

    def lay(self, values):
        self.values = values
        for registry in REGISTRIES:
            write(f"/etc/containerd/certs.d/{registry}/hosts.toml", HOSTS)
        file = write(f"/etc/containerd/{self.name}.toml", (CONTAINERD + (CONTAINERD_2 if values["version"] == 3 else CONTAINERD_1)).format(**values))
        program = self.program("containerd")
        self.daemons = [machine.Daemon(self.name, [program, "--config", file], self.logs, {"PATH": f"{program.parent}:{os.environ['PATH']}"})]

    def successor(self):
        name = self.SUCCESSORS.get(self.name)
        if not name or not (self.peers / name / "containerd").exists():
            return None
        new = Containerd(name, self.peers, self.repository, self.logs, self.place)
        new.socket = self.socket
        new.lay({**self.values, "version": 3 if new.version.startswith("2") else 2})
        return new


class CRIO(Runtime):
    """CRI-O, whose stores are where they usually are."""

    def prepare(self):
        self.socket = "/run/crio/crio.sock"
        runc_within_limits(self.repository, "/run/runc-within-limits")
        os.makedirs("/run/crio/namespaces", exist_ok=True)
        os.makedirs("/var/lib/crio", exist_ok=True)
        file = write("/etc/crio/crio.conf", CRIO_CONFIG.format(socket=self.socket, conmon=self.program("conmon"), pinns=self.program("pinns"),
                                                        runc="/run/runc-within-limits", pause=PAUSE, cni=self.network()))
        os.makedirs("/etc/crio/conf.d", exist_ok=True)
        write("/etc/containers/policy.json", '{"default": [{"type": "insecureAcceptAnything"}]}\n')
        mirrors = "".join(f'[[registry]]\nlocation = "{name}"\n[[registry.mirror]]\nlocation = "127.0.0.1:5000"\ninsecure = true\n' for name in REGISTRIES)
        write("/etc/containers/registries.conf", mirrors)
        write("/run/home/.config/containers/registries.conf", mirrors)
        self.daemons = [machine.Daemon(self.name, [self.program("crio"), "--config", file, "--config-dir", "/etc/crio/conf.d", "--registries-conf",
                                                   "/etc/containers/registries.conf"], self.logs, {"HOME": "/run/home"})]
        return self


class Dockerd(Runtime):
    """Debian's Docker Engine on Debian's containerd, and cri-dockerd."""

    def prepare(self):
        self.socket = "/run/cri-dockerd.sock"
        runc_within_limits(self.repository, "/run/runc-within-limits")
        folder = self.network()
        below = Containerd("containerd-1.6", self.peers, self.repository, self.logs).prepare()
        self.below = below.socket
        docker = self.peers / "docker"
        config = write("/etc/docker/daemon.json", json.dumps({
            "hosts": ["unix:///run/docker.sock"], "containerd": below.socket, "iptables": False, "ip6tables": False, "bridge": "none",
            "oom-score-adjust": 0, "storage-driver": "overlay2", "exec-opts": ["native.cgroupdriver=cgroupfs"],
            "runtimes": {"within-limits": {"path": "/run/runc-within-limits"}}, "default-runtime": "within-limits",
            "registry-mirrors": ["http://127.0.0.1:5000"], "insecure-registries": REGISTRIES[1:]}))
        path = {"PATH": f"{docker}:{os.environ['PATH']}"}
        self.daemons = below.daemons + [
            machine.Daemon("dockerd", [docker / "dockerd", "--config-file", config, "--pidfile", "/run/docker.pid"], self.logs, path),
            machine.Daemon("cri-dockerd", [self.peers / "cri-dockerd/cri-dockerd", "--container-runtime-endpoint", f"unix://{self.socket}",
                                           "--docker-endpoint", "unix:///run/docker.sock", "--network-plugin", "cni", "--cni-bin-dir", "/usr/lib/cni",
                                           "--cni-conf-dir", folder, "--pod-infra-container-image", PAUSE, "--streaming-bind-addr", "127.0.0.1"],
                           self.logs, path)]
        return self

    def socket_of(self, daemon):
        return {"dockerd": "/run/docker.sock", "cri-dockerd": self.socket}.get(daemon.name, self.below)


KINDS = {"containerd": Containerd, "crio": CRIO, "cri": Dockerd}


def make(name, peers, repository, logs, place=0):
    return KINDS[name.partition("-")[0]](name, peers, repository, logs, place).prepare()
