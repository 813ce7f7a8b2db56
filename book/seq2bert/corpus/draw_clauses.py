"""Draw clauses around a verb or *be*: complements, negation, adverbs, relative clauses."""

from __future__ import annotations

from .draft import Draft, NoFit
from .draw_phrases import goal_phrase, one_of_both, phrase, place
from .lexicon import Noun, Verb
from .reference import PEOPLE
from .tables import Choice
from .tree import Both, Clause, NounPhrase, Pronoun, Relative, Subject, Tense, Who, is_plural
from .verbs import VERBS

SUBORDINATE = ("when", "while", "if")

_FRAME_WEIGHTS = {"that": 0.65, "infinitive": 1.1}
_VERB_CHOICE: Choice[Verb] = Choice(
    VERBS,
    [_FRAME_WEIGHTS.get(verb.frame, 18.0 / (rank + 14)) for rank, verb in enumerate(VERBS)],
)
_INFINITIVES: Choice[Verb] = Choice([verb for verb in VERBS if verb.infinitive])
_PREDICATE_PLACES: Choice[str] = Choice(
    ["in", "on", "under", "behind", "in front of", "near"], [30, 18, 12, 12, 12, 16]
)
_MANNERS = {
    verb: Choice(text.split())
    for verb, text in {
        "read": "slowly quickly calmly sadly",
        "reread": "slowly quickly calmly",
        "eat": "slowly quickly calmly",
        "drink": "slowly quickly calmly",
        "open": "slowly quickly calmly",
        "close": "slowly quickly calmly",
        "work": "slowly quickly calmly",
        "write": "slowly quickly sadly calmly",
        "paint": "slowly quickly calmly",
        "sing": "sadly calmly",
        "play": "calmly sadly",
        "stop": "slowly quickly",
        "fall": "slowly quickly",
        "sleep": "calmly",
    }.items()
}
_UNGRADED = ("open", "closed", "right", "famous", "empty")


def draw_verb(draft: Draft, join: str, tense: Tense, question: str = "") -> Verb:
    """Return a new verb that fits after ``join``, in ``tense``, in a question of that kind.

    Raises:
        NoFit: a dozen attempts failed.
    """
    for _ in range(12):
        verb = _VERB_CHOICE(draft.random)
        if verb.base not in draft.said and suits(verb, join, tense, question):
            draft.said.add(verb.base)
            return verb
    raise NoFit


def suits(verb: Verb, join: str, tense: Tense, question: str = "") -> bool:
    """Tell whether ``verb`` may stand in a clause after ``join`` or in a question."""
    if verb.present_only and tense != "present":
        return False
    if verb.frame in ("that", "infinitive") and join in ("that", *SUBORDINATE):
        return False
    if join == "when" and (verb.present_only if tense == "present" else not verb.telic):
        # present: after a future, French would want a future that these verbs do not have here
        return False
    if join == "while" and not lasts(verb):
        return False
    if question:
        if verb.base == "think" or (verb.base == "know" and question not in ("yes-no", "who")):
            return False
        if question == "what":
            return verb.frame == "object" and verb.base != "replay"
        if question == "where":
            return bool(verb.places)
    return True


def lasts(verb: Verb | None) -> bool:
    """Tell whether a verb names something that lasts, so that *while* may join it."""
    return verb is not None and not (verb.telic or verb.present_only or verb.generic)


def draw_subject(draft: Draft, verb: Verb, tense: Tense, plain: bool) -> Subject:
    """Return a subject for ``verb``; a ``plain`` one is not *I*."""
    share = draft.random()
    people = "human" in verb.subjects
    if people and share < 0.08:
        return Pronoun("he" if draft.chance(0.5) else "she")
    if people and not plain and share < 0.22 and tense != "future":
        # the participle of these verbs would need the gender of the speaker
        if tense == "past" and any(sense.french.etre for sense in verb.senses):
            raise NoFit
        return Pronoun("I")
    noun = draft.noun(draft.choices.subjects[verb])
    if share > 0.93 and noun.kind in ("human", "youth", "animal"):
        other = draft.noun(draft.choices.subjects[verb])
        if (other.kind in PEOPLE) == (noun.kind in PEOPLE):
            return Both(one_of_both(draft, noun), one_of_both(draft, other))
    found = phrase(draft, noun, "subject")
    maybe_relative(draft, found, tense)
    return found


