"""The splits of the corpus: how a sentence finds its split, and `pairs`, which draws them."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from typing import Literal, get_args

from .assemble import assemble
from .draft import Draft, NoFit
from .draw import draw_sentence
from .english import write
from .pair import Pair
from .tables import Choice, reserved_combinations, tables
from .tree import Both, Clause, NounPhrase, Sentence

Split = Literal["train", "valid", "test", "long", "novel"]
SPLITS: tuple[Split, ...] = get_args(Split)

_SHORT_CLAUSES = Choice([1, 2, 3], [56, 38, 6])
_LONG_CLAUSES = Choice([3, 4, 5, 6], [25, 40, 25, 10])


def split_by_hash(source: Sequence[str]) -> Split:
    """Return ``train``, ``valid`` or ``test`` for a sentence: four sixths, one, one."""
    digest = hashlib.blake2b(" ".join(source).encode(), digest_size=4).digest()
    part = int.from_bytes(digest, "big") % 6
    return "train" if part < 4 else "valid" if part == 4 else "test"


def pairs(split: Split, count: int, seed: int = 0) -> list[Pair]:
    """Draw ``count`` different sentence pairs of one split.

    Args:
        split: ``train``, ``valid``, ``test`` (3 to 20 words), ``long`` (21 to 40) or ``novel``
            (3 to 20, each with a combination of words that the others never show).
        count: how many, 0 or more.
        seed: the same seed gives the same corpus on every machine; a longer corpus begins with
            the shorter one.

    Raises:
        ValueError: the split is unknown, the count negative, or one of them not an integer.
    """
    check_request(split, count, seed)
    source_of_chance = random.Random(number_of(f"{split}:{seed}")).random
    choices = tables(split == "novel")
    clause_choice = _LONG_CLAUSES if split == "long" else _SHORT_CLAUSES
    fewest, most = (21, 40) if split == "long" else (3, 20)
    found: list[Pair] = []
    seen: set[tuple[str, ...]] = set()
    while len(found) < count:
        draft = Draft(source_of_chance, choices)
        try:
            sentence = draw_sentence(draft, clause_choice(source_of_chance))
        except NoFit:
            continue
        source = write(sentence)
        words = len(source) - 1
        if words < fewest or len(source) > most:
            continue
        key = tuple(source)
        if key in seen:
            continue
        if split == "novel":
            if not combinations(sentence) & reserved_combinations():
                continue
        elif split != "long" and split_by_hash(source) != split:
            continue
        seen.add(key)
        found.append(assemble(sentence, source))
    return found


def check_request(split: str, count: int, seed: int, splits: Sequence[str] = SPLITS) -> None:
    """Raise a ValueError that says what is wrong with a request, if anything is."""
    if split not in splits:
        raise ValueError(f"unknown split {split!r}; expected one of {', '.join(splits)}")
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise ValueError(f"count is {count!r}; expected a whole number, 0 or more")
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise ValueError(f"seed is {seed!r}; expected a whole number, for instance 0")


def number_of(text: str) -> int:
    """Return a number that depends on ``text`` alone, to start a random generator with."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")


def combinations(sentence: Sentence) -> frozenset[tuple[str, str, str]]:
    """Return the combinations of a sentence that the novel split is about.

    Adjective and noun, verb and object, verb and subject, as `tables.reserved_combinations` names
    them; pronouns do not count.
    """
    found: set[tuple[str, str, str]] = set()
    for clause in sentence.clauses:
        _clause(clause, found, "")
    return frozenset(found)


def _clause(clause: Clause, found: set[tuple[str, str, str]], gap: str) -> None:
    subject, verb = clause.subject, clause.verb
    subjects: list[NounPhrase] = []
    if isinstance(subject, NounPhrase):
        subjects = [subject]
    elif isinstance(subject, Both):
        subjects = [subject.first, subject.second]
    for phrase in subjects:
        if verb is not None:
            found.add(("subject", verb.base, phrase.noun.english))
        elif clause.adjective is not None:
            found.add(("adjective", clause.adjective.english, phrase.noun.english))
        if gap != "subject":
            _phrase(phrase, found)
    if isinstance(clause.object, NounPhrase) and verb is not None:
        found.add(("object", verb.base, clause.object.noun.english))
        if gap != "object":
            _phrase(clause.object, found)
    others = [clause.person, clause.goal, *(place.noun_phrase for place in clause.places)]
    for other in others:
        if other is not None:
            _phrase(other, found)
    if clause.infinitive is not None:
        _clause(clause.infinitive, found, "subject")
    if clause.content is not None:
        _clause(clause.content, found, "")


def _phrase(phrase: NounPhrase, found: set[tuple[str, str, str]]) -> None:
    for adjective in phrase.adjectives:
        found.add(("adjective", adjective.english, phrase.noun.english))
    if phrase.of is not None:
        _phrase(phrase.of, found)
    if phrase.place is not None:
        _phrase(phrase.place.noun_phrase, found)
    if phrase.relative is not None:
        _clause(phrase.relative.clause, found, phrase.relative.gap)
