#!/usr/bin/env bats
# The pictures of README and docs/ that are no terminals: drawn from their sources, and each shown by a page.

bats_require_minimum_version 1.5.0

REPOSITORY=$BATS_TEST_DIRNAME/../..
DRAW=$REPOSITORY/tools/pictures/draw.py

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

# small [BOX]: a source, with one more box.
small() {
    cat >small.toml <<END
alt = "a & b"
size = [300, 100]
box = [
  { name = "a", at = [10, 30, 80, 40], kind = "kubelet", title = "a" },
  { name = "b", at = [200, 30, 80, 40], kind = "runtime", title = "b", text = ["<b>"] },
  ${1-}
]
arrow = [{ from = "a", to = "b", text = "calls" }]
END
}

# refused TEXT: small.toml is, and nothing is written.
refused() {
    run -2 "$DRAW" . .
    [[ $output == "small.toml: "*"$1"* ]]
    [ ! -e small-light.svg ]
}

@test "the pictures are what their sources say" {
    run -0 "$DRAW" --check
    [ -z "$output" ]
}

@test "a page shows each picture, for light and dark, and in words" {
    run -0 python3 - "$REPOSITORY" <<'END'
import pathlib, re, sys
root = pathlib.Path(sys.argv[1])
PICTURE = re.compile(r'<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="(\S+)-dark\.(svg|png)">\s*'
                     r'<img src="(\S+)-light\.(svg|png)" alt="([^"]{40,})">\s*</picture>')
shown = set()
for page in [root / "README.md", *root.glob("docs/*.md")]:
    text = page.read_text()
    found = PICTURE.findall(text)
    assert len(found) == text.count("<picture>"), f"{page}: a picture is not for light and dark, or has no words"
    for dark, dark_form, light, form, _ in found:
        assert (dark, dark_form) == (light, form), f"{page}: {dark} and {light}"
        for theme in ("light", "dark"):
            assert (page.parent / f"{light}-{theme}.{form}").is_file(), f"{page}: there is no {light}-{theme}.{form}"
        shown.add(pathlib.Path(light).name)
drawn = {path.stem for path in root.glob("tools/pictures/drawings/*.toml")}
assert drawn and drawn <= shown, f"no page shows {drawn - shown}"
END
}

@test "what is drawn is SVG, in the colours of its theme" {
    small
    run -0 "$DRAW" . .
    run -0 python3 - <<'END'
import xml.etree.ElementTree as tree
for theme, ground in (("light", "#ffffff"), ("dark", "#0d1117")):
    svg = tree.parse(f"small-{theme}.svg").getroot()
    name = "{http://www.w3.org/2000/svg}"
    assert svg.find(name + "title").text == "a & b"
    assert svg.find(name + "rect").get("fill") == ground
    assert [text.text for text in svg.iter(name + "text")] == ["a", "b", "<b>", "calls"]
END
    run -0 "$DRAW" --check . .
}

@test "a picture that is not current is reported, and one without a source" {
    small
    "$DRAW" . .
    small '{ at = [10, 80, 80, 15], kind = "old" },'
    cp small-dark.svg other-dark.svg
    run -1 "$DRAW" --check . .
    [ "${#lines[@]}" = 3 ]
    [ "${lines[0]}" = "small-light.svg is not what its source says. Run make docs, and commit it" ]
    [ "${lines[1]}" = "small-dark.svg is not what its source says. Run make docs, and commit it" ]
    [ "${lines[2]}" = "other-dark.svg has no source any more. Remove it" ]
}

@test "errors in a source are reported" {
    small '{ at = [10, 75, 40, 20], kind = "old", text = ["too long for this"] },'
    refused '"too long for this" may need'
    small '{ at = [10, 90, 80, 40], kind = "old" },'
    refused "is not inside of the picture"
    small '{ at = [10, 75, 80, 20], kind = "old", text = ["one", "two"] },'
    refused "2 lines do not fit"
    small '{ at = [10, 75, 80, 20], kind = "green" },'
    refused "'green' is missing or unknown"
    small
    sed -i 's/to = "b"/to = "c"/' small.toml
    refused 'no box has the name "c"'
    small
    sed -i 1d small.toml
    refused "alt is missing"
}
