"""The English side: write a tree as words and note in the tree where each word stands."""

from __future__ import annotations

from .tree import Both, Clause, NounPhrase, Place, Pronoun, Sentence, Subject, is_plural

PREPOSITIONS: dict[str, tuple[str, ...]] = {
    "in": ("in",),
    "on": ("on",),
    "under": ("under",),
    "behind": ("behind",),
    "in front of": ("in", "front", "of"),
    "near": ("near",),
    "at": ("at",),
    "with": ("with",),
    "for": ("for",),
}


def write(sentence: Sentence) -> list[str]:
    """Return the words of ``sentence``, closing mark included, and fill in its positions."""
    words: list[str] = []
    if sentence.fronted:
        sentence.fronted_at = 0
        words.append(sentence.fronted)
    _clause(sentence.clauses[0], words)
    sentence.joins_at = []
    for join, clause in zip(sentence.joins, sentence.clauses[1:], strict=True):
        sentence.joins_at.append(len(words))
        words.append(join)
        _clause(clause, words)
    sentence.end_at = len(words)
    words.append(sentence.mark)
    return words


def _noun_phrase(phrase: NounPhrase, words: list[str]) -> None:
    determiner = phrase.determiner
    noun = phrase.noun.plural if phrase.plural else phrase.noun.english
    if determiner:
        phrase.determiner_at = len(words)
        if determiner == "a":
            after = phrase.adjectives[0].english if phrase.adjectives else noun
            words.append("an" if after[0] in "aeiou" else "a")
        elif determiner == "all":
            words += ("all", "the")
        else:
            words.append(determiner)
    if phrase.adjectives:
        phrase.adjectives_at = len(words)
        for adjective in phrase.adjectives:
            words.append(adjective.english)
    phrase.noun_at = len(words)
    words.append(noun)
    if phrase.of is not None:
        phrase.of_at = len(words)
        words.append("of")
        _noun_phrase(phrase.of, words)
    if phrase.place is not None:
        _place(phrase.place, words)
    if phrase.relative is not None:
        relative = phrase.relative
        relative.at = len(words)
        people = phrase.noun.kind in ("human", "youth")
        words.append("who" if people and relative.gap == "subject" else "that")
        _clause(relative.clause, words, relative.gap)


def _place(place: Place, words: list[str]) -> None:
    place.at = len(words)
    words += PREPOSITIONS[place.preposition]
    _noun_phrase(place.noun_phrase, words)


def _subject(subject: Subject, words: list[str]) -> None:
    if isinstance(subject, NounPhrase):
        _noun_phrase(subject, words)
    elif isinstance(subject, Both):
        _noun_phrase(subject.first, words)
        subject.and_at = len(words)
        words.append("and")
        _noun_phrase(subject.second, words)
    else:
        subject.at = len(words)
        words.append(subject.word if isinstance(subject, Pronoun) else "who")


def _clause(clause: Clause, words: list[str], gap: str = "") -> None:
    question = clause.question
    if question and question not in ("yes-no", "who"):
        clause.question_at = len(words)
        words.append(question)
    inverted = bool(question) and question != "who"
    if clause.verb is None:
        _be(clause, words, inverted, gap)
    else:
        _full_verb(clause, words, inverted, gap)
    for place in clause.places:
        _place(place, words)
    if clause.time:
        clause.time_at = len(words)
        words.append(clause.time)


def _be(clause: Clause, words: list[str], inverted: bool, gap: str) -> None:
    plural = is_plural(clause.subject)
    if clause.tense == "future":
        auxiliary = "will"
    elif clause.tense == "past":
        auxiliary = "were" if plural else "was"
    else:
        auxiliary = "are" if plural else "is"
    if not inverted and gap != "subject":
        _subject(clause.subject, words)
    clause.auxiliary_at = len(words)
    words.append(auxiliary)
    if inverted:
        _subject(clause.subject, words)
    if clause.negation:
        clause.negation_at = len(words)
        words.append(clause.negation)
    if clause.frequency:
        clause.frequency_at = len(words)
        words.append(clause.frequency)
    if clause.tense == "future":
        clause.verb_at = len(words)
        words.append("be")
    if clause.adjective is not None:
        if clause.degree:
            clause.degree_at = len(words)
            words.append(clause.degree)
        clause.adjective_at = len(words)
        words.append(clause.adjective.english)


def _full_verb(clause: Clause, words: list[str], inverted: bool, gap: str) -> None:
    verb = clause.verb
    assert verb is not None
    subject = clause.subject
    base = is_plural(subject) or (isinstance(subject, Pronoun) and subject.word == "I")
    form = verb.base if base else verb.third
    auxiliary = ""
    if clause.tense == "future":
        auxiliary, form = "will", verb.base
    elif inverted or clause.negation == "not":
        present = "do" if base else "does"
        auxiliary, form = "did" if clause.tense == "past" else present, verb.base
    elif clause.tense == "past":
        form = verb.past
    if inverted:
        clause.auxiliary_at = len(words)
        words.append(auxiliary)
    if gap != "subject":
        _subject(subject, words)
    if auxiliary and not inverted:
        clause.auxiliary_at = len(words)
        words.append(auxiliary)
    if clause.negation:
        clause.negation_at = len(words)
        words.append(clause.negation)
    if clause.frequency:
        clause.frequency_at = len(words)
        words.append(clause.frequency)
    clause.verb_at = len(words)
    words.append(form)
    _complements(clause, words, gap == "object")


def _complements(clause: Clause, words: list[str], gap: bool) -> None:
    thing = clause.object
    if thing is not None and not gap and clause.question != "what":
        if isinstance(thing, Pronoun):
            thing.at = len(words)
            words.append(thing.word)
        else:
            _noun_phrase(thing, words)
    whom = clause.person or clause.goal
    if whom is not None:
        clause.to_at = len(words)
        words.append("to")
        _noun_phrase(whom, words)
    if clause.infinitive is not None:
        inner = clause.infinitive
        assert inner.verb is not None
        clause.to_at = len(words)
        words.append("to")
        inner.verb_at = len(words)
        words.append(inner.verb.base)
        _complements(inner, words, gap)
        for place in inner.places:
            _place(place, words)
    if clause.content is not None:
        clause.that_at = len(words)
        words.append("that")
        _clause(clause.content, words)
    if clause.manner:
        clause.manner_at = len(words)
        words.append(clause.manner)
