"""Which words go together, how often, and which combinations are kept for the novel split."""

from __future__ import annotations

import hashlib
from bisect import bisect
from collections.abc import Callable, Sequence
from functools import cache
from typing import Generic, TypeVar

from .adjectives import ADJECTIVES
from .lexicon import Adjective, Noun, Verb
from .nouns import NOUNS
from .verbs import VERBS

T = TypeVar("T")
Random = Callable[[], float]
Combination = tuple[str, str, str]

RESERVED_SHARE = 0.12
_FEWEST = 10  # a word with fewer partners keeps them all: it must be learnt from something

OWNED = frozenset(
    {
        "animal",
        "building",
        "clothing",
        "container",
        "drama",
        "instrument",
        "machine",
        "picture",
        "tale",
        "text",
        "vehicle",
    }
)
PARTS = {
    "opening": "building room vehicle",
    "room": "building",
    "flower": "garden",
    "tree": "garden street",
    "light": "street",
    "shore": "river",
}
PLACES = {
    "in": "building room garden street vehicle",
    "at": "",
    "on": "furniture",
    "under": "furniture tree",
    "behind": "building opening tree vehicle furniture",
    "in front of": "building opening tree vehicle",
    "near": "building opening tree vehicle furniture river street market",
    "with": "human youth",
    "for": "human youth",
}


class Choice(Generic[T]):
    """A weighted choice; earlier items are more frequent, mildly so (Zipf-like)."""

    __slots__ = ("_bounds", "_last", "_total", "items")

    def __init__(self, items: Sequence[T], weights: Sequence[int | float] | None = None) -> None:
        self.items = tuple(items)
        total = 0.0
        self._bounds: list[float] = []
        for place in range(len(self.items)):
            total += weights[place] if weights else 1.0 / (place + 6) ** 0.6
            self._bounds.append(total)
        self._total = total
        self._last = len(self.items) - 1

    def __call__(self, random: Random) -> T:
        """Return one item."""
        return self.items[bisect(self._bounds, random() * self._total, 0, self._last)]


def _stable_share(text: str) -> float:
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64


def adjectives_of(noun: Noun) -> tuple[Adjective, ...]:
    """Return the adjectives that may stand beside ``noun``."""
    return tuple(one for one in ADJECTIVES if noun.kind in one.kinds)


def predicates_of(noun: Noun) -> tuple[Adjective, ...]:
    """Return the adjectives that may be said of ``noun`` after *be*."""
    return tuple(one for one in ADJECTIVES if noun.kind in one.predicate)


def objects_of(verb: Verb) -> tuple[Noun, ...]:
    """Return the nouns that may be the object of ``verb``."""
    found = [noun for noun in NOUNS if noun.kind in verb.objects]
    seen: set[str] = set()
    kept = []
    for noun in found:
        # of an ambiguous noun only the sense that the parser would choose
        if noun.english not in seen:
            kept.append(noun)
        seen.add(noun.english)
    return tuple(kept)


def subjects_of(verb: Verb) -> tuple[Noun, ...]:
    """Return the nouns that may be the subject of ``verb``."""
    return tuple(noun for noun in NOUNS if noun.kind in verb.subjects and not noun.mass)


@cache
def reserved_combinations() -> frozenset[Combination]:
    """Return the combinations that only the novel split shows.

    A combination is ``("adjective", adjective, noun)``, ``("object", verb, noun)`` or
    ``("subject", verb, noun)``, in English base forms; a stable hash decides.
    """
    found: set[Combination] = set()
    for noun in NOUNS:
        adjectives = adjectives_of(noun)
        if len(adjectives) >= _FEWEST:
            found.update(("adjective", one.english, noun.english) for one in adjectives)
    for verb in VERBS:
        objects, subjects = objects_of(verb), subjects_of(verb)
        if len(objects) >= _FEWEST:
            found.update(("object", verb.base, noun.english) for noun in objects)
        if len(subjects) >= _FEWEST:
            found.update(("subject", verb.base, noun.english) for noun in subjects)
    return frozenset(one for one in found if _stable_share("|".join(one)) < RESERVED_SHARE)


class Tables:
    """The choices of the generator, with or without the reserved combinations."""

    def __init__(self, novel: bool) -> None:
        self.novel = novel
        banned: frozenset[Combination] = frozenset() if novel else reserved_combinations()
        self.banned = banned
        # a reserved combination is drawn more often where it is wanted
        boost = reserved_combinations() if novel else frozenset()
        self.adjectives: dict[Noun, Choice[Adjective]] = {}
        self.predicates: dict[Noun, Choice[Adjective]] = {}
        for noun in NOUNS:
            for found, table in (
                (adjectives_of(noun), self.adjectives),
                (predicates_of(noun), self.predicates),
            ):
                kept = [a for a in found if ("adjective", a.english, noun.english) not in banned]
                if kept:
                    keys = [("adjective", a.english, noun.english) for a in kept]
                    table[noun] = Choice(kept, _weights(keys, boost))
        self.objects: dict[Verb, Choice[Noun]] = {}
        self.subjects: dict[Verb, Choice[Noun]] = {}
        for verb in VERBS:
            for role, nouns, chosen in (
                ("object", objects_of(verb), self.objects),
                ("subject", subjects_of(verb), self.subjects),
            ):
                rest = [n for n in nouns if (role, verb.base, n.english) not in banned]
                if rest:
                    keys = [(role, verb.base, n.english) for n in rest]
                    weights = _weights(keys, boost)
                    if role == "subject" and len(verb.senses) > 1:
                        # the second sense has few subjects; it must be learnt all the same
                        rare = verb.senses[1].subjects
                        weights = [
                            weight * (4 if noun.kind in rare else 1)
                            for weight, noun in zip(weights, rest, strict=True)
                        ]
                    chosen[verb] = Choice(rest, weights)
        self.described = Choice(
            [n for n in NOUNS if n in self.predicates and n.kind not in ("shore", "stick")]
        )
        self.places = {preposition: Choice(_place_nouns(preposition)) for preposition in PLACES}
        self.parts = {
            kind: Choice([n for n in NOUNS if n.kind in wholes.split() and not n.mass])
            for kind, wholes in PARTS.items()
        }

    def allows(self, role: str, word: str, noun: Noun) -> bool:
        """Tell whether a combination may be drawn."""
        return (role, word, noun.english) not in self.banned


def _place_nouns(preposition: str) -> list[Noun]:
    if preposition == "at":
        return [noun for noun in NOUNS if noun.goal]
    kinds = PLACES[preposition].split()
    if preposition == "on":
        kinds.append("shore")
    return [noun for noun in NOUNS if noun.kind in kinds and not noun.mass]


def _weights(keys: Sequence[Combination], boost: frozenset[Combination]) -> list[float]:
    """Weigh items by rank; a reserved combination counts four times where it is wanted."""
    return [(4.0 if key in boost else 1.0) / (place + 6) ** 0.6 for place, key in enumerate(keys)]


@cache
def tables(novel: bool) -> Tables:
    """Return the choices for the novel split or for all the others."""
    return Tables(novel)
