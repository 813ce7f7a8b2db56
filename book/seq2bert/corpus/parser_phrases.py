"""Read subjects, noun phrases and places."""

from __future__ import annotations

from abc import ABC, abstractmethod

from .english import PREPOSITIONS
from .forms import ADJECTIVE_FORMS, DETERMINERS, ENGLISH_WORDS, NOUN_FORMS, SUBJECT_PRONOUNS
from .lexicon import Adjective, Noun
from .tree import Both, Clause, NounPhrase, Place, Pronoun, Relative, Subject

_KNOWN = frozenset(ENGLISH_WORDS)
_FIRST_OF_PLACE = {words[0] for words in PREPOSITIONS.values()}
_SINGULAR = frozenset({"a", "an", "this", "every"})
_PLURAL = frozenset({"these", "two", "three", "many", "all"})


class PhraseParser(ABC):
    """The words, a position in them, and what noun phrases are made of."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self.words = words
        self.at = 0

    @abstractmethod
    def clause(self) -> Clause:
        """Read a statement: subject, verb and what follows."""

    @abstractmethod
    def relative(self, head: NounPhrase) -> Relative:
        """Read a relative clause after its *who* or *that*."""

    def next(self, ahead: int = 0) -> str:
        """Return the word at the position (or further on), empty at the end."""
        place = self.at + ahead
        return self.words[place] if place < len(self.words) else ""

    def take(self) -> str:
        """Return the word at the position and go on."""
        word = self.next()
        self.at += 1
        return word

    def expect(self, word: str) -> None:
        """Read ``word`` or fail."""
        if self.next() != word:
            raise self.error(repr(word))
        self.at += 1

    def error(self, expected: str) -> ValueError:
        """Return the error that names the word at the position and what could stand there."""
        word = self.next()
        before = " ".join(self.words[max(0, self.at - 3) : self.at]) or "the beginning"
        if not word:
            return ValueError(f"the sentence breaks off after {before!r}; expected {expected}")
        strange = "" if word in _KNOWN else " (not a word of the language, see ENGLISH_WORDS)"
        return ValueError(
            f"word {self.at + 1}, {word!r}{strange}, does not fit after {before!r}; "
            f"expected {expected}"
        )

    # -- subjects ------------------------------------------------------------------------------

    def starts_subject(self) -> bool:
        """Tell whether a subject may begin here."""
        return self.next() in DETERMINERS or self.next() in SUBJECT_PRONOUNS

    def subject(self) -> Subject:
        """Read a pronoun, a noun phrase with determiner, or two joined by *and*."""
        if self.next() in SUBJECT_PRONOUNS:
            return Pronoun(self.take())
        if self.next() not in DETERMINERS:
            raise self.error("a subject: I, he, she, it, they, or a noun with the, a, this, my...")
        first = self.noun_phrase(before_verb=True)
        if self.next() != "and" or self.next(1) not in DETERMINERS:
            return first
        self.at += 1
        return Both(first, self.noun_phrase())

    # -- noun phrases --------------------------------------------------------------------------

    def adjective_here(self, ahead: int = 0) -> Adjective | None:
        """Return the adjective at the position; *light* may be a noun instead."""
        word = self.next(ahead)
        return ADJECTIVE_FORMS.get(word)

    def _adjective_before_noun(self, ahead: int = 0) -> Adjective | None:
        word = self.next(ahead)
        found = ADJECTIVE_FORMS.get(word)
        if found is not None and word in NOUN_FORMS and self.next(ahead + 1) not in NOUN_FORMS:
            return None
        return found

    def starts_noun(self, ahead: int = 0) -> bool:
        """Tell whether an adjective or noun stands here, so that *her* before it is *sa*."""
        word = self.next(ahead)
        return word in NOUN_FORMS or word in ADJECTIVE_FORMS

    def noun_phrase(
        self, kinds: frozenset[str] = frozenset(), before_verb: bool = False
    ) -> NounPhrase:
        """Read a noun phrase.

        Args:
            kinds: what the verb before it combines with; decides the sense of *match*.
            before_verb: whether a place may follow as part of it (*the cat in the garden*).
        """
        determiner = self.take() if self.next() in DETERMINERS else ""
        if determiner == "all":
            self.expect("the")
        adjectives = self._adjectives()
        noun, plural = self._noun(determiner, kinds)
        name = "a" if determiner == "an" else determiner
        phrase = NounPhrase(name, noun, plural, adjectives)
        if self.next() == "of":
            self.at += 1
            phrase.of = self.noun_phrase()
        if noun.english == "bank":
            river = phrase.of is not None and phrase.of.noun.kind == "river"
            phrase.noun = next(
                one
                for one, _ in NOUN_FORMS["bank"]
                if one.sense == ("bank.river" if river else "bank.money")
            )
        if before_verb and self.starts_place():
            phrase.place = self.place()
        if self.next() in ("who", "that"):
            self.at += 1
            phrase.relative = self.relative(phrase)
        return phrase

    def _adjectives(self) -> tuple[Adjective, ...]:
        first = self._adjective_before_noun()
        if first is None:
            return ()
        self.at += 1
        second = self._adjective_before_noun()
        if second is None:
            return (first,)
        if not first.precedes or second.precedes:
            raise self.error(
                "a noun: of two adjectives the first is one of small, old, big, beautiful, new, "
                "young and the second is not"
            )
        self.at += 1
        return (first, second)

    def _noun(self, determiner: str, kinds: frozenset[str]) -> tuple[Noun, bool]:
        found = NOUN_FORMS.get(self.next())
        if found is None:
            raise self.error("a noun such as cat")
        noun, plural = next((one for one in found if one[0].kind in kinds), found[0])
        if plural and determiner in _SINGULAR:
            raise self.error(f"a noun in the singular after {determiner}")
        if not plural and determiner in _PLURAL:
            raise self.error(f"a noun in the plural after {determiner}")
        if not plural and not determiner and not noun.mass:
            raise self.error("the, a or another determiner before a noun in the singular")
        if noun.mass and determiner in ("a", "an", "every"):
            raise self.error(f"a noun that can be counted after {determiner}")
        if noun.kind == "game" and determiner:
            raise self.error(f"a noun that takes {determiner}")
        self.at += 1
        return noun, plural

    # -- places --------------------------------------------------------------------------------

    def starts_place(self) -> bool:
        """Tell whether a preposition of place stands here."""
        return self.next() in _FIRST_OF_PLACE

    def place(self) -> Place:
        """Read a preposition and its noun phrase."""
        preposition = self.take()
        if preposition == "in" and self.next() == "front":
            self.at += 1
            self.expect("of")
            preposition = "in front of"
        if self.next() not in DETERMINERS:
            raise self.error("the, a, my or another determiner")
        return Place(preposition, self.noun_phrase())
