"""What a watch of pods, nodes or events shows that must not happen. A watch is what `kubectl get --raw PATH?watch=true` prints: a line of
JSON for each change."""

import json
import re

# Events of pods and nodes that nothing but a fault causes, where workloads are as they should be. The kubelet tries again what failed, so that
# for many faults there is no other trace. The words are those of its pkg/kubelet/events/event.go; `Failed` is a container that could not be
# created or started, or an image that could not be pulled.
BAD_EVENTS = {"BackOff", "SandboxChanged", "NodeNotReady", "Unhealthy", "Evicted", "Failed", "FailedSync", "FailedCreatePodSandBox",
              "FailedPodSandBoxStatus", "FailedCreatePodContainer", "FailedKillPod", "InspectFailed", "ExceededGracePeriod", "ContainerGCFailed"}

# crigate's log: its reason for a takeover that may be tried again later, and the ends of processes that had to be forced.
REFUSED = "the process before the running crigate is still creating pods or containers"
FORCED = ["did not end in time; cancelling them", "did not end in time; exiting anyway"]


def changes(lines):
    """The objects of a watch, in their order. A last line that was cut off does not count; any other that is no change is a mistake."""
    lines = list(lines)
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        try:
            change = json.loads(line)
        except ValueError:
            if number == len(lines) - 1:
                return
            raise
        if change.get("type") == "ERROR":
            raise ValueError(f"the watch failed: {change['object'].get('message')}")
        if change.get("type") != "BOOKMARK":
            yield change


def restarts(lines):
    """The containers that were started again, in words; and pods that failed though nobody deleted them."""
    first, found = {}, {}
    for change in changes(lines):
        pod = change["object"]
        name, status = pod["metadata"]["name"], pod.get("status", {})
        for container in status.get("initContainerStatuses", []) + status.get("containerStatuses", []):
            key = (pod["metadata"]["uid"], container["name"])
            what = f"{name}/{container['name']}"
            began = first.setdefault(key, container["containerID"]) if container.get("containerID") else None
            if container.get("restartCount", 0) > 0:
                last = container.get("lastState", {}).get("terminated", {})
                found[key] = f"{what}: {container['restartCount']} restarts ({last.get('reason')}, exit code {last.get('exitCode')})"
            elif began and container["containerID"] != began:
                found[key] = f"{what}: another container in its place"
        if status.get("phase") == "Failed" and "deletionTimestamp" not in pod["metadata"]:
            found[pod["metadata"]["uid"], None] = f"{name}: failed ({status.get('reason')})"
    return list(found.values())


def not_ready(lines):
    """When a node was not Ready, in words; once for each time. A watch that shows no node shows nothing good either."""
    ready, found = {}, []
    for change in changes(lines):
        node = change["object"]["metadata"]["name"]
        conditions = [c for c in change["object"].get("status", {}).get("conditions", []) if c["type"] == "Ready"]
        now = bool(conditions) and conditions[0]["status"] == "True" and change["type"] != "DELETED"
        if ready.get(node, True) and not now:
            why = conditions[0] if conditions else {}
            found.append(f"{node}: not Ready since {why.get('lastTransitionTime')}: {why.get('reason')}: {why.get('message')}")
        ready[node] = now
    return found if ready else ["the watch shows no node"]


def bad_events(lines, allowed=frozenset()):
    """How often which of BAD_EVENTS came, in words. `allowed`: what may come nevertheless, each as (name of the object, reason)."""
    counts, texts = {}, {}
    for change in changes(lines):
        event = change["object"]
        of_whom = event.get("involvedObject", {}).get("name"), event.get("reason")
        if event.get("reason") in BAD_EVENTS and of_whom not in allowed and change["type"] != "DELETED":
            key = event["metadata"]["uid"], event["reason"]
            counts[key] = max(counts.get(key, 0), event.get("count") or (event.get("series") or {}).get("count") or 1)
            texts[key] = event.get("message") or event.get("note")
    return [f"{reason} ({count} times): {texts[uid, reason]}" for (uid, reason), count in counts.items()]


def pods_seen(lines, app=None):
    """How many pods there were in all; of one label `app`, if that is given."""
    found = [change["object"]["metadata"] for change in changes(lines)]
    return len({pod["uid"] for pod in found if app in (None, pod.get("labels", {}).get("app"))})


def end_of_job(found):
    """The condition that a Job has ended with, Complete or Failed; None before."""
    conditions = found.get("status", {}).get("conditions", [])
    return next((one for one in conditions if one["type"] in ("Complete", "Failed") and one["status"] == "True"), None)


def longest_gap(numbers):
    """The first number that does not follow the one before, as (before, after); None if each does."""
    return next(((one, other) for one, other in zip(numbers, numbers[1:]) if other != one + 1), None)


def takeover_failure(log):
    """Why a takeover did not come, from what crigate has logged since it began; None if it does not say."""
    found = re.search(r"cannot take over: (.*)\n", log)
    return found[1] if found else None


def forced_ends(log):
    """The lines of crigate's log about calls and connections that did not end by themselves."""
    return [line for line in log.splitlines() if any(text in line for text in FORCED)]
