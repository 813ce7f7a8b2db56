"""The energy e = f(q, k): how well a key answers a query. Eleven functions.

They follow the survey of Brauwers and Frasincar (2023) and Luong, Pham and Manning
(2015), section 3.1; a distance kernel is added. All have the same call: queries of shape
(..., query, query_size), keys of shape (..., key, key_size), then the parameters; they return
energies of shape (..., query, key).
"""

from collections.abc import Callable, Sequence

import torch
from einops import einsum, rearrange
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

Activation = Callable[[Tensor], Tensor]
Layer = tuple[Tensor, Tensor]
"""A matrix of shape (out, in) and a bias of shape (out)."""


def dot_energy(
    query: Float[Tensor, "*batch query size"], key: Float[Tensor, "*batch key size"]
) -> Float[Tensor, "*batch query key"]:
    """e = q . k (Luong et al., 2015, section 3.1: *dot*). No parameters; one width for both.

    Raises:
        ValueError: query and key differ in width.
    """
    _check_one_width(query, key)
    return einsum(query, key, "... q d, ... k d -> ... q k")


def scaled_dot_energy(
    query: Float[Tensor, "*batch query size"], key: Float[Tensor, "*batch key size"]
) -> Float[Tensor, "*batch query key"]:
    """e = q . k / sqrt(d_k) (Vaswani et al., 2017, eq. 1), d_k the width of a key.

    Raises:
        ValueError: query and key differ in width.
    """
    energy: Tensor = dot_energy(query, key) * key.shape[-1] ** -0.5
    return energy


def general_energy(
    query: Float[Tensor, "*batch query query_size"],
    key: Float[Tensor, "*batch key key_size"],
    weight: Float[Tensor, "query_size key_size"],
) -> Float[Tensor, "*batch query key"]:
    """e = q W k, bilinear (Luong et al., 2015, section 3.1: *general*)."""
    return dot_energy(query @ weight, key)


def biased_general_energy(
    query: Float[Tensor, "*batch query query_size"],
    key: Float[Tensor, "*batch key key_size"],
    weight: Float[Tensor, "query_size key_size"],
    bias: Float[Tensor, "key_size"],
) -> Float[Tensor, "*batch query key"]:
    """e = (q W + b) . k (Sordoni, Bachman, Trischler and Bengio, 2016).

    The bias is a question that is always asked too: b . k does not depend on the query.
    """
    return dot_energy(query @ weight + bias, key)


def activated_general_energy(
    query: Float[Tensor, "*batch query query_size"],
    key: Float[Tensor, "*batch key key_size"],
    weight: Float[Tensor, "query_size key_size"],
    bias: Float[Tensor, ""],
    activation: Activation = torch.tanh,
) -> Float[Tensor, "*batch query key"]:
    """e = act(q W k + b) (Ma, Li, Zhang and Wang, 2017, with tanh); b is one number."""
    return activation(general_energy(query, key, weight) + bias)


def additive_energy(
    query: Float[Tensor, "*batch query energy"],
    key: Float[Tensor, "*batch key energy"],
    vector: Float[Tensor, "energy"],
) -> Float[Tensor, "*batch query key"]:
    """How well each key answers each query: e = v . tanh(q + k).

    Bahdanau, Cho and Bengio (2015), appendix A.1.2: a(s, h) = v . tanh(W s + U h), with q = W s
    and k = U h computed before.

    Args:
        query: W s, shape (..., query, energy).
        key: U h, shape (..., key, energy).
        vector: v, shape (energy).

    Returns:
        energies, shape (..., query, key).

    Raises:
        ValueError: query, key and vector differ in width.
    """
    if not query.shape[-1] == key.shape[-1] == vector.shape[-1]:
        raise ValueError(
            f"query, key and vector are {query.shape[-1]}, {key.shape[-1]} and {vector.shape[-1]} "
            "wide; expected one width: project both before you compare them"
        )
    together = rearrange(query, "... q e -> ... q 1 e") + rearrange(key, "... k e -> ... 1 k e")
    return einsum(together.tanh(), vector, "... q k e, e -> ... q k")


