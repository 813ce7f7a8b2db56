"""Chapter 3.3: the Transformer with one ingredient changed at a time.

Trained on a quarter of the sentences of the run `transformer`: there the ingredients show, for at
its end almost every sentence is right.
"""

import dataclasses
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import nn

from seq2bert import corpus, evaluation, runs, training
from seq2bert.batching import make_batches
from seq2bert.smoothing import LabelSmoothing
from seq2bert.transformer import Sizes, Transformer
from seq2bert.vocabulary import Vocabulary

NAME = Path(__file__).stem
SEEDS = (0, 1)
KEYS = ("variant", "seed")  # what `row` takes
TOLERANCE = {"test.exact": 0.15, "test.bleu": 6.0}
LIVE = False  # no page runs these models
PAIRS = {"train": 60_000, "valid": 500, "test": 1_000}
BATCH_SIZE = 32
CHECKS = 12
SIZES = Sizes(width=64, heads=4, hidden=128, layers=2)
SETTINGS = training.Settings(epochs=1, checks=CHECKS, learning_rate=3e-3)
SMOOTHED = 0.1

ENGLISH, FRENCH = Vocabulary(corpus.ENGLISH_WORDS), Vocabulary(corpus.FRENCH_WORDS)

# what is changed in the model, and what in its training
VARIANTS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "as it is": ({}, {}),
    "post-norm": ({"pre_norm": False}, {}),
    "no warm-up": ({}, {"warmup": 0.0}),
    "post-norm, no warm-up": ({"pre_norm": False}, {"warmup": 0.0}),
    "large words": ({"word_scale": 1.0}, {}),
    "label smoothing": ({}, {}),
    "one head": ({"heads": 1}, {}),
    "one layer": ({"layers": 1}, {}),
}


@cache
def data() -> Mapping[str, Sequence[corpus.Pair]]:
    """The sentence pairs of each split, drawn once in each process."""
    return {split: tuple(corpus.pairs(split, count)) for split, count in PAIRS.items()}


def train(
    variant: str, seed: int, pairs: Mapping[str, Sequence[corpus.Pair]]
) -> tuple[nn.Module, list[training.Check]]:
    """One training from scratch."""
    sizes, settings = VARIANTS[variant]
    torch.manual_seed(seed)
    model = Transformer(len(ENGLISH), len(FRENCH), dataclasses.replace(SIZES, **sizes))
    learner = LabelSmoothing(model, SMOOTHED) if variant == "label smoothing" else model
    history = training.fit(
        learner,
        make_batches(pairs["train"], ENGLISH, FRENCH, BATCH_SIZE),
        make_batches(pairs["valid"], ENGLISH, FRENCH, BATCH_SIZE),
        dataclasses.replace(SETTINGS, seed=seed, **settings),
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
    settings = {"pairs": PAIRS, "batch_size": BATCH_SIZE, "sizes": vars(SIZES)}
    return runs.make(Path(__file__), row, jobs, settings)
