"""Feature gates of kubelets that change how they talk to a runtime."""
import checks.statistics
import machine

# The first and the last release that has it.
GATES = {"EventedPLEG": (26, 99), "PodAndContainerStatsFromCRI": (23, 99), "CRIListStreaming": (36, 99)}


def gates(node):
    for gate, (first, last) in GATES.items():
        if not first <= node.kubelet.minor <= last:
            continue

        def action(gate=gate):
            node.kubelet.stop()
            # What asked it to death before no longer does.
            node.revive()
            machine.eventually(20, node.call, "Version")
            return None if node.start_kubelet(gates={gate: True}) else f"the kubelet does not start: {node.kubelet.last_words()}"
        node.disturb(f"gate {gate}", action)
        if gate == "PodAndContainerStatsFromCRI" and node.observations[-1]["good"]:
            checks.statistics.statistics(node, f" with gate {gate}")
