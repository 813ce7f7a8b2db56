"""Passages: two to four sentences about the same people and things."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import NamedTuple

from .assemble import assemble_after
from .draft import Draft, NoFit
from .draw import draw_about, draw_sentence
from .pair import Pair
from .reference import Candidate, Mentions
from .splits import Split, check_request, number_of, split_by_hash
from .tables import Choice, tables

PASSAGE_SPLITS: tuple[Split, ...] = ("train", "valid", "test")
_LENGTHS = Choice([2, 3, 4], [40, 35, 25])
_CLAUSES = Choice([1, 2], [60, 40])


class Reference(NamedTuple):
    """A pronoun of a passage and its noun, each by sentence and position in the source.

    ``target`` is the position of the pronoun in the French sentence.
    """

    sentence: int
    source: int
    target: int
    antecedent_sentence: int
    antecedent: int


@dataclass(frozen=True, slots=True)
class Passage:
    """Linked sentences, with an entry for each pronoun whose noun the passage names."""

    pairs: tuple[Pair, ...]
    references: tuple[Reference, ...]


def passages(split: Split, count: int, seed: int = 0) -> list[Passage]:
    """Draw ``count`` passages of two to four sentences; each after the first goes on about
    something mentioned before, by a pronoun or by the noun again.

    Args:
        split: ``train``, ``valid`` or ``test``; the first sentence decides, as it does for `pairs`.
        count: how many, 0 or more.
        seed: the same seed gives the same passages on every machine.

    Raises:
        ValueError: the split is unknown or has no passages, the count is negative, or the seed is
            not an integer.
    """
    check_request(split, count, seed, PASSAGE_SPLITS)
    chance = random.Random(number_of(f"passages:{split}:{seed}")).random
    found: list[Passage] = []
    seen: set[tuple[tuple[str, ...], ...]] = set()
    while len(found) < count:
        try:
            passage = _draw(Draft(chance, tables(novel=False)))
        except NoFit:
            continue
        key = tuple(pair.source for pair in passage.pairs)
        if key in seen or split_by_hash(key[0]) != split:
            continue
        if all(len(source) > 3 and len(source) <= 20 for source in key):
            seen.add(key)
            found.append(passage)
    return found


def _draw(draft: Draft) -> Passage:
    sentences = [draw_sentence(draft, _CLAUSES(draft.random), question=False)]
    tense = sentences[0].clauses[-1 if sentences[0].fronted else 0].tense
    for _ in range(_LENGTHS(draft.random) - 1):
        draft.begin_sentence()
        sentences.append(draw_about(draft, tense))
    mentions = Mentions()
    pairs: list[Pair] = []
    places: list[tuple[Candidate, int]] = []
    references: list[Reference] = []
    for number, sentence in enumerate(sentences):
        before = len(mentions.phrases)
        pair, pronouns = assemble_after(sentence, mentions)
        pairs.append(pair)
        places += [(phrase, number) for phrase in mentions.phrases[before:]]
        for pronoun, target in pronouns:
            noun = pronoun.antecedent
            if noun is not None:
                where = next(at for phrase, at in places if phrase is noun)
                references.append(Reference(number, pronoun.at, target, where, noun.noun_at))
    return Passage(tuple(pairs), tuple(sorted(references)))
