"""Many small heat maps side by side, for wherever nothing runs: cells and gold, no labels.

A thumbnail is for comparing shapes at a glance; whoever wants to know which word it is looks at
the large picture (`seq2bert.pictures`). The live thumbnail
(`book/frontend/src/shared/thumbnail.ts`) is drawn by the same rules.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from seq2bert.attention_map import AttentionMap
from seq2bert.palette import ROLES, level, levels
from seq2bert.pictures import FONT

CELL = 10
"""Side of a cell; the picture is scaled to the room that there is."""

_COLUMNS, _WIDE, _HIGH, _PICTURE = 5, 150, 172, 112
_INSTEAD_ROWS, _INSTEAD_LETTERS = 7, 22


@dataclass(frozen=True)
class Card:
    """A thumbnail with what stands below it.

    Attributes:
        title: whose attention it is.
        attention: of one sentence, with gold where it is known; None where there is none.
        facts: short lines.
        layer: which layer is drawn, from 0.
        head: which head is drawn, from 0.
        instead: what is said in the place of the picture where there is no attention.
    """

    title: str
    attention: AttentionMap | None
    facts: tuple[str, ...] = ()
    layer: int = 0
    head: int = 0
    instead: tuple[str, ...] = ()


def thumbnail_svg(attention: AttentionMap, layer: int = 0, head: int = 0, place: str = "") -> str:
    """Draw one head without labels; it is decoration, what it shows is said beside it.

    Args:
        attention: the map.
        layer: which layer, from 0.
        head: which head, from 0.
        place: attributes that say where it stands in a larger picture.

    Raises:
        ValueError: there is no such layer or head.
    """
    weights = attention.head(layer, head).tolist()
    wide, high = CELL * len(weights[0]), CELL * len(weights)
    colours = levels("light")
    parts = [
        f'<path class="s2b-w{step}" fill="{colours[step]}" d="{d}"/>'
        for step, d in squares(weights).items()
    ]
    for kind, d in gold_outlines(attention).items():
        dashes = ' stroke-dasharray="2 1.4"' if kind == "possible" else ""
        parts.append(
            f'<path class="s2b-gold-halo" fill="none" stroke="{ROLES["paper"]["light"]}" '
            f'stroke-width="2.6" d="{d}"/><path class="s2b-gold s2b-{kind}" fill="none" '
            f'stroke="{ROLES["gold"]["light"]}" stroke-width="1.3"{dashes} d="{d}"/>'
        )
    return (
        f'<svg class="s2b-thumb-map" viewBox="-1 -1 {wide + 2} {high + 2}" aria-hidden="true"'
        f'{place}><rect class="s2b-edge" width="{wide}" height="{high}" '
        f'fill="{ROLES["paper"]["light"]}" stroke="{ROLES["line"]["light"]}"/>'
        + "".join(parts)
        + "</svg>"
    )


def squares(weights: Sequence[Sequence[float]]) -> dict[int, str]:
    """For each level of the ramp above 0 that occurs, in order, the path of its cells."""
    found: dict[int, list[str]] = {}
    for query, row in enumerate(weights):
        for key, weight in enumerate(row):
            step = level(weight)
            if step > 0:
                found.setdefault(step, []).append(f"M{CELL * key} {CELL * query}h10v10h-10z")
    return {step: "".join(found[step]) for step in sorted(found)}


def gold_outlines(attention: AttentionMap) -> dict[str, str]:
    """The outlines of the gold cells, those that are only possible first; none without gold."""
    kinds = {"possible": attention.possible - attention.sure, "sure": attention.sure}
    return {
        kind: "".join(f"M{CELL * k + 1} {CELL * q + 1}h8v8h-8z" for q, k in sorted(cells))
        for kind, cells in kinds.items()
        if cells
    }


def gallery_svg(cards: Sequence[Card], heading: str, columns: int = _COLUMNS) -> str:
    """Draw all thumbnails with their titles and facts, as one SVG that stands alone.

    Args:
        cards: what is drawn, in reading order.
        heading: what they are together.
        columns: at most so many stand in a row.

    Raises:
        ValueError: there is no card.
    """
    if not cards:
        raise ValueError("cards is empty; give at least one")
    columns = min(columns, len(cards))
    wide, high = columns * _WIDE, math.ceil(len(cards) / columns) * _HIGH
    ink, muted, paper = (ROLES[name]["light"] for name in ("ink", "muted", "paper"))
    parts = []
    for number, card in enumerate(cards):
        x, y = number % columns * _WIDE, number // columns * _HIGH
        middle = f'x="{x + _WIDE / 2:g}" text-anchor="middle"'
        room = f' x="{x + 10}" y="{y + 20}" width="{_WIDE - 20}" height="{_PICTURE}"'
        parts.append(
            f'<text class="s2b-label" {middle} y="{y + 13}" fill="{ink}" font-weight="600">'
            f"{escape(card.title)}</text>"
            + (
                _instead_svg(card.instead, x, y, middle)
                if card.attention is None
                else thumbnail_svg(card.attention, card.layer, card.head, room)
            )
            + "".join(
                f'<text class="s2b-caption" {middle} y="{y + _PICTURE + 34 + 14 * line}" '
                f'font-size="11" fill="{muted}">{escape(" · ".join(facts))}</text>'
                # two facts have room side by side
                for line, facts in enumerate((card.facts[:2], card.facts[2:]))
                if line == 0 or any(facts)
            )
        )
    said = "; ".join(
        ": ".join(filter(None, (c.title, ", ".join((*c.instead, *c.facts))))) for c in cards
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {wide} {high}" '
        f'width="{wide}" height="{high}" style="max-width:100%;height:auto" '
        f'font-family="{FONT}" font-size="11.5"><title>{escape(heading)}</title>'
        f"<desc>{escape(said)}</desc>"
        f'<rect class="s2b-paper" width="{wide}" height="{high}" fill="{paper}"/>'
        + "".join(parts)
        + "</svg>"
    )


def cards_html(cards: Sequence[Card], chosen: int) -> str:
    """The thumbnails as a list: the parts of the live gallery, at rest."""
    items = "".join(
        f'<li class="s2b-thumb{" s2b-chosen" if number == chosen else ""}">'
        + (
            _instead_html(card.instead)
            if card.attention is None
            else thumbnail_svg(card.attention, card.layer, card.head)
        )
        + f'<span class="s2b-thumb-title">{escape(card.title)}</span>'
        + "".join(f'<span class="s2b-thumb-fact">{escape(fact)}</span>' for fact in card.facts)
        + "</li>"
        for number, card in enumerate(cards)
    )
    return f'<ul class="s2b-thumbs">{items}</ul>'


def _instead_svg(lines: Sequence[str], x: float, y: float, middle: str) -> str:
    """What is said where there is no picture, in lines that fit into its place."""
    ink, line = ROLES["ink"]["light"], ROLES["line"]["light"]
    rows: list[str] = []
    for text in lines:
        room = _INSTEAD_ROWS - len(rows)
        if room > 0:
            rows += textwrap.wrap(text, _INSTEAD_LETTERS, max_lines=room, placeholder=" ...")
    first = y + 20 + _PICTURE / 2 - 7 * len(rows) + 11
    words = "".join(
        f'<text class="s2b-caption" {middle} y="{first + 14 * row:g}" font-size="11" '
        f'fill="{ink}">{escape(text)}</text>'
        for row, text in enumerate(rows)
    )
    return (
        f'<rect class="s2b-edge" x="{x + 10}" y="{y + 20}" width="{_WIDE - 20}" '
        f'height="{_PICTURE}" rx="4" fill="none" stroke="{line}" stroke-dasharray="4 3"/>{words}'
    )


def _instead_html(lines: Sequence[str]) -> str:
    """What is said where there is no picture, as the live gallery says it."""
    spans = "".join(f"<span>{escape(text)}</span>" for text in lines)
    return f'<span class="s2b-thumb-none">{spans}</span>'
