"""Chapter 2.3: how soft attention is. One translator, soft, hard and local.

The translators differ in what is read, or in how reading is trained, and in nothing else: same
data, same order, same seeds. Each sentence is seen once.
"""

import dataclasses
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from seq2bert import corpus, decoding, evaluation, runs, training
from seq2bert.attention.distributions import masked_softmax
from seq2bert.attention.energy_layers import MAKERS as ENERGIES
from seq2bert.attention.hard import Baseline, StraightThrough, best_key, sampled_key
from seq2bert.attention.local import PredictedCentre
from seq2bert.batching import Batch, make_batch, make_batches
from seq2bert.gradient_noise import gradient, measure
from seq2bert.latent import LowerBound, MarginalTranslator, Reinforce
from seq2bert.local_translator import LocalTranslator
from seq2bert.luong import LuongTranslator, Sizes
from seq2bert.translator import Attention, Interventions
from seq2bert.vocabulary import Vocabulary

NAME = Path(__file__).stem
LIVE = False  # no page runs these models; the chapter shows their weights
SEEDS = (0, 1, 2)
KEYS = ("variant", "seed")  # what `row` takes
TOLERANCE = {"test.exact": 0.12, "test.bleu": 5.0, "test.aer": 0.1}
PAIRS = {"train": 32_000, "valid": 1_000, "test": 1_000, "novel": 1_000, "long": 500}
BATCH_SIZE = 32
EPOCHS = 1
SIZES = Sizes(embedding=48, hidden=96)
ENERGY = "dot"
REACH = 2
TEMPERATURE = 1.0
LEARNING_RATE = 8e-3
DRAWS = 60  # estimates of the gradient, on a batch of so many sentences:
MEASURED = 32

ENGLISH, FRENCH = Vocabulary(corpus.ENGLISH_WORDS), Vocabulary(corpus.FRENCH_WORDS)


def energy() -> nn.Module:
    """The energy that all variants share."""
    return ENERGIES[ENERGY](SIZES.hidden, SIZES.hidden, SIZES.hidden)


def global_model(distribution: Callable[[Tensor, Tensor], Tensor]) -> LuongTranslator:
    """An untrained translator that looks at everything."""
    return LuongTranslator(len(ENGLISH), len(FRENCH), energy(), distribution, SIZES)


def marginal_model() -> MarginalTranslator:
    """An untrained translator whose position is a latent variable."""
    return MarginalTranslator(len(ENGLISH), len(FRENCH), energy(), masked_softmax, SIZES)


