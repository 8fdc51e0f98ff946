"""One side of a pair: a kubelet on a runtime, directly or through crigate, and what is seen there."""
import json
import os
import pathlib
import re
import signal
import subprocess
import time

import kubelet
import loglines
import machine
import pods
import runtimes
import streams

STATE = "/var/lib/crigate"


class Node:
    def __init__(self, task):
        self.task = task
        self.through = task["side"] == "through"
        self.program, self.peers, self.repository = (pathlib.Path(task[key]) for key in ["program", "peers", "repository"])
        self.logs = pathlib.Path(task["folder"]) / "logs"
        self.logs.mkdir(parents=True, exist_ok=True)
        self.observations = []
        self.of_direct = []
        self.gateway = None
        self.gateways = 0
        self.second = None
        self.known = None
        self.about = {}
        self.began = time.monotonic()

    # What is seen.

    def observe(self, name, value, good=None, kind="value"):
        """good: whether this is as it should be, whatever the other side says. None if only the comparison tells."""
        self.observations.append({"name": name, "kind": kind, "value": value, "good": good, "at": round(time.monotonic() - self.began, 1)})

    def observe_directly(self, name, value, kind="value"):
        """What stands on the other side of a comparison that this side makes alone: the runtime itself, without crigate."""
        self.of_direct.append({"name": name, "kind": kind, "value": value, "good": None, "at": round(time.monotonic() - self.began, 1)})

    def observe_leaves(self, name, samples):
        self.observe(name, samples, bool(samples["leaves"]), "leaves")

    # Processes.

    def start_registry(self):
        config = "version: 0.1\nlog: {level: warn}\nstorage: {filesystem: {rootdirectory: %s}}\nhttp: {addr: \"127.0.0.1:%d\"}\n"
        for port in [5000, 80]:
            file = runtimes.write(f"/run/registry-{port}.yaml", config % (self.task["registry"], port))
            machine.Daemon(f"registry-{port}", ["docker-registry", "serve", file], self.logs).start()

    def start_runtime(self):
        self.start_registry()
        self.runtime = runtimes.make(self.task["runtime"], self.peers, self.repository, self.logs)
        if not self.runtime.start():
            raise RuntimeError(f"{self.task['runtime']} did not start: {self.words_of_runtime()}")
        # Its socket may be there before its services.
        if not machine.eventually(30, lambda: self.call("Version") or self.call("Version", api="v1alpha2")):
            raise RuntimeError(f"{self.task['runtime']} does not answer: {self.words_of_runtime()}")

    def words_of_runtime(self):
        return " | ".join(f"{daemon.name}: {daemon.text()[-400:]}" for daemon in self.runtime.daemons if daemon.process)

    @property
    def socket(self):
        """Where crigate listens: on a node with CRI-O there, where a kubelet from 1.29 on still knows that it is one."""
        return "/run/crigate/run/crio/crio.sock" if self.task["runtime"].startswith("crio") else "/run/crigate/crigate.sock"

    @property
    def endpoint(self):
        return self.socket if self.through else self.runtime.socket

    def write_map(self, *more):
        primary = {"name": "main", "endpoint": f"unix://{self.runtime.socket}", "primary": True}
        if self.task["kubelet"] == "tools" and self.task["runtime"] == "crio-1.23":
            # It does not say so itself, and unlike containerd it refuses what critest takes without an answer, which is systemd's.
            primary["cgroup_driver"] = "cgroupfs"
        content = {"listen": f"unix://{self.socket}", "state": "/run/crigate/state", "runtimes": [primary, *more]}
        runtimes.write("/etc/crigate/crigate.yaml", json.dumps(content))

    def start_gateway(self, *flags):
        os.makedirs(os.path.dirname(self.socket), exist_ok=True)
        self.gateways += 1
        program = [self.program, *flags, "--config", "/etc/crigate/crigate.yaml", "-v", "2"]
        self.gateway = machine.Daemon(f"crigate-{self.gateways}", program, self.logs).start()
        return machine.eventually(20, self.call, "Version", self.socket)

    def crigate(self, *words, timeout=20):
        done = subprocess.run([str(self.program), *words], text=True, capture_output=True, timeout=timeout, check=False)
        return done.returncode, done.stdout + done.stderr

    def call(self, method, socket=None, request="{}", api="v1", seconds=10):
        """The answer to a call, or None."""
        endpoint = f"unix://{socket or self.runtime.socket}"
        status, text = self.crigate("call", "--endpoint", endpoint, "--timeout", f"{seconds}s", "--api", api, "--compact", method, request, timeout=seconds + 10)
        return json.loads(text) if status == 0 else None

    def spoken(self):
        """A package of CRI that the runtime itself speaks."""
        return "v1" if self.call("Version") else "v1alpha2"

    def pull_image(self):
        """Once, before the pods: cri-dockerd's pulls take ten seconds each, and a kubelet makes one for each container that waits for an image."""
        request = json.dumps({"image": {"image": pods.IMAGE}})
        answer = next((found for api in ["v1", "v1alpha2"] if (found := self.call("PullImage", self.endpoint, request, api, 60))), None)
        self.observe("image is pulled", bool(answer), bool(answer))

    def start_kubelet(self, socket=None, gates=()):
        if not hasattr(self, "kubelet"):
            self.kubelet = kubelet.Kubelet(self.peers / self.task["kubelet"] / "kubelet", self.task["kubelet"].partition("-")[2], self.logs)
            if self.kubelet.minor < kubelet.FIRST_WITH_STATUSES:
                kubelet.status_of = self.status_of
        return self.kubelet.start(socket or self.endpoint, gates)

    def status_of(self, pod):
        """What the kubelet's runtime has of a pod, in the form of a kubelet's status."""
        name = pod["metadata"]["name"]
        listed = self.call("ListContainers", self.endpoint, json.dumps({"filter": {"labelSelector": {"io.kubernetes.pod.name": name}}})) or {}
        newest = {}
        for one in sorted(listed.get("containers", []), key=lambda one: one["metadata"].get("attempt", 0)):
            newest[one["metadata"]["name"]] = one
        statuses = {one["metadata"]["name"]: self.status_of_container(one) for one in newest.values()}
        wanted, first = ([one["name"] for one in pod["spec"].get(kind) or []] for kind in ["containers", "initContainers"])
        runs = all(name in statuses and statuses[name]["ready"] for name in wanted)
        return {"phase": "Running" if runs else "Pending", "containerStatuses": [statuses[name] for name in wanted if name in statuses],
                "initContainerStatuses": [statuses[name] for name in first if name in statuses]}

    def status_of_container(self, one):
        runs, state = False, {"waiting": {}}
        if one.get("state") == "CONTAINER_RUNNING":
            runs, state = True, {"running": {}}
        elif one.get("state") == "CONTAINER_EXITED":
            seen = (self.call("ContainerStatus", self.endpoint, json.dumps({"containerId": one["id"]})) or {}).get("status", {})
            state = {"terminated": {"exitCode": seen.get("exitCode", 0), "reason": seen.get("reason")}}
        return {"name": one["metadata"]["name"], "containerID": f"runtime://{one['id']}", "restartCount": one["metadata"].get("attempt", 0),
                "ready": runs, "state": state}

    # What is asked again and again.

    def put_pods(self, manifests, seconds=300):
        """Gives the kubelet these pods and waits until they are where they go. The names of those that are not."""
        for manifest in manifests:
            kubelet.lay(manifest)
        waiting = {manifest["metadata"]["name"] for manifest in manifests}
        end = time.monotonic() + seconds
        while waiting and time.monotonic() < end:
            time.sleep(0.5)
            try:
                waiting = {name for name in waiting if not pods.settled(name)}
            except (OSError, ValueError):
                pass
        return sorted(waiting)

    def wait_for_pods(self, seconds):
        """Until none is still being made: what is made at that moment may well be made again."""
        machine.eventually(seconds, lambda: (found := kubelet.pods()) and all(pods.settled(name) for name in found))

    def disturb(self, name, action, seconds=150):
        """Does something to crigate or a runtime under running pods, and looks what became of them: the same containers must run, none restarted, and
        the kubelet goes on, which a new pod shows."""
        self.wait_for_pods(seconds)
        # A restart between two disturbances is a late effect of the first.
        before = {**pods.identities(), **(self.known or {})}
        slug = re.sub(r"[^a-z0-9]+", "-", name.lower())
        problem = action()
        late = self.put_pods([pods.pod(f"after-{slug}", [pods.container("main", pods.WAIT)])], seconds)
        after = machine.eventually(15, lambda: (found := pods.identities()) and set(before) <= set(found) and found) or pods.identities()
        self.known = after
        changed = {key: "gone" if key not in after else "restarted" if after[key][1] != before[key][1] else "another container"
                   for key in before if after.get(key) != before[key]}
        ran = streams.execute("plain", "main", ["echo", "inside"])
        ended = self.revive()
        value = {"runtimes": ended or "go on", "action": problem or "done", "containers": changed or "the same, none restarted",
                 "new pod": "does not run" if late else "runs", "exec": "works" if ran.get("out") == "inside\n" else ran,
                 "kubelet": "goes on" if self.kubelet.daemon.runs() else "ended"}
        good = {"runtimes": "go on", "action": "done", "containers": "the same, none restarted", "new pod": "runs", "exec": "works", "kubelet": "goes on"}
        self.observe(name, value, value == good)

    def revive(self):
        """Starts runtimes again that have ended by themselves, as systemd would. Their last words: {NAME: WORDS}."""
        found = {}
        for runtime in [self.runtime, self.second]:
            for daemon in runtime.daemons if runtime else []:
                if daemon.process and not daemon.runs():
                    panics = [line for line in daemon.text().splitlines() if line.startswith(("panic:", "fatal error:", "signal:"))]
                    found[daemon.name] = panics[-1] if panics else f"status {daemon.process.returncode}"
                    daemon.start()
        return found

    def recover(self, seconds=60):
        """Waits until the runtime answers, also through crigate. It is started again if a question ends it, which it may have heard already."""
        def answers():
            self.revive()
            return all(self.call("Version", socket) or self.call("Version", socket, api="v1alpha2") for socket in [self.runtime.socket, self.endpoint])
        return machine.eventually(seconds, answers)

    def steady_lines(self, starts):
        """The serious lines of the kubelets of these numbers."""
        found = {}
        for number in starts:
            file = self.logs / f"kubelet-{number}.log"
            for line, count in loglines.serious(file.read_text(errors="replace") if file.exists() else "").items():
                found[line] = found.get(line, 0) + count
        return found

    def finish(self):
        if self.gateway:
            self.gateway.stop(signal.SIGTERM)


def version_of(node):
    answer = node.call("Version") or node.call("Version", api="v1alpha2") or {}
    return f"{answer.get('runtimeName', '?')} {answer.get('runtimeVersion', '?')}"
