"""The node of one side of a pair: mounts, cgroups, a network and processes of its own. Used inside the namespaces that `run` makes.

What a node's programs expect at their usual places is there: /run, /etc, /var and /opt are the side's own, so a kubelet, its runtime and cAdvisor
find each other as on a real node, and nothing of this machine's own is touched.
"""
import os
import pathlib
import signal
import subprocess
import time

CONTROLLERS = ["cpu", "cpuacct", "cpuset", "memory", "devices", "freezer", "blkio", "pids", "systemd"]
# Settings of the kernel that a kubelet wants to write: files in their place.
SETTINGS = ["vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops", "kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes"]
# On the disk itself: an overlay cannot hold the layers of images.
ON_DISK = ["/var/lib/containerd", "/var/lib/containers", "/var/lib/docker", "/var/lib/kubelet"]
ADDRESS = "192.0.2.1"
HOSTNAME = "node-1"


def command(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, text=True, capture_output=True, **options).stdout


def eventually(seconds, question, *arguments, pause=0.3):
    """The first true answer of the question, or its last answer when the time is up. An error of the network or of a command is no answer."""
    end = time.monotonic() + seconds
    while True:
        try:
            answer = question(*arguments)
        except (OSError, subprocess.SubprocessError, ValueError, KeyError):
            answer = None
        if answer or time.monotonic() > end:
            return answer
        time.sleep(pause)


def own_mounts(folder):
    folder = pathlib.Path(folder)
    command("mount", "--make-rprivate", "/")
    for name in ["etc", "var", "opt"]:
        upper, work = folder / "layers" / name, folder / "work" / name
        upper.mkdir(parents=True)
        work.mkdir(parents=True)
        command("mount", "-t", "overlay", "-o", f"lowerdir=/{name},upperdir={upper},workdir={work}", "overlay", f"/{name}")
    for path in ON_DISK:
        (folder / "disk" / path[1:]).mkdir(parents=True)
        os.makedirs(path, exist_ok=True)
        command("mount", "--bind", folder / "disk" / path[1:], path)
    command("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", "/run")
    os.makedirs("/run/lock")
    command("mount", "--make-rshared", "/")


def forget_this_machine():
    """Its settings for what the pair brings."""
    for name in ["cni", "containerd", "containers", "crio", "crigate", "docker", "kubernetes"]:
        command("rm", "-rf", f"/etc/{name}")
    for name in ["kubernetes/manifests", "containerd", "containers", "crio", "crigate", "docker", "cni/net.d"]:
        os.makedirs(f"/etc/{name}")
    for path in ["/var/log/pods", "/var/log/containers", "/var/lib/cni"]:
        command("rm", "-rf", path)
        os.makedirs(path)
    pathlib.Path("/etc/resolv.conf").unlink(missing_ok=True)
    pathlib.Path("/etc/resolv.conf").write_text("nameserver 192.0.2.254\n")
    # Docker Engine knows mirrors of docker.io only; other registries' names lead to the one of this node.
    pathlib.Path("/etc/hosts").write_text(f"127.0.0.1 localhost registry.k8s.io k8s.gcr.io gcr.io\n{ADDRESS} {HOSTNAME}\n")


def own_cgroups(name):
    """The side's cgroups, which are the root of its cgroup namespace, in the place of the machine's."""
    new = pathlib.Path("/run/cgroup")
    new.mkdir()
    command("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", new)
    for controller in CONTROLLERS:
        (new / controller).mkdir()
        command("mount", "--bind", f"/sys/fs/cgroup/{controller}/{name}", new / controller)
    command("umount", "--recursive", "/sys/fs/cgroup")
    command("mount", "--make-private", "/run")
    command("mount", "--make-private", "/sys")
    command("mount", "--move", new, "/sys/fs/cgroup")
    command("mount", "--make-rshared", "/")


def own_list_of_controllers():
    """Without those that the kernel has and this machine has not mounted: CRI-O takes the list for what it can use."""
    lines = pathlib.Path("/proc/cgroups").read_text().splitlines()
    file = pathlib.Path("/run/cgroups")
    file.write_text("".join(f"{line}\n" for line in lines if line.split()[0] in ["#subsys_name", *CONTROLLERS]))
    command("mount", "--bind", file, "/proc/cgroups")


def own_settings():
    folder = pathlib.Path("/run/settings")
    folder.mkdir()
    for name in SETTINGS:
        file = folder / name.replace("/", ".")
        file.write_text("0\n")
        command("mount", "--bind", file, f"/proc/sys/{name}")


def own_network():
    command("hostname", HOSTNAME)
    for words in ["link set lo up", "link add node0 type bridge", f"address add {ADDRESS}/24 dev node0", "link set node0 up",
                  "route add default via 192.0.2.254"]:
        command("ip", *words.split())
    pathlib.Path("/proc/sys/net/ipv4/ip_forward").write_text("1\n")


def become_node(folder, cgroup):
    own_mounts(folder)
    forget_this_machine()
    own_cgroups(cgroup)
    own_list_of_controllers()
    own_settings()
    own_network()
    # Programs of this node that keep files in /tmp would meet those of others there.
    os.environ["TMPDIR"] = "/var/tmp"


class Daemon:
    """A process of the node, whose output goes to a file. It can be started again."""

    def __init__(self, name, arguments, logs, environment=None):
        self.name, self.arguments = name, [str(word) for word in arguments]
        self.log = pathlib.Path(logs) / f"{name}.log"
        self.environment = environment or {}
        self.process = None

    def start(self):
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(self.arguments, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True,
                                            env={**os.environ, **self.environment})
        return self

    @property
    def pid(self):
        return self.process.pid

    def runs(self):
        return self.process is not None and self.process.poll() is None

    def send(self, number):
        self.process.send_signal(number)

    def stop(self, number=signal.SIGTERM, seconds=15):
        if not self.runs():
            return
        self.process.send_signal(signal.SIGCONT)
        self.process.send_signal(number)
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(5)

    def text(self, begin=0):
        with self.log.open("rb") as file:
            file.seek(begin)
            return file.read().decode(errors="replace")

    def size(self):
        return self.log.stat().st_size if self.log.exists() else 0
