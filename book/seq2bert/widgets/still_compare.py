"""The comparison of translators where nothing runs: the parts of the live widget, at rest.

What is said here, the live widget says in the same words
(`book/frontend/src/widgets/compare/says.ts`; `tests/unit/compare_fixture.py` keeps them together).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

import numpy as np
from einops import rearrange

from seq2bert import pictures
from seq2bert.attention_map import AttentionMap
from seq2bert.metrics import score_alignment
from seq2bert.thumbnails import Card, cards_html, gallery_svg
from seq2bert.vocabulary import EOS
from seq2bert.widgets import resting
from seq2bert.widgets.still import STATUS


@dataclass(frozen=True)
class Compared:
    """One model and one sentence.

    Attributes:
        title: of the model.
        source: the sentence.
        written: what it writes by itself, without `<eos>`.
        reference: what it should write; None where that is not known.
        attention: of each word of the reference, or of what it writes where there is none; all
            layers and heads. None for a model without cross-attention.
        head: which layer and head is drawn, from 0; None for the mean of all.
    """

    title: str
    source: tuple[str, ...]
    written: tuple[str, ...]
    reference: tuple[str, ...] | None
    attention: AttentionMap | None
    head: tuple[int, int] | None = None

    @property
    def drawn(self) -> AttentionMap | None:
        """What its picture shows, with one layer and one head; None without attention."""
        return None if self.attention is None else one_head(self.attention, self.head)

    @property
    def right(self) -> bool | None:
        """Whether it writes the reference by itself; None where that is not known."""
        return None if self.reference is None else self.written == self.reference

    @property
    def error(self) -> float | None:
        """The alignment error of its picture, the row of `<eos>` left out; None without gold."""
        drawn = self.drawn
        if drawn is None or not drawn.sure:
            return None
        last = len(drawn.query_tokens) - 1 if drawn.query_tokens[-1] == EOS else -1
        links = frozenset(link for link in drawn.argmax() if link[0] != last)
        return score_alignment(links, drawn.sure, drawn.possible).error_rate

    @property
    def facts(self) -> tuple[str, str]:
        """The two lines below its picture."""
        if self.right is None:
            # without a picture the words stand in its place
            return "no reference" if self.attention is None else _sentence(self), ""
        error = "" if self.error is None else f"error {pictures.two_digits(self.error)}"
        return ("✓ right" if self.right else "✗ other words"), error


def one_head(attention: AttentionMap, head: tuple[int, int] | None) -> AttentionMap:
    """One head of a map as a map of its own; without a head the mean of all heads of all layers.

    The mean is summed in double precision and rounded once, so that the browser, which does the
    same (`oneHead` in `book/frontend/src/widgets/compare/heads.ts`), finds equal numbers.

    Raises:
        ValueError: there is no such layer or head.
    """
    if head is not None:
        return replace(attention, weights=attention.head(*head))
    if attention.shape[:2] == (1, 1):
        return attention
    heads = rearrange(attention.weights, "layer head q k -> (layer head) q k")
    return replace(attention, weights=heads.mean(axis=0, dtype=np.float64))


def drawn_note(one: Compared) -> str:
    """Which of its heads the picture of a model shows."""
    if one.attention is None:
        return "none"
    layers, heads = one.attention.shape[:2]
    if layers * heads == 1:
        return "its only head"
    if one.head is None:
        return f"mean of {layers * heads} heads"
    return f"layer {one.head[0] + 1}, head {one.head[1] + 1}"


def mixed(compared: Sequence[Compared]) -> bool:
    """Whether some model has not just one head, so that each picture says what it shows."""
    return any(one.attention is None or one.attention.shape[:2] != (1, 1) for one in compared)


def no_picture(one: Compared) -> tuple[str, str]:
    """What stands in the place of the small picture of a model without attention."""
    return "No attention, so no picture.", f"It writes: {_sentence(one)}"


def no_picture_note(title: str) -> str:
    """What stands in the place of the large picture of a model without attention."""
    return (
        f"There is no picture of {title}: this translator has no attention. It reads the sentence "
        "once, and while it writes it looks back at none of its words."
    )


def rows_note(count: int, reference: Sequence[str] | None, without: int = 0) -> str:
    """What the rows of all pictures are; `without` counts the models without attention."""
    if reference is None:
        return (
            "The reference of this sentence is not known here: each model is shown with the words "
            "that it writes itself, and there is no alignment error."
        )
    if without == count:
        return (
            f"No model here has attention, so there is no picture. The reference is "
            f"“{' '.join(reference)}”; below each: whether it writes that by itself."
        )
    made = "The model was" if count == 1 else f"All {count} models were"
    if without:
        made = "The model with attention was"
        made = made if count - without == 1 else "The models with attention were"
    return (
        f"{made} made to write the reference, “{' '.join(reference)}”, so that all pictures have "
        "the same rows. Below each: whether it writes that by itself, and the alignment error of "
        "its picture."
    )


def writes_note(one: Compared) -> str:
    """What the chosen model writes by itself."""
    if one.right is None:
        return f"{one.title} writes: {_sentence(one)}"
    if one.right:
        return f"Left to itself, {one.title} writes the reference."
    return f"Left to itself, {one.title} writes: {_sentence(one)}"


def _sentence(one: Compared) -> str:
    return " ".join(one.written) or "(nothing)"


def table_html(compared: Sequence[Compared]) -> str:
    """What each model writes, and its alignment error."""
    several = mixed(compared)
    heads = "".join(f'<th scope="col">{name}</th>' for name in (HEADS_MIXED if several else HEADS))
    rows = "".join(
        f'<tr><th scope="row">{escape(one.title)}</th>'
        + "".join(f"<td><bdi>{escape(cell)}</bdi></td>" for cell in cells(one, several))
        + "</tr>"
        for one in compared
    )
    return (
        f'<table class="s2b-table s2b-models"><caption>{CAPTION}</caption><thead><tr><td></td>'
        f"{heads}</tr></thead><tbody>{rows}</tbody></table>"
    )


CAPTION = "What each model writes by itself, and the alignment error of its picture"
HEADS = ("right", "error", "writes")
HEADS_MIXED = ("right", "error", "attention", "writes")


def cells(one: Compared, several: bool = False) -> tuple[str, ...]:
    """A row of the table; where models are `mixed`, with what is drawn of each."""
    right = {None: "not known", True: "yes", False: "no"}[one.right]
    error = "not known" if one.error is None else pictures.two_digits(one.error)
    if one.attention is None:
        error = "none"
    return (right, error, *([drawn_note(one)] if several else []), " ".join(one.written))


def cards(compared: Sequence[Compared]) -> list[Card]:
    """What the thumbnails show."""
    several = mixed(compared)
    return [
        Card(one.title, None, (*one.facts, ""), instead=no_picture(one))
        if one.attention is None
        else Card(one.title, one.drawn, (*one.facts, *([drawn_note(one)] if several else [])))
        for one in compared
    ]


def compare_svg(compared: Sequence[Compared]) -> str:
    """All pictures side by side, as one SVG."""
    return gallery_svg(cards(compared), heading(compared))


def heading(compared: Sequence[Compared]) -> str:
    """What all the pictures together are."""
    sentence = " ".join(compared[0].source)
    return f"{len(compared)} models, one sentence: {sentence}"


CHOICE = "Heads"
DRAWS = {"mean": "mean of all heads", "best": "best head"}
"""What may be drawn of a model with several heads."""


def compare_html(
    compared: Sequence[Compared],
    chosen: int,
    examples: Sequence[str],
    more: bool,
    best: bool = False,
) -> str:
    """A sentence, the pictures of all models side by side, and one of them large.

    Args:
        compared: one sentence with each model.
        chosen: which of them is large.
        examples: the titles of the sentences that the live widget offers.
        more: whether it has others.
        best: whether the live widget offers to show the best heads.
    """
    one = compared[chosen]
    source = " ".join(one.source)
    without = sum(other.attention is None for other in compared)
    offer = resting.bar(
        resting.choice("Example", examples, grows=True),
        resting.button("Another sentence") if more else "",
        kind="s2b-ask-bar",
    )
    heads = resting.bar(resting.choice(CHOICE, list(DRAWS.values()))) if best else ""
    note = rows_note(len(compared), one.reference, without)
    return (
        '<figure style="margin:0"><div class="s2b s2b-comparison s2b-at-rest">'
        '<div class="s2b-field"><span class="s2b-ask">Type an English sentence</span>'
        f'<span class="s2b-input">{escape(source)}</span><div class="s2b-strip-words"></div></div>'
        f'{offer}<p class="s2b-status">{STATUS}</p>'
        f'<p class="s2b-note">{escape(note)}</p>{heads}'
        f'{cards_html(cards(compared), chosen)}<p class="s2b-count"></p>'
        '<details class="s2b-twin"><summary>Table of the models</summary>'
        f"{pictures.scrolling('s2b-table-box', 'Table of the models')}{table_html(compared)}</div>"
        f'</details><p class="s2b-writes">{escape(writes_note(one))}</p>{_large(one)}'
        "</div></figure>"
    )


def _large(one: Compared) -> str:
    """The chosen picture, or why there is none."""
    drawn = one.drawn
    if drawn is None:
        note = escape(no_picture_note(one.title))
        return (
            f'<div class="s2b-bar"><span class="s2b-control">{escape(one.title)}</span></div>'
            f'<div class="s2b-holder"><p class="s2b-message">{note}</p></div>'
        )
    copy = resting.bar(resting.button("PNG"))
    return pictures.figure_html(drawn, name=name_of(one), below=copy)


def name_of(one: Compared) -> str:
    """What the large picture is called: the model, and which of its heads where it has several."""
    only = one.attention is None or one.attention.shape[:2] == (1, 1)
    return one.title if only else f"{one.title}, {drawn_note(one)}"
