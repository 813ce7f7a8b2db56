"""What the cheap attentions ask of their arguments."""

from collections.abc import Callable

import torch
from einops import rearrange
from jaxtyping import Bool, Float
from torch import Tensor

Attention = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]
"""query, key, value, mask -> context."""


def key_mask(
    mask: Bool[Tensor, "#batch #head #query key"], key: Float[Tensor, "batch head key size"]
) -> Bool[Tensor, "#batch #head key"]:
    """The mask without its axis of queries.

    A mask with an entry for each query and key has the size that is to be avoided.

    Args:
        mask: True where a key is real, shape (batch, 1 or head, 1, key).
        key: the keys it is for.

    Raises:
        ValueError: the mask is not boolean, does not fit the keys, or differs between queries.
    """
    if mask.dtype != torch.bool:
        raise ValueError(f"mask is {mask.dtype}; expected bool, True = may attend: mask.bool()")
    batch, head, length, _ = key.shape
    shape = tuple(mask.shape)
    expected = f"expected a mask of keys, ({batch} or 1, {head} or 1, 1, {length})"
    if len(shape) == 4 and shape[3] == length and shape[2] > 1:
        raise ValueError(
            f"mask has the shape {shape}, with an axis of queries; {expected}: which keys a query "
            "sees beyond that is decided by the attention (there are causal ones)"
        )
    if len(shape) != 4 or shape[2:] != (1, length):
        raise ValueError(f"mask has the shape {shape}; {expected}")
    if shape[0] not in (1, batch) or shape[1] not in (1, head):
        raise ValueError(f"mask has the shape {shape}; {expected}")
    return rearrange(mask, "b h 1 k -> b h k")


def without_padding(
    vectors: Float[Tensor, "batch head key size"], real: Bool[Tensor, "#batch #head key"]
) -> Float[Tensor, "batch head key size"]:
    """The vectors, 0 where a key is not real."""
    return vectors.masked_fill(~rearrange(real, "b h k -> b h k 1"), 0.0)


def same_length(query: Tensor, key: Tensor) -> int:
    """How many queries and keys there are, in attention of a sequence to itself.

    Raises:
        ValueError: their numbers differ.
    """
    if query.shape[2] != key.shape[2]:
        raise ValueError(
            f"{query.shape[2]} queries and {key.shape[2]} keys; expected as many of each, since "
            "what is near is counted from a query's own place"
        )
    return query.shape[2]


def at_least(name: str, number: int, least: int) -> None:
    """Refuse a number that is too small.

    Raises:
        ValueError: it is.
    """
    if number < least:
        raise ValueError(f"{name} is {number}; expected {least} or more")
