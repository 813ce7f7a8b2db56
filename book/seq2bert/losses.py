"""Cross-entropy with one-hot labels, and perplexity, for reading.

With integer labels ("sparse categorical cross-entropy") the same number takes less memory: that
is `seq2bert.training.cross_entropy`, which trains every model of the book.
"""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor


def categorical_cross_entropy(
    log_probs: Float[Tensor, "batch target vocabulary"],
    one_hot: Float[Tensor, "batch target vocabulary"],
    mask: Bool[Tensor, "batch target"],
) -> Float[Tensor, ""]:
    """-sum_w tau_w log p_w, with the truth tau as a distribution over the vocabulary.

    Args:
        log_probs: of the model, shape (batch, target, vocabulary).
        one_hot: the truth, a distribution for each place (1 at the right word, say); same shape.
        mask: True where a word is real; other places count for nothing.

    Returns:
        the mean over the real words, in nats a word.

    Raises:
        ValueError: no word is real, or a real place's truth does not add up to 1.
    """
    if not bool(mask.any()):
        raise ValueError("no word is real: the mask is False everywhere")
    sums = one_hot.sum(-1)[mask]
    if not bool(torch.isclose(sums, torch.ones_like(sums), atol=1e-4).all()):
        raise ValueError("the truth of a word does not add up to 1; give a distribution")
    # 0 log 0 is 0: a word that is not the right one may be impossible
    summands = torch.where(one_hot > 0, one_hot * log_probs, 0.0)
    return -summands.sum(-1)[mask].mean()


def perplexity(nats_a_word: float) -> float:
    """exp of the cross-entropy: among how many equally likely words the model hesitates.

    Args:
        nats_a_word: a mean cross-entropy, at least 0.

    Raises:
        ValueError: it is negative or not a number.
    """
    if not nats_a_word >= 0:
        raise ValueError(f"the cross-entropy is {nats_a_word}; expected 0 or more")
    return math.exp(nats_a_word)
