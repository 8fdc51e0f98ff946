"""A Debian 12 that boots in namespaces of its own, as tests/machine has it: the node of a cluster. Nothing of the machine that it runs on
is in its reach or changes."""

import os
import shutil
import signal
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent.parent

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
HALT_SECONDS = 300
PACKAGES = ["systemd", "systemd-sysv", "containerd", "runc", "containernetworking-plugins", "iproute2", "iptables", "sudo", "libpfm4"]
# What CRI-O wants for ports, conmon, and tests/peers/docker/runc-within-limits.
PACKAGES += ["socat", "nftables", "jq", "procps", "libglib2.0-0"]


class Failure(Exception):
    """A test failed; the text says how."""


def eventually(seconds, condition, what, every=0.5):
    """Waits until the condition holds, and returns its value. `what`: text, or a function that says what there is instead."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise Failure(f"not within {seconds} s: {what() if callable(what) else what}")
        time.sleep(every)


def stop(process):
    """Ends what Machine.start has started. What nsenter runs is a child of it, and goes on without it."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


class Machine:
    """`folder` takes what there is to know of it. `crigate`: the program that is installed, not started, with the files of its package; None: no
    program."""

    def __init__(self, build, folder, crigate):
        self.build, self.folder = Path(build).resolve(), Path(folder).resolve() / "node"
        self.crigate = crigate
        self.pid = None
        self.others = []

    def make(self):
        """The Debian, once for all runs; and the images of the tests."""
        debian = self.build / "peers/debian"
        debian.mkdir(parents=True, exist_ok=True)
        subprocess.run([TESTS / "machine/make-debian", debian, *PACKAGES], check=True)
        subprocess.run([TESTS / "e2e/images/build", self.build / "e2e/images"], check=True)
        return debian / "machine"

    def boot(self):
        debian = self.make()
        # As an absolute path is part of the name of its cgroups, two runs do not meet.
        self.folder.mkdir(parents=True)
        environment = dict(os.environ, MACHINE_BUILD=str(self.build), MACHINE_DEBIAN=str(debian), MACHINE_NODE=str(HERE / "node"))
        environment.update(MACHINE_KUBELET=str(self.build / "peers/kubelet-1.37/kubelet"), MACHINE_DRIVER="cgroupfs")
        environment.update({"CLUSTER_CRIGATE": str(self.crigate)} if self.crigate else {})
        with open(f"{self.folder}.log", "w", encoding="utf-8") as log:
            keeper = ["unshare", "--mount", "--propagation", "private", str(TESTS / "machine/keeper"), str(self.folder)]
            self.keeper = subprocess.Popen(keeper, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        eventually(90, self._is_booted, lambda: "the machine is not booted: " + Path(f"{self.folder}.log").read_text(encoding="utf-8"))

    def _is_booted(self):
        pid = Path(f"{self.folder}.pid")
        self.pid = pid.read_text(encoding="utf-8").strip() if pid.exists() else None
        return self.pid and self.run("systemctl", "is-active", "--quiet", "multi-user.target", check=False).returncode == 0

    def halt(self):
        """Its cgroups are gone after that, too."""
        for process in self.others:
            process.kill()
            process.wait()
        if self.pid:
            subprocess.run(["kill", "-KILL", self.pid], check=False)
            end = time.monotonic() + HALT_SECONDS
            while not self._has_ended():
                if time.monotonic() > end:
                    # It ends with the namespaces of this process. What the checks found still counts.
                    print("the machine's cgroups are not all removed", flush=True)
                    return
                time.sleep(0.1)

    def _has_ended(self):
        """Whether the keeper has. A namespace of processes ends when all of them are collected. What `stop` left there has become a child
        of this process, the first in a namespace, as its nsenter is gone."""
        if self.keeper.poll() is not None:
            return True
        while (ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)) and ended.si_pid != self.keeper.pid:
            os.waitpid(ended.si_pid, 0)
        return False

    def _inside(self, command):
        namespaces = ["--mount", "--pid", "--net", "--ipc", "--uts", "--cgroup", "--root", "--wd"]
        return ["nsenter", "--target", self.pid, *namespaces, "env", "-i", f"PATH={PATH}", "HOME=/root", "LANG=C.UTF-8",
                "KUBECONFIG=/etc/kubernetes/admin.conf", *map(str, command)]

    def run(self, *command, check=True, timeout=120, **options):
        """A command on the machine, as root."""
        options.setdefault("capture_output", True)
        done = subprocess.run(self._inside(command), check=False, timeout=timeout, text="input" not in options
                              or isinstance(options["input"], str), **options)
        if check and done.returncode != 0:
            raise Failure(f"{' '.join(map(str, command))}: exit status {done.returncode}: {done.stderr or ''}{done.stdout or ''}".strip())
        return done

    def start(self, *command, **options):
        """The same, without waiting for its end: see `stop`."""
        options.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.Popen(self._inside(command), start_new_session=True, **options)

    def start_in_network(self, *command):
        """A program of the tests' machine, in the network of this one; ends with it."""
        log = open(f"{self.folder}.{Path(command[0]).name}.log", "w", encoding="utf-8")
        self.others.append(subprocess.Popen(["nsenter", "--target", self.pid, "--net", *map(str, command)], stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=log))

    def run_in_network(self, *command):
        return subprocess.run(["nsenter", "--target", self.pid, "--net", *map(str, command)], check=True, capture_output=True, text=True,
                              timeout=120).stdout

    def path(self, path):
        """A path of the machine, as seen from here."""
        return Path(f"/proc/{self.pid}/root{path}")

    def write(self, path, text, mode=0o644):
        file = self.path(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        file.chmod(mode)

    def unit(self, name, *command, settings=()):
        """A service; its lines go to /var/log/NAME.log."""
        log = f"append:/var/log/{name}.log"
        options = [f"--property={setting}" for setting in (f"StandardOutput={log}", f"StandardError={log}", *settings)]
        self.run("systemd-run", "--quiet", f"--unit={name}", *options, *command)

    def main_pid(self, unit):
        return self.run("systemctl", "show", "--property", "MainPID", "--value", unit).stdout.strip()

    def keep_logs(self, folder):
        """Copies what the services wrote."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        for log in self.path("/var/log").glob("*.log"):
            shutil.copy(log, folder / log.name)


@contextmanager
def halted(machine, logs):
    """Whatever happens, the machine is halted in the end, and the logs of its services are in the folder `logs`."""
    try:
        yield
    finally:
        try:
            if machine.pid:
                machine.keep_logs(logs)
        except OSError as error:
            print(f"not all logs are kept: {error}", flush=True)
        finally:
            machine.halt()
