"""Sentences of different lengths in one tensor, and the mask that says what is real."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from seq2bert.vocabulary import Vocabulary


@runtime_checkable
class SentencePair(Protocol):
    """What a batch needs of a sentence pair; `seq2bert.corpus.Pair` has it."""

    @property
    def source(self) -> tuple[str, ...]:
        """The tokens to translate."""

    @property
    def target(self) -> tuple[str, ...]:
        """Their translation."""


@dataclass(frozen=True)
class Batch:
    """Sentence pairs as padded integers.

    The decoder reads `target_in` (`<bos> y1 ... ym`) and is to write `target_out`
    (`y1 ... ym <eos>`): the same words, shifted by one.

    Attributes:
        source: ids, shape (batch, source).
        source_mask: True where a source token is real, shape (batch, source).
        target_in: ids that the decoder reads, shape (batch, target).
        target_out: ids that it is to write, shape (batch, target).
        target_mask: True where `target_out` is real, shape (batch, target).
        rows: the place of each sentence in the list that the batch was made from.
    """

    source: Int[Tensor, "batch source"]
    source_mask: Bool[Tensor, "batch source"]
    target_in: Int[Tensor, "batch target"]
    target_out: Int[Tensor, "batch target"]
    target_mask: Bool[Tensor, "batch target"]
    rows: tuple[int, ...]

    def to(self, device: torch.device | str) -> "Batch":
        """The same batch on another device."""
        return Batch(
            self.source.to(device),
            self.source_mask.to(device),
            self.target_in.to(device),
            self.target_out.to(device),
            self.target_mask.to(device),
            self.rows,
        )


def pad(
    sequences: Sequence[Sequence[int]], pad_id: int
) -> tuple[Int[Tensor, "batch length"], Bool[Tensor, "batch length"]]:
    """Sequences of ids as one tensor, filled up on the right, and its mask.

    Args:
        sequences: ids, one list for each sentence; a list may be empty.
        pad_id: what fills up.

    Returns:
        ids, shape (batch, longest length), and a mask of that shape: True where an id is real.

    Raises:
        ValueError: there are no sequences.
    """
    if not sequences:
        raise ValueError("no sequences to pad; a batch needs at least one sentence")
    longest = max(len(sequence) for sequence in sequences)
    ids = torch.full((len(sequences), longest), pad_id, dtype=torch.long)
    mask = torch.zeros(len(sequences), longest, dtype=torch.bool)
    for row, sequence in enumerate(sequences):
        ids[row, : len(sequence)] = torch.tensor(sequence, dtype=torch.long)
        mask[row, : len(sequence)] = True
    return ids, mask


def make_batch(
    pairs: Sequence[SentencePair],
    source_vocabulary: Vocabulary,
    target_vocabulary: Vocabulary,
    rows: Sequence[int] | None = None,
) -> Batch:
    """One batch of sentence pairs.

    Args:
        pairs: the pairs; each side of each holds at least one token.
        source_vocabulary: of the source language.
        target_vocabulary: of the target language; its `<bos>`, `<eos>` and `<pad>` are used.
        rows: the place of each pair in a longer list; counted from 0 when left out.

    Raises:
        ValueError: there are no pairs, or a side of a pair is empty.
    """
    if not pairs:
        raise ValueError("no sentence pairs; a batch needs at least one")
    for index, pair in enumerate(pairs):
        if not pair.source or not pair.target:
            raise ValueError(f"pair {index} has an empty side: {pair!r}; drop it from the corpus")
    targets = [target_vocabulary.encode(pair.target) for pair in pairs]
    source, source_mask = pad(
        [source_vocabulary.encode(pair.source) for pair in pairs], source_vocabulary.pad
    )
    target_in, target_mask = pad(
        [[target_vocabulary.bos, *ids] for ids in targets], target_vocabulary.pad
    )
    target_out, _ = pad([[*ids, target_vocabulary.eos] for ids in targets], target_vocabulary.pad)
    return Batch(
        source,
        source_mask,
        target_in,
        target_out,
        target_mask,
        tuple(range(len(pairs)) if rows is None else rows),
    )


def make_batches(
    pairs: Sequence[SentencePair],
    source_vocabulary: Vocabulary,
    target_vocabulary: Vocabulary,
    batch_size: int,
    seed: int = 0,
) -> list[Batch]:
    """Batches of pairs of similar length, so that little of each is padding.

    Pairs are shuffled, sorted by length (the shuffle decides among equals) and cut.

    Args:
        pairs: the pairs.
        source_vocabulary: of the source language.
        target_vocabulary: of the target language.
        batch_size: pairs in a batch, at least 1; the last batch may be smaller.
        seed: of the shuffle.

    Raises:
        ValueError: the batch size is not positive, there are no pairs or one has an empty side.
    """
    if batch_size < 1:
        raise ValueError(f"batch_size is {batch_size}; expected at least 1")
    order = list(range(len(pairs)))
    random.Random(seed).shuffle(order)
    order.sort(key=lambda row: (len(pairs[row].source), len(pairs[row].target)))
    return [
        make_batch([pairs[row] for row in rows], source_vocabulary, target_vocabulary, rows)
        for rows in (order[i : i + batch_size] for i in range(0, max(len(order), 1), batch_size))
    ]
