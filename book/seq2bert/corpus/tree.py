"""The analysis of an English sentence: what the writer writes and the parser recovers.

A tree holds what is said in English and nothing that French needs beyond it. The fields that end in
``_at`` are positions of words in the sentence; the writer fills them in (-1: not written).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from .lexicon import Adjective, Gender, Noun, Verb

Tense = Literal["present", "past", "future"]


@dataclass(slots=True, eq=False)
class NounPhrase:
    """``determiner`` (may be empty), adjectives, noun, and what follows the noun."""

    determiner: str
    noun: Noun
    plural: bool = False
    adjectives: tuple[Adjective, ...] = ()
    of: NounPhrase | None = None
    place: Place | None = None
    relative: Relative | None = None
    determiner_at: int = -1
    adjectives_at: int = -1
    noun_at: int = -1
    of_at: int = -1

    @property
    def gender(self) -> Gender:
        """The French gender of the noun."""
        return self.noun.gender


@dataclass(slots=True, eq=False)
class Pronoun:
    """A personal pronoun: ``I he she it they`` or, as object, ``him her it them``."""

    word: str
    antecedent: NounPhrase | Both | None = None
    at: int = -1


@dataclass(slots=True, eq=False)
class Both:
    """Two subjects joined by *and*."""

    first: NounPhrase
    second: NounPhrase
    and_at: int = -1

    @property
    def gender(self) -> Gender:
        """Feminine only if both are."""
        return "f" if self.first.gender == self.second.gender == "f" else "m"

    @property
    def noun_at(self) -> int:
        """The position of the first noun, which stands for the group."""
        return self.first.noun_at


@dataclass(slots=True, eq=False)
class Who:
    """The question word *who* as subject."""

    at: int = -1


Subject = NounPhrase | Pronoun | Both | Who


@dataclass(slots=True, eq=False)
class Place:
    """A preposition and its noun phrase; ``at`` and ``end`` are its first and last word."""

    preposition: str
    noun_phrase: NounPhrase
    at: int = -1


@dataclass(slots=True, eq=False)
class Relative:
    """A relative clause; its ``gap`` is what the noun before it stands for in the clause."""

    gap: Literal["subject", "object"]
    clause: Clause
    at: int = -1


@dataclass(slots=True, eq=False)
class Clause:
    """One clause. ``verb`` is None for *be*, which is followed by an adjective or a place.

    In a relative clause the head noun phrase stands in ``subject`` or ``object`` and is not written
    again. ``tense`` is the English tense: *when he arrives* is present even where French has the
    future. The infinitive after *want to* is a clause without subject of its own.
    """

    subject: Subject
    verb: Verb | None
    tense: Tense = "present"
    negation: Literal["", "not", "never"] = ""
    frequency: str = ""
    object: NounPhrase | Pronoun | None = None
    person: NounPhrase | None = None
    goal: NounPhrase | None = None
    content: Clause | None = None
    infinitive: Clause | None = None
    adjective: Adjective | None = None
    degree: str = ""
    manner: str = ""
    places: tuple[Place, ...] = ()
    time: str = ""
    question: Literal["", "yes-no", "who", "where", "when", "why", "what"] = ""
    question_at: int = -1
    auxiliary_at: int = -1
    negation_at: int = -1
    frequency_at: int = -1
    verb_at: int = -1
    to_at: int = -1
    that_at: int = -1
    degree_at: int = -1
    adjective_at: int = -1
    manner_at: int = -1
    time_at: int = -1


@dataclass(slots=True, eq=False)
class Sentence:
    """Clauses and the words that join them.

    ``joins[i]`` stands before ``clauses[i + 1]``. If ``fronted`` is a conjunction it stands before
    the first clause, and ``joins[0]`` is a comma.
    """

    clauses: list[Clause]
    joins: list[str]
    fronted: str = ""
    fronted_at: int = -1
    joins_at: list[int] = field(default_factory=list)
    end_at: int = -1

    @property
    def mark(self) -> str:
        """The closing punctuation mark."""
        return "?" if self.clauses[0].question else "."


def is_plural(subject: Subject) -> bool:
    """Tell whether a subject takes the plural verb."""
    if isinstance(subject, NounPhrase):
        return subject.plural
    if isinstance(subject, Pronoun):
        return subject.word == "they"
    return isinstance(subject, Both)
