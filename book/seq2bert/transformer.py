"""The Transformer (Vaswani et al., 2017) as a translator: attention, and nothing recurrent."""

from dataclasses import dataclass

import torch
from einops import rearrange
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from seq2bert.attention.heads import MultiHeadAttention
from seq2bert.attention_map import Kind
from seq2bert.positions import sinusoidal
from seq2bert.translator import NO_INTERVENTIONS, Attention, Interventions, Tree


@dataclass(frozen=True)
class Sizes:
    """How large a Transformer is, and in which of the common ways it is put together.

    Attributes:
        width: of every word vector on its way through the layers; a multiple of the heads.
        heads: of each attention.
        hidden: width of the layer inside a feed-forward network.
        layers: of the encoder, and as many of the decoder.
        dropout: share of the numbers that training drops, in [0, 1).
        pre_norm: normalise what goes into a sublayer (Xiong et al., 2020), not what comes out of
            the sum (as published).
        most: the longest sentence, `<bos>` included.
        word_scale: standard deviation with which word vectors begin; None is 1 / sqrt(width), so
            that times sqrt(width) they begin with 1, beside positions of size .7.

    Raises:
        ValueError: a size is not positive, or the heads do not divide the width.
    """

    width: int = 64
    heads: int = 4
    hidden: int = 128
    layers: int = 2
    dropout: float = 0.0
    pre_norm: bool = True
    most: int = 128
    word_scale: float | None = None

    def __post_init__(self) -> None:
        """Check the sizes."""
        for name in ("width", "heads", "hidden", "layers", "most"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; expected at least 1")
        if self.width % self.heads:
            raise ValueError(
                f"{self.heads} heads for a width of {self.width}; expected a number of heads that "
                "divides the width"
            )
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout is {self.dropout}; expected a share in [0, 1)")


@dataclass(frozen=True)
class Asked:
    """How a layer is to attend: what may be changed in a running model (`Interventions`).

    Attributes:
        scale: a factor for every energy.
        factors: for each kind of attention what the context of each head of this layer is
            multiplied by, shape (head).
    """

    scale: float | Tensor
    factors: dict[Kind, Tensor]

    @classmethod
    def of(cls, interventions: Interventions, layer: int) -> "Asked":
        """What the interventions say about one layer."""
        factors = {kind: mask[layer] for kind, mask in interventions.head_mask.items()}
        return cls(interventions.scale, factors)


def causal_mask(queries: int, keys: int, start: int = 0) -> Bool[Tensor, "query key"]:
    """True where a key stands at the place of the query or before it.

    Args:
        queries: how many; the first stands at the place `start`.
        keys: how many; the first stands at the place 0.
        start: place of the first query.
    """
    return torch.arange(keys) <= rearrange(torch.arange(queries) + start, "q -> q 1")


class FeedForward(nn.Module):
    """max(0, x W_1 + b_1) W_2 + b_2, for each word alone (Vaswani et al., 2017, eq. 2)."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.inner = nn.Linear(sizes.width, sizes.hidden)
        self.outer = nn.Linear(sizes.hidden, sizes.width)
        self.dropout = nn.Dropout(sizes.dropout)

    def forward(
        self, words: Float[Tensor, "batch length width"]
    ) -> Float[Tensor, "batch length width"]:
        """Shape (batch, length, width) in and out."""
        output: Tensor = self.outer(self.dropout(self.inner(words).relu()))
        return output


class Residual(nn.Module):
    """What stands around every sublayer: a sum with what went in, and a normalisation.

    Pre-norm: x + f(norm(x)). Post-norm, as published: norm(x + f(x)).
    """

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(sizes.width)
        self.dropout = nn.Dropout(sizes.dropout)
        self.pre_norm = sizes.pre_norm

    def enter(
        self, words: Float[Tensor, "batch length width"]
    ) -> Float[Tensor, "batch length width"]:
        """What the sublayer reads."""
        return self.norm(words) if self.pre_norm else words

    def leave(
        self,
        words: Float[Tensor, "batch length width"],
        found: Float[Tensor, "batch length width"],
    ) -> Float[Tensor, "batch length width"]:
        """What goes on to the next one, from what came in and what the sublayer found."""
        total = words + self.dropout(found)
        return total if self.pre_norm else self.norm(total)  # type: ignore[no-any-return]


class EncoderLayer(nn.Module):
    """Every word of the source reads from all words of the source, then thinks for itself."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(sizes.width, sizes.heads)
        self.feed_forward = FeedForward(sizes)
        self.around_attention = Residual(sizes)
        self.around_feed_forward = Residual(sizes)

    def forward(
        self,
        words: Float[Tensor, "batch source width"],
        mask: Bool[Tensor, "batch 1 source"],
        asked: Asked,
    ) -> tuple[Float[Tensor, "batch source width"], Float[Tensor, "batch head source source"]]:
        """The words as they leave the layer, and the weights of its heads."""
        entered = self.around_attention.enter(words)
        found, weights = self.attention.attend(
            entered,
            *self.attention.read(entered, entered),
            mask,
            asked.scale,
            asked.factors.get("encoder"),
        )
        words = self.around_attention.leave(words, found)
        found = self.feed_forward(self.around_feed_forward.enter(words))
        return self.around_feed_forward.leave(words, found), weights


class DecoderLayer(nn.Module):
    """Every word of the target reads what was written before it, then the source, then thinks."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(sizes.width, sizes.heads)
        self.cross_attention = MultiHeadAttention(sizes.width, sizes.heads)
        self.feed_forward = FeedForward(sizes)
        self.around_self_attention = Residual(sizes)
        self.around_cross_attention = Residual(sizes)
        self.around_feed_forward = Residual(sizes)

    def forward(
        self,
        words: Float[Tensor, "batch target width"],
        before: tuple[Tensor, Tensor],
        source: tuple[Tensor, Tensor],
        masks: tuple[Bool[Tensor, "batch #target written"], Bool[Tensor, "batch 1 source"]],
        asked: Asked,
    ) -> tuple[Float[Tensor, "batch target width"], tuple[Tensor, Tensor], dict[Kind, Tensor]]:
        """One layer for all target words, or for the next one alone.

        Args:
            words: vectors of the target words, shape (batch, target, width).
            before: keys and values of words that were written before these (the KV cache), each
                of the shape (batch, head, before, size); before = 0 when there are none.
            source: keys and values of the source, each of the shape (batch, head, source, size).
            masks: which words each word may look at, those before it first; and which words of
                the source are real.
            asked: changes to the running model.

        Returns:
            the words as they leave the layer, the keys and values of all words so far, and the
            weights ``decoder`` (batch, head, target, written), ``cross`` (batch, head, target,
            source).
        """
        entered = self.around_self_attention.enter(words)
        key, value = self.self_attention.read(entered, entered)
        keys, values = torch.cat([before[0], key], dim=2), torch.cat([before[1], value], dim=2)
        found, own = self.self_attention.attend(
            entered, keys, values, masks[0], asked.scale, asked.factors.get("decoder")
        )
        words = self.around_self_attention.leave(words, found)
        found, cross = self.cross_attention.attend(
            self.around_cross_attention.enter(words),
            *source,
            masks[1],
            asked.scale,
            asked.factors.get("cross"),
        )
        words = self.around_cross_attention.leave(words, found)
        found = self.feed_forward(self.around_feed_forward.enter(words))
        words = self.around_feed_forward.leave(words, found)
        return words, (keys, values), {"decoder": own, "cross": cross}


class Transformer(nn.Module):
    """Encoder layers, decoder layers, and one table of target words for both ends; a `Translator`.

    The memory holds the mask of the source, its keys and values for each decoder layer, and the
    weights of the encoder; the state holds the keys and values of what was written (the KV cache).

    Deviations from the published model, all marked in the chapter: pre-norm by default, and only
    the target's table is shared with the output layer, since the two languages share no words.

    Args:
        source_size: how many tokens the source vocabulary has.
        target_size: how many the target vocabulary has.
        sizes: widths, layers, dropout, and where it is normalised.
    """

    places: Tensor

    def __init__(self, source_size: int, target_size: int, sizes: Sizes = Sizes()) -> None:
        super().__init__()
        self.sizes = sizes
        self.source_embedding = nn.Embedding(source_size, sizes.width)
        self.target_embedding = nn.Embedding(target_size, sizes.width)
        scale = sizes.width**-0.5 if sizes.word_scale is None else sizes.word_scale
        for table in (self.source_embedding, self.target_embedding):
            nn.init.normal_(table.weight, std=scale)
        self.register_buffer("places", sinusoidal(sizes.most, sizes.width))
        self.encoder = nn.ModuleList(EncoderLayer(sizes) for _ in range(sizes.layers))
        self.decoder = nn.ModuleList(DecoderLayer(sizes) for _ in range(sizes.layers))
        # post-norm layers leave their words normalised; pre-norm layers do not
        last = nn.LayerNorm if sizes.pre_norm else nn.Identity
        self.encoder_norm, self.decoder_norm = last(sizes.width), last(sizes.width)
        self.output_bias = nn.Parameter(torch.zeros(target_size))
        self.dropout = nn.Dropout(sizes.dropout)

    def embed(
        self, table: nn.Embedding, ids: Int[Tensor, "batch length"], start: int = 0
    ) -> Float[Tensor, "batch length width"]:
        """Word vectors times sqrt(width), plus the vectors of their places.

        Raises:
            ValueError: the sentence is longer than the model has places.
        """
        end = start + ids.shape[1]
        torch._check_value(  # type: ignore[no-untyped-call]  # an `if` would fix the length of a graph
            end <= self.sizes.most, lambda: _too_long(end, self.sizes.most)
        )
        words = table(ids) * self.sizes.width**0.5 + self.places[start:end]
        embedded: Tensor = self.dropout(words)
        return embedded

    def encode(
        self,
        source: Int[Tensor, "batch source"],
        source_mask: Bool[Tensor, "batch source"],
        interventions: Interventions = NO_INTERVENTIONS,
    ) -> Tree:
        """Read the source, and prepare it for every layer of the decoder.

        Returns:
            ``mask`` (batch, source); ``key`` and ``value`` (batch, layer, head, source, size);
            ``encoder``, the weights, (batch, layer, head, source, source).
        """
        words = self.embed(self.source_embedding, source)
        mask = rearrange(source_mask, "b s -> b 1 s")
        weights = []
        for number, layer in enumerate(self.encoder):
            words, found = layer(words, mask, Asked.of(interventions, number))
            # a place that is padding asks too; nobody reads its answer, and no picture shows it
            weights.append(found * rearrange(source_mask, "b s -> b 1 s 1"))
        words = self.encoder_norm(words)
        read = [layer.cross_attention.read(words, words) for layer in self.decoder]  # type: ignore[union-attr, operator]
        return {
            "mask": source_mask,
            "key": torch.stack([key for key, _ in read], dim=1),
            "value": torch.stack([value for _, value in read], dim=1),
            "encoder": torch.stack(weights, dim=1),
        }

    def start(self, memory: Tree) -> Tree:
        """An empty cache: ``key`` and ``value``, shape (batch, layer, head, 0, size)."""
        return {name: memory[name][:, :, :, :0] for name in ("key", "value")}

    def step(
        self,
        token: Int[Tensor, "batch"],
        state: Tree,
        memory: Tree,
        interventions: Interventions = NO_INTERVENTIONS,
    ) -> tuple[Float[Tensor, "batch vocabulary"], Tree, Attention]:
        """One word: its keys and values join the cache, and it looks at all that is there.

        Attention: ``decoder`` (batch, layer, head, 1, written), of which the last is this word
        itself, and ``cross`` (batch, layer, head, 1, source).
        """
        logits, state, attention = self.write(
            rearrange(token, "b -> b 1"), state, memory, interventions
        )
        return logits[:, 0].log_softmax(dim=-1), state, attention

    def write(
        self,
        tokens: Int[Tensor, "batch target"],
        state: Tree,
        memory: Tree,
        interventions: Interventions = NO_INTERVENTIONS,
    ) -> tuple[Float[Tensor, "batch target vocabulary"], Tree, Attention]:
        """Any number of words at once, after any number that are in the cache.

        Returns:
            logits of what follows each word, shape (batch, target, vocabulary), the cache with
            these words in it, and the attention of these words.
        """
        start, count = state["key"].shape[3], tokens.shape[1]
        words = self.embed(self.target_embedding, tokens, start)
        mask = causal_mask(count, start + count, start).to(tokens.device)
        if not interventions.causal:
            mask = torch.ones_like(mask)
        masks = (
            mask.expand(tokens.shape[0], -1, -1),
            rearrange(memory["mask"], "b s -> b 1 s"),
        )
        caches, found = [], []
        for number, layer in enumerate(self.decoder):
            words, cache, weights = layer(
                words,
                (state["key"][:, number], state["value"][:, number]),
                (memory["key"][:, number], memory["value"][:, number]),
                masks,
                Asked.of(interventions, number),
            )
            caches.append(cache)
            found.append(weights)
        logits = self.decoder_norm(words) @ self.target_embedding.weight.T + self.output_bias
        grown = {
            name: torch.stack([cache[place] for cache in caches], dim=1)
            for place, name in enumerate(("key", "value"))
        }
        kinds: tuple[Kind, ...] = ("decoder", "cross")
        attention: Attention = {
            kind: torch.stack([weights[kind] for weights in found], dim=1) for kind in kinds
        }
        return logits / interventions.temperature, grown, attention

    def forward(
        self,
        source: Int[Tensor, "batch source"],
        source_mask: Bool[Tensor, "batch source"],
        target_in: Int[Tensor, "batch target"],
        interventions: Interventions = NO_INTERVENTIONS,
    ) -> tuple[Float[Tensor, "batch target vocabulary"], Attention]:
        """Teacher forcing: all words of the translation at once, each blind for what follows.

        Padding of the target needs no mask: it stands on the right, where no real word looks.

        Returns:
            log-probabilities, shape (batch, target, vocabulary), and the attention: ``encoder``
            (batch, layer, head, source, source), ``decoder`` (batch, layer, head, target,
            target), ``cross`` (batch, layer, head, target, source).
        """
        memory = self.encode(source, source_mask, interventions)
        logits, _, attention = self.write(target_in, self.start(memory), memory, interventions)
        return logits.log_softmax(dim=-1), attention | {"encoder": memory["encoder"]}


def _too_long(length: int, most: int) -> str:
    return (
        f"a sentence of {length} tokens, but this model has only {most} places; shorten it, or "
        "make `most` larger and train again"
    )
