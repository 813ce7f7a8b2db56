"""Draw English sentences at random, as trees."""

from __future__ import annotations

from typing import Literal, cast

from .draft import Draft, NoFit
from .draw_clauses import (
    SUBORDINATE,
    be_clause,
    draw_subject,
    draw_verb,
    ends_in_relative,
    lasts,
    verb_clause,
)
from .draw_phrases import phrase
from .draw_pronouns import about_mentioned
from .tables import Choice
from .tree import Clause, NounPhrase, Pronoun, Sentence, Tense, Who

Question = Literal["yes-no", "who", "where", "when", "why", "what"]

_TENSES: Choice[Tense] = Choice(["present", "past", "future"], [52, 28, 20])
_JOINS: dict[str, Choice[str]] = {
    "present": Choice(["and", "but", "because", "when", "while", "if"], [25, 14, 28, 12, 10, 11]),
    "past": Choice(["and", "but", "because", "when"], [32, 18, 34, 16]),
    "future": Choice(["and", "but", "because", "when", "while", "if"], [21, 11, 14, 27, 14, 13]),
}
_QUESTION_JOINS: Choice[str] = Choice(["because", "when", "if"], [50, 25, 25])
_QUESTIONS: Choice[Question] = Choice(
    ["yes-no", "why", "where", "when", "who", "what"], [55, 10, 11, 8, 10, 6]
)
_TIMES = {
    "present": Choice(["now", "today"], [60, 40]),
    "past": Choice(["yesterday", "today"], [70, 30]),
    "future": Choice(["tomorrow", "today"], [70, 30]),
}


def draw_sentence(draft: Draft, clauses: int, question: bool | None = None) -> Sentence:
    """Return a sentence of at most ``clauses`` clauses.

    Args:
        draft: a fresh draft, or one that holds what earlier sentences mentioned.
        clauses: at least 1; fewer come out where no further one fits.
        question: whether it asks; left to chance if None.

    Raises:
        NoFit: the draw ran into a corner; draw again.
    """
    tense = _TENSES(draft.random)
    if question is None:
        question = draft.chance(0.13)
    if question:
        return _question(draft, tense, clauses)
    sentence = Sentence([_clause(draft, tense, "")], [])
    _remember(draft, sentence)
    for _ in range(clauses - 1):
        _add_clause(draft, sentence, tense)
        _remember(draft, sentence)
    if len(sentence.clauses) == 2 and sentence.joins[0] in SUBORDINATE and draft.chance(0.35):
        _front(sentence)
    if not sentence.joins or sentence.joins[-1] in ("and", "but", ","):
        _add_time(draft, sentence.clauses[-1])
    return sentence


def draw_about(draft: Draft, tense: Tense) -> Sentence:
    """Return a sentence that goes on about something mentioned before.

    Raises:
        NoFit: nothing clear could be said; draw again.
    """
    clause = about_mentioned(draft, tense, "") if draft.chance(0.7) else None
    sentence = Sentence([clause or _about_again(draft, tense)], [])
    _remember(draft, sentence)
    if draft.chance(0.25):
        _add_clause(draft, sentence, tense)
        _remember(draft, sentence)
    return sentence


def _about_again(draft: Draft, tense: Tense) -> Clause:
    """Return a clause whose subject is a noun mentioned before, with *the*."""
    phrases = [one for one in draft.mentions.phrases if isinstance(one, NounPhrase)]
    if not phrases:
        raise NoFit
    old = phrases[int(draft.random() * len(phrases))]
    verb = draw_verb(draft, "that", tense)
    if not draft.choices.allows("subject", verb.base, old.noun):
        raise NoFit
    if old.noun.kind not in verb.subjects or old.noun.mass:
        raise NoFit
    return verb_clause(draft, NounPhrase("the", old.noun, old.plural), verb, tense)


def _remember(draft: Draft, sentence: Sentence) -> None:
    draft.mentions.read(Sentence(sentence.clauses[-1:], []))


def _front(sentence: Sentence) -> None:
    """Put the subordinate clause first, unless its pronoun would then come before its noun."""
    last = sentence.clauses[-1]
    if isinstance(last.subject, Pronoun) or isinstance(last.object, Pronoun):
        return
    sentence.fronted = sentence.joins[0]
    sentence.joins = [","]
    sentence.clauses.reverse()


def _add_clause(draft: Draft, sentence: Sentence, tense: Tense) -> None:
    before = sentence.clauses[-1]
    join = _JOINS[tense](draft.random)
    if before.content is not None or (sentence.joins and sentence.joins[-1] not in ("and", "but")):
        # a second "because" or "when" in a row would hang in the air
        join = "and" if draft.chance(0.6) or "but" in sentence.joins else "but"
    if join == "but" and "but" in sentence.joins:
        join = "and"
    if join == "when" and tense == "past" and not (before.verb is None or before.verb.telic):
        join = "because"
    if join == "while" and not lasts(before.verb):
        join = "and"
    later: Tense = "present" if tense == "future" and join not in ("and", "but") else tense
    sentence.clauses.append(_clause(draft, later, join))
    sentence.joins.append(join)


def _clause(draft: Draft, tense: Tense, join: str, question: str = "") -> Clause:
    if join not in ("", "that") and draft.chance(0.75 if join == "because" else 0.4):
        found = about_mentioned(draft, tense, join)
        if found is not None:
            return found
    if question in ("", "yes-no", "why") and join != "while" and draft.chance(0.22):
        return be_clause(draft, tense, bool(question))
    verb = draw_verb(draft, join, tense, question)
    plain = bool(question or join)
    subject = draw_subject(draft, verb, tense, plain)
    clause = verb_clause(draft, subject, verb, tense, question)
    if verb.frame == "that":
        clause.content = _clause(draft, _TENSES(draft.random), "that")
    return clause


def _question(draft: Draft, tense: Tense, clauses: int) -> Sentence:
    kind = _QUESTIONS(draft.random)
    if kind == "who":
        verb = draw_verb(draft, "that", tense, "who")
        clause = verb_clause(draft, Who(), verb, tense, "who")
    elif kind == "where" and draft.chance(0.4):
        noun = draft.noun(draft.choices.described)
        subject = phrase(draft, noun, "subject", simple=True, definite=True)
        clause = Clause(subject, None, "past" if tense == "past" else "present")
    else:
        clause = _clause(draft, tense, "", kind)
    clause.question = kind
    sentence = Sentence([clause], [])
    _remember(draft, sentence)
    if clauses == 1 or clause.verb is None or clause.content is not None or kind == "when":
        return sentence
    join = _QUESTION_JOINS(draft.random)
    if kind != "yes-no" and join == "because":
        join = "when"
    if tense == "past" and join != "because":
        return sentence
    later = cast(Tense, "present" if tense == "future" else tense)
    sentence.clauses.append(_clause(draft, later, join))
    sentence.joins.append(join)
    return sentence


def _add_time(draft: Draft, clause: Clause) -> None:
    verb = clause.verb
    if (
        draft.chance(0.12)
        and verb is not None
        and not verb.present_only
        and not verb.generic
        and not clause.frequency
        and clause.negation != "never"
        and not ends_in_relative(clause)
    ):
        clause.time = _TIMES[clause.tense](draft.random)
