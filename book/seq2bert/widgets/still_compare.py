"""The comparison of translators where nothing runs: the parts of the live widget, at rest.

What is said here, the live widget says in the same words
(`book/frontend/src/widgets/compare/says.ts`; `tests/unit/compare_fixture.py` keeps them together).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

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
        written: what it writes by itself, without `<eos>`.
        reference: what it was made to write; None where that is not known.
        attention: of each word of the reference, or of what it writes where there is none.
    """

    title: str
    written: tuple[str, ...]
    reference: tuple[str, ...] | None
    attention: AttentionMap

    @property
    def right(self) -> bool | None:
        """Whether it writes the reference by itself; None where that is not known."""
        return None if self.reference is None else self.written == self.reference

    @property
    def error(self) -> float | None:
        """The alignment error of this sentence, the row of `<eos>` left out; None without gold."""
        if not self.attention.sure:
            return None
        end = self.attention.query_tokens[-1] == EOS
        last = len(self.attention.query_tokens) - 1 if end else -1
        links = frozenset(link for link in self.attention.argmax() if link[0] != last)
        return score_alignment(links, self.attention.sure, self.attention.possible).error_rate

    @property
    def facts(self) -> tuple[str, str]:
        """The two lines below its picture."""
        if self.right is None:
            return " ".join(self.written) or "(nothing)", ""
        error = "" if self.error is None else f"error {pictures.two_digits(self.error)}"
        return ("✓ right" if self.right else "✗ other words"), error


def rows_note(count: int, reference: Sequence[str] | None) -> str:
    """What the rows of all pictures are."""
    if reference is None:
        return (
            "The reference of this sentence is not known here: each model is shown with the words "
            "that it writes itself, and there is no alignment error."
        )
    made = "The model was" if count == 1 else f"All {count} models were"
    return (
        f"{made} made to write the reference, “{' '.join(reference)}”, so that all pictures have "
        "the same rows. Below each: whether it writes that by itself, and the alignment error of "
        "its picture."
    )


def writes_note(one: Compared) -> str:
    """What the chosen model writes by itself."""
    if one.right is None:
        return f"{one.title} writes: {' '.join(one.written) or '(nothing)'}"
    if one.right:
        return f"Left to itself, {one.title} writes the reference."
    return f"Left to itself, {one.title} writes: {' '.join(one.written) or '(nothing)'}"


def table_html(compared: Sequence[Compared]) -> str:
    """What each model writes, and its alignment error."""
    heads = "".join(f'<th scope="col">{name}</th>' for name in HEADS)
    rows = "".join(
        f'<tr><th scope="row">{escape(one.title)}</th>'
        + "".join(f"<td><bdi>{escape(cell)}</bdi></td>" for cell in cells(one))
        + "</tr>"
        for one in compared
    )
    return (
        f'<table class="s2b-table s2b-models"><caption>{CAPTION}</caption><thead><tr><td></td>'
        f"{heads}</tr></thead><tbody>{rows}</tbody></table>"
    )


CAPTION = "What each model writes by itself, and the alignment error of its picture"
HEADS = ("right", "error", "writes")


def cells(one: Compared) -> tuple[str, str, str]:
    """A row of the table."""
    right = {None: "not known", True: "yes", False: "no"}[one.right]
    error = "not known" if one.error is None else pictures.two_digits(one.error)
    return right, error, " ".join(one.written)


def cards(compared: Sequence[Compared]) -> list[Card]:
    """What the thumbnails show."""
    return [Card(one.title, one.attention, one.facts) for one in compared]


def compare_svg(compared: Sequence[Compared]) -> str:
    """All pictures side by side, as one SVG."""
    return gallery_svg(cards(compared), heading(compared))


def heading(compared: Sequence[Compared]) -> str:
    """What all the pictures together are."""
    sentence = " ".join(compared[0].attention.key_tokens)
    return f"{len(compared)} models, one sentence: {sentence}"


def compare_html(
    compared: Sequence[Compared], chosen: int, examples: Sequence[str], more: bool
) -> str:
    """A sentence, the pictures of all models side by side, and one of them large.

    Args:
        compared: one sentence with each model.
        chosen: which of them is large.
        examples: the titles of the sentences that the live widget offers.
        more: whether it has others.
    """
    one = compared[chosen]
    source = " ".join(one.attention.key_tokens)
    offer = resting.bar(
        resting.choice("Example", examples, grows=True),
        resting.button("Another sentence") if more else "",
        kind="s2b-ask-bar",
    )
    copy = resting.bar(resting.button("PNG"))
    large = pictures.figure_html(one.attention, name=one.title, below=copy)
    return (
        '<figure style="margin:0"><div class="s2b s2b-comparison s2b-at-rest">'
        '<div class="s2b-field"><span class="s2b-ask">Type an English sentence</span>'
        f'<span class="s2b-input">{escape(source)}</span><div class="s2b-strip-words"></div></div>'
        f'{offer}<p class="s2b-status">{STATUS}</p>'
        f'<p class="s2b-note">{escape(rows_note(len(compared), one.reference))}</p>'
        f'{cards_html(cards(compared), chosen)}<p class="s2b-count"></p>'
        '<details class="s2b-twin"><summary>Table of the models</summary>'
        f"{pictures.scrolling('s2b-table-box', 'Table of the models')}{table_html(compared)}</div>"
        f'</details><p class="s2b-writes">{escape(writes_note(one))}</p>{large}</div></figure>'
    )
