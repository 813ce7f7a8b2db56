"""Cheaper attention: six families, each with the call of full attention.

`sparse`    only keys near by, and a few that all see: bands instead of a square
`linear`    a product of features in place of the exponential, multiplied in the other order
`memory`    fewer keys: means of neighbours, or of keys that are alike
`low_rank`  fewer keys: learned mixtures of all of them
`prior`     what is known before anything is compared, added to the energies
`fewer`     fewer keys and values for the same queries, and heads that talk
`cost`      multiplications and bytes, counted

Each takes queries, keys and values (batch, head, length, size) and a mask, True where a key may be
attended to, and gives the contexts. The weights of all of them, as if the square had been
computed, come from `weights_of`.
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from seq2bert.attention.efficient.cost import multiplications, peak_bytes
from seq2bert.attention.efficient.fewer import grouped_query, multi_query, talking_heads
from seq2bert.attention.efficient.linear import (
    RandomFeatures,
    causal_linearised,
    elu_features,
    linearised,
    polynomial_features,
)
from seq2bert.attention.efficient.low_rank import projected, random_projection
from seq2bert.attention.efficient.masks import Attention
from seq2bert.attention.efficient.memory import clustered, compressed, convolved
from seq2bert.attention.efficient.prior import gaussian_log_prior, with_near_prior, with_prior
from seq2bert.attention.efficient.sparse import causal_windowed, windowed, windowed_with_global
from seq2bert.attention.heads import scaled_dot_attention

__all__ = [
    "Attention",
    "RandomFeatures",
    "causal_linearised",
    "causal_windowed",
    "clustered",
    "compressed",
    "convolved",
    "elu_features",
    "full",
    "gaussian_log_prior",
    "grouped_query",
    "linearised",
    "multi_query",
    "multiplications",
    "peak_bytes",
    "polynomial_features",
    "projected",
    "random_projection",
    "talking_heads",
    "weights_of",
    "windowed",
    "windowed_with_global",
    "with_near_prior",
    "with_prior",
]


def full(
    query: Float[Tensor, "batch head query size"],
    key: Float[Tensor, "batch head key size"],
    value: Float[Tensor, "batch head key value"],
    mask: Bool[Tensor, "#batch #head #query key"],
) -> Float[Tensor, "batch head query value"]:
    """softmax(q . k / sqrt(d)) v with every query and every key: what the others are held against.

    Args:
        query: what is asked, shape (batch, head, query, size).
        key: what answers.
        value: what is read, one for each key.
        mask: True where a query may attend to a key.

    Returns:
        the contexts; 0 for a query that may attend to nothing.
    """
    return scaled_dot_attention(query, key, value, mask)[0]


def weights_of(
    attention: Attention,
    query: Float[Tensor, "batch head query size"],
    key: Float[Tensor, "batch group key size"],
    mask: Bool[Tensor, "#batch #head #query key"],
) -> Float[Tensor, "batch head query key"]:
    """The weights that an attention uses, also where it never writes them down.

    A context is a sum of values, each times a weight. With the unit vectors as values the context
    of a query is the list of its weights. This costs n^2 and is for looking, not for use; it holds
    for every attention that only adds up values, so not for `convolved`, which changes them.

    Args:
        attention: called with query, key, value and mask; gives contexts.
        query: what is asked.
        key: what answers.
        mask: as the attention takes it.
    """
    one_each = torch.eye(key.shape[2], dtype=key.dtype, device=key.device)
    return attention(query, key, one_each.expand(*key.shape[:2], -1, -1), mask)
