"""French spelling across word borders: elision, contraction, forms before a vowel."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from .tree import Pronoun

_ASPIRATED = ("héros", "hibou", "hiboux")
_VOWELS = frozenset("aeiouyàâéèêëîïôœû")
_ELIDED = {
    "le": "l'",
    "la": "l'",
    "de": "d'",
    "que": "qu'",
    "ne": "n'",
    "je": "j'",
    "se": "s'",
}
_CONTRACTED = {
    ("de", "le"): "du",
    ("de", "les"): "des",
    ("à", "le"): "au",
    ("à", "les"): "aux",
}


class Word(NamedTuple):
    """A French word on its way to the page, with the source positions that it answers to."""

    form: str
    sure: tuple[int, ...] = ()
    possible: tuple[int, ...] = ()
    phenomena: tuple[str, ...] = ()
    pronoun: Pronoun | None = None


@cache
def starts_with_vowel(word: str) -> bool:
    """Tell whether French elides before ``word``: a vowel or a mute *h*."""
    if word[0] == "h":
        return word not in _ASPIRATED
    return word[0] in _VOWELS


def join_words(words: list[Word]) -> list[Word]:
    """Apply elision (*le oiseau*: *l' oiseau*) and contraction (*de le*: *du*).

    Both words of a contraction answer to the one that comes out. Only the first keeps sure links,
    where it has any: *du* in *of the / du* is surely *of* and possibly *the*.
    """
    joined: list[Word] = []
    last = len(words) - 1
    skip = False
    for place, word in enumerate(words):
        if skip:
            skip = False
            continue
        form = word.form
        if place == last:
            joined.append(word)
        elif form in _ELIDED and starts_with_vowel(words[place + 1].form):
            joined.append(word._replace(form=_ELIDED[form], phenomena=(*word.phenomena, "elision")))
        elif form == "si" and words[place + 1].form in ("il", "ils"):
            joined.append(word._replace(form="s'", phenomena=(*word.phenomena, "elision")))
        elif (
            form in ("de", "à")
            and (form, words[place + 1].form) in _CONTRACTED
            and not (words[place + 1].form == "le" and starts_with_vowel(words[place + 2].form))
        ):
            after = words[place + 1]
            joined.append(
                Word(
                    _CONTRACTED[form, after.form],
                    word.sure or after.sure,
                    word.possible + after.possible + (after.sure if word.sure else ()),
                    (*word.phenomena, *after.phenomena, "contraction"),
                )
            )
            skip = True
        else:
            joined.append(word)
    return joined
