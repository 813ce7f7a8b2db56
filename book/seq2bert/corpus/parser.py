"""Recover the tree of an English sentence, or say which word does not fit.

Each decision is made on the next word or two, so that the first word that cannot be part of a
sentence of the language is the one that the error names.
"""

from __future__ import annotations

from collections.abc import Sequence

from .english import write
from .forms import (
    BE,
    DEGREES,
    DO,
    FREQUENCIES,
    JOINS,
    MANNERS,
    QUESTION_WORDS,
    TIMES,
)
from .french import french_tenses
from .parser_phrases import PhraseParser
from .parser_verbs import read_complements, read_finite_verb
from .tree import Clause, NounPhrase, Relative, Sentence, Subject, Tense, Who, is_plural

_AUXILIARIES = {*BE, *DO, "will"}


def parse(source: Sequence[str]) -> Sentence:
    """Return the tree of a sentence.

    Args:
        source: the tokens, as `Pair.source` has them.

    Raises:
        ValueError: the sentence is not one of the language; the message names the first word that
            does not fit and what could stand in its place.
    """
    if isinstance(source, str) or not all(isinstance(word, str) for word in source):
        raise ValueError(f"the source is {source!r}; expected a sequence of words: split it first")
    words = tuple(source)
    if not words:
        raise ValueError("the source is empty; expected a sentence such as: the boy sleeps .")
    parser = Parser(words)
    sentence = parser.sentence()
    written = write(sentence)
    for place, (given, right) in enumerate(zip(words, written, strict=True)):
        if given != right:
            parser.at = place
            raise parser.error(repr(right))
    for clause, tense in zip(sentence.clauses, french_tenses(sentence), strict=True):
        if tense == "future" and clause.verb is not None and clause.verb.present_only:
            parser.at = clause.verb_at
            raise parser.error("another verb: its French future is not part of the language")
    return sentence


