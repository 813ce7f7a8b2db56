"""Writing a translation: greedy decoding, and attention along a given translation."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import pad as pad_right

from seq2bert.attention_map import AttentionMap, Kind, axes_of
from seq2bert.batching import Batch, SentencePair, make_batches, pad
from seq2bert.translator import NO_INTERVENTIONS, Interventions, Translator
from seq2bert.vocabulary import Vocabulary


@dataclass(frozen=True)
class Translation:
    """A sentence that a translator wrote.

    Attributes:
        source: the tokens that it read.
        tokens: the tokens that it wrote, without `<eos>`.
        log_prob: of these tokens, and of `<eos>` if it came.
        finished: whether `<eos>` came before the limit.
        attention: weights by kind, shape (layer, head, query, key): a query for each written
            token and one more for `<eos>` if it came; in the encoder, for each token of the source.
    """

    source: tuple[str, ...]
    tokens: tuple[str, ...]
    log_prob: float
    finished: bool
    attention: dict[Kind, Tensor]

    def map(self, kind: Kind = "cross", **gold: Any) -> AttentionMap:
        """The attention of the written tokens (without `<eos>`), with its labels."""
        queries, keys = axes_of(kind, self.source, self.tokens)
        weights = self.attention[kind][:, :, : len(queries), : len(keys)].numpy()
        return AttentionMap(weights, queries, keys, kind, **gold)


def greedy(
    model: Translator,
    sources: Sequence[Sequence[str]],
    source_vocabulary: Vocabulary,
    target_vocabulary: Vocabulary,
    max_length: int = 60,
    interventions: Interventions = NO_INTERVENTIONS,
) -> list[Translation]:
    """Translate sentences, always taking the likeliest token, until `<eos>`.

    A sentence translated alone and the same one in a batch give the same result. Call it in
    eval mode.

    Args:
        model: a translator (an `nn.Module`).
        sources: sentences as tokens, each at least one.
        source_vocabulary: of the source.
        target_vocabulary: of the target.
        max_length: at most so many tokens are written, `<eos>` not counted; at least 1.
        interventions: changes to the running model.

    Returns:
        a translation for each source, in order.

    Raises:
        ValueError: there are no sources, one is empty or a string, or the limit is not positive.
    """
    if max_length < 1:
        raise ValueError(f"max_length is {max_length}; expected at least 1")
    for index, tokens in enumerate(sources):
        if isinstance(tokens, str) or not tokens:
            raise ValueError(f"source {index} is {tokens!r}; expected a list of tokens, not empty")
    with torch.no_grad():
        ids, mask = pad([source_vocabulary.encode(s) for s in sources], source_vocabulary.pad)
        device = _device(model)
        memory = model.encode(ids.to(device), mask.to(device), interventions)
        state = model.start(memory)
        count = len(sources)
        token = torch.full((count,), target_vocabulary.bos, device=device)
        running = torch.ones(count, dtype=torch.bool, device=device)
        log_prob = torch.zeros(count, device=device)
        length = torch.zeros(count, dtype=torch.long, device=device)
        written: list[Tensor] = []
        steps: list[dict[Kind, Tensor]] = []
        for position in range(max_length + 1):
            log_probs, state, attention = model.step(token, state, memory, interventions)
            best, token = log_probs.max(dim=-1)
            if position == max_length:  # at the limit only <eos> may still come
                running = running & (token == target_vocabulary.eos)
            log_prob = log_prob + best.masked_fill(~running, 0.0)
            length = length + running
            written.append(token)
            steps.append(attention)
            running = running & (token != target_vocabulary.eos)
            if not running.any():
                break
    table = torch.stack(written, dim=1).tolist()
    weights: dict[Kind, Tensor] = {
        kind: rows_together([step[kind] for step in steps], dim=3).cpu() for kind in steps[0]
    }
    if "encoder" in memory:
        weights["encoder"] = memory["encoder"].cpu()
    translations = []
    for row, source in enumerate(sources):
        kept: list[int] = table[row][: int(length[row])]
        finished = bool(kept) and kept[-1] == target_vocabulary.eos
        tokens = target_vocabulary.decode(kept[:-1] if finished else kept)
        ends = {"encoder": (len(source),) * 2, "decoder": (len(kept),) * 2}
        maps = {
            kind: w[row, :, :, :queries, :keys]
            for kind, w in weights.items()
            for queries, keys in [ends.get(kind, (len(kept), len(source)))]
        }
        translations.append(
            Translation(tuple(source), tokens, float(log_prob[row]), finished, maps)
        )
    return translations


def rows_together(steps: Sequence[Tensor], dim: int) -> Tensor:
    """The weights of all steps as one tensor.

    Each word that a decoder with self-attention writes is one more that it may look at: its rows
    grow. Zeros fill them up, for what was not yet written was not looked at.

    Args:
        steps: the weights of each step, keys on the last axis.
        dim: the axis of the queries, along which the steps are joined.
    """
    most = max(step.shape[-1] for step in steps)
    return torch.cat([pad_right(step, (0, most - step.shape[-1])) for step in steps], dim=dim)


def _device(model: Any) -> torch.device:
    return next(model.parameters()).device if isinstance(model, nn.Module) else torch.device("cpu")


def translate(
    model: Translator,
    sources: Sequence[Sequence[str]],
    source_vocabulary: Vocabulary,
    target_vocabulary: Vocabulary,
    batch_size: int = 256,
    **options: Any,
) -> list[Translation]:
    """`greedy` for many sentences, in batches of similar length; same order, same results."""
    order = sorted(range(len(sources)), key=lambda row: len(sources[row]))
    results: dict[int, Translation] = {}
    for i in range(0, len(order), batch_size):
        rows = order[i : i + batch_size]
        done = greedy(
            model, [sources[row] for row in rows], source_vocabulary, target_vocabulary, **options
        )
        results.update(zip(rows, done, strict=True))
    return [results[row] for row in range(len(sources))]


def forced_maps(
    model: nn.Module,
    pairs: Sequence[SentencePair],
    source_vocabulary: Vocabulary,
    target_vocabulary: Vocabulary,
    kind: Kind = "cross",
    batch_size: int = 256,
    interventions: Interventions = NO_INTERVENTIONS,
) -> list[AttentionMap]:
    """The attention of a translator that is made to write the given translations.

    This is what gold alignments are compared with: gold speaks of the reference, so the model
    must write the reference. The row of `<eos>` is left out. Gold of the pair (`sure`,
    `possible`) goes into the map of its cross-attention where the pair has it.

    Args:
        model: a translator, in eval mode.
        pairs: sentence pairs.
        source_vocabulary: of the source.
        target_vocabulary: of the target.
        kind: which attention.
        batch_size: pairs at a time.
        interventions: changes to the running model.

    Returns:
        a map for each pair, in order.

    Raises:
        ValueError: the model has no attention of that kind.
    """
    maps: dict[int, AttentionMap] = {}
    batches = make_batches(pairs, source_vocabulary, target_vocabulary, batch_size)
    for batch, attention in _forced(model, batches, interventions):
        if kind not in attention:
            raise ValueError(f"this model has no {kind!r} attention; it has {sorted(attention)}")
        for place, row in enumerate(batch.rows):
            pair = pairs[row]
            queries, keys = axes_of(kind, pair.source, pair.target)
            weights = attention[kind][place, :, :, : len(queries), : len(keys)]
            known: Any = pair if kind == "cross" else None
            maps[row] = AttentionMap(
                weights.cpu().numpy(),
                queries,
                keys,
                kind,
                sure=getattr(known, "sure", frozenset()),
                possible=getattr(known, "possible", frozenset()),
            )
    return [maps[row] for row in range(len(pairs))]


def _forced(
    model: nn.Module, batches: Sequence[Batch], interventions: Interventions
) -> Iterator[tuple[Batch, dict[Kind, Tensor]]]:
    device = _device(model)
    for batch in batches:
        batch = batch.to(device)
        with torch.no_grad():
            _, attention = model(batch.source, batch.source_mask, batch.target_in, interventions)
        yield batch, attention
