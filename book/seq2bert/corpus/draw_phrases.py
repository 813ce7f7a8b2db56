"""Draw noun phrases: determiner, number, adjectives, *of* phrases, places."""

from __future__ import annotations

from typing import Literal

from .draft import Draft
from .lexicon import Adjective, Noun
from .reference import PEOPLE
from .tables import OWNED, PARTS, Choice
from .tree import NounPhrase, Place

Role = Literal["subject", "object", "place"]
Determiner = tuple[str, bool]


def _determiners(text: str) -> Choice[Determiner]:
    """Read ``word:number:weight`` entries; ``-`` is no determiner, ``p`` is plural."""
    items: list[Determiner] = []
    weights: list[float] = []
    for entry in text.split():
        word, number, weight = entry.split(":")
        items.append(("" if word == "-" else word, number == "p"))
        weights.append(float(weight))
    return Choice(items, weights)


_DETERMINERS = {
    "subject": _determiners(
        "the:s:38 the:p:15 my:s:6 his:s:3 her:s:3 their:s:2 this:s:6 these:p:4 a:s:6 two:p:3 "
        "three:p:2 many:p:3 all:p:3 every:s:3 my:p:2 his:p:1 her:p:1 their:p:1"
    ),
    "object": _determiners(
        "the:s:30 the:p:10 a:s:17 -:p:6 this:s:4 these:p:4 my:s:4 his:s:4 her:s:4 their:s:2 "
        "two:p:3 three:p:2 many:p:3 all:p:2 my:p:1 his:p:2 her:p:2 their:p:1"
    ),
    "place": _determiners(
        "the:s:53 the:p:6 a:s:8 my:s:6 his:s:4 her:s:4 their:s:3 this:s:6 these:p:2 two:p:2"
    ),
}
_BOTH_DETERMINERS = _determiners("the:s:60 my:s:10 this:s:10 his:s:6 her:s:6 the:p:10")
_POSSESSIVES = frozenset({"my", "his", "her", "their"})
_UNOWNED = frozenset({"human", "youth", "river", "market", "shore", "light", "street"})
_OWNED_PEOPLE = frozenset({"teacher", "child"})
_MASS_OBJECT = Choice(["", "the", "his", "her", "my", "this"], [45, 30, 6, 6, 6, 7])
_SUBJECT_PLACES = Choice(["in", "near", "behind", "in front of"])


def phrase(
    draft: Draft, noun: Noun, role: Role, simple: bool = False, definite: bool = False
) -> NounPhrase:
    """Return a noun phrase around ``noun``.

    A ``simple`` one has nothing after the noun, a ``definite`` one has no *a*, *many* or *every*.
    """
    random = draft.random
    if noun.mass:
        word = _MASS_OBJECT(random) if role == "object" else "the"
        return NounPhrase(word, noun, False, _adjectives(draft, noun, 0.15))
    word, plural = _DETERMINERS[role](random)
    if word in _POSSESSIVES and noun.kind in _UNOWNED and noun.english not in _OWNED_PEOPLE:
        word = "the"
    if definite and word in ("a", "", "many", "every"):
        word = "these" if plural else "this"
    if noun.kind == "shore":
        river = draft.noun(draft.choices.parts["shore"])
        word = "this" if word == "this" else "the"
        return NounPhrase(
            word, noun, word == "the" and draft.chance(0.5), of=NounPhrase("the", river)
        )
    adjectives = _adjectives(draft, noun, 0.2 if role == "place" else 0.3)
    found = NounPhrase(word, noun, plural, adjectives)
    if word == "the" and not simple:
        _extend(draft, found, role)
    return found


def one_of_both(draft: Draft, noun: Noun) -> NounPhrase:
    """Return one of two subjects joined by *and*: determiner and noun, nothing else."""
    word, plural = _BOTH_DETERMINERS(draft.random)
    if word in ("his", "her", "my") and noun.kind in PEOPLE:
        word = "the"
    return NounPhrase(word, noun, plural)


def _adjectives(draft: Draft, noun: Noun, share: float) -> tuple[Adjective, ...]:
    if noun.kind == "body":
        share *= 3
    if not draft.chance(share) or noun not in draft.choices.adjectives:
        return ()
    table = draft.choices.adjectives[noun]
    first = draft.adjective(table)
    if first is None or (noun.mass and first.negated):
        return ()
    if first.precedes and draft.chance(0.3):
        second = table(draft.random)
        if not second.precedes and not second.negated:
            return (first, second)
    return (first,)


def _extend(draft: Draft, found: NounPhrase, role: Role) -> None:
    share = draft.random()
    kind = found.noun.kind
    if share < 0.12:
        if kind in PARTS:
            whole = draft.noun(draft.choices.parts[kind])
        elif kind in OWNED:
            whole = draft.noun(draft.choices.places["with"])
        else:
            return
        found.of = phrase(draft, whole, "place", simple=True)
    elif share < 0.17 and role == "subject" and kind in ("animal", "human", "youth"):
        found.place = place(draft, _SUBJECT_PLACES)


def place(draft: Draft, prepositions: Choice[str]) -> Place:
    """Return a preposition and a noun phrase."""
    preposition = prepositions(draft.random)
    noun = draft.noun(draft.choices.places[preposition])
    if preposition == "at":
        return Place(preposition, goal_phrase(draft, noun))
    return Place(preposition, phrase(draft, noun, "place", simple=True))


def goal_phrase(draft: Draft, noun: Noun) -> NounPhrase:
    """Return what follows *at* and *go to*; French *à* wants it definite."""
    found = phrase(draft, noun, "place", simple=True)
    if found.determiner in ("a", "two"):
        found.determiner = "the"
    return found
