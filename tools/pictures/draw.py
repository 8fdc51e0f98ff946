#!/usr/bin/env python3
"""Draws the pictures of the pages that are no terminals: NAME.toml becomes NAME-light.svg and NAME-dark.svg.

usage: draw.py [--check] [SOURCES PICTURES]

SOURCES and PICTURES are folders: drawings/ beside this program and docs/pictures, unless they are named. --check writes nothing. Exit status: 0 all is
well, 1 a picture is not what its source says or has none (--check), 2 a source has a mistake, 64 wrong arguments.

A source is TOML, with these keys. Lengths are pixels; places are [x, y] from the top left corner, [x, y, width, height] for what has a size.

  alt = "…"                  what the picture shows, in words
  size = [width, height]
  box = […]      at, kind, and, as needed: name (for arrows), title, text (lines below it), code (lines in fixed width), top = true (text at
               the top, for boxes that hold others)
  arrow = […]    from, to: names of boxes, with the side if it is not clear, as in "crigate:top", and how far from the middle of that side, as
               in "crigate:top+20". text (one line beside it, or several), place (where the text goes, if not beside the middle), kind
  text = […]     at (x, y of the line's middle), text, kind; align = "left", "middle" or "right"

Kinds of boxes are in BOXES, those of arrows and texts in INKS. Where a text does not fit into its box or the picture, that is a mistake.
"""
import html
import pathlib
import re
import sys
import tomllib

# The colours of each theme: the ground, inks, and fills with the line around them. Inks and fills are those that are easy to tell apart with
# defective colour vision as well; what matters is also in words.
THEMES = {
    "light": {
        "ground": "#ffffff", "ink": "#1f2328", "quiet": "#59636e", "good": "#1a7f37", "bad": "#cf222e", "way": "#0969da",
        "kubelet": ("#fbefff", "#8250df"), "crigate": ("#ddf4ff", "#0969da"), "runtime": ("#dafbe1", "#1a7f37"),
        "other": ("#fff1e5", "#bc4c00"), "stopped": ("#ffebe9", "#cf222e"), "plain": ("#f6f8fa", "#818b98"),
        "frame": ("#ffffff", "#d1d9e0"), "old": ("#dafbe1", "#1a7f37"), "new": ("#fff1e5", "#bc4c00"), "window": ("#ddf4ff", "#0969da"),
    },
    "dark": {
        "ground": "#0d1117", "ink": "#f0f6fc", "quiet": "#9198a1", "good": "#3fb950", "bad": "#f85149", "way": "#4493f8",
        "kubelet": ("#271f3d", "#ab7df8"), "crigate": ("#102a4c", "#4493f8"), "runtime": ("#12291b", "#3fb950"),
        "other": ("#33200f", "#db6d28"), "stopped": ("#3b1519", "#f85149"), "plain": ("#151b23", "#656c76"),
        "frame": ("#0d1117", "#3d444d"), "old": ("#12291b", "#3fb950"), "new": ("#33200f", "#db6d28"), "window": ("#102a4c", "#4493f8"),
    },
}
# Kinds of boxes, with the radius of their corners.
BOXES = {"kubelet": 6, "crigate": 6, "runtime": 6, "other": 6, "stopped": 6, "plain": 6, "frame": 10, "old": 3, "new": 3, "window": 0}
INKS = {"plain": "ink", "quiet": "quiet", "good": "good", "bad": "bad", "way": "way", "heading": "ink", "code": "ink"}
DASHED = {"quiet", "bad"}

PROPORTIONAL = "-apple-system, 'Segoe UI', Helvetica, Arial, 'DejaVu Sans', sans-serif"
FIXED = "ui-monospace, SFMono-Regular, Menlo, 'DejaVu Sans Mono', monospace"
# Height of letters and distance of lines.
TITLE, LINE, HEADING, STEP = 14, 12, 15, 16
SIDES = {"left": (0, 0.5), "right": (1, 0.5), "top": (0.5, 0), "bottom": (0.5, 1)}


class Mistake(Exception):
    """In a source."""


def width_of(text, size, kind):
    """At most, in DejaVu, which is wider than what most readers have."""
    if kind == "code":
        return len(text) * size * 0.603
    narrow, wide = sum(c in "ijltfI.,:;'|!()[] -" for c in text), sum(c in "mwMW@%→—…" for c in text)
    big = sum(c.isupper() and c not in "IMW" for c in text)
    width = 0.37 * narrow + 0.93 * wide + 0.71 * big + 0.61 * (len(text) - narrow - wide - big)
    return width * size * (1.11 if kind in ("title", "heading") else 1)


