"""Weights from outside: one step of a translator that reads the source where it is told to.

What was written so far, the memory and everything in the model stay as they are; only the weights
with which this one step reads the source are others. So one can ask what an answer owes to what
the step *read* at a place, which is not what it owes to the word that stands there: annotations
of other places know of that word too.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from einops import einsum, rearrange
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from seq2bert.attention.heads import MultiHeadAttention, join_heads
from seq2bert.batching import SentencePair, make_batch
from seq2bert.recurrent import RecurrentTranslator, SoftAlignment
from seq2bert.transformer import Transformer
from seq2bert.translator import Attention, Interventions, Tree
from seq2bert.vocabulary import Vocabulary


class GivenAlignment(nn.Module):
    """In place of a `SoftAlignment`: reads with the weights that it is given, whoever asks."""

    def __init__(self, weights: Float[Tensor, "batch key"]) -> None:
        super().__init__()
        self.weights = weights

    def forward(
        self,
        state: Float[Tensor, "batch hidden"],
        word: Float[Tensor, "batch embedding"],
        memory: Tree,
        interventions: Interventions,
    ) -> tuple[Float[Tensor, "batch annotation"], Attention]:
        """c_t, the mean of the annotations under the given weights."""
        context = einsum(self.weights, memory["annotations"], "b k, b k v -> b v")
        return context, {"cross": rearrange(self.weights, "b k -> b 1 1 1 k")}


class GivenHeads(nn.Module):
    """In place of a `MultiHeadAttention` in `attend`: its heads read with the given weights."""

    def __init__(
        self, attention: MultiHeadAttention, weights: Float[Tensor, "batch head key"]
    ) -> None:
        super().__init__()
        self.output = attention.output
        self.weights = rearrange(weights, "b h k -> b h 1 k")

    def attend(
        self,
        query: Float[Tensor, "batch 1 width"],
        keys: Float[Tensor, "batch head key size"],
        values: Float[Tensor, "batch head key size"],
        mask: Bool[Tensor, "batch 1 key"],
        scale: float | Tensor = 1.0,
        factors: Float[Tensor, "head"] | None = None,
    ) -> tuple[Float[Tensor, "batch 1 width"], Float[Tensor, "batch head 1 key"]]:
        """What the one query reads; it is not asked what it would have read itself."""
        return self.output(join_heads(self.weights @ values)), self.weights


@contextmanager
def given(model: nn.Module, weights: Float[Tensor, "batch layer head key"]) -> Iterator[None]:
    """Within it, `model.step` reads the source with these weights; afterwards with its own again.

    Args:
        model: a recurrent translator with attention, or a Transformer.
        weights: of every layer and head of the cross-attention, for one step.

    Raises:
        ValueError: the model is of another kind, or has other layers and heads.
    """
    own: list[tuple[nn.Module, str, nn.Module]]
    if isinstance(model, RecurrentTranslator) and isinstance(model.context, SoftAlignment):
        expected = (1, 1)
        own = [(model, "context", model.context)]
    elif isinstance(model, Transformer):
        expected = (model.sizes.layers, model.sizes.heads)
        own = [(layer, "cross_attention", layer.cross_attention) for layer in model.decoder]  # type: ignore[misc]
    else:
        raise ValueError(
            f"{type(model).__name__} cannot be given weights; expected a recurrent translator with "
            "attention, or a Transformer"
        )
    if tuple(weights.shape[1:3]) != expected:
        raise ValueError(
            f"weights of {weights.shape[1]} layers x {weights.shape[2]} heads; this model has "
            f"{expected[0]} x {expected[1]}"
        )
    for (owner, name, part), layer in zip(own, weights.unbind(dim=1), strict=True):
        if isinstance(part, MultiHeadAttention):
            setattr(owner, name, GivenHeads(part, layer))
        else:
            setattr(owner, name, GivenAlignment(layer[:, 0]))
    try:
        yield
    finally:
        for owner, name, part in own:
            setattr(owner, name, part)


@dataclass(frozen=True)
class Step:
    """One step of a translator that writes the references: everything that goes into it.

    Attributes:
        model: the translator.
        token: the word that the step reads, one for each sentence.
        word: the word that it is to write.
        state: of the decoder before the step.
        memory: of the source.
        weights: with which the model reads the source in this step.
        log_probs: of the next word, as the model gives them.
        real: True for the sentences that have a word to be written here, `<eos>` not counted.
    """

    model: nn.Module
    token: Int[Tensor, "batch"]
    word: Int[Tensor, "batch"]
    state: Tree
    memory: Tree
    weights: Float[Tensor, "batch layer head key"]
    log_probs: Float[Tensor, "batch vocabulary"]
    real: Bool[Tensor, "batch"]

    def read_with(
        self, weights: Float[Tensor, "batch layer head key"]
    ) -> Float[Tensor, "batch vocabulary"]:
        """The log-probabilities that other weights would give."""
        with given(self.model, weights):
            log_probs: Tensor
            log_probs, _, _ = self.model.step(self.token, self.state, self.memory)  # type: ignore[operator]
        return log_probs


def steps_of(
    model: nn.Module,
    pairs: Sequence[SentencePair],
    source_vocabulary: Vocabulary,
    target_vocabulary: Vocabulary,
) -> list[Step]:
    """Every step of the references, one after the other, for all pairs at once.

    Args:
        model: a translator, in eval mode.
        pairs: sentence pairs.
        source_vocabulary: of the source.
        target_vocabulary: of the target.
    """
    batch = make_batch(pairs, source_vocabulary, target_vocabulary)
    steps = []
    with torch.no_grad():
        memory = model.encode(batch.source, batch.source_mask)  # type: ignore[operator]
        state = model.start(memory)  # type: ignore[operator]
        for place in range(batch.target_in.shape[1] - 1):
            token, word = batch.target_in[:, place], batch.target_out[:, place]
            log_probs, after, attention = model.step(token, state, memory)  # type: ignore[operator]
            weights = attention["cross"][:, :, :, 0]
            real = batch.target_mask[:, place + 1]
            steps.append(Step(model, token, word, state, memory, weights, log_probs, real))
            state = after
    return steps


def unread(
    model: nn.Module,
    pairs: Sequence[SentencePair],
    source_vocabulary: Vocabulary,
    target_vocabulary: Vocabulary,
) -> list[Float[Tensor, "_ _"]]:
    """How far log p(y_t) falls when step t may not read place j (Serrano and Smith, 2019).

    The weight of place j becomes 0 in every layer and head, and the others grow until they sum to
    1 again. The word at place j stays in the sentence: other annotations may tell of it.

    Args:
        model: a translator that can be `given` weights, in eval mode.
        pairs: sentence pairs.
        source_vocabulary: of the source.
        target_vocabulary: of the target.

    Returns:
        for each pair, in order, a table of shape (target, source).
    """
    rows = []
    with torch.no_grad():
        for step in steps_of(model, pairs, source_vocabulary, target_vocabulary):
            word = rearrange(step.word, "b -> b 1")
            whole = step.log_probs.gather(1, word)
            falls = [
                whole - step.read_with(without(step.weights, place)).gather(1, word)
                for place in range(step.weights.shape[3])
            ]
            rows.append(torch.cat(falls, dim=1))
    table = torch.stack(rows, dim=1)
    return [
        table[place, : len(pair.target), : len(pair.source)].clone()
        for place, pair in enumerate(pairs)
    ]


def without(
    weights: Float[Tensor, "batch layer head key"], place: int
) -> Float[Tensor, "batch layer head key"]:
    """The weights with 0 at one place and the rest in proportion; 0 if all of a row lay there."""
    kept = weights.clone()
    kept[..., place] = 0
    total = kept.sum(dim=-1, keepdim=True)
    return kept / total.masked_fill(total == 0, 1)
