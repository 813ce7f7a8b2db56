"""Sparse attention: near keys, and a few tokens that see and are seen by all.

A band of width w along the diagonal of n x n weights has n w entries. It is computed as such: the
sequence is cut into blocks, and each block of queries meets its own keys and those of the blocks
beside it (Longformer, Beltagy et al., 2020, section 3; BigBird, Zaheer et al., 2020, section 2).
"""

import torch
from einops import einsum, rearrange
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor
from torch.nn import functional

from seq2bert.attention.distributions import masked_softmax
from seq2bert.attention.efficient.masks import at_least, key_mask, same_length
from seq2bert.attention.heads import scaled_dot_attention


def windowed(
    query: Float[Tensor, "batch head length size"],
    key: Float[Tensor, "batch head length size"],
    value: Float[Tensor, "batch head length value"],
    mask: Bool[Tensor, "#batch #head #query length"],
    reach: int,
) -> Float[Tensor, "batch head length value"]:
    """Full attention among the keys j with |j - i| <= reach.

    Args:
        query: what is asked.
        key: what answers.
        value: what is read.
        mask: True where a key is real, (batch, 1 or head, 1, key).
        reach: how far a query sees to either side; from length - 1 on this is full attention.

    Returns:
        the contexts; 0 for a query with no real key in its window. Its weights, a band, are not
        kept.

    Raises:
        ValueError: the reach is negative, or shapes do not fit.
    """
    at_least("reach", reach, 0)
    return banded(query, key, value, mask, reach, reach)


def causal_windowed(
    query: Float[Tensor, "batch head length size"],
    key: Float[Tensor, "batch head length size"],
    value: Float[Tensor, "batch head length value"],
    mask: Bool[Tensor, "#batch #head #query length"],
    reach: int,
) -> Float[Tensor, "batch head length value"]:
    """Full attention among the keys j with i - reach <= j <= i: `windowed`, looking back only.

    Raises:
        ValueError: the reach is negative, or shapes do not fit.
    """
    at_least("reach", reach, 0)
    return banded(query, key, value, mask, reach, 0)


def windowed_with_global(
    query: Float[Tensor, "batch head length size"],
    key: Float[Tensor, "batch head length size"],
    value: Float[Tensor, "batch head length value"],
    mask: Bool[Tensor, "#batch #head #query length"],
    reach: int,
    places: Int[Tensor, "global"],
) -> Float[Tensor, "batch head length value"]:
    """`windowed`, and some tokens that attend to all and that all attend to.

    Longformer gives the global tokens projections of their own; here they share the others'.
    BigBird adds keys drawn by chance.

    Args:
        query: what is asked.
        key: what answers.
        value: what is read.
        mask: True where a key is real, (batch, 1 or head, 1, key).
        reach: how far the other queries see to either side.
        places: of the global tokens, each once.

    Returns:
        the contexts.

    Raises:
        ValueError: the reach is negative, a place is outside or twice there, or shapes do not fit.
    """
    at_least("reach", reach, 0)
    length = same_length(query, key)
    if len(set(range(length)).intersection(places.tolist())) < places.numel():
        raise ValueError(
            f"global places {places.tolist()} in a sequence of {length}; expected numbers from 0 "
            f"to {length - 1}, each once"
        )
    real = key_mask(mask, key)
    others = mask.index_fill(3, places, False)  # in a window, too, a global key counts once
    energy, allowed = band_energy(query, key, others, reach, reach)
    width = energy.shape[-1]
    asked = in_blocks(query, block_length(length, reach))
    beside = einsum(asked, key[:, :, places], "b h m i d, b h g d -> b h m i g")
    everywhere = rearrange(real[..., places], "b h g -> b h 1 1 g")
    weights = masked_softmax(
        torch.cat([energy, beside * query.shape[-1] ** -0.5], -1),
        torch.cat([allowed, everywhere.expand(*allowed.shape[:-1], -1)], -1),
    )
    context = read_band(weights[..., :width], value, reach, reach)
    context = context + einsum(
        weights[..., width:], value[:, :, places], "b h m i g, b h g v -> b h m i v"
    )
    seen = scaled_dot_attention(query[:, :, places], key, value, mask)[0]
    return joined(context, length).index_copy(2, places, seen)


