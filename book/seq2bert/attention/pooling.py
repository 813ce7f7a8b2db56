"""One learned question, asked of every set of items alike, and the answer: one vector.

Nobody asks from outside here. The query is a parameter; what it learns to look for is the task.
"""

import torch
from einops import einsum, rearrange
from jaxtyping import Bool, Float
from torch import Tensor, nn

from seq2bert.attention.distributions import masked_softmax


class AttentionPooling(nn.Module):
    """One weight for each item: e_j = u . tanh(W h_j + b) (Yang et al., 2016, eq. 5 and 6).

    u is the question, the same for every input.

    Args:
        size: width of an item.
        energy_size: width of the hidden layer.
    """

    def __init__(self, size: int, energy_size: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(size, energy_size)
        self.question = nn.Parameter(torch.randn(energy_size) * energy_size**-0.5)

    def forward(
        self, items: Float[Tensor, "*batch item size"], mask: Bool[Tensor, "*batch item"]
    ) -> tuple[Float[Tensor, "*batch size"], Float[Tensor, "*batch item"]]:
        """The weighted mean of the items, and the weights.

        Args:
            items: vectors, shape (..., item, size).
            mask: True where an item is real.

        Returns:
            the mean, shape (..., size), 0 if no item is real, and the weights, (..., item).
        """
        energy = einsum(self.hidden(items).tanh(), self.question, "... n e, e -> ... n")
        weights = masked_softmax(energy.unsqueeze(-2), mask.unsqueeze(-2)).squeeze(-2)
        return einsum(weights, items, "... n, ... n d -> ... d"), weights


class MeanPooling(nn.Module):
    """All real items alike: what attention gives when it does not choose."""

    def forward(
        self, items: Float[Tensor, "*batch item size"], mask: Bool[Tensor, "*batch item"]
    ) -> tuple[Float[Tensor, "*batch size"], Float[Tensor, "*batch item"]]:
        """The mean of the items that are real, 0 if none is, and the weights."""
        weights = mask / mask.sum(dim=-1, keepdim=True).clamp_min(1)
        return einsum(weights, items, "... n, ... n d -> ... d"), weights


def feature_softmax(
    energy: Float[Tensor, "*batch item feature"], mask: Bool[Tensor, "*batch item"]
) -> Float[Tensor, "*batch item feature"]:
    """For each feature by itself, a softmax over the items that are real.

    Returns:
        weights of the same shape; over the items, those of each feature sum to 1, or to 0 if no
        item is real.
    """
    by_feature = rearrange(energy, "... n f -> ... f n")
    return rearrange(masked_softmax(by_feature, mask.unsqueeze(-2)), "... f n -> ... n f")


class FeaturePooling(nn.Module):
    """A weight for each feature of each item: e_j = W_2 tanh(W_1 h_j + b_1) + b_2, a vector.

    Multi-dimensional attention without a query (Shen et al., 2018, section 3.2, whose activation
    is an ELU): the energy of an item is as wide as the item, and the context is, feature by
    feature, another mean of the items. `AttentionPooling` is the case in which all rows of W_2
    are the same.

    Args:
        size: width of an item.
        energy_size: width of the hidden layer.
    """

    def __init__(self, size: int, energy_size: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(size, energy_size)
        self.questions = nn.Linear(energy_size, size)

    def forward(
        self, items: Float[Tensor, "*batch item size"], mask: Bool[Tensor, "*batch item"]
    ) -> tuple[Float[Tensor, "*batch size"], Float[Tensor, "*batch item size"]]:
        """The mean of the items, each feature with weights of its own, and the weights.

        Args:
            items: vectors, shape (..., item, size).
            mask: True where an item is real.

        Returns:
            the mean, shape (..., size), 0 if no item is real, and the weights, (..., item, size).
        """
        weights = feature_softmax(self.questions(self.hidden(items).tanh()), mask)
        return (weights * items).sum(dim=-2), weights
