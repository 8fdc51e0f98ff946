"""The file with the results: {"about": {...}, "checks": [{"name", "passed", "detail"}]}."""

import json
import time
import traceback

from machine import Failure
from sources import commit

LONGEST = 2000


def about(crigate, kubernetes="", runtimes=()):
    """`crigate`: its version. The others are known once the cluster runs."""
    return {"crigate": crigate, "commit": commit(), "kubernetes": kubernetes, "runtimes": list(runtimes),
            "date": time.strftime("%Y-%m-%d", time.gmtime())}


def told(error):
    """What went wrong, in words; and what before that, if something failed while the first failure was dealt with."""
    text = str(error) or type(error).__name__
    before = None if error.__suppress_context__ else error.__context__
    return f"{text}; before that: {told(before)}" if before else text


class Results:
    """Written after each check. What the file had of other checks stays, if it is of the same commit."""

    def __init__(self, file):
        self.file = file
        try:
            self.before = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            self.before = {"about": {}, "checks": []}
        self.about, self.checks = {}, []

    def describe(self, about):
        """What the results are of. A run with fewer runtimes adds to one of the same commit that had more."""
        before = self.before["about"]
        same = before.get("commit") == about["commit"] and len(before.get("runtimes", [])) > len(about["runtimes"])
        self.about = before if same else about

    def add(self, name, passed, detail):
        self.checks = [check for check in self.checks if check["name"] != name]
        self.checks.append({"name": name, "passed": passed, "detail": detail})
        self.write()
        print(f"{'passed' if passed else 'FAILED'}: {name}\n    {detail}", flush=True)

    def attempt(self, name, check):
        """Adds what `check` returns, in words, or how it failed, whatever it raises. Whether it passed."""
        try:
            detail, passed = check(), True
        except Exception as error:  # pylint: disable=broad-exception-caught
            if not isinstance(error, Failure):
                traceback.print_exc()
            detail, passed = told(error)[:LONGEST], False
        self.add(name, passed, detail)
        return passed

    def write(self):
        new = {check["name"] for check in self.checks}
        kept = self.before["checks"] if self.before["about"].get("commit") == self.about.get("commit") else []
        checks = [check for check in kept if check["name"] not in new] + self.checks
        self.file.parent.mkdir(parents=True, exist_ok=True)
        draft = self.file.with_suffix(".new")
        draft.write_text(json.dumps({"about": self.about, "checks": checks}, indent=2) + "\n", encoding="utf-8")
        draft.rename(self.file)

    def failed(self):
        return [check["name"] for check in self.checks if not check["passed"]]
