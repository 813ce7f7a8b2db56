"""The attention heat map as a widget for notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anywidget
import traitlets

from seq2bert import pictures
from seq2bert.attention_map import AttentionMap
from seq2bert.widgets import bundle
from seq2bert.widgets.checks import checked_maps, within
from seq2bert.widgets.stored import decode_maps, encode_maps


class HeatMap(anywidget.AnyWidget):
    """Attention weights, one row for each query and one column for each key.

    Hover or use the arrow keys to read a cell; click or press Enter to hold a row. `layer`,
    `head`, `query` and `map` are what is chosen at the moment; set them from Python, or read what
    the reader chose. `query` is -1 while no row is held.

    Raises:
        ValueError: there is no map, or something that is no `AttentionMap`, or one too large.
    """

    _esm = bundle.script("heatmap") or "export default { render() {} }"
    _css = bundle.styles("heatmap")

    maps = traitlets.List(traitlets.Dict()).tag(sync=True)
    weights = traitlets.Bytes().tag(sync=True)
    map = traitlets.Int(0).tag(sync=True)
    layer = traitlets.Int(0).tag(sync=True)
    head = traitlets.Int(0).tag(sync=True)
    query = traitlets.Int(-1).tag(sync=True)

    def __init__(self, maps: AttentionMap | Mapping[str, AttentionMap]) -> None:
        """Show one map, or several by title."""
        records, weights = encode_maps(checked_maps(maps))
        super().__init__(maps=records, weights=weights)

    def update(self, maps: AttentionMap | Mapping[str, AttentionMap]) -> None:
        """Show other maps in the same place; what was chosen is kept as far as it still exists.

        Raises:
            ValueError: as for a new widget.
        """
        records, weights = encode_maps(checked_maps(maps))
        with self.hold_sync():
            # what is chosen now may not exist in the new maps: let go of it first
            chosen = (self.map, self.layer, self.head, self.query)
            self.map = self.layer = self.head = 0
            self.query = -1
            self.maps = records
            self.weights = weights
            self.map = min(chosen[0], len(records) - 1)
            layers, heads, queries, _ = records[self.map]["shape"]
            self.layer = min(chosen[1], layers - 1)
            self.head = min(chosen[2], heads - 1)
            self.query = min(chosen[3], queries - 1)

    @property
    def attention(self) -> AttentionMap:
        """The map that is shown at the moment."""
        return list(decode_maps(self.maps, self.weights).values())[self.map]

    @traitlets.validate("map")
    def _check_map(self, proposal: dict[str, Any]) -> int:
        return within("map", proposal["value"], 0, len(self.maps))

    @traitlets.validate("layer")
    def _check_layer(self, proposal: dict[str, Any]) -> int:
        return within("layer", proposal["value"], 0, self._shape()[0])

    @traitlets.validate("head")
    def _check_head(self, proposal: dict[str, Any]) -> int:
        return within("head", proposal["value"], 0, self._shape()[1])

    @traitlets.validate("query")
    def _check_query(self, proposal: dict[str, Any]) -> int:
        return within("query", proposal["value"], -1, self._shape()[2])

    @traitlets.observe("map")
    def _fit_selection(self, change: dict[str, Any]) -> None:
        layers, heads, queries, _ = self._shape()
        self.layer = min(self.layer, layers - 1)
        self.head = min(self.head, heads - 1)
        if self.query >= queries:
            self.query = -1

    def _shape(self) -> list[int]:
        shape: list[int] = self.maps[self.map]["shape"]
        return shape

    def __repr__(self) -> str:
        """Short and the same at every run: notebooks store it, tests compare it."""
        if not self.maps:
            return "HeatMap()"
        record = self.maps[self.map]
        count = len(self.maps)
        _, _, queries, keys = record["shape"]
        number = "1 map" if count == 1 else f"{count} maps"
        return f"HeatMap({record['kind']}, {number}, {queries} x {keys})"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The live view, and beside it a picture and a table for wherever nothing runs."""
        attention = self.attention
        chosen = (self.layer, self.head)
        name = str(self.maps[self.map]["title"])
        others = decode_maps(self.maps, self.weights)
        del others[name]
        page = pictures.figure_html(attention, *chosen, name=name, others=others)
        live = super()._repr_mimebundle_(**kwargs) if bundle.script("heatmap") else None
        return bundle.beside(live, repr(self), pictures.heat_map_svg(attention, *chosen), page)

    # ipywidgets 7 displays through this method instead, and would leave the picture out
    _ipython_display_ = None
