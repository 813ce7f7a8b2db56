"""How much each target word owes to each source word, asked in four ways.

`erasure` takes a source word away and looks how far the log-probability of the reference falls;
`gradients` asks for the slope instead of taking the step. `averaged` and `rollout` need no second
run: they summarise the attention weights of many layers and heads. Everything is asked of a
translator that is made to write the reference (teacher forcing); the row of `<eos>` is left out.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np
import torch
from einops import einsum, rearrange
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from seq2bert.attention_map import AttentionMap
from seq2bert.batching import Batch, SentencePair, make_batches
from seq2bert.vocabulary import Vocabulary

Erase: TypeAlias = Callable[[Tensor, Tensor, int], tuple[Tensor, Tensor]]
"""Takes the word at one place away from every sentence: ids and mask in, ids and mask out."""


def replaced_by(token: int) -> Erase:
    """Another token stands in place of the word.

    With the id of `<unk>` the place is kept and nothing is said about the word. A model that never
    met `<unk>` in training is asked something new, and its answer may show that too.

    Args:
        token: id of the token that takes the place.
    """

    def replace(
        source: Int[Tensor, "batch source"], mask: Bool[Tensor, "batch source"], place: int
    ) -> tuple[Tensor, Tensor]:
        changed = source.clone()
        changed[:, place] = token
        return changed, mask

    return replace


def left_out(
    source: Int[Tensor, "batch source"], mask: Bool[Tensor, "batch source"], place: int
) -> tuple[Tensor, Tensor]:
    """The sentence without the word: what follows moves up by one place."""
    kept = torch.arange(source.shape[1], device=source.device) != place
    return source[:, kept], mask[:, kept]


def hidden(
    source: Int[Tensor, "batch source"], mask: Bool[Tensor, "batch source"], place: int
) -> tuple[Tensor, Tensor]:
    """The word is masked: no query may attend to it, all others keep their places.

    For models that reach words through attention alone. A recurrent encoder reads every place on
    its way, masked or not.
    """
    changed = mask.clone()
    changed[:, place] = False
    return source, changed


def erasure(
    model: nn.Module,
    pairs: Sequence[SentencePair],
    source_vocabulary: Vocabulary,
    target_vocabulary: Vocabulary,
    erase: Erase,
    batch_size: int = 128,
) -> list[Float[Tensor, "_ _"]]:
    """How far log p(y_t) falls when source word j is taken away (Li et al., 2016).

    r_tj = log p(y_t | y_<t, x) - log p(y_t | y_<t, x without x_j), y the reference. Above 0: the
    word helped; below 0: the reference is likelier without it. (The paper divides by log p(y_t).)

    Args:
        model: a translator, in eval mode.
        pairs: sentence pairs of at least two source words each.
        source_vocabulary: of the source.
        target_vocabulary: of the target.
        erase: how a word is taken away: `replaced_by(source_vocabulary.unk)`, `left_out`, `hidden`.
        batch_size: pairs at a time.

    Returns:
        for each pair, in order, a table of shape (target, source).

    Raises:
        ValueError: the model is in training mode, a source has a single word, or the model reads
            words that are `hidden` from it.
    """
    _check_mode(model)
    short = next((pair for pair in pairs if len(pair.source) < 2), None)
    if short is not None:
        raise ValueError(
            f"the source {short.source!r} has {len(short.source)} word; expected at least two: "
            "nothing is left when it is erased"
        )
    tables: dict[int, Tensor] = {}
    with torch.no_grad():
        for batch in make_batches(pairs, source_vocabulary, target_vocabulary, batch_size):
            whole = _of_reference(model, batch, batch.source, batch.source_mask)
            falls = []
            for place in range(batch.source.shape[1]):
                source, mask = erase(batch.source, batch.source_mask, place)
                without = _of_reference(model, batch, source, mask)
                if place == 0 and mask.shape == source.shape == batch.source.shape:
                    _check_hidden(model, batch, source, mask, without)
                falls.append(whole - without)
            tables |= _cut(torch.stack(falls, dim=-1), batch, pairs)
    return [tables[row] for row in range(len(pairs))]


def gradients(
    model: nn.Module,
    pairs: Sequence[SentencePair],
    source_vocabulary: Vocabulary,
    target_vocabulary: Vocabulary,
    batch_size: int = 128,
) -> list[Float[Tensor, "_ _"]]:
    """|x_j . grad log p(y_t)|, x_j the embedding of source word j (Denil et al., 2014).

    It is the slope of log p(y_t) when x_j is made a little longer or shorter. The embedding is met
    where it leaves `model.source_embedding`, before anything is added to it.

    Args:
        model: a translator with a module `source_embedding`, in eval mode.
        pairs: sentence pairs.
        source_vocabulary: of the source.
        target_vocabulary: of the target.
        batch_size: pairs at a time.

    Returns:
        for each pair, in order, a table of shape (target, source), nowhere negative.

    Raises:
        ValueError: the model is in training mode, has no `source_embedding`, or calls it more or
            less than once for a source.
    """
    _check_mode(model)
    tables: dict[int, Tensor] = {}
    for batch in make_batches(pairs, source_vocabulary, target_vocabulary, batch_size):
        with torch.enable_grad(), _embeddings_of(model) as met:
            log_probs = _of_reference(model, batch, batch.source, batch.source_mask)
        if len(met) != 1:
            raise ValueError(
                f"source_embedding was called {len(met)} times for one source; expected once, so "
                "that it is clear with respect to what the gradient is taken"
            )
        products = []
        for word in log_probs.unbind(dim=1):
            # sentences do not touch each other: the gradient of the sum has each one's own
            (slope,) = torch.autograd.grad(word.sum(), met[0], retain_graph=True)
            products.append(einsum(slope, met[0].detach(), "b s d, b s d -> b s").abs())
        tables |= _cut(torch.stack(products, dim=1), batch, pairs)
    return [tables[row] for row in range(len(pairs))]


def averaged(attention: AttentionMap) -> AttentionMap:
    """The weights averaged over layers and heads: one map, its rows sum to what they did."""
    return _with_weights(attention, attention.weights.mean(axis=(0, 1)))


def rollout(cross: AttentionMap, encoder: AttentionMap) -> AttentionMap:
    """Cross-attention followed back through the encoder to the words (Abnar and Zuidema, 2020).

    A position of the last encoder layer is a mixture of words by now. With W_l the weights of
    encoder layer l, averaged over heads, A_l = 0.5 W_l + 0.5 I stands for the layer and its
    residual connection, and A_L ... A_1 says which word a position is made of. The averaged
    cross-attention is multiplied with it. (Layers of the decoder are averaged, not rolled out.)

    Args:
        cross: weights from target to source.
        encoder: weights from source to source, layers from the first to the last.

    Returns:
        one map from target to source.

    Raises:
        ValueError: the kinds are others, or the two maps have different source words.
    """
    if (cross.kind, encoder.kind) != ("cross", "encoder"):
        raise ValueError(
            f"the maps are of the kinds {cross.kind!r} and {encoder.kind!r}; expected 'cross' and "
            "'encoder', in this order"
        )
    if cross.key_tokens != encoder.query_tokens:
        raise ValueError(
            f"cross-attention looks at {cross.key_tokens}, the encoder wrote "
            f"{encoder.query_tokens}; expected two maps of one sentence"
        )
    paths = np.eye(len(encoder.key_tokens))
    for layer in encoder.weights.mean(axis=1):
        paths = (0.5 * layer + 0.5 * np.eye(len(layer))) @ paths
    return _with_weights(cross, cross.weights.mean(axis=(0, 1)) @ paths)


def as_shares(importance: Float[Tensor, "query key"], like: AttentionMap) -> AttentionMap:
    """An importance table as a map, to look at it: what is above 0, divided by the sum of its row.

    Args:
        importance: a table of `erasure` or `gradients`.
        like: a map of the same sentence, for tokens and gold.
    """
    positive = importance.clamp_min(0)
    total = positive.sum(dim=-1, keepdim=True)
    return _with_weights(like, (positive / total.masked_fill(total == 0, 1)).cpu().numpy())


def _with_weights(like: AttentionMap, weights: Any) -> AttentionMap:
    """One layer, one head, with the tokens and the gold of another map."""
    return AttentionMap(
        weights,
        like.query_tokens,
        like.key_tokens,
        like.kind,
        sure=like.sure,
        possible=like.possible,
        normalised=like.normalised,
    )


def _of_reference(
    model: nn.Module,
    batch: Batch,
    source: Int[Tensor, "batch source"],
    mask: Bool[Tensor, "batch source"],
) -> Float[Tensor, "batch target"]:
    """log p of each word of the reference; `<eos>` and padding are still among them."""
    log_probs, _ = model(source, mask, batch.target_in)
    words = rearrange(batch.target_out, "b t -> b t 1")
    of_reference: Tensor = rearrange(log_probs.gather(2, words), "b t 1 -> b t")
    return of_reference


def _cut(
    table: Float[Tensor, "batch target source"], batch: Batch, pairs: Sequence[SentencePair]
) -> dict[int, Tensor]:
    """The table of each pair without padding and `<eos>`, by its place in the list of pairs."""
    return {
        row: table[place, : len(pairs[row].target), : len(pairs[row].source)].clone()
        for place, row in enumerate(batch.rows)
    }


@contextmanager
def _embeddings_of(model: nn.Module) -> Iterator[list[Tensor]]:
    """Collects what `source_embedding` gives, each time cut loose so that it takes a gradient."""
    embedding = getattr(model, "source_embedding", None)
    if not isinstance(embedding, nn.Module):
        raise ValueError(
            f"{type(model).__name__} has no module source_embedding; expected a translator that "
            "embeds its source with one"
        )
    met: list[Tensor] = []

    def listen(module: nn.Module, inputs: Any, output: Tensor) -> Tensor:
        met.append(output.detach().requires_grad_())
        return met[-1]

    handle = embedding.register_forward_hook(listen)
    try:
        yield met
    finally:
        handle.remove()


def _check_mode(model: nn.Module) -> None:
    if model.training:
        raise ValueError("the model is in training mode, where dropout is noise: model.eval()")


def _check_hidden(
    model: nn.Module,
    batch: Batch,
    source: Int[Tensor, "batch source"],
    mask: Bool[Tensor, "batch source"],
    found: Float[Tensor, "_ _"],
) -> None:
    """Whether the model keeps to a mask with holes: another id in a hole may change nothing."""
    holes = batch.source_mask & ~mask
    if not holes.any():
        return
    other = source.masked_fill(holes, 0)
    if not torch.allclose(_of_reference(model, batch, other, mask), found, atol=1e-4):
        raise ValueError(
            f"{type(model).__name__} reads words that its mask hides, as a recurrent encoder does; "
            "leave the words out (left_out) or replace them (replaced_by)"
        )
