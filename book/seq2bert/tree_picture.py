"""Static pictures of beam search: the tree as SVG, the same as a table, and one sentence.

The live picture (`book/frontend/src/widgets/beamtree`) is laid out by the same rules.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from seq2bert.labels import label, shown, text_width
from seq2bert.palette import ROLES
from seq2bert.pictures import FONT, scrolling
from seq2bert.search_tree import SearchTree
from seq2bert.vocabulary import EOS, Vocabulary
from seq2bert.widgets.still import STATUS

TOP, ROW, BOX = 26, 28, 24
_SIZE, _BESIDE, _GAP = 13, 80, 34


@dataclass(frozen=True)
class TreeLayout:
    """Where everything stands, in pixels at full size."""

    spots: tuple[tuple[int, int], ...]
    wide: int
    across: int
    width: int
    height: int
    steps: int


def box_label(token: str) -> str:
    """What a box says for a token."""
    return "end" if token == EOS else token


def layout(tree: SearchTree, labels: Sequence[str]) -> TreeLayout:
    """A column for each step; in it the nodes of one parent together, in their parents' order."""
    steps = max((node.step for node in tree.nodes), default=0)
    wide = math.ceil(max((text_width(text) * _SIZE for text in labels), default=0)) + _BESIDE
    spots: dict[int, tuple[int, int]] = {}
    most = 1
    for step in range(1, steps + 1):
        column = [place for place, node in enumerate(tree.nodes) if node.step == step]
        column.sort(key=lambda place: (spots.get(tree.nodes[place].parent, (0, 0))[1], place))
        for row, place in enumerate(column):
            spots[place] = 4 + (step - 1) * (wide + _GAP), TOP + row * ROW
        most = max(most, len(column))
    return TreeLayout(
        tuple(spots[place] for place in range(len(tree.nodes))),
        wide,
        wide + _GAP,
        8 + steps * wide + max(0, steps - 1) * _GAP,
        TOP + most * ROW,
        steps,
    )


def minus(value: float, digits: int = 2) -> str:
    """A number with a real minus sign."""
    text = f"{value:.{digits}f}"
    return text.replace("-", "") if float(text) == 0 else text.replace("-", "\u2212")


def ranked(tree: SearchTree, length_penalty: float | int) -> list[int]:
    """The results, the best first; those that met the limit come last. Of equal ones the first."""
    return sorted(
        tree.found,
        key=lambda place: (not tree.nodes[place].finished, -tree.score(place, length_penalty)),
    )


def tree_svg(tree: SearchTree, vocabulary: Vocabulary, length_penalty: float | int = 1) -> str:
    """Draw a tree as an SVG that stands alone and also follows the theme of a page."""
    tokens = [vocabulary.tokens[node.token] for node in tree.nodes]
    labels = [label(box_label(token)) for token in tokens]
    place = layout(tree, labels)
    order = ranked(tree, length_penalty)
    ranks = {node: rank for rank, node in enumerate(order, start=1)}
    won: set[int] = set()
    at = order[0] if order else -1
    while at >= 0:
        won.add(at)
        at = tree.nodes[at].parent
    parts = [
        f'<text class="s2b-caption" x="{8 + step * place.across}" y="15" font-size="11" '
        f'fill="{ROLES["muted"]["light"]}">word {step + 1}</text>'
        for step in range(place.steps)
    ]
    for number, node in enumerate(tree.nodes):
        if node.parent >= 0:
            parts.append(_edge(place, number, node.parent, number in won, node.kept))
    for number, node in enumerate(tree.nodes):
        sign = _sign(node.kept, ranks.get(number))
        parts.append(
            _box(place, number, labels[number], node.log_prob, node.kept, number in won, sign)
        )
    name, description = "Tree of a beam search", describe(tree, vocabulary, length_penalty)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="s2b-tree s2b-still" role="img" '
        f'viewBox="0 0 {place.width} {place.height}" width="{place.width}" '
        f'height="{place.height}" '
        f'style="width:{place.width}px;max-width:none;height:{place.height}px" '
        f'direction="ltr" font-family="{FONT}" font-size="{_SIZE}">'
        f"<title>{name}</title><desc>{escape(description)}</desc>"
        f'<rect class="s2b-paper" width="{place.width}" height="{place.height}" '
        f'fill="{ROLES["paper"]["light"]}"/>' + "".join(parts) + "</svg>"
    )


def _sign(kept: bool, rank: int | None) -> str:
    if rank is not None:
        return "★" if rank == 1 else str(rank)
    return "" if kept else "✕"


def _edge(place: TreeLayout, number: int, parent: int, won: bool, kept: bool) -> str:
    (x, y), (to_x, to_y) = place.spots[parent], place.spots[number]
    x, y, to_y = x + place.wide, y + BOX // 2, to_y + BOX // 2
    middle = (x + to_x) / 2
    middle_text = f"{middle:.1f}".removesuffix(".0")
    colour = ROLES["query" if won else "line"]["light"]
    dashes = "" if kept else ' stroke-dasharray="3 3"'
    kind = f"s2b-edge-line{' s2b-won' if won else ''}{'' if kept else ' s2b-dropped'}"
    return (
        f'<path class="{kind}" fill="none" stroke="{colour}" stroke-width="{2.5 if won else 1.5}"'
        f'{dashes} d="M{x} {y}C{middle_text} {y} {middle_text} {to_y} {to_x} {to_y}"/>'
    )


