"""The site's colours are the pictures' colours."""

import re

import pytest

from conftest import ROOT
from seq2bert.palette import OTHERS, ROLES

STYLES = (ROOT / "book" / "_static" / "book.css").read_text(encoding="utf-8")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_style_sheet_has_the_palette_of_the_package(theme: str) -> None:
    block = re.search(rf'html\[data-theme="{theme}"\] \{{\n(.*?)\n\}}', STYLES, re.S)
    assert block is not None
    stated = dict(re.findall(r"--s2b-([a-z]+): (#[0-9a-f]{6});", block[1]))
    expected = {name: colours[theme] for name, colours in {**ROLES, **OTHERS}.items()}  # type: ignore[index]
    assert {name: stated.get(name) for name in expected} == expected
