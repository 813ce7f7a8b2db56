"""The corpus as a whole: splits, seeds, lengths, words."""

import hashlib
import json
import os
import subprocess
import sys
from collections import Counter

import pytest

from seq2bert.corpus import ENGLISH_WORDS, FRENCH_WORDS, PHENOMENA, SPLITS, pairs
from seq2bert.corpus.parser import parse
from seq2bert.corpus.splits import combinations
from seq2bert.corpus.tables import reserved_combinations

FINGERPRINTS = {
    0: "e326fd14be61940a42ea58db2c2c286ad4d8e6180a89d4d08d37e9a3f949cf9e",
    1: "a0e374eeaadf988de91342352e639121118a998d9159f8b9c8831ddcbc04a9a6",
}


def fingerprint(seed):
    """Hash 500 pairs of each split with all that is known about them."""
    digest = hashlib.sha256()
    for split in SPLITS:
        for pair in pairs(split, 500, seed):
            record = [
                pair.source,
                pair.target,
                sorted(pair.sure),
                sorted(pair.possible),
                pair.antecedents,
                pair.senses,
                dict(pair.spans),
            ]
            digest.update(json.dumps(record, ensure_ascii=False).encode())
    return digest.hexdigest()


@pytest.mark.parametrize("seed", [0, 1])
def test_a_seed_gives_the_corpus_that_it_gave_when_this_was_written(seed):
    assert fingerprint(seed) == FINGERPRINTS[seed]


def test_the_order_of_sets_and_dictionaries_plays_no_part():
    code = "import test_draws; print(test_draws.fingerprint(1))"
    for hash_seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            cwd=os.path.dirname(__file__),
            env=environment,
        )
        assert done.stdout.strip() == FINGERPRINTS[1]


def test_a_longer_corpus_begins_with_the_shorter_one(train):
    assert pairs("train", 300) == train[:300]


def test_no_sentence_comes_twice_in_one_call(train):
    assert len({pair.source for pair in train}) == len(train)


def test_no_sentence_is_in_two_splits(train):
    seen = {pair.source: "train" for pair in train}
    for split in SPLITS[1:]:
        for pair in pairs(split, 500, seed=5):
            assert seen.setdefault(pair.source, split) == split


@pytest.mark.parametrize("split", SPLITS)
def test_lengths_are_those_of_the_split(split):
    fewest, most = (21, 40) if split == "long" else (3, 20)
    for pair in pairs(split, 1_000, seed=2):
        words = [word for word in pair.source if word not in (".", "?", ",")]
        assert len(words) >= fewest
        assert len(pair.source) <= most


def test_a_training_sentence_has_ten_to_twelve_words_on_average(train):
    mean = sum(len(pair.source) for pair in train) / len(train)
    assert 10 < mean < 12.5


def test_each_novel_sentence_has_a_combination_that_no_other_split_shows():
    for pair in pairs("novel", 800, seed=3):
        assert combinations(parse(pair.source)) & reserved_combinations()
    for split in ("train", "valid", "test", "long"):
        for pair in pairs(split, 800, seed=3):
            assert not combinations(parse(pair.source)) & reserved_combinations()


def test_each_word_of_a_reserved_combination_is_still_learnt_from_others(train):
    words = {word for pair in train for word in pair.source}
    for _, first, second in reserved_combinations():
        assert second in words or second == "bank"
        assert any(word.startswith(first[:4]) for word in words)


def test_the_language_has_300_to_500_word_forms_a_side():
    assert 300 <= len(ENGLISH_WORDS) <= 500
    assert 300 <= len(FRENCH_WORDS) <= 500
    assert list(ENGLISH_WORDS) == sorted(set(ENGLISH_WORDS))
    assert list(FRENCH_WORDS) == sorted(set(FRENCH_WORDS))


def test_every_word_form_is_frequent_enough_to_be_learnt(train):
    english = Counter(word for pair in train for word in pair.source)
    french = Counter(word for pair in train for word in pair.target)
    assert set(english) == set(ENGLISH_WORDS)
    assert set(french) == set(FRENCH_WORDS)
    # 15 times in 20,000 pairs, but for chance
    assert min(english.values()) >= 30
    assert min(french.values()) >= 30


def test_every_phenomenon_is_frequent_enough_to_be_measured(train):
    found = Counter(name for pair in train for name in pair.phenomena)
    assert set(found) == set(PHENOMENA)
    assert min(found.values()) >= 400


def test_the_antecedent_is_the_nearest_noun_in_about_half_of_the_cases(train):
    every = [one.nearest for pair in train for one in pair.antecedents]
    unclear = [
        one.nearest
        for pair in train
        for one in pair.antecedents
        if pair.source[one.source] in ("it", "they", "them")
    ]
    assert 0.4 <= sum(every) / len(every) <= 0.6
    assert 0.4 <= sum(unclear) / len(unclear) <= 0.6


@pytest.mark.parametrize(
    ("split", "count", "seed", "message"),
    [
        ("training", 1, 0, "training.*train, valid"),
        ("train", -1, 0, "-1.*0 or more"),
        ("train", 2.5, 0, "2.5.*whole number"),
        ("train", True, 0, "True.*whole number"),
        ("train", 1, "7", "'7'.*whole number"),
        ("train", 1, None, "None.*whole number"),
    ],
)
def test_bad_requests_say_what_was_wrong_and_what_was_expected(split, count, seed, message):
    with pytest.raises(ValueError, match=message):
        pairs(split, count, seed)


def test_no_pairs_may_be_asked_for():
    assert pairs("test", 0) == []


def test_the_corpus_needs_neither_torch_nor_numpy():
    code = "import sys, seq2bert.corpus; print({'torch', 'numpy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
