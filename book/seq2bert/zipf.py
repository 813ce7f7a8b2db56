"""Zipf's law: how often is the word of rank r? About as often as r to the power of -s.

Two ways to fit the exponent s to the same ranks. They answer different questions, and a chapter
shows how far they differ.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from jaxtyping import Float, Int

LARGEST_EXPONENT = 20.0


def rank_frequencies(words: Iterable[str]) -> Int[np.ndarray, "ranks"]:
    """How often the words occur, the most frequent first: entry r - 1 belongs to rank r.

    Raises:
        ValueError: there are no words, or they come as one string.
    """
    if isinstance(words, str):
        raise ValueError(f"the words are the string {words[:20]!r}; split it into words first")
    counts = sorted(Counter(words).values(), reverse=True)
    if not counts:
        raise ValueError("there are no words to count; give at least one")
    return np.array(counts)


def fit_least_squares(
    frequencies: Sequence[int] | Int[np.ndarray, "ranks"], first: int, last: int
) -> float:
    """The exponent s of the straight line log f = c - s log r that is nearest to ranks first..last.

    Every rank is one point, and most of the points are rare words; but the first few lie far out
    on the axis of log r, so each of them has much say about the slope.

    Args:
        frequencies: by rank, the largest first.
        first: the first rank that counts, from 1.
        last: the last one.

    Raises:
        ValueError: there are fewer than two such ranks, or the frequencies do not fall.
    """
    chosen, ranks = select_ranks(frequencies, first, last)
    slope = np.polyfit(np.log(ranks), np.log(chosen), 1)[0]
    return float(-slope)


def fit_maximum_likelihood(
    frequencies: Sequence[int] | Int[np.ndarray, "ranks"], first: int, last: int
) -> float:
    """The exponent s of p(r), proportional to r^-s on ranks first..last, that is likeliest.

    The zeta distribution, cut at both ends, in the manner of Clauset, Shalizi and Newman (2009);
    they fit how often words occur, with a lower cut only. Ranks that come from the same sample
    bias the exponent (Pilgrim and Hills, 2021). Every occurrence counts alike: most occurrences
    are those of frequent words. At the maximum the mean of log r is the same in the data and in
    the distribution; it falls as s grows, so halving the interval finds the place.

    Args:
        frequencies: by rank, the largest first.
        first: the first rank that counts, from 1.
        last: the last one.

    Returns:
        the exponent; 0 where all ranks are equally frequent.

    Raises:
        ValueError: there are fewer than two such ranks, or the frequencies do not fall.
    """
    chosen, ranks = select_ranks(frequencies, first, last)
    logs = np.log(ranks)
    wanted = float((chosen * logs).sum() / chosen.sum())
    low, high = 0.0, LARGEST_EXPONENT
    while high - low > 1e-9:
        middle = (low + high) / 2
        weights = np.exp(-middle * (logs - logs[0]))
        if float((weights * logs).sum() / weights.sum()) > wanted:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def select_ranks(
    frequencies: Sequence[int] | Int[np.ndarray, "ranks"], first: int, last: int
) -> tuple[Float[np.ndarray, "chosen"], Float[np.ndarray, "chosen"]]:
    """The frequencies of ranks first..last, and these ranks.

    Raises:
        ValueError: there are fewer than two such ranks, or the frequencies do not fall.
    """
    counts = np.asarray(frequencies, dtype=float)
    if not 1 <= first < last <= len(counts):
        raise ValueError(
            f"ranks {first} to {last} of {len(counts)}; expected at least two ranks, counted from 1"
        )
    if (np.diff(counts) > 0).any() or counts[last - 1] <= 0:
        raise ValueError(
            "the frequencies must be positive and fall from rank to rank; sort them, or use "
            "rank_frequencies"
        )
    return counts[first - 1 : last], np.arange(first, last + 1, dtype=float)
