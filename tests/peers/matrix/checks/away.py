"""A runtime that is killed, stands still, or is replaced by another version under running pods."""
import signal
import time


def killed(node):
    def action():
        node.runtime.speaker.send(signal.SIGKILL)
        node.runtime.speaker.process.wait(10)
        time.sleep(2)
        node.runtime.speaker.start()
        return None
    node.disturb("runtime killed", action)


def stopped(node, seconds):
    def action():
        node.runtime.speaker.send(signal.SIGSTOP)
        time.sleep(seconds)
        node.runtime.speaker.send(signal.SIGCONT)
        return None
    node.disturb(f"runtime stopped for {seconds} s", action)


def stopped_8(node):
    stopped(node, 8)


def stopped_45(node):
    stopped(node, 45)


def replaced(node):
    """Where another version of the runtime takes over what this one holds."""
    new = node.runtime.successor()
    if new is None:
        return

    def action():
        node.runtime.speaker.stop()
        node.runtime = new
        return None if new.start() else f"{new.name} does not start: {new.speaker.text()[-300:]}"
    node.disturb(f"runtime replaced by {new.name}", action)
