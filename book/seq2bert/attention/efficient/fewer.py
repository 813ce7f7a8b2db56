"""Other heads: fewer keys and values than queries, and heads that talk to each other.

Sharing saves the memory of keys and values that a decoder keeps while it writes; each query is
still compared with each key. Talking costs more, not less: it is here because it changes the same
part.
"""

from einops import einsum, rearrange
from jaxtyping import Bool, Float
from torch import Tensor

from seq2bert.attention.distributions import masked_softmax
from seq2bert.attention.energies import scaled_dot_energy


def grouped_query(
    query: Float[Tensor, "batch head query size"],
    key: Float[Tensor, "batch group key size"],
    value: Float[Tensor, "batch group key value"],
    mask: Bool[Tensor, "#batch #head #query key"],
) -> Float[Tensor, "batch head query value"]:
    """Full attention; each group of heads shares its keys and values (Ainslie et al., 2023).

    Args:
        query: what is asked, by all heads.
        key: what answers, once for each group; the heads of a group stand side by side.
        value: what is read, once for each group.
        mask: True where a query may attend to a key.

    Returns:
        the contexts; with as many groups as heads those of full attention.

    Raises:
        ValueError: the number of groups does not divide that of heads, or the mask does not fit.
    """
    heads, groups = query.shape[1], key.shape[1]
    if heads % groups:
        raise ValueError(
            f"{heads} heads of queries and {groups} of keys; expected a number of groups that "
            "divides the number of heads"
        )
    asked = rearrange(query, "b (g r) q d -> b g r q d", g=groups)
    energy = einsum(asked, key, "b g r q d, b g k d -> b g r q k") * query.shape[-1] ** -0.5
    weights = masked_softmax(rearrange(energy, "b g r q k -> b (g r) q k"), mask)
    weights = rearrange(weights, "b (g r) q k -> b g r q k", g=groups)
    context = einsum(weights, value, "b g r q k, b g k v -> b g r q v")
    return rearrange(context, "b g r q v -> b (g r) q v")


def multi_query(
    query: Float[Tensor, "batch head query size"],
    key: Float[Tensor, "batch one key size"],
    value: Float[Tensor, "batch one key value"],
    mask: Bool[Tensor, "#batch #head #query key"],
) -> Float[Tensor, "batch head query value"]:
    """Full attention; all heads share one set of keys and values (Shazeer, 2019).

    Args:
        query: what is asked, by all heads.
        key: what answers, shape (batch, 1, key, size).
        value: what is read, shape (batch, 1, key, value).
        mask: True where a query may attend to a key.

    Returns:
        the contexts.

    Raises:
        ValueError: there are several heads of keys, or the mask does not fit.
    """
    if key.shape[1] != 1:
        raise ValueError(f"{key.shape[1]} heads of keys; expected 1, or use grouped_query")
    return grouped_query(query, key, value, mask)


def talking_heads(
    query: Float[Tensor, "batch head query size"],
    key: Float[Tensor, "batch head key size"],
    value: Float[Tensor, "batch head key value"],
    mask: Bool[Tensor, "#batch #head #query key"],
    mix_energies: Float[Tensor, "head head"],
    mix_weights: Float[Tensor, "head head"],
) -> Float[Tensor, "batch head query value"]:
    """Heads mix their energies before the softmax, and their weights after it.

    e'_g = sum_h P_gh e_h, weights'_g = sum_h Q_gh softmax(e')_h (Shazeer et al., 2020). With a
    mask for each head, a head's mask holds for the energies that it has after the mixing.

    Args:
        query: what is asked.
        key: what answers.
        value: what is read.
        mask: True where a query may attend to a key.
        mix_energies: P; with the identity for P and Q this is full attention.
        mix_weights: Q; rows that sum to 1 keep the sum of the weights.

    Returns:
        the contexts.

    Raises:
        ValueError: the mask is not boolean, or does not fit.
    """
    energy = einsum(mix_energies, scaled_dot_energy(query, key), "g h, b h q k -> b g q k")
    weights = einsum(mix_weights, masked_softmax(energy, mask), "g h, b h q k -> b g q k")
    return einsum(weights, value, "b h q k, b h k v -> b h q v")
