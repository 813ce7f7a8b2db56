"""Matplotlib pictures: labels on the right axes, one scale, gold outlined."""

import numpy as np
import pytest
from matplotlib.patches import Rectangle

from seq2bert.attention_map import AttentionMap
from seq2bert.plots import heat_map

WEIGHTS = np.zeros((4, 3))
WEIGHTS[:, 0], WEIGHTS[3] = 1.0, (0.0, 1.0, 0.0)


@pytest.fixture
def figure():
    attention = AttentionMap(
        WEIGHTS,
        ("10", "2", "2", "1"),
        ("b", "a", "b"),
        "cross",
        sure=frozenset({(3, 1)}),
        possible=frozenset({(0, 2)}),
    )
    return heat_map(attention)


def test_rows_are_queries_and_columns_are_keys_in_the_order_of_the_sentence(figure):
    axes = figure.axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["10", "2", "2", "1"]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["b", "a", "b"]
    assert (axes.get_ylabel(), axes.get_xlabel()) == ("query", "key")


def test_the_planted_cell_is_where_it_was_planted(figure):
    image = figure.axes[0].images[0].get_array()
    assert image.shape == (4, 3)
    assert image[3, 1] == 1.0


def test_all_pictures_share_the_scale_from_0_to_1(figure):
    assert figure.axes[0].images[0].get_clim() == (0, 1)


def test_gold_is_outlined_solid_if_sure_and_dashed_if_possible(figure):
    boxes = [patch for patch in figure.axes[0].patches if isinstance(patch, Rectangle)]
    drawn = {
        (round(box.get_y() + 0.45), round(box.get_x() + 0.45)): box.get_linestyle() for box in boxes
    }
    assert drawn == {(3, 1): "solid", (0, 2): "dashed"}


def test_a_head_that_is_not_there_is_refused():
    attention = AttentionMap(WEIGHTS, tuple("abcd"), tuple("xyz"), "cross")
    with pytest.raises(ValueError, match="layer 0, head 1 asked for"):
        heat_map(attention, head=1)