def banded(
    query: Float[Tensor, "batch head length size"],
    key: Float[Tensor, "batch head length size"],
    value: Float[Tensor, "batch head length value"],
    mask: Bool[Tensor, "#batch #head #query length"],
    behind: int,
    ahead: int,
    log_prior: Float[Tensor, "#head distance"] | None = None,
) -> Float[Tensor, "batch head length value"]:
    """Full attention among the keys from i - behind to i + ahead, in blocks.

    Args:
        query: what is asked.
        key: what answers.
        value: what is read.
        mask: True where a key is real, (batch, 1 or head, 1, key).
        behind: how far back, at least 0.
        ahead: how far on, at least 0.
        log_prior: what to add to the energies at the distances -behind, ..., ahead.

    Returns:
        the contexts.
    """
    length = same_length(query, key)
    energy, allowed = band_energy(query, key, mask, behind, ahead)
    if log_prior is not None:
        away = band_distances(block_length(length, behind, ahead), behind, ahead).to(key.device)
        by_distance = log_prior.to(energy)[:, (away + behind).clamp(0, behind + ahead)]
        energy = energy + rearrange(by_distance, "h i j -> h 1 i j")
    weights = masked_softmax(energy, allowed)
    return joined(read_band(weights, value, behind, ahead), length)


def band_energy(
    query: Float[Tensor, "batch head length size"],
    key: Float[Tensor, "batch head length size"],
    mask: Bool[Tensor, "#batch #head #query length"],
    behind: int,
    ahead: int,
) -> tuple[
    Float[Tensor, "batch head blocks block near"], Bool[Tensor, "#batch #head blocks block near"]
]:
    """The energies of each block of queries with the keys near it, and which of them count."""
    block = block_length(query.shape[2], behind, ahead)
    near = with_neighbours(key, block, behind, ahead)
    energy = einsum(in_blocks(query, block), near, "b h m i d, b h m j d -> b h m i j")
    real = rearrange(key_mask(mask, key), "b h k -> b h k 1")
    real = rearrange(with_neighbours(real, block, behind, ahead), "b h m j 1 -> b h m 1 j")
    away = band_distances(block, behind, ahead).to(key.device)
    return energy * query.shape[-1] ** -0.5, real & (away >= -behind) & (away <= ahead)


def read_band(
    weights: Float[Tensor, "batch head blocks block near"],
    value: Float[Tensor, "batch head length value"],
    behind: int,
    ahead: int,
) -> Float[Tensor, "batch head blocks block value"]:
    """The contexts of each block of queries, from the values near it."""
    near = with_neighbours(value, weights.shape[3], behind, ahead)
    return einsum(weights, near, "b h m i j, b h m j v -> b h m i v")


def block_length(length: int, *reaches: int) -> int:
    """How long a block is: as long as the reach, so that the next block holds all near keys."""
    return max(1, min(max(reaches), length))


def band_distances(block: int, behind: int, ahead: int) -> Int[Tensor, "query key"]:
    """j - i of the queries of a block and the keys of that block and of those beside it."""
    keys = torch.arange(-block if behind else 0, 2 * block if ahead else block)
    return keys - rearrange(torch.arange(block), "i -> i 1")


def in_blocks(
    vectors: Float[Tensor, "batch head length size"], block: int
) -> Float[Tensor, "batch head blocks block size"]:
    """The sequence in blocks; the last is filled up with zeros."""
    filled = functional.pad(vectors, (0, 0, 0, -vectors.shape[2] % block))
    return rearrange(filled, "b h (m i) d -> b h m i d", i=block)


def with_neighbours(
    vectors: Shaped[Tensor, "batch head length size"], block: int, behind: int, ahead: int
) -> Shaped[Tensor, "batch head blocks near size"]:
    """The vectors of each block and of those beside it; zeros beyond the ends."""
    before, after = block if behind else 0, block if ahead else 0
    last = -vectors.shape[2] % block
    filled = functional.pad(vectors, (0, 0, before, last + after))
    return rearrange(filled.unfold(2, before + block + after, block), "b h m d j -> b h m j d")


def joined(
    blocks: Float[Tensor, "batch head blocks block size"], length: int
) -> Float[Tensor, "batch head {length} size"]:
    """The sequence again, without what filled up its last block."""
    return rearrange(blocks, "b h m i d -> b h (m i) d")[:, :, :length]
