"""Chapter 3.3: why a Transformer with large word vectors does not learn.

Words that begin with standard deviation 1 are 8 after the factor sqrt(width), beside places of .7.
Two things may be wrong with that: the places drown, or the table of the target, which is the output
layer too, makes logits that are far too large. Each is tried alone.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import nn

from seq2bert import corpus, evaluation, runs, training
from seq2bert.batching import make_batches
from seq2bert.transformer import Sizes, Transformer
from seq2bert.vocabulary import Vocabulary

NAME = Path(__file__).stem
SEEDS = (0, 1)
KEYS = ("variant", "seed")  # what `row` takes
TOLERANCE = {"test.exact": 0.15, "test.bleu": 8.0}
LIVE = False  # no page runs these models
PAIRS = {"train": 60_000, "valid": 500, "test": 1_000}
BATCH_SIZE = 32
CHECKS = 12
SIZES = Sizes(width=64, heads=4, hidden=128, layers=2)

ENGLISH, FRENCH = Vocabulary(corpus.ENGLISH_WORDS), Vocabulary(corpus.FRENCH_WORDS)


@torch.no_grad()
def large_source(model: Transformer) -> None:
    """English words eight times as large: beside them the places of the source are small."""
    model.source_embedding.weight.mul_(8)


@torch.no_grad()
def large_target(model: Transformer) -> None:
    """French words eight times as large, and with them the rows of the output layer."""
    model.target_embedding.weight.mul_(8)


@torch.no_grad()
def large_words_and_places(model: Transformer) -> None:
    """All words eight times as large, and the places too: nothing drowns."""
    large_source(model)
    large_target(model)
    model.places.mul_(8)


VARIANTS: dict[str, Callable[[Transformer], None]] = {
    "large English words": large_source,
    "large French words": large_target,
    "large words and places": large_words_and_places,
}


@cache
def data() -> Mapping[str, Sequence[corpus.Pair]]:
    """The sentence pairs of each split, drawn once in each process."""
    return {split: tuple(corpus.pairs(split, count)) for split, count in PAIRS.items()}


def train(
    variant: str, seed: int, pairs: Mapping[str, Sequence[corpus.Pair]]
) -> tuple[nn.Module, list[training.Check]]:
    """One training from scratch."""
    torch.manual_seed(seed)
    model = Transformer(len(ENGLISH), len(FRENCH), SIZES)
    VARIANTS[variant](model)
    history = training.fit(
        model,
        make_batches(pairs["train"], ENGLISH, FRENCH, BATCH_SIZE),
        make_batches(pairs["valid"], ENGLISH, FRENCH, BATCH_SIZE),
        training.Settings(epochs=1, checks=CHECKS, learning_rate=3e-3, seed=seed),
        device="cpu",
    )
    return model, history


def row(variant: str, seed: int) -> runs.Row:
    """Train one model, on one thread, and judge it."""
    torch.set_num_threads(1)
    pairs = data()
    began = time.process_time()
    model, history = train(variant, seed, pairs)
    return {
        "variant": variant,
        "seed": seed,
        "parameters": sum(p.numel() for p in model.parameters()),
        "seconds": time.process_time() - began,
        "valid_loss": [{"step": check.step, "loss": check.valid_loss} for check in history],
        "test": evaluation.report(model, pairs["test"], ENGLISH, FRENCH, align=False),
    }


def record() -> runs.Record:
    """All variants with all seeds."""
    jobs = [(variant, seed) for variant in VARIANTS for seed in SEEDS]
    settings: dict[str, Any] = {
        "pairs": PAIRS,
        "batch_size": BATCH_SIZE,
        "sizes": vars(SIZES),
    }
    return runs.make(Path(__file__), row, jobs, settings)
