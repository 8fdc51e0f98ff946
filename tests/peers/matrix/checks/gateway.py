"""crigate comes and goes, is killed, taken over and reloaded under running pods. What cannot be done without crigate is a kubelet's restart there."""
import json
import signal
import time

import kubelet
import machine

# What a process that was taken over may still need: nothing; calls that do not get on, which limits.shutdown_grace ends; or calls that a runtime works
# on, which are as long as the kubelet waits. Its log tells which: a call of 30 s is reported there.
IDLE_SECONDS, GRACE_SECONDS, WORK_SECONDS = 10, 45, 250
CUT_OFF = ("cancelling them", "exiting anyway")


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
    """The new process serves, and the old one goes by itself, without having cut a call off."""
    def action():
        old = node.gateway
        begin = old.size()
        if not node.start_gateway("--takeover") or not machine.eventually(10, lambda: "taken over: this process now serves" in node.gateway.text()):
            return f"the new crigate does not serve: {node.gateway.text()[-300:]}"
        return old_process_goes(old, begin)
    node.disturb("crigate taken over", action)


def old_process_goes(old, begin):
    """None, or what is wrong with the end of a process whose log has that size as it is taken over."""
    def seconds():
        text = old.text(begin)
        if "stopping; 0 calls in flight" in text:
            return IDLE_SECONDS
        return WORK_SECONDS if "a call is taking a long time" in text else GRACE_SECONDS
    began = time.monotonic()
    while old.runs() and time.monotonic() < began + seconds():
        time.sleep(0.2)
    text = old.text(begin)
    if old.runs():
        return f"the old crigate is still running after {seconds()} s: {text[-300:]}"
    if any(words in text for words in CUT_OFF):
        return f"the old crigate cut calls off: {text[-300:]}"
    return None if old.process.returncode == 0 else f"the old crigate ended with {old.process.returncode}"


def reloaded(node):
    def action():
        status, text = node.crigate("reload", "--config", "/etc/crigate/crigate.yaml")
        return None if status == 0 else text
    node.disturb("crigate reloaded", action)


def alive(node):
    """crigate as it is in the end: all runtimes are ready, and none of its processes has cut a call off."""
    def states():
        text = node.crigate("status", "--config", "/etc/crigate/crigate.yaml", "-o", "json")[1]
        return {one["name"]: one["state"] for one in json.loads(text)["runtimes"]}
    ready = machine.eventually(20, lambda: (now := states()) and set(now.values()) == {"ready"} and now)
    node.observe("crigate status", ready or node.crigate("status", "--config", "/etc/crigate/crigate.yaml")[1], bool(ready))
    cut = [line for file in sorted(node.logs.glob("crigate-*.log")) for line in file.read_text(errors="replace").splitlines()
           if any(words in line for words in CUT_OFF)]
    node.observe("no call was cut off", cut or "none was", not cut)


def taken_pods_go(node):
    """Pods whose manifests are gone go from the kubelet and from the runtime."""
    gone = [file.stem for file in kubelet.MANIFESTS.glob("after-*.json")]
    for name in gone:
        kubelet.take(name)
    # The kubelet before has ended, and of the next one cAdvisor's first look comes first: with CRI-O 1.23 three seconds for each pod.
    end = time.monotonic() + 240
    left = gone
    while left and time.monotonic() < end:
        time.sleep(1)
        listed = node.call("ListPodSandbox", request='{"filter": {"state": {"state": "SANDBOX_READY"}}}', api=node.spoken())
        if listed is None:
            continue
        left = [one["metadata"]["name"] for one in listed.get("items", []) if one["metadata"]["name"].removesuffix("-node-1") in gone]
    node.observe("pods that are taken away go", {"left": left, "of": len(gone)} if left else "all went", not left)
