"""What is checked of a cluster whose node has crigate and two runtimes. Each check returns what it saw, in words, or raises Failure."""

import json
import subprocess
import threading
import time
from contextlib import contextmanager, suppress

import judge
import workloads
from control_plane import KUBECTL, containers_of, must
from machine import Failure, eventually, stop
from second import HANDLER, SOCKET, call

PRIMARY = "/run/containerd/containerd.sock"
CRIGATE = "/run/crigate/crigate.sock"
SOCKETS = {"primary": PRIMARY, "second": SOCKET}
# How long the node must hold out without its second runtime: longer than kubelets (40 s) and kube-controller-manager (50 s) wait.
AWAY_SECONDS = 90
# While a runtime is away, the state of its pod is unknown. A kubelet that asks for it then reports FailedSync, and asks again. It has nothing
# to create, start or kill in that pod, so any other event is a fault.
UNKNOWN_MEANWHILE = {("talk-second", "FailedSync")}
# A kubelet tells its node's status every 10 s.
STATUS_SECONDS = 12
# A shorter time is for trying things out, and docs/tested-with.md says so.
ROLLING_MINUTES = 10
TAKEOVER_SECONDS = 10
# How long the outcome of a takeover may take, the thread that makes them to end, and the processes that have handed over.
OUTCOME_SECONDS, STUCK_SECONDS, LEFT_SECONDS = 30, 180, 90
# The command line of the gateway; other commands of crigate have their name in the place of these options.
GATEWAY = "^/usr/bin/crigate (--takeover )?--config "
JOB_PODS, JOB_PARALLELISM = 200, 20


class Place:
    """What the checks work on. `folder` takes what was watched."""

    def __init__(self, machine, cluster, second, folder, minutes):
        self.machine, self.cluster, self.second, self.folder, self.minutes = machine, cluster, second, folder, minutes


class Watched:
    """What happened to the node, its pods and in events while it was watched. Nodes and pods as they are at first are a part of it; events of
    before are not."""

    PATHS = {"nodes": "/api/v1/nodes", "pods": "/api/v1/namespaces/default/pods", "events": "/api/v1/namespaces/default/events"}

    def __init__(self, place, name):
        self.files = {kind: place.folder / f"{name}.{kind}.watch" for kind in self.PATHS}
        self.processes = []
        for kind, file in self.files.items():
            with file.open("w", encoding="utf-8") as out:
                self.processes.append(place.cluster.watch(self.PATHS[kind], out, kind == "events"))
        eventually(30, lambda: self.files["nodes"].stat().st_size > 0, "the watch shows no node")

    def end(self):
        """Waits for what is still to be told, and looks whether all of it was heard."""
        time.sleep(STATUS_SECONDS)
        ended = [process.args for process in self.processes if process.poll() is not None]
        must(not ended, f"a watch ended before its time: {ended}")

    def stop(self):
        for process in self.processes:
            stop(process)

    def lines(self, kind):
        return self.files[kind].read_text(encoding="utf-8").splitlines()

    def judge(self, allowed=frozenset()):
        """Raises Failure if a pod was restarted, the node was not Ready, or an event tells of a fault that is not `allowed`."""
        wrong = judge.restarts(self.lines("pods")) + judge.not_ready(self.lines("nodes")) + judge.bad_events(self.lines("events"), allowed)
        must(not wrong, "; ".join(wrong[:10]))
        return f"{judge.pods_seen(self.lines('pods'))} pods, no restart, the Node never NotReady"


@contextmanager
def watched(place, name):
    watch = Watched(place, name)
    try:
        yield watch
        watch.end()
    finally:
        watch.stop()


def runtime_pods(place, name):
    """What a runtime itself has of pods."""
    return call(place.machine, SOCKETS[name], "ListPodSandbox").get("items", [])


def crigate_status(place):
    return json.loads(place.machine.run("crigate", "status", "--output", "json", check=False).stdout)


# ---- the checks ----


