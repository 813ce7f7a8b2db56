"""What an entry of the lexicon is: nouns, adjectives and verbs with their translations.

The words themselves stand in `nouns`, `adjectives` and `verbs`. An entry is compared by identity.
A *kind* says what a noun denotes (``human``, ``vehicle``, ``text``...); verbs and adjectives list
the kinds that they combine with. Kinds decide which sentences are plausible, which noun a pronoun
stands for, and which sense an ambiguous word has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Gender = Literal["m", "f"]
Frame = Literal["none", "object", "optional", "goal", "person", "gift", "that", "infinitive"]


@dataclass(frozen=True, slots=True, eq=False)
class Noun:
    """A noun in one sense.

    ``plural`` and ``french_plural`` are empty where the noun has no plural in the language.
    ``goal`` marks places that one goes *to* (French *à*); ``mass`` marks what is not counted;
    ``sense`` names the sense of an ambiguous English noun and is empty for all others.
    """

    english: str
    plural: str
    french: str
    french_plural: str
    gender: Gender
    kind: str
    goal: bool = False
    mass: bool = False
    sense: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class AdjectiveSense:
    """One translation of an adjective, with the kinds of noun for which it holds.

    ``forms`` are masculine singular, feminine singular, masculine plural, feminine plural;
    ``before_vowel`` replaces the first before a vowel (*vieil*), where it differs.
    """

    kinds: frozenset[str]
    forms: tuple[str, str, str, str]
    before_vowel: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Adjective:
    """An English adjective.

    ``precedes`` is true if its French translation stands before the noun, ``negated`` if it is
    translated by *non* and a participle (*unread*). ``predicate`` lists the kinds that it may be
    said of after *be*; it is empty for adjectives that only stand beside their noun.
    """

    english: str
    precedes: bool
    senses: tuple[AdjectiveSense, ...]
    predicate: frozenset[str]
    kinds: frozenset[str]
    negated: bool = False

    def sense_for(self, kind: str) -> AdjectiveSense:
        """Return the sense that this adjective has beside a noun of ``kind`` (default: first)."""
        for sense in self.senses:
            if kind in sense.kinds:
                return sense
        return self.senses[0]


@dataclass(frozen=True, slots=True, eq=False)
class Conjugation:
    """The French forms of a verb in one sense; participles agree by adding *e*, *s*, *es*."""

    je: str
    il: str
    ils: str
    il_future: str
    ils_future: str
    participle: str
    infinitive: str
    etre: bool = False
    reflexive: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class VerbSense:
    """One translation of a verb, with the kinds of subject for which it holds."""

    subjects: frozenset[str]
    french: Conjugation
    name: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Verb:
    """An English verb with one frame.

    ``frame`` says what follows: nothing, an object, an optional object, a goal (*to the school*),
    a person (*to the boy*), an object and a person, a *that* clause or an infinitive.
    ``telic`` verbs name an event with an end (*arrive*), which may stand in a past *when* clause.
    ``agreeing`` verbs have all four participle forms, so they may follow their object in the past.
    ``generic`` verbs give a bare object the definite article in French (*aime les pommes*).
    """

    base: str
    third: str
    past: str
    frame: Frame
    subjects: frozenset[str]
    objects: frozenset[str]
    senses: tuple[VerbSense, ...]
    telic: bool = False
    agreeing: bool = False
    generic: bool = False
    present_only: bool = False
    infinitive: bool = False
    places: tuple[str, ...] = ()

    def sense_for(self, kind: str) -> VerbSense:
        """Return the sense of this verb with a subject of ``kind`` (default: the first)."""
        for sense in self.senses:
            if kind in sense.subjects:
                return sense
        return self.senses[0]
