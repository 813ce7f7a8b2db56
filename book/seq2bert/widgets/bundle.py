"""The built front end inside the package: one module and one style sheet for each widget."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

STATIC = Path(__file__).parent / "static"

NOT_BUILT = (
    "This is a still picture: the front end of this copy of the book is not built. "
    "Run `make book` once, or install the package from its wheel, then restart the kernel."
)


MimeBundle = tuple[dict[str, Any], dict[str, Any]]
"""What a notebook stores of an output: data by MIME type, and metadata."""


def beside(live: MimeBundle | None, text: str, picture: str, page: str) -> MimeBundle:
    """A live view, and beside it what stands for it wherever nothing runs.

    Args:
        live: the view as anywidget displays it; None when the front end is not built, and then
            the page says so.
        text: for terminals, and for tests that compare outputs.
        picture: an SVG.
        page: HTML, with the picture in it.
    """
    data, metadata = live if live is not None else ({}, {})
    why = "" if live is not None else f"<p>{escape(NOT_BUILT)}</p>"
    stills = {"text/plain": text, "image/svg+xml": picture, "text/html": page + why}
    return data | stills, metadata


def script(widget: str) -> str:
    """The source of a widget's module; empty when the front end has not been built."""
    return _read(STATIC / f"{widget}.js")


def styles(widget: str) -> str:
    """The style sheet of a widget; empty when the front end has not been built."""
    return _read(STATIC / f"{widget}.css")


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""
