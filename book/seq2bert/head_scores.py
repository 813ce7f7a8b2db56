"""Each head of a translator against the gold alignment, and all heads together."""

from collections.abc import Sequence

import numpy as np

from seq2bert.attention_map import AttentionMap
from seq2bert.evaluation import alignment_of_rows
from seq2bert.metrics import AlignmentScore


def alignment_of_heads(maps: Sequence[AttentionMap]) -> list[list[AlignmentScore]]:
    """The alignment score of each head, by layer: what each says alone.

    Args:
        maps: cross-attention with gold, of one model.

    Raises:
        ValueError: there are no maps.
    """
    layers, heads = _shape(maps)
    rows = [range(len(attention.query_tokens)) for attention in maps]
    return [
        [alignment_of_rows(maps, rows, layer, head) for head in range(heads)]
        for layer in range(layers)
    ]


def averaged(attention: AttentionMap, layers: Sequence[int] | None = None) -> AttentionMap:
    """The mean over the heads of some layers (of all when left out), as a map with one head.

    Raises:
        ValueError: there is no such layer, or none is asked for.
    """
    chosen = range(attention.shape[0]) if layers is None else layers
    if not len(chosen) or not all(0 <= layer < attention.shape[0] for layer in chosen):
        raise ValueError(
            f"layers {list(chosen)} asked for; this map has layers 0 to {attention.shape[0] - 1}"
        )
    return AttentionMap(
        np.mean(attention.weights[list(chosen)], axis=(0, 1)),
        attention.query_tokens,
        attention.key_tokens,
        attention.kind,
        sure=attention.sure,
        possible=attention.possible,
        normalised=attention.normalised,
    )


def alignment_of_average(
    maps: Sequence[AttentionMap], layers: Sequence[int] | None = None
) -> AlignmentScore:
    """The alignment score of the mean over heads and layers."""
    rows = [range(len(attention.query_tokens)) for attention in maps]
    return alignment_of_rows([averaged(attention, layers) for attention in maps], rows)


def best_head(scores: Sequence[Sequence[AlignmentScore]]) -> tuple[int, int]:
    """(layer, head) with the smallest alignment error rate, the first of equals.

    Choose it on one set of sentences and report it on another.
    """
    places = [(layer, head) for layer, row in enumerate(scores) for head in range(len(row))]
    return min(places, key=lambda place: scores[place[0]][place[1]].error_rate)


def _shape(maps: Sequence[AttentionMap]) -> tuple[int, int]:
    if not maps:
        raise ValueError("there are no maps; a score needs at least one sentence")
    return maps[0].shape[:2]
