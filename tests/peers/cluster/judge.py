"""What a watch of pods, nodes or events shows that must not happen. A watch is what `kubectl get --raw PATH?watch=true` prints: a line of
JSON for each change."""

import json

# Events of pods that nothing but a fault causes, where workloads are as they should be.
BAD_EVENTS = {"BackOff", "SandboxChanged", "NodeNotReady", "FailedCreatePodSandBox", "FailedKillPod", "Unhealthy", "Evicted"}


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
    """When the nodes were not Ready after they had been, in words; once for each time."""
    ready, found = {}, []
    for change in changes(lines):
        node = change["object"]["metadata"]["name"]
        conditions = [c for c in change["object"].get("status", {}).get("conditions", []) if c["type"] == "Ready"]
        now = bool(conditions) and conditions[0]["status"] == "True" and change["type"] != "DELETED"
        if ready.get(node) and not now:
            why = conditions[0] if conditions else {}
            found.append(f"{node}: not Ready since {why.get('lastTransitionTime')}: {why.get('reason')}: {why.get('message')}")
        ready[node] = now
    return found


def bad_events(lines):
    """How often which of BAD_EVENTS came, in words."""
    counts, texts = {}, {}
    for change in changes(lines):
        event = change["object"]
        if event.get("reason") in BAD_EVENTS and change["type"] != "DELETED":
            key = event["metadata"]["uid"], event["reason"]
            counts[key] = max(counts.get(key, 0), event.get("count") or (event.get("series") or {}).get("count") or 1)
            texts[key] = event.get("message") or event.get("note")
    return [f"{reason} ({count} times): {texts[uid, reason]}" for (uid, reason), count in counts.items()]


def pods_seen(lines):
    """How many pods there were in all."""
    return len({change["object"]["metadata"]["uid"] for change in changes(lines)})


def longest_gap(numbers):
    """The first number that does not follow the one before, as (before, after); None if each does."""
    return next(((one, other) for one, other in zip(numbers, numbers[1:]) if other != one + 1), None)
