"""What the repository says about its folders: which folder may use which, and what the sources do.

The allowed arrows have one home, the CMake files. Three forms are read:
  room(USES base/bytes core/map LIBRARIES ...)           in WING/ROOM/CMakeLists.txt
  translate_folder(FOLDER FILE...)                       in translate/CMakeLists.txt
  target_link_libraries(TARGET ... OTHER_TARGET ...)     anywhere
A folder is named by its path: core/map, translate/walk, codegen.
"""
import os
import re

# Bottom to top.
WINGS = ("base", "translate", "core", "docker", "node", "cli")
TREES = WINGS + ("codegen", "sim")
CODE = (".c", ".h", ".cc")


class Source:
    """One file of code."""

    def __init__(self, root, path):
        self.path = path
        self.folder = os.path.dirname(path)
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = file.read()
        # Without comments, with the same lines.
        self.text = re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"',
                           lambda hit: hit[0] if hit[0][0] == '"' else re.sub(r"[^\n]", " ", hit[0]), text, flags=re.S)
        self.includes = []  # (line, path in the repository), of files that exist
        for hit in re.finditer(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', self.text, re.M):
            for place in (self.folder, ""):
                target = os.path.normpath(os.path.join(place, hit[1]))
                if os.path.isfile(os.path.join(root, target)):
                    self.includes.append((self.text.count("\n", 0, hit.start()) + 1, target))
                    break

    def functions(self):
        """The names of the functions that are defined here for others."""
        return {hit[1] for hit in re.finditer(r"^(?!static\b)[A-Za-z_][\w \t*]*?\b(\w+)\([^;{}]*\)\s*\{", self.text, re.M)}


class Tree:
    """The folders, sources and arrows of a repository."""

    def __init__(self, root):
        self.root = root
        self.sources = {}
        self._modules = {}
        self.targets = {}  # a target of CMake -> its folder
        self.uses = {}  # folder -> {folder that it may use: (file, line)}
        self.promises = {}  # folder -> the comment at the head of its CMake file
        for tree in TREES:
            for folder, folders, files in os.walk(os.path.join(root, tree)):
                folders.sort()
                for name in sorted(files):
                    if name.endswith(CODE):
                        path = os.path.relpath(os.path.join(folder, name), root)
                        self.sources[path] = Source(root, path)
        self._read_cmake()

    def folders(self, tree=None):
        """The folders that have code, of one tree or of all."""
        return sorted({source.folder for source in self.sources.values()
                       if tree is None or source.path.startswith(tree + "/")})

    def code_of(self, folder):
        return [source for source in self.sources.values() if source.folder == folder]

    def may_use(self, folder, other):
        """Whether the CMake files let one folder use another. A library of a whole tree (translate) stands for all its folders. What is not
        in base/ itself may use all of base/."""
        return folder == other or other.startswith("base/") and not folder.startswith("base/") or any(other == used or (other.startswith(used + "/") and used in self.targets)
                                      for used in self.uses.get(folder, ()))

    def module(self, path):
        """A header and the files that define what it declares are one module; it has the header's name."""
        if path not in self._modules:
            source = self.sources[path]
            stem = os.path.splitext(path)[0]
            if stem + ".h" not in self.sources:
                functions = source.functions()
                for _, header in source.includes:
                    if os.path.dirname(header) == source.folder and header in self.sources and any(
                            re.search(r"\b%s\(" % name, self.sources[header].text) for name in functions):
                        stem = os.path.splitext(header)[0]
                        break
            self._modules[path] = stem
        return self._modules[path]

    def module_arrows(self):
        """module -> {module that it includes: (file, line)}"""
        arrows = {}
        for source in self.sources.values():
            own = arrows.setdefault(self.module(source.path), {})
            for line, target in source.includes:
                if target in self.sources and self.module(target) != self.module(source.path):
                    own.setdefault(self.module(target), (source.path, line))
        return arrows

    def _read_cmake(self):
        commands = []
        for tree in TREES:
            for folder, folders, files in os.walk(os.path.join(self.root, tree)):
                folders.sort()
                if "CMakeLists.txt" in files:
                    commands += self._commands(os.path.relpath(folder, self.root))
        for folder, _, _, name, words in commands:
            target = None
            if name.endswith("_folder") and words:
                folder = os.path.join(folder, words[0])
                target = name[:-len("folder")] + words[0]
            elif name == "room":
                target = folder.replace("/", "_")
            elif name in ("add_library", "add_executable") and words:
                target = words[0]
            if target and "$" not in target:
                self.targets[target] = folder
        for folder, file, line, name, words in commands:
            if name == "room":
                of_ours = False
                for word in words:
                    if word in ("USES", "LIBRARIES"):
                        of_ours = word == "USES"
                    else:
                        self._use(folder, word, file, line, must_exist=of_ours)
            elif name == "target_link_libraries" and words and words[0] in self.targets:
                for word in words[1:]:
                    self._use(self.targets[words[0]], word, file, line, must_exist=False)

    def _use(self, folder, target, file, line, must_exist):
        other = self.targets.get(target.replace("/", "_"))
        if must_exist and other is None:
            other = target  # reported as unneeded, since nothing can include it
        if other is not None and other != folder:
            self.uses.setdefault(folder, {}).setdefault(other, (file, line))

    def _commands(self, folder):
        """The commands of a folder's CMake file: (folder, file, line, name, words)."""
        file = os.path.join(folder, "CMakeLists.txt")
        with open(os.path.join(self.root, file), encoding="utf-8") as stream:
            text = stream.read()
        head = re.match(r"(?:#[^\n]*\n)+", text)
        if head:
            self.promises[folder] = " ".join(line.lstrip("# ") for line in head[0].splitlines())
        text = re.sub(r"#[^\n]*", "", text)
        for hit in re.finditer(r"^[ \t]*(\w+)\s*\(([^()]*)\)", text, re.M):
            yield folder, file, text.count("\n", 0, hit.start(1)) + 1, hit[1].lower(), hit[2].split()


def circles(arrows):
    """Each knot of a graph {node: iterable of nodes} as a list of nodes that is a way round, first one named first."""
    found, done = [], set()
    for start in sorted(arrows):
        if start in done:
            continue
        # The shortest way from start back to start.
        ways, queue = {start: None}, [start]
        for node in queue:
            for other in sorted(arrows.get(node, ())):
                if other == start:
                    way = [node]
                    while ways[way[-1]] is not None:
                        way.append(ways[way[-1]])
                    found.append(way[::-1] + [start])
                    done.update(way)
                    queue.clear()
                    break
                if other not in ways:
                    ways[other] = node
                    queue.append(other)
            else:
                continue
            break
    return found


def reduced(arrows):
    """The arrows of a graph without circles that no longer way stands for: {node: set of nodes}."""
    below = {}

    def reach(node):
        if node not in below:
            below[node] = set()  # where there is a circle, that ends it
            for other in arrows.get(node, ()):
                below[node] |= {other} | reach(other)
        return below[node]

    return {node: {other for other in others if not any(other in reach(third) for third in others if third != other)}
            for node, others in arrows.items()}
