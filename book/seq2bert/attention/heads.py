"""Several heads: the same query asks several questions at once, each in a width of its own."""

from einops import einsum, rearrange
from jaxtyping import Bool, Float
from torch import Tensor, nn

from seq2bert.attention.distributions import masked_softmax
from seq2bert.attention.energies import scaled_dot_energy


def scaled_dot_attention(
    query: Float[Tensor, "*batch query size"],
    key: Float[Tensor, "*batch key size"],
    value: Float[Tensor, "*batch key value"],
    mask: Bool[Tensor, "*#batch #query key"],
) -> tuple[Float[Tensor, "*batch query value"], Float[Tensor, "*batch query key"]]:
    """softmax(q . k / sqrt(d)) v (Vaswani et al., 2017, eq. 1), and the weights.

    Args:
        query: what is asked, shape (..., query, size).
        key: what answers, shape (..., key, size).
        value: what is read, one for each key.
        mask: True where a query may attend to a key; broadcasts to (..., query, key).

    Returns:
        the contexts, shape (..., query, value), and the weights, (..., query, key).

    Raises:
        ValueError: query and key differ in width, or the mask does not fit.
    """
    weights = masked_softmax(scaled_dot_energy(query, key), mask)
    return einsum(weights, value, "... q k, ... k v -> ... q v"), weights


def split_heads(
    vectors: Float[Tensor, "batch length width"], heads: int
) -> Float[Tensor, "batch {heads} length size"]:
    """Cut each vector into as many pieces as there are heads.

    Raises:
        ValueError: the width is no multiple of the number of heads.
    """
    if heads < 1 or vectors.shape[-1] % heads:
        raise ValueError(
            f"{heads} heads for vectors {vectors.shape[-1]} wide; expected a number of heads that "
            "divides the width"
        )
    return rearrange(vectors, "b n (h d) -> b h n d", h=heads)


def join_heads(
    vectors: Float[Tensor, "batch head length size"],
) -> Float[Tensor, "batch length width"]:
    """The pieces of each vector side by side again: undoes `split_heads`."""
    return rearrange(vectors, "b h n d -> b n (h d)")


class MultiHeadAttention(nn.Module):
    """Attention with several heads (Vaswani et al., 2017, section 3.2.2).

    Query, key and value are projected, cut into one piece for each head, and each head attends
    with its pieces alone; an output matrix W_o mixes what the heads read. More heads do not cost
    more parameters: each head is as much narrower.

    Args:
        width: of queries, keys and values, and of the output.
        heads: how many; divides the width.

    Raises:
        ValueError: the width is no multiple of the number of heads.
    """

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        if heads < 1 or width % heads:
            raise ValueError(
                f"{heads} heads for a width of {width}; expected a number of heads that divides "
                "the width"
            )
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.output = nn.Linear(width, width)

    def forward(
        self,
        query: Float[Tensor, "batch query width"],
        key: Float[Tensor, "batch key width"],
        value: Float[Tensor, "batch key width"],
        mask: Bool[Tensor, "batch #query key"],
    ) -> tuple[Float[Tensor, "batch query width"], Float[Tensor, "batch head query key"]]:
        """What each query reads, and the weights of each head.

        Args:
            query: who asks, shape (batch, query, width).
            key: who answers, shape (batch, key, width).
            value: what is read, shape (batch, key, width).
            mask: True where a query may attend to a key; the same for all heads.

        Returns:
            the output, shape (batch, query, width), and the weights, (batch, head, query, key).
        """
        return self.attend(query, *self.read(key, value), mask)

    def read(
        self, key: Float[Tensor, "batch key width"], value: Float[Tensor, "batch key width"]
    ) -> tuple[Float[Tensor, "batch head key size"], Float[Tensor, "batch head key size"]]:
        """The keys and values of each head, which stay the same whoever asks."""
        return split_heads(self.key(key), self.heads), split_heads(self.value(value), self.heads)

    def attend(
        self,
        query: Float[Tensor, "batch query width"],
        keys: Float[Tensor, "batch head key size"],
        values: Float[Tensor, "batch head key size"],
        mask: Bool[Tensor, "batch #query key"],
        scale: float | Tensor = 1.0,
        factors: Float[Tensor, "head"] | None = None,
    ) -> tuple[Float[Tensor, "batch query width"], Float[Tensor, "batch head query key"]]:
        """What each query reads of keys and values that were read before.

        Args:
            query: who asks, shape (batch, query, width).
            keys: of each head, as `read` gave them.
            values: of each head, as `read` gave them.
            mask: True where a query may attend to a key; the same for all heads.
            scale: a factor for every energy.
            factors: what each head's context is multiplied by: 0 switches the head off.

        Returns:
            the output, shape (batch, query, width), and the weights, (batch, head, query, key).
        """
        context, weights = scaled_dot_attention(
            split_heads(self.query(query), self.heads) * scale,
            keys,
            values,
            rearrange(mask, "b q k -> b 1 q k"),
        )
        if factors is not None:
            context = context * rearrange(factors, "h -> h 1 1")
        return self.output(join_heads(context)), weights
