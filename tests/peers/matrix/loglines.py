"""Lines of a kubelet's log at the levels W and E, without what is of one run: so that those of two kubelets can be compared."""
import re

HEADER = re.compile(r"^([WEF])\d{4} [\d:.]+ +\d+ ([\w.-]+\.go):\d+\] (.*)$")
# In this order.
OF_ONE_RUN = [
    (re.compile(r"(unix://)?/[\w/.-]*(containerd|crio|cri-dockerd|crigate)\.sock"), "SOCKET"),
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "UID"),
    (re.compile(r"pod[0-9a-f_-]{32,36}"), "podUID"),
    (re.compile(r"\b(\w[\w.]*__)?[0-9a-f]{12,64}\b"), "ID"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ][\d:.]+( ?[+-]\d{4})?( ?UTC|Z)?( m=[+-][\d.]+)?"), "TIME"),
    (re.compile(r"\b[a-z0-9-]+?-node-1(?![a-z0-9-])"), "POD"),
    (re.compile(r"\b(\d+(\.\d+)?(h|m|s|ms|µs|us|ns))+\b"), "DURATION"),
    (re.compile(r"0x[0-9a-f]+"), "NUMBER"),
    (re.compile(r"\b\d+(\.\d+)*\b"), "NUMBER"),
]
LONGEST = 600


def normal(message):
    for pattern, word in OF_ONE_RUN:
        message = pattern.sub(word, message)
    return message[:LONGEST]


def serious(text):
    """The serious lines of a log: {LEVEL FILE: MESSAGE: HOW OFTEN}."""
    found = {}
    for line in text.splitlines():
        if header := HEADER.match(line):
            key = f"{header[1]} {header[2]}: {normal(header[3])}"
            found[key] = found.get(key, 0) + 1
    return found