def ready(place):
    """The Node is Ready through crigate, and its status has the handlers of both runtimes."""
    eventually(180, place.cluster.node_is_ready, lambda: json.dumps(place.cluster.node()["status"].get("conditions")))
    kubelet = int(place.machine.main_pid("kubelet"))
    eventually(60, lambda: any(c["pid"] == kubelet and c["calls"] > 0 for c in crigate_status(place)["callers"]),
               "the kubelet is not among crigate's callers")
    eventually(90, lambda: {"", HANDLER} <= handlers(place), lambda: f"Node.status.runtimeHandlers has only {sorted(handlers(place))}")
    info = place.cluster.node()["status"]["nodeInfo"]
    return f"kubelet {info['kubeletVersion']}, {info['containerRuntimeVersion']}, runtimeHandlers {sorted(handlers(place))}"


def handlers(place):
    return {handler.get("name", "") for handler in place.cluster.node()["status"].get("runtimeHandlers", [])}


def runtime_class(place):
    """A RuntimeClass has the scheduler's pod made on the second runtime, and a pod without one is on the primary."""
    place.cluster.apply(workloads.runtime_class())
    place.cluster.apply(*(workloads.pod(f"talk-{name}", workloads.TALK, runtime, {"test": "talk"})
                          for name, runtime in workloads.RUNTIMES.items()))
    place.cluster.await_pods("test=talk", 2)
    seen = {name: {item["metadata"]["name"] for item in runtime_pods(place, name)} for name in SOCKETS}
    for name, other in (("primary", "second"), ("second", "primary")):
        must(f"talk-{name}" in seen[name], f"the {name} runtime itself has no pod talk-{name}, but {seen[name]}")
        must(f"talk-{name}" not in seen[other], f"the {other} runtime has pod talk-{name}")
    return f"each pod on its runtime; seen there: {sorted(seen['second'])} on the second"


def second_killed(place):
    """The Node stays Ready while the second runtime is killed; its pods go on, and are known again when it is back."""
    before = containers_of(place.cluster.await_pods("test=talk", 2))
    with watched(place, "second_killed") as watch:
        try:
            hold_out_without_second(place)
        finally:
            # Later checks need it, too.
            place.second.restart()
        eventually(60, lambda: any(r["name"] == "second" and r["state"] == "ready" for r in crigate_status(place)["runtimes"]),
                   lambda: f"crigate does not see the second runtime again: {crigate_status(place)['runtimes']}")
        echoed = eventually(60, lambda: exec_echo(place, "talk-second"), "no exec in the second runtime's pod after its return")
        place.cluster.await_pods("test=talk", 2)
        time.sleep(10)
        place.cluster.kubectl("delete", "pod", "meanwhile", "--wait")
    after = containers_of(place.cluster.pods("test=talk"))
    must(before == after, f"the pods' containers before: {before}, after: {after}")
    return f"away for {AWAY_SECONDS} s: {watch.judge(UNKNOWN_MEANWHILE)}; a pod was made on the primary meanwhile; exec after it: {echoed}"


def hold_out_without_second(place):
    began = time.monotonic()
    place.second.kill()
    place.cluster.apply(workloads.pod("meanwhile", workloads.WAIT))
    place.cluster.await_pods("app=meanwhile", 1)
    while time.monotonic() < began + AWAY_SECONDS:
        must(place.cluster.node_is_ready(), "the Node is not Ready")
        time.sleep(2)
    must(not place.second.answers(), "the second runtime came back by itself")


