"""Translate any sentence of the language, with the truth about it."""

from __future__ import annotations

from collections.abc import Sequence

from .assemble import assemble_after
from .pair import Pair
from .parser import parse
from .reference import Mentions


def translate(source: Sequence[str], context: Sequence[Sequence[str]] = ()) -> Pair:
    """Return the pair of an English sentence of the language.

    This is what makes the French a function of the English: for every pair of the corpus,
    ``translate(pair.source) == pair``.

    Args:
        source: the tokens, closing mark included.
        context: sentences before it, whose nouns its pronouns may stand for.

    Raises:
        ValueError: the sentence is not one of the language; the message names the first word that
            does not fit and what could stand there.
    """
    mentions = Mentions()
    for number, words in enumerate(context):
        try:
            assemble_after(parse(words), mentions)
        except ValueError as error:
            raise ValueError(f"sentence {number + 1} of the context: {error}") from error
    return assemble_after(parse(source), mentions)[0]
