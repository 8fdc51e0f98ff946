"""A second runtime behind the same crigate: a static pod gets there by its annotation."""
import json

import kubelet
import machine
import pods
import runtimes
import streams

NAME, PREFIX = "other", "other.local"


def choose(node):
    """Another kind of runtime, so that their folders and sockets are apart."""
    kinds = ["crio-1.36", "crio-1.23", "containerd-2.4"] if not node.task["runtime"].startswith("crio") else ["containerd-1.6"]
    return next((name for name in kinds if name == "containerd-1.6" or (node.peers / name / "build.json").exists() or (node.peers / name).is_dir()), None)


def sandboxes(node, socket, name):
    """How many pods a runtime itself has under that name; None if it does not answer."""
    listed = node.call("ListPodSandbox", socket) or node.call("ListPodSandbox", socket, api="v1alpha2")
    return None if listed is None else sum(one["metadata"]["name"].startswith(name) for one in listed.get("items", []))


def in_statistics(name):
    found = json.loads(kubelet.get("/stats/summary", 20))
    return any(one["podRef"]["name"].startswith(name) and any(container.get("memory") for container in one.get("containers") or []) for one in found["pods"])


def counted(node):
    """How the statistics came to have the pod. Where a kubelet asks cAdvisor, that looks for runtimes at the start only, and this one came later."""
    if machine.eventually(60, in_statistics, "elsewhere", pause=2):
        return "counted"
    node.kubelet.stop()
    # cAdvisor's first look takes three seconds for each pod of CRI-O 1.23, which does not find the pods' own containers.
    if node.start_kubelet() and machine.eventually(180, in_statistics, "elsewhere", pause=2):
        return "counted after another start of the kubelet"
    return "not counted"


def logs_of(name):
    """The words that the pod has written, once the kubelet knows that it runs, which older ones do a while after the runtime."""
    def words():
        return sorted(kubelet.log(name).split())
    return machine.eventually(20, lambda: (said := words()) == ["begins", "error"] and said) or words()


def two_runtimes(node):
    name = choose(node)
    if name is None:
        node.observe("two runtimes", "no other runtime is built", False)
        return
    node.second = runtimes.make(name, node.peers, node.repository, node.logs, place=1)
    if not node.second.start():
        node.observe("two runtimes", f"{name} did not start", False)
        return
    node.write_map({"name": NAME, "endpoint": f"unix://{node.second.socket}", "handlers": ["other"], "image_prefix": PREFIX})
    status, text = node.crigate("reload", "--config", "/etc/crigate/crigate.yaml")
    # A kubelet whose pulls do not name the pod says by a prefix where the image is to be.
    image = pods.IMAGE if node.kubelet.minor >= kubelet.FIRST_WITH_POD_IN_PULLS else f"{PREFIX}/{pods.IMAGE}"
    late = node.put_pods([pods.pod("elsewhere", [pods.container("main", pods.SERVE, image=image)], {"kubernetes.io/target-runtime": NAME})])
    found = kubelet.pods().get("elsewhere", {}).get("status", {}).get("containerStatuses") or [{}]
    ran = streams.execute("elsewhere", "main", ["echo", "inside"])
    forward = streams.forward("elsewhere", 8080, b"GET /index.html HTTP/1.0\r\n\r\n")
    value = {
        "map": "in force" if status == 0 else text, "pod": "does not run" if late else "runs",
        "on the second": sandboxes(node, node.second.socket, "elsewhere"), "on the first": sandboxes(node, node.runtime.socket, "elsewhere"),
        "id has its prefix": f"{NAME}__" in (found[0].get("containerID") or ""), "exec": ran.get("out"), "port-forward": forward.get("out", "")[-18:],
        "logs": logs_of("elsewhere"),
        "statistics": counted(node),
    }
    good = {"map": "in force", "pod": "runs", "on the second": 1, "on the first": 0, "id has its prefix": True, "exec": "inside\n",
            "port-forward": "served from a pod\n", "logs": ["begins", "error"], "statistics": value["statistics"]}
    by_cadvisor = node.task["runtime"].startswith("crio")
    counts = value["statistics"] == "counted" or by_cadvisor and value["statistics"] == "counted after another start of the kubelet"
    node.observe(f"two runtimes ({name})", value, value == good and counts)
    node.disturb("second runtime killed", kill_second(node))


def kill_second(node):
    def action():
        node.second.speaker.process.kill()
        node.second.speaker.process.wait(10)
        node.second.speaker.start()
        return None
    return action
