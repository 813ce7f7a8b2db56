"""A test of memory: a few boxes, then symbols that do not matter, then a question about one box."""

from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor

LETTERS = "ABCDEF"
NUMBERS = "123456"
FILLERS = "abcdefghij"
BOXES = 4

TOKENS = (
    *(f"{letter}={number}" for letter in LETTERS for number in NUMBERS),
    *FILLERS,
    *(f"{letter}?" for letter in LETTERS),
)
"""What an id stands for: boxes with what they hold, symbols that do not matter, questions."""

_FIRST_FILLER = len(LETTERS) * len(NUMBERS)
_FIRST_QUESTION = _FIRST_FILLER + len(FILLERS)


class Batch(NamedTuple):
    """Sequences such as ``B=4 F=1 A=3 D=1 g c a ... A?`` and the answers (here 3).

    Attributes:
        words: ids of `TOKENS`: four boxes with different letters, then the symbols that do not
            matter, then the question.
        answer: the number in the box that is asked for, as a place in `NUMBERS`.
        box: the place of that box in the sequence, 0 to 3.
    """

    words: Int[Tensor, "batch length"]
    answer: Int[Tensor, "batch"]
    box: Int[Tensor, "batch"]


def draw(count: int, distance: int, chance: torch.Generator) -> Batch:
    """Draw sequences with so many symbols between the boxes and the question.

    Args:
        count: how many sequences.
        distance: how many symbols that do not matter; may be 0.
        chance: where the random numbers come from.

    Raises:
        ValueError: there is no sequence asked for, or the distance is negative.
    """
    if count < 1 or distance < 0:
        raise ValueError(
            f"{count} sequences with {distance} symbols in between; expected at least 1 sequence "
            "and at least 0 symbols"
        )
    letter = torch.rand(count, len(LETTERS), generator=chance).argsort(dim=-1)[:, :BOXES]
    number = torch.randint(len(NUMBERS), (count, BOXES), generator=chance)
    between = _FIRST_FILLER + torch.randint(len(FILLERS), (count, distance), generator=chance)
    box = torch.randint(BOXES, (count, 1), generator=chance)
    question = _FIRST_QUESTION + letter.gather(1, box)
    words = torch.cat([letter * len(NUMBERS) + number, between, question], dim=1)
    return Batch(words, number.gather(1, box).squeeze(1), box.squeeze(1))


def names(words: Int[Tensor, "length"]) -> tuple[str, ...]:
    """The tokens of one sequence."""
    return tuple(TOKENS[index] for index in words.tolist())
