"""Draw clauses about what was mentioned: pronouns whose noun the sentence makes clear."""

from __future__ import annotations

from .draft import Draft, NoFit
from .draw_clauses import check_tense_shows, draw_verb, negate, predicate, suits, verb_clause
from .draw_phrases import phrase
from .reference import PEOPLE, Candidate, said_of_subject
from .tree import Both, Clause, Pronoun, Tense
from .verbs import VERBS

# Set so that, after some clauses were rejected as unclear, the nearest noun is the antecedent in
# about half of the cases.
_NEAREST_FIRST = 0.5
_OBJECT_FORMS = {"it": "it", "they": "them", "he": "him", "she": "her"}


def pronoun_for(target: Candidate) -> str:
    """Return the subject pronoun for a noun phrase."""
    if isinstance(target, Both) or target.plural:
        return "they"
    if target.noun.kind in PEOPLE:
        return "he" if target.gender == "m" else "she"
    return "it"


def about_mentioned(draft: Draft, tense: Tense, join: str) -> Clause | None:
    """Return a clause about a noun phrase before it, or None where none comes out clear.

    It is clear if only one noun phrase agrees with the pronoun and is of a kind that the clause
    can be said of.
    """
    phrases = draft.mentions.phrases
    if not phrases:
        return None
    target = _target(draft, phrases)
    word = pronoun_for(target)
    if draft.referents.get(word, target) is not target:
        return None
    if draft.chance(0.36):
        try:
            clause = _object_clause(draft, target, tense, join)
        except NoFit:
            return None
        if clause is not None:
            draft.referents[word] = target
        return clause
    for _ in range(6):
        try:
            clause = _subject_clause(draft, target, word, tense, join)
        except NoFit:
            continue
        if draft.mentions.fitting(word, said_of_subject(clause), len(phrases)) == [target]:
            draft.referents[word] = target
            return clause
    return None


def _target(draft: Draft, phrases: list[Candidate]) -> Candidate:
    others = [one for one in phrases[:-1] if isinstance(one, Both) or one.noun.kind != "game"]
    if not others or draft.chance(_NEAREST_FIRST):
        return phrases[-1]
    # things and plurals are favoured: their pronoun has a gender that only French shows
    unclear = [one for one in others if pronoun_for(one) in ("it", "they")]
    if unclear and draft.chance(0.6):
        others = unclear
    return others[int(draft.random() * len(others))]


def _subject_clause(draft: Draft, target: Candidate, word: str, tense: Tense, join: str) -> Clause:
    noun = target.first.noun if isinstance(target, Both) else target.noun
    pronoun = Pronoun(word)
    be = 0.6 if join == "because" else 0.4
    if join != "while" and noun in draft.choices.predicates and draft.chance(be):
        clause = Clause(pronoun, None, tense)
        predicate(draft, clause, noun)
        if draft.chance(0.15):
            clause.negation = "not"
        return clause
    verb = draw_verb(draft, join, tense)
    if noun.kind not in verb.subjects or verb.frame in ("that", "infinitive"):
        raise NoFit
    return verb_clause(draft, pronoun, verb, tense)


def _object_clause(draft: Draft, target: Candidate, tense: Tense, join: str) -> Clause | None:
    if isinstance(target, Both) or target.noun.kind == "game":
        return None
    word = _OBJECT_FORMS[pronoun_for(target)]
    known = len(draft.mentions.phrases)
    verbs = [
        verb
        for verb in VERBS
        if target.noun.kind in verb.objects
        and verb.frame == "object"
        and verb.base not in draft.said
        and (tense != "past" or verb.agreeing)
        and suits(verb, join, tense)
        and draft.mentions.fitting(word, verb.objects, known) == [target]
    ]
    if not verbs:
        return None
    verb = verbs[int(draft.random() * len(verbs))]
    noun = draft.noun(draft.choices.subjects[verb])
    subject = phrase(draft, noun, "subject", simple=True)
    clause = Clause(subject, verb, tense, object=Pronoun(word))
    negate(draft, clause)
    clause.frequency = ""
    check_tense_shows(clause)
    return clause
