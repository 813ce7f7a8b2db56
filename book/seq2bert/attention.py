"""Additive attention, and the softmax that knows what is padding."""

import torch
from einops import einsum, rearrange
from jaxtyping import Bool, Float
from torch import Tensor, nn


def masked_softmax(
    energy: Float[Tensor, "*batch query key"],
    mask: Bool[Tensor, "*#batch #query key"],
) -> Float[Tensor, "*batch query key"]:
    """Softmax over the keys that a query may attend to.

    A masked key gets the energy minus infinity, and so the weight 0, exactly, in every dtype. A
    query that may attend to no key at all gets 0 everywhere, and finite gradients.

    Args:
        energy: one score for each query and key, shape (..., query, key).
        mask: True where the query may attend to the key; broadcasts to the shape of the energy.

    Returns:
        weights of the same shape; each row sums to 1, or to 0 if all its keys are masked.

    Raises:
        ValueError: the mask is not boolean, or does not broadcast to the energy.
    """
    if mask.dtype != torch.bool:
        raise ValueError(f"mask is {mask.dtype}; expected bool, True = may attend: mask.bool()")
    if not _broadcasts(mask.shape, energy.shape):
        raise ValueError(
            f"mask has the shape {tuple(mask.shape)}, energy {tuple(energy.shape)}; the mask must "
            "broadcast to (..., query, key): a mask of keys needs an axis of length 1 for queries"
        )
    nothing = ~mask.any(dim=-1, keepdim=True)
    energy = energy.masked_fill(~mask, -torch.inf).masked_fill(nothing, 0.0)
    return energy.softmax(dim=-1).masked_fill(nothing, 0.0)


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


class AdditiveAttention(nn.Module):
    """Attention with one hidden layer between query and key (Bahdanau et al., 2015, eq. 5-6).

    Args:
        query_size: width of the query.
        key_size: width of a key (here: of an annotation).
        energy_size: width of the hidden layer.
    """

    def __init__(self, query_size: int, key_size: int, energy_size: int) -> None:
        super().__init__()
        self.query = nn.Linear(query_size, energy_size)
        self.key = nn.Linear(key_size, energy_size, bias=False)
        self.vector = nn.Parameter(torch.empty(energy_size))
        nn.init.normal_(self.vector, std=energy_size**-0.5)

    def forward(
        self,
        query: Float[Tensor, "batch query query_size"],
        key: Float[Tensor, "batch key energy"],
        value: Float[Tensor, "batch key value_size"],
        mask: Bool[Tensor, "batch #query key"],
        scale: float | Tensor = 1.0,
    ) -> tuple[Float[Tensor, "batch query value_size"], Float[Tensor, "batch query key"]]:
        """Weigh the values by how well their keys answer the queries.

        Args:
            query: what is asked, shape (batch, query, query_size).
            key: `self.key` of the annotations, computed once for a sentence, shape
                (batch, key, energy).
            value: what is read, shape (batch, key, value_size).
            mask: True where a query may attend to a key.
            scale: a factor for the energies.

        Returns:
            the context, shape (batch, query, value_size), and the weights, (batch, query, key).

        Raises:
            ValueError: there is not one value for each key.
        """
        if key.shape[:2] != value.shape[:2]:
            raise ValueError(
                f"keys have the shape {tuple(key.shape)}, values {tuple(value.shape)}; expected "
                "one value for each key of each sentence"
            )
        energy = additive_energy(self.query(query), key, self.vector) * scale
        weights = masked_softmax(energy, mask)
        return einsum(weights, value, "b q k, b k v -> b q v"), weights


def _broadcasts(shape: torch.Size, target: torch.Size) -> bool:
    try:
        return bool(torch.broadcast_shapes(shape, target) == target)  # type: ignore[no-untyped-call]
    except RuntimeError:
        return False
