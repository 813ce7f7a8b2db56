"""All word forms of the language, and which entry of the lexicon each English form belongs to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from .adjectives import ADJECTIVES
from .english import PREPOSITIONS
from .french import ADVERBS
from .lexicon import Adjective, Noun, Verb
from .nouns import NOUNS
from .verbs import VERBS

Inflection = Literal["base", "third", "past"]

DETERMINERS = frozenset(
    {"the", "a", "an", "this", "these", "my", "his", "her", "their"}
    | {"two", "three", "many", "all", "every"}
)
SUBJECT_PRONOUNS = frozenset({"I", "he", "she", "it", "they"})
OBJECT_PRONOUNS = frozenset({"him", "her", "it", "them"})
JOINS = frozenset({"and", "but", "because", "when", "while", "if"})
BE = {"is": "present", "are": "present", "was": "past", "were": "past"}
DO = {"do": "present", "does": "present", "did": "past"}
QUESTION_WORDS = frozenset({"who", "what", "where", "when", "why"})
MANNERS = frozenset({"slowly", "quickly", "sadly", "calmly"})
FREQUENCIES = frozenset({"often", "always"})
DEGREES = frozenset({"very", "too"})
TIMES = {
    "yesterday": ("past",),
    "today": ("past", "present", "future"),
    "now": ("present",),
    "tomorrow": ("future",),
}

ADJECTIVE_FORMS: dict[str, Adjective] = {one.english: one for one in ADJECTIVES}
NOUN_FORMS: dict[str, list[tuple[Noun, bool]]] = {}
"""English form to nouns, each with whether the form is plural; several if ambiguous."""
VERB_FORMS: dict[str, list[tuple[Verb, Inflection]]] = {}
"""English form to verbs, each with the inflection that the form is."""

for _noun in NOUNS:
    NOUN_FORMS.setdefault(_noun.english, []).append((_noun, False))
    if _noun.plural:
        NOUN_FORMS.setdefault(_noun.plural, []).append((_noun, True))
for _verb in VERBS:
    VERB_FORMS.setdefault(_verb.base, []).append((_verb, "base"))
    VERB_FORMS.setdefault(_verb.third, []).append((_verb, "third"))
    if not _verb.present_only:
        VERB_FORMS.setdefault(_verb.past, []).append((_verb, "past"))

_FRENCH_FUNCTION_WORDS = """
    le la l' les un une de d' du des à au aux ce cet cette ces mon ma mes son sa ses leur leurs
    deux trois beaucoup tous toutes chaque je j' il elle ils elles qui que qu' ne n' pas jamais non
    se s' si et mais parce quand pendant où pourquoi est-ce est sont était étaient sera seront
    ai a ont dans sur sous derrière devant près avec pour . ? ,
"""


def _english_words() -> Iterator[str]:
    yield from DETERMINERS | SUBJECT_PRONOUNS | OBJECT_PRONOUNS | JOINS | QUESTION_WORDS
    yield from (*BE, *DO, "will", "be", "not", "never", "to", "of", "that", ".", "?", ",")
    yield from MANNERS | FREQUENCIES | DEGREES
    yield from TIMES
    for words in PREPOSITIONS.values():
        yield from words
    yield from ADJECTIVE_FORMS
    yield from NOUN_FORMS
    yield from VERB_FORMS


def _french_words() -> Iterator[str]:
    yield from _FRENCH_FUNCTION_WORDS.split()
    yield from ADVERBS.values()
    for noun in NOUNS:
        yield from (form for form in (noun.french, noun.french_plural) if form)
    for adjective in ADJECTIVES:
        for meaning in adjective.senses:
            yield from meaning.forms
            if meaning.before_vowel:
                yield meaning.before_vowel
    for verb in VERBS:
        for sense in verb.senses:
            french = sense.french
            people = bool(sense.subjects & {"human", "youth"})
            yield from (french.il, french.ils)
            if people:
                yield french.je
            if verb.infinitive and people:
                yield french.infinitive
            if not verb.present_only:
                yield from (french.il_future, french.ils_future, french.participle)
                if french.etre or verb.agreeing:
                    yield from (french.participle + ending for ending in ("e", "s", "es"))


ENGLISH_WORDS: tuple[str, ...] = tuple(sorted(set(_english_words())))
"""Every English token of the language, sorted."""
FRENCH_WORDS: tuple[str, ...] = tuple(sorted(set(_french_words())))
"""Every French token of the language, sorted."""
