"""A second runtime behind the same crigate: a static pod gets there by its annotation."""
import json

import kubelet
import machine
import pods
import runtimes
import streams

NAME = "other"


def choose(node):
    """Another kind of runtime, so that their folders and sockets are apart."""
    kinds = ["crio-1.36", "crio-1.23", "containerd-2.4"] if not node.task["runtime"].startswith("crio") else ["containerd-1.6"]
    return next((name for name in kinds if name == "containerd-1.6" or (node.peers / name / "build.json").exists() or (node.peers / name).is_dir()), None)


def sandboxes(node, socket, name):
    listed = node.call("ListPodSandbox", socket) or {}
    return [one for one in listed.get("items", []) if one["metadata"]["name"].startswith(name)]


def in_statistics(name):
    found = json.loads(kubelet.get("/stats/summary", 20))
    return any(one["podRef"]["name"].startswith(name) and any(container.get("memory") for container in one.get("containers") or []) for one in found["pods"])


def counted(node):
    """How the statistics came to have the pod. Where a kubelet asks cAdvisor, that looks for runtimes at the start only, and this one came later."""
    if machine.eventually(60, in_statistics, "elsewhere", pause=2):
        return "counted"
    node.kubelet.stop()
    if node.start_kubelet() and machine.eventually(60, in_statistics, "elsewhere", pause=2):
        return "counted after another start of the kubelet"
    return "not counted"


def two_runtimes(node):
    name = choose(node)
    if name is None:
        node.observe("two runtimes", "no other runtime is built", None)
        return
    node.second = runtimes.make(name, node.peers, node.repository, node.logs, place=1)
    if not node.second.start():
        node.observe("two runtimes", f"{name} did not start", False)
        return
    node.write_map({"name": NAME, "endpoint": f"unix://{node.second.socket}", "handlers": ["other"]})
    status, text = node.crigate("reload", "--config", "/etc/crigate/crigate.yaml")
    late = node.put_pods([pods.pod("elsewhere", [pods.container("main", pods.SERVE)], {"kubernetes.io/target-runtime": NAME})])
    found = kubelet.pods().get("elsewhere", {}).get("status", {}).get("containerStatuses") or [{}]
    ran = streams.execute("elsewhere", "main", ["echo", "inside"])
    forward = streams.forward("elsewhere", 8080, b"GET /index.html HTTP/1.0\r\n\r\n")
    value = {
        "map": "in force" if status == 0 else text, "pod": "does not run" if late else "runs",
        "on the second": len(sandboxes(node, node.second.socket, "elsewhere")), "on the first": len(sandboxes(node, node.runtime.socket, "elsewhere")),
        "id has its prefix": f"{NAME}__" in (found[0].get("containerID") or ""), "exec": ran.get("out"), "port-forward": forward.get("out", "")[-18:],
        "logs": sorted(kubelet.log("elsewhere").split()),
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