def be_clause(draft: Draft, tense: Tense, question: bool) -> Clause:
    """Return *the box is empty* or *the cat is under the table*."""
    noun = draft.noun(draft.choices.described)
    subject = phrase(draft, noun, "subject", definite=True)
    clause = Clause(subject, None, tense)
    placed = noun.kind in ("animal", "youth", "clothing", "machine", "text", "object")
    if noun not in draft.choices.predicates or (placed and draft.chance(0.3)):
        if not placed:
            raise NoFit
        clause.places = (place(draft, _PREDICATE_PLACES),)
    else:
        if not draft.chance(0.3):
            subject.adjectives = ()
        predicate(draft, clause, noun)
    if not question:
        negate(draft, clause)
    return clause


def predicate(draft: Draft, clause: Clause, noun: Noun) -> None:
    """Give a *be* clause an adjective that fits ``noun``."""
    adjective = draft.adjective(draft.choices.predicates[noun])
    if adjective is None:
        raise NoFit
    clause.adjective = adjective
    if adjective.english not in _UNGRADED and draft.chance(0.25):
        clause.degree = "very" if draft.chance(0.6) else "too"


def negate(draft: Draft, clause: Clause) -> None:
    """Perhaps add *not*, *never*, *often* or *always*."""
    share = draft.random()
    verb, subject = clause.verb, clause.subject
    if verb is not None and verb.base == "think":
        return
    if isinstance(subject, NounPhrase) and subject.determiner in ("all", "every"):
        # "all the boys do not sleep" is ambiguous
        share = max(share, 0.18)
    if share < 0.14:
        clause.negation = "not"
    elif verb is not None and (verb.present_only or verb.generic):
        return
    elif share < 0.18:
        clause.negation = "never"
    elif share < 0.28 and (verb is None or clause.tense == "present" or not verb.telic):
        clause.frequency = "often" if draft.chance(0.6) else "always"


def verb_clause(
    draft: Draft, subject: Subject, verb: Verb, tense: Tense, question: str = ""
) -> Clause:
    """Return a clause with all that ``verb`` needs; a *that* clause is left to the caller."""
    clause = Clause(subject, verb, tense)
    if not question:
        negate(draft, clause)
        check_tense_shows(clause)
    if verb.frame == "infinitive":
        inner = Clause(subject, _infinitive(draft, subject, question), negation=clause.negation)
        _fill(draft, inner, question)
        inner.negation = ""
        clause.infinitive = inner
    else:
        _fill(draft, clause, question)
    return clause


def _infinitive(draft: Draft, subject: Subject, question: str) -> Verb:
    phrases = [subject.first, subject.second] if isinstance(subject, Both) else [subject]
    nouns = [one.noun for one in phrases if isinstance(one, NounPhrase)]
    for _ in range(12):
        verb = _INFINITIVES(draft.random)
        if question == "what" and verb.frame != "object":
            continue
        if all(draft.choices.allows("subject", verb.base, noun) for noun in nouns):
            return verb
    raise NoFit


def check_tense_shows(clause: Clause) -> None:
    """Raise NoFit where the English leaves the tense open: *they read*, present or past."""
    verb, subject = clause.verb, clause.subject
    if (
        verb is not None
        and clause.tense == "past"
        and verb.past == verb.base
        and clause.negation != "not"
        and (is_plural(subject) or (isinstance(subject, Pronoun) and subject.word == "I"))
    ):
        raise NoFit


def _fill(draft: Draft, clause: Clause, question: str) -> None:
    verb = clause.verb
    assert verb is not None
    if question == "what" or verb.frame in ("that", "none"):
        pass
    elif verb.frame == "person":
        clause.person = _listener(draft)
    elif verb.frame == "goal":
        goal = draft.noun(draft.choices.places["at"])
        clause.goal = goal_phrase(draft, goal)
    elif verb.frame != "optional" or draft.chance(0.75):
        clause.object = _object(draft, verb, clause)
        if verb.frame == "gift":
            clause.person = _listener(draft)
    if verb.frame == "that" or ends_in_relative(clause):
        return
    if verb.base == "work" and not _is_person(clause.subject):
        return
    if verb.base in _MANNERS and draft.chance(0.17) and not (clause.negation or clause.frequency):
        clause.manner = _MANNERS[verb.base](draft.random)
    if verb.places and question != "where" and draft.chance(0.3):
        found = place(draft, Choice(verb.places))
        if found.preposition != "with" or _is_person(clause.subject):
            clause.places = (found,)


