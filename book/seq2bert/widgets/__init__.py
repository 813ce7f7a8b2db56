"""The book's widgets: Python holds the data, the modules in `book/frontend` draw.

`HeatMap` shows attention weights; `Predict` asks for them first; `Translate` makes them of what the
reader types, and `Compare` does so with many models at once. `CorpusExplorer` shows sentence pairs
with their gold alignment; `StepThrough` every state of an encoder-decoder; `BeamTree` a search at
work; `Distribution` the next word and what sampling makes of it; `Playground` a query and keys that
can be moved; `PositionExplorer` what schemes of positions know; `MaskExplorer` what masks do.
`strip_stored_state` and `stored_maps` work on notebooks that hold a widget's stored state; they
need neither Jupyter nor a browser.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from seq2bert.widgets.stored import stored_maps, strip_stored_state

if TYPE_CHECKING:
    from seq2bert.widgets.beamtree import BeamTree
    from seq2bert.widgets.compare import Compare
    from seq2bert.widgets.distribution import Distribution
    from seq2bert.widgets.explorer import CorpusExplorer
    from seq2bert.widgets.heads import HeadExplorer
    from seq2bert.widgets.heatmap import HeatMap
    from seq2bert.widgets.masks import MaskExplorer
    from seq2bert.widgets.playground import Playground
    from seq2bert.widgets.positions import PositionExplorer
    from seq2bert.widgets.predict import Predict
    from seq2bert.widgets.stepthrough import StepThrough
    from seq2bert.widgets.translate import Translate

__all__ = [
    "BeamTree",
    "Compare",
    "CorpusExplorer",
    "Distribution",
    "HeadExplorer",
    "HeatMap",
    "MaskExplorer",
    "Playground",
    "PositionExplorer",
    "Predict",
    "StepThrough",
    "Translate",
    "stored_maps",
    "strip_stored_state",
]


MODULES = {
    "BeamTree": "beamtree",
    "Compare": "compare",
    "CorpusExplorer": "explorer",
    "Distribution": "distribution",
    "HeadExplorer": "heads",
    "HeatMap": "heatmap",
    "MaskExplorer": "masks",
    "Playground": "playground",
    "PositionExplorer": "positions",
    "Predict": "predict",
    "StepThrough": "stepthrough",
    "Translate": "translate",
}
"""Where each widget is; its front end has the same name."""


def __getattr__(name: str) -> Any:
    # only here is ipywidgets imported: tools that read notebooks do without it
    if name in MODULES:
        return getattr(import_module(f"seq2bert.widgets.{MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
