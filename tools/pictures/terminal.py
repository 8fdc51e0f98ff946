"""What a program shows on a terminal, as an SVG file: text as text, in colours that follow the reader's (light or dark)."""

import codecs
import fcntl
import html
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

# Of a character, in units of the SVG file.
WIDTH, HEIGHT, MARGIN = 8.43, 19, 16

# The colours of a terminal that the programs use: how light and dark readers see them.
COLOURS = {
    "text": ("#1f2328", "#e6edf3"),
    "back": ("#ffffff", "#0d1117"),
    "edge": ("#d0d7de", "#30363d"),
    "dim": ("#6e7781", "#8b949e"),
    "c1": ("#b3261e", "#ff7b72"),
    "c2": ("#116329", "#3fb950"),
    "c3": ("#7d4e00", "#d29922"),
    "c4": ("#0550ae", "#79c0ff"),
    "c5": ("#8250df", "#d2a8ff"),
    "c6": ("#1b7c83", "#56d4dd"),
}


class Screen:
    """The part of a terminal's behaviour that the programs rely on: lines that wrap, the cursor's home, clearing, colours."""

    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.cells = [[] for _ in range(rows)]
        self.row = self.column = 0
        self.style = ()
        self.rest = ""
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def feed(self, data):
        text = self.rest + self.decoder.decode(data)
        self.rest = ""
        while text:
            if text[0] == "\x1b":
                sequence = re.match(r"\x1b(?:\[([?0-9;]*)([@-~])|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][0-9A-Z]|[=>])", text)
                if not sequence:
                    self.rest = text
                    return
                self.control(sequence[1] or "", sequence[2])
                text = text[sequence.end():]
            else:
                self.put(text[0])
                text = text[1:]

    def control(self, arguments, letter):
        if letter == "m":
            self.set_style(arguments)
        elif letter == "H":
            self.row, self.column = 0, 0
        elif letter == "K":
            del self.cells[self.row][self.column:]
        elif letter == "J":
            del self.cells[self.row][self.column:]
            for row in range(self.row + 1, self.rows):
                self.cells[row] = []

    def set_style(self, arguments):
        for number in (arguments or "0").split(";"):
            if number == "0":
                self.style = ()
            elif number == "1":
                self.style += ("bold",)
            elif number in ("2", "90"):
                self.style += ("dim",)
            elif number == "39":
                self.style = tuple(name for name in self.style if name == "bold")
            elif re.fullmatch("[39][1-6]", number):
                self.style += (f"c{number[1]}",)

    def put(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.next_row()
        elif character >= " ":
            if self.column >= self.columns:
                self.next_row()
                self.column = 0
            cells = self.cells[self.row]
            cells.extend([(" ", ())] * (self.column - len(cells)))
            cells[self.column:self.column + 1] = [(character, self.style)]
            self.column += 1

    def next_row(self):
        if self.row + 1 < self.rows:
            self.row += 1
        else:
            self.cells = self.cells[1:] + [[]]

    def lines(self):
        """The rows down to the last that is not empty, each a list of (character, style)."""
        used = max((number for number, cells in enumerate(self.cells) if cells), default=-1)
        return self.cells[: used + 1]


def show(command, rows, columns, seconds=None, key=None):
    """The screen after the program has ended; with seconds, as it is then, and the key is typed to end it."""
    screen = Screen(rows, columns)
    terminal, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    process = subprocess.Popen(command, stdin=side, stdout=side, stderr=side, start_new_session=True)
    os.close(side)
    end = time.monotonic() + (seconds or 30)
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                screen.feed(os.read(terminal, 65536))
            except OSError:  # the program has ended
                break
    if seconds and process.poll() is None:
        os.write(terminal, key)
    status = process.wait(timeout=20)
    os.close(terminal)
    if status != 0:
        raise SystemExit(f"{command}: ended with {status}")
    return screen.lines()


def typed(text):
    """A line in which somebody types a command."""
    return [("$", ("dim",)), (" ", ())] + [(character, ("bold",)) for character in text]


def number(value):
    return f"{value:.2f}".rstrip("0").rstrip(".")


def pieces(cells):
    """Runs of one style without wide gaps: (column, style, text). Each has a place of its own, so columns stand in line in any font."""
    found, column = [], 0
    while column < len(cells):
        style, text = cells[column][1], ""
        start = column
        while column < len(cells) and cells[column][1] == style and not text.endswith("  "):
            text += cells[column][0]
            column += 1
        if text.strip():
            lead = len(text) - len(text.lstrip())
            found.append((start + lead, style, text.strip()))
    return found


def svg_line(row, cells):
    y = number(MARGIN + HEIGHT * (row + 0.75))
    text = ""
    for column, style, words in pieces(cells):
        names = f' class="{" ".join(sorted(set(style)))}"' if style else ""
        text += f'<tspan x="{number(MARGIN + WIDTH * column)}"{names}>{html.escape(words, quote=False)}</tspan>'
    return f'<text y="{y}">{text}</text>\n' if text else ""


def style_sheet(lines):
    used = {name for cells in lines for _, style in cells for name in style}

    def rules(which):
        text = f"text{{fill:{COLOURS['text'][which]}}}rect{{fill:{COLOURS['back'][which]};stroke:{COLOURS['edge'][which]}}}"
        return text + "".join(f".{name}{{fill:{COLOURS[name][which]}}}" for name in COLOURS if name in used)

    fonts = 'ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace'
    return f"text{{font:14px {fonts};white-space:pre}}.bold{{font-weight:bold}}{rules(0)}@media (prefers-color-scheme:dark){{{rules(1)}}}"


def svg(title, lines):
    """The SVG file as text."""
    width = number(2 * MARGIN + WIDTH * max(len(cells) for cells in lines))
    height = number(2 * MARGIN + HEIGHT * len(lines))
    body = "".join(svg_line(row, cells) for row, cells in enumerate(lines))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">\n'
        f"<title>{html.escape(title, quote=False)}</title>\n<style>{style_sheet(lines)}</style>\n"
        f'<rect x="0.5" y="0.5" width="{number(float(width) - 1)}" height="{number(float(height) - 1)}" rx="6"/>\n{body}</svg>\n'
    )
