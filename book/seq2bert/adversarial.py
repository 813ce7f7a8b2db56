"""Other weights, same answer: attention that looks elsewhere and hardly changes the next word."""

import math
from dataclasses import dataclass

import torch
from einops import rearrange
from jaxtyping import Float
from torch import Tensor

from seq2bert.attention.distributions import masked_softmax
from seq2bert.given_weights import Step


def total_variation(
    first: Float[Tensor, "*batch outcome"], second: Float[Tensor, "*batch outcome"]
) -> Float[Tensor, "*batch"]:
    """0.5 sum |p - q|: the most by which the two differ about any set of outcomes, 0 to 1."""
    return 0.5 * (first - second).abs().sum(dim=-1)


def jensen_shannon(
    first: Float[Tensor, "*batch outcome"], second: Float[Tensor, "*batch outcome"]
) -> Float[Tensor, "*batch"]:
    """0.5 KL(p || m) + 0.5 KL(q || m), m = (p + q) / 2 (Lin, 1991): 0 to log 2 = 0.69.

    log 2 is reached where nothing that is possible in one is possible in the other.
    """
    middle = (0.5 * (first + second)).clamp_min(torch.finfo(first.dtype).tiny)
    parts = [
        # p log p is 0 at 0, and so is its slope there
        (p * (p.clamp_min(torch.finfo(p.dtype).tiny) / middle).log()).sum(dim=-1)
        for p in (first, second)
    ]
    return 0.5 * (parts[0] + parts[1])


@dataclass(frozen=True)
class Adversary:
    """Weights that look elsewhere, and what they change.

    Attributes:
        weights: as far from the model's own as was found.
        distance: Jensen-Shannon divergence to its own, mean over layers and heads, 0 to log 2.
        change: total variation between the two distributions of the next word.
    """

    weights: Float[Tensor, "batch layer head key"]
    distance: Float[Tensor, "batch"]
    change: Float[Tensor, "batch"]


def adversary(
    step: Step,
    limit: float = 0.05,
    rounds: int = 60,
    starts: int = 2,
    rate: float = 0.3,
    seed: int = 0,
) -> Adversary:
    """Weights as far from a step's own as can be, with nearly its answer (Jain and Wallace, 2019).

    Maximises JS(alpha, alpha') over alpha' = softmax(e) subject to TV(p, p') <= limit, by Adam on
    the energies e, with a price on what exceeds the limit, from several random starts. Of all
    points on the way that keep the limit the farthest is returned; the model's own weights, at
    the distance 0, always do. What is found is a lower bound: a better search may go farther.

    Args:
        step: of `steps_of`.
        limit: how much the next word's distribution may change.
        rounds: gradient steps from each start.
        starts: random starts.
        rate: of Adam.
        seed: of the starts.

    Raises:
        ValueError: the limit does not lie between 0 and 1.
    """
    if not 0 < limit < 1:
        raise ValueError(f"limit is {limit}; expected a total variation between 0 and 1")
    mask = rearrange(step.memory["mask"], "b k -> b 1 1 k")
    chance = torch.Generator().manual_seed(seed)
    best = Adversary(step.weights, *(torch.zeros(len(step.token)) for _ in range(2)))
    for _ in range(starts):
        energy = 2 * torch.randn(step.weights.shape, generator=chance)
        energy.requires_grad_()
        optimizer = torch.optim.Adam([energy], rate)
        for _ in range(rounds):
            with torch.enable_grad():
                weights = masked_softmax(energy, mask)
                found = measured(step, weights)
                # more than any step nearer to the model's own weights could gain
                price = 4 * math.log(2) / limit * (found.change - 0.8 * limit).clamp_min(0)
                optimizer.zero_grad()
                (energy.grad,) = torch.autograd.grad((price - found.distance).sum(), energy)
            optimizer.step()
            best = _farther(best, found, limit)
    return best


def measured(step: Step, weights: Float[Tensor, "batch layer head key"]) -> Adversary:
    """How far some weights are from the step's own, and how much they change its answer."""
    distance = jensen_shannon(weights, step.weights).mean(dim=(1, 2))
    change = total_variation(step.read_with(weights).exp(), step.log_probs.exp())
    return Adversary(weights, distance, change)


def _farther(best: Adversary, found: Adversary, limit: float) -> Adversary:
    """For each sentence the farther of the two, if it keeps the limit."""
    better = (found.change <= limit) & (found.distance > best.distance)
    return Adversary(
        torch.where(rearrange(better, "b -> b 1 1 1"), found.weights, best.weights).detach(),
        torch.where(better, found.distance, best.distance).detach(),
        torch.where(better, found.change, best.change).detach(),
    )