def luminance(colour):
    channels = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    """As WCAG 2 defines it; text needs 4.5."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


class Picture:
    def __init__(self, path):
        self.source = tomllib.loads(path.read_text(encoding="utf-8"))
        unknown = self.source.keys() - {"alt", "size", "box", "arrow", "text"}
        if unknown or not self.source.get("alt"):
            raise Mistake(f"unknown keys: {', '.join(sorted(unknown))}" if unknown else "alt is missing")
        self.size = self.source["size"]
        self.boxes = {box["name"]: box for box in self.source.get("box", []) if "name" in box}

    def draw(self, theme):
        self.colours = THEMES[theme]
        width, height = self.size
        parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">',
                 f"<title>{html.escape(self.source['alt'])}</title>",
                 f'<rect width="{width}" height="{height}" rx="6" fill="{self.colours["ground"]}"/>']
        for box in self.source.get("box", []):
            parts += self.box(box)
        for arrow in self.source.get("arrow", []):
            parts += self.arrow(arrow)
        for text in self.source.get("text", []):
            parts += self.line(text["at"], text["text"], text.get("kind", "plain"), text.get("align", "middle"), self.colours["ground"],
                               self.room_at(text["at"]))
        return "\n".join(parts) + "\n</svg>\n"

    def room_at(self, point):
        """From where to where a text may reach there: to the edges of the frame, or of the picture."""
        for box in self.source.get("box", []):
            x, y, width, height = box["at"]
            if box["kind"] == "frame" and x <= point[0] <= x + width and y <= point[1] <= y + height:
                return x, x + width
        return 0, self.size[0]

    def line(self, at, text, kind, align, ground, room=None, size=None):
        ink = self.colours[INKS.get(kind, "ink")]
        if contrast(ink, ground) < 4.5:
            raise Mistake(f"\"{text}\": {ink} on {ground} has a contrast of {contrast(ink, ground):.1f}, and needs 4.5")
        size = size or {"heading": HEADING, "title": TITLE}.get(kind, LINE)
        width = width_of(text, size, kind)
        left = at[0] - width * {"left": 0, "middle": 0.5, "right": 1}[align]
        low, high = room or (0, self.size[0])
        if left < low or left + width > high or not 0 < at[1] < self.size[1]:
            raise Mistake(f"\"{text}\" may need {left:.0f} to {left + width:.0f}, and has {low:.0f} to {high:.0f}")
        anchor = {"left": "start", "middle": "middle", "right": "end"}[align]
        family, weight = (FIXED if kind == "code" else PROPORTIONAL), (600 if kind in ("title", "heading") else 400)
        return [f'<text x="{at[0]:g}" y="{at[1] + size * 0.35:.1f}" font-family="{family}" font-size="{size}" font-weight="{weight}" '
                f'text-anchor="{anchor}" fill="{ink}">{html.escape(text)}</text>']

    def box(self, box):
        x, y, width, height = box["at"]
        if x < 0 or y < 0 or x + width > self.size[0] or y + height > self.size[1]:
            raise Mistake(f"a box at {box['at']} is not inside of the picture")
        fill, around = self.colours[box["kind"]]
        dash = ' stroke-dasharray="5 4"' if box["kind"] in ("stopped", "window") else ""
        parts = [f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{BOXES[box["kind"]]}" fill="{fill}" stroke="{around}" '
                 f'stroke-width="1.5"{dash}/>']
        lines = [(box["title"], "title")] if "title" in box else []
        lines += [(text, "plain") for text in box.get("text", [])] + [(text, "code") for text in box.get("code", [])]
        top = y + STEP if box.get("top") else y + height / 2 - STEP * (len(lines) - 1) / 2
        if lines and not (y < top - 6 and top + STEP * (len(lines) - 1) + 6 < y + height):
            raise Mistake(f"{len(lines)} lines do not fit into the box at {box['at']}")
        for number, (text, kind) in enumerate(lines):
            size = LINE if kind == "title" and BOXES[box["kind"]] == 3 else None
            parts += self.line((x + width / 2, top + STEP * number), text, kind, "middle", fill, (x + 2, x + width - 2), size)
        return parts

    def end(self, text):
        """The point and side that an end of an arrow means; the side is None if the text leaves it open."""
        match = re.fullmatch(r"([\w -]+?)(?::(left|right|top|bottom)([+-]\d+)?)?", text)
        if not match or match[1] not in self.boxes:
            raise Mistake(f"no box has the name \"{text}\"")
        return self.boxes[match[1]]["at"], match[2], int(match[3] or 0)

    def point(self, end, other):
        (x, y, width, height), side, shift = end
        if side is None:
            over = other[0][0] + other[0][2] / 2 - x - width / 2, other[0][1] + other[0][3] / 2 - y - height / 2
            wide = abs(over[0]) * height > abs(over[1]) * width
            side = ("right" if over[0] > 0 else "left") if wide else ("bottom" if over[1] > 0 else "top")
        across, down = SIDES[side]
        moved = (0, shift) if side in ("left", "right") else (shift, 0)
        return x + width * across + moved[0], y + height * down + moved[1]

    def arrow(self, arrow):
        one, two = self.end(arrow["from"]), self.end(arrow["to"])
        start, end = self.point(one, two), self.point(two, one)
        kind = arrow.get("kind", "plain")
        colour = self.colours[INKS[kind]]
        length = ((end[0] - start[0]) ** 2 + (end[1] - start[1]) ** 2) ** 0.5
        along = (end[0] - start[0]) / length, (end[1] - start[1]) / length
        tip, back = (end[0] - 2 * along[0], end[1] - 2 * along[1]), (end[0] - 10 * along[0], end[1] - 10 * along[1])
        wings = [(back[0] + side * 4.5 * along[1], back[1] - side * 4.5 * along[0]) for side in (1, -1)]
        dash = ' stroke-dasharray="5 4"' if kind in DASHED else ""
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in (tip, *wings))
        parts = [f'<line x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{back[0]:.1f}" y2="{back[1]:.1f}" stroke="{colour}" stroke-width="1.8"{dash}/>',
                 f'<polygon points="{points}" fill="{colour}"/>']
        middle = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
        if arrow.get("stopped"):
            parts += [f'<path d="M{middle[0] - 6:.1f} {middle[1] - 6:.1f} l12 12 m0 -12 l-12 12" stroke="{colour}" stroke-width="2.6"/>']
        lines = arrow.get("text", [])
        lines = [lines] if isinstance(lines, str) else lines
        flat = abs(along[0]) > abs(along[1])
        place = arrow.get("place") or ((middle[0], middle[1] - (16 if arrow.get("stopped") else 10) - STEP * (len(lines) - 1)) if flat else
                                       (middle[0] + 8, middle[1] - STEP * (len(lines) - 1) / 2))
        for number, text in enumerate(lines):
            parts += self.line((place[0], place[1] + STEP * number), text, arrow.get("letters", kind), "middle" if flat else "left",
                               self.colours["ground"])
        return parts


def drawings(sources, pictures):
    """{path: what it has to hold}."""
    found = {}
    for path in sorted(sources.glob("*.toml")):
        try:
            picture = Picture(path)
            for theme in THEMES:
                found[pictures / f"{path.stem}-{theme}.svg"] = f"<!-- Made from {path.name} by `make docs`. -->\n" + picture.draw(theme)
        except (Mistake, KeyError, tomllib.TOMLDecodeError) as mistake:
            raise Mistake(f"{path}: {f'{mistake} is missing or unknown' if isinstance(mistake, KeyError) else mistake}") from mistake
    return found


def problems(pictures, found):
    """What is wrong with the committed pictures."""
    for path, text in found.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            yield f"{path} is not what its source says. Run make docs, and commit it"
    for path in sorted([*pictures.glob("*-light.svg"), *pictures.glob("*-dark.svg")]):
        drawn = "by `make docs`" in path.read_text(encoding="utf-8")[:200]
        if drawn and path not in found:
            yield f"{path} has no source any more. Remove it"


def main(arguments):
    check = arguments[:1] == ["--check"]
    arguments = arguments[1:] if check else arguments
    if len(arguments) not in (0, 2) or any(argument.startswith("-") for argument in arguments):
        print(__doc__.strip(), file=sys.stderr)
        return 64
    here = pathlib.Path(__file__).resolve().parent
    sources, pictures = map(pathlib.Path, arguments or [here / "drawings", here.parents[1] / "docs/pictures"])
    try:
        found = drawings(sources, pictures)
    except Mistake as mistake:
        print(mistake, file=sys.stderr)
        return 2
    if check:
        wrong = list(problems(pictures, found))
        print("\n".join(wrong), end="\n" if wrong else "")
        return 1 if wrong else 0
    for path, text in found.items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
