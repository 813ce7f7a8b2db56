"""Attention with a prior: what is expected before query and key are compared.

softmax(e + log p) is proportional to p exp(e): the weights that the energies ask for, times what
was expected. A prior alone saves nothing; one that falls off fast says which keys can be left out.
"""

import torch
from einops import einsum, rearrange
from jaxtyping import Bool, Float
from torch import Tensor

from seq2bert.attention.distributions import masked_softmax
from seq2bert.attention.efficient.masks import at_least
from seq2bert.attention.efficient.sparse import banded
from seq2bert.attention.energies import scaled_dot_energy


def with_prior(
    query: Float[Tensor, "batch head query size"],
    key: Float[Tensor, "batch head key size"],
    value: Float[Tensor, "batch head key value"],
    mask: Bool[Tensor, "#batch #head #query key"],
    log_prior: Float[Tensor, "#head #query key"],
) -> Float[Tensor, "batch head query value"]:
    """softmax(q . k / sqrt(d) + log p) v.

    Args:
        query: what is asked.
        key: what answers.
        value: what is read.
        mask: True where a query may attend to a key.
        log_prior: log p for each query and key, up to a constant for each query; minus infinity
            where p is 0. `gaussian_log_prior`, or `seq2bert.positions.alibi`.

    Returns:
        the contexts; 0 for a query that may attend to nothing.

    Raises:
        ValueError: the mask is not boolean, or does not fit.
    """
    possible = log_prior > -torch.inf
    energy = scaled_dot_energy(query, key) + log_prior.to(query).masked_fill(~possible, 0.0)
    weights = masked_softmax(energy, mask & possible)
    return einsum(weights, value, "b h q k, b h k v -> b h q v")


def with_near_prior(
    query: Float[Tensor, "batch head length size"],
    key: Float[Tensor, "batch head length size"],
    value: Float[Tensor, "batch head length value"],
    mask: Bool[Tensor, "#batch #head #query length"],
    log_prior: Float[Tensor, "#head distance"],
) -> Float[Tensor, "batch head length value"]:
    """`with_prior` for a prior of the distance alone that is 0 from some distance on: a band.

    Args:
        query: what is asked.
        key: what answers.
        value: what is read.
        mask: True where a key is real, (batch, 1 or head, 1, key).
        log_prior: of the distances j - i = -reach, ..., reach; finite.

    Returns:
        the contexts; 0 for a query with no real key within reach.

    Raises:
        ValueError: the number of distances is even, the mask differs between queries, or does not
            fit.
    """
    count = log_prior.shape[1]
    if count % 2 == 0:
        raise ValueError(
            f"a prior of {count} distances; expected 2 reach + 1: as many to each side, and 0"
        )
    return banded(query, key, value, mask, count // 2, count // 2, log_prior)


def gaussian_log_prior(
    width: Float[Tensor, "head"], reach: int
) -> Float[Tensor, "head {2*reach+1}"]:
    """-(j - i)^2 / (2 width^2): who is near is likely (Yang et al., 2018).

    Args:
        width: of each head's bell.
        reach: the distances run from -reach to reach.

    Raises:
        ValueError: a width or the reach is not positive.
    """
    at_least("reach", reach, 0)
    if not (width > 0).all():
        raise ValueError(f"widths {width.tolist()}; expected numbers above 0")
    away = torch.arange(-reach, reach + 1, device=width.device)
    return -away.square() / (2 * rearrange(width, "h -> h 1").square())


def by_place(
    log_prior: Float[Tensor, "head distance"], length: int
) -> Float[Tensor, "head {length} {length}"]:
    """A prior of distances as one of queries and keys; minus infinity out of reach."""
    reach = log_prior.shape[1] // 2
    place = torch.arange(length, device=log_prior.device)
    away = place - rearrange(place, "q -> q 1")
    spread = log_prior[:, (away + reach).clamp(0, 2 * reach)]
    return spread.masked_fill(away.abs() > reach, -torch.inf)