def _box(
    place: TreeLayout, number: int, text: str, log_prob: float, kept: bool, won: bool, sign: str
) -> str:
    x, y = place.spots[number]
    ink, muted, line = (ROLES[name]["light"] for name in ("ink", "muted", "line"))
    stroke = ROLES["query"]["light"] if won else muted if kept else line
    dashes = "" if kept else ' stroke-dasharray="3 3"'
    kind = f"s2b-node {'s2b-kept' if kept else 's2b-dropped'}{' s2b-won' if won else ''}"
    weight = ' font-weight="600"' if kept else ""
    return (
        f'<g class="{kind}" transform="translate({x} {y})">'
        f'<rect class="s2b-box" width="{place.wide}" height="{BOX}" rx="4" '
        f'fill="{ROLES["paper"]["light"]}" stroke="{stroke}"'
        f"{' stroke-width=' + chr(34) + '2.5' + chr(34) if won else ''}{dashes}/>"
        f'<text class="s2b-tree-mark" x="6" y="16.5" fill="{muted}">{sign}</text>'
        f'<text class="s2b-tree-word" x="22" y="16.5" fill="{ink if kept else muted}"{weight}>'
        f"{escape(text)}</text>"
        f'<text class="s2b-tree-number" x="{place.wide - 6}" y="16.5" text-anchor="end" '
        f'font-size="11" fill="{muted}">{minus(log_prob)}</text></g>'
    )


def describe(tree: SearchTree, vocabulary: Vocabulary, length_penalty: float | int = 1) -> str:
    """One sentence for those who do not see the picture."""
    kept = sum(node.kept for node in tree.nodes)
    order = ranked(tree, length_penalty)
    best = _text(tree, vocabulary, order[0]) if order else "nothing"
    return (
        f"{len(tree.nodes)} beginnings are drawn, {kept} were kept, {len(tree.found)} became "
        f"results; the best is: {best}"
    )


def table_html(tree: SearchTree, vocabulary: Vocabulary, length_penalty: float | int = 1) -> str:
    """All that a beam of this width could have kept, as an HTML table."""
    ranks = {node: rank for rank, node in enumerate(ranked(tree, length_penalty), start=1)}
    rows = "".join(
        f'<tr><th scope="row"><bdi>{escape(_text(tree, vocabulary, number))}</bdi></th>'
        f"<td>{node.step}</td><td>{minus(node.log_prob, 3)}</td>"
        f"<td>{minus(tree.score(number, length_penalty), 3)}</td>"
        f"<td>{fate(node.kept, node.finished, ranks.get(number))}</td></tr>"
        for number, node in enumerate(tree.nodes)
    )
    heads = "".join(
        f'<th scope="col">{name}</th>' for name in ("step", "log p", "score", "what became of it")
    )
    return (
        '<table class="s2b-table"><caption>Every beginning that a beam of this width '
        "could have kept; the score "
        f"is log p divided by the length to the power of {_short(length_penalty)}</caption>"
        f"<thead><tr><td></td>{heads}</tr></thead><tbody>{rows}</tbody></table>"
    )


def results_html(tree: SearchTree, vocabulary: Vocabulary, length_penalty: float | int = 1) -> str:
    """The ranked results as a list."""
    items = "".join(
        '<li><bdi class="s2b-button s2b-result">'
        f"{escape(_text(tree, vocabulary, place, end=False))}</bdi> "
        f'<span class="s2b-chance">log p {minus(tree.nodes[place].log_prob)}, length '
        f"{tree.nodes[place].step}, score {minus(tree.score(place, length_penalty), 3)}"
        f"{'' if tree.nodes[place].finished else ', not finished'}</span></li>"
        for place in ranked(tree, length_penalty)
    )
    return f'<ol class="s2b-results">{items}</ol>'


def fate(kept: bool, finished: bool, rank: int | None) -> str:
    """What becomes of a beginning, in words."""
    if rank is not None:
        return "the best result" if rank == 1 else f"result number {rank}"
    if not kept:
        return "dropped"
    return "kept as a result" if finished else "kept"


def figure_html(
    tree: SearchTree, vocabulary: Vocabulary, source: Sequence[str], length_penalty: float | int = 1
) -> str:
    """Sentence, picture, results and folded table: the parts of the live widget, at rest."""
    box = scrolling("s2b-scroll s2b-tree-box", "Tree of the search")
    return (
        '<figure style="margin:0"><div class="s2b s2b-beamtree s2b-at-rest">'
        '<div class="s2b-field"><span class="s2b-ask">Type an English sentence</span>'
        f'<span class="s2b-input">{escape(" ".join(source))}</span>'
        # where the live widget has words to tap, choices, steps and lines of its own
        '<div class="s2b-strip-words"></div></div><div class="s2b-bar s2b-ask-bar"></div>'
        f'<p class="s2b-status">{STATUS}</p><p class="s2b-note"></p>'
        '<div class="s2b-bar s2b-tree-steps"></div>'
        f'<div class="s2b-holder">{box}{tree_svg(tree, vocabulary, length_penalty)}</div></div>'
        '<p class="s2b-readout">A solid box was kept, a dashed one was dropped.</p>'
        '<div class="s2b-foot"></div>'
        '<div class="s2b-bar"><span class="s2b-title">What the search found</span></div>'
        f"{results_html(tree, vocabulary, length_penalty)}"
        '<details class="s2b-twin"><summary>Table of the search</summary>'
        f"{scrolling('s2b-table-box', 'Table of the search')}"
        f"{table_html(tree, vocabulary, length_penalty)}</div></details></div></figure>"
    )


def _text(tree: SearchTree, vocabulary: Vocabulary, place: int, end: bool = True) -> str:
    tokens = vocabulary.decode(tree.tokens(place))
    words = [shown(box_label(t)) if t != EOS else "(end)" for t in tokens if end or t != EOS]
    return " ".join(words) or "(nothing)"


def _short(value: float | int) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
