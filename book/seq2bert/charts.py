"""The book's charts: one theme, one renderer, and no chart without words.

Call `enable()` once in a chapter. From then on every Altair chart is stored as three things: its
Vega-Lite specification (Jupyter draws it live, and so does the site on first touch), an SVG of it
(seen at once, in print, and wherever nothing runs) and a short stable text.

Every chart needs a description, since that is its alternative text:
``alt.Chart(data, description="Accuracy falls from 0.9 to 0.4 as sentences grow")``.

**Colours.** Charts name the *light* colours of `seq2bert.palette`, in lower case, as attributes:
``fill="#0072b2"``. Each is a mark for a role, and the site's style sheet repaints it in the
colour of the theme (``.s2b-chart svg [fill="#0072b2"] { fill: var(--_query) }``, written by
`seq2bert.palette.style_sheet`). So name a colour of `palette.ROLES` or `palette.OTHERS` and it
follows light and dark. The background is transparent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import altair

from seq2bert.palette import CATEGORIES, OTHERS, ROLES, levels

NAME = "seq2bert"
FONT = "system-ui, sans-serif"

Spec = dict[str, Any]


def enable() -> None:
    """Turn on the book's theme and renderer for every Altair chart from here on."""
    altair.theme.register(NAME, enable=True)(_theme)
    altair.renderers.register(NAME, mime_bundle)
    altair.renderers.enable(NAME)


def mime_bundle(spec: Spec, **_: Any) -> dict[str, Any]:
    """The three stored forms of a chart: specification, SVG, short text.

    The SVG is left out where `vl-convert-python` is not installed.

    Raises:
        ValueError: the chart has no description.
    """
    description = _description(spec)
    # through JSON: only what a notebook may hold, no tuples and no numpy numbers
    plain: Spec = json.loads(json.dumps(spec))
    bundle: dict[str, Any] = {_mime_type(plain): plain, "text/plain": short_text(plain)}
    picture = svg(plain, description)
    if picture:
        bundle["image/svg+xml"] = picture
    return bundle


def svg(spec: Spec, description: str) -> str:
    """Draw a specification as SVG with its description as alternative text; "" if it cannot be.

    The same specification gives the same text at every run: there is no date in it, and ids are
    numbered by what they stand for.
    """
    convert = _converter()
    if convert is None:
        return ""
    drawn: str = convert.vegalite_to_svg(spec)
    return _accessible(_without_random_ids(drawn, description), description)


def short_text(spec: Spec) -> str:
    """What a chart is in a few words, the same at every run: ``Chart(line, 12 rows)``."""
    marks = list(dict.fromkeys(_marks(spec)))
    rows = sum(_tables(spec).values())
    return f"Chart({' + '.join(marks) or 'empty'}, {rows} {'row' if rows == 1 else 'rows'})"


def _tables(spec: Spec) -> dict[str, int]:
    """Each table of a chart, of its layers and of its panels, with its number of rows."""
    tables = {name: len(rows) for name, rows in spec.get("datasets", {}).items()}
    data = spec.get("data")
    values = data.get("values") if isinstance(data, dict) else None
    if isinstance(values, list):
        # layers that share a table repeat it
        tables[json.dumps(values, sort_keys=True)] = len(values)
    for inner in _parts(spec):
        tables |= _tables(inner)
    return tables


def _description(spec: Spec) -> str:
    description = spec.get("description")
    if not isinstance(description, str) or not description.strip():
        raise ValueError(
            f"the chart has the description {description!r}; expected a sentence that says what "
            "it shows, since it is the alternative text: alt.Chart(data, description='...')"
        )
    return description.strip()


def _mime_type(spec: Spec) -> str:
    found = re.search(r"/vega-lite/v(\d+)", str(spec.get("$schema", "")))
    major = found[1] if found else altair.SCHEMA_VERSION.lstrip("v").split(".")[0]
    return f"application/vnd.vegalite.v{major}+json"


