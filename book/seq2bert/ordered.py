"""A small Transformer into which order can be put in three ways.

Positions may be added to the words, they may turn the queries and keys, or they may be added to the
energies. Everything else stays the same, so that schemes can be compared.
"""

from collections.abc import Callable

from einops import rearrange
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from seq2bert.attention.distributions import masked_softmax
from seq2bert.attention.energies import scaled_dot_energy
from seq2bert.attention.heads import join_heads, split_heads
from seq2bert.positions import LearnedPositions, RelativeBias, alibi, rotary, sinusoidal


class Order(nn.Module):
    """Where the places enter; what is left out does nothing.

    Args:
        vectors: (length) -> a vector for each place, (length, width): added to the words.
        turn: (..., length, size) -> the same shape: what becomes of the queries and keys of a head.
        bias: (queries, keys) -> (head, query, key): added to the energies.
    """

    def __init__(
        self,
        vectors: Callable[[int], Tensor] | None = None,
        turn: Callable[[Tensor], Tensor] | None = None,
        bias: Callable[[int, int], Tensor] | None = None,
    ) -> None:
        super().__init__()
        self.vectors, self.turn, self.bias = vectors, turn, bias


def orders(width: int, heads: int, most: int, furthest: int) -> dict[str, Order]:
    """Every scheme of `seq2bert.positions`, by name; "none" is a bag of words.

    Args:
        width: of a word's vector.
        heads: how many.
        most: length of the learned table.
        furthest: distance from which on "relative" tells no more apart.
    """
    return {
        "none": Order(),
        "sinusoidal": Order(vectors=lambda length: sinusoidal(length, width)),
        "learned": Order(vectors=LearnedPositions(most, width)),
        "relative": Order(bias=RelativeBias(heads, furthest)),
        "rotary": Order(turn=rotary),
        "ALiBi": Order(bias=lambda queries, keys: alibi(heads, queries, keys)),
    }


class OrderedAttention(nn.Module):
    """Self-attention with several heads, with an order in its energies if it has one.

    Args:
        width: of the vectors.
        heads: how many; divides the width.
        order: its `turn` and its `bias` are used.
    """

    def __init__(self, width: int, heads: int, order: Order) -> None:
        super().__init__()
        self.heads, self.order = heads, order
        self.inward = nn.Linear(width, 3 * width)
        self.outward = nn.Linear(width, width)

    def energies(
        self, words: Float[Tensor, "batch length width"]
    ) -> tuple[Float[Tensor, "batch head length length"], Float[Tensor, "batch head length size"]]:
        """How well each word answers each other one, and what it says: its value."""
        query, key, value = (
            split_heads(part, self.heads) for part in self.inward(words).chunk(3, dim=-1)
        )
        if self.order.turn is not None:
            query, key = self.order.turn(query), self.order.turn(key)
        energy = scaled_dot_energy(query, key)
        if self.order.bias is not None:
            energy = energy + self.order.bias(words.shape[1], words.shape[1])
        return energy, value

    def forward(
        self,
        words: Float[Tensor, "batch length width"],
        mask: Bool[Tensor, "#batch #length length"],
    ) -> tuple[Float[Tensor, "batch length width"], Float[Tensor, "batch head length length"]]:
        """What each word reads, and the weights of each head.

        Args:
            words: vectors, shape (batch, length, width).
            mask: True where a query may attend to a key; the same for all heads.
        """
        energy, value = self.energies(words)
        weights = masked_softmax(energy, rearrange(mask, "b q k -> b 1 q k"))
        return self.outward(join_heads(weights @ value)), weights


class OrderedReader(nn.Module):
    """Words in, one row of logits for each of them: a Transformer of a few pre-norm layers.

    Args:
        words: size of the vocabulary.
        answers: number of classes.
        order: how places enter; learned parts are shared by the layers.
        width: of the vectors.
        heads: how many.
        layers: how many.
    """

    def __init__(
        self,
        words: int,
        answers: int,
        order: Order,
        width: int = 64,
        heads: int = 4,
        layers: int = 2,
    ) -> None:
        super().__init__()
        self.order = order
        self.words = nn.Embedding(words, width)
        self.attention = nn.ModuleList(OrderedAttention(width, heads, order) for _ in range(layers))
        self.think = nn.ModuleList(
            nn.Sequential(
                nn.LayerNorm(width),
                nn.Linear(width, 2 * width),
                nn.ReLU(),
                nn.Linear(2 * width, width),
            )
            for _ in range(layers)
        )
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(layers))
        self.answer = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, answers))

    def forward(
        self, ids: Int[Tensor, "batch length"], mask: Bool[Tensor, "#batch #length length"]
    ) -> Float[Tensor, "batch length answers"]:
        """Logits at each place.

        Args:
            ids: words, shape (batch, length).
            mask: True where a query may attend to a key; the same in training and in use.
        """
        vectors = self.embed(ids)
        for norm, attention, think in zip(self.norms, self.attention, self.think, strict=True):
            vectors = vectors + attention(norm(vectors), mask)[0]
            vectors = vectors + think(vectors)
        logits: Tensor = self.answer(vectors)
        return logits

    def embed(self, ids: Int[Tensor, "batch length"]) -> Float[Tensor, "batch length width"]:
        """The words, and where they stand if that is added to them."""
        vectors: Tensor = self.words(ids)
        if self.order.vectors is not None:
            vectors = vectors + self.order.vectors(ids.shape[1])
        return vectors
