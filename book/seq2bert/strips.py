"""States as strips of coloured cells: one cell for each number, around 0.

Above 0 a number has the colour of the ramp of weights, below 0 the green of the same lightness
(`seq2bert.palette.signed`). The live strips (`book/frontend/src/widgets/stepthrough/strips.ts`)
are drawn by the same rules.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from html import escape

from seq2bert.labels import label, shown
from seq2bert.palette import LEVELS, ROLES, SIGNED_STEP, signed, signed_class
from seq2bert.pictures import FONT
from seq2bert.stepping import Walk
from seq2bert.vocabulary import EOS

ACROSS = 64
"""Numbers in one line of a strip; a wider state is folded into several lines."""

ROW, LABEL, STRIP, CHANGE = 24, 172, 320, 60
"""Pixels of the standing picture: height of a row, widths of its three parts."""


def strip_svg(values: Sequence[float]) -> str:
    """One state, to be stretched over whatever room there is.

    Raises:
        ValueError: there is no number, or one outside [-1, 1].
    """
    if not values:
        raise ValueError("the state has no numbers; give at least one")
    across, lines = min(ACROSS, len(values)), math.ceil(len(values) / ACROSS)
    return (
        f'<svg class="s2b-strip" viewBox="0 0 {across} {lines}" preserveAspectRatio="none" '
        f'shape-rendering="crispEdges" aria-hidden="true">{_cells(values)}</svg>'
    )


def _cells(values: Sequence[float]) -> str:
    """A path for each colour; paper is left out."""
    squares: dict[str, list[str]] = defaultdict(list)
    colours: dict[str, str] = {}
    for place, value in enumerate(values):
        name = signed_class(value)
        if name != "s2b-w0":
            squares[name].append(f"M{place % ACROSS} {place // ACROSS}h1v1h-1z")
            colours[name] = signed(value)
    return "".join(
        f'<path class="{name}" fill="{colours[name]}" d="{"".join(squares[name])}"/>'
        for name in sorted(squares)
    )


def changes(walk: Walk) -> list[float]:
    """How far each state is from the one before: of the encoder, then of the decoder.

    The first state of the encoder is compared with zeros, that of the decoder with c.
    """
    states = [*walk.encoder, *walk.decoder]
    before = [walk.encoder[0] * 0, *states[:-1]]
    return [float((state - other).norm()) for state, other in zip(states, before, strict=True)]


def step_names(walk: Walk) -> list[str]:
    """What each row of a picture is called: the word read, and for the decoder the word written."""
    decoder = (f"{shown(moment.read)} → {said(moment.written.token)}" for moment in walk.moments)
    return [*map(shown, walk.source), *decoder]


def said(token: str) -> str:
    """A word of the translation as it is shown; the end has a word of its own."""
    return "end" if token == EOS else shown(token)


def states_svg(walk: Walk) -> str:
    """All states of a walk as a picture that stands alone: encoder, c, decoder, and a legend."""
    names, moved = step_names(walk), changes(walk)
    read = len(walk.source)
    states = [*walk.encoder.tolist(), *walk.decoder.tolist()]
    rows = list(zip(names, states, moved, strict=True))
    handed = ("c, handed over", states[read - 1], None)
    width = LABEL + STRIP + CHANGE
    parts: list[str] = []
    top = 0
    for heading, group in (
        ("Encoder", rows[:read]),
        ("Decoder", [handed, *rows[read:]]),
    ):
        parts.append(_text(8, top + 17, heading, "ink", "600"))
        parts += _rows(group, top + ROW)
        top += ROW * (len(group) + 1) + 6
    parts.append(_legend(top))
    height = top + ROW
    style = f"width:100%;max-width:{width}px;height:auto"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="s2b-still" role="img" '
        f'viewBox="0 0 {width} {height}" width="{width}" height="{height}" style="{style}" '
        f'direction="ltr" font-family="{FONT}" font-size="13"><title>States, step by step</title>'
        f"<desc>{escape(describe(walk))}</desc>"
        f'<rect class="s2b-paper" width="{width}" height="{height}" '
        f'fill="{ROLES["paper"]["light"]}"/>{"".join(parts)}</svg>'
    )


def describe(walk: Walk) -> str:
    """One sentence for those who do not see the picture."""
    hidden = walk.encoder.shape[1]
    return (
        f"{len(walk.source)} states of the encoder for “{' '.join(map(shown, walk.source))}”, the "
        f"last of them handed over, {len(walk.moments)} states of the decoder, which writes "
        f"“{' '.join(map(shown, walk.tokens))}”; {hidden} numbers each."
    )


def _rows(group: Sequence[tuple[str, Sequence[float], float | None]], top: int) -> Iterator[str]:
    for place, (name, state, moved) in enumerate(group):
        y = top + place * ROW
        yield _text(8, y + 16, label(name) if "→" not in name else name, "ink")
        yield (
            f'<svg x="{LABEL}" y="{y + 2}" width="{STRIP}" height="{ROW - 4}" '
            f'viewBox="0 0 {min(ACROSS, len(state))} {math.ceil(len(state) / ACROSS)}" '
            f'preserveAspectRatio="none" shape-rendering="crispEdges">{_cells(state)}</svg>'
            f'<rect class="s2b-edge" x="{LABEL}" y="{y + 2}" width="{STRIP}" height="{ROW - 4}" '
            f'fill="none" stroke="{ROLES["line"]["light"]}"/>'
        )
        if moved is not None:
            yield _text(LABEL + STRIP + 12, y + 16, f"{moved:.1f}", "muted")


def _legend(top: int) -> str:
    bar = (
        f'<svg x="{LABEL + 24}" y="{top + 6}" width="160" height="10" viewBox="0 0 160 10">'
        f"{scale_cells()}</svg>"
    )
    words = ((8, "one number of a state:"), (LABEL + 6, "\N{MINUS SIGN}1"), (LABEL + 190, "1"))
    return bar + "".join(_text(x, top + 15, word, "muted") for x, word in words)


def scale_cells() -> str:
    """The cells of the legend, from -1 to 1, in a box of 160 x 10."""
    steps = range(-(LEVELS - 1), LEVELS, SIGNED_STEP)
    wide = 160 / len(steps)
    return "".join(
        f'<rect class="{signed_class(step / 100)}" fill="{signed(step / 100)}" '
        f'x="{place * wide:.2f}" width="{wide + 0.3:.2f}" height="10"/>'
        for place, step in enumerate(steps)
    )


def _text(x: int, y: int, text: str, role: str, weight: str = "400") -> str:
    return (
        f'<text class="s2b-{"label" if role == "ink" else "caption"}" x="{x}" y="{y}" '
        f'font-weight="{weight}" fill="{ROLES[role]["light"]}">{escape(text)}</text>'
    )
