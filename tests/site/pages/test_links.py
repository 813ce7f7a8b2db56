"""Every link inside the site leads somewhere that exists."""

from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from bs4 import BeautifulSoup

from conftest import ALL_PAGES, SITE

ATTRIBUTES = {"a": "href", "link": "href", "img": "src", "script": "src", "source": "src"}


@cache
def soup(file: Path) -> BeautifulSoup:
    return BeautifulSoup(file.read_text(encoding="utf-8"), "lxml")


@cache
def anchors(file: Path) -> frozenset[str]:
    """Everything on a page that a fragment may lead to."""
    elements = soup(file).find_all(True)
    return frozenset(
        element[name] for element in elements for name in ("id", "name") if element.has_attr(name)
    )


@pytest.mark.parametrize("name", ALL_PAGES)
def test_every_internal_link_and_anchor_resolves(name: str) -> None:
    file = SITE / f"{name}.html"
    broken = []
    for tag, attribute in ATTRIBUTES.items():
        for element in soup(file).find_all(tag):
            target = element.get(attribute)
            if not target or target.startswith(("#!", "mailto:", "data:")):
                continue
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            path = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            if path.is_dir():
                path /= "index.html"
            if not path.is_file() or (
                parts.fragment
                and path.suffix == ".html"
                and unquote(parts.fragment) not in anchors(path)
            ):
                broken.append(target)
    assert broken == []


@pytest.mark.parametrize("name", ALL_PAGES)
def test_a_link_to_another_site_is_encrypted(name: str) -> None:
    plain = [
        a["href"]
        for a in soup(SITE / f"{name}.html").find_all("a", href=True)
        if a["href"].startswith("http:")
    ]
    assert plain == []
