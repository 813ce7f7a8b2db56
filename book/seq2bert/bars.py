"""Static pictures of a distribution over the next word: bars as SVG, and a table with bars."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from seq2bert.labels import label, shown
from seq2bert.palette import ROLES
from seq2bert.pictures import FONT, scrolling
from seq2bert.vocabulary import EOS
from seq2bert.widgets.still import STATUS

MOST = 20
"""So many words have a bar."""

_ROW, _LEFT, _WIDE = 22, 110, 300


def word_label(token: str) -> str:
    """What stands for a token."""
    return "end of the sentence" if token == EOS else token


def percent(probability: float | int) -> str:
    """A probability as text: one digit, and never a 0 or a 100 that it is not."""
    if probability == 0:
        return "0 %"
    if probability < 0.0005:
        return "< 0.1 %"
    if 0.9995 <= probability < 1:
        return "> 99.9 %"
    return f"{100 * probability:.1f} %"


def entropy(log_probs: Sequence[float]) -> float:
    """-sum p log2 p, in bits."""
    return -sum(math.exp(lp) * lp for lp in log_probs if lp > -math.inf) / math.log(2)


def likeliest(log_probs: Sequence[float], count: int = MOST) -> list[int]:
    """The places of the likeliest words, of equal ones the first."""
    return sorted(range(len(log_probs)), key=lambda place: -log_probs[place])[:count]


def bars_svg(tokens: Sequence[str], log_probs: Sequence[float]) -> str:
    """Draw the likeliest words as bars; an SVG that stands alone."""
    places = likeliest(log_probs)
    ink, muted, query = (ROLES[name]["light"] for name in ("ink", "muted", "query"))
    width, height = _LEFT + _WIDE + 70, len(places) * _ROW + 4
    parts = []
    for row, place in enumerate(places):
        p, y = math.exp(log_probs[place]), row * _ROW + 16
        wide = round(p * _WIDE, 1)
        text = "end" if tokens[place] == EOS else label(tokens[place])
        parts.append(
            f'<text class="s2b-label" x="{_LEFT - 8}" y="{y}" text-anchor="end" fill="{ink}">'
            f"{escape(text)}</text>"
            f'<rect class="s2b-mark-query" x="{_LEFT}" y="{y - 11}" width="{max(wide, 0.5)}" '
            f'height="14" fill="{query}"/>'
            f'<text class="s2b-caption" x="{_LEFT + wide + 6:.1f}" y="{y}" font-size="11" '
            f'fill="{muted}">'
            f"{percent(p)}</text>"
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="s2b-still" role="img" '
        f'viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" style="max-width:100%;height:auto" '
        f'font-family="{FONT}" font-size="13">'
        f"<title>The likeliest next words</title><desc>{escape(describe(tokens, log_probs))}</desc>"
        f'<rect class="s2b-paper" width="{width}" height="{height}" '
        f'fill="{ROLES["paper"]["light"]}"/>' + "".join(parts) + "</svg>"
    )


def describe(tokens: Sequence[str], log_probs: Sequence[float]) -> str:
    """One sentence for those who do not see the picture."""
    best = ", ".join(
        f"{word_label(shown(tokens[place]))} {percent(math.exp(log_probs[place]))}"
        for place in likeliest(log_probs, 3)
    )
    return f"{len(tokens)} words, {entropy(log_probs):.2f} bits; the likeliest: {best}."


def table_html(tokens: Sequence[str], log_probs: Sequence[float]) -> str:
    """The likeliest words with their bars, as a table: the parts of the live one, at rest."""
    rows = "".join(
        f'<tr><th scope="row"><bdi>{escape(word_label(shown(tokens[place])))}</bdi></th>'
        f"<td>{_bar(math.exp(log_probs[place]))}</td></tr>"
        for place in likeliest(log_probs)
    )
    return (
        '<table class="s2b-table s2b-bars"><caption>The likeliest next words</caption>'
        '<thead><tr><td></td><th scope="col">the model says</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def _bar(probability: float) -> str:
    return (
        f'<span class="s2b-bar-cell"><span class="s2b-prob" style="--chance:{probability:.4f}">'
        f"</span><span>{percent(probability)}</span></span>"
    )


def figure_html(
    tokens: Sequence[str],
    log_probs: Sequence[float],
    source: Sequence[str],
    prefix: Sequence[str],
) -> str:
    """Sentence, beginning and bars: the parts of the live widget, at rest."""
    written = " ".join(prefix) or "(nothing yet)"
    return (
        '<figure style="margin:0"><div class="s2b s2b-distribution s2b-at-rest">'
        '<div class="s2b-field"><span class="s2b-ask">Type an English sentence</span>'
        f'<span class="s2b-input">{escape(" ".join(source))}</span>'
        # where the live widget has words to tap, choices, and lines of its own
        '<div class="s2b-strip-words"></div></div><div class="s2b-bar s2b-ask-bar"></div>'
        f'<p class="s2b-status">{STATUS}</p><p class="s2b-note"></p><div class="s2b-holder">'
        f"<p>Written so far: <bdi>{escape(written)}</bdi></p>"
        f'<p class="s2b-facts">{escape(describe(tokens, log_probs))}</p>'
        f"{bars_svg(tokens, log_probs)}"
        '<details class="s2b-twin"><summary>Table of the words</summary>'
        f"{scrolling('s2b-table-box', 'Table of the words')}"
        f"{table_html(tokens, log_probs)}</div></details></div></div></figure>"
    )
