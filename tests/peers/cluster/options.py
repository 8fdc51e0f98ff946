"""The options of `run` and `daemonset`, and what they need of this machine."""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

import leftovers
from checks import ALWAYS, CHECKS, ROLLING_MINUTES
from second import Second
from sources import objection

NEEDED = {"unshare": "util-linux", "nsenter": "util-linux", "openssl": "openssl", "debootstrap": "debootstrap", "busybox": "busybox-static",
          "docker-registry": "docker-registry", "skopeo": "skopeo", "ip": "iproute2", "jq": "jq", "strip": "binutils"}
PEERS = ["kubelet-1.37/kubelet", "etcd/etcd", *(f"control-plane-1.37/{name}" for name in
                                               ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl"))]
# kube-apiserver ends a watch after 30 to 60 minutes, and one watch sees all that rolls.
MOST_MINUTES = 25


def minutes(text):
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value <= MOST_MINUTES:
        raise argparse.ArgumentTypeError(f"{text}: must be more than 0, and at most {MOST_MINUTES}: kube-apiserver ends longer watches")
    return value


def parse(arguments, description, with_checks=True):
    parser = argparse.ArgumentParser(description=description, epilog=epilog() if with_checks else None,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", metavar="BUILD_FOLDER", help="has crigate, and in peers/ what tests/peers/build has built")
    parser.add_argument("--results", metavar="FILE", help="where results go, BUILD_FOLDER/peers/results/cluster.json unless given")
    if with_checks:
        parser.add_argument("--minutes", type=minutes, default=float(ROLLING_MINUTES),
                            help=f"how long Deployments roll ({ROLLING_MINUTES}, at most {MOST_MINUTES})")
        parser.add_argument("--only", type=lambda text: text.split(","), metavar="CHECK,...", help="only these checks, and what they need")
        parser.add_argument("--second", choices=sorted(Second.PEERS), help="the second runtime: CRI-O if it is there")
        parser.add_argument("--list", action="store_true", help="list the checks, and exit")
    options = parser.parse_args(arguments)
    names = [check.__name__ for check in CHECKS]
    if with_checks and options.only and (unknown := [name for name in options.only if name not in names]):
        parser.error(f"no such check: {', '.join(unknown)}; there are {', '.join(names)}")
    return options


def epilog():
    return "The checks:\n" + "\n".join(f"  {check.__name__:14} {' '.join(check.__doc__.split())}" for check in CHECKS)


def chosen(only):
    return [check for check in CHECKS if not only or check.__name__ in only or check.__name__ in ALWAYS]


def second_kind(build, wanted):
    """The second runtime that is asked for; without a wish, the first that is there."""
    kinds = [wanted] if wanted else ["crio", "containerd"]
    return next((kind for kind in kinds if (build / "peers" / Second.PEERS[kind] / kind).exists()), None)


def missing(build, kind):
    """What there is not here, in words."""
    found = [f"{name} (package {package})" for name, package in NEEDED.items() if not shutil.which(name)]
    found += [f"{build}/{name} (build it first)" for name in ["crigate"] if not (build / name).exists()]
    found += [f"{build}/peers/{name} (tests/peers/build/build {build})" for name in PEERS if not (build / "peers" / name).exists()]
    if not kind:
        found.append(f"{build}/peers with a second runtime: {' or '.join(Second.PEERS.values())}")
    if os.geteuid() != 0:
        found.append("root")
    if not found and is_dynamic(build / "crigate"):
        found.append(f"a static {build}/crigate (make deps installs what that needs)")
    if not found and (reason := objection(build / "crigate")):
        found.append(reason)
    return found


def is_dynamic(program):
    """Whether it names a loader."""
    with open(program, "rb") as file:
        return b"/ld-linux" in file.read(4096)


def enter_namespaces(build):
    """What this process starts ends with it, however it ends. Returns the process id that others know it by."""
    if "CLUSTER_PID" not in os.environ:
        # Only from outside can one see which runs are alive.
        leftovers.remove(build)
        os.environ["CLUSTER_PID"] = str(os.getpid())
        os.environ["PATH"] += ":/usr/sbin:/sbin"
        os.execvp("unshare", ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", sys.executable, "-B", "-u", *sys.argv])
    return os.environ["CLUSTER_PID"]


def strip(build, folder):
    program = Path(folder) / "crigate"
    subprocess.run(["strip", "-o", program, build / "crigate"], check=True)
    return program
