"""The head explorer where nothing runs: the parts of the live widget, at rest, all heads on.

What is said here, the live widget says in the same words
(`book/frontend/src/widgets/heads/says.ts`; `tests/unit/heads_fixture.py` keeps them together).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TypedDict

from seq2bert import pictures
from seq2bert.attention_map import AttentionMap, Kind
from seq2bert.labels import shown
from seq2bert.thumbnails import Card, gallery_svg, thumbnail_svg
from seq2bert.widgets import resting
from seq2bert.widgets.still import STATUS

Head = tuple[Kind, int, int]
"""A kind of attention, a layer and a head, both from 0."""

CAPTION = "Every head: whether it is on, and its strongest pair, query → key"
HEADS = ("state", "strongest")


class Count(TypedDict):
    """How many held-out sentences come out exactly right.

    Attributes:
        right: with the heads that are on.
        whole: with all heads.
        total: how many there are.
    """

    right: int
    whole: int
    total: int


def head_name(layer: int, head: int) -> str:
    """What a head is called."""
    return f"Layer {layer + 1}, head {head + 1}"


def off_note(off: Sequence[Head], total: int) -> str:
    """Which heads are off."""
    if not off:
        return f"All {total} heads are on."
    names = ", ".join(f"{kind} {layer + 1}.{head + 1}" for kind, layer, head in off)
    verb = "is" if len(off) == 1 else "are"
    return f"{len(off)} of {total} heads {verb} off (layer.head): {names}."


def count_note(count: Count, off: bool) -> str:
    """How many held-out sentences come out exactly right."""
    right, whole, total = count["right"], count["whole"], count["total"]
    if not off:
        return f"Held-out sentences: {whole} of {total} right with all heads."
    return f"Held-out sentences: {right} of {total} right (all heads: {whole} of {total})."


def strongest(attention: AttentionMap, layer: int, head: int) -> str:
    """The largest weight of a head, with its tokens; the first of equal ones."""
    weights = attention.head(layer, head)
    query, key = divmod(int(weights.argmax()), weights.shape[1])
    if not weights[query, key]:
        return "nothing"
    tokens = attention.query_tokens[query], attention.key_tokens[key]
    return f"{shown(tokens[0])} → {shown(tokens[1])} {pictures.two_digits(weights[query, key])}"


def kind_title(attention: AttentionMap) -> str:
    """What a kind of attention is called."""
    return pictures.title(attention).partition(",")[0]


def heads_svg(maps: Mapping[Kind, AttentionMap]) -> str:
    """All heads of all kinds side by side, as one SVG; a row for each layer."""
    cards = [
        Card(f"{kind} {layer + 1}.{head + 1}", attention, (), layer, head)
        for kind, attention in maps.items()
        for layer in range(attention.shape[0])
        for head in range(attention.shape[1])
    ]
    columns = max(attention.shape[1] for attention in maps.values())
    return gallery_svg(cards, heading(maps), columns)


def heading(maps: Mapping[Kind, AttentionMap]) -> str:
    """What all the pictures together are."""
    layers, heads = next(iter(maps.values())).shape[:2]
    return f"All heads on one sentence: {', '.join(maps)}; {layers} layers of {heads} heads each"


def heads_html(
    maps: Mapping[Kind, AttentionMap],
    chosen: Head,
    source: Sequence[str],
    count: Count,
    examples: Sequence[str],
    more: bool,
) -> str:
    """A sentence and its translation, all heads of one kind side by side, one of them large.

    Args:
        maps: the attention of the translation, by kind.
        chosen: the head that is large; the small ones are of its kind.
        source: the sentence.
        count: of held-out sentences.
        examples: the titles of the sentences that the live widget offers.
        more: whether it has others.
    """
    kind, layer, head = chosen
    attention = maps[kind]
    written = next(maps[k] for k in ("cross", "decoder") if k in maps).query_tokens
    words = " ".join(shown(token) for token in written if token != "<eos>")
    total = sum(one.shape[0] * one.shape[1] for one in maps.values())
    offer = resting.bar(
        resting.choice("Example", examples, grows=True),
        resting.button("Another sentence") if more else "",
        kind="s2b-ask-bar",
    )
    kinds = resting.bar(resting.choice("Attention", [kind_title(one) for one in maps.values()]))
    lines = "".join(
        f'<p class="s2b-line"><span class="s2b-line-name">{name}</span> '
        f"<bdi>{escape(words)}</bdi></p>"
        for name in ("All heads", "These heads")
    )
    large = pictures.figure_html(attention, layer, head, below=resting.bar(resting.button("PNG")))
    return (
        '<figure style="margin:0"><div class="s2b s2b-head-explorer s2b-at-rest">'
        '<div class="s2b-field"><span class="s2b-ask">Type an English sentence</span>'
        f'<span class="s2b-input">{escape(" ".join(source))}</span>'
        f'<div class="s2b-strip-words"></div></div>{offer}<p class="s2b-status">{STATUS}</p>'
        # what may grow stands below the switches, so that they stay under the finger
        f"{kinds}{_grid_html(attention, layer, head)}"
        f'<div class="s2b-lines">{lines}</div>'
        f'<p class="s2b-count">{escape(off_note((), total))}</p>'
        f'<p class="s2b-right">{escape(count_note(count, False))}</p><p class="s2b-note"></p>'
        '<details class="s2b-twin"><summary>Table of the heads</summary>'
        f"{pictures.scrolling('s2b-table-box', 'Table of the heads')}{table_html(maps)}</div>"
        f"</details>{large}</div></figure>"
    )


def table_html(maps: Mapping[Kind, AttentionMap]) -> str:
    """Every head of every kind: on, and its strongest pair."""
    heads = "".join(f'<th scope="col">{name}</th>' for name in HEADS)
    rows = "".join(
        f'<tr><th scope="row">{kind} {layer + 1}.{head + 1}</th><td>on</td>'
        f"<td><bdi>{escape(strongest(attention, layer, head))}</bdi></td></tr>"
        for kind, attention in maps.items()
        for layer in range(attention.shape[0])
        for head in range(attention.shape[1])
    )
    return (
        f'<table class="s2b-table s2b-models"><caption>{CAPTION}</caption><thead><tr><td></td>'
        f"{heads}</tr></thead><tbody>{rows}</tbody></table>"
    )


def _grid_html(attention: AttentionMap, chosen_layer: int, chosen_head: int) -> str:
    layers, heads = attention.shape[:2]
    rows = []
    for layer in range(layers):
        cells = "".join(
            f'<span class="s2b-head{" s2b-chosen" if (layer, head) == chosen else ""}">'
            f'<span class="s2b-open">{thumbnail_svg(attention, layer, head)}</span>'
            f'<span class="s2b-switch"><span>Head {head + 1}</span>'
            '<span class="s2b-onoff">on</span></span></span>'
            for chosen in [(chosen_layer, chosen_head)]
            for head in range(heads)
        )
        rows.append(
            f'<div class="s2b-layer"><span class="s2b-layer-name">Layer {layer + 1}</span>'
            f'<div class="s2b-row" style="--heads:{heads}">{cells}</div></div>'
        )
    return f'<div class="s2b-grid">{"".join(rows)}</div>'
