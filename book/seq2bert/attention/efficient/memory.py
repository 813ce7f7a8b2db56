"""Fewer keys: neighbours pressed into one, or keys that are alike.

With c keys left, n c weights are computed in place of n^2. A key that stands for m others gets
log m added to its energy, so that it weighs as much as they would: where the m are equal, nothing
is lost.
"""

import torch
from einops import einsum, rearrange
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional

from seq2bert.attention.distributions import masked_softmax
from seq2bert.attention.efficient.masks import at_least, key_mask, without_padding
from seq2bert.attention.energies import scaled_dot_energy


def compressed(
    query: Float[Tensor, "batch head query size"],
    key: Float[Tensor, "batch head key size"],
    value: Float[Tensor, "batch head key value"],
    mask: Bool[Tensor, "#batch #head #query key"],
    stride: int,
) -> Float[Tensor, "batch head query value"]:
    """Attention to the means of `stride` keys in a row, and of their values.

    Args:
        query: what is asked.
        key: what answers.
        value: what is read.
        mask: True where a key is real, (batch, 1 or head, 1, key); padding enters no mean.
        stride: how many keys become one; with 1 this is full attention.

    Returns:
        the contexts; 0 where no key is real.

    Raises:
        ValueError: the stride is not positive, the mask differs between queries, or does not fit.
    """
    at_least("stride", stride, 1)
    real = key_mask(mask, key)
    group = (torch.arange(key.shape[2], device=key.device) // stride).expand(key.shape[:3])
    return attend_to_groups(query, key, value, real, group, -(-key.shape[2] // stride))


def convolved(
    query: Float[Tensor, "batch head query size"],
    key: Float[Tensor, "batch head key size"],
    value: Float[Tensor, "batch head key value"],
    mask: Bool[Tensor, "#batch #head #query key"],
    key_kernel: Float[Tensor, "#head stride size size"],
    value_kernel: Float[Tensor, "#head stride value value"],
) -> Float[Tensor, "batch head query value"]:
    """Memory-compressed attention: a strided convolution of the keys, another of the values.

    k'_m = sum_s K_s k_(m stride + s), without overlap (Liu et al., 2018, section 4.2.3; they have
    stride 3). Padding counts as 0, as beyond the end of a sentence.

    Args:
        query: what is asked.
        key: what answers.
        value: what is read.
        mask: True where a key is real, (batch, 1 or head, 1, key).
        key_kernel: K, one matrix for each of the `stride` places in a group.
        value_kernel: the same for the values.

    Returns:
        the contexts; 0 where no key is real.

    Raises:
        ValueError: the kernels differ in stride, the mask differs between queries, or does not fit.
    """
    stride = key_kernel.shape[1]
    if value_kernel.shape[1] != stride:
        raise ValueError(
            f"a stride of {stride} for the keys, of {value_kernel.shape[1]} for the values; "
            "expected the same"
        )
    real = key_mask(mask, key)
    missing = -key.shape[2] % stride
    fewer = []
    for vectors, kernel in ((key, key_kernel), (value, value_kernel)):
        filled = functional.pad(without_padding(vectors, real), (0, 0, 0, missing))
        groups = rearrange(filled, "b h (m s) d -> b h m s d", s=stride)
        kernel = kernel.expand(key.shape[1], -1, -1, -1)
        fewer.append(einsum(groups, kernel, "b h m s d, h s e d -> b h m e"))
    some = rearrange(functional.pad(real, (0, missing)), "b h (m s) -> b h m s", s=stride).any(-1)
    weights = masked_softmax(
        scaled_dot_energy(query, fewer[0]), rearrange(some, "b h m -> b h 1 m")
    )
    return einsum(weights, fewer[1], "b h q m, b h m v -> b h q v")


def clustered(
    query: Float[Tensor, "batch head query size"],
    key: Float[Tensor, "batch head key size"],
    value: Float[Tensor, "batch head key value"],
    mask: Bool[Tensor, "#batch #head #query key"],
    clusters: int,
    rounds: int = 4,
) -> Float[Tensor, "batch head query value"]:
    """Attention to prototypes: the centres of clusters of keys, and the means of their values.

    The clusters come from a few rounds of k-means (Lloyd, 1982), which begins with real keys at
    equal distances. Vyas et al. (2020) cluster the queries in the same way. Gradients pass through
    the means, not through the choice of the cluster.

    Args:
        query: what is asked.
        key: what answers.
        value: what is read.
        mask: True where a key is real, (batch, 1 or head, 1, key); padding is in no cluster.
        clusters: how many; with as many as there are keys this is full attention.
        rounds: of k-means.

    Returns:
        the contexts; 0 where no key is real.

    Raises:
        ValueError: a number is not positive, the mask differs between queries, or does not fit.
    """
    at_least("clusters", clusters, 1)
    at_least("rounds", rounds, 1)
    real = key_mask(mask, key)
    group = nearest_centres(key, real, clusters, rounds)
    return attend_to_groups(query, key, value, real, group, clusters)


@torch.no_grad()
def nearest_centres(
    key: Float[Tensor, "batch head key size"],
    real: Bool[Tensor, "#batch #head key"],
    clusters: int,
    rounds: int,
) -> Int[Tensor, "batch head key"]:
    """The cluster of each key, by k-means among the real keys of its sentence and head."""
    real = real.expand(key.shape[:3])
    count = rearrange(real.sum(dim=-1), "b h -> b h 1")
    rank = torch.arange(clusters, device=key.device) * count // clusters
    place = (real.long().cumsum(dim=-1) - 1).masked_fill(~real, -1)
    first = torch.searchsorted(place.cummax(dim=-1).values, rank).clamp(max=key.shape[2] - 1)
    centre = key.gather(2, first.unsqueeze(-1).expand(*first.shape, key.shape[3]))
    for last in [False] * (rounds - 1) + [True]:
        half = centre.square().sum(dim=-1) / 2
        closeness = einsum(key, centre, "b h k d, b h c d -> b h k c")
        group = (closeness - rearrange(half, "b h c -> b h 1 c")).argmax(dim=-1)
        if not last:
            members = group_sums(key, real, group, clusters)
            size = group_sums(torch.ones_like(key[..., :1]), real, group, clusters)
            centre = torch.where(size > 0, members / size.clamp_min(1), centre)
    return group


def attend_to_groups(
    query: Float[Tensor, "batch head query size"],
    key: Float[Tensor, "batch head key size"],
    value: Float[Tensor, "batch head key value"],
    real: Bool[Tensor, "#batch #head key"],
    group: Int[Tensor, "batch head key"],
    groups: int,
) -> Float[Tensor, "batch head query value"]:
    """Attention to the mean key and value of each group, weighed by how many it stands for."""
    size = group_sums(torch.ones_like(key[..., :1]), real, group, groups)
    keys, values = (group_sums(x, real, group, groups) / size.clamp_min(1) for x in (key, value))
    many = rearrange(size, "b h c 1 -> b h 1 c")
    energy = scaled_dot_energy(query, keys) + many.clamp_min(1).log()
    weights = masked_softmax(energy, many > 0)
    return einsum(weights, values, "b h q c, b h c v -> b h q v")


def group_sums(
    vectors: Float[Tensor, "batch head key size"],
    real: Bool[Tensor, "#batch #head key"],
    group: Int[Tensor, "batch head key"],
    groups: int,
) -> Float[Tensor, "batch head {groups} size"]:
    """The sum of the real vectors of each group."""
    place = rearrange(group, "b h k -> b h k 1").expand_as(vectors)
    sums = vectors.new_zeros(*vectors.shape[:2], groups, vectors.shape[3])
    return sums.scatter_add(2, place, without_padding(vectors, real))
