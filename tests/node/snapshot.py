# Prints what there is in the folders, and of the files, named as arguments, a line each: kind, mode, owner, time of change, content, extended attributes.
# Of folders no time: it changes with what comes and goes in them.
import hashlib
import os
import stat
import sys


def content(path, mode):
    if stat.S_ISLNK(mode):
        return os.readlink(path)
    if stat.S_ISREG(mode):
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    return "-"


def show(path):
    status = os.lstat(path)
    attributes = {name: os.getxattr(path, name, follow_symlinks=False) for name in os.listxattr(path, follow_symlinks=False)}
    time = "-" if stat.S_ISDIR(status.st_mode) else status.st_mtime_ns
    print(path, oct(status.st_mode), status.st_uid, status.st_gid, time, content(path, status.st_mode), sorted(attributes.items()))


for top in sys.argv[1:]:
    if os.path.lexists(top) and not os.path.isdir(top):
        show(top)
    for folder, folders, files in os.walk(top):
        folders.sort()
        for name in sorted(folders + files):
            show(os.path.join(folder, name))
