"""Static pictures of a word alignment: two rows of words, and a line for each link.

The live picture (`book/frontend/src/widgets/explorer/layout.ts`) is laid out by the same rules and
takes the place of this one without a jump.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from seq2bert.corpus import Pair
from seq2bert.labels import label, shown, text_width
from seq2bert.palette import ROLES
from seq2bert.pictures import FONT, SMALLEST_SCALE

FONT_SIZE = 15
ROW = 34
"""Height of a row of words; shrunk to the smallest scale it is still large enough for a finger."""

BETWEEN = 84
CAPTION = 18
MARGIN = 4
PADDING = 14
HEIGHT = 2 * (CAPTION + ROW) + BETWEEN


@dataclass(frozen=True)
class Word:
    """Where a word stands: its left edge and its width, in pixels at full size."""

    x: int
    width: int

    @property
    def middle(self) -> float:
        """Where its links begin."""
        return self.x + self.width / 2


@dataclass(frozen=True)
class Layout:
    """Where everything stands, in pixels at full size; source above, target below."""

    source: tuple[Word, ...]
    target: tuple[Word, ...]
    width: int


def layout(source: Sequence[str], target: Sequence[str]) -> Layout:
    """Lay out two rows of words, the shorter one in the middle of the longer."""
    widths = [[math.ceil(text_width(label(w)) * FONT_SIZE) + PADDING for w in source]]
    widths += [[math.ceil(text_width(label(w)) * FONT_SIZE) + PADDING for w in target]]
    # wide enough for the caption beside nothing, whatever the words are
    across = max(120, *map(sum, widths))
    rows = []
    for row in widths:
        x, words = MARGIN + (across - sum(row)) // 2, []
        for width in row:
            words.append(Word(x, width))
            x += width
        rows.append(tuple(words))
    return Layout(rows[0], rows[1], across + 2 * MARGIN)


def links_svg(pair: Pair) -> str:
    """Draw a pair and its gold links: solid where sure, dashed where only possible.

    Colours are written twice: as attributes (the light theme, for wherever the file ends up) and
    as classes, which the style sheet of the site repaints. There are no ids and no date in it.
    """
    place = layout(pair.source, pair.target)
    upper, lower = CAPTION + ROW, CAPTION + ROW + BETWEEN
    parts = [
        _link(place.source[link.source].middle, place.target[link.target].middle, link in pair.sure)
        for link in sorted(pair.possible, key=lambda link: (link in pair.sure, link))
    ]
    parts += _row(pair.source, place.source, CAPTION)
    parts += _row(pair.target, place.target, lower)
    parts += [_caption("English", 12), _caption("French", lower + ROW + 14)]
    for role, words, y in (("key", place.source, upper), ("query", place.target, lower)):
        first, last = words[0], words[-1]
        parts.append(
            f'<path class="s2b-edge-{role}" d="M{first.x + 4} {y}H{last.x + last.width - 4}" '
            f'stroke="{ROLES[role]["light"]}" stroke-width="2"/>'
        )
    least = math.floor(place.width * SMALLEST_SCALE)
    size = f"width:100%;max-width:{place.width}px;min-width:{least}px;height:auto"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="s2b-still" role="img" '
        f'viewBox="0 0 {place.width} {HEIGHT}" width="{place.width}" height="{HEIGHT}" '
        f'style="{size}" direction="ltr" font-family="{FONT}" font-size="{FONT_SIZE}">'
        f"<title>Word alignment</title><desc>{escape(describe(pair))}</desc>"
        f'<rect class="s2b-paper" width="{place.width}" height="{HEIGHT}" '
        f'fill="{ROLES["paper"]["light"]}"/>' + "".join(parts) + "</svg>"
    )


def links_table(pair: Pair) -> str:
    """The links of a pair as an HTML table: a row for each, in the order of the target."""
    rows = "".join(
        f'<tr><th scope="row">{_named(pair.target, link.target)}</th>'
        f"<td>{_named(pair.source, link.source)}</td>"
        f"<td>{'sure' if link in pair.sure else 'possible'}</td></tr>"
        for link in sorted(pair.possible)
    )
    head = "".join(f'<th scope="col">{name}</th>' for name in ("French", "English", "link"))
    return (
        '<table class="s2b-table"><caption>Which word goes with which</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    )


def describe(pair: Pair) -> str:
    """One sentence for those who do not see the picture."""
    return (
        f"{' '.join(map(shown, pair.source))} — {' '.join(map(shown, pair.target))}: {counts(pair)}"
    )


def counts(pair: Pair) -> str:
    """How many words and links a pair has, in words."""
    possible = len(pair.possible - pair.sure)
    return (
        f"{len(pair.source)} English and {len(pair.target)} French tokens; "
        f"{len(pair.sure)} sure {'link' if len(pair.sure) == 1 else 'links'}, "
        f"{possible} only possible."
    )


def _link(above: float, below: float, sure: bool) -> str:
    upper, lower = CAPTION + ROW + 2, CAPTION + ROW + BETWEEN - 2
    middle = (upper + lower) // 2
    look = 'stroke-width="2"' if sure else 'stroke-width="2" stroke-dasharray="3.5 2.5"'
    return (
        f'<path class="s2b-link s2b-gold s2b-{"sure" if sure else "possible"}" '
        f'd="M{above:g} {upper}C{above:g} {middle} {below:g} {middle} {below:g} {lower}" '
        f'fill="none" stroke="{ROLES["gold"]["light"]}" {look}/>'
    )


def _row(tokens: Sequence[str], words: Sequence[Word], top: int) -> list[str]:
    ink = ROLES["ink"]["light"]
    return [
        f'<text class="s2b-label" x="{word.middle:g}" y="{top + 22}" text-anchor="middle" '
        f'fill="{ink}">{escape(label(token))}</text>'
        for token, word in zip(tokens, words, strict=True)
    ]


def _caption(text: str, y: int) -> str:
    return (
        f'<text class="s2b-caption" x="{MARGIN + 3}" y="{y}" font-size="11" '
        f'fill="{ROLES["muted"]["light"]}">{text}</text>'
    )


def _named(tokens: Sequence[str], place: int) -> str:
    """A word with its place, counted from 1."""
    return f"<bdi>{escape(shown(tokens[place]))}</bdi> ({place + 1})"
