"""A real kubelet without a cluster: what it is told, by release, and what it answers."""
import json
import os
import pathlib
import re
import signal
import ssl
import time
import urllib.error
import urllib.request

import machine

MANIFESTS = pathlib.Path("/etc/kubernetes/manifests")
WITHOUT_CHECKS = ssl.create_default_context()
WITHOUT_CHECKS.check_hostname = False
WITHOUT_CHECKS.verify_mode = ssl.CERT_NONE


def get(path, timeout=10):
    """What the kubelet's API answers, as text."""
    with urllib.request.urlopen(f"https://127.0.0.1:10250{path}", timeout=timeout, context=WITHOUT_CHECKS) as answer:
        return answer.read().decode(errors="replace")


def log(pod, query=""):
    """The log of the container main of a static pod, or why there is none."""
    try:
        return get(f"/containerLogs/default/{pod}-{machine.HOSTNAME}/main{query}")
    except urllib.error.HTTPError as error:
        return f"{error}: {error.read().decode(errors='replace')}"


class Kubelet:
    def __init__(self, program, version, logs):
        self.program, self.logs = program, logs
        self.minor = int(version.partition(".")[2])
        self.daemon = None
        self.starts = 0

    def configuration(self, endpoint, gates):
        values = {
            "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration", "address": "127.0.0.1", "readOnlyPort": 10255,
            "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}}, "authorization": {"mode": "AlwaysAllow"},
            "cgroupDriver": "cgroupfs", "staticPodPath": str(MANIFESTS), "failSwapOn": False, "oomScoreAdj": 0, "makeIPTablesUtilChains": False,
            "fileCheckFrequency": "1s", "syncFrequency": "10s", "volumeStatsAggPeriod": "5s", "maxOpenFiles": 20000, "serializeImagePulls": False,
            "evictionHard": {"memory.available": "0%", "nodefs.available": "0%", "imagefs.available": "0%"}, "featureGates": dict(gates)}
        if self.minor >= 20:
            values["volumePluginDir"] = "/var/lib/kubelet/plugins"
        if self.minor >= 22:
            values["featureGates"]["KubeletInUserNamespace"] = True
        if self.minor >= 27:
            values["containerRuntimeEndpoint"] = endpoint
        if self.minor >= 31:
            values["failCgroupV1"] = False
        return values

    def flags(self, endpoint):
        flags = [f"--hostname-override={machine.HOSTNAME}", f"--node-ip={machine.ADDRESS}", "--v=2"]
        if self.minor < 27:
            flags += ["--container-runtime=remote", f"--container-runtime-endpoint={endpoint}"]
        if self.minor < 20:
            flags += ["--volume-plugin-dir=/var/lib/kubelet/plugins"]
        if self.minor < 10:
            flags += ["--address=127.0.0.1", "--anonymous-auth=true", "--authorization-mode=AlwaysAllow", "--cgroup-driver=cgroupfs", "--fail-swap-on=false",
                      f"--pod-manifest-path={MANIFESTS}", "--oom-score-adj=0", "--make-iptables-util-chains=false", "--file-check-frequency=1s",
                      "--eviction-hard=memory.available<1Mi", "--max-open-files=20000", "--read-only-port=10255"]
        return flags

    def start(self, socket, gates=()):
        """One whose runtime is at that socket. Each start has a log of its own. False if it ends at once, or is not healthy in time."""
        endpoint = f"unix://{socket}"
        words = [self.program, *self.flags(endpoint)]
        if self.minor >= 10:
            file = pathlib.Path("/run/kubelet.yaml")
            file.write_text(json.dumps(self.configuration(endpoint, gates), indent=2))
            words.append(f"--config={file}")
        self.starts += 1
        self.daemon = machine.Daemon(f"kubelet-{self.starts}", words, self.logs).start()
        end = time.monotonic() + 60
        while time.monotonic() < end and self.daemon.runs():
            if self.healthy():
                return True
            time.sleep(0.3)
        return False

    @staticmethod
    def healthy():
        try:
            with urllib.request.urlopen("http://127.0.0.1:10248/healthz", timeout=5) as answer:
                return answer.read() == b"ok"
        except (OSError, urllib.error.URLError):
            return False

    def stop(self):
        self.daemon.stop(signal.SIGTERM, 20)

    def last_words(self):
        """Why it ended, as its log has it: without what stands before the message, and what comes after its first line."""
        lines = [line for line in self.daemon.text().splitlines() if line.strip()]
        found = [line for line in lines if "failed to run Kubelet" in line or "command failed" in line] or lines[-1:]
        text = re.sub(r"^\S+ \S+ +\d+ [\w.]+:\d+\] ", "", found[-1]) if found else "it said nothing"
        return text[:600]


# 1.12 shows no statuses of static pods without an API server, 1.18 does.
FIRST_WITH_STATUSES = 18
# 1.12 does not say for which pod it pulls an image, 1.18 does: its pulls go to the default runtime.
FIRST_WITH_POD_IN_PULLS = 18
# Set for those without statuses: gives the status of a pod.
status_of = None


def pods():
    """The pods that the kubelet knows, by name."""
    found = {pod["metadata"]["name"].removesuffix("-" + machine.HOSTNAME): pod for pod in json.loads(get("/pods")).get("items") or []}
    if status_of:
        for pod in found.values():
            pod["status"] = status_of(pod)
    return found


def lay(manifest):
    """Gives the kubelet a pod, whole at once."""
    name = manifest["metadata"]["name"]
    part = pathlib.Path(f"/etc/kubernetes/{name}.part")
    part.write_text(json.dumps(manifest))
    part.rename(MANIFESTS / f"{name}.json")


def take(name):
    os.unlink(MANIFESTS / f"{name}.json")
