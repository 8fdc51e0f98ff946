"""The results of the matrix: which sources they are of, and the file that holds them."""
import json
import os
import pathlib
import subprocess

SOURCES = ["core", "translate", "codegen", "apis", "CMakeLists.txt", "cmake"]


class Refused(Exception):
    """The results would name sources that they are not of."""


def git(repository, *words):
    return subprocess.run(["git", "-C", str(repository), *words], check=True, text=True, capture_output=True).stdout.strip()


def commit(repository):
    """The last commit that changed crigate's sources."""
    return git(repository, "log", "-1", "--format=%h", "--abbrev=12", "--", *SOURCES)


def sources(repository, build):
    """{"crigate": VERSION, "commit": COMMIT}, if the program is made of exactly these sources."""
    changed = git(repository, "status", "--porcelain", "--", *SOURCES)
    if changed:
        raise Refused(f"sources of crigate are changed and not committed:\n{changed}")
    program = pathlib.Path(build) / "crigate"
    if not program.exists():
        raise Refused(f"{program} is not built")
    listed = git(repository, "ls-files", "--", *SOURCES).splitlines()
    newest = max(listed, key=lambda name: os.stat(pathlib.Path(repository) / name).st_mtime)
    if os.stat(pathlib.Path(repository) / newest).st_mtime > program.stat().st_mtime:
        raise Refused(f"{program} is older than {newest}: build it first")
    version = subprocess.run([program, "--version"], check=True, text=True, capture_output=True).stdout.split()
    return {"crigate": version[-1], "commit": commit(repository)}


def read(file):
    file = pathlib.Path(file)
    return json.loads(file.read_text()) if file.exists() else {"pairs": {}}


def write(file, results):
    file = pathlib.Path(file)
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(f".part-{os.getpid()}")
    part.write_text(json.dumps(results, indent=1) + "\n")
    part.rename(file)
