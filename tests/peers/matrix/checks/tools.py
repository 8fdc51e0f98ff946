"""Without a kubelet: crictl's whole life, critest spec by spec, and answers to callers of each package."""
import json
import os
import pathlib
import re
import subprocess

import leaves
import loglines
import machine

BUSYBOX = "docker.io/library/busybox:e2e"
POD = {"metadata": {"name": "life", "uid": "life-1", "namespace": "default", "attempt": 0}, "hostname": "life",
       "log_directory": "/var/log/pods/life", "labels": {"app": "life"}, "annotations": {"note": "kept"}, "linux": {"cgroup_parent": "/life"}}
CONTAINER = {"metadata": {"name": "main", "attempt": 0}, "image": {"image": BUSYBOX}, "command": ["/bin/sh", "-c", "echo begins; exec httpd -f -p 8080 -h /www"],
             "log_path": "main.log", "labels": {"app": "life"}, "envs": [{"key": "WORD", "value": "given"}], "linux": {"resources": {"cpu_shares": 512}}}
# CRI-O waits for minutes until it ends what these leave.
SKIPPED = {"crio": "NamespaceOption runtime should support"}
TRIES = 2


class Crictl:
    def __init__(self, node):
        self.program = str(node.peers / "crictl/crictl")
        self.socket = f"unix://{node.endpoint}"

    def run(self, *words):
        done = subprocess.run([self.program, "--timeout", "20s", "--runtime-endpoint", self.socket, "--image-endpoint", self.socket, *words], text=True,
                              capture_output=True, timeout=120, check=False)
        return done.returncode, done.stdout, done.stderr


def shown(status, out, error):
    """What a command said, without what is of this run: the leaves of JSON, or its words."""
    if status != 0:
        return {"status": status, "error": loglines.normal(error.strip().splitlines()[-1] if error.strip() else "")}
    try:
        return {"status": 0, "leaves": sorted(leaves.summary(json.loads(out)))}
    except ValueError:
        return {"status": 0, "words": loglines.normal(out.strip())}


def crictl_life(node):
    crictl = Crictl(node)
    os.makedirs("/var/log/pods/life", exist_ok=True)
    for name, value in [("pod", POD), ("container", CONTAINER)]:
        pathlib.Path(f"/run/{name}.json").write_text(json.dumps(value))

    def step(name, *words, json_out=False):
        status, out, error = crictl.run(words[0], *(["-o", "json"] if json_out else []), *words[1:])
        node.observe(f"crictl {name}", shown(status, out, error), status == 0)
        if status != 0:
            node.recover()
        return out.strip()

    step("version", "version")
    step("pull", "pull", BUSYBOX)
    step("images", "images", json_out=True)
    step("inspecti", "inspecti", BUSYBOX)
    pod = step("runp", "runp", "/run/pod.json")
    container = step("create", "create", pod, "/run/container.json", "/run/pod.json")
    step("start", "start", container)
    for name, words in {"pods": ["pods"], "ps": ["ps", "-a"], "inspectp": ["inspectp", pod], "inspect": ["inspect", container], "stats": ["stats", container],
                        "statsp": ["statsp", pod], "imagefsinfo": ["imagefsinfo"], "info": ["info"]}.items():
        step(name, *words, json_out=True)
    step("exec --sync", "exec", "--sync", container, "sh", "-c", "echo inside $WORD")
    step("exec", "exec", container, "sh", "-c", "echo inside $WORD")
    step("logs", "logs", container)
    step("update", "update", "--cpu-share", "256", container)
    step("stop", "stop", "--timeout", "2", container)
    step("rm", "rm", container)
    step("stopp", "stopp", pod)
    step("rmp", "rmp", pod)
    step("rmi", "rmi", BUSYBOX)
    step("pods at the end", "pods", json_out=True)


def critest_run(node, name, specs=()):
    """{SPEC: passed, failed, ...} of those that were run."""
    out = node.logs / f"{name}.json"
    words = [str(node.peers / "critest/critest"), "--runtime-endpoint", f"unix://{node.endpoint}", "--image-endpoint", f"unix://{node.endpoint}",
             f"--ginkgo.json-report={out}", "--ginkgo.seed=1", "--ginkgo.no-color"]
    words += [f"--ginkgo.focus={re.escape(spec)}" for spec in specs]
    skipped = SKIPPED.get(node.task["runtime"].partition("-")[0])
    if skipped and not specs:
        words.append(f"--ginkgo.skip={skipped}")
    with (node.logs / f"{name}.log").open("w") as log:
        subprocess.run(words, stdout=log, stderr=log, timeout=700, check=False)
    report = json.loads(out.read_text())
    out.unlink()
    return {" ".join([*spec["ContainerHierarchyTexts"], spec["LeafNodeText"]]): spec["State"] for suite in report for spec in suite["SpecReports"]
            if spec["LeafNodeType"] == "It" and spec["State"] != "skipped"}


