"""Judging on the miniature language: groups, rows that count, and what no arg-max can do."""

import numpy as np
import pytest

from seq2bert.attention_map import AttentionMap
from seq2bert.corpus import Link, Pair
from seq2bert.evaluation import (
    alignment_by_phenomenon,
    alignment_of_rows,
    best_possible,
    by_group,
    length_bin,
)
from seq2bert.metrics import AlignmentScore

PAIR = Pair(
    source=("of", "the", "cat"),
    target=("du", "chat"),
    sure=frozenset({Link(0, 0), Link(0, 1), Link(1, 2)}),
    possible=frozenset({Link(0, 0), Link(0, 1), Link(1, 2)}),
    spans={"contraction": (0,)},
)


def planted(*looked_at):
    return AttentionMap(
        np.eye(3)[list(looked_at)], PAIR.target, PAIR.source, "cross", PAIR.sure, PAIR.possible
    )


def test_groups_have_means_and_counts_in_order():
    assert by_group([1.0, 0.0, 1.0], ["b", "a", "b"]) == {"a": (0.0, 1), "b": (1.0, 2)}
    with pytest.raises(ValueError, match="3 values, but 1 groups"):
        by_group([1.0, 0.0, 1.0], ["a"])


@pytest.mark.parametrize(
    ("length", "middle"), [(1, 2), (4, 2), (5, 6), (8, 6), (9, 10), (20, 18), (21, 22)]
)
def test_lengths_fall_into_stretches_of_four(length, middle):
    assert length_bin(length) == middle


def test_only_the_wanted_rows_count():
    maps = [planted(1, 1)]
    assert alignment_of_rows(maps, [[0]]) == AlignmentScore(1, 2, 1, 1)
    assert alignment_of_rows(maps, [[1]]) == AlignmentScore(1, 1, 0, 0)
    assert alignment_of_rows(maps, [[0, 1]]) == AlignmentScore(2, 3, 1, 1)


def test_one_set_of_rows_for_each_map():
    with pytest.raises(ValueError, match="zip"):
        alignment_of_rows([planted(1, 1)], [])


def test_phenomena_are_scored_on_their_own_words():
    scores = alignment_by_phenomenon([planted(0, 0)], [PAIR])
    assert scores == {"contraction": AlignmentScore(1, 2, 1, 1)}


def test_no_arg_max_finds_both_words_behind_one():
    assert best_possible([PAIR]) == AlignmentScore(2, 3, 2, 2)
    assert best_possible([PAIR]).error_rate == pytest.approx(1 - 4 / 5)
