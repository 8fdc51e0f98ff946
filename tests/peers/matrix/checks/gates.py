"""Feature gates of kubelets that change how they talk to a runtime."""
import time

import checks.statistics
import machine

# The first and the last release that has it. The last of them ends CRI-O, and what it leaves behind is nothing for the others.
GATES = {"EventedPLEG": (26, 99), "CRIListStreaming": (36, 99), "PodAndContainerStatsFromCRI": (23, 99)}
# What a kubelet with the gate calls, and without it does not. Newer ones first try whether the runtime has statistics, and leave it at that if not.
ASKED = {"EventedPLEG": ["GetContainerEvents"], "PodAndContainerStatsFromCRI": ["ListPodSandboxStats", "PodSandboxStats"], "CRIListStreaming": ["StreamContainers"]}


def was_asked(node, methods):
    """Which of these methods has had a call that has ended, or is under way."""
    ended = node.crigate("status", "--config", "/etc/crigate/crigate.yaml", "-o", "prometheus")[1]
    under_way = node.crigate("calls", "--config", "/etc/crigate/crigate.yaml", "-o", "json")[1]
    return next((method for method in methods if f'method="{method}"' in ended or f'"{method}"' in under_way), None)


def quieten(node):
    """Stops the kubelet, which may have asked the runtime to death, or be about to."""
    node.kubelet.stop()
    time.sleep(2)
    node.recover()


def gates(node):
    for gate, (first, last) in GATES.items():
        if not first <= node.kubelet.minor <= last:
            continue

        def action(gate=gate):
            quieten(node)
            return None if node.start_kubelet(gates={gate: True}) else f"the kubelet does not start: {node.kubelet.last_words()}"
        node.disturb(f"gate {gate}", action)
        outcome = node.observations[-1]["value"]
        if node.through and gate in ASKED:
            asked = machine.eventually(15, was_asked, node, ASKED[gate], pause=1)
            node.observe(f"gate {gate}: crigate is asked", asked or "never", bool(asked))
        # A container that was restarted is no reason not to look.
        if gate == "PodAndContainerStatsFromCRI" and (outcome["runtimes"], outcome["action"], outcome["kubelet"]) == ("go on", "done", "goes on"):
            checks.statistics.statistics(node, f" with gate {gate}")
    if any(first <= node.kubelet.minor <= last for first, last in GATES.values()):
        without_gates(node)


def without_gates(node):
    """What comes after is not about gates."""
    quieten(node)
    if not node.start_kubelet():
        node.observe("the kubelet without gates", f"does not start: {node.kubelet.last_words()}", False)
        return
    node.wait_for_pods(60)
