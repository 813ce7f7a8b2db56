"""Minimal pairs: two sentences that differ in one word, and what that word does to the French."""

from __future__ import annotations

from functools import cache

from .pair import Pair
from .translate import translate

# In each line the two words around the slash are the cue; all the rest is the same.
_LINES: dict[str, str] = {
    "pronoun": """
        the car/train stops because it is old .
        the car/boat stops because it is very quick .
        the plane/car arrives but it is too old .
        the man sees the box/bag because it is very small .
        the boy sleeps in the house/hotel because it is beautiful .
        the boxes/bags are open because they are empty .
        the doors/hotels are closed because they are old .
        the dog sees the car because it is tired/blue .
        the dog sees the box because it is young/empty .
        the cows see the trains because they are tired/blue .
        the cow sees the train because it sleeps/works .
        the girls watch the boats when they are happy/empty .
    """,
    "object_pronoun": """
        the boy buys the box/bag but the girl closes it .
        the letter/book is hard but the queen reads it .
        the woman sees the cow/dog and the king paints it .
        the dog sees the car but the boy paints/sells it .
        the mouse sees the hat but the girl watches/buys it .
    """,
    "sense": """
        the boy finds/watches the match .
        the boy sells/plays the match .
        the question/chair is hard .
        the king likes the hard book/bread .
        the girl sees the right hand/answer .
        the child sees the right idea/foot .
        the woman/watch works today .
        the teacher/car does not work .
        the man sleeps near the bank of the king/river .
        the boy plays the piano/song .
        the boy plays chess/songs .
    """,
    "agreement": """
        the door/hotel is open .
        the window/bag was closed .
        the woman/man is very old .
        the green dress/hat falls .
        the green dress/dresses will fall .
        the queen/king arrived .
        all the women/men sleep .
    """,
    "liaison": """
        the old bird/dog sleeps .
        the old man/king sleeps .
        I see this new hotel/piano .
        I see this beautiful plane/boat .
        the queen likes my idea/answer .
        this child/boy sings .
    """,
    "elision": """
        the bird/dog sleeps .
        the man/hero sleeps .
        the child/owl falls .
        the girl drinks the water/milk .
        the boy does not like/see the car .
        I like/see the flower .
        the king sees the flower that she/he paints .
    """,
    "possessive": """
        the boy likes his dress/hat .
        the boy likes his guitar/piano .
        the girl likes her guitar/piano .
        the girl likes her house/garden .
        the king sells my car/cars .
    """,
    "participle": """
        the box/bag that she opened is old .
        the letter/book that he read is hard .
        the flowers/trees that he painted are beautiful .
        the chair/chairs that I painted will fall .
    """,
    "future_clause": """
        the boy will sleep when/if the girl arrives .
        the queen will sing while/if the king plays .
        the man will arrive when/because the car is empty .
    """,
}

MINIMAL_PHENOMENA: tuple[str, ...] = tuple(_LINES)
"""The phenomena that `minimal_pairs` has sentences for."""


@cache
def minimal_pairs(phenomenon: str) -> tuple[tuple[Pair, Pair], ...]:
    """Return pairs of sentence pairs whose English differs in one word, the cue.

    Raises:
        ValueError: there are none for ``phenomenon``.
    """
    if phenomenon not in _LINES:
        raise ValueError(
            f"no minimal pairs for {phenomenon!r}; there are some for "
            + ", ".join(MINIMAL_PHENOMENA)
        )
    found = []
    for line in _LINES[phenomenon].strip().splitlines():
        first, second = (
            translate([word.split("/")[side] if "/" in word else word for word in line.split()])
            for side in (0, -1)
        )
        found.append((first, second))
    return tuple(found)
