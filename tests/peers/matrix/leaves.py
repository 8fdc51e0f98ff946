"""What a kubelet reports of its node and pods, leaf by leaf: names and types, without values."""
import re

UID = re.compile(r"[0-9a-f]{8}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{12}|[0-9a-f]{32,64}")
SERIES = re.compile(r"^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)(?: \d+)?$")
LABEL = re.compile(r'([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"')
# Names by which the items of a list are known.
NAMED = {"interfaces": lambda item: re.sub(r"\d+$|(?<=veth).*", "*", item.get("name", "?")),
         "pods": lambda item: item.get("podRef", {}).get("name", "?").removesuffix("-node-1")}


def of_any(key):
    """Without what is of one run in the keys of a map."""
    return re.sub(r"^veth[0-9a-f]+$", "veth*", key)


def summary(value, path=""):
    """The leaves of /stats/summary, or of any JSON: PATH: TYPE."""
    if isinstance(value, dict):
        return {leaf for key, item in value.items() for leaf in summary(item, f"{path}.{of_any(key)}" if path else of_any(key))}
    if isinstance(value, list):
        key = path.rpartition(".")[2]
        name = NAMED.get(key, lambda item: item.get("name", "*") if isinstance(item, dict) else "*")
        return {leaf for item in value for leaf in summary(item, f"{path}[{name(item)}]")}
    kind = {bool: "boolean", int: "number", float: "number", str: "text", type(None): "null"}[type(value)]
    return {f"{path}: {kind}"}


def of_whom(labels):
    """Whose a series is: a container of a pod, a pod, or a cgroup of the node."""
    pod = labels.get("pod") or labels.get("pod_name")
    if pod:
        return f"{pod.removesuffix('-node-1')}/{labels.get('container') or labels.get('container_name') or '-'}"
    # Each pod and container has a cgroup; which there are is known from the pods already.
    group = re.sub(r"/pod[0-9a-f_-]{32,36}", "/podID", labels.get("id", ""))
    return re.sub(r"/ID.*", "/ID", UID.sub("ID", group)) or "node"


def metrics(text):
    """The leaves of /metrics/cadvisor: NAME{LABELS} of whom, and the type of each name."""
    found = set()
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split()
            found.add(f"{name} is a {kind}")
        elif not line.startswith("#") and (series := SERIES.match(line)):
            labels = dict(LABEL.findall(series[2] or ""))
            empty = {name for name, value in labels.items() if value == ""}
            keys = ",".join(sorted(name for name in labels if name not in empty))
            found.add(f"{series[1]}{{{keys}}} of {of_whom(labels)}")
    return found


def containers(text):
    """The containers of which /metrics/cadvisor has something, as POD/CONTAINER."""
    found = set()
    for line in text.splitlines():
        if series := SERIES.match(line):
            labels = dict(LABEL.findall(series[2] or ""))
            if labels.get("pod") or labels.get("pod_name"):
                found.add(of_whom(labels))
    return found


def together(samples):
    """How many of some samples have each leaf: {"samples": N, "leaves": {LEAF: COUNT}}."""
    counts = {}
    for sample in samples:
        for leaf in sample:
            counts[leaf] = counts.get(leaf, 0) + 1
    return {"samples": len(samples), "leaves": counts}
