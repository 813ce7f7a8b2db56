"""On a page the style sheets of all widgets stand together: none may speak for another."""

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "book" / "frontend" / "src"


def selectors(style: str) -> Iterator[str]:
    """Every selector of a style sheet, lists taken apart (but not those inside of `:is()`)."""
    for group in re.findall(r"([^{};]+)\{", re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL)):
        yield from (one.strip() for one in re.split(r",(?![^(]*\))", group))


def test_selectors_are_taken_apart():
    style = "/* .x { */ .a, .b:is(.c, .d) { color: red } @media (x) { .e { top: 0 } }"
    assert [*selectors(style)] == [".a", ".b:is(.c, .d)", "@media (x)", ".e"]


def test_a_class_without_its_widget_is_styled_in_one_sheet_alone():
    sheets = defaultdict(set)
    for file in (*SOURCE.glob("shared/*.css"), *SOURCE.glob("widgets/*/*.css")):
        for selector in selectors(file.read_text(encoding="utf8")):
            bare = re.fullmatch(r"(?:\.s2b )?\.(s2b-[\w-]+)(:[\w-]+)?", selector)
            if bare:
                sheets[bare[1]].add(file.relative_to(SOURCE).as_posix())
    assert len(sheets) > 20
    clashes = {
        name: sorted(files)
        for name, files in sheets.items()
        if len(files) > 1 and any(file.startswith("widgets/") for file in files)
    }
    assert clashes == {}, "write the widget's own class before it: .s2b-<widget> .s2b-<part>"


def test_no_widget_gives_a_part_the_name_of_a_class_that_hides_elsewhere():
    """What a shared sheet hides by its class alone would be hidden in every widget of the page."""
    hiding = set()
    for file in SOURCE.glob("shared/*.css"):
        style = file.read_text(encoding="utf8")
        hiding |= set(re.findall(r"(?m)^\.(s2b-[\w-]+) \{ display: none", style))
    assert {"s2b-numbers", "s2b-off"} <= hiding
    html = {
        name
        for file in SOURCE.glob("widgets/*/*.ts")
        for name in re.findall(r'html\("\w+", \{ class: "([^"]+)"', file.read_text(encoding="utf8"))
    }
    assert not {part for name in html for part in name.split()} & hiding
