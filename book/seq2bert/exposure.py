"""What the decoder reads while it learns: the reference, its own words, or now this, now that."""

from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from seq2bert.translator import NO_INTERVENTIONS, Attention, Interventions, Translator


def mixed(
    model: Translator,
    source: Int[Tensor, "batch source"],
    source_mask: Bool[Tensor, "batch source"],
    target_in: Int[Tensor, "batch target"],
    ratio: float | int,
    generator: torch.Generator | None = None,
    interventions: Interventions = NO_INTERVENTIONS,
) -> Float[Tensor, "batch target vocabulary"]:
    """Log-probabilities when a step reads the reference with some probability, else its own word.

    The first step reads `<bos>`. At each later one a coin is tossed for every sentence (scheduled
    sampling; Bengio et al., 2015): with probability `ratio` it reads the reference, otherwise the
    word that the model itself found likeliest before. The choice of that word has no gradient.

    Args:
        model: a translator.
        source: ids, shape (batch, source).
        source_mask: True where a word is real.
        target_in: the reference with `<bos>` before it, shape (batch, target).
        ratio: the teacher-forcing ratio, in [0, 1]; 1 is teacher forcing, 0 is free running.
        generator: of the coins; torch's own when left out.
        interventions: changes to the running model.

    Returns:
        shape (batch, target, vocabulary).

    Raises:
        ValueError: the ratio is not in [0, 1].
    """
    if not 0 <= ratio <= 1:
        raise ValueError(f"the teacher-forcing ratio is {ratio}; expected 0 to 1")
    memory = model.encode(source, source_mask, interventions)
    state = model.start(memory)
    token = target_in[:, 0]
    found: list[Tensor] = []
    for place in range(target_in.shape[1]):
        if place > 0:
            own = found[-1].argmax(dim=-1)
            coin = torch.rand(len(own), generator=generator).to(own.device)
            token = torch.where(coin < ratio, target_in[:, place], own)
        log_probs, state, _ = model.step(token, state, memory, interventions)
        found.append(log_probs)
    return torch.stack(found, dim=1)


class WithRatio(nn.Module):
    """A translator that trains with a teacher-forcing ratio; for `training.fit`.

    While it trains it reads as `mixed` does; in eval mode it is the model itself, so that
    validation losses can be compared. Its weights are those of the model.

    Args:
        model: a translator that can be called as in `training.fit`.
        ratio: the teacher-forcing ratio, in [0, 1].

    Raises:
        ValueError: the ratio is not in [0, 1].
    """

    def __init__(self, model: nn.Module, ratio: float | int) -> None:
        super().__init__()
        if not 0 <= ratio <= 1:
            raise ValueError(f"the teacher-forcing ratio is {ratio}; expected 0 to 1")
        self.model, self.ratio = model, ratio

    def forward(
        self,
        source: Int[Tensor, "batch source"],
        source_mask: Bool[Tensor, "batch source"],
        target_in: Int[Tensor, "batch target"],
    ) -> tuple[Float[Tensor, "batch target vocabulary"], Attention]:
        """Log-probabilities, shape (batch, target, vocabulary), and no attention."""
        model: Any = self.model
        if not self.training:
            log_probs, _ = model(source, source_mask, target_in)
            return log_probs, {}
        return mixed(model, source, source_mask, target_in, self.ratio), {}