def local_model(predicts: bool) -> LocalTranslator:
    """An untrained translator with a window."""
    predictor = PredictedCentre(SIZES.hidden, SIZES.hidden // 2) if predicts else None
    return LocalTranslator(len(ENGLISH), len(FRENCH), energy(), REACH, predictor, SIZES)


def with_baseline(draws: int = 1) -> Reinforce:
    """So many draws for each word, and a guess of what they will bring."""
    return Reinforce(marginal_model(), Baseline(SIZES.hidden, len(FRENCH)), draws)


VARIANTS: dict[str, Callable[[], nn.Module]] = {
    "soft": lambda: global_model(masked_softmax),
    "hard, exact marginal": marginal_model,
    "hard, exact bound": lambda: LowerBound(marginal_model()),
    "hard, REINFORCE": lambda: Reinforce(marginal_model()),
    "hard, REINFORCE, baseline": with_baseline,
    "hard, REINFORCE, 5 draws": lambda: with_baseline(5),
    "hard, straight-through": lambda: global_model(StraightThrough(TEMPERATURE)),
    "local-m": lambda: local_model(False),
    "local-p": lambda: local_model(True),
}

STORED = ("soft", "hard, exact bound", "hard, REINFORCE, baseline", "local-p")

READINGS: dict[str, Callable[[], LuongTranslator]] = {
    "mean of annotations": lambda: global_model(masked_softmax),
    "mean of predictions": marginal_model,
    "best key": lambda: global_model(best_key),
    "drawn key": lambda: global_model(sampled_key),
}


class _Shares(nn.Module):
    """A translator whose weights are handed out as shares of their sum.

    The alignment error asks where the largest weight is, which this leaves in its place. A row of
    zeros stays one: a query that saw nothing says nothing.
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


def train(
    variant: str, seed: int, pairs: Mapping[str, Sequence[corpus.Pair]]
) -> tuple[nn.Module, list[training.Check]]:
    """One training from scratch; what is trained may hold the translator as its `model`."""
    torch.manual_seed(seed)
    trained = VARIANTS[variant]()
    history = training.fit(
        trained,
        make_batches(pairs["train"], ENGLISH, FRENCH, BATCH_SIZE),
        make_batches(pairs["valid"], ENGLISH, FRENCH, BATCH_SIZE),
        training.Settings(epochs=EPOCHS, checks=8, learning_rate=LEARNING_RATE, seed=seed),
        device="cpu",
    )
    return trained, history


def reading(model: LuongTranslator, how: str) -> LuongTranslator:
    """The same parameters, read in another way."""
    other = READINGS[how]()
    other.load_state_dict(model.state_dict())
    return other.eval()


def model_of(row: Mapping[str, Any]) -> LuongTranslator:
    """An untrained translator of the kind that a row judges: hard ones read their best key."""
    if row["variant"].startswith("hard"):
        return global_model(best_key)
    made = VARIANTS[row["variant"]]()
    assert isinstance(made, LuongTranslator)
    return made


def row(variant: str, seed: int, store: bool = False) -> runs.Row:
    """Train one model, on one thread, and judge it on every split that it has not seen.

    With `store` its weights are kept beside the record.
    """
    torch.set_num_threads(1)
    pairs = data()
    began = time.process_time()
    trained, history = train(variant, seed, pairs)
    seconds = time.process_time() - began
    model = trained.model if isinstance(trained, LowerBound | Reinforce) else trained
    assert isinstance(model, LuongTranslator)
    result: dict[str, Any] = {
        "variant": variant,
        "seed": seed,
        "parameters": sum(p.numel() for p in model.parameters()),
        "seconds": seconds,
        "milliseconds_per_step": 1e3 * seconds / history[-1].step,
        "valid_loss": [{"step": check.step, "loss": check.valid_loss} for check in history],
    }
    judged = model_of(result)
    judged.load_state_dict(model.state_dict())
    judged.eval()
    for split in ("test", "novel", "long"):
        result[split] = evaluation.report(judged, pairs[split], ENGLISH, FRENCH, align=False)
        result[split] |= alignment(model, pairs[split])
    if isinstance(model, LocalTranslator):
        result["window"] = {split: windows(model, pairs[split]) for split in ("test", "long")}
    else:
        result["readings"] = readings(model, pairs["test"])
        result["losses"] = losses(reading(model, "mean of predictions"), pairs["test"])
    if variant == "hard, REINFORCE, baseline":
        torch.manual_seed(seed)
        result["noise"] = {"before": noise(with_baseline()), "after": noise(trained)}
    if store:
        result["weights"] = f"{NAME}.{variant}".replace(", ", "-").replace(" ", "-")
        result["sha256"] = runs.save_weights(model, result["weights"])
    return result


def alignment(model: LuongTranslator, pairs: Sequence[corpus.Pair]) -> dict[str, Any]:
    """The alignment error, and how undecided the weights are, in bits."""
    maps = decoding.forced_maps(_Shares(model).eval(), pairs, ENGLISH, FRENCH)
    score = evaluation.alignment_of_rows(maps, (range(len(p.target)) for p in pairs))
    rows = torch.cat([torch.special.entr(torch.tensor(m.head())).sum(-1) for m in maps])
    return {
        "aer": score.error_rate,
        "aer_sure": score.error_rate_sure,
        "bits": float(rows.mean() / torch.tensor(2.0).log()),
    }


def readings(model: LuongTranslator, pairs: Sequence[corpus.Pair]) -> dict[str, float]:
    """The share that comes out right when the same parameters are read in each way."""
    found = {}
    for how in READINGS:
        torch.manual_seed(0)
        other = reading(model, how)
        written = decoding.translate(other, [p.source for p in pairs], ENGLISH, FRENCH)
        found[how] = sum(evaluation.right(written, pairs)) / len(pairs)
    return found


def losses(model: LuongTranslator, pairs: Sequence[corpus.Pair]) -> dict[str, float]:
    """Nats a word: -log of the mixture, and the bound on it."""
    assert isinstance(model, MarginalTranslator)
    batches = make_batches(pairs, ENGLISH, FRENCH, BATCH_SIZE)
    bound, words = 0.0, 0
    with torch.no_grad():
        for batch in batches:
            gain, _ = LowerBound(model).train()(batch.source, batch.source_mask, batch.target_in)
            count = int(batch.target_mask.sum())
            loss = training.cross_entropy(gain, batch.target_out, batch.target_mask)
            bound, words = bound + float(loss) * count, words + count
    return {"marginal": training.mean_loss(model.eval(), batches), "bound": bound / words}


def windows(model: LocalTranslator, pairs: Sequence[corpus.Pair]) -> dict[str, float]:
    """The centre of the window against gold: mean distance, and the share of links outside."""
    distances = []
    for batch in make_batches(pairs, ENGLISH, FRENCH, 256):
        centre = centres(model, batch)
        for place, number in enumerate(batch.rows):
            distances += [abs(float(centre[place, t]) - j) for t, j in pairs[number].sure]
    outside = sum(distance > REACH for distance in distances)
    return {"distance": sum(distances) / len(distances), "outside": outside / len(distances)}


@torch.no_grad()
def centres(model: LocalTranslator, batch: Batch) -> Tensor:
    """p_t for each word of the references."""
    memory = model.encode(batch.source, batch.source_mask)
    hidden = model.start(memory)["hidden"].unsqueeze(0)
    states, _ = model.decoder(model.target_embedding(batch.target_in), hidden)
    return model.centre(states, memory)


def noise(trained: nn.Module) -> dict[str, dict[str, float]]:
    """How the estimators scatter around the gradient of the bound, at the parameters as they are.

    The batch is the same for all of them; only the positions are drawn anew.
    """
    assert isinstance(trained, Reinforce)
    model, baseline = trained.model, trained.baseline
    batch = make_batch(corpus.pairs("valid", MEASURED), ENGLISH, FRENCH)
    soft_gradient = global_model(StraightThrough(TEMPERATURE))
    soft_gradient.load_state_dict(model.state_dict())
    parameters = list(model.parameters())
    exact = gradient(LowerBound(model).train(), batch, parameters)
    estimators: dict[str, tuple[nn.Module, Sequence[nn.Parameter]]] = {
        "REINFORCE": (Reinforce(model), parameters),
        "REINFORCE, baseline": (Reinforce(model, baseline, baseline_weight=0), parameters),
        "REINFORCE, baseline, 5 draws": (
            Reinforce(model, baseline, samples=5, baseline_weight=0),
            parameters,
        ),
        "straight-through": (soft_gradient, list(soft_gradient.parameters())),
    }
    found = {}
    for name, (estimator, by) in estimators.items():
        draw = _Draw(estimator.train(), batch, by)
        found[name] = dataclasses.asdict(measure(draw, exact, DRAWS))
    model.eval()
    return found


@dataclasses.dataclass(frozen=True)
class _Draw:
    """One estimate of the gradient at each call."""

    estimator: nn.Module
    batch: Batch
    parameters: Sequence[nn.Parameter]

    def __call__(self) -> Tensor:
        return gradient(self.estimator, self.batch, self.parameters)


def record() -> runs.Record:
    """All variants with all seeds; some weights of the first seed are kept for the chapter."""
    jobs = [
        (variant, seed, seed == SEEDS[0] and variant in STORED)
        for variant in VARIANTS
        for seed in SEEDS
    ]
    settings = {
        "pairs": PAIRS,
        "batch_size": BATCH_SIZE,
        "epochs": EPOCHS,
        "energy": ENERGY,
        "sizes": dataclasses.asdict(SIZES),
        "reach": REACH,
        "temperature": TEMPERATURE,
        "learning_rate": LEARNING_RATE,
        "draws": DRAWS,
        "sentences_measured": MEASURED,
    }
    return runs.make(Path(__file__), row, jobs, settings)
