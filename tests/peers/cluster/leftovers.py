"""What a run stands on while it lasts: a folder in BUILD/peers, and the cgroups of its machine. One that is killed leaves them behind. Their
names have the run's process id, so that the next run can remove them."""

import os
import re
import shutil
import tempfile
import time
from pathlib import Path

NAME = r"crigate-cluster-(?P<pid>\d+)-\w+"
CGROUPS = Path("/sys/fs/cgroup")
SECONDS = 20


def work_folder(build, pid):
    """A folder for a run, until its end."""
    return tempfile.TemporaryDirectory(prefix=f"crigate-cluster-{pid}-", dir=build / "peers", ignore_cleanup_errors=True)


def remove(build, cgroups=CGROUPS):
    """What runs have left that were killed."""
    for pattern in ("crigate-machine*", "*/crigate-machine*"):
        for folder in cgroups.glob(pattern):
            # tests/machine/keeper makes the name, of the path of the machine's folder.
            if _is_of_dead(re.search(rf"-{NAME}-node$", folder.name)):
                _remove_cgroup(folder)
    for folder in (build / "peers").glob("crigate-cluster-*"):
        if _is_of_dead(re.fullmatch(NAME, folder.name)):
            shutil.rmtree(folder, ignore_errors=True)


def _is_of_dead(name):
    return name is not None and not Path("/proc", name["pid"]).exists()


def _remove_cgroup(top):
    end = time.monotonic() + SECONDS
    for folder, _, _ in os.walk(top, topdown=False):
        while Path(folder).exists():
            try:
                os.rmdir(folder)
            except OSError as error:
                if time.monotonic() > end:
                    print(f"a cgroup is left: {error}", flush=True)
                    return
                time.sleep(0.1)
