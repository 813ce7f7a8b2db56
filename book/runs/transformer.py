"""Chapter 3.3: the three translators on the same sentences, and what the heads of the third read.

A fixed context, recurrent attention (asking with the previous word too) and the Transformer, with
several seeds each, trained on the same data, of which each sentence is seen once. All rows are of
one machine, so that their seconds can be compared.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import nn

from seq2bert import coreference, corpus, evaluation, head_scores, recurrent, runs, training
from seq2bert.attention_map import Kind
from seq2bert.batching import make_batches
from seq2bert.decoding import forced_maps, translate
from seq2bert.transformer import Sizes, Transformer
from seq2bert.vocabulary import Vocabulary

NAME = Path(__file__).stem
SEEDS = (0, 1, 2)
KEYS = ("variant", "seed")  # what `row` takes
TOLERANCE = {"test.exact": 0.05, "test.bleu": 2.0, "test.aer": 0.12, "test.aer_sure": 0.12}
PAIRS = {"train": 240_000, "valid": 1_000, "test": 1_000, "novel": 1_000, "long": 500}
PRONOUN_PAIRS = 4_000  # of valid and of test, searched for pronouns
CURVE_PAIRS = 300  # of valid, translated at each check
BATCH_SIZE = 32
EPOCHS = 1
CHECKS = 24
SIZES = Sizes(width=64, heads=4, hidden=128, layers=2)
LEARNING_RATES = {"transformer": 3e-3}  # others: that of the chapters before

ENGLISH, FRENCH = Vocabulary(corpus.ENGLISH_WORDS), Vocabulary(corpus.FRENCH_WORDS)

MAKERS: dict[str, Callable[[int, int], nn.Module]] = {
    "fixed context": recurrent.without_attention,
    "recurrent attention": recurrent.with_attention,
    "transformer": lambda source, target: Transformer(source, target, SIZES),
}

Watch = Callable[[nn.Module, training.Check], None]


@cache
def data() -> Mapping[str, Sequence[corpus.Pair]]:
    """The sentence pairs of each split, drawn once in each process."""
    return {split: tuple(corpus.pairs(split, count)) for split, count in PAIRS.items()}


def train(
    variant: str,
    seed: int,
    pairs: Mapping[str, Sequence[corpus.Pair]],
    watch: Watch | None = None,
) -> tuple[nn.Module, list[training.Check]]:
    """One training from scratch; `watch` hears of each check."""
    torch.manual_seed(seed)
    model = MAKERS[variant](len(ENGLISH), len(FRENCH))
    rate = LEARNING_RATES.get(variant, training.Settings.learning_rate)
    history = training.fit(
        model,
        make_batches(pairs["train"], ENGLISH, FRENCH, BATCH_SIZE),
        make_batches(pairs["valid"], ENGLISH, FRENCH, BATCH_SIZE),
        training.Settings(epochs=EPOCHS, checks=CHECKS, learning_rate=rate, seed=seed),
        device="cpu",
        **({"after_check": watch} if watch else {}),
    )
    return model, history


def model_of(row: Mapping[str, Any]) -> nn.Module:
    """A model of the kind that a row of the record is about, untrained."""
    return MAKERS[row["variant"]](len(ENGLISH), len(FRENCH))


def row(variant: str, seed: int, store: bool = False) -> runs.Row:
    """Train one model, on one thread, and judge it on every split that it has not seen.

    With `store` its weights are kept beside the record.
    """
    torch.set_num_threads(1)
    pairs = data()
    curve: list[dict[str, float]] = []
    judging = 0.0

    def watch(model: nn.Module, check: training.Check) -> None:
        """How many sentences come out right by now; the time that it takes does not count."""
        nonlocal judging
        began = time.process_time()
        model.eval()
        known = pairs["valid"][:CURVE_PAIRS]
        written = translate(model, [pair.source for pair in known], ENGLISH, FRENCH)  # type: ignore[arg-type]
        exact = sum(evaluation.right(written, known)) / len(known)
        curve.append({"step": check.step, "seconds": check.cpu_seconds - judging, "exact": exact})
        judging += time.process_time() - began

    model, history = train(variant, seed, pairs, watch)
    result: dict[str, Any] = {
        "variant": variant,
        "seed": seed,
        "parameters": sum(p.numel() for p in model.parameters()),
        "seconds": curve[-1]["seconds"],
        "valid_loss": [{"step": check.step, "loss": check.valid_loss} for check in history],
        "curve": curve,
        "coreference": pronouns(model),
    }
    for split in ("test", "novel", "long"):
        result[split] = evaluation.report(model, pairs[split], ENGLISH, FRENCH, align=False)
        if variant != "fixed context":
            result[split] |= alignment(model, pairs[split])
    if store:
        result["weights"] = f"{NAME}.{variant.replace(' ', '-')}"
        result["sha256"] = runs.save_weights(model, result["weights"])
    return result


def alignment(model: nn.Module, pairs: Sequence[corpus.Pair]) -> dict[str, Any]:
    """Cross-attention against gold: of each head, of the best on valid, of the mean of all."""
    known = forced_maps(model, data()["valid"], ENGLISH, FRENCH)
    layer, head = head_scores.best_head(head_scores.alignment_of_heads(known))
    maps = forced_maps(model, pairs, ENGLISH, FRENCH)
    scores = head_scores.alignment_of_heads(maps)
    by_phenomenon = evaluation.alignment_by_phenomenon(maps, pairs, layer, head)
    return {
        "best_head": [layer, head],
        "aer": scores[layer][head].error_rate,
        "aer_sure": scores[layer][head].error_rate_sure,
        "aer_of_mean": head_scores.alignment_of_average(maps).error_rate,
        "aer_of_heads": [[score.error_rate for score in scores_] for scores_ in scores],
        "aer_by_phenomenon": {
            name: {"aer": score.error_rate, "aer_sure": score.error_rate_sure}
            for name, score in by_phenomenon.items()
        },
    }


def pronouns(model: nn.Module) -> dict[str, Any]:
    """Which head reads the antecedent of a pronoun, and what changes without that head.

    For each head the share of pronouns at which it looks at the antecedent (on valid, to choose
    by, and on test, to report; `far`: those whose antecedent is not the nearest noun), and the
    share of right genders on test with this head alone switched off.
    """
    splits = {
        "valid": corpus.pairs("valid", PRONOUN_PAIRS),
        "test": corpus.pairs("test", PRONOUN_PAIRS),
    }
    found = {name: coreference.cases(pairs) for name, pairs in splits.items()}
    read = {
        name: coreference.read(model, splits[name], found[name], ENGLISH, FRENCH) for name in splits
    }
    far = torch.tensor([not case.nearest for case in found["test"]])
    heads = []
    for kind, looks in read["test"].looks.items():
        for layer in range(looks.shape[0]):
            for head in range(looks.shape[1]):
                off = without(model, kind, [(layer, head)], splits["test"], found["test"])
                heads.append(
                    {
                        "kind": kind,
                        "layer": layer,
                        "head": head,
                        "looks_valid": _share(read["valid"].looks[kind][layer, head]),
                        "looks": _share(looks[layer, head]),
                        "looks_far": _share(looks[layer, head][far]),
                        "right_off": _share(off.right),
                        "right_far_off": _share(off.right[far]),
                    }
                )
    kinds = {
        kind: _share(without(model, kind, _all(looks.shape), splits["test"], found["test"]).right)
        for kind, looks in read["test"].looks.items()
    }
    return {
        "cases": len(found["test"]),
        "far": int(far.sum()),
        "nearest": _share(~far),
        "right": _share(read["test"].right),
        "right_far": _share(read["test"].right[far]),
        "right_without_kind": kinds,
        "heads": heads,
    }


def without(
    model: nn.Module,
    kind: Kind,
    heads: Sequence[tuple[int, int]],
    pairs: Sequence[corpus.Pair],
    found: Sequence[coreference.Case],
) -> coreference.Reading:
    """What is read and written with some heads switched off."""
    sizes = getattr(model, "sizes", None)
    shape = (sizes.layers, sizes.heads) if sizes else (1, 1)
    off = coreference.without(shape, kind, heads)
    return coreference.read(model, pairs, found, ENGLISH, FRENCH, off)


def _all(shape: Sequence[int]) -> list[tuple[int, int]]:
    return [(layer, head) for layer in range(shape[0]) for head in range(shape[1])]


def _share(which: torch.Tensor) -> float:
    return float(which.float().mean())


def record() -> runs.Record:
    """All variants with all seeds."""
    jobs = [
        (variant, seed, seed == SEEDS[0])
        for variant in sorted(MAKERS, reverse=True)
        for seed in SEEDS
    ]
    settings = {"pairs": PAIRS, "batch_size": BATCH_SIZE, "epochs": EPOCHS}
    settings |= {"sizes": vars(SIZES), "pronoun_pairs": PRONOUN_PAIRS}
    return runs.make(Path(__file__), row, jobs, settings)
