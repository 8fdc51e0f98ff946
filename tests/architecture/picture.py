#!/usr/bin/env python3
"""The picture at the head of docs/architecture.md: the rooms of each wing, their arrows as CMake has them, and a call's way.

usage: picture.py SOURCE_FOLDER    writes docs/architecture.dot, and docs/architecture.svg with graphviz
"""
import hashlib
import os
import subprocess
import sys
import textwrap

sys.dont_write_bytecode = True
import tree as trees

# A call's way: steps, from, to, what passes, and how graphviz places it. What is no folder stands outside of the process.
WAY = [
    ("1", "caller", "core/service", "connects", "constraint=true, label"),
    ("2, 9", "caller", "core/calls", "request, reply", "constraint=true, dir=both, label"),
    ("3", "core/calls", "core/runtimes", "to which of them?", "label"),
    ("4", "core/calls", "core/upstream", "for each runtime", "label"),
    ("5", "core/upstream", "core/runtimes", "converted request", "label"),
    ("6", "core/runtimes", "runtime", "call, answer", "constraint=true, dir=both, label"),
    ("7", "core/upstream", "core/knowledge", "learn, or answer if it is away", "label"),
    ("8", "core/upstream", "core/calls", "converted answers", "label"),
]
# What everything may use is not drawn.
BELOW = ("base", "translate")
OUTSIDE = {"caller": ("caller", "a kubelet, crictl"), "runtime": ("runtime", "containerd, CRI-O, …")}

HEAD = """\
// The rooms and a call's way through them. Written by tests/architecture/picture.py (make docs) from the CMake files.
digraph architecture {
    graph [rankdir=TB, nodesep=0.45, ranksep=0.55, splines=true, fontname="Helvetica", bgcolor="white", pad=0.2];
    node [shape=box, style="rounded,filled", fillcolor="#f4f6f8", color="#8a97a5", fontname="Helvetica", fontsize=12, margin="0.14,0.08"];
    edge [color="#a9b4bf", arrowsize=0.7, fontname="Helvetica", fontsize=11];
"""


def quoted(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def box(name, title, text, style=""):
    lines = "".join(f'<br/><font point-size="10" color="#444444">{quoted(line)}</font>' for line in textwrap.wrap(text, 34))
    return f'    "{name}" [label=<<b>{quoted(title)}</b>{lines}>{style}];\n'


def dot(tree):
    """The picture's source. KeyError with the name of a step's folder that there is not."""
    wings = [wing for wing in trees.WINGS if wing not in BELOW]
    folders = [folder for wing in wings for folder in tree.folders(wing) if folder != wing]
    arrows = {folder: {other for other in tree.uses.get(folder, ()) if other in folders} for folder in folders}
    text = HEAD
    for wing in wings:
        text += f'    subgraph "cluster_{wing}" {{\n        label=<<b>{wing}/</b>>; color="#c9d2da"; fontname="Helvetica";\n'
        for folder in tree.folders(wing):
            if folder != wing:
                text += box(folder, os.path.basename(folder) + "/", tree.promises.get(folder, ""))
        text += "    }\n"
    for name, (title, what) in OUTSIDE.items():
        text += box(name, title, what, ', fillcolor="#ffffff", style="rounded,dashed"')
    text += "\n    // What may use what; an arrow that longer ways stand for is left out.\n"
    for folder, others in sorted(trees.reduced(arrows).items()):
        for other in sorted(others):
            text += f'    "{folder}" -> "{other}";\n'
    text += '\n    // The way of a call.\n    edge [color="#c2410c", fontcolor="#c2410c", penwidth=1.8, constraint=false];\n'
    for steps, start, end, what, how in WAY:
        for name in (start, end):
            if name not in folders and name not in OUTSIDE:
                raise KeyError(name)
        text += f'    "{start}" -> "{end}" [{how}=" {steps}  {what} "];\n'
    return text + "}\n"


def mark(source):
    """What ties the drawing to its source, in the drawing."""
    return f"<!-- architecture.dot {hashlib.sha256(source.encode()).hexdigest()} -->"


def problem(tree):
    """What is wrong with the committed picture, or None."""
    source = dot(tree)
    try:
        with open(os.path.join(tree.root, "docs/architecture.dot"), encoding="utf-8") as file:
            if file.read() != source:
                return "is not what the CMake files say. Run make docs, and commit it with docs/architecture.svg"
        with open(os.path.join(tree.root, "docs/architecture.svg"), encoding="utf-8") as file:
            if mark(source) not in file.read():
                return "is not what docs/architecture.svg was drawn from. Run make docs, and commit both"
    except FileNotFoundError as missing:
        return f"there is no {os.path.relpath(missing.filename, tree.root)}. Run make docs, and commit it"
    return None


def main(root):
    source = dot(trees.Tree(root))
    with open(os.path.join(root, "docs/architecture.dot"), "w", encoding="utf-8") as file:
        file.write(source)
    drawing = subprocess.run(["dot", "-Tsvg"], input=source, capture_output=True, text=True, check=True).stdout
    with open(os.path.join(root, "docs/architecture.svg"), "w", encoding="utf-8") as file:
        file.write(drawing.replace("<svg ", mark(source) + "\n<svg ", 1))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
