"""Matplotlib pictures of attention, for notebooks, papers and slides."""

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from seq2bert.attention_map import AttentionMap
from seq2bert.palette import colormap


def heat_map(attention: AttentionMap, layer: int = 0, head: int = 0) -> Figure:
    """One head of an attention map: rows are queries, columns are keys, colours go from 0 to 1.

    Cells with a solid outline are sure gold links, with a dashed outline possible ones.

    Args:
        attention: what to draw.
        layer: which layer.
        head: which head.

    Returns:
        a figure of its own, independent of pyplot's current figure.

    Raises:
        ValueError: there is no such layer or head.
    """
    weights = attention.head(layer, head)
    queries, keys = weights.shape
    figure = Figure(figsize=(1.6 + 0.38 * keys, 1.4 + 0.38 * queries), layout="constrained")
    axes = figure.add_subplot()
    image = axes.imshow(weights, cmap=colormap(), vmin=0, vmax=1)
    # places, not texts, carry the labels: tokens repeat
    axes.set_xticks(
        range(keys), attention.key_tokens, rotation=45, ha="left", rotation_mode="anchor"
    )
    axes.set_yticks(range(queries), attention.query_tokens)
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    axes.set_xlabel("key")
    axes.set_ylabel("query")
    axes.tick_params(length=0)
    for cell in sorted(attention.possible):
        _outline(axes, cell, "solid" if cell in attention.sure else "dashed")
    figure.colorbar(image, ax=axes, shrink=0.6, label="weight")
    return figure


def _outline(axes: Axes, cell: tuple[int, int], style: Any) -> None:
    query, key = cell
    axes.add_patch(
        Rectangle((key - 0.45, query - 0.45), 0.9, 0.9, fill=False, linestyle=style, linewidth=1.3)
    )
