"""A node for the alerts: a crigate with metrics, simulated runtimes, and a caller that asks what a kubelet asks."""

import ctypes
import os
import signal
import subprocess
import time
from pathlib import Path

from prometheus import LIBRARY, die_with_parent, eventually, free_port, get

# As kubelets have it: every 5 s, one after the other, and up to two minutes for an answer.
STATUS_SECONDS = 5
KUBELET_PATIENCE = "120s"

PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_DETACH = 0x4206, 0x4207, 17
WALL = 0x40000000


class LiveNode:
    """`runtimes`: {name: options of crisim}; the first is the primary."""

    def __init__(self, build, folder, name, runtimes):
        self.build, self.name, self.runtimes = Path(build).resolve(), name, runtimes
        self.folder = Path(folder) / name
        self.folder.mkdir()
        self.port = free_port()
        self.processes = {}
        self.kubelet = True
        self.asking = {}
        self.next_question = 0
        self.map = self._map()
        self.write_map(self.map)
        for runtime in runtimes:
            self.start_runtime(runtime)
        self.start_crigate()

    def _map(self):
        lines = [f"listen: unix://{self.folder}/crigate.sock", f"state: {self.folder}/state"]
        lines += ["limits: {startup_grace: 1s, shutdown_grace: 1s}", f'metrics: {{listen: "127.0.0.1:{self.port}"}}', "runtimes:"]
        for number, runtime in enumerate(self.runtimes):
            lines.append(f"  - {{name: {runtime}, endpoint: 'unix://{self.folder}/{runtime}.sock', budget: 2s"
                         + (", primary: true}" if number == 0 else "}"))
        return "\n".join(lines) + "\n"

    def write_map(self, text):
        """At once for whoever reads it; crigate notices by itself."""
        new = self.folder / "new.yaml"
        new.write_text(text)
        new.rename(self.folder / "crigate.yaml")

    def move_images(self):
        """The primary's images are at a socket of their own, where nobody is."""
        self.write_map(self.map.replace(", primary: true", f", image_endpoint: 'unix://{self.folder}/images.sock', primary: true"))

    def _start(self, name, program, *options):
        with (self.folder / f"{name}.log").open("a") as log:
            self.processes[name] = subprocess.Popen(
                [str(self.build / program), *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=die_with_parent,
            )

    def start_runtime(self, name):
        self._start(name, "crisim", "--listen", f"unix://{self.folder}/{name}.sock", "--name", name, *self.runtimes[name])

    def start_plugin(self, *options):
        """Hooks are on, and a plugin answers them, or fails them with these options."""
        plugins = self.folder / "plugins"
        plugins.mkdir(mode=0o755, exist_ok=True)
        self.write_map(self.map + f"hooks: {{folder: {plugins}}}\n")
        self._start("plugin", "hooksim", "--listen", f"unix://{self.folder}/plugin.sock", "--write-file", str(plugins), *options)

    def start_crigate(self, *options):
        self._start("crigate", "crigate", "--config", f"{self.folder}/crigate.yaml", *options)

    def take_over(self):
        old = self.processes.pop("crigate")
        self.start_crigate("--takeover")
        old.wait(timeout=60)

    def stop(self, name):
        process = self.processes.pop(name)
        process.kill()
        process.wait()

    def send(self, name, number):
        self.processes[name].send_signal(number)

    def wait_until_served(self):
        eventually(60, f"{self.name} is ready", lambda: get(f"http://127.0.0.1:{self.port}/readyz")[0] == 200)

    def call(self, name, method, request="{}", patience=KUBELET_PATIENCE):
        """Begins a call, and does not wait for its end."""
        self._start(name, "crigate", "call", "--endpoint", f"unix://{self.folder}/crigate.sock", "--timeout", patience, method, request)

    def hang_thread_of_calls(self):
        """Only that thread of crigate stops: the first one."""
        pid = self.processes["crigate"].pid
        self._trace(PTRACE_SEIZE, pid)
        self._trace(PTRACE_INTERRUPT, pid)
        os.waitpid(pid, WALL)

    def release_thread_of_calls(self):
        self._trace(PTRACE_DETACH, self.processes["crigate"].pid)

    @staticmethod
    def _trace(request, pid):
        if LIBRARY.ptrace(ctypes.c_long(request), ctypes.c_long(pid), None, None) != 0:
            raise OSError(ctypes.get_errno(), "ptrace")

    def live(self):
        """What its kubelet does at this moment: to be called again and again."""
        if not self.kubelet or time.monotonic() < self.next_question:
            return
        self.next_question = time.monotonic() + STATUS_SECONDS
        for method in ("Status", "ListPodSandbox"):
            name = f"kubelet-{method}"
            if name not in self.processes or self.processes[name].poll() is not None:
                self.call(name, method)

    def kill(self):
        for process in self.processes.values():
            if process.returncode is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
        for process in self.processes.values():
            process.wait()
