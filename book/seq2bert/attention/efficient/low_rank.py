"""Low rank: the n keys are mixed into r before anything is compared (Linformer)."""

import math

import torch
from einops import einsum, rearrange
from jaxtyping import Bool, Float
from torch import Tensor

from seq2bert.attention.distributions import masked_softmax
from seq2bert.attention.efficient.masks import at_least, key_mask, without_padding
from seq2bert.attention.energies import scaled_dot_energy


def projected(
    query: Float[Tensor, "batch head query size"],
    key: Float[Tensor, "batch head key size"],
    value: Float[Tensor, "batch head key value"],
    mask: Bool[Tensor, "#batch #head #query key"],
    key_projection: Float[Tensor, "rank longest"],
    value_projection: Float[Tensor, "rank longest"],
) -> Float[Tensor, "batch head query value"]:
    """softmax(q (E k)^T / sqrt(d)) F v (Wang et al., 2020, eq. 7): n r weights, not n^2.

    E and F are learned, and made for a longest sentence; a shorter one uses their first columns.
    Every mixed key holds something of every place, so there is no causal form. Padding counts as
    0, and a mixture of nothing but padding is not attended to.

    Args:
        query: what is asked.
        key: what answers.
        value: what is read.
        mask: True where a key is real, (batch, 1 or head, 1, key).
        key_projection: E; with the identity for E and F this is full attention.
        value_projection: F.

    Returns:
        the contexts; 0 where no key is real.

    Raises:
        ValueError: E and F differ in shape, the sentence is longer than they are made for, the
            mask differs between queries, or does not fit.
    """
    length = key.shape[2]
    if key_projection.shape != value_projection.shape or key_projection.shape[1] < length:
        raise ValueError(
            f"projections of the shapes {tuple(key_projection.shape)} and "
            f"{tuple(value_projection.shape)} for {length} keys; expected (rank, longest) of both, "
            f"the longest at least {length}"
        )
    real = key_mask(mask, key)
    mix_keys, mix_values = key_projection[:, :length], value_projection[:, :length]
    keys = einsum(mix_keys, without_padding(key, real), "r k, b h k d -> b h r d")
    values = einsum(mix_values, without_padding(value, real), "r k, b h k v -> b h r v")
    used = (mix_keys != 0) | (mix_values != 0)
    some = einsum(used.to(key.dtype), real.to(key.dtype), "r k, b h k -> b h r") > 0
    weights = masked_softmax(scaled_dot_energy(query, keys), rearrange(some, "b h r -> b h 1 r"))
    return einsum(weights, values, "b h q r, b h r v -> b h q v")


def random_projection(rank: int, longest: int, seed: int = 0) -> Float[Tensor, "{rank} {longest}"]:
    """Numbers from N(0, 1 / longest), where E and F begin; they have to be trained.

    So many independent keys are mixed into vectors about as long as one of them.

    Raises:
        ValueError: a number is not positive.
    """
    at_least("rank", rank, 1)
    at_least("longest", longest, 1)
    chance = torch.Generator().manual_seed(seed)
    return torch.randn(rank, longest, generator=chance) / math.sqrt(longest)
