"""Numbers and sentences about what schemes of positions know of distance.

The live ones (`book/frontend/src/widgets/positions/says.ts`) say the same.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal

from seq2bert.plane_picture import signed

Matrix = Sequence[Sequence[float]]


def number(value: float | int, scale: float | int = 0.0) -> str:
    """A number with about two digits that say something; what is nothing beside `scale` is 0."""
    size = abs(value)
    if size <= 1e-6 * scale or size < 1e-12:
        return "0"
    whole = next((digits for least, digits in ((100, 0), (10, 1), (0.1, 2)) if size >= least), None)
    digits = 1 - math.floor(math.log10(size)) if whole is None else whole
    # as browsers do: ALiBi's slopes are binary fractions, and many of them lie halfway
    rounded = Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    return signed(float(rounded), digits)


def largest(values: Matrix) -> float:
    """The size of the largest number; 1 when all are 0."""
    return max((abs(value) for row in values for value in row), default=0.0) or 1.0


def spread(scores: Matrix) -> float:
    """How far scores of the same distance differ, at most: 0 when the distance alone counts."""
    by_distance: dict[int, list[float]] = defaultdict(list)
    for i, row in enumerate(scores):
        for j, score in enumerate(row):
            by_distance[j - i].append(score)
    return max(max(same) - min(same) for same in by_distance.values())


def law(scores: Matrix) -> str:
    """One sentence: whether the distance alone counts."""
    apart, scale = spread(scores), largest(scores)
    if apart <= 1e-5 * scale:
        return "Every diagonal holds one number: the distance alone counts."
    return (
        f"Pairs that are equally far apart differ by up to {number(apart)}: "
        "the distance alone does not say what they get."
    )


def away(distance: int) -> str:
    """How far a key stands from the query, in words."""
    if distance == 0:
        return "the same place"
    return f"{abs(distance)} to the {'right' if distance > 0 else 'left'}"
