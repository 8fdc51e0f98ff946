"""Two sides of a pair become a list of checks: what both show, what differs, and why."""
import fnmatch
import json
import pathlib
import re

# A line that one side logs more than MANY times as often, and FEW times more, is a difference.
MANY, FEW = 10, 20
# Of the nine pods whose statistics are compared.
MOST_PODS = 6
REASONS = pathlib.Path(__file__).parent / "reasons.json"


def read_reasons(file=REASONS):
    """Each says to which pairs, check and difference it belongs (patterns), the reason, and the source of that."""
    reasons = json.loads(pathlib.Path(file).read_text())
    for reason in reasons:
        missing = {"pair", "check", "difference", "reason", "source"} - set(reason)
        if missing:
            raise ValueError(f"{file}: {reason} lacks {', '.join(sorted(missing))}")
    return reasons


def like(text, pattern):
    """As fnmatch, but brackets mean themselves."""
    return fnmatch.fnmatchcase(text, pattern.replace("[", "[[]"))


def why(reasons, pair, check, difference):
    for reason in reasons:
        if any(like(pair, pattern) for pattern in reason["pair"].split(" or ")) and like(check, reason["check"]) and like(difference, reason["difference"]):
            return f"{reason['reason']} ({reason['source']})"
    return None


def of_values(direct, through, path=""):
    """PATH: what one side says, not what the other says."""
    if isinstance(direct, dict) and isinstance(through, dict):
        return [difference for key in sorted({*direct, *through}, key=str)
                for difference in of_values(direct.get(key), through.get(key), f"{path}.{key}" if path else str(key))]
    if direct == through:
        return []
    if isinstance(direct, list) and isinstance(through, list) and all(isinstance(one, str) for one in direct + through):
        return [f"{words}: {one}" for words, one in [*(("only directly", one) for one in direct if one not in through),
                                                     *(("only through crigate", one) for one in through if one not in direct)]]
    return [f"{path or 'value'}: directly {json.dumps(direct, sort_keys=True)}, through crigate {json.dumps(through, sort_keys=True)}"]


def of_leaves(direct, through):
    """A leaf differs if one side never has it and the other mostly, or if one side always has it and the other seldom."""
    found = []
    for here, there, words in [(direct, through, "only directly"), (through, direct, "only through crigate")]:
        for leaf, count in sorted(here["leaves"].items()):
            other = there["leaves"].get(leaf, 0)
            if not other:
                found.append(f"{words}{'' if count > here['samples'] / 2 else ' now and then'}: {leaf}")
            elif count == here["samples"] and other < there["samples"] / 2:
                found.append(f"{words}, on the other side seldom: {leaf}")
    return found


def of_lines(direct, through):
    found = [f"{words}: {line}" for words, lines in [("only directly", set(direct) - set(through)), ("only through crigate", set(through) - set(direct))]
             for line in sorted(lines)]
    for here, there, words in [(direct, through, "far more often directly"), (through, direct, "far more often through crigate")]:
        found += [f"{words}: {line}" for line in sorted(here) if line in there and here[line] > MANY * there[line] + FEW]
    return found


DIFFERENCES = {"value": of_values, "leaves": of_leaves, "lines": of_lines}


def short(observation):
    """What stands in the results for one side: all of a value, the size of the rest."""
    if observation is None:
        return None
    if observation["kind"] == "leaves":
        return f"{len(observation['value']['leaves'])} leaves in {observation['value']['samples']} samples"
    if observation["kind"] == "lines":
        return f"{len(observation['value'])} lines of levels W and E"
    return observation["value"]


def of_any_pod(leaf):
    """The leaf without its pod's name, and that name; None for one that is no pod's."""
    found = re.search(r"^pods\[([\w-]+)\]| of ([\w-]+)/", leaf)
    if not found:
        return leaf, None
    name = found[1] or found[2]
    return leaf.replace(found[0], found[0].replace(name, "*"), 1), name


def of_one_pod(difference, direct, through):
    """Why a leaf that one pod lacks is not crigate's: that side has it of most other pods."""
    words, _, leaf = difference.partition(": ")
    lacking = direct if "through" in words else through
    generic, name = of_any_pod(leaf)
    having = {found[1] for found in map(of_any_pod, lacking["leaves"]) if found[0] == generic}
    if name and len(having) >= MOST_PODS:
        return "cAdvisor came to this one pod before all of it was there; that side has it of the other pods"
    return None


