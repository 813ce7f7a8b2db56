"""How far estimates of a gradient scatter, and whether they scatter around the right place."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from seq2bert.batching import Batch
from seq2bert.training import cross_entropy


@dataclass(frozen=True)
class Noise:
    """Estimates of a gradient g, measured in squared lengths of g.

    Attributes:
        variance: E |G - E G|^2 / |g|^2, of a single estimate G.
        bias: |E G - g|^2 / |g|^2, freed of what the finite number of draws adds to it; around 0,
            and sometimes a little below, for an estimator without bias.
    """

    variance: float
    bias: float


def gradient(
    model: nn.Module, batch: Batch, parameters: Iterable[nn.Parameter]
) -> Float[Tensor, "size"]:
    """The gradient of the cross-entropy on a batch, as one row; the mode of the model is kept.

    Args:
        model: called as `model(source, source_mask, target_in)`; what it gives for the word that
            came is maximised.
        batch: sentence pairs.
        parameters: by which the derivative is taken; 0 for one that takes no part.
    """
    log_probs, _ = model(batch.source, batch.source_mask, batch.target_in)
    loss = cross_entropy(log_probs, batch.target_out, batch.target_mask)
    chosen = list(parameters)
    found = torch.autograd.grad(loss, chosen, allow_unused=True, materialize_grads=True)
    return torch.cat([part.flatten() for part in found])


def measure(
    estimate: Callable[[], Float[Tensor, "size"]], exact: Float[Tensor, "size"], draws: int
) -> Noise:
    """Draw estimates and compare them with the exact gradient.

    Args:
        estimate: draws one.
        exact: g.
        draws: how many, at least 2.

    Raises:
        ValueError: there are too few draws, or the exact gradient is 0.
    """
    size = float(exact.square().sum())
    if draws < 2 or not size:
        raise ValueError(
            f"{draws} draws, a gradient of length {size**0.5}; expected at least 2 draws and a "
            "gradient that is not 0"
        )
    drawn = torch.stack([estimate() for _ in range(draws)])
    variance = float(drawn.var(dim=0).sum())
    distance = float((drawn.mean(dim=0) - exact).square().sum())
    return Noise(variance / size, (distance - variance / draws) / size)
