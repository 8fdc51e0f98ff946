"""The node's second runtime: CRI-O, or a containerd 2. Its socket, folders and network are its own; its pods outlive it."""

import json

from machine import eventually

SOCKET = "/run/second/second.sock"
HANDLER = "second"
IMAGES = ("pause", "busybox")

CNI = """{"cniVersion": "0.4.0", "name": "second", "plugins": [{"type": "bridge", "bridge": "cni1", "isGateway": true,
  "ipam": {"type": "host-local", "dataDir": "/run/second/ipam", "ranges": [[{"subnet": "10.204.0.0/24"}]],
  "routes": [{"dst": "0.0.0.0/0"}]}}]}
"""
# Under the name of its RuntimeClass.
DROP_IN = f"runtimes:\n- name: second\n  endpoint: unix://{SOCKET}\n  handlers: {{{HANDLER}: runc}}\n"

CRIO = f"""[crio]
root = "/var/lib/containers/storage"
runroot = "/run/second/containers"
storage_driver = "overlay"
log_dir = "/var/log/second"
version_file = "/run/second/version"
clean_shutdown_file = "/var/lib/containers/clean.shutdown"
[crio.api]
listen = "{SOCKET}"
[crio.runtime]
conmon = "/opt/peers/crio-1.36/conmon"
conmon_cgroup = "pod"
cgroup_manager = "cgroupfs"
container_exits_dir = "/run/second/exits"
container_attach_socket_dir = "/run/second/attach"
namespaces_dir = "/run/second/namespaces"
pinns_path = "/opt/peers/crio-1.36/pinns"
default_runtime = "runc"
[crio.runtime.runtimes.runc]
runtime_path = "/usr/local/bin/runc-of-second"
runtime_type = "oci"
runtime_root = "/run/second/runc"
monitor_path = "/opt/peers/crio-1.36/conmon"
monitor_cgroup = "pod"
[crio.image]
pause_image = "registry.k8s.io/pause:e2e"
signature_policy = "/etc/second/policy.json"
[crio.network]
network_dir = "/etc/second/cni"
plugin_dirs = ["/usr/lib/cni"]
[crio.nri]
enable_nri = false
"""
REGISTRIES = """[[registry]]
location = "registry.k8s.io"
[[registry.mirror]]
location = "127.0.0.1:5000"
insecure = true
"""
REGISTRY = """version: 0.1
log: {level: warn}
storage: {filesystem: {rootdirectory: %s}}
http: {addr: "127.0.0.1:5000"}
"""
CONTAINERD = f"""version = 3
root = "/var/lib/containerd-2/root"
state = "/run/second/state"
[grpc]
  address = "{SOCKET}"
[plugins."io.containerd.internal.v1.opt"]
  path = "/var/lib/containerd-2/opt"
[plugins."io.containerd.cri.v1.runtime"]
  restrict_oom_score_adj = true
  [plugins."io.containerd.cri.v1.runtime".cni]
    bin_dirs = ["/usr/lib/cni"]
    conf_dir = "/etc/second/cni"
[plugins."io.containerd.cri.v1.images".pinned_images]
  sandbox = "registry.k8s.io/pause:e2e"
"""
# A kubelet limits huge pages, and CRI-O passes that on where there is no cgroup for them.
RUNC = """#!/bin/sh
bundle=. last=
for argument; do
    case $last in --bundle | -b) bundle=$argument ;; esac
    last=$argument
done
if [ -e "$bundle/config.json" ] && ! grep -qw hugetlb /proc/self/cgroup; then
    without=$(jq -c 'del(.linux.resources.hugepageLimits)' "$bundle/config.json")
    printf '%s\\n' "$without" >"$bundle/config.json"
fi
exec /usr/local/bin/runc-within-limits /run/second/specs "$@"
"""
UNIT = """[Service]
ExecStart=%s
Environment=HOME=/etc/second PATH=%s:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
StandardOutput=append:/var/log/second.log
StandardError=append:/var/log/second.log
Delegate=yes
# The pods go on without it.
KillMode=process
"""


class Second:
    """`kind`: crio or containerd."""

    PEERS = {"crio": "crio-1.36", "containerd": "containerd-2.4"}

    def __init__(self, machine, kind):
        self.machine, self.kind = machine, kind

    def start(self):
        machine = self.machine
        machine.run("mkdir", "-p", "/run/second/specs", "/run/second/namespaces", "/var/log/second")
        machine.write("/etc/second/cni/10-second.conflist", CNI)
        command = self._crio() if self.kind == "crio" else self._containerd()
        machine.write("/etc/systemd/system/second.service", UNIT % (command, f"/opt/peers/{self.PEERS[self.kind]}"))
        machine.run("systemctl", "daemon-reload")
        self.restart()
        self._import()

    def restart(self):
        self.machine.run("systemctl", "start", "second")
        eventually(60, self.answers, lambda: self.machine.run("tail", "-n", "5", "/var/log/second.log", check=False).stdout)

    def kill(self):
        self.machine.run("systemctl", "kill", "--kill-who=main", "--signal=KILL", "second")
        eventually(20, lambda: not self.answers(), "the second runtime still answers")

    def call(self, method, request="{}", check=True):
        return call(self.machine, SOCKET, method, request, check=check)

    def answers(self):
        return self.call("Version", check=False) is not None

    def _crio(self):
        machine = self.machine
        machine.write("/etc/second/crio.conf", CRIO)
        machine.write("/etc/second/registries.conf", REGISTRIES)
        machine.write("/etc/second/policy.json", '{"default": [{"type": "insecureAcceptAnything"}]}')
        machine.write("/usr/local/bin/runc-of-second", RUNC, 0o755)
        machine.run("mkdir", "-p", "/etc/second/conf.d")
        return ("/opt/peers/crio-1.36/crio --config /etc/second/crio.conf --config-dir /etc/second/conf.d"
                " --registries-conf /etc/second/registries.conf")

    def _containerd(self):
        self.machine.write("/etc/second/containerd.toml", CONTAINERD)
        return "/opt/peers/containerd-2.4/containerd --config /etc/second/containerd.toml"

    def _import(self):
        images = self.machine.build / "e2e/images"
        if self.kind == "containerd":
            for image in IMAGES:
                self.machine.run("ctr", "--address", SOCKET, "--namespace", "k8s.io", "images", "import", "-",
                                 input=(images / f"{image}.tar").read_bytes())
            return
        folder = self.machine.folder.parent
        (folder / "registry.yaml").write_text(REGISTRY % (folder / "registry"), encoding="utf-8")
        self.machine.start_in_network("docker-registry", "serve", folder / "registry.yaml")
        eventually(30, self._registry_serves, "the registry does not serve")
        for image in IMAGES:
            self.machine.run_in_network("skopeo", "copy", "--quiet", "--insecure-policy", "--dest-tls-verify=false",
                                        f"docker-archive:{images}/{image}.tar", f"docker://127.0.0.1:5000/{image}:e2e")
            self.call("PullImage", json.dumps({"image": {"image": f"registry.k8s.io/{image}:e2e"}}))

    def _registry_serves(self):
        return self.machine.run("bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/5000", check=False).returncode == 0


def call(machine, socket, method, request="{}", check=True):
    """What a runtime answers to a call of CRI; None if it fails and `check` is not set."""
    done = machine.run("crigate", "call", "--endpoint", f"unix://{socket}", "--compact", method, request, check=check)
    return json.loads(done.stdout or "{}") if done.returncode == 0 else None
