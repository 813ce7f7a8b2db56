"""Label smoothing: a truth that leaves a little for the other words."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from seq2bert.translator import Attention


def smooth_labels(
    labels: Int[Tensor, "*batch"], vocabulary: int, share: float
) -> Float[Tensor, "*batch {vocabulary}"]:
    """(1 - share) at the right word, and share / vocabulary at every word (Szegedy et al., 2016).

    Args:
        labels: ids of the right words.
        vocabulary: how many words there are.
        share: what is given away, in [0, 1).

    Raises:
        ValueError: the share is out of its range.
    """
    if not 0 <= share < 1:
        raise ValueError(f"share is {share}; expected a number in [0, 1)")
    one_hot = nn.functional.one_hot(labels, vocabulary).float()
    return one_hot * (1 - share) + share / vocabulary


class LabelSmoothing(nn.Module):
    """A translator that learns from smoothed labels and is judged by the true ones.

    The cross-entropy with a smoothed label is -(1 - share) log p_y - share / V sum_w log p_w: that
    of the true label, if log p_w is replaced by (1 - share) log p_w + share times the mean of all
    log p. So the loss of `seq2bert.training.fit` needs no change. In eval mode nothing is smoothed.

    Args:
        model: a translator; it is trained in place.
        share: what is given away, in [0, 1); .1 in Vaswani et al. (2017, section 5.4).

    Raises:
        ValueError: the share is out of its range.
    """

    def __init__(self, model: nn.Module, share: float = 0.1) -> None:
        super().__init__()
        if not 0 <= share < 1:
            raise ValueError(f"share is {share}; expected a number in [0, 1)")
        self.model = model
        self.share = share

    def forward(
        self,
        source: Int[Tensor, "batch source"],
        source_mask: Bool[Tensor, "batch source"],
        target_in: Int[Tensor, "batch target"],
    ) -> tuple[Float[Tensor, "batch target vocabulary"], Attention]:
        """What the model gives; in training its log-probabilities are mixed with their mean."""
        log_probs, attention = self.model(source, source_mask, target_in)
        if self.training:
            log_probs = torch.lerp(log_probs, log_probs.mean(dim=-1, keepdim=True), self.share)
        return log_probs, attention
