"""Pods run, and the kubelet's API reaches into them."""
import threading
import time
import urllib.request

import kubelet
import machine
import pods
import streams

TRANSLATES = 36
RESTRICTED = ["Uid:\t1000", "NoNewPrivs:\t1", "CapEff:\t0000000000000000"]


def ten_pods(node):
    manifests = pods.ten(node.kubelet.minor)
    late = node.put_pods(manifests)
    found = kubelet.pods()
    for manifest in manifests:
        name = manifest["metadata"]["name"]
        node.observe(f"pod {name}", pods.state(found.get(name, {})), name not in late)


def any_pod(node):
    """Whether one of them runs."""
    return any(one["good"] for one in node.observations if one["name"].startswith("pod "))


def process_of(node):
    """What the process of the pod without root sees of itself."""
    said = streams.execute("user", "main", ["grep", "-E", "^(Uid|NoNewPrivs|CapEff):", "/proc/self/status"])
    node.observe("process of pod user", said, all(line in said.get("out", "") for line in RESTRICTED))
    said = streams.execute("user", "main", ["grep", "-E", "^Seccomp:", "/proc/self/status"])
    node.observe("seccomp of pod user", said, "Seccomp:\t2" in said.get("out", ""))
    with_env = streams.execute("plain", "main", ["sh", "-c", "echo $WORD; cat /etc/hosts | wc -l; cat /etc/resolv.conf"])
    node.observe("environment of pod plain", with_env, with_env.get("out", "").startswith("given\n"))
    hooks = streams.execute("hooks", "main", ["ls", "/tmp"])
    node.observe("hook of pod hooks", hooks, "started" in hooks.get("out", ""))


def exec_attach_forward(node):
    said = streams.execute("plain", "main", ["sh", "-c", "echo out; echo err >&2; exit 3"])
    node.observe("exec: output, errors, exit code", said, said.get("out") == "out\n" and said.get("err") == "err\n" and "ExitCode 3" in str(said.get("error")))
    said = streams.execute("plain", "main", ["sh", "-c", "read line; echo got $line"], given=b"word\n")
    node.observe("exec: input", said, said.get("out") == "got word\n")
    said = streams.execute("plain", "main", ["sh", "-c", "test -t 0 && echo terminal; read line"], given=b"\n", until=b"terminal\r\n", tty=True)
    said = {"out": said.get("out", "").strip(), "error": said.get("refused") or said.get("broken")}
    node.observe("exec: terminal", said, "terminal" in said["out"])
    said = streams.execute("plain", "main", ["no-such-program"])
    failed = bool(said.get("error") or said.get("refused"))
    node.observe("exec: no such program", {"error": failed}, failed)
    big = streams.execute("plain", "main", ["sh", "-c", "head -c 3000000 /dev/zero | tr '\\0' x"], seconds=30)
    node.observe("exec: 3 MB of output", {"bytes": len(big.get("out", ""))}, len(big.get("out", "")) == 3000000)
    said = streams.attach("tty", "main", b"attached\n", b"heard attached")
    heard = "heard attached" in said.get("out", "")
    node.observe("attach: input and output", {"heard": heard, "error": said.get("refused")}, heard)
    said = streams.forward("plain", 8080, b"GET /index.html HTTP/1.0\r\n\r\n")
    node.observe("port-forward", {"page": said.get("out", "").endswith("served from a pod\n"), "error": said.get("error") or said.get("refused")},
                 said.get("out", "").endswith("served from a pod\n"))


def as_kubectl(node):
    """As an API server asks for it when kubectl does: by SPDY, or, of a kubelet that says that it can translate them, by kubectl's WebSockets."""
    for protocol in ["spdy"] + (["websocket"] if node.kubelet.minor >= TRANSLATES else []):
        kubectl = streams.Kubectl(node.peers, protocol)
        said = kubectl.execute("plain", "main", ["sh", "-c", "read line; echo got $line; echo err >&2; exit 3"], b"word\n")
        node.observe(f"kubectl exec, {protocol}", said, said.get("out") == "got word\n" and said.get("err") == "err\n" and said.get("error") == {"exit": 3})
        said = kubectl.attach("tty", "main", f"{protocol}\n".encode(), f"heard {protocol}")
        heard = f"heard {protocol}" in said.get("out", "")
        node.observe(f"kubectl attach, {protocol}", {"heard": heard, "error": said.get("error") or said.get("refused")}, heard)
        said = kubectl.forward("plain", 8080, b"GET /index.html HTTP/1.0\r\n\r\n", "served from a pod\n")
        page = said.get("out", "").endswith("served from a pod\n")
        node.observe(f"kubectl port-forward, {protocol}", {"page": page, "error": said.get("error") or said.get("refused") or said.get("err")}, page)


def host_port(node):
    """From the pods' bridge, since addresses of loopback are not led to pods everywhere."""
    def page():
        with urllib.request.urlopen(f"http://{machine.ADDRESS}:18080/index.html", timeout=3) as answer:
            return answer.read().decode()
    said = machine.eventually(10, page)
    node.observe("host port", said, said == "served from a pod\n")


def logs(node):
    # Two pipes: which line is written first is not certain.
    said = sorted(kubelet.log("plain").split())
    node.observe("logs", said, said == ["begins", "error"])
    said = kubelet.log("plain", "?tailLines=1")
    node.observe("logs: tail", {"lines": len(said.splitlines())}, len(said.splitlines()) == 1)
    said = kubelet.log("plain", "?timestamps=true&tailLines=1")
    node.observe("logs: timestamps", {"time": said[:2] == "20", "words": len(said.split())}, said[:2] == "20")
    def previous():
        text = kubelet.log("crash", "?previous=true")
        return text if text == "crashes\n" else None
    said = machine.eventually(20, previous)
    node.observe("logs: of the container before", said, said == "crashes\n")
    follow(node)


def follow(node):
    """A line that is written while a caller follows comes at once."""
    heard = []

    def read():
        try:
            with urllib.request.urlopen("https://127.0.0.1:10250/containerLogs/default/tty-node-1/main?follow=true&tailLines=0", timeout=20,
                                        context=kubelet.WITHOUT_CHECKS) as answer:
                heard.append(answer.readline().decode().strip())
                # A caller that goes at once may cancel the kubelet's next look at the container, which it then logs.
                time.sleep(1.2)
        except OSError as error:
            heard.append(str(error))

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    for _ in range(6):
        time.sleep(1.5)
        if heard:
            break
        streams.attach("tty", "main", b"followed\n", b"heard followed")
    thread.join(15)
    node.observe("logs: follow", {"came": bool(heard) and "followed" in heard[0], "said": None if heard and "followed" in heard[0] else heard},
                 bool(heard) and "followed" in heard[0])


def known_to_the_kubelet(node):
    """No kubelet was ever told of a container that runs that there is none: it would make another one."""
    ids = [one.partition("//")[2] for one, _ in (node.known or {}).values() if one]
    lines = [line for file in sorted(node.logs.glob("kubelet-*.log")) for line in file.read_text(errors="replace").splitlines() if "NotFound" in line]
    wrong = [line[:300] for line in lines if any(name and name in line for name in ids)]
    node.observe("no NOT_FOUND of what runs", wrong[:5] or "none", bool(ids) and not wrong)
