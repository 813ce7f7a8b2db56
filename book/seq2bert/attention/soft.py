"""Soft attention: a weighted mean of the values."""

import torch
from einops import einsum
from jaxtyping import Bool, Float
from torch import Tensor, nn

from seq2bert.attention.distributions import masked_softmax
from seq2bert.attention.energies import additive_energy


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
