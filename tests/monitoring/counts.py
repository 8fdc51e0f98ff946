"""What crigate counted, against what its callers, runtimes and plugins wrote down.

Where each call is counted:

- crigate_rpc_requests_total and crigate_rpc_duration_seconds have each call that the gateway got, with the code of its reply. A
  patient client gives up none, and begins when the gateway listens: what it saw is equal, method by method and code by code.
- crigate_upstream_duration_seconds has each request to a runtime that was made for a caller, however it ended. Equal calls that share
  an answer are one request, and one line of the runtime's journal, which names the first of them. What crigate asks by itself has no
  caller, is not counted, and bears no number in the journal.
- A request that a runtime has answered is in its journal. One that was on its way to a runtime that was killed or stopped is in
  no journal, or is only later: so the two are equal where no fault breaks off a call. Elsewhere the journal has no line that was not
  counted; and of the calls that change something, as many may be missing there as the client saw fail.
- A runtime may be killed between its journal and its reply: the caller then sees another code. So OK is compared for those calls of
  the journal whose caller got OK.
- Hooks: each that was answered in time is in the plugin's journal.
- A gateway that takes over counts from 0, and what the old one counted after its last scrape is seen by nobody: nothing is compared
  there.
"""

from collections import Counter

from exposition import parse, scrape, total
from nodes_under_faults import RUNTIMES
from prometheus import require

# Calls that change something: each goes to one runtime, is never shared, and is never answered from memory.
CHANGING = (
    "RunPodSandbox StopPodSandbox RemovePodSandbox CreateContainer StartContainer StopContainer RemoveContainer"
    " UpdateContainerResources PullImage"
).split()

# Where a connection is filled, crowds of other callers send it.
OF_CROWDS = "PullImage"


def compare(what, counted, expected):
    """Fails, and names each count that differs."""
    different = {key for key in set(counted) | set(expected) if counted.get(key, 0) != expected.get(key, 0)}
    text = "".join(f"\n  {key}: counted {counted.get(key, 0):g}, is {expected.get(key, 0)}" for key in sorted(different))
    require(not different, f"{what}:{text}")


def check_replies(samples, calls, apart):
    """`apart`: methods that others called, too."""
    replies = {key: n for key, n in total(samples, "crigate_rpc_requests_total", ("method", "code")).items() if key[0] not in apart}
    compare("replies", replies, Counter(call for call in calls.values() if call[0] not in apart))
    ended = total(samples, "crigate_rpc_requests_total", ("method", "runtime"))
    compare("durations of calls", total(samples, "crigate_rpc_duration_seconds_count", ("method", "runtime")), ended)


def check_successes(samples, calls, asked, apart):
    """The calls that changed something, by the runtime that did it."""
    counted = total(samples, "crigate_rpc_requests_total", ("method", "runtime"), code="OK")
    counted = {key: number for key, number in counted.items() if key[0] in CHANGING and key[0] not in apart}
    expected = Counter(
        (method, runtime)
        for runtime, lines in asked.items()
        for number, method, code in lines
        if method in counted_methods(counted) and code == "OK" and calls.get(number) == (method, "OK")
    )
    compare("successes of runtimes", counted, expected)
    require(len(counted) >= 3 * (len(CHANGING) - len(apart) - 1), f"too few calls: {counted}")


def counted_methods(counted):
    return {method for method, _ in counted}


def check_requests(samples, asked):
    counted = total(samples, "crigate_upstream_duration_seconds_count", ("method", "runtime"))
    expected = Counter((method, runtime) for runtime, lines in asked.items() for _, method, _ in lines)
    compare("requests to runtimes", counted, expected)


def check_requests_with_losses(samples, calls, asked, apart):
    """A killed runtime may have got a request, or not: no line may be uncounted, and no count unexplained."""
    counted = total(samples, "crigate_upstream_duration_seconds_count", ("method", "runtime"))
    failed = Counter(method for method, code in calls.values() if code != "OK")
    missing = Counter()
    for (method, runtime), number in counted.items():
        written = sum(1 for _, asked_method, _ in asked[runtime] if asked_method == method)
        require(number >= written, f"{method} of {runtime}: {number:g} counted, but its journal has {written}")
        missing[method] += number - written
    for method in CHANGING:
        if method not in apart:
            require(missing[method] <= failed[method], f"{method}: {missing[method]:g} are in no journal, but {failed[method]} failed")


def check_hooks(samples, hooked):
    """A hook that failed, or that the plugin answered too late, may be in the plugin's journal; any other is."""
    name = "crigate_hook_duration_seconds_count"
    answered = total(samples, name, ("plugin", "stage"), result="ok")
    every = total(samples, name, ("plugin", "stage"))
    for key in set(every) | set(hooked):
        least, most = answered.get(key, 0), every.get(key, 0)
        written = hooked.get(key, 0)
        require(least <= written <= most, f"hooks {key}: {least:g} answered of {most:g}, but its journal has {written}")
    require(len(answered) >= 10, f"few hooks were answered: {answered} of {every}")


def check_histograms(samples):
    """Buckets hold what smaller ones hold, and the last one holds all."""
    buckets = {}
    for (name, pairs), value in samples.items():
        if name.endswith("_bucket"):
            labels = dict(pairs)
            bound = float(labels.pop("le").replace("+Inf", "inf"))
            buckets.setdefault((name[: -len("_bucket")], tuple(sorted(labels.items()))), []).append((bound, value))
    require(len(buckets) > 20, "there are hardly any histograms")
    for (name, pairs), found in buckets.items():
        values = [value for _, value in sorted(found)]
        require(values == sorted(values), f"{name} {pairs}: {values}")
        require(values[-1] == samples.get((f"{name}_count", pairs)), f"{name} {pairs}: the last bucket does not hold all")


def check_rest(samples):
    """Nothing is under way."""
    for name in ("crigate_rpc_in_flight", "crigate_upstream_in_flight"):
        left = {key: value for key, value in samples.items() if key[0] == name and value}
        require(not left, f"still under way: {left}")


def check_node(node, gentle):
    """Everything above, of a node at rest. Returns its samples and the number of its calls."""
    samples = parse(scrape(node.port))
    return samples, check_samples(samples, node, gentle)


def check_samples(samples, node, gentle):
    calls = node.calls()
    asked = {runtime: node.asked(runtime) for runtime in RUNTIMES}
    apart = () if gentle else (OF_CROWDS,)
    check_rest(samples)
    check_histograms(samples)
    check_replies(samples, calls, apart)
    check_successes(samples, calls, asked, apart)
    if gentle:
        check_requests(samples, asked)
    else:
        check_requests_with_losses(samples, calls, asked, apart)
    check_hooks(samples, node.hooked())
    return len(calls)