class Parser(PhraseParser):
    """Sentences and clauses; phrases and verbs stand in modules of their own."""

    def sentence(self) -> Sentence:
        """Read the whole sentence."""
        first = self.next()
        sentence: Sentence
        if first in ("if", "while") or (first == "when" and self.next(1) not in _AUXILIARIES):
            self.at += 1
            fronted = self.clause()
            self.expect(",")
            sentence = Sentence([fronted, self.clause()], [","], first)
        elif first in QUESTION_WORDS or first in _AUXILIARIES:
            sentence = Sentence([self._question()], [])
        else:
            sentence = Sentence([self.clause()], [])
        while self.next() in JOINS:
            sentence.joins.append(self.take())
            sentence.clauses.append(self.clause())
        if self.next() != sentence.mark:
            raise self.error(f"{sentence.mark!r}, or and, but, because, when, while, if")
        self.at += 1
        if self.at < len(self.words):
            raise self.error("nothing after the end of the sentence")
        return sentence

    def _question(self) -> Clause:
        kind = "yes-no"
        if self.next() in QUESTION_WORDS:
            kind = self.take()
        if kind == "who":
            who = Clause(Who(), None, question="who")
            self._predicate(who)
            return who
        if self.next() == "be" or self.next() not in _AUXILIARIES:
            raise self.error("is, are, was, were, do, does, did, will")
        auxiliary_at = self.at
        auxiliary = self.take()
        subject = self.subject()
        clause = Clause(subject, None)
        clause.question = kind  # type: ignore[assignment]  # the words name the kinds
        if auxiliary in BE:
            clause.tense = "past" if BE[auxiliary] == "past" else "present"
            if kind == "where":
                return clause
            if kind == "what":
                self.at = auxiliary_at
                raise self.error("do, does, did, will")
            self._after_be(clause)
            return clause
        clause.tense = "future" if auxiliary == "will" else "present"
        if auxiliary == "did":
            clause.tense = "past"
        if auxiliary == "will" and self.next() == "be":
            self.at += 1
            self._after_be(clause)
            return clause
        read_finite_verb(self, clause, base=True)
        read_complements(self, clause, gap=kind == "what")
        self._circumstances(clause)
        return clause

    def clause(self) -> Clause:
        """Read a statement: subject, verb and what follows."""
        clause = Clause(self.subject(), None)
        self._predicate(clause)
        return clause

    def relative(self, head: NounPhrase) -> Relative:
        """Read a relative clause after its *who* or *that*."""
        if self.starts_subject():
            clause = Clause(self.subject(), None, object=head)
            self._predicate(clause, gap="object")
            return Relative("object", clause)
        clause = Clause(head, None)
        self._predicate(clause, gap="subject")
        return Relative("subject", clause)

    def _predicate(self, clause: Clause, gap: str = "") -> None:
        word = self.next()
        tense: Tense = "present"
        base = False
        if word in BE and gap != "object":
            self._check_be(clause.subject, word)
            clause.tense = "past" if BE[self.take()] == "past" else "present"
            self._negation(clause, after_be=True)
            self._after_be(clause)
            return
        if word == "will":
            if getattr(clause.subject, "word", "") == "I":
                raise self.error("a verb in the present or past: the language has no I will")
            self.at += 1
            tense, base = "future", True
            self._negation(clause, after_be=True)
            if self.next() == "be" and gap != "object":
                self.at += 1
                clause.tense = "future"
                self._after_be(clause)
                return
        elif word in DO:
            self._check_do(clause.subject, word)
            tense, base = ("past" if DO[self.take()] == "past" else "present"), True
            if self.next() != "not":
                raise self.error("not")
            self.at += 1
            clause.negation = "not"
        else:
            self._negation(clause, after_be=False)
        clause.tense = tense
        read_finite_verb(self, clause, base, gap)
        read_complements(self, clause, gap == "object")
        self._circumstances(clause)

    def _check_be(self, subject: Subject, word: str) -> None:
        if getattr(subject, "word", "") == "I":
            raise self.error("a verb: the language has no I am, for its French needs a gender")
        right = ("are", "were") if is_plural(subject) else ("is", "was")
        if word not in right:
            raise self.error(" or ".join(right))

    def _check_do(self, subject: Subject, word: str) -> None:
        base = is_plural(subject) or getattr(subject, "word", "") == "I"
        right = ("do", "did") if base else ("does", "did")
        if word not in right:
            raise self.error(" or ".join(right))

    def _negation(self, clause: Clause, after_be: bool) -> None:
        word = self.next()
        if word == "never" or (word == "not" and after_be):
            clause.negation = "never" if word == "never" else "not"
            self.at += 1
        elif word in FREQUENCIES:
            clause.frequency = self.take()

    def _after_be(self, clause: Clause) -> None:
        """Read an adjective or a place; a place taken for part of the subject is given back."""
        subject = clause.subject
        if self.next() in DEGREES:
            clause.degree = self.take()
        adjective = self.adjective_here()
        if adjective is not None and adjective.predicate:
            self.at += 1
            clause.adjective = adjective
        elif clause.degree or not self.starts_place():
            loose = isinstance(subject, NounPhrase) and clause.question and not clause.degree
            if loose and isinstance(subject, NounPhrase) and subject.place is not None:
                clause.places, subject.place = (subject.place,), None
            else:
                place = "" if clause.degree else ", or a place such as: in the garden"
                raise self.error(f"an adjective such as red{place}")
        self._circumstances(clause)

    def _circumstances(self, clause: Clause) -> None:
        """Read manner, places and time."""
        if self.next() in MANNERS and clause.verb is not None and clause.content is None:
            clause.manner = self.take()
        places = list(clause.places)
        while self.starts_place():
            places.append(self.place())
        clause.places = tuple(places)
        word = self.next()
        if word in TIMES:
            if clause.tense not in TIMES[word]:
                raise self.error(f"a word of time that goes with the {clause.tense}")
            clause.time = self.take()
