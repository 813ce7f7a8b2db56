"""The gender of French nouns: who else shows it, and which nouns could stand for each other."""

from __future__ import annotations

from itertools import combinations
from typing import Literal, NamedTuple

from seq2bert.corpus.adjectives import ADJECTIVES
from seq2bert.corpus.nouns import NOUNS
from seq2bert.corpus.pair import Pair

Part = Literal["noun", "adjective", "pronoun"]

_ADJECTIVES = frozenset(adjective.english for adjective in ADJECTIVES)
_PRONOUNS = frozenset({"it", "they", "them"})
_GENDERS = {
    form: noun.gender for noun in NOUNS for form in (noun.french, noun.french_plural) if form
}
_CLASSES = {
    form: (noun.gender, number)
    for noun in NOUNS
    for number, form in enumerate((noun.french, noun.french_plural))
    if form and noun.french != noun.french_plural
}
"""Gender and number of a French noun; without those that are alike in singular and plural."""
_NOUNS = frozenset(form for noun in NOUNS for form in (noun.english, noun.plural) if form)


class Gendered(NamedTuple):
    """A word of the English sentence with the gender of its French noun.

    ``source`` is its place, ``noun`` the place of the noun that decides (of a noun, its own).
    """

    source: int
    noun: int
    feminine: bool
    part: Part


def gendered_words(pair: Pair) -> list[Gendered]:
    """Nouns, adjectives before their noun, and *it*, *they*, *them* with a noun in the sentence.

    The gender of a noun is that of its French translation (which depends on the sense: a *play* is
    *pièce* or *jeu*); an adjective has that of the noun that follows it, with other adjectives
    between them at most; a pronoun has that of its antecedent. Nouns without a sure link to a
    French noun, and whoever depends on them, are left out, and so are adjectives that stand after
    *be*.
    """
    genders: dict[int, bool] = {}
    for link in sorted(pair.sure):
        if pair.source[link.source] in _NOUNS and pair.target[link.target] in _GENDERS:
            genders[link.source] = _GENDERS[pair.target[link.target]] == "f"
    found = [Gendered(place, place, gender, "noun") for place, gender in genders.items()]
    for place, word in enumerate(pair.source):
        noun = _noun_after(pair.source, place, genders)
        if word in _ADJECTIVES and place not in genders and noun is not None:
            found.append(Gendered(place, noun, genders[noun], "adjective"))
    for pronoun in pair.antecedents:
        if pronoun.antecedent in genders and pair.source[pronoun.source] in _PRONOUNS:
            noun = pronoun.antecedent
            found.append(Gendered(pronoun.source, noun, genders[noun], "pronoun"))
    return sorted(found)


def exchangeable_nouns(pair: Pair) -> list[tuple[int, int]]:
    """Two French nouns that may change places and leave the sentence grammatical: all such pairs.

    They have one gender and one number, and are two different words; the first place is the
    smaller one.
    """
    nouns = [place for place, word in enumerate(pair.target) if word in _CLASSES]
    return [
        (first, second)
        for first, second in combinations(nouns, 2)
        if pair.target[first] != pair.target[second]
        and _CLASSES[pair.target[first]] == _CLASSES[pair.target[second]]
    ]


def _noun_after(source: tuple[str, ...], place: int, genders: dict[int, bool]) -> int | None:
    """The noun that follows a place, if nothing but adjectives stands between."""
    for later in range(place + 1, len(source)):
        if later in genders:
            return later
        if source[later] not in _ADJECTIVES:
            return None
    return None
