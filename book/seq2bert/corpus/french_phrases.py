"""French noun phrases: articles, gender, number, the place of adjectives, relative clauses."""

from __future__ import annotations

from typing import Literal

from .lexicon import AdjectiveSense
from .spelling import Word, starts_with_vowel
from .tree import Both, NounPhrase

BareArticle = Literal["some", "none", "all"]
"""What an English noun without article gets: *du*, *des*; *de* after *pas*; *le*, *les*."""

_POSSESSIVES = {
    "my": ("mon", "ma", "mes"),
    "his": ("son", "sa", "ses"),
    "her": ("son", "sa", "ses"),
}
_NUMBERS = {"two": "deux", "three": "trois", "every": "chaque"}


def adjective_form(
    sense: AdjectiveSense, gender: str, plural: bool, next_word: str = ""
) -> tuple[str, bool]:
    """Return the form that agrees, and whether it is the special form before a vowel."""
    if (
        next_word
        and sense.before_vowel
        and gender == "m"
        and not plural
        and starts_with_vowel(next_word)
    ):
        return sense.before_vowel, True
    return sense.forms[(gender == "f") + 2 * plural], False


def head_words(phrase: NounPhrase, bare: BareArticle = "some") -> list[Word]:
    """Return determiner, adjectives and noun in French order, not yet elided or contracted."""
    noun = phrase.noun
    gender, plural = noun.gender, phrase.plural
    form = noun.french_plural if plural or not noun.french else noun.french
    before: list[Word] = []
    after: list[Word] = []
    for place, adjective in enumerate(phrase.adjectives):
        at = (phrase.adjectives_at + place,)
        sense = adjective.sense_for(noun.kind)
        named = ("agreement", "sense") if sense.name else ("agreement",)
        if adjective.precedes:
            agreed, liaison = adjective_form(sense, gender, plural, form)
            before.append(Word(agreed, at, (), (*named, "liaison") if liaison else named))
            continue
        if adjective.negated:
            after.append(Word("non", at, (), ("negation", "adjective_order")))
        agreed, _ = adjective_form(sense, gender, plural)
        after.append(Word(agreed, at, (), (*named, "adjective_order")))
    tags = ("sense",) if noun.sense else ()
    core = [
        *before,
        Word(form, (phrase.noun_at,), (), (*tags, "adjective_order") if after else tags),
    ]
    return [*_determiner(phrase, core[0].form, bool(before), bare), *core, *after]


def _determiner(
    phrase: NounPhrase, following: str, adjective: bool, bare: BareArticle
) -> list[Word]:
    word = phrase.determiner
    gender, plural = phrase.noun.gender, phrase.plural
    at = (phrase.determiner_at,)
    if word == "the":
        return [Word(_definite(gender, plural), at)]
    if word == "a":
        if bare == "none":
            # *de* stands for *a*, but only because of *not*: counting cannot tell the two apart
            return [Word("de", (), (*at, phrase.noun_at), ("negative_article",))]
        return [Word("une" if gender == "f" else "un", at)]
    if word == "":
        return _bare_article(phrase, adjective, bare)
    if word in _POSSESSIVES:
        masculine, feminine, many = _POSSESSIVES[word]
        if plural:
            return [Word(many, at, (), ("possessive",))]
        if gender == "f" and starts_with_vowel(following):
            return [Word(masculine, at, (), ("possessive", "liaison"))]
        return [Word(feminine if gender == "f" else masculine, at, (), ("possessive",))]
    if word == "their":
        return [Word("leurs" if plural else "leur", at, (), ("possessive",))]
    if word == "this":
        if gender == "f":
            return [Word("cette", at)]
        vowel = starts_with_vowel(following)
        return [Word("cet", at, (), ("liaison",))] if vowel else [Word("ce", at)]
    if word == "these":
        return [Word("ces", at)]
    if word == "all":
        every = Word("toutes" if gender == "f" else "tous", at, (), ("quantity", "agreement"))
        return [every, Word("les", (phrase.determiner_at + 1,))]
    if word == "many":
        return [Word("beaucoup", at, (), ("quantity",)), Word("de", at, (), ("quantity",))]
    return [Word(_NUMBERS[word], at)]


def _definite(gender: str, plural: bool) -> str:
    return "les" if plural else "la" if gender == "f" else "le"


def _bare_article(phrase: NounPhrase, adjective: bool, bare: BareArticle) -> list[Word]:
    """Return the article that French needs and English lacks; no word is surely its source."""
    at = (phrase.noun_at,)
    plural = phrase.plural or not phrase.noun.french
    if bare == "none":
        return [Word("de", (), at, ("negative_article",))]
    definite = _definite(phrase.noun.gender, plural)
    if bare == "all":
        return [Word(definite, (), at, ("inserted_article",))]
    if plural:
        return [Word("de" if adjective else "des", (), at, ("inserted_article",))]
    return [
        Word("de", (), at, ("inserted_article",)),
        Word(definite, (), at, ("inserted_article",)),
    ]


def both_words(both: Both) -> tuple[list[Word], Word, list[Word]]:
    """Return the two subjects of a coordination and the *et* between them."""
    return head_words(both.first), Word("et", (both.and_at,)), head_words(both.second)