def _marks(spec: Spec) -> Iterator[str]:
    """The marks of a chart and of its layers and panels, in order."""
    if "mark" in spec:
        mark = spec["mark"]
        yield mark if isinstance(mark, str) else str(mark.get("type"))
    for inner in _parts(spec):
        yield from _marks(inner)


def _parts(spec: Spec) -> Iterator[Spec]:
    for part in ("layer", "concat", "hconcat", "vconcat"):
        yield from spec.get(part, ())
    if isinstance(spec.get("spec"), dict):
        yield spec["spec"]


@cache
def _converter() -> Any:
    try:
        import vl_convert
    except ImportError:
        return None
    return vl_convert


def _without_random_ids(drawn: str, description: str) -> str:
    """Number the ids of gradients and clips, after the chart: unique on a page of many charts."""
    ids = dict.fromkeys(re.findall(r'\bid="([^"]+)"', drawn))
    stem = f"s2b-chart-{sum(ord(c) * (n + 1) for n, c in enumerate(description)) % 0xFFFFFF:06x}"
    for number, name in enumerate(ids):
        new = f"{stem}-{number}"
        drawn = drawn.replace(f'id="{name}"', f'id="{new}"')
        drawn = drawn.replace(f"url(#{name})", f"url(#{new})").replace(f'"#{name}"', f'"#{new}"')
    return drawn


def _accessible(drawn: str, description: str) -> str:
    """One picture with one name: the parts inside are not read out one by one."""
    drawn = re.sub(r' (?:role|aria-[a-z]+)="[^"]*"', "", drawn)
    opening = f'<svg role="img" aria-label={quoteattr(description)}'
    drawn = drawn.replace("<svg", opening, 1)
    return re.sub(
        r"(<svg\b[^>]*>)", rf"\1<desc>{_literal(escape(description))}</desc>", drawn, count=1
    )


def _literal(text: str) -> str:
    return text.replace("\\", r"\\")


def _theme() -> Any:
    """Quiet axes, the book's colours, a transparent background."""
    ink, muted, line = (ROLES[role]["light"] for role in ("ink", "muted", "line"))
    series = [(ROLES | OTHERS)[name]["light"] for name in CATEGORIES]
    axis = {
        "domainColor": muted,
        "gridColor": line,
        "labelColor": muted,
        "tickColor": muted,
        "titleColor": ink,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": 600,
        "titlePadding": 8,
        "labelPadding": 5,
        "tickSize": 4,
    }
    return {
        "config": {
            "background": "transparent",
            "font": FONT,
            # room for labels that are wider in the reader's font than in the one they were set in
            "padding": {"left": 16, "right": 16, "top": 5, "bottom": 5},
            "view": {"stroke": None, "continuousWidth": 460, "continuousHeight": 260},
            "axis": axis,
            "axisX": {"grid": False},
            "axisY": {"domain": False, "ticks": False},
            "legend": {
                "labelColor": ink,
                "titleColor": ink,
                "labelFontSize": 12,
                "titleFontSize": 12,
                "symbolStrokeWidth": 2,
            },
            "header": {"labelColor": ink, "titleColor": ink, "labelFontSize": 12},
            "title": {"color": ink, "subtitleColor": muted, "anchor": "start", "fontSize": 14},
            "mark": {"color": series[0]},
            "arc": {"fill": series[0]},
            "area": {"fill": series[0], "fillOpacity": 0.3},
            "bar": {"fill": series[0], "cornerRadiusEnd": 2},
            "line": {"stroke": series[0], "strokeWidth": 2.2},
            "point": {"filled": True, "size": 45},
            "rule": {"stroke": muted},
            "text": {"fill": ink, "fontSize": 12},
            "rect": {"fill": series[0]},
            "range": {
                "category": series,
                "heatmap": list(levels("light")[::10]),
                "ramp": list(levels("light")[::10]),
                "ordinal": list(levels("light")[20::20]),
            },
        }
    }
