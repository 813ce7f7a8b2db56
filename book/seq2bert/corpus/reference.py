"""What pronouns stand for: a function of the English sentence alone.

A pronoun stands for a noun phrase before it that agrees in number (and, for *he* and *she*, in
sex) and that can do, be or undergo what its own clause says: a car stops, a box is empty, a dog is
tired.
Where several fit, a subject prefers the last subject and an object the last object.
"""

from __future__ import annotations

from .tree import Both, Clause, NounPhrase, Place, Pronoun, Sentence

PEOPLE = frozenset({"human", "youth"})
Candidate = NounPhrase | Both

_MOVABLE = frozenset(
    {
        "animal",
        "clothing",
        "container",
        "food",
        "human",
        "machine",
        "object",
        "press",
        "text",
        "vehicle",
        "youth",
    }
)
"""What may be somewhere: *it is under the table*."""


class Mentions:
    """The noun phrases met so far, in order, and which of them are subjects."""

    def __init__(self) -> None:
        self.phrases: list[Candidate] = []
        self.subjects: list[Candidate] = []
        self.unresolved: list[Pronoun] = []

    def read(self, sentence: Sentence) -> None:
        """Go through ``sentence``, give each pronoun its antecedent and remember the nouns."""
        for clause in sentence.clauses:
            self._clause(clause, len(self.phrases), None)

    def _clause(self, clause: Clause, known: int, head: NounPhrase | None, gap: str = "") -> None:
        subject = clause.subject
        if isinstance(subject, Pronoun):
            self._resolve(subject, said_of_subject(clause), known, head, True)
        elif gap != "subject":
            if isinstance(subject, NounPhrase):
                self._phrase(subject)
                self.subjects.append(subject)
            elif isinstance(subject, Both):
                self._phrase(subject.first)
                self._phrase(subject.second)
                self.phrases.append(subject)
                self.subjects.append(subject)
        self._rest(clause, known, head, gap)

    def _rest(self, clause: Clause, known: int, head: NounPhrase | None, gap: str) -> None:
        thing = clause.object
        if isinstance(thing, Pronoun):
            assert clause.verb is not None
            self._resolve(thing, clause.verb.objects, known, head, False)
        elif thing is not None and gap != "object":
            self._phrase(thing)
        for phrase in (clause.person, clause.goal):
            if phrase is not None:
                self._phrase(phrase)
        if clause.infinitive is not None:
            self._rest(clause.infinitive, known, head, gap)
        if clause.content is not None:
            self._clause(clause.content, len(self.phrases), None)
        for place in clause.places:
            self._place(place)

    def _place(self, place: Place) -> None:
        self._phrase(place.noun_phrase)

    def _phrase(self, phrase: NounPhrase) -> None:
        self.phrases.append(phrase)
        if phrase.of is not None:
            self._phrase(phrase.of)
        if phrase.place is not None:
            self._place(phrase.place)
        if phrase.relative is not None:
            relative = phrase.relative
            self._clause(relative.clause, len(self.phrases), phrase, relative.gap)

    def _resolve(
        self,
        pronoun: Pronoun,
        kinds: frozenset[str],
        known: int,
        head: NounPhrase | None,
        subject: bool,
    ) -> None:
        fitting = self.fitting(pronoun.word, kinds, known, head)
        pronoun.antecedent = None
        if fitting:
            preferred = [one for one in fitting if (one in self.subjects) == subject]
            pronoun.antecedent = (preferred or fitting)[-1]
        elif pronoun.word in ("it", "they", "them"):
            self.unresolved.append(pronoun)

    def fitting(
        self, word: str, kinds: frozenset[str], known: int, head: NounPhrase | None = None
    ) -> list[Candidate]:
        """Return those of the first ``known`` mentions that the pronoun may stand for.

        Where none is of the right kind, all that agree are returned: *the table sleeps because
        it ...* is odd, but clear.
        """
        if word == "I":
            return []
        agreeing = [one for one in self.phrases[:known] if one is not head and agrees(word, one)]
        return [one for one in agreeing if _fits(one, kinds)] or agreeing


def agrees(word: str, candidate: Candidate) -> bool:
    """Tell whether a pronoun may stand for ``candidate`` as far as number and sex go."""
    if isinstance(candidate, Both):
        return word in ("they", "them")
    if candidate.plural:
        return word in ("they", "them")
    if candidate.noun.kind in PEOPLE:
        return word in (("he", "him") if candidate.gender == "m" else ("she", "her"))
    return word == "it" and candidate.noun.kind != "game"


def _fits(candidate: Candidate, kinds: frozenset[str]) -> bool:
    if isinstance(candidate, Both):
        return candidate.first.noun.kind in kinds and candidate.second.noun.kind in kinds
    return candidate.noun.kind in kinds


def said_of_subject(clause: Clause) -> frozenset[str]:
    """Return the kinds of noun that may be the subject of ``clause``."""
    if clause.verb is not None:
        return clause.verb.subjects
    if clause.adjective is not None:
        return clause.adjective.predicate
    return _MOVABLE
