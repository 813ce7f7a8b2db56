"""How a model that reads all words at once learns where each one stands.

Vectors that are added to the words (sinusoidal, learned), numbers that are added to the energies
(relative, ALiBi), or a rotation of queries and keys (rotary). Places are counted from 0; `start` is
the place of the first one, so that a decoder that has written some words can go on where it was.
"""

import torch
from einops import rearrange
from jaxtyping import Float, Int
from torch import Tensor, nn


def sinusoidal(length: int, width: int, base: float = 10000.0) -> Float[Tensor, "length width"]:
    """Sines and cosines of ever longer waves (Vaswani et al., 2017, section 3.5).

    Feature 2i of place p is sin(p / base^(2i / width)), feature 2i + 1 the cosine of the same
    angle; the last feature of an odd width is a sine.

    Args:
        length: how many places, at least 1.
        width: of each vector, at least 1.
        base: the wave lengths run from 2 pi to 2 pi * base.

    Raises:
        ValueError: the length or the width is not positive, or the base is not above 1.
    """
    for name, value in (("length", length), ("width", width)):
        if value < 1:
            raise ValueError(f"{name} is {value}; expected at least 1")
    angle = _angles(torch.arange(length), width, base)
    vectors = torch.empty(length, width)
    vectors[:, 0::2] = angle.sin()
    vectors[:, 1::2] = angle[:, : width // 2].cos()
    return vectors


class LearnedPositions(nn.Module):
    """A vector for each place, learned like a word's (Gehring et al., 2017; Devlin et al., 2019).

    Args:
        most: how many places there are; further ones have no vector.
        width: of each vector.
    """

    def __init__(self, most: int, width: int) -> None:
        super().__init__()
        self.vectors = nn.Embedding(most, width)
        nn.init.normal_(self.vectors.weight, std=0.02)

    def forward(self, length: int, start: int = 0) -> Float[Tensor, "length width"]:
        """The vectors of the places start, start + 1, ...

        Raises:
            ValueError: one of the places was never learned.
        """
        most = self.vectors.num_embeddings
        if start < 0 or start + length > most:
            raise ValueError(
                f"places {start} to {start + length - 1} asked for, but only 0 to {most - 1} were "
                "learned; make the table longer and train again, or shorten the sentence"
            )
        return self.vectors.weight[start : start + length]


def distances(queries: int, keys: int, start: int = 0) -> Int[Tensor, "query key"]:
    """How far to the right of each query each key stands: j - i; to the left it is negative.

    Args:
        queries: how many; the first stands at the place `start`.
        keys: how many; the first stands at the place 0.
        start: place of the first query.
    """
    return torch.arange(keys) - rearrange(torch.arange(queries) + start, "q -> q 1")


class RelativeBias(nn.Module):
    """A learned number for each head and distance, added to the energies (Raffel et al., 2020).

    Shaw et al. (2018) learn a vector for each distance and cut off what is further than k; the
    number in its place is T5's, without T5's logarithmic buckets.

    Args:
        heads: how many.
        furthest: k; whatever is further away counts as that far.

    Raises:
        ValueError: a number is not positive.
    """

    def __init__(self, heads: int, furthest: int) -> None:
        super().__init__()
        for name, value in (("heads", heads), ("furthest", furthest)):
            if value < 1:
                raise ValueError(f"{name} is {value}; expected at least 1")
        self.furthest = furthest
        self.bias = nn.Parameter(torch.zeros(heads, 2 * furthest + 1))

    def forward(self, queries: int, keys: int, start: int = 0) -> Float[Tensor, "head query key"]:
        """What to add to the energies of each head."""
        place = distances(queries, keys, start).clamp(-self.furthest, self.furthest)
        return self.bias[:, place + self.furthest]


def alibi(
    heads: int, queries: int, keys: int, start: int = 0
) -> Float[Tensor, "{heads} {queries} {keys}"]:
    """Attention with linear biases: the further away, the less (Press et al., 2022).

    -m_h |j - i| is added to the energies; the slopes m_h = 2^(-8 h / heads), h = 1, 2, ..., are not
    learned. The paper looks only back; with |j - i| an encoder can use it too.

    Raises:
        ValueError: there are no heads.
    """
    if heads < 1:
        raise ValueError(f"heads is {heads}; expected at least 1")
    slope = 2.0 ** (-8.0 * torch.arange(1, heads + 1) / heads)
    return -rearrange(slope, "h -> h 1 1") * distances(queries, keys, start).abs()


def rotary(
    vectors: Float[Tensor, "*batch length size"], start: int = 0, base: float = 10000.0
) -> Float[Tensor, "*batch length size"]:
    """Turn each pair of features by an angle that grows with the place (Su et al., 2021, eq. 15).

    Features 2i and 2i + 1 of the vector at place p are turned by p / base^(2i / size). Of a turned
    query and a turned key the inner product depends on their distance alone.

    Args:
        vectors: queries or keys of one head, shape (..., length, size).
        start: place of the first vector.
        base: as in `sinusoidal`.

    Raises:
        ValueError: the size is odd: there is a feature without a partner.
    """
    length, size = vectors.shape[-2:]
    if size % 2:
        raise ValueError(f"vectors have {size} features; rotary positions need an even number")
    angle = _angles(torch.arange(start, start + length), size, base).to(vectors.dtype)
    cosine, sine = angle.cos().to(vectors.device), angle.sin().to(vectors.device)
    first, second = rearrange(vectors, "... n (d two) -> two ... n d", two=2)
    turned = torch.stack([first * cosine - second * sine, first * sine + second * cosine], dim=-1)
    return rearrange(turned, "... n d two -> ... n (d two)")


def _angles(places: Int[Tensor, "length"], width: int, base: float) -> Float[Tensor, "length wave"]:
    """place / base^(2i / width) for each wave i = 0, 1, ... below width / 2."""
    if base <= 1:
        raise ValueError(f"base is {base}; expected a number above 1")
    wave = base ** (-torch.arange(0, width, 2) / width)
    return rearrange(places, "n -> n 1") * wave
