"""crigate comes and goes, is killed, taken over and reloaded under running pods. What cannot be done without crigate is a kubelet's restart there."""
import signal
import time

import kubelet


def restarted(node, socket):
    """The kubelet starts again, with its runtime at another socket."""
    def action():
        node.kubelet.stop()
        if not node.start_kubelet(socket):
            return f"the kubelet does not start: {node.kubelet.last_words()}"
        return None
    return action


def out_and_in(node):
    if node.task["alone"]:
        # Without crigate this kubelet does not start on this runtime.
        node.disturb("the kubelet restarts", restarted(node, node.endpoint))
        return
    node.disturb("crigate taken out", restarted(node, node.runtime.socket))
    node.disturb("crigate put in", restarted(node, node.endpoint))
    node.observe("log lines of a restart", node.steady_lines([node.kubelet.starts]), None, "lines")


def killed(node):
    def action():
        node.gateway.send(signal.SIGKILL)
        node.gateway.process.wait(10)
        time.sleep(1)
        return None if node.start_gateway() else f"crigate does not start again: {node.gateway.text()[-300:]}"
    node.disturb("crigate killed", action)


def taken_over(node):
    def action():
        old = node.gateway
        if not node.start_gateway("--takeover"):
            return f"the new crigate does not answer: {node.gateway.text()[-300:]}"
        for _ in range(100):
            if not old.runs():
                return None if old.process.returncode == 0 else f"the old crigate ended with {old.process.returncode}"
            time.sleep(0.2)
        return "the old crigate still runs after 20 s"
    node.disturb("crigate taken over", action)


def reloaded(node):
    def action():
        status, text = node.crigate("reload", "--config", "/etc/crigate/crigate.yaml")
        return None if status == 0 else text
    node.disturb("crigate reloaded", action)


def alive(node):
    """crigate as it is in the end: its status, and no lines that say more than what was done to it."""
    status, text = node.crigate("status", "--config", "/etc/crigate/crigate.yaml", "-o", "json")
    node.observe("crigate status", {"status": status, "text": None if status == 0 else text}, status == 0)


def taken_pods_go(node):
    """Pods whose manifests are gone go from the kubelet and from the runtime."""
    gone = [file.stem for file in kubelet.MANIFESTS.glob("after-*.json")]
    for name in gone:
        kubelet.take(name)
    end = time.monotonic() + 60
    left = gone
    while left and time.monotonic() < end:
        time.sleep(1)
        listed = node.call("ListPodSandbox", request='{"filter": {"state": {"state": "SANDBOX_READY"}}}') or {}
        left = [one["metadata"]["name"] for one in listed.get("items", []) if one["metadata"]["name"].removesuffix("-node-1") in gone]
    node.observe("pods that are taken away go", {"left": left, "of": len(gone)} if left else "all went", not left)
