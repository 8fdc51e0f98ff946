"""What the kubelet reports of its node and pods."""
import json
import time

import kubelet
import leaves
import machine
import pods

# Samples that are compared, the seconds before each, and how many there may be until those are alike: cAdvisor looks for new cgroups once in a minute.
SAMPLES, PAUSE, MOST = 4, 3, 24


def all_pods_counted():
    """Whether the statistics have each pod's memory by now."""
    found = json.loads(kubelet.get("/stats/summary", 20))
    counted = [one for one in found["pods"] if any(container.get("memory", {}).get("workingSetBytes") for container in one.get("containers") or [])]
    return len(counted) >= len([name for name in kubelet.pods() if name != "crash"])


def cadvisor_has_all():
    """Whether cAdvisor has each container, and each pod's own, or names none of them at all, as before runtimes that it does not know. It may have come
    before the runtime had the container, and finds it when it looks at all cgroups again, once in a minute."""
    seen = leaves.containers(kubelet.get("/metrics/cadvisor", 20))
    running = {name for name, (_, restarts) in pods.identities().items() if restarts == 0}
    own = {name.partition("/")[0] + "/-" for name in running}
    return all(not seen & kind or kind <= seen for kind in [running, own])


def statistics(node, suffix=""):
    counted = machine.eventually(30, all_pods_counted, pause=1)
    node.observe("statistics of each pod" + suffix, "there" if counted else "missing", bool(counted))
    machine.eventually(75, cadvisor_has_all, pause=PAUSE)
    summaries, metrics = [], []
    for _ in range(MOST):
        time.sleep(PAUSE)
        for samples, path, leaves_of in [(summaries, "/stats/summary", leaves_of_summary), (metrics, "/metrics/cadvisor", leaves.metrics)]:
            try:
                samples.append(of_the_ten(leaves_of(kubelet.get(path, 20))))
            except (OSError, ValueError):
                continue
        if same(summaries[-SAMPLES:]) and same(metrics[-SAMPLES:]):
            break
    for path, samples in [("/stats/summary", summaries), ("/metrics/cadvisor", metrics)]:
        node.observe_leaves(path + suffix, leaves.together(samples[-SAMPLES:]))


def leaves_of_summary(text):
    return leaves.summary(json.loads(text))


def same(samples):
    return len(samples) == SAMPLES and all(sample == samples[0] for sample in samples)


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
