"""The built front end inside the package: one module and one style sheet for each widget."""

from __future__ import annotations

from pathlib import Path

STATIC = Path(__file__).parent / "static"

NOT_BUILT = (
    "This is a still picture: the front end of this copy of the book is not built. "
    "Run `make book` once, or install the package from its wheel, then restart the kernel."
)


def script(widget: str) -> str:
    """The source of a widget's module; empty when the front end has not been built."""
    return _read(STATIC / f"{widget}.js")


def styles(widget: str) -> str:
    """The style sheet of a widget; empty when the front end has not been built."""
    return _read(STATIC / f"{widget}.css")


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""
