"""Local attention: a soft mean inside a window, nothing outside (Luong et al., 2015, section 3.2).

The window lies around a place p_t in the source: the place of the target word itself (local-m), or
one that the decoder predicts (local-p). Places are counted from 0; the paper does not say where it
begins, and reports D = 10.
"""

import torch
from einops import einsum, rearrange
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from seq2bert.attention.distributions import masked_softmax
from seq2bert.attention.energy_layers import matrix


def window(
    centre: Float[Tensor, "batch query"], mask: Bool[Tensor, "batch key"], reach: float | int
) -> Bool[Tensor, "batch query key"]:
    """The keys j with |j - p_t| <= D that are real: beyond the ends of a sentence there are none.

    Args:
        centre: p_t, a place or a point between two.
        mask: True where a key is real.
        reach: D, at least 0.

    Returns:
        True where a query may attend to a key; nowhere, for a query whose window lies outside.

    Raises:
        ValueError: the reach is negative.
    """
    if not reach >= 0:
        raise ValueError(f"the reach is {reach}; expected 0 or more")
    place = torch.arange(mask.shape[1], device=centre.device)
    near = (place - rearrange(centre, "b q -> b q 1")).abs() <= reach
    return near & rearrange(mask, "b k -> b 1 k")


def predicted_centre(
    query: Float[Tensor, "batch query size"],
    length: Int[Tensor, "batch"],
    weight: Float[Tensor, "hidden size"],
    vector: Float[Tensor, "hidden"],
) -> Float[Tensor, "batch query"]:
    """p_t = S sigmoid(v . tanh(W s_t)), S the number of real words (Luong et al., 2015, eq. 9).

    Args:
        query: the states s_t.
        length: S of each sentence, its padding not counted.
        weight: W.
        vector: v.

    Returns:
        a point between 0 and S for each query.
    """
    hidden = einsum(query, weight, "b q s, h s -> b q h").tanh()
    share = einsum(hidden, vector, "b q h, h -> b q").sigmoid()
    return rearrange(length, "b -> b 1") * share


def bell(
    centre: Float[Tensor, "batch query"], keys: int, reach: float | int
) -> Float[Tensor, "batch query key"]:
    """exp(-(j - p_t)^2 / (2 sigma^2)) with sigma = D / 2 (Luong et al., 2015, eq. 10).

    It is 1 at p_t and e^-2, not 0, at the rim of the window.

    Args:
        centre: p_t.
        keys: how many places there are.
        reach: D, above 0.

    Raises:
        ValueError: the reach is not positive.
    """
    if not reach > 0:
        raise ValueError(f"the reach is {reach}; the width of the bell is half of it, so above 0")
    place = torch.arange(keys, device=centre.device)
    distance = place - rearrange(centre, "b q -> b q 1")
    return (-distance.square() / (2 * (reach / 2) ** 2)).exp()


def monotonic_weights(
    energy: Float[Tensor, "batch query key"],
    mask: Bool[Tensor, "batch key"],
    centre: Float[Tensor, "batch query"],
    reach: float | int,
) -> Float[Tensor, "batch query key"]:
    """local-m: the softmax of the energies inside the window.

    Args:
        energy: one score for each query and key.
        mask: True where a key is real.
        centre: p_t, here t.
        reach: D.

    Returns:
        weights; a row sums to 1, or to 0 if no real key lies in its window.
    """
    return masked_softmax(energy, window(centre, mask, reach))


def predictive_weights(
    energy: Float[Tensor, "batch query key"],
    mask: Bool[Tensor, "batch key"],
    centre: Float[Tensor, "batch query"],
    reach: float | int,
) -> Float[Tensor, "batch query key"]:
    """local-p: the softmax inside the window, times a bell around its centre.

    As in the paper nothing is divided by the sum after that: rows sum to less than 1. The bell is
    what p_t learns from; the rim of the window has no gradient.

    Args:
        energy: one score for each query and key.
        mask: True where a key is real.
        centre: p_t.
        reach: D.

    Returns:
        weights; a row sums to at most 1.
    """
    return monotonic_weights(energy, mask, centre, reach) * bell(centre, energy.shape[2], reach)


class PredictedCentre(nn.Module):
    """`predicted_centre` with its parameters.

    Args:
        query_size: width of a query.
        hidden_size: rows of W.
    """

    def __init__(self, query_size: int, hidden_size: int) -> None:
        super().__init__()
        self.weight = matrix(hidden_size, query_size)
        self.vector = nn.Parameter(torch.randn(hidden_size) * hidden_size**-0.5)

    def forward(
        self, query: Float[Tensor, "batch query size"], mask: Bool[Tensor, "batch key"]
    ) -> Float[Tensor, "batch query"]:
        """p_t of each query."""
        return predicted_centre(query, mask.sum(dim=1), self.weight, self.vector)


def gathered_attention(
    query: Float[Tensor, "batch query size"],
    key: Float[Tensor, "batch key size"],
    value: Float[Tensor, "batch key value"],
    mask: Bool[Tensor, "batch key"],
    centre: Float[Tensor, "batch query"],
    reach: int,
) -> Float[Tensor, "batch query value"]:
    """local-m with dot products, at the price of the window: other keys are not even compared.

    At most 2 D + 1 keys are picked out for each query. The result is that of `monotonic_weights`
    times the values, where all energies are computed and most are thrown away.

    Args:
        query: what is asked.
        key: what it is compared with.
        value: what is read.
        mask: True where a key is real.
        centre: p_t.
        reach: D, a whole number.

    Returns:
        the contexts.
    """
    first = rearrange((centre - reach).ceil().long(), "b q -> b q 1")
    places = first + torch.arange(2 * reach + 1, device=centre.device)
    inside = (places >= 0) & (places < key.shape[1])
    inside &= (places - rearrange(centre, "b q -> b q 1")).abs() <= reach
    places = places.clamp(0, key.shape[1] - 1)
    sentence = rearrange(torch.arange(key.shape[0], device=key.device), "b -> b 1 1")
    energy = einsum(query, key[sentence, places], "b q s, b q w s -> b q w")
    weights = masked_softmax(energy, inside & mask[sentence, places])
    return einsum(weights, value[sentence, places], "b q w, b q w v -> b q v")