def varying(pair, difference, kind, known):
    """Why a leaf or a line that one side has here is not crigate's: it comes and goes, or the other side of another pair of that kubelet has it."""
    words, _, what = difference.partition(": ")
    if "now and then" in words:
        return "it comes and goes within one side"
    if kind not in ("lines", "leaves"):
        return None
    other = "direct" if "through" in words else "through"
    for name in sorted(known.get(what, {}).get(other, ())):
        if name != pair and kind == "lines" and name.partition(" ")[0] == pair.partition(" ")[0]:
            return f"{'directly' if other == 'direct' else 'through crigate'}, it is logged with {name}"
    return None


def runs_directly_elsewhere(pair, known):
    """Whether this kubelet has logged something directly, with whatever runtime."""
    return any(one.partition(" ")[0] == pair.partition(" ")[0] for sides in known.values() for one in sides.get("direct", ()))


def differences_of(pair, kind, direct, through, known):
    if direct and through:
        return DIFFERENCES[kind](direct["value"], through["value"])
    # Where a kubelet starts through crigate only, its lines are compared with those that it logs directly elsewhere.
    if through and kind == "lines" and runs_directly_elsewhere(pair, known):
        return of_lines({}, through["value"])
    return []


def check(pair, name, direct, through, reasons, known):
    kind = (through or direct)["kind"]
    differences = differences_of(pair, kind, direct, through, known)
    explained = [{"what": difference, "reason": why(reasons, pair, name, difference) or varying(pair, difference, kind, known)} for difference in differences]
    if kind == "leaves":
        for one in explained:
            one["reason"] = one["reason"] or of_one_pod(one["what"], direct["value"], through["value"])
    # What was done to both may by chance hit the one without crigate. Elsewhere, a side that fails leaves nothing to compare with.
    disturbed = kind == "value" and isinstance((through or direct)["value"], dict) and "action" in (through or direct)["value"]
    if disturbed and direct and through and direct["good"] is False and through["good"]:
        for one in explained:
            one["reason"] = one["reason"] or "directly it is not as it should be, and through crigate it is"
    bad = [side for side, seen in [("directly", direct), ("through crigate", through)] if seen is not None and seen["good"] is False]
    good = not bad
    reason = None
    if bad == ["directly"] and disturbed and through:
        good = True
    elif bad:
        reason = why(reasons, pair, name, f"not as it should be {' and '.join(bad)}")
    return {"name": name, "direct": short(direct), "through": short(through), "same": direct is not None and through is not None and not differences,
            "difference": explained, "reason": reason, "passed": (good or reason is not None) and all(one["reason"] for one in explained)}


def lines_of(raw):
    """Which pairs log a line on which side: {LINE: {SIDE: {PAIR}}}."""
    known = {}
    for pair, sides in raw.items():
        for side, seen in sides.items():
            for observation in (seen or {}).get("observations", []):
                if observation["kind"] == "lines":
                    for line in observation["value"]:
                        known.setdefault(line, {}).setdefault(side, set()).add(pair)
    return known


def checks(pair, sides, reasons, known):
    """sides: {"direct": ..., "through": ...}, each as `side` wrote it."""
    seen = {side: {one["name"]: one for one in (sides.get(side) or {}).get("observations", [])} for side in ["direct", "through"]}
    for one in (sides.get("through") or {}).get("of_direct", []):
        seen["direct"][one["name"]] = one
    direct_starts = pair.startswith("tools ") or seen["direct"].get("kubelet starts", {}).get("good")
    found = []
    for name in dict.fromkeys([*seen["through"], *seen["direct"]]):
        direct, through = seen["direct"].get(name), seen["through"].get(name)
        if name == "kubelet starts" and through and direct and not direct_starts and through["good"] and "Unimplemented" in direct["value"]:
            found.append({"name": name, "direct": direct["value"], "through": through["value"], "same": False, "passed": True, "reason": None, "difference": [
                {"what": "starts only through crigate", "reason": "the kubelet calls no package of CRI that the runtime serves (docs/pairs.md)"}]})
            continue
        if through is None and direct_starts:
            found.append({"name": name, "direct": short(direct), "through": None, "same": False, "passed": False, "reason": None,
                          "difference": [{"what": "it was seen only directly", "reason": why(reasons, pair, name, "it was seen only directly")}]})
            found[-1]["passed"] = found[-1]["difference"][0]["reason"] is not None
            continue
        found.append(check(pair, name, direct, through, reasons, known))
    for side in ["direct", "through"]:
        problem = (sides.get(side) or {"problem": "nothing was written"})["problem"]
        if problem:
            found.append({"name": f"{side}: the run itself", side: problem, "direct" if side == "through" else "through": None, "same": False, "passed": False,
                          "difference": [], "reason": None})
    return found
