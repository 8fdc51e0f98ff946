"""The file with the results of the matrix."""
import json
import os
import pathlib


def read(file):
    file = pathlib.Path(file)
    return json.loads(file.read_text()) if file.exists() else {"pairs": {}}


def write(file, results):
    file = pathlib.Path(file)
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(f".part-{os.getpid()}")
    part.write_text(json.dumps(results, indent=1) + "\n")
    part.rename(file)
