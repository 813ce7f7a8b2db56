"""From a distribution over the next word to a word: temperature, top k, nucleus, sampling.

All functions take the distribution along the last axis and leave the other axes alone.
"""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor


def with_temperature(
    logits: Float[Tensor, "*batch vocabulary"], temperature: float | int
) -> Float[Tensor, "*batch vocabulary"]:
    """Log-probabilities of softmax(logits / temperature).

    Below 1 the likely words gain, above 1 the unlikely ones; towards 0 only the likeliest is left
    (of equal ones each gets the same share), towards infinity all are equally likely.

    Args:
        logits: any numbers; -inf for what must not come. Shape (..., vocabulary).
        temperature: at least 0; 0 is the limit.

    Returns:
        log-probabilities of the same shape.

    Raises:
        ValueError: the temperature is negative or not a number, or a row has no finite logit.
    """
    if not 0 <= temperature <= math.inf:
        raise ValueError(f"the temperature is {temperature}; expected 0 or more")
    _check(logits)
    if temperature == 0:
        scaled = torch.where(logits == logits.amax(-1, keepdim=True), 0.0, -torch.inf)
    elif temperature == math.inf:
        scaled = torch.where(logits.isneginf(), -torch.inf, 0.0)
    else:
        # the largest is taken off first, so that a small temperature does not overflow
        scaled = (logits - logits.amax(-1, keepdim=True)) / temperature
    return scaled.to(logits.dtype).log_softmax(-1)


def top_k(logits: Float[Tensor, "*batch vocabulary"], k: int) -> Float[Tensor, "*batch vocabulary"]:
    """Log-probabilities with only the k likeliest words left (Fan et al., 2018).

    Args:
        logits: shape (..., vocabulary); log-probabilities will do.
        k: how many stay, at least 1; all of them where there are fewer. Of equal ones the first.

    Returns:
        log-probabilities of the same shape; -inf for what was left out.

    Raises:
        ValueError: k is less than 1, or a row has no finite logit.
    """
    if k < 1:
        raise ValueError(f"k is {k}; at least 1 word must stay")
    _check(logits)
    order = logits.argsort(stable=True, dim=-1, descending=True)
    stays = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, order[..., :k], True)
    return logits.masked_fill(~stays, -torch.inf).log_softmax(-1)


def top_p(
    logits: Float[Tensor, "*batch vocabulary"], p: float | int
) -> Float[Tensor, "*batch vocabulary"]:
    """Log-probabilities of the nucleus (Holtzman et al., 2020).

    The nucleus is the smallest set of words whose probabilities add up to p or more: words are
    taken in, the likeliest first (of equal ones the first), until the sum is reached.

    Args:
        logits: shape (..., vocabulary); log-probabilities will do.
        p: the mass that must be reached, above 0, at most 1. With 1 all words stay.

    Returns:
        log-probabilities of the same shape; -inf for what was left out.

    Raises:
        ValueError: p is not in (0, 1], or a row has no finite logit.
    """
    if not 0 < p <= 1:
        raise ValueError(f"p is {p}; expected more than 0 and at most 1")
    _check(logits)
    if p == 1:
        return logits.log_softmax(-1)
    order = logits.argsort(stable=True, dim=-1, descending=True)
    # in double precision: the sum of a large vocabulary must not miss p by rounding
    sorted_probs = logits.double().softmax(-1).gather(-1, order)
    before = sorted_probs.cumsum(-1) - sorted_probs
    stays = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, order, before < p)
    return logits.masked_fill(~stays, -torch.inf).log_softmax(-1)


def sample(
    logits: Float[Tensor, "*batch vocabulary"], generator: torch.Generator | None = None
) -> Int[Tensor, "*batch"]:
    """Draw one word from each distribution.

    Args:
        logits: shape (..., vocabulary); log-probabilities will do.
        generator: where the randomness comes from; torch's own when left out.

    Returns:
        ids, shape (...).

    Raises:
        ValueError: a row has no finite logit.
    """
    _check(logits)
    probs = logits.softmax(-1)
    drawn = torch.multinomial(probs.reshape(-1, probs.shape[-1]), 1, generator=generator)
    return drawn.reshape(probs.shape[:-1])


def _check(logits: Tensor) -> None:
    """Something must be possible, and nothing may be infinitely likely or no number."""
    if bool((logits.isnan() | logits.isposinf()).any()):
        raise ValueError("a logit is nan or +inf; expected numbers, or -inf for what may not come")
    if logits.shape[-1] == 0 or bool(logits.isneginf().all(-1).any()):
        raise ValueError("a distribution has no word that may come; at least one logit is needed")
