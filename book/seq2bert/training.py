"""Training by teacher forcing: one loop for every translator of the book."""

import copy
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from tqdm import tqdm

from seq2bert.batching import Batch


def best_device() -> torch.device:
    """A GPU where there is one (CUDA, then Apple's MPS), else the processor."""
    if torch.cuda.is_available():
        return torch.device("cuda")
    if torch.backends.mps.is_available():
        return torch.device("mps")
    return torch.device("cpu")


def cross_entropy(
    log_probs: Float[Tensor, "batch target vocabulary"],
    target: Int[Tensor, "batch target"],
    mask: Bool[Tensor, "batch target"],
) -> Float[Tensor, ""]:
    """Mean of -log p(word) over the real words of a batch, in nats a word.

    Args:
        log_probs: log-probabilities, shape (batch, target, vocabulary).
        target: the words that should have been written.
        mask: True where a word is real; padding adds neither to the sum nor to the count.

    Returns:
        a scalar; 0 for a batch without a real word.
    """
    chosen = log_probs.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    return -(chosen.masked_fill(~mask, 0.0).sum() / mask.sum().clamp_min(1))


@dataclass(frozen=True)
class Settings:
    """How to train.

    Attributes:
        epochs: passes over the training data, at least 1.
        checks: how often in each pass the validation loss is looked at, at least once.
        learning_rate: the largest one; it rises linearly over the first `warmup` of all steps and
            falls linearly to 0 after that.
        warmup: share of the steps on which the learning rate rises, in [0, 1).
        clip: largest norm of the gradient.
        patience: checks without a better validation loss after which training stops.
        seed: of the order of the batches and of dropout.

    Raises:
        ValueError: a setting is out of its range.
    """

    epochs: int = 2
    checks: int = 4
    learning_rate: float = 4e-3
    warmup: float = 0.08
    clip: float = 1.0
    patience: int = 3
    seed: int = 0

    def __post_init__(self) -> None:
        """Check the ranges."""
        for name, value, fits in (
            ("epochs", self.epochs, self.epochs >= 1),
            ("checks", self.checks, self.checks >= 1),
            ("learning_rate", self.learning_rate, self.learning_rate > 0),
            ("warmup", self.warmup, 0 <= self.warmup < 1),
            ("clip", self.clip, self.clip > 0),
            ("patience", self.patience, self.patience >= 1),
        ):
            if not fits:
                raise ValueError(
                    f"{name} is {value!r}; see the docstring of Settings for its range"
                )


@dataclass(frozen=True)
class Check:
    """What is known at one look at the validation loss; losses in nats a word.

    Attributes:
        step: batches seen so far.
        seconds: since training began, by the clock.
        cpu_seconds: the same, spent by all threads of this process.
        train_loss: mean over the batches since the last check, as they were met.
        valid_loss: on the validation data.
    """

    step: int
    seconds: float
    cpu_seconds: float
    train_loss: float
    valid_loss: float


@torch.no_grad()
def mean_loss(model: nn.Module, batches: Sequence[Batch]) -> float:
    """Cross-entropy in nats a word over all batches, in eval mode (the mode is restored)."""
    training = model.training
    model.eval()
    device = next(model.parameters()).device
    total, words = 0.0, 0
    for batch in batches:
        batch = batch.to(device)
        log_probs, _ = model(batch.source, batch.source_mask, batch.target_in)
        count = int(batch.target_mask.sum())
        total += float(cross_entropy(log_probs, batch.target_out, batch.target_mask)) * count
        words += count
    model.train(training)
    return total / words


def fit(
    model: nn.Module,
    train: Sequence[Batch],
    valid: Sequence[Batch],
    settings: Settings = Settings(),
    device: torch.device | str | None = None,
    after_check: Callable[[nn.Module, Check], bool | None] | None = None,
) -> list[Check]:
    """Train a translator with Adam; leave it in eval mode with its best state, on `device`.

    Args:
        model: called as `model(source, source_mask, target_in)`; returns log-probabilities first.
        train: batches to learn from.
        valid: batches to judge by; they decide which state is kept and when to stop.
        settings: how to train.
        device: where; chosen by `best_device` when left out.
        after_check: called after each check; training stops if it returns True.

    Returns:
        what was found at each check.

    Raises:
        ValueError: there is nothing to train or to judge by, or the loss is no longer a number.
    """
    if not train or not valid:
        raise ValueError(
            f"{len(train)} training and {len(valid)} validation batches; both are needed"
        )
    device = torch.device(device) if device is not None else best_device()
    torch.manual_seed(settings.seed)
    model.to(device).train()
    train = [batch.to(device) for batch in train]
    optimizer = torch.optim.Adam(model.parameters(), lr=settings.learning_rate, fused=True)
    steps = settings.epochs * len(train)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: _slope(step, steps, settings.warmup)
    )
    checks = settings.epochs * settings.checks
    marks = {max(1, round(steps * number / checks)) for number in range(1, checks + 1)}
    history: list[Check] = []
    best_loss, best_state = float("inf"), copy.deepcopy(model.state_dict())
    began, began_cpu = time.perf_counter(), time.process_time()
    loss_sum, words = torch.zeros((), device=device), 0
    with tqdm(total=steps, unit="batch", leave=False, file=sys.stderr, mininterval=0.5) as progress:
        for step, batch in enumerate(_shuffled(train, settings.epochs), start=1):
            log_probs, _ = model(batch.source, batch.source_mask, batch.target_in)
            loss = cross_entropy(log_probs, batch.target_out, batch.target_mask)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(model.parameters(), settings.clip)
            optimizer.step()
            schedule.step()
            progress.update()
            count = int(batch.target_mask.sum())
            loss_sum, words = loss_sum + loss.detach() * count, words + count
            if step not in marks:
                continue
            now = Check(
                step,
                time.perf_counter() - began,
                time.process_time() - began_cpu,
                float(loss_sum) / words,
                mean_loss(model, valid),
            )
            history.append(now)
            loss_sum, words = torch.zeros((), device=device), 0
            progress.set_postfix(train=f"{now.train_loss:.3f}", valid=f"{now.valid_loss:.3f}")
            if math.isnan(now.train_loss):
                raise ValueError(
                    f"the loss is not a number after {step} batches; lower the learning rate "
                    f"({settings.learning_rate}) or the clipping norm ({settings.clip})"
                )
            if now.valid_loss < best_loss:
                best_loss, best_state = now.valid_loss, copy.deepcopy(model.state_dict())
            losses = [check.valid_loss for check in history]
            patient = len(losses) - 1 - losses.index(min(losses)) < settings.patience
            if (after_check and after_check(model, now)) or not patient:
                break
            model.train()
    model.load_state_dict(best_state)
    model.eval()
    return history


def _shuffled(batches: Sequence[Batch], epochs: int) -> Iterator[Batch]:
    """The batches in random order, so often; the order is drawn anew for each epoch."""
    for _ in range(epochs):
        yield from (batches[index] for index in torch.randperm(len(batches)).tolist())


def _slope(step: int, steps: int, warmup: float) -> float:
    """The share of the full learning rate at a step: up to 1, then down to 0."""
    rising = max(1, round(steps * warmup))
    if step < rising:
        return (step + 1) / rising
    return max(0.0, (steps - step) / max(1, steps - rising))
