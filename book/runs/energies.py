"""Chapter 2.2: one translator, every energy and every distribution function.

The translators differ in the energy or in the distribution function and in nothing else: same
data, same order, same seeds. Each sentence is seen once.
"""

import dataclasses
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from seq2bert import corpus, decoding, evaluation, runs, training
from seq2bert.attention.distributions import masked_sigmoid, masked_softmax, sparsemax
from seq2bert.attention.energy_layers import MAKERS
from seq2bert.batching import make_batches
from seq2bert.luong import LuongTranslator, Sizes
from seq2bert.translator import Attention, Interventions
from seq2bert.vocabulary import Vocabulary

NAME = Path(__file__).stem
SEEDS = (0, 1, 2)
KEYS = ("energy", "distribution", "seed")  # what `row` takes
TOLERANCE = {"test.exact": 0.08, "test.bleu": 3.0, "test.aer": 0.06}
PAIRS = {"train": 80_000, "valid": 1_000, "test": 1_000, "novel": 1_000, "long": 500}
BATCH_SIZE = 32
EPOCHS = 1
SIZES = Sizes(embedding=48, hidden=96)
ENERGY_SIZE = 48
LEARNING_RATE = 6e-3

ENGLISH, FRENCH = Vocabulary(corpus.ENGLISH_WORDS), Vocabulary(corpus.FRENCH_WORDS)
DISTRIBUTIONS = {"softmax": masked_softmax, "sparsemax": sparsemax, "sigmoid": masked_sigmoid}
VARIANTS = [
    *((energy, "softmax") for energy in MAKERS),
    *(
        (energy, other)
        for energy in ("dot", "activated general, tanh")
        for other in ("sparsemax", "sigmoid")
    ),
]

STORED = [(energy, "softmax") for energy in MAKERS] + [("dot", "sparsemax"), ("dot", "sigmoid")]


class _Shares(nn.Module):
    """A translator whose weights are handed out as shares of their sum.

    The alignment error asks where the largest weight is, which this leaves in its place; weights of
    a sigmoid do not sum to 1, and a map of shares can be read as any other.
    """

    def __init__(self, model: LuongTranslator) -> None:
        super().__init__()
        self.model = model

    def forward(
        self, source: Tensor, source_mask: Tensor, target_in: Tensor, interventions: Interventions
    ) -> tuple[Tensor, Attention]:
        """Teacher forcing, with shares in place of weights."""
        log_probs, attention = self.model(source, source_mask, target_in, interventions)
        weights = attention["cross"]
        return log_probs, {"cross": weights / weights.sum(dim=-1, keepdim=True).clamp_min(1e-30)}


@cache
def data() -> Mapping[str, Sequence[corpus.Pair]]:
    """The sentence pairs of each split, drawn once in each process."""
    return {split: tuple(corpus.pairs(split, count)) for split, count in PAIRS.items()}


def make(energy: str, distribution: str) -> LuongTranslator:
    """An untrained translator."""
    made = MAKERS[energy](SIZES.hidden, SIZES.hidden, ENERGY_SIZE)
    return LuongTranslator(len(ENGLISH), len(FRENCH), made, DISTRIBUTIONS[distribution], SIZES)


def model_of(row: Mapping[str, Any]) -> LuongTranslator:
    """A model of the kind that a row of the record is about, untrained."""
    return make(row["energy"], row["distribution"])


def train(
    energy: str, distribution: str, seed: int, pairs: Mapping[str, Sequence[corpus.Pair]]
) -> tuple[LuongTranslator, list[training.Check]]:
    """One training from scratch."""
    torch.manual_seed(seed)
    model = make(energy, distribution)
    history = training.fit(
        model,
        make_batches(pairs["train"], ENGLISH, FRENCH, BATCH_SIZE),
        make_batches(pairs["valid"], ENGLISH, FRENCH, BATCH_SIZE),
        training.Settings(epochs=EPOCHS, checks=12, learning_rate=LEARNING_RATE, seed=seed),
        device="cpu",
    )
    return model, history


@torch.no_grad()
def weights_of(model: LuongTranslator, pairs: Sequence[corpus.Pair]) -> Tensor:
    """All weights of real words on real words, in one row."""
    found = []
    for batch in make_batches(pairs, ENGLISH, FRENCH, 256):
        _, attention = model(batch.source, batch.source_mask, batch.target_in)
        real = batch.target_mask.unsqueeze(2) & batch.source_mask.unsqueeze(1)
        found.append(attention["cross"][:, 0, 0][real])
    return torch.cat(found)


def row(energy: str, distribution: str, seed: int, store: bool = False) -> runs.Row:
    """Train one model, on one thread, and judge it on every split that it has not seen.

    With `store` its weights are kept beside the record.
    """
    torch.set_num_threads(1)
    pairs = data()
    began = time.process_time()
    model, history = train(energy, distribution, seed, pairs)
    seconds = time.process_time() - began
    result: dict[str, Any] = {
        "energy": energy,
        "distribution": distribution,
        "seed": seed,
        "parameters": sum(p.numel() for p in model.parameters()),
        "energy_parameters": sum(p.numel() for p in model.energy.parameters()),
        "seconds": seconds,
        "milliseconds_per_step": 1e3 * seconds / history[-1].step,
        "valid_loss": [{"step": check.step, "loss": check.valid_loss} for check in history],
    }
    for split in ("test", "novel", "long"):
        result[split] = evaluation.report(model, pairs[split], ENGLISH, FRENCH, align=False)
        result[split] |= alignment(model, pairs[split])
    weights = weights_of(model, pairs["test"])
    result["zeros"] = float((weights == 0).double().mean())
    result["below_1e-3"] = float((weights < 1e-3).double().mean())
    if store:
        result["weights"] = f"{NAME}.{energy}-{distribution}".replace(", ", "-").replace(" ", "-")
        result["sha256"] = runs.save_weights(model, result["weights"])
    return result


def alignment(model: LuongTranslator, pairs: Sequence[corpus.Pair]) -> dict[str, Any]:
    """The alignment error, in all and by phenomenon."""
    shares = _Shares(model).eval()
    maps = decoding.forced_maps(shares, pairs, ENGLISH, FRENCH)
    everything = evaluation.alignment_of_rows(maps, (range(len(p.target)) for p in pairs))
    by_phenomenon = evaluation.alignment_by_phenomenon(maps, pairs)
    return {
        "aer": everything.error_rate,
        "aer_sure": everything.error_rate_sure,
        "aer_by_phenomenon": {name: score.error_rate for name, score in by_phenomenon.items()},
    }


def record() -> runs.Record:
    """All variants with all seeds; the weights of the first seed are kept for the widgets."""
    jobs = [
        (energy, distribution, seed, seed == SEEDS[0] and (energy, distribution) in STORED)
        for energy, distribution in VARIANTS
        for seed in SEEDS
    ]
    settings = {
        "pairs": PAIRS,
        "batch_size": BATCH_SIZE,
        "epochs": EPOCHS,
        "energy_size": ENERGY_SIZE,
        "sizes": dataclasses.asdict(SIZES),
        "learning_rate": LEARNING_RATE,
    }
    return runs.make(Path(__file__), row, jobs, settings)
