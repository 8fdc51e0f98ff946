"""Which sources of crigate a program is made of: results of a program name the commit of its sources, or are none."""

import os
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
# What a build of crigate is made from.
SOURCES = ["base", "translate", "core", "docker", "node", "cli", "codegen", "apis", "CMakeLists.txt", "cmake", ":(exclude)cmake/packages.txt", ":(exclude)cmake/install-packages"]
COMPILED = {".c", ".cc", ".h", ".proto", ".yaml"}


def git(repository, *words):
    return subprocess.run(["git", "-C", str(repository), *words], check=True, text=True, capture_output=True).stdout.strip()


def commit(repository=REPOSITORY):
    """The last commit that changed crigate's sources."""
    return git(repository, "log", "-1", "--format=%h", "--abbrev=12", "--", *SOURCES)


def objection(program, repository=REPOSITORY):
    """Why results of that program would not be those of a commit; None if they are."""
    if changed := git(repository, "status", "--porcelain", "--", *SOURCES):
        return f"sources of crigate are changed and not committed:\n{changed}"
    if not Path(program).exists():
        return f"{program} is not built"
    # A change of other files, such as lists and notes, makes no other program.
    names = [name for name in git(repository, "ls-files", "--", *SOURCES).splitlines() if Path(name).suffix in COMPILED]
    times = {name: os.stat(Path(repository) / name).st_mtime for name in names}
    newest = max(times, key=times.get)
    if times[newest] > Path(program).stat().st_mtime:
        return f"{program} is older than {newest}: build it first"
    return None


def version(program):
    return subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.split()[-1]