def concat_energy(
    query: Float[Tensor, "*batch query query_size"],
    key: Float[Tensor, "*batch key key_size"],
    weight: Float[Tensor, "energy both"],
    vector: Float[Tensor, "energy"],
) -> Float[Tensor, "*batch query key"]:
    """e = v . tanh(W [q; k]) (Luong et al., 2015, section 3.1: *concat*).

    The same function as `additive_energy` with W = [W_q, W_k], computed pair by pair: the product
    with W is done for each pair of a query and a key, not once for each of them.

    Raises:
        ValueError: W is not as wide as query and key together.
    """
    if weight.shape[-1] != query.shape[-1] + key.shape[-1]:
        raise ValueError(
            f"the matrix takes {weight.shape[-1]} numbers, but query and key together have "
            f"{query.shape[-1]} + {key.shape[-1]}"
        )
    hidden = functional.linear(_pairs(query, key), weight).tanh()
    return einsum(hidden, vector, "... q k e, e -> ... q k")


def cosine_energy(
    query: Float[Tensor, "*batch query size"], key: Float[Tensor, "*batch key size"]
) -> Float[Tensor, "*batch query key"]:
    """e = q . k / (|q| |k|), the cosine of their angle, in [-1, 1]; 0 for a vector of zeros.

    Graves, Wayne and Danihelka (2014, section 3.3.1), who multiply it by a strength beta.

    Raises:
        ValueError: query and key differ in width.
    """
    _check_one_width(query, key)
    query, key = functional.normalize(query, dim=-1), functional.normalize(key, dim=-1)
    return dot_energy(query, key)


def location_energy(
    query: Float[Tensor, "*batch query query_size"],
    key: Float[Tensor, "*batch key key_size"],
    weight: Float[Tensor, "place query_size"],
) -> Float[Tensor, "*batch query key"]:
    """e_j = (W q)_j: the query names a place; what stands there is not asked (section 3.1).

    Raises:
        ValueError: there are more keys than places.
    """
    if key.shape[-2] > weight.shape[0]:
        raise ValueError(
            f"{key.shape[-2]} keys, but the matrix knows only {weight.shape[0]} places; give it a "
            "row for each place that can occur"
        )
    return functional.linear(query, weight[: key.shape[-2]])


def deep_energy(
    query: Float[Tensor, "*batch query query_size"],
    key: Float[Tensor, "*batch key key_size"],
    layers: Sequence[Layer],
    vector: Float[Tensor, "energy"],
) -> Float[Tensor, "*batch query key"]:
    """e = v . E_L, with E_0 = [q; k] and E_l = tanh(W_l E_(l-1) + b_l): several hidden layers.

    Pavlopoulos, Malakasiotis and Androutsopoulos (2017), whose layers are ReLU.

    Raises:
        ValueError: there is no layer.
    """
    if not layers:
        raise ValueError("no layers; one layer without a bias is concat_energy, two are deep")
    hidden = _pairs(query, key)
    for weight, bias in layers:
        hidden = functional.linear(hidden, weight, bias).tanh()
    return einsum(hidden, vector, "... q k e, e -> ... q k")


def distance_energy(
    query: Float[Tensor, "*batch query size"], key: Float[Tensor, "*batch key size"]
) -> Float[Tensor, "*batch query key"]:
    """e = -|q - k|^2 / 2: with a softmax, the kernel regression of Nadaraya and Watson (1964).

    It is q . k minus half the squared lengths. That of the query is the same for all keys, and a
    softmax does not see it; that of the key it does see: a long key is far from everything.

    Raises:
        ValueError: query and key differ in width.
    """
    lengths = key.square().sum(dim=-1)
    return (
        dot_energy(query, key) - (query.square().sum(-1, keepdim=True) + lengths[..., None, :]) / 2
    )


def _pairs(query: Tensor, key: Tensor) -> Tensor:
    """[q; k] of every query with every key, shape (..., query, key, both)."""
    queries, keys = query.shape[-2], key.shape[-2]
    query = rearrange(query, "... q d -> ... q 1 d")
    key = rearrange(key, "... k d -> ... 1 k d")
    return torch.cat(
        [
            query.expand(*query.shape[:-2], keys, query.shape[-1]),
            key.expand(*key.shape[:-3], queries, keys, key.shape[-1]),
        ],
        dim=-1,
    )


def _check_one_width(query: Tensor, key: Tensor) -> None:
    if query.shape[-1] != key.shape[-1]:
        raise ValueError(
            f"the query is {query.shape[-1]} wide, the key {key.shape[-1]}; this energy compares "
            "them as they are: project one of them first, or use general_energy"
        )
