"""Pictures with several handwritten digits, two of which carry a dot, and a question about one."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

DIGIT = 8
"""Pixels on a side of a digit."""
HELD_OUT = 397
"""So many digits, the last ones, appear in test canvases alone."""


@dataclass(frozen=True)
class Canvases:
    """Pictures, a question about each, and the truth: which digit has the dot that is asked for?

    Attributes:
        pictures: shape (canvas, 1, side, side), 0 is paper and 1 is ink.
        asked: the question; 0 for the digit with a dot above and left of it, 1 for the one with a
            dot below and right of it.
        labels: the digit that is asked for, 0 to 9.
        boxes: True inside the box of that digit, shape (canvas, side, side).
        digits: all digits of a canvas; those with the two dots come first, in this order.
    """

    pictures: Float[Tensor, "canvas 1 side side"]
    asked: Int[Tensor, "canvas"]
    labels: Int[Tensor, "canvas"]
    boxes: Bool[Tensor, "canvas side side"]
    digits: Int[Tensor, "canvas digit"]

    def __len__(self) -> int:
        """How many canvases there are."""
        return len(self.labels)


def draw(count: int, held_out: bool, seed: int = 0, side: int = 28, digits: int = 3) -> Canvases:
    """Put digits of scikit-learn's `load_digits` at random places, and mark two of them.

    A digit has eight by eight pixels and stands in a box of ten by ten; boxes do not overlap. The
    marks are dots of two by two pixels, in the left upper corner of the first digit's box and in
    the right lower corner of the second one's.

    Args:
        count: how many canvases.
        held_out: draw from the digits that are kept for testing, or from the others.
        seed: the same seed gives the same canvases.
        side: pixels on a side, at least 20.
        digits: how many digits on a canvas, 2 to 4.

    Raises:
        ValueError: there are no canvases asked for, or the digits do not fit.
    """
    if count < 1:
        raise ValueError(f"{count} canvases asked for; expected at least 1")
    if not 2 <= digits <= 4 or side < 2 * (DIGIT + 2):
        raise ValueError(
            f"{digits} digits on {side} x {side} pixels; expected 2 to 4 digits and at least "
            f"{2 * (DIGIT + 2)} pixels on a side"
        )
    images, labels = _digits()
    pool = range(len(labels) - HELD_OUT, len(labels)) if held_out else range(len(labels) - HELD_OUT)
    chance = np.random.default_rng([seed, held_out])
    pictures = np.zeros((count, 1, side, side), dtype=np.float32)
    boxes = np.zeros((count, side, side), dtype=bool)
    asked = chance.integers(0, 2, size=count)
    chosen = chance.choice(np.array(pool), size=(count, digits))
    box = DIGIT + 2
    for canvas, places in enumerate(_places(chance, count, side, digits)):
        picture = pictures[canvas, 0]
        for (top, left), digit in zip(places, chosen[canvas], strict=True):
            inside = slice(top + 1, top + 1 + DIGIT), slice(left + 1, left + 1 + DIGIT)
            picture[inside] = images[digit]
        (top, left), (other_top, other_left) = places[:2]
        picture[top : top + 2, left : left + 2] = 1.0
        bottom, right = other_top + box, other_left + box
        picture[bottom - 2 : bottom, right - 2 : right] = 1.0
        top, left = places[asked[canvas]]
        boxes[canvas, top : top + box, left : left + box] = True
    digits_of = labels[chosen]
    return Canvases(
        torch.from_numpy(pictures),
        torch.from_numpy(asked),
        torch.from_numpy(digits_of[np.arange(count), asked]),
        torch.from_numpy(boxes),
        torch.from_numpy(digits_of),
    )


@cache
def _digits() -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    from sklearn.datasets import load_digits

    loaded = load_digits()
    return (loaded.images / 16).astype(np.float32), loaded.target.astype(np.int64)


def _places(
    chance: np.random.Generator, count: int, side: int, digits: int
) -> npt.NDArray[np.int64]:
    """The corners (top, left) of boxes that do not overlap, shape (count, digits, 2).

    All that overlap are drawn again.
    """
    box = DIGIT + 2
    corners = chance.integers(0, side - box + 1, size=(count, digits, 2))
    wrong = np.ones(count, dtype=bool)
    while wrong.any():
        corners[wrong] = chance.integers(0, side - box + 1, size=(int(wrong.sum()), digits, 2))
        apart = np.abs(corners[:, :, None] - corners[:, None]).max(axis=-1) >= box
        wrong = ~(apart | np.eye(digits, dtype=bool)).all(axis=(1, 2))
    return corners
