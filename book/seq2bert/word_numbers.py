"""Numbers for any word without a model: query, key and value that follow from its letters alone.

They mean nothing. They differ from word to word, are the same at each start and on each machine,
and so show what masks do to weights and outputs; `book/frontend/src/widgets/masks/numbers.ts`
computes the same ones.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

SIZE = 4
"""Numbers in a query, a key or a value."""

_REACH = {"query": 2.0, "key": 2.0, "value": 1.0}


def word_numbers(words: Sequence[str], role: str) -> Float[Tensor, "word number"]:
    """Four numbers for each word: within [-2, 2) for queries and keys, within [-1, 1) for values.

    Args:
        words: any strings.
        role: ``query``, ``key`` or ``value``.

    Raises:
        ValueError: the role is another one.
    """
    if role not in _REACH:
        raise ValueError(f"role is {role!r}; expected one of {', '.join(_REACH)}")
    numbers = [
        [_REACH[role] * (_hash(f"{role} {at} {word}") / 2**31 - 1) for at in range(SIZE)]
        for word in words
    ]
    return torch.tensor(numbers, dtype=torch.float64).reshape(len(words), SIZE)


def _hash(text: str) -> int:
    """32 bits of a text: the hash of Fowler, Noll and Vo, its bits mixed as Appleby's Murmur3."""
    state = 2166136261
    for character in text:
        state = (state ^ ord(character)) * 16777619 & 0xFFFFFFFF
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        state = (state ^ state >> shift) * factor & 0xFFFFFFFF
    return state ^ state >> 16
