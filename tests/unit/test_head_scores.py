"""Scores of single heads and of their mean, by hand."""

import numpy as np
import pytest

from seq2bert.attention_map import AttentionMap
from seq2bert.head_scores import alignment_of_average, alignment_of_heads, averaged, best_head

DIAGONAL = np.eye(2)
CROSSED = DIAGONAL[::-1]
GOLD = frozenset({(0, 0), (1, 1)})


def attention(*layers):
    return AttentionMap(np.array(layers), ("x", "y"), ("a", "b"), "cross", sure=GOLD)


MAP = attention([CROSSED, DIAGONAL], [CROSSED, CROSSED])


def test_each_head_is_scored_alone():
    scores = alignment_of_heads([MAP, MAP])
    rates = [[score.error_rate for score in row] for row in scores]
    assert rates == [[1.0, 0.0], [1.0, 1.0]]
    assert best_head(scores) == (0, 1)


def test_of_equal_heads_the_first_is_best():
    assert best_head(alignment_of_heads([attention([CROSSED], [CROSSED])])) == (0, 0)


def test_the_mean_is_over_heads_and_layers():
    mean = averaged(MAP)
    assert mean.shape == (1, 1, 2, 2)
    assert mean.weights[0, 0].tolist() == [[0.25, 0.75], [0.75, 0.25]]
    assert mean.sure == GOLD
    assert averaged(MAP, layers=[0]).weights[0, 0].tolist() == [[0.5, 0.5], [0.5, 0.5]]


def test_the_score_of_the_mean_is_that_of_the_averaged_map():
    assert alignment_of_average([MAP]).error_rate == 1.0
    mostly = attention([DIAGONAL, DIAGONAL], [CROSSED, DIAGONAL])
    assert alignment_of_average([mostly]).error_rate == 0.0
    assert alignment_of_average([mostly, MAP]).error_rate == 0.5


@pytest.mark.parametrize("layers", [[], [2], [-1]])
def test_layers_that_are_not_there_are_refused(layers):
    with pytest.raises(ValueError, match="layers 0 to 1"):
        averaged(MAP, layers)


def test_no_maps_are_refused():
    with pytest.raises(ValueError, match="no maps"):
        alignment_of_heads([])
