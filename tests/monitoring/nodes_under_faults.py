"""A node of the fault test as this test sees it: the process, and what its client, runtimes and plugins wrote down."""

import json
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

from prometheus import Failure, die_with_parent, free_port, require

RUNTIMES = ("first", "second", "third")
PLUGINS = ("10-ignore", "20-fail")
STAGES = (
    "PreRunPodSandbox",
    "PreCreateContainer",
    "PreStartContainer",
    "PostStartContainer",
    "PreUpdateContainerResources",
    "PostStopContainer",
    "PostStopPodSandbox",
)
# More than there can be in the time.
MANY = "1000000"


def lines_of(path):
    """The journal's lines, without one that is still being written."""
    text = path.read_text()
    return [json.loads(line) for line in text.splitlines() if line.endswith("}")]


class NodeUnderFaults:
    """`gentle`: no fault breaks off a call. `takeovers`: gateways follow each other."""

    def __init__(self, build, name, seconds, gentle, takeovers):
        self.name = name
        self.port = free_port()
        options = ["--faults", MANY, "--gateway-faults", MANY if takeovers else "0", "--plugin-faults", "0", "--patient"]
        self.process = subprocess.Popen(
            [str(Path(build) / "faults"), *options, *(["--gentle"] if gentle else []), "--hold", "--keep"]
            + ["--seconds", str(seconds), "--metrics", f"127.0.0.1:{self.port}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=die_with_parent,
        )
        first = self.process.stdout.readline()
        match = re.fullmatch(r"faults: seed (\d+), folder (\S+)\n", first)
        require(match, f"{name}: faults printed {first!r}")
        self.folder = Path(match[2])
        print(f"{name}: port {self.port}, {first.strip()}", flush=True)

    def wait_for_rest(self):
        """Until all faults are over, the client has ended, and the node has been found in order."""
        said = []
        for line in self.process.stdout:
            if line == "faults: at rest\n":
                return
            said.append(line)
        self.process.wait()
        raise Failure(f"{self.name}: the fault test failed, see {self.folder}:\n{''.join(said[-80:])}")

    def end(self):
        """Ends all processes of the node and removes its folder."""
        said, _ = self.process.communicate(timeout=120)
        print("".join(f"{self.name}: {line}\n" for line in said.splitlines()), flush=True)
        require(self.process.returncode == 0, f"{self.name}: exit status {self.process.returncode}; see {self.folder}")
        shutil.rmtree(self.folder)

    def kill(self):
        """Nothing if it has ended. The node's processes end with it."""
        self.process.kill()
        self.process.wait()

    def calls(self):
        """{number: (method, code)} of all calls of the client, as it saw them end."""
        found = {}
        for line in (self.folder / "calls.log").read_text().splitlines():
            number, method, code = line.split()
            found[int(number)] = method, code
        return found

    def asked(self, runtime):
        """[(number, method, code)] of the client's calls that the runtime got. What crigate asks by itself has no number, nor
        have the calls of the crowds that fill a connection."""
        found = []
        for line in lines_of(self.folder / f"{runtime}.journal"):
            number = line.get("metadata", {}).get("x-call")
            if number:
                found.append((int(number), line["method"].rsplit("/", 1)[1], line["code"]))
        return found

    def hooked(self):
        """{(plugin's file, stage): hooks that the plugin got}."""
        found = Counter()
        for plugin in PLUGINS:
            for line in lines_of(self.folder / f"{plugin}-0.journal"):
                if line.get("hook") in STAGES and "request" in line:
                    found[f"{plugin}.json", line["hook"]] += 1
        return found