def critest(node):
    """A spec that fails is tried again, on either side: some fail now and then on a busy machine. The log of the side names these."""
    found = critest_run(node, "critest")
    for number in range(TRIES):
        failed = [spec for spec, state in found.items() if state != "passed"]
        if failed:
            print(f"critest, try {number + 1}: {failed}", flush=True)
            again = critest_run(node, f"critest-{number + 2}", failed)
            found.update({spec: state for spec, state in again.items() if spec in found and state == "passed"})
    node.observe("critest", found, sum(state == "passed" for state in found.values()) >= 60)


QUESTIONS = ["Version", "Status", "ListPodSandbox", "ListContainers", "ListContainerStats", "ListPodSandboxStats", "ListImages", "ImageFsInfo", "RuntimeConfig"]
OF_POD, OF_CONTAINER = ["PodSandboxStatus", "PodSandboxStats"], ["ContainerStatus", "ContainerStats"]


def name_of(item):
    """By what an item of a list is known: an image by its first tag, all else by the name in its metadata."""
    if not isinstance(item, dict):
        return None
    return next(iter(item.get("repoTags") or []), None) or (item.get("metadata") or {}).get("name")


def fields(value, path=""):
    """PATH: VALUE; of numbers and times only that there is one."""
    if isinstance(value, dict):
        return {key: item for name, one in value.items() for key, item in fields(one, f"{path}.{name}" if path else name).items()}
    if isinstance(value, list):
        # Lists of CRI have no order.
        ordered = sorted(value, key=lambda one: str(one.get("id") or one) if isinstance(one, dict) else str(one))
        return {key: item for place, one in enumerate(ordered) for key, item in fields(one, f"{path}[{name_of(one) or place}]").items()}
    if isinstance(value, (int, float)) and not isinstance(value, bool) or isinstance(value, str) and re.fullmatch(r"-?\d+", value):
        return {path: "a number"}
    return {path: value}


def measured(node, container):
    """Whether the runtime knows what the container has written: cri-dockerd begins to find out when it is first asked."""
    answer = node.call("ContainerStats", request=json.dumps({"containerId": container}), api=node.spoken()) or {}
    return "writableLayer" in answer.get("stats", {})


def calls(node):
    """Asks crigate and the runtime itself, about the same pods, one after the other."""
    if not node.through:
        return
    crictl = Crictl(node)
    crictl.run("pull", BUSYBOX)
    pod = crictl.run("runp", "/run/pod.json")[1].strip()
    container = crictl.run("create", pod, "/run/container.json", "/run/pod.json")[1].strip()
    crictl.run("start", container)
    machine.eventually(20, measured, node, container)
    for api in ["v1", "v1alpha2", "v1_12", "v1_9"]:
        speaks = node.call("Version", api=api) is not None and not api.startswith("v1_")
        listed = node.crigate("call", "--api", api, "--list")[1]
        for method in [*QUESTIONS, *OF_POD, *OF_CONTAINER]:
            if re.search(rf"\b{method}\b", listed):
                ask(node, api, method, pod, container, speaks)
    crictl.run("stopp", pod)
    crictl.run("rmp", pod)


def wanted(method, pod, container):
    """What the answer to a question has to name."""
    if method == "ListImages":
        return "busybox"
    if "Container" in method:
        return container
    return pod if "Pod" in method else ""


def ask(node, api, method, pod, container, speaks):
    request = {**dict.fromkeys(OF_POD, {"podSandboxId": pod}), **dict.fromkeys(OF_CONTAINER, {"containerId": container})}.get(method, {})
    name = f"call {api} {method}"
    said = {}
    for place, socket in [("through", node.socket), ("direct", node.runtime.socket)]:
        status, text = node.crigate("call", "--endpoint", f"unix://{socket}", "--api", api, "--compact", "--timeout", "10s", method, json.dumps(request))
        if status != 0:
            node.recover()
        said[place] = fields(json.loads(text)) if status == 0 else {"status": status, "error": loglines.normal(text.strip())}
    node.observe(name, said["through"], "status" not in said["through"] and wanted(method, pod, container) in json.dumps(said["through"]))
    if speaks:
        node.observe_directly(name, said["direct"])
