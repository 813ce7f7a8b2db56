"""The state of one draw: chance, the choices at hand, and what the sentence has so far."""

from __future__ import annotations

from .lexicon import Adjective, Noun
from .reference import Candidate, Mentions
from .tables import Choice, Random, Tables

_ALIKE = (
    frozenset({"red", "black", "blue", "green"}),
    frozenset({"small", "big"}),
    frozenset({"old", "young", "new"}),
    frozenset({"open", "closed"}),
    frozenset({"happy", "sad"}),
)
"""Adjectives of which a sentence has at most one, lest it contradict itself."""
_SAME = {word: group for group in _ALIKE for word in sorted(group)}


class NoFit(Exception):
    """The words drawn so far cannot be completed; the sentence is drawn anew."""


class Draft:
    """What a sentence (or passage) under way knows of itself.

    No noun comes twice in a sentence, and what is ``said`` (the verb of a clause, an adjective) is
    not said again; ``mentions`` holds the noun phrases that a pronoun may stand for; ``referents``
    what the pronouns of this sentence stand for, so that no two *it* stand for different things.
    """

    __slots__ = ("choices", "mentions", "random", "referents", "said", "used")

    def __init__(self, random: Random, choices: Tables, mentions: Mentions | None = None) -> None:
        self.random = random
        self.choices = choices
        self.mentions = mentions or Mentions()
        self.used: set[str] = set()
        self.said: set[str] = set()
        self.referents: dict[str, Candidate] = {}

    def begin_sentence(self) -> None:
        """Let the pronouns of the next sentence stand for other things."""
        self.referents.clear()

    def chance(self, share: float) -> bool:
        """Return True in ``share`` of the cases."""
        return self.random() < share

    def noun(self, choice: Choice[Noun]) -> Noun:
        """Return a noun that the sentence does not have yet.

        Raises:
            NoFit: four attempts gave nouns that are there already.
        """
        for _ in range(4):
            noun = choice(self.random)
            if noun.english not in self.used:
                self.used.add(noun.english)
                return noun
        raise NoFit

    def adjective(self, choice: Choice[Adjective]) -> Adjective | None:
        """Return an adjective that the sentence does not have yet, or None if luck is out."""
        for _ in range(3):
            adjective = choice(self.random)
            if adjective.english not in self.said:
                self.said |= _SAME.get(adjective.english, {adjective.english})
                return adjective
        return None
