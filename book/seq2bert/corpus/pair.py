"""What the corpus hands out: a sentence pair and the truth about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

LengthClass = Literal["short", "medium", "long"]

PHENOMENA: tuple[str, ...] = (
    "adjective_order",
    "agreement",
    "participle",
    "negation",
    "negative_article",
    "inserted_article",
    "past",
    "future",
    "future_clause",
    "question",
    "contraction",
    "elision",
    "liaison",
    "possessive",
    "quantity",
    "pronoun",
    "object_pronoun",
    "relative",
    "sense",
    "adverb_order",
    "reflexive",
    "conjunction",
    "coordination",
)
"""Names of what a pair may show; `Pair.spans` says at which target words it does."""


class Link(NamedTuple):
    """One alignment link: a position in the target and a position in the source."""

    target: int
    source: int


class Antecedent(NamedTuple):
    """What a pronoun stands for.

    ``source`` and ``target`` are the positions of the pronoun, ``antecedent`` is the position of
    the noun in the source; ``nearest`` is true if no other noun stands between the two.
    """

    source: int
    antecedent: int
    target: int
    nearest: bool


class Sense(NamedTuple):
    """The sense of an ambiguous English word at a source position."""

    source: int
    lemma: str
    sense: str


@dataclass(frozen=True, slots=True)
class Pair:
    """An English sentence, its French translation, and the truth about both.

    Attributes:
        source: the English tokens, lower case, punctuation included.
        target: the French tokens; *l'* and *oiseau* are two.
        sure: links that nobody would dispute and that the corpus lets a learner find.
        possible: links that one may also draw; `sure` is part of it.
        antecedents: one entry for each pronoun whose noun stands in the sentence.
        senses: one entry for each ambiguous word, in order.
        spans: for each phenomenon that the pair shows, the target positions concerned.
        length_class: ``short`` up to 8 source tokens, ``medium`` up to 14, ``long`` above.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    sure: frozenset[Link]
    possible: frozenset[Link]
    antecedents: tuple[Antecedent, ...] = ()
    senses: tuple[Sense, ...] = ()
    spans: Mapping[str, tuple[int, ...]] = field(default_factory=dict, hash=False)

    @property
    def phenomena(self) -> frozenset[str]:
        """The names of the phenomena that the pair shows, out of `PHENOMENA`."""
        return frozenset(self.spans)

    @property
    def length_class(self) -> LengthClass:
        """How long the source is, in three classes."""
        length = len(self.source)
        return "short" if length <= 8 else "medium" if length <= 14 else "long"
