"""Controls where nothing runs: they are not seen, but take the room of the live ones.

A still picture that is as large as the live widget does not make a page jump when the widget
comes to life. The elements and classes are those of `book/frontend/src/shared/controls.ts` and
`slider.ts`, so that they break into lines as those do.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape


def bar(*controls: str, kind: str = "") -> str:
    """A line of controls that only a running widget can offer."""
    classes = " ".join(filter(None, ("s2b-bar", kind, "s2b-unseen")))
    return f'<div class="{classes}" aria-hidden="true">{"".join(controls)}</div>'


def choice(name: str, options: Sequence[str], grows: bool = False) -> str:
    """The room of a drop-down list; none where there is nothing to choose."""
    if len(options) < 2:
        return ""
    items = "".join(f"<option>{escape(option)}</option>" for option in options)
    return (
        f'<label class="s2b-control{" s2b-grow" if grows else ""}"><span>{escape(name)}</span>'
        f'<select class="s2b-select" disabled="">{items}</select></label>'
    )


def button(name: str) -> str:
    """The room of a push button."""
    return f'<button class="s2b-button" type="button" disabled="">{escape(name)}</button>'


def slider(name: str, value: str) -> str:
    """The room of a slider with its value."""
    return (
        f'<label class="s2b-control s2b-slider"><span>{escape(name)}</span>'
        f'<input type="range" class="s2b-range" disabled=""/><output class="s2b-value">'
        f"{escape(value)}</output></label>"
    )