def exec_echo(place, pod):
    done = place.cluster.kubectl("exec", pod, "--", "echo", "alive", check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def streams(place):
    """kubectl exec, logs -f, port-forward and attach, on pods of both runtimes."""
    place.cluster.apply(*(workloads.pod(f"cat-{name}", "cat", runtime, {"test": "cat"}, stdin=True)
                          for name, runtime in workloads.RUNTIMES.items()))
    place.cluster.await_pods("test=cat", 2)
    place.cluster.await_pods("test=talk", 2)
    for name in workloads.RUNTIMES:
        try:
            check_exec(place, f"talk-{name}")
            check_logs(place, f"talk-{name}")
            check_port_forward(place, f"talk-{name}")
            check_attach(place, f"cat-{name}")
        except Failure as failure:
            raise Failure(f"{name}: {failure}") from failure
    place.cluster.kubectl("delete", "pod", "--selector", "test=cat", "--wait")
    return "exec (with input, output and an exit status), logs -f, port-forward and attach, on both"


def check_exec(place, pod):
    text = "".join(f"line {number} of what goes in\n" for number in range(10000))
    out = place.cluster.kubectl("exec", "--stdin", pod, "--", "cat", input=text).stdout
    must(out == text, f"exec: {len(text)} characters in, {len(out)} out")
    status = place.cluster.kubectl("exec", pod, "--", "sh", "-c", "exit 7", check=False).returncode
    must(status == 7, f"exec: exit status {status} in place of 7")


def check_logs(place, pod):
    done = place.machine.run("timeout", "8", KUBECTL, "logs", "--follow", "--tail", "3", pod, check=False)
    numbers = [int(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("line ")]
    must(len(numbers) >= 6, f"logs -f: {len(numbers)} lines in 8 s, 3 of them from before: {done.stdout}{done.stderr}")
    must(judge.longest_gap(numbers) is None, f"logs -f: lines are missing: {judge.longest_gap(numbers)}")


def check_port_forward(place, pod):
    process = place.cluster.start_kubectl("port-forward", f"pod/{pod}", "18080:80", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(5):
            page = eventually(20, lambda: fetch(place), lambda: f"port-forward: nothing at the port; {process.poll()}")
            must("served from a pod" in page, f"port-forward: {page!r}")
    finally:
        stop(process)


def fetch(place):
    program = "import urllib.request; print(urllib.request.urlopen('http://127.0.0.1:18080/', timeout=5).read().decode())"
    try:
        return place.machine.run_in_network("python3", "-c", program)
    except subprocess.CalledProcessError:
        return None


def check_attach(place, pod):
    out = place.folder / f"{pod}.attached"
    with out.open("w", encoding="utf-8") as file:
        process = place.cluster.start_kubectl("attach", "--stdin", pod, "--container", "main", stdin=subprocess.PIPE, stdout=file,
                                              stderr=subprocess.STDOUT, bufsize=0)

    def answered():
        ended, text = process.poll() is not None, out.read_text(encoding="utf-8")
        must("into it\n" in text or not ended, f"attach: kubectl has ended: {text!r}")
        return "into it\n" in text

    try:
        # If it has ended, its own words say more. The end of the input would be the end of it, with or without an answer.
        with suppress(BrokenPipeError):
            process.stdin.write(b"into it\n")
        eventually(30, answered, lambda: f"attach: {out.read_text(encoding='utf-8')!r}")
    finally:
        stop(process)
        process.stdin.close()


# ---- takeovers ----


class Log:
    """What crigate logs from now on."""

    def __init__(self, machine):
        self.file = machine.path("/var/log/crigate.log")
        self.begin = self.file.stat().st_size

    def text(self):
        with self.file.open("rb") as file:
            file.seek(self.begin)
            return file.read().decode(errors="replace")


class Takeovers(threading.Thread):
    """crigate is taken over every few seconds, until it is told to stop."""

    def __init__(self, place):
        super().__init__(daemon=True)
        self.place, self.done, self.refused, self.error = place, 0, 0, None
        self.ending = threading.Event()

    def run(self):
        try:
            while not self.ending.wait(TAKEOVER_SECONDS):
                self.take_over()
        except Exception as error:  # pylint: disable=broad-exception-caught
            self.error = error

    def take_over(self):
        """One is refused while the process before the last one still creates a pod. Anything else that keeps it from coming is a fault."""
        machine = self.place.machine
        log, old = Log(machine), machine.main_pid("crigate")
        machine.run("systemctl", "reload", "crigate")
        eventually(OUTCOME_SECONDS, lambda: machine.main_pid("crigate") not in (old, "0") or judge.takeover_failure(log.text()),
                   lambda: f"crigate is not taken over, and does not say why: {log.text()[-1000:]}")
        why_not = judge.takeover_failure(log.text())
        if why_not is None:
            self.done += 1
            return
        must(judge.REFUSED in why_not, f"crigate is not taken over: {why_not}")
        must(machine.main_pid("crigate") == old, "crigate has gone, and no other has taken over")
        self.refused += 1

    def end(self):
        self.ending.set()
        self.join(timeout=STUCK_SECONDS)
        must(not self.is_alive(), f"a takeover has not ended within {STUCK_SECONDS} s")
        if self.error:
            raise Failure(f"takeovers ended: {self.error}") from self.error


@contextmanager
def taken_over(place):
    """crigate is taken over all the while. Afterwards the last process alone is left, and none had to be forced to its end."""
    log, takeovers = Log(place.machine), Takeovers(place)
    takeovers.start()
    try:
        yield takeovers
    finally:
        takeovers.end()
    eventually(LEFT_SECONDS, lambda: len(gateways(place)) == 1, lambda: f"not one process of the gateway is left, but {gateways(place)}")
    forced = judge.forced_ends(log.text())
    must(not forced, f"crigate's log: {'; '.join(forced[:10])}")


def gateways(place):
    """The processes of crigate that serve, or did until they handed over."""
    return place.machine.run("pgrep", "--list-full", "--full", GATEWAY, check=False).stdout.splitlines()


TAKEOVER_DROP_IN = """[Service]
StandardOutput=append:/var/log/crigate.log
StandardError=append:/var/log/crigate.log
ExecReload=
ExecReload=/bin/sh -c '/usr/bin/crigate --takeover --config /etc/crigate/crigate.yaml -v 2 &'
"""


def rolling(place):
    """Deployments on both runtimes roll, again and again, while crigate is taken over every ten seconds: no pod is restarted, and the
    Node is never NotReady."""
    place.cluster.apply(workloads.runtime_class())
    names = [f"roll-{name}" for name in workloads.RUNTIMES]
    place.cluster.apply(*(workloads.deployment(f"roll-{name}", 3, runtime) for name, runtime in workloads.RUNTIMES.items()))
    for name in names:
        place.cluster.await_pods(f"app={name}", 3)
    rollouts = 0
    with watched(place, "rolling") as watch, taken_over(place) as takeovers:
        end = time.monotonic() + 60 * place.minutes
        while time.monotonic() < end and takeovers.is_alive():
            for name in names:
                place.cluster.kubectl("rollout", "restart", f"deployment/{name}")
            for name in names:
                place.cluster.kubectl("rollout", "status", f"deployment/{name}", "--timeout", "180s", timeout=200)
                rollouts += 1
    seen = watch.judge()
    wanted = 60 * place.minutes / TAKEOVER_SECONDS / 2
    must(takeovers.done >= wanted, f"only {takeovers.done} takeovers, {takeovers.refused} refused")
    must(rollouts >= 2, f"only {rollouts} rollouts")
    place.cluster.kubectl("delete", "deployment", *names, "--wait")
    return f"{place.minutes:g} minutes: {takeovers.done} takeovers ({takeovers.refused} refused), {rollouts} rollouts, {seen}"


def job(place):
    """A Job of 200 pods completes, none of them a second time."""
    with watched(place, "job") as watch:
        began = time.monotonic()
        place.cluster.apply(workloads.job("many", JOB_PODS, JOB_PARALLELISM))
        ended = eventually(900, lambda: judge.end_of_job(place.cluster.get("job", "many")), lambda: place.cluster.explain("app=many"), every=3)
        seconds = round(time.monotonic() - began)
        status = place.cluster.get("job", "many")["status"]
    must(ended["type"] == "Complete" and status.get("succeeded") == JOB_PODS and not status.get("failed"), f"the Job's status: {status}")
    made = judge.pods_seen(watch.lines("pods"), "many")
    must(made == JOB_PODS, f"{made} pods were made for the Job, in place of {JOB_PODS}")
    place.cluster.kubectl("delete", "job", "many", "--wait", "--cascade=foreground", timeout=300)
    return f"{JOB_PODS} pods in {seconds} s, {JOB_PARALLELISM} at once: {watch.judge()}"


def nothing_left(place):
    """When all is deleted, no runtime has a pod or a container."""
    place.cluster.kubectl("delete", "deployments,jobs,pods", "--all", "--wait", timeout=300)

    def left():
        return {f"{name} {kind}": len(items) for name, socket in SOCKETS.items() for kind, method, field in
                (("pods", "ListPodSandbox", "items"), ("containers", "ListContainers", "containers"))
                if (items := call(place.machine, socket, method).get(field, []))}

    eventually(180, lambda: not left(), lambda: f"left in the runtimes: {left()}")
    must(place.cluster.node_is_ready(), "the Node is not Ready")
    return "no pod and no container in either runtime"


# In the order in which they run, by the names for --only.
CHECKS = [ready, runtime_class, second_killed, streams, rolling, job, nothing_left]
# Those that make or remove what others need, and run in any case.
ALWAYS = {"ready", "runtime_class", "nothing_left"}


def title(check):
    return " ".join(check.__doc__.split())
