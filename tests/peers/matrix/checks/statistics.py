"""What the kubelet reports of its node and pods."""
import json
import time

import kubelet
import leaves
import machine
import pods

SAMPLES, PAUSE = 4, 3


def all_pods_counted():
    """Whether the statistics have each pod's memory by now."""
    found = json.loads(kubelet.get("/stats/summary", 20))
    counted = [one for one in found["pods"] if any(container.get("memory", {}).get("workingSetBytes") for container in one.get("containers") or [])]
    return len(counted) >= len([name for name in kubelet.pods() if name != "crash"])


def cadvisor_has_all():
    """Whether cAdvisor has each container, or names none at all, as before runtimes that it does not know. It may have come before the runtime had the
    container, and finds it when it looks at all cgroups again, once in a minute."""
    seen = leaves.containers(kubelet.get("/metrics/cadvisor", 20))
    running = {name for name, (_, restarts) in pods.identities().items() if restarts == 0}
    return not seen & running or running <= seen


def wait_until_settled(seconds=20):
    """Until two looks in turn have the same leaves: of a young container, a kubelet has the runtime's statistics until it has those of cAdvisor."""
    before, end = None, time.monotonic() + seconds
    while time.monotonic() < end:
        now = of_the_ten(leaves.summary(json.loads(kubelet.get("/stats/summary", 20))))
        if now == before:
            return
        before = now
        time.sleep(PAUSE)


def statistics(node, suffix=""):
    machine.eventually(30, all_pods_counted, pause=1)
    machine.eventually(75, cadvisor_has_all, pause=PAUSE)
    wait_until_settled()
    seen = {"summary": [], "cadvisor": []}
    for _ in range(SAMPLES):
        time.sleep(PAUSE)
        try:
            seen["summary"].append(leaves.summary(json.loads(kubelet.get("/stats/summary", 20))))
            seen["cadvisor"].append(leaves.metrics(kubelet.get("/metrics/cadvisor", 20)))
        except (OSError, ValueError):
            continue
    for name, path in [("summary", "/stats/summary"), ("cadvisor", "/metrics/cadvisor")]:
        node.observe_leaves(path + suffix, leaves.together([of_the_ten(sample) for sample in seen[name]]))


def of_the_ten(sample):
    """Without pods that one side has and the other has not, because more was done to it, and the one that comes and goes."""
    others = ("[after-", "[elsewhere]", "[crash]", " of after-", " of elsewhere/", " of crash/")
    return {leaf for leaf in sample if not any(other in leaf for other in others)}


def names(node):
    """Which pods the kubelet has statistics of."""
    found = json.loads(kubelet.get("/stats/summary", 20))
    present = sorted(one["podRef"]["name"].removesuffix("-node-1") for one in found["pods"] if not one["podRef"]["name"].startswith("crash-"))
    node.observe("pods in /stats/summary", present, set(pods_that_run()) <= set(present))


def pods_that_run():
    return [name for name, one in kubelet.pods().items() if name != "crash" and pods.settled(name) and one]
