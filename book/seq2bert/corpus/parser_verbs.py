"""Read verbs and what they demand: objects, goals, infinitives, *that* clauses."""

from __future__ import annotations

from .forms import DETERMINERS, FREQUENCIES, MANNERS, NOUN_FORMS, OBJECT_PRONOUNS, VERB_FORMS
from .lexicon import Verb
from .parser_phrases import PhraseParser
from .tree import Clause, NounPhrase, Pronoun, is_plural


def read_finite_verb(parser: PhraseParser, clause: Clause, base: bool, gap: str = "") -> None:
    """Read the verb of ``clause``; ``base`` after *do* and *will*, where it has no ending.

    Sets verb and tense, and refuses what the language leaves out.
    """
    if base and parser.next() in FREQUENCIES and not clause.frequency and not clause.negation:
        clause.frequency = parser.take()
    word = parser.next()
    if word not in VERB_FORMS:
        raise parser.error(_verb_wanted(clause, base))
    verb, inflection = next(
        (
            found
            for found in VERB_FORMS[word]
            if (found[0].frame == "that") == (parser.next(1) == "that")
        ),
        VERB_FORMS[word][0],
    )
    plural = is_plural(clause.subject) or getattr(clause.subject, "word", "") == "I"
    if base:
        if verb.base != word:
            raise parser.error(verb.base)
    elif verb.past == verb.base == word and plural:
        # "they read" is taken for the present, "she read" can only be the past
        clause.tense = "present"
    elif verb.past == word and not verb.present_only:
        clause.tense = "past"
    elif (inflection == "base") != plural:
        raise parser.error(verb.base if plural else verb.third)
    _check_verb(parser, clause, verb, gap)
    parser.at += 1
    clause.verb = verb


def _verb_wanted(clause: Clause, base: bool) -> str:
    if base:
        return "a verb without ending, such as sleep"
    if getattr(clause.subject, "word", "") == "I":
        return "a verb such as sleep or slept, or do not, did not"
    if is_plural(clause.subject):
        return "a verb such as sleep or slept, or are, were, will, do not"
    return "a verb such as sleeps or slept, or is, was, will, does not"


def _check_verb(parser: PhraseParser, clause: Clause, verb: Verb, gap: str) -> None:
    word = getattr(clause.subject, "word", "")
    if verb.present_only and clause.tense != "present":
        raise parser.error(f"another verb: {verb.base} stands in the present only")
    if word == "I" and clause.tense == "past" and verb.senses[0].french.etre:
        raise parser.error("another verb: its French participle needs a gender after I")
    if verb.base == "think" and (clause.negation or clause.question):
        raise parser.error("another verb: think is neither denied nor asked")
    if gap == "object":
        if verb.frame not in ("object", "gift"):
            raise parser.error("a verb with an object, such as sees")
        if clause.tense == "past" and not verb.agreeing:
            raise parser.error("the present, or the past of read, open, close or paint")
    if clause.question == "what" and verb.frame != "object":
        raise parser.error("a verb with an object, such as see")


def read_complements(parser: PhraseParser, clause: Clause, gap: bool) -> None:
    """Read what the frame of the verb demands; ``gap`` if its object stands elsewhere."""
    verb = clause.verb
    assert verb is not None
    frame = verb.frame
    if frame == "optional":
        follows = _starts_fitting_object(parser, verb)
    else:
        follows = frame in ("object", "gift") and not gap
    if follows:
        _read_object(parser, clause, verb)
    if frame in ("gift", "person", "goal"):
        parser.expect("to")
        if parser.next() not in DETERMINERS:
            raise parser.error("the, a, my or another determiner")
        whom = parser.noun_phrase()
        if frame == "goal":
            clause.goal = whom
        else:
            clause.person = whom
    elif frame == "that":
        parser.expect("that")
        clause.content = parser.clause()
    elif frame == "infinitive":
        _read_infinitive(parser, clause)


def _starts_fitting_object(parser: PhraseParser, verb: Verb) -> bool:
    """Tell whether an optional object begins here.

    In *the boy who sings plays the piano* the word *plays* is also a noun, but not one that is
    sung.
    """
    word = parser.next()
    if word in DETERMINERS or word in OBJECT_PRONOUNS:
        return True
    if word in NOUN_FORMS:
        return any(noun.kind in verb.objects for noun, _ in NOUN_FORMS[word])
    # "the boy who sings opens the door": open is an adjective only before a noun
    return parser.adjective_here() is not None and parser.starts_noun(1)


def _read_object(parser: PhraseParser, clause: Clause, verb: Verb) -> None:
    word = parser.next()
    if word in OBJECT_PRONOUNS and not (word == "her" and parser.starts_noun(1)):
        if verb.base == "play" or (clause.tense == "past" and not verb.agreeing):
            raise parser.error("a noun: the language has no pronoun as object here")
        clause.object = Pronoun(parser.take())
        return
    if word not in DETERMINERS and not parser.starts_noun():
        raise parser.error("an object: him, her, it, them, or a noun")
    thing: NounPhrase = parser.noun_phrase(verb.objects)
    clause.object = thing


def _read_infinitive(parser: PhraseParser, clause: Clause) -> None:
    parser.expect("to")
    word = parser.next()
    found = next((verb for verb, form in VERB_FORMS.get(word, []) if form == "base"), None)
    if found is None or not found.infinitive:
        wanted = sorted(
            {verb.base for forms in VERB_FORMS.values() for verb, _ in forms if verb.infinitive}
        )
        raise parser.error("one of " + ", ".join(wanted))
    if clause.question == "what" and found.frame != "object":
        raise parser.error("a verb with an object, such as see")
    parser.at += 1
    inner = Clause(clause.subject, found)
    clause.infinitive = inner
    read_complements(parser, inner, clause.question == "what")
    if parser.next() in MANNERS:
        inner.manner = parser.take()
    places = []
    while parser.starts_place():
        places.append(parser.place())
    inner.places = tuple(places)
