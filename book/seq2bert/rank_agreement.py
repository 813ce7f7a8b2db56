"""Do two tables order the source words alike, do they agree with gold, and how sure is that."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from seq2bert.corpus import Pair

EVERYWHERE = "all words"


def tau_b(
    first: Float[Tensor, "*batch key"], second: Float[Tensor, "*batch key"]
) -> Float[Tensor, "*batch"]:
    """Kendall's tau-b of each row: do two scores put the keys into one order (Kendall, 1945)?

    tau_b = (C - D) / sqrt((N - T1)(N - T2)): C of the N pairs of keys stand in the same order in
    both, D in opposite orders, T1 are tied in the first, T2 in the second. 1: the same order,
    -1: the opposite one; without ties it is Kendall's tau.

    Args:
        first: scores of the keys.
        second: other scores of the same keys.

    Returns:
        a number for each row; NaN where one of the two ties all keys, for then there is no order.

    Raises:
        ValueError: the shapes differ.
    """
    _check_alike(first, second)
    orders = [(s.unsqueeze(-1) - s.unsqueeze(-2)).sign() for s in (first, second)]
    agreeing = (orders[0] * orders[1]).sum(dim=(-2, -1))
    untied = [order.abs().sum(dim=(-2, -1)) for order in orders]
    return agreeing / (untied[0] * untied[1]).sqrt()


def same_first(
    first: Float[Tensor, "*batch key"], second: Float[Tensor, "*batch key"]
) -> Float[Tensor, "*batch"]:
    """1 where both scores have one key in front, 0 where they have two; of a tie the first key.

    Raises:
        ValueError: the shapes differ.
    """
    _check_alike(first, second)
    return (first.argmax(dim=-1) == second.argmax(dim=-1)).to(first.dtype)


def on_gold(importance: Float[Tensor, "target source"], pair: Pair) -> Float[Tensor, "target"]:
    """1 where the most important source word of a target word is a possible link, 0 where not.

    Args:
        importance: weights or an importance table.
        pair: the sentence pair.

    Returns:
        a number for each target word; NaN for those without a sure link, which are not asked.

    Raises:
        ValueError: the table is not of this pair.
    """
    expected = (len(pair.target), len(pair.source))
    if tuple(importance.shape) != expected:
        raise ValueError(
            f"the table has the shape {tuple(importance.shape)}; this pair has {expected[0]} "
            f"target and {expected[1]} source words"
        )
    asked = {target for target, _ in pair.sure}
    chosen = importance.argmax(dim=-1).tolist()
    hits = [float(cell in pair.possible) for cell in enumerate(chosen)]
    known = [hit if target in asked else torch.nan for target, hit in enumerate(hits)]
    return torch.tensor(known, dtype=importance.dtype)


class Interval(NamedTuple):
    """A mean over target words, the ends of its bootstrap interval, and how many words there are.

    ``low`` and ``high`` enclose the middle of what samples of other sentences would have given.
    """

    mean: float
    low: float
    high: float
    words: int

    def __str__(self) -> str:
        """Such as ``0.62 (0.58 to 0.66)``."""
        return f"{self.mean:.2f} ({self.low:.2f} to {self.high:.2f})"


def interval(
    values: Sequence[Float[Tensor, "_"]],
    level: float = 0.95,
    repeats: int = 1000,
    seed: int = 0,
) -> Interval:
    """The mean over all words, with a percentile bootstrap over sentences (Efron, 1979).

    Words of one sentence are no independent witnesses, so whole sentences are drawn, with
    replacement, as many as there are, again and again.

    Args:
        values: for each sentence a number for each of its words; NaN is left out.
        level: share of the repeats that lies between the ends.
        repeats: how often sentences are drawn.
        seed: of the draw.

    Raises:
        ValueError: there is no number that is not NaN, or the level is not between 0 and 1.
    """
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; expected a share between 0 and 1, such as 0.95")
    known = [words[~words.isnan()].double() for words in values]
    known = [words for words in known if len(words)]
    if not known:
        raise ValueError("no number in any sentence; leave out what no sentence shows")
    sums = torch.stack([words.sum() for words in known])
    counts = torch.tensor([float(len(words)) for words in known], dtype=torch.float64)
    chance = torch.Generator().manual_seed(seed)
    drawn = torch.randint(len(known), (repeats, len(known)), generator=chance)
    means = sums[drawn].sum(dim=1) / counts[drawn].sum(dim=1)
    ends = torch.tensor([(1 - level) / 2, (1 + level) / 2], dtype=torch.float64)
    low, high = means.quantile(ends).tolist()
    return Interval(float(sums.sum() / counts.sum()), low, high, int(counts.sum()))


def by_phenomenon(
    values: Sequence[Float[Tensor, "_"]],
    pairs: Sequence[Pair],
    fewest: int = 1,
    repeats: int = 1000,
) -> dict[str, Interval]:
    """An interval for the target words of each phenomenon, and one for all words.

    Args:
        values: for each pair a number for each target word; NaN is left out.
        pairs: the pairs, which say where their phenomena are.
        fewest: phenomena with fewer words than this are left out.
        repeats: how often sentences are drawn.

    Returns:
        `EVERYWHERE` first, then the phenomena by the alphabet.

    Raises:
        ValueError: there is not one number for each target word of each pair.
    """
    for place, (words, pair) in enumerate(zip(values, pairs, strict=True)):
        if len(words) != len(pair.target):
            raise ValueError(
                f"{len(words)} numbers for pair {place}, which has {len(pair.target)} target words"
            )
    found = {EVERYWHERE: interval(values, repeats=repeats)}
    for name in sorted(set().union(*(pair.phenomena for pair in pairs))):
        chosen = [
            words[_places(pair.spans.get(name, ()))]
            for words, pair in zip(values, pairs, strict=True)
        ]
        if sum(int((~words.isnan()).sum()) for words in chosen) >= max(fewest, 1):
            found[name] = interval(chosen, repeats=repeats)
    return found


def _places(span: Sequence[int]) -> Int[Tensor, "_"]:
    return torch.tensor(sorted(span), dtype=torch.long)


def _check_alike(first: Tensor, second: Tensor) -> None:
    if first.shape != second.shape:
        raise ValueError(
            f"scores of the shapes {tuple(first.shape)} and {tuple(second.shape)}; expected two "
            "scores of the same keys"
        )
