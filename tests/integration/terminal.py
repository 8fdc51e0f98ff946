"""Runs a program on a terminal of its own: terminal.py KEY PROGRAM [ARGUMENT...]

Once the program has drawn, the terminal gets 30 columns; once it has drawn again, the key is typed (TERM: that signal is sent).
Prints, as JSON, what came of it: the exit status, whether the terminal's settings are those of before, whether the other page
was left and the cursor shown, the widest line after the resize, and the text.
"""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

HOME = b"\x1b[H"


def resize(terminal, rows, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def read_until(terminal, done, process, seconds=30):
    """All that comes until it is enough, or the program has ended."""
    drawn, end = b"", time.monotonic() + seconds
    while time.monotonic() < end and not done(drawn):
        if select.select([terminal], [], [], 0.1)[0]:
            drawn += os.read(terminal, 65536)
        elif process.poll() is not None:
            break
    return drawn


def plain(drawn):
    return re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", drawn.decode("utf-8", "replace"))


def main():
    key, command = sys.argv[1], sys.argv[2:]
    terminal, side = pty.openpty()
    resize(terminal, 24, 200)
    before = termios.tcgetattr(side)
    process = subprocess.Popen(command, stdin=side, stdout=side, start_new_session=True)
    first = read_until(terminal, lambda drawn: drawn.count(HOME) >= 2, process)
    resize(terminal, 12, 30)
    process.send_signal(signal.SIGWINCH)
    # A picture may have been on its way when the size changed: the last one counts.
    second = read_until(terminal, lambda drawn: drawn.count(HOME) >= 3, process)
    if key == "TERM":
        process.send_signal(signal.SIGTERM)
    else:
        os.write(terminal, key.encode())
    rest = read_until(terminal, lambda drawn: False, process)
    status = process.wait(timeout=20)
    last = second.split(HOME)[-2]
    lines = [line.strip("\r") for line in plain(last).split("\n")]
    print(json.dumps({
        "status": status,
        "settings_restored": termios.tcgetattr(side) == before,
        "page_left": rest.rstrip().endswith(b"\x1b[?1049l"),
        "cursor_shown": b"\x1b[?25h" in rest,
        "widest_after_resize": max(len(line) for line in lines),
        "lines_after_resize": len(lines),
        "text": plain(first),
    }))


main()
