"""Part I: one vector between two recurrent networks, and what it holds.

Width, tying and teacher forcing are varied one at a time; everything else, the data
included, stays the same. Each sentence is seen once.
"""

import time
from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import torch
from sklearn.linear_model import LogisticRegression

from seq2bert import corpus, evaluation, runs, training
from seq2bert.batching import make_batches
from seq2bert.encoder_decoder import EncoderDecoder, Sizes
from seq2bert.exposure import WithRatio
from seq2bert.vocabulary import Vocabulary

NAME = Path(__file__).stem
SEEDS = (0, 1, 2)
KEYS = ("variant", "seed")  # what `row` takes
TOLERANCE = {"test.exact": 0.06, "test.bleu": 4.0}
PAIRS = {"train": 80_000, "valid": 1_000, "test": 1_000, "long": 500}
PROBED = 6_000  # sentences of the training data that a probe learns from
BATCH_SIZE = 64
EPOCHS = 1

ENGLISH, FRENCH = Vocabulary(corpus.ENGLISH_WORDS), Vocabulary(corpus.FRENCH_WORDS)

MAKERS = {
    "GRU": EncoderDecoder,
    "GRU, 64 wide": partial(EncoderDecoder, sizes=Sizes(hidden=64)),
    "GRU, 32 wide": partial(EncoderDecoder, sizes=Sizes(hidden=32)),
    "GRU, untied": partial(EncoderDecoder, tied=False),
    "GRU, ratio 0.75": EncoderDecoder,
}
RATIOS = {"GRU, ratio 0.75": 0.75}
STORED = "GRU"


@cache
def data() -> Mapping[str, Sequence[corpus.Pair]]:
    """The sentence pairs of each split, drawn once in each process."""
    return {split: tuple(corpus.pairs(split, count)) for split, count in PAIRS.items()}


def train(
    variant: str, seed: int, pairs: Mapping[str, Sequence[corpus.Pair]]
) -> tuple[EncoderDecoder, list[training.Check]]:
    """One training from scratch."""
    torch.manual_seed(seed)
    model = MAKERS[variant](len(ENGLISH), len(FRENCH))
    history = training.fit(
        WithRatio(model, RATIOS[variant]) if variant in RATIOS else model,
        make_batches(pairs["train"], ENGLISH, FRENCH, BATCH_SIZE),
        make_batches(pairs["valid"], ENGLISH, FRENCH, BATCH_SIZE),
        training.Settings(epochs=EPOCHS, checks=12, seed=seed),
        device="cpu",
    )
    return model, history


@torch.no_grad()
def contexts(model: EncoderDecoder, pairs: Sequence[corpus.Pair]) -> torch.Tensor:
    """The context vector of each sentence, shape (sentence, hidden), in order."""
    found: dict[int, torch.Tensor] = {}
    for batch in make_batches(pairs, ENGLISH, FRENCH, 256):
        memory = model.encode(batch.source, batch.source_mask)
        found.update(zip(batch.rows, memory["hidden"], strict=True))
    return torch.stack([found[row] for row in range(len(pairs))])


def probe(
    model: EncoderDecoder, pairs: Mapping[str, Sequence[corpus.Pair]], place: int
) -> list[dict[str, float]]:
    """How often a linear probe reads the word at a place out of the context, by length.

    Beside it the share of the word that is commonest there, which needs no vector at all.
    """
    known = [pair for pair in pairs["train"][:PROBED] if len(pair.source) > abs(place)]
    asked = [p for p in (*pairs["test"], *pairs["long"]) if len(p.source) > abs(place)]
    labels, truth = (
        torch.tensor([ENGLISH.encode([pair.source[place]])[0] for pair in some])
        for some in (known, asked)
    )
    linear = LogisticRegression(max_iter=300).fit(contexts(model, known).numpy(), labels.numpy())
    answers = torch.from_numpy(linear.predict(contexts(model, asked).numpy()))
    lengths = [evaluation.length_bin(len(pair.source)) for pair in asked]
    right = evaluation.by_group((answers == truth).tolist(), lengths)
    common = evaluation.by_group((labels.mode().values == truth).tolist(), lengths)
    return [
        {"length": length, "right": mean, "commonest": common[length][0], "count": count}
        for length, (mean, count) in right.items()
    ]


def model_of(row: Mapping[str, Any]) -> EncoderDecoder:
    """A model of the kind that a row of the record is about, untrained."""
    return MAKERS[row["variant"]](len(ENGLISH), len(FRENCH))


def row(variant: str, seed: int, store: bool = False) -> runs.Row:
    """Train one model, on one thread, and judge it on what it has not seen.

    With `store` its weights are kept beside the record.
    """
    torch.set_num_threads(1)
    pairs = data()
    began = time.perf_counter()
    model, history = train(variant, seed, pairs)
    seconds = time.perf_counter() - began
    result: dict[str, Any] = {
        "variant": variant,
        "seed": seed,
        "parameters": sum(p.numel() for p in model.parameters()),
        "seconds": seconds,
        "valid_loss": [{"step": check.step, "loss": check.valid_loss} for check in history],
    }
    for split in ("test", "long"):
        result[split] = evaluation.report(model, pairs[split], ENGLISH, FRENCH, align=False)
    # the last token is the full stop or the question mark
    result["probe"] = {
        name: probe(model, pairs, place) for name, place in (("first", 0), ("last", -2))
    }
    if store:
        result["weights"] = f"{NAME}.{variant.lower()}"
        result["sha256"] = runs.save_weights(model, result["weights"])
    return result


def record() -> runs.Record:
    """All variants with all seeds."""
    jobs = [
        (variant, seed, (variant, seed) == (STORED, SEEDS[0]))
        for variant in sorted(MAKERS)
        for seed in SEEDS
    ]
    settings = {"pairs": PAIRS, "batch_size": BATCH_SIZE, "epochs": EPOCHS, "probed": PROBED}
    return runs.make(Path(__file__), row, jobs, settings)
