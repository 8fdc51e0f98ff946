"""That the comparison of counts can fail: each count that is one too high or too low, and each call that is missing, is found."""

import unittest

from counts import CHANGING, check_samples
from exposition import parse
from nodes_under_faults import PLUGINS, RUNTIMES, STAGES
from prometheus import Failure

# Each method once on each runtime, and one list, which goes to all.
CALLS = [(method, runtime) for method in CHANGING for runtime in RUNTIMES]


class FakeNode:
    """What the client, runtimes and plugins wrote down of CALLS."""

    def __init__(self):
        self.ended = {number: (method, "OK") for number, (method, _) in enumerate(CALLS, 1)}
        self.ended[len(CALLS) + 1] = "ListPodSandbox", "OK"
        self.lines = {name: [(i, m, "OK") for i, (m, r) in enumerate(CALLS, 1) if r == name] for name in RUNTIMES}
        for lines in self.lines.values():
            lines.append((len(CALLS) + 1, "ListPodSandbox", "OK"))
        self.hooks = {(f"{plugin}.json", stage): 2 for plugin in PLUGINS for stage in STAGES}

    def calls(self):
        return self.ended

    def asked(self, runtime):
        return self.lines[runtime]

    def hooked(self):
        return self.hooks


def histogram(name, labels, number):
    return "".join(f'{name}_bucket{{{labels},le="{le}"}} {number}\n' for le in ("1.0", "+Inf")) + f"{name}_count{{{labels}}} {number}\n"


def right_samples():
    text = "crigate_rpc_in_flight 0\n"
    for method, runtime in [*CALLS, ("ListPodSandbox", "*")]:
        labels = f'method="{method}",runtime="{runtime}"'
        text += f'crigate_rpc_requests_total{{{labels},code="OK"}} 1\n' + histogram("crigate_rpc_duration_seconds", labels, 1)
    for method, runtime in CALLS + [("ListPodSandbox", runtime) for runtime in RUNTIMES]:
        text += histogram("crigate_upstream_duration_seconds", f'method="{method}",runtime="{runtime}"', 1)
    for plugin in PLUGINS:
        for stage in STAGES:
            labels = f'plugin="{plugin}.json",result="ok",stage="{stage}"'
            text += histogram("crigate_hook_duration_seconds", labels, 2)
    return parse(text)


class Counts(unittest.TestCase):
    def test_right_counts_pass(self):
        for gentle in (True, False):
            self.assertEqual(check_samples(right_samples(), FakeNode(), gentle), len(CALLS) + 1)

    def test_each_wrong_count_is_found(self):
        right = right_samples()
        for key in right:
            # Fewer in a small bucket are slower calls.
            for difference in (1,) if ("le", "1.0") in key[1] else (-1, 1):
                with self.subTest(key=key, difference=difference), self.assertRaises(Failure):
                    check_samples({**right, key: right[key] + difference}, FakeNode(), True)

    def test_each_missing_series_is_found(self):
        right = right_samples()
        for missing in right:
            if missing[0] != "crigate_rpc_in_flight" and not missing[0].endswith("_bucket"):
                with self.subTest(missing=missing), self.assertRaises(Failure):
                    check_samples({key: value for key, value in right.items() if key != missing}, FakeNode(), True)

    def test_a_call_that_was_lost_is_found_though_faults_break_calls_off(self):
        for runtime in RUNTIMES:
            node = FakeNode()
            del node.lines[runtime][0]
            with self.assertRaises(Failure):
                check_samples(right_samples(), node, False)

    def test_a_line_that_was_not_counted_is_found_though_faults_break_calls_off(self):
        node = FakeNode()
        node.lines["first"].append((1000, "ContainerStatus", "OK"))
        node.lines["second"].append((1001, "ListPodSandbox", "OK"))
        with self.assertRaises(Failure):
            check_samples(right_samples(), node, False)


if __name__ == "__main__":
    unittest.main()
