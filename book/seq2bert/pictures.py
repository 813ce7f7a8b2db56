"""Static pictures of attention: a heat map as SVG, the same numbers as a table, and one sentence.

They stand wherever nothing runs: in GitHub's preview, in print, before a script has loaded, and
for readers who do not see. Rows are queries, columns are keys, the colour scale is 0 to 1. The
live picture (`book/frontend/src/shared/picture.ts`) is laid out by the same rules and
takes the place of the static one without a jump.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from seq2bert.attention_map import AttentionMap
from seq2bert.labels import label, shown, text_width
from seq2bert.palette import LEVELS, OTHERS, ROLES, level, levels

SMALLEST_SCALE = 0.8
"""The picture may shrink to this share of its full size; below that it scrolls in its box."""

SMALLEST_TARGET = 24
"""Side of the smallest cell, in pixels, that a finger still hits."""

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"

_TITLES = {
    "encoder": "Encoder self-attention",
    "decoder": "Decoder self-attention",
    "cross": "Cross-attention",
}
_SLANT = math.sqrt(0.5)


@dataclass(frozen=True)
class Layout:
    """Where everything stands, in pixels at full size; the cells begin at (left, top)."""

    cell: int
    font: int
    left: int
    top: int
    width: int
    height: int


def layout(query_tokens: tuple[str, ...], key_tokens: tuple[str, ...]) -> Layout:
    """Lay out a picture with these tokens on its axes."""
    longest = max(len(query_tokens), len(key_tokens))
    cell = next((size for most, size in ((8, 34), (16, 28), (28, 22)) if longest <= most), 16)
    font = 13 if cell >= 22 else 11
    rows = [text_width(label(token)) * font for token in query_tokens]
    columns = [text_width(label(token)) * font for token in key_tokens]
    left = max(72, math.ceil(max(rows, default=0)) + 16)
    top = max(48, math.ceil(max(columns, default=0) * _SLANT + font) + 8)
    across = len(key_tokens) * cell
    ends = [
        math.ceil((key + 0.5) * cell + width * _SLANT + font) - across
        for key, width in enumerate(columns)
    ]
    width = left + across + max(4, *ends)
    return Layout(cell, font, left, top, width, top + len(query_tokens) * cell + 4)


def heat_map_svg(attention: AttentionMap, layer: int = 0, head: int = 0) -> str:
    """Draw one head as an SVG that stands alone and also follows the theme of a page.

    Colours are written twice: as attributes (the light theme, for wherever the file ends up) and
    as classes, which the style sheet of the site repaints. There are no ids and no date in it.

    Raises:
        ValueError: there is no such layer or head.
    """
    weights = attention.head(layer, head)
    place = layout(attention.query_tokens, attention.key_tokens)
    parts = [*_corner(place), *_labels(attention, place), *_cells(weights.tolist(), place)]
    parts += _gold(attention, place)
    widths = math.floor(place.width * SMALLEST_SCALE), place.width
    heading = title(attention, layer, head), describe(attention, layer, head)
    return _standing_alone(place, widths, heading, parts)


def blank_svg(attention: AttentionMap) -> str:
    """Draw the labels and an empty grid: no weights, no gold, for readers who predict them.

    Cells are at least as large as a fingertip needs, so a long sentence comes out larger here
    than in `heat_map_svg`.
    """
    place = layout(attention.query_tokens, attention.key_tokens)
    queries, keys = attention.shape[2:]
    lines = [
        f"M{place.left + key * place.cell} {place.top}v{queries * place.cell}"
        for key in range(keys + 1)
    ] + [
        f"M{place.left} {place.top + query * place.cell}h{keys * place.cell}"
        for query in range(queries + 1)
    ]
    grid = (
        f'<path class="s2b-lines" fill="none" stroke="{OTHERS["grey"]["light"]}" '
        f'stroke-opacity="0.55" d="{"".join(lines)}"/>'
    )
    # the live picture draws a cell a pixel smaller than its place
    touchable = SMALLEST_TARGET / (place.cell - 1)
    widths = (
        math.ceil(place.width * max(SMALLEST_SCALE, touchable)),
        math.ceil(place.width * max(1, touchable)),
    )
    heading = title(attention), describe_hidden(attention)
    return _standing_alone(
        place, widths, heading, [*_corner(place), *_labels(attention, place), grid]
    )


def _standing_alone(
    place: Layout, widths: tuple[int, int], heading: tuple[str, str], parts: list[str]
) -> str:
    """An SVG document: its smallest and largest width, its title and description, its content."""
    # inline as a style: so the picture keeps its size before and without any style sheet
    size = f"width:100%;max-width:{widths[1]}px;min-width:{widths[0]}px;height:auto"
    name, description = heading
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="s2b-still" role="img" '
        f'viewBox="0 0 {place.width} {place.height}" width="{place.width}" '
        f'height="{place.height}" style="{size}" direction="ltr" '
        f'font-family="{FONT}" font-size="{place.font}">'
        f"<title>{escape(name)}</title>"
        f"<desc>{escape(description)}</desc>"
        f'<rect class="s2b-paper" width="{place.width}" height="{place.height}" '
        f'fill="{ROLES["paper"]["light"]}"/>' + "".join(parts) + "</svg>"
    )


def table_html(
    attention: AttentionMap,
    layer: int = 0,
    head: int = 0,
    notes: Mapping[tuple[int, int], str] | None = None,
) -> str:
    """The weights of one head as an HTML table: two digits, headers on both axes.

    Args:
        attention: the map.
        layer: which layer, from 0.
        head: which head, from 0.
        notes: words that stand beside the weight of a cell (query, key).

    Raises:
        ValueError: there is no such layer or head.
    """
    weights = attention.head(layer, head)
    words = {cell: f" {escape(note)}" for cell, note in (notes or {}).items()}
    columns = "".join(f'<th scope="col">{_bdi(token)}</th>' for token in attention.key_tokens)
    rows = "".join(
        f'<tr><th scope="row">{_bdi(token)}</th>'
        + "".join(
            f"<td>{two_digits(weight)}{words.get((query, key), '')}</td>"
            for key, weight in enumerate(row)
        )
        + "</tr>"
        for query, (token, row) in enumerate(
            zip(attention.query_tokens, weights.tolist(), strict=True)
        )
    )
    return (
        f'<table class="s2b-table"><caption>{escape(title(attention, layer, head))}: weight of '
        f"each key (column) for each query (row)</caption><thead><tr><td></td>{columns}</tr>"
        f"</thead><tbody>{rows}</tbody></table>"
    )


def figure_html(
    attention: AttentionMap,
    layer: int = 0,
    head: int = 0,
    name: str = "",
    others: Mapping[str, AttentionMap] | None = None,
    below: str = "",
) -> str:
    """Picture, legend and folded table in one figure: the parts of the live widget, at rest.

    Args:
        attention: the map.
        layer: which layer, from 0.
        head: which head, from 0.
        name: what to call this map when it is one of several.
        others: the other maps, by title; they are there as tables (of their first head).
        below: HTML between the sentence that reads the picture out and the legend.

    Raises:
        ValueError: there is no such layer or head.
    """
    layers, heads = attention.shape[:2]
    facts = [name] if name else []
    facts += [f"Layer {layer + 1} of {layers}"] if layers > 1 else []
    facts += [f"Head {head + 1} of {heads}"] if heads > 1 else []
    shown_facts = "".join(f'<span class="s2b-control">{escape(fact)}</span>' for fact in facts)
    # the live widget has a check box here: its room is kept, so that nothing moves when it comes
    extras = ""
    kinds = ["sure"] if attention.sure else []
    kinds += ["possible"] if attention.possible - attention.sure else []
    if kinds:
        samples = "gold links" + "".join(f"{_sample(kind)}{kind}" for kind in kinds)
        extras += (
            f'<span class="s2b-tick s2b-later"><span class="s2b-legend">{samples}</span></span>'
        )
    if layout(attention.query_tokens, attention.key_tokens).cell >= 28:
        extras += '<span class="s2b-tick s2b-later s2b-unseen" aria-hidden="true">numbers</span>'
    return (
        '<figure style="margin:0"><div class="s2b s2b-heatmap s2b-at-rest">'
        f'<div class="s2b-bar"><span class="s2b-title">{_TITLES[attention.kind]}</span>'
        f"{shown_facts}</div>"
        f'<div class="s2b-holder">{scrolling("s2b-scroll", "Picture of the weights")}'
        f'<div class="s2b-frame">{heat_map_svg(attention, layer, head)}</div></div></div>'
        f'<p class="s2b-readout">{escape(_strongest_sentence(attention, layer, head))}</p>'
        f"{below}"
        f'<div class="s2b-foot"><span class="s2b-legend">weight 0{scale()}1</span>{extras}</div>'
        '<details class="s2b-twin"><summary>Table of the weights</summary>'
        f"{scrolling('s2b-table-box', 'Table of the weights')}"
        f"{table_html(attention, layer, head)}</div>"
        f"{_other_tables(others or {})}</details></div></figure>"
    )


def _other_tables(others: Mapping[str, AttentionMap]) -> str:
    return "".join(
        f"{scrolling('s2b-table-box', f'Table of the weights: {name}')}"
        f"<p>{escape(name)}</p>{table_html(attention)}</div>"
        for name, attention in others.items()
    )


def title(attention: AttentionMap, layer: int = 0, head: int = 0) -> str:
    """What the picture is: its kind, and which head where there are several."""
    layers, heads = attention.shape[:2]
    parts = [_TITLES[attention.kind]]
    parts += [f"layer {layer + 1} of {layers}"] if layers > 1 else []
    parts += [f"head {head + 1} of {heads}"] if heads > 1 else []
    return ", ".join(parts)


def describe(attention: AttentionMap, layer: int = 0, head: int = 0) -> str:
    """One sentence for those who do not see the picture: its size and its strongest pairs.

    Raises:
        ValueError: there is no such layer or head.
    """
    pairs = [
        f"{shown(attention.query_tokens[query])} to {shown(attention.key_tokens[key])} "
        f"{two_digits(weight)}"
        for query, key, weight in _strongest(attention, layer, head)[:3]
    ]
    most = f"strongest: {', '.join(pairs)}" if pairs else "all weights are 0"
    return f"{title(attention, layer, head)}: {_size(attention)}; {most}."


def describe_hidden(attention: AttentionMap) -> str:
    """The same while the weights are a secret."""
    return f"{title(attention)}: {_size(attention)}; the weights are not shown yet."


def _size(attention: AttentionMap) -> str:
    queries, keys = attention.shape[2:]
    return (
        f"{queries} {'query' if queries == 1 else 'queries'} in rows, "
        f"{keys} {'key' if keys == 1 else 'keys'} in columns"
    )


def two_digits(weight: float) -> str:
    """A weight as text, rounded as it is painted."""
    return f"{level(weight) / (LEVELS - 1):.2f}"


def _strongest(attention: AttentionMap, layer: int, head: int) -> list[tuple[int, int, float]]:
    """(query, its strongest key, weight), the strongest first; rows of zeros are left out."""
    weights = attention.head(layer, head)
    found = [
        (query, int(row.argmax()), float(row.max()))
        for query, row in enumerate(weights)
        if any(row)
    ]
    return sorted(found, key=lambda pair: -pair[2])


def _strongest_sentence(attention: AttentionMap, layer: int, head: int) -> str:
    for query, key, weight in _strongest(attention, layer, head)[:1]:
        return (
            f"Strongest: query {shown(attention.query_tokens[query])} ({query + 1}) → key "
            f"{shown(attention.key_tokens[key])} ({key + 1}): {two_digits(weight)}"
        )
    return "All weights are 0."


def scrolling(kind: str, name: str) -> str:
    """Open a box that scrolls sideways where it must, by keyboard too."""
    reach = f'tabindex="0" role="group" aria-label="{escape(name)}"'
    return f'<div class="{kind}" style="overflow-x:auto" {reach}>'


def _bdi(token: str) -> str:
    """A token that cannot turn the text around it, whatever its script."""
    return f"<bdi>{escape(shown(token))}</bdi>"


def _number(value: float) -> str:
    """At most three digits after the point, and no more than needed."""
    return f"{value:.3f}".rstrip("0").rstrip(".")


def _corner(place: Layout) -> list[str]:
    """The two captions in the corner: which axis asks, which is looked at."""
    parts = []
    for role, text, up in (("key", "keys →", 40), ("query", "queries ↓", 21)):
        parts.append(
            f'<rect class="s2b-mark-{role}" x="{place.left - 9}" y="{place.top - up}" width="3" '
            f'height="11" fill="{ROLES[role]["light"]}"/>'
            f'<text class="s2b-caption" x="{place.left - 14}" y="{place.top - up + 9}" '
            f'text-anchor="end" font-size="11" fill="{ROLES["muted"]["light"]}">{text}</text>'
        )
    return parts


def _labels(attention: AttentionMap, place: Layout) -> list[str]:
    ink = ROLES["ink"]["light"]
    rows = [
        f'<text class="s2b-label" x="{place.left - 8}" '
        f'y="{_number(place.top + (query + 0.5) * place.cell + place.font * 0.35)}" '
        f'text-anchor="end" fill="{ink}">{escape(label(token))}</text>'
        for query, token in enumerate(attention.query_tokens)
    ]
    columns = [
        f'<text class="s2b-label" transform="translate('
        f"{_number(place.left + (key + 0.5) * place.cell + place.font * 0.3)} {place.top - 8}) "
        f'rotate(-45)" fill="{ink}">{escape(label(token))}</text>'
        for key, token in enumerate(attention.key_tokens)
    ]
    return rows + columns


def _cells(weights: list[list[float]], place: Layout) -> list[str]:
    """One path for each level of the ramp, so that a large map stays small as text."""
    size = place.cell - 1
    squares: dict[int, list[str]] = defaultdict(list)
    for query, row in enumerate(weights):
        for key, weight in enumerate(row):
            x, y = place.left + key * place.cell + 0.5, place.top + query * place.cell + 0.5
            squares[level(weight)].append(f"M{_number(x)} {_number(y)}h{size}v{size}h-{size}z")
    colours = levels("light")
    edge = (
        f'<rect class="s2b-edge" x="{place.left}" y="{place.top}" '
        f'width="{place.cell * len(weights[0])}" height="{place.cell * len(weights)}" '
        f'fill="none" stroke="{ROLES["line"]["light"]}"/>'
    )
    return [edge] + [
        f'<path class="s2b-w{step}" fill="{colours[step]}" d="{"".join(squares[step])}"/>'
        for step in sorted(squares)
    ]


def _gold(attention: AttentionMap, place: Layout) -> list[str]:
    """Outlines of the gold cells: solid when sure, dashed when only possible."""
    parts = []
    size = place.cell - 6
    for kind, cells in (
        ("possible", attention.possible - attention.sure),
        ("sure", attention.sure),
    ):
        for query, key in sorted(cells):
            x, y = place.left + key * place.cell + 3, place.top + query * place.cell + 3
            box = f'x="{x}" y="{y}" width="{size}" height="{size}" rx="2" fill="none"'
            parts.append(
                f'<rect class="s2b-gold-halo" {box} stroke="{ROLES["paper"]["light"]}" '
                f'stroke-width="4"/><rect class="s2b-gold s2b-{kind}" {box} {_outline(kind)}/>'
            )
    return parts


def _outline(kind: str) -> str:
    dashes = ' stroke-dasharray="3.5 2.5"' if kind == "possible" else ""
    return f'stroke="{ROLES["gold"]["light"]}" stroke-width="2"{dashes}'


def _sample(kind: str) -> str:
    return (
        '<svg class="s2b-sample" viewBox="0 0 14 14" width="14" height="14" aria-hidden="true">'
        f'<rect class="s2b-gold s2b-{kind}" x="2" y="2" width="10" height="10" fill="none" '
        f"{_outline(kind)}/></svg>"
    )


def scale() -> str:
    """The colours of the weights from 0 to 1, for a legend."""
    wide = 120 / 21
    steps = "".join(
        f'<rect class="s2b-w{step * 5}" fill="{levels("light")[step * 5]}" '
        f'x="{step * wide:.2f}" width="{wide + 0.3:.2f}" height="10"/>'
        for step in range(21)
    )
    return (
        '<svg class="s2b-scale" viewBox="0 0 120 10" width="120" height="10" aria-hidden="true">'
        f"{steps}</svg>"
    )
