"""Two sequences attend to each other, through one matrix of energies."""

from typing import NamedTuple

from einops import einsum, rearrange
from jaxtyping import Bool, Float
from torch import Tensor

from seq2bert.attention.distributions import masked_softmax


class CoAttention(NamedTuple):
    """What each of two sequences reads in the other, and where.

    Attributes:
        first: for each item of the first sequence, what it reads in the second.
        second: for each item of the second sequence, what it reads in the first.
        first_weights: shape (batch, first, second); each row sums to 1.
        second_weights: shape (batch, second, first); each row sums to 1.
    """

    first: Float[Tensor, "batch first second_size"]
    second: Float[Tensor, "batch second first_size"]
    first_weights: Float[Tensor, "batch first second"]
    second_weights: Float[Tensor, "batch second first"]


def co_weights(
    affinity: Float[Tensor, "batch first second"],
    first_mask: Bool[Tensor, "batch first"],
    second_mask: Bool[Tensor, "batch second"],
) -> tuple[Float[Tensor, "batch first second"], Float[Tensor, "batch second first"]]:
    """One matrix of energies, two softmaxes: along its rows and along its columns.

    Xiong, Zhong and Socher (2017), section 2.2. Padding neither asks nor answers.

    Args:
        affinity: how well item i of the first and item j of the second go together.
        first_mask: True where an item of the first is real.
        second_mask: True where an item of the second is real.

    Returns:
        the weights of the first over the second, and of the second over the first.
    """
    both = rearrange(first_mask, "b i -> b i 1") & rearrange(second_mask, "b j -> b 1 j")
    along_rows = masked_softmax(affinity, both)
    along_columns = masked_softmax(affinity.transpose(1, 2), both.transpose(1, 2))
    return along_rows, along_columns


def co_attention(
    affinity: Float[Tensor, "batch first second"],
    first: Float[Tensor, "batch first first_size"],
    second: Float[Tensor, "batch second second_size"],
    first_mask: Bool[Tensor, "batch first"],
    second_mask: Bool[Tensor, "batch second"],
) -> CoAttention:
    """Let each of two sequences read the other: a context for each item of both.

    Any energy will do for the affinity: in Lu, Yang, Batra and Parikh (2016, eq. 3) it is
    tanh(x W y), in Xiong, Zhong and Socher (2017, section 2.2) a dot product.

    Args:
        affinity: how well item i of the first and item j of the second go together.
        first: what is read by the second, shape (batch, first, first_size).
        second: what is read by the first, shape (batch, second, second_size).
        first_mask: True where an item of the first is real.
        second_mask: True where an item of the second is real.
    """
    first_weights, second_weights = co_weights(affinity, first_mask, second_mask)
    return CoAttention(
        einsum(first_weights, second, "b i j, b j d -> b i d"),
        einsum(second_weights, first, "b j i, b i d -> b j d"),
        first_weights,
        second_weights,
    )
