"""Predict, then reveal: mark the alignment that you expect, then see what the model looks at."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

import anywidget
import traitlets

from seq2bert import pictures
from seq2bert.attention_map import AttentionMap
from seq2bert.widgets import bundle
from seq2bert.widgets.checks import checked_maps, within
from seq2bert.widgets.stored import decode_maps, encode_maps


class Predict(anywidget.AnyWidget):
    """An empty grid to mark links in; then the model's attention, gold, and a score for both.

    `map` is the example that is shown. `marks` holds the cells that the reader marked: the
    number of the example as a string -> a list of [query, key]. `revealed` lists the examples
    whose answer is shown.

    Raises:
        ValueError: there is no map, something is no `AttentionMap`, or a map is too large, has
            more than one head, or has no sure gold links.
    """

    _esm = bundle.script("predict") or "export default { render() {} }"
    _css = bundle.styles("predict")

    maps = traitlets.List(traitlets.Dict()).tag(sync=True)
    weights = traitlets.Bytes().tag(sync=True)
    map = traitlets.Int(0).tag(sync=True)
    marks = traitlets.Dict(
        key_trait=traitlets.Unicode(),
        value_trait=traitlets.List(traitlets.List(traitlets.Int(), minlen=2, maxlen=2)),
    ).tag(sync=True)
    revealed = traitlets.List(traitlets.Int()).tag(sync=True)

    def __init__(self, maps: AttentionMap | Mapping[str, AttentionMap]) -> None:
        """Ask for the links of some maps, by title."""
        records, weights = encode_maps(_scorable(checked_maps(maps)))
        super().__init__(maps=records, weights=weights)

    @traitlets.validate("map")
    def _check_map(self, proposal: dict[str, Any]) -> int:
        return within("map", proposal["value"], 0, len(self.maps))

    @traitlets.validate("marks")
    def _check_marks(self, proposal: dict[str, Any]) -> dict[str, list[list[int]]]:
        """Each cell once, in order, as the front end writes them; examples without marks go."""
        checked = {}
        for index, cells in proposal["value"].items():
            if index not in [str(number) for number in range(len(self.maps))]:
                raise ValueError(
                    f"marks are given for example {index!r}; this widget has the examples '0' to "
                    f"'{len(self.maps) - 1}'"
                )
            _, _, queries, keys = self.maps[int(index)]["shape"]
            for query, key in cells:
                within(f"marks[{index!r}]: query", query, 0, queries)
                within(f"marks[{index!r}]: key", key, 0, keys)
            if cells:
                checked[index] = [list(cell) for cell in sorted({tuple(cell) for cell in cells})]
        return checked

    @traitlets.validate("revealed")
    def _check_revealed(self, proposal: dict[str, Any]) -> list[int]:
        return sorted({within("revealed", one, 0, len(self.maps)) for one in proposal["value"]})

    def __repr__(self) -> str:
        """Short and the same at every run: notebooks store it, tests compare it."""
        count = len(self.maps)
        return f"Predict({count} example{'s' * (count != 1)})"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The live view, and beside it an empty grid whose answer is folded away."""
        maps = decode_maps(self.maps, self.weights)
        shown = str(self.maps[self.map]["title"])
        live = super()._repr_mimebundle_(**kwargs) if bundle.script("predict") else None
        return bundle.beside(
            live, repr(self), pictures.blank_svg(maps[shown]), exercise_html(maps, shown)
        )

    # ipywidgets 7 displays through this method instead, and would leave the picture out
    _ipython_display_ = None


def exercise_html(maps: Mapping[str, AttentionMap], shown: str) -> str:
    """The exercise where nothing runs: an empty grid, and the answers, folded, as tables.

    It has the parts of the live widget at rest; the fold stands where that one has its buttons.

    Args:
        maps: the examples, by title.
        shown: which of them is drawn.
    """
    attention = maps[shown]
    several = len(maps) > 1
    name = f'<span class="s2b-control">{escape(shown)}</span>' if several else ""
    answers = "".join(
        (f"<p>{escape(title)}</p>" if title else "")
        + pictures.scrolling("s2b-table-box", f"Answer: {title}" if title else "Answer")
        + pictures.table_html(one, notes=_gold_words(one))
        + "</div>"
        for title, one in maps.items()
    )
    return (
        '<figure style="margin:0"><div class="s2b s2b-predict s2b-at-rest">'
        f'<div class="s2b-bar"><span class="s2b-title">Predict the alignment</span>{name}</div>'
        f'<div class="s2b-holder">{pictures.scrolling("s2b-scroll", "Empty grid")}'
        f'<div class="s2b-frame">{pictures.blank_svg(attention)}</div></div></div>'
        '<p class="s2b-readout">Which words does each row look at? Decide, then open the answer.'
        '</p><details class="s2b-later-answer"><summary>Reveal the answer</summary>'
        "<p>Beside the model's weights stand the gold links, “sure” or “possible”.</p>"
        f"{answers}</details></div></figure>"
    )


def _gold_words(attention: AttentionMap) -> dict[tuple[int, int], str]:
    return {cell: "sure" if cell in attention.sure else "possible" for cell in attention.possible}


def _scorable(maps: dict[str, AttentionMap]) -> dict[str, AttentionMap]:
    for title, attention in maps.items():
        layers, heads = attention.shape[:2]
        if layers * heads != 1:
            raise ValueError(
                f"maps[{title!r}] has {layers} layers and {heads} heads; an exercise shows one "
                "head: choose it with dataclasses.replace(attention, "
                "weights=attention.head(layer, head))"
            )
        if not attention.sure:
            raise ValueError(
                f"maps[{title!r}] has no sure gold links to score against; make it from a pair of "
                "the corpus, or give sure={(query, key), ...}"
            )
    return maps
