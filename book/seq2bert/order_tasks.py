"""Two tasks that need order: one asks for a distance, the other for the nearest of several."""

from typing import NamedTuple

import torch
from einops import rearrange
from jaxtyping import Int
from torch import Tensor
from torch.nn import functional

NAMES, VALUES = 4, 8
UNASKED = -100


class Task(NamedTuple):
    """Sequences and what is to be said at each place.

    Attributes:
        ids: shape (batch, length).
        answers: shape (batch, length); `UNASKED` where nothing is asked.
    """

    ids: Int[Tensor, "batch length"]
    answers: Int[Tensor, "batch length"]


def steps_back(count: int, length: int, back: int, seed: int) -> Task:
    """Which word stood `back` places before? The distance matters, the words do not.

    Args:
        count: how many sequences.
        length: of each.
        back: the distance, at least 1; the first `back` places are not asked.
        seed: the same seed, the same sequences.

    Raises:
        ValueError: the distance is not positive, or no place is left to ask.
    """
    if not 1 <= back < length:
        raise ValueError(
            f"{back} places back in sequences of {length}; expected at least 1, and fewer than "
            "the length"
        )
    chance = torch.Generator().manual_seed(seed)
    ids = torch.randint(NAMES * VALUES, (count, length), generator=chance)
    answers = functional.pad(ids, (back, 0), value=UNASKED)[:, :length]
    return Task(ids, answers)


def last_value(count: int, length: int, seed: int) -> Task:
    """Each word is a name and a value; which value did this name have the last time before?

    What is sought is found by its name, and among all that have it the nearest is right.

    Args:
        count: how many sequences.
        length: of each.
        seed: the same seed, the same sequences.
    """
    chance = torch.Generator().manual_seed(seed)
    name = torch.randint(NAMES, (count, length), generator=chance)
    value = torch.randint(VALUES, (count, length), generator=chance)
    same = rearrange(name, "b k -> b 1 k") == rearrange(name, "b q -> b q 1")
    earlier = same & torch.ones(length, length, dtype=torch.bool).tril(-1)
    last = torch.where(earlier, torch.arange(length), -1).amax(-1)
    answers = value.gather(1, last.clamp_min(0)).masked_fill(last < 0, UNASKED)
    return Task(name * VALUES + value, answers)
