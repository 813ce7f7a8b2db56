"""The one record in which attention travels: weights, the tokens on both axes, and what is known.

Plots, widgets and metrics take an `AttentionMap` and nothing looser, so that a label can neither
be forgotten nor end up on the wrong axis.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from seq2bert.vocabulary import BOS

Kind = Literal["encoder", "decoder", "cross"]
Cells = frozenset[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class AttentionMap:
    """Attention weights of one sentence, with the tokens that they belong to.

    Attributes:
        weights: shape (layer, head, query, key), float32, each in [0, 1]; every row sums to 1, or
            to 0 where the query may attend to nothing. The axes layer and head may be left out
            when there is one of each: (query, key) is taken as (1, 1, query, key). A torch tensor
            is taken too; the map keeps a copy that cannot be written to.
        query_tokens: the token that asks, one for each row.
        key_tokens: the token that is looked at, one for each column.
        kind: whose attention it is: ``encoder`` (source to source), ``decoder`` (target to
            target) or ``cross`` (target to source).
        sure: gold cells (query, key) that are certainly linked; empty when gold is not known.
        possible: gold cells that may be linked; contains ``sure``.
        normalised: False for weights that need not sum to 1 (sigmoid attention).

    Raises:
        ValueError: the shape of the weights is not that of the tokens, a weight is not finite or
            lies outside [0, 1], a row sums to neither 1 nor 0, the kind is unknown, or a gold
            cell lies outside the map.
    """

    weights: npt.NDArray[Any]
    query_tokens: tuple[str, ...]
    key_tokens: tuple[str, ...]
    kind: Kind
    sure: Cells = frozenset()
    possible: Cells = frozenset()
    normalised: bool = True

    def __post_init__(self) -> None:
        """Bring the fields into their one form and check them."""
        weights = _as_array(self.weights)
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "query_tokens", _tokens("query_tokens", self.query_tokens))
        object.__setattr__(self, "key_tokens", _tokens("key_tokens", self.key_tokens))
        if self.kind not in get_args(Kind):
            raise ValueError(f"kind is {self.kind!r}; expected one of {', '.join(get_args(Kind))}")
        expected = (len(self.query_tokens), len(self.key_tokens))
        if weights.shape[2:] != expected:
            raise ValueError(
                f"weights have {weights.shape[2]} queries x {weights.shape[3]} keys, but there are "
                f"{expected[0]} query tokens and {expected[1]} key tokens; rows are queries and "
                "columns are keys: cut both to the true lengths, or transpose the weights"
            )
        _check_weights(weights, self.normalised)
        object.__setattr__(self, "sure", _cells("sure", self.sure, expected))
        object.__setattr__(
            self, "possible", _cells("possible", self.possible, expected) | self.sure
        )
        weights.flags.writeable = False

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """(layers, heads, queries, keys)."""
        layers, heads, queries, keys = self.weights.shape
        return layers, heads, queries, keys

    def head(self, layer: int = 0, head: int = 0) -> npt.NDArray[np.float32]:
        """The weights of one head, shape (query, key).

        Raises:
            ValueError: there is no such layer or head.
        """
        layers, heads = self.shape[:2]
        if not 0 <= layer < layers or not 0 <= head < heads:
            raise ValueError(
                f"layer {layer}, head {head} asked for; this map has layers 0 to {layers - 1} and "
                f"heads 0 to {heads - 1}"
            )
        weights: npt.NDArray[np.float32] = self.weights[layer, head]
        return weights

    def argmax(self, layer: int = 0, head: int = 0) -> Cells:
        """For each query the cell (query, key) with the largest weight; none for an empty row."""
        weights = self.head(layer, head)
        return frozenset(
            (query, int(row.argmax())) for query, row in enumerate(weights) if row.any()
        )


def axes_of(
    kind: Kind, source: Sequence[str], target: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Which tokens ask and which are looked at, in the attention of one translation.

    Args:
        kind: whose attention.
        source: the tokens that were read.
        target: the tokens that were written; while the decoder writes the first it has read
            `<bos>`, while it writes the second the first, and so on.

    Returns:
        the query tokens and the key tokens.
    """
    if kind == "encoder":
        return tuple(source), tuple(source)
    if kind == "cross":
        return tuple(target), tuple(source)
    return tuple(target), (BOS, *target)[: len(target)]


def _as_array(weights: Any) -> npt.NDArray[np.float32]:
    """A float32 copy of shape (layer, head, query, key); torch tensors are welcome."""
    if hasattr(weights, "detach"):
        weights = weights.detach().float().cpu().numpy()
    array = np.array(weights, dtype=np.float32)
    if array.ndim == 2:
        array = array[np.newaxis, np.newaxis]
    if array.ndim != 4:
        raise ValueError(
            f"weights have the shape {array.shape}; expected (layer, head, query, key), or "
            "(query, key) for a single head"
        )
    if 0 in array.shape:
        raise ValueError(f"weights have the shape {array.shape}; no axis may be empty")
    return array


def _tokens(name: str, tokens: Sequence[str]) -> tuple[str, ...]:
    if isinstance(tokens, str):
        raise ValueError(f"{name} is the string {tokens!r}; give a sequence of tokens, split it")
    wrong = next((token for token in tokens if not isinstance(token, str)), None)
    if wrong is not None:
        raise ValueError(f"{name} holds {wrong!r}; expected strings: decode the ids first")
    return tuple(tokens)


def _cells(name: str, cells: Iterable[tuple[int, int]], shape: tuple[int, int]) -> Cells:
    checked = frozenset((int(query), int(key)) for query, key in cells)
    for query, key in sorted(checked):
        if not (0 <= query < shape[0] and 0 <= key < shape[1]):
            raise ValueError(
                f"{name} holds the cell (query {query}, key {key}), but the map has "
                f"{shape[0]} queries x {shape[1]} keys"
            )
    return checked


def _check_weights(weights: npt.NDArray[np.float32], normalised: bool) -> None:
    if not np.isfinite(weights).all():
        raise ValueError("weights hold NaN or infinity; mask with exact zeros before you plot")
    if weights.min() < 0 or weights.max() > 1 + 1e-3:
        raise ValueError(
            f"weights lie between {weights.min():.3g} and {weights.max():.3g}; expected 0 to 1: "
            "energies go through a softmax first"
        )
    sums = weights.sum(axis=-1)
    # half precision sums to 1 within about 1e-3 per key; a row of zeros attends to nothing
    wrong = (np.abs(sums - 1) > 2e-2) & (sums != 0)
    if normalised and wrong.any():
        layer, head, query = (int(index[0]) for index in np.nonzero(wrong))
        raise ValueError(
            f"row {query} of layer {layer}, head {head} sums to {sums[layer, head, query]:.3f}; "
            "expected 1 (or 0 for a query without keys): take the weights before dropout, in "
            "eval mode, with keys on the last axis"
        )
