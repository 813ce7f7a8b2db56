"""Chapter 2.1: a fixed context, the published query and the query with the previous word.

Three translators that differ in where their context comes from and in nothing else, with several
seeds each, on the same data and for the same number of epochs.
"""

import time
from pathlib import Path
from typing import Any

import torch

from seq2bert import corpus, evaluation, recurrent, runs, training
from seq2bert.batching import make_batches
from seq2bert.vocabulary import Vocabulary

NAME = Path(__file__).stem
MODULES = (
    "attention",
    "batching",
    "corpus",
    "decoding",
    "evaluation",
    "metrics",
    "recurrent",
    "training",
    "vocabulary",
)
SEEDS = (0, 1, 2)
KEYS = ("variant", "seed")  # what `row` takes
TOLERANCE = {"test.exact": 0.05, "test.bleu": 2.0, "test.aer": 0.03, "test.aer_sure": 0.03}
PAIRS = {"train": 20_000, "valid": 1_000, "test": 1_000, "novel": 1_000, "long": 500}
BATCH_SIZE = 96
EPOCHS = 8

ENGLISH, FRENCH = Vocabulary(corpus.ENGLISH_WORDS), Vocabulary(corpus.FRENCH_WORDS)

MAKERS = {
    "fixed context": recurrent.without_attention,
    "published query": lambda *sizes: recurrent.with_attention(*sizes, query_sees_word=False),
    "query with word": recurrent.with_attention,
}


def data() -> dict[str, list[corpus.Pair]]:
    """The sentence pairs of each split."""
    return {split: corpus.pairs(split, count) for split, count in PAIRS.items()}


def train(
    variant: str, seed: int, pairs: dict[str, list[corpus.Pair]]
) -> tuple[recurrent.RecurrentTranslator, list[training.Epoch]]:
    """One training from scratch."""
    torch.manual_seed(seed)
    model = MAKERS[variant](len(ENGLISH), len(FRENCH))
    history = training.fit(
        model,
        make_batches(pairs["train"], ENGLISH, FRENCH, BATCH_SIZE),
        make_batches(pairs["valid"], ENGLISH, FRENCH, BATCH_SIZE),
        training.Settings(epochs=EPOCHS, seed=seed),
        device="cpu",
    )
    return model, history


def row(
    variant: str,
    seed: int,
    pairs: dict[str, list[corpus.Pair]] | None = None,
    store: bool = False,
) -> runs.Row:
    """Train one model and judge it on every split that it has not seen; keep its weights if asked."""
    pairs = pairs or data()
    began = time.perf_counter()
    model, history = train(variant, seed, pairs)
    seconds = time.perf_counter() - began
    align = variant != "fixed context"
    result: dict[str, Any] = {
        "variant": variant,
        "seed": seed,
        "parameters": sum(p.numel() for p in model.parameters()),
        "seconds": seconds,
        "epochs": len(history),
        "valid_loss": [epoch.valid_loss for epoch in history],
    }
    for split in ("test", "novel", "long"):
        result[split] = evaluation.report(model, pairs[split], ENGLISH, FRENCH, align)
    if store:
        runs.save_weights(model, f"{NAME}.{variant.replace(' ', '-')}")
    return result


def record() -> runs.Record:
    """All variants with all seeds."""
    pairs = data()
    rows = []
    for variant in MAKERS:
        for seed in SEEDS:
            rows.append(
                row(variant, seed, pairs, store=seed == SEEDS[0] and variant != "fixed context")
            )
            last = rows[-1]
            print(f"{variant}, seed {seed}: exact {last['test']['exact']:.3f}", flush=True)
    settings = {"pairs": PAIRS, "batch_size": BATCH_SIZE, "epochs": EPOCHS}
    return runs.Record(
        NAME,
        f"make runs RUN={NAME}",
        MODULES,
        runs.code_hash(MODULES),
        settings,
        runs.this_machine(),
        rows,
    )