def _listener(draft: Draft) -> NounPhrase:
    return phrase(draft, draft.noun(draft.choices.places["with"]), "place", simple=True)


def _object(draft: Draft, verb: Verb, clause: Clause) -> NounPhrase:
    noun = draft.noun(draft.choices.objects[verb])
    if noun.kind == "game":
        return NounPhrase("", noun)
    if noun.kind == "instrument" and verb.base == "play":
        return NounPhrase("the", noun)
    found = phrase(draft, noun, "object")
    if found.determiner == "a" and verb.generic:
        found.determiner = "this"
    if found.determiner in ("", "a") and verb.base in ("know", "play", "replay"):
        found.determiner = "these" if found.plural else "this"
    if found.determiner == "all" and clause.negation:
        # "does not see all the cars" is ambiguous
        found.determiner = "these"
    denied = clause.negation and found.determiner in ("a", "")
    if verb.frame != "gift" and not denied:
        # after "pas de" a relative clause would want the subjunctive
        maybe_relative(draft, found, clause.tense)
    return found


def _is_person(subject: Subject) -> bool:
    if isinstance(subject, NounPhrase):
        return subject.noun.kind in PEOPLE
    if isinstance(subject, Both):
        return subject.first.noun.kind in PEOPLE
    return isinstance(subject, Who) or subject.word in ("I", "he", "she")


def ends_in_relative(clause: Clause) -> bool:
    """Tell whether the object carries a relative clause, which would swallow what follows."""
    thing = (clause.infinitive or clause).object
    return isinstance(thing, NounPhrase) and thing.relative is not None


def maybe_relative(draft: Draft, head: NounPhrase, tense: Tense) -> None:
    """Perhaps give ``head`` a relative clause."""
    if not draft.chance(0.1) or head.of or head.place or head.noun.mass:
        return
    if head.determiner not in ("the", "a", "this", "these", "two", "all", "many"):
        return
    if tense == "future":
        tense = "present"
    if draft.chance(0.55):
        head.relative = _object_relative(draft, head, tense)
    else:
        head.relative = _subject_relative(draft, head, tense)


def _object_relative(draft: Draft, head: NounPhrase, tense: Tense) -> Relative | None:
    verbs = [
        verb
        for verb in VERBS
        if head.noun.kind in verb.objects
        and verb.frame == "object"
        and verb.base not in draft.said
        and (tense == "present" or verb.agreeing)
        and draft.choices.allows("object", verb.base, head.noun)
    ]
    if not verbs:
        return None
    verb = verbs[int(draft.random() * len(verbs))]
    subject: Subject
    share = draft.random()
    if share < 0.5:
        subject = Pronoun("I" if share < 0.2 else "he" if share < 0.35 else "she")
    else:
        subject = phrase(draft, draft.noun(draft.choices.subjects[verb]), "place", simple=True)
        subject.adjectives = ()
    clause = Clause(subject, verb, tense, object=head)
    check_tense_shows(clause)
    return Relative("object", clause)


def _subject_relative(draft: Draft, head: NounPhrase, tense: Tense) -> Relative | None:
    noun = head.noun
    clause = Clause(head, None, tense)
    if draft.chance(0.3) and noun in draft.choices.predicates:
        clause.adjective = draft.adjective(draft.choices.predicates[noun])
        return Relative("subject", clause) if clause.adjective else None
    for _ in range(6):
        verb = _VERB_CHOICE(draft.random)
        if (
            noun.kind in verb.subjects
            and verb.frame in ("none", "object", "optional")
            and suits(verb, "", tense)
            and draft.choices.allows("subject", verb.base, noun)
        ):
            clause.verb = verb
            check_tense_shows(clause)
            if verb.frame == "object":
                thing = phrase(draft, draft.noun(draft.choices.objects[verb]), "object", True)
                if thing.determiner in ("a", "") and (verb.generic or verb.base == "know"):
                    thing.determiner = "these" if thing.plural else "this"
                if thing.noun.kind == "game":
                    thing = NounPhrase("", thing.noun)
                clause.object = thing
            return Relative("subject", clause)
    return None
