"""Chapter 2.1: a fixed context, the published query and the query with the previous word.

Three translators that differ in where their context comes from and in nothing else, with several
seeds each, trained on the same data, of which each sentence is seen once.
"""

import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import torch

from seq2bert import corpus, evaluation, recurrent, runs, training
from seq2bert.batching import make_batches
from seq2bert.vocabulary import Vocabulary

NAME = Path(__file__).stem
SEEDS = (0, 1, 2)
KEYS = ("variant", "seed")  # what `row` takes
TOLERANCE = {"test.exact": 0.06, "test.bleu": 2.0, "test.aer": 0.03, "test.aer_sure": 0.03}
PAIRS = {"train": 240_000, "valid": 1_000, "test": 1_000, "novel": 1_000, "long": 500}
BATCH_SIZE = 32
EPOCHS = 1

ENGLISH, FRENCH = Vocabulary(corpus.ENGLISH_WORDS), Vocabulary(corpus.FRENCH_WORDS)

MAKERS = {
    "fixed context": recurrent.without_attention,
    "published query": lambda *sizes: recurrent.with_attention(*sizes, query_sees_word=False),
    "query with word": recurrent.with_attention,
}


@cache
def data() -> Mapping[str, Sequence[corpus.Pair]]:
    """The sentence pairs of each split, drawn once in each process."""
    return {split: tuple(corpus.pairs(split, count)) for split, count in PAIRS.items()}


def train(
    variant: str, seed: int, pairs: Mapping[str, Sequence[corpus.Pair]]
) -> tuple[recurrent.RecurrentTranslator, list[training.Check]]:
    """One training from scratch."""
    torch.manual_seed(seed)
    model = MAKERS[variant](len(ENGLISH), len(FRENCH))
    history = training.fit(
        model,
        make_batches(pairs["train"], ENGLISH, FRENCH, BATCH_SIZE),
        make_batches(pairs["valid"], ENGLISH, FRENCH, BATCH_SIZE),
        training.Settings(epochs=EPOCHS, checks=12, seed=seed),
        device="cpu",
    )
    return model, history


def model_of(row: Mapping[str, Any]) -> recurrent.RecurrentTranslator:
    """A model of the kind that a row of the record is about, untrained."""
    return MAKERS[row["variant"]](len(ENGLISH), len(FRENCH))


def row(variant: str, seed: int, store: bool = False) -> runs.Row:
    """Train one model, on one thread, and judge it on every split that it has not seen.

    With `store` its weights are kept beside the record.
    """
    torch.set_num_threads(1)
    pairs = data()
    began = time.perf_counter()
    model, history = train(variant, seed, pairs)
    seconds = time.perf_counter() - began
    align = variant != "fixed context"
    result: dict[str, Any] = {
        "variant": variant,
        "seed": seed,
        "parameters": sum(p.numel() for p in model.parameters()),
        "seconds": seconds,
        "valid_loss": [{"step": check.step, "loss": check.valid_loss} for check in history],
    }
    for split in ("test", "novel", "long"):
        result[split] = evaluation.report(model, pairs[split], ENGLISH, FRENCH, align)
    if store:
        result["weights"] = f"{NAME}.{variant.replace(' ', '-')}"
        result["sha256"] = runs.save_weights(model, result["weights"])
    return result


def record() -> runs.Record:
    """All variants with all seeds."""
    jobs = [
        (variant, seed, seed == SEEDS[0] and variant != "fixed context")
        for variant in sorted(MAKERS)
        for seed in SEEDS
    ]
    settings = {"pairs": PAIRS, "batch_size": BATCH_SIZE, "epochs": EPOCHS}
    return runs.make(Path(__file__), row, jobs, settings)
