"""The position explorer: what it shows is what `seq2bert.positions` computes."""

import json
import math
from xml.etree import ElementTree

import position_and_mask_fixture as fixture
import pytest
import torch
from test_decoding_fixture import flat

from seq2bert import position_words
from seq2bert.positions import alibi, rotary, sinusoidal
from seq2bert.widgets import PositionExplorer
from seq2bert.widgets.positions import SCHEMES


def test_the_fixture_is_what_python_computes():
    stored = flat(json.loads(fixture.POSITIONS.read_text(encoding="utf-8")))
    now = flat(json.loads(fixture.as_text(fixture.positions())))
    assert [path for path, _ in stored] == [path for path, _ in now]
    for (path, one), (_, other) in zip(stored, now, strict=True):
        expected = pytest.approx(other, abs=1e-9) if isinstance(other, float) else other
        assert one == expected, path


def test_sinusoidal_vectors_and_their_dot_products():
    widget = PositionExplorer("sinusoidal", width=6, length=5, base=100.0)
    expected = sinusoidal(5, 6, 100.0)
    assert torch.equal(widget.vectors, expected)
    assert torch.allclose(widget.scores, expected @ expected.T)
    # sin a sin b + cos a cos b = cos(a - b), a pair of features for each of three waves
    by_hand = sum(math.cos(2 / 100 ** (2 * wave / 6)) for wave in range(3))
    assert widget.scores[3, 1].item() == pytest.approx(by_hand, abs=1e-5)


def test_rotary_scores_are_those_of_one_query_and_one_key():
    widget = PositionExplorer("rotary", width=8, length=6)
    query, key = (torch.tensor(widget.parameters[name][:8]) for name in ("query", "key"))
    expected = rotary(query.expand(6, 8)) @ rotary(key.expand(6, 8)).T
    assert torch.allclose(widget.scores, expected)
    # at the same place both are turned alike, and the angle cancels
    assert widget.scores[4, 4].item() == pytest.approx(float(query @ key), abs=1e-5)


def test_alibi_adds_the_numbers_of_the_chosen_head():
    widget = PositionExplorer("ALiBi", length=7, head=3)
    assert torch.equal(widget.scores, alibi(8, 7, 7)[2])
    assert widget.scores[0, 4].item() == -4 / 8
    assert widget.vectors is None


def test_relative_numbers_are_cut_off_at_the_furthest_distance():
    widget = PositionExplorer("relative", length=6, bias=[-2.0, -1.0, 0.0, 1.0, 2.0])
    assert widget.furthest == 2
    assert widget.scores[0].tolist() == [0.0, 1.0, 2.0, 2.0, 2.0, 2.0]
    assert widget.scores[5].tolist() == [-2.0, -2.0, -2.0, -2.0, -1.0, 0.0]


@pytest.mark.parametrize("scheme", ["sinusoidal", "relative", "rotary", "ALiBi"])
def test_only_the_distance_counts(scheme):
    widget = PositionExplorer(scheme, width=12, length=20)
    scores = widget.scores.tolist()
    assert position_words.spread(scores) < 1e-4
    assert "the distance alone counts" in position_words.law(scores)
    # ... and it does count: two distances get different numbers
    assert scores[0][0] != scores[0][1]


def test_learned_vectors_know_more_than_the_distance():
    scores = PositionExplorer("learned", width=12, length=20).scores.tolist()
    assert position_words.spread(scores) > 1
    assert "differ by up to" in position_words.law(scores)


def test_a_trained_table_is_shown_as_wide_and_as_long_as_it_is():
    table = torch.arange(12.0).reshape(4, 3)
    widget = PositionExplorer("learned", width=2, length=9, table=table)
    assert widget.places == 4
    assert torch.equal(widget.vectors.float(), table)
    assert torch.allclose(widget.scores.float(), table @ table.T)
    assert widget.row < 4


def test_an_odd_width_loses_a_feature_when_pairs_are_turned():
    widget = PositionExplorer("sinusoidal", width=7)
    assert widget.vectors.shape[1] == 7
    widget.scheme = "rotary"
    assert widget.width == 6
    assert widget.vectors.shape[1] == 6


def test_fewer_places_keep_the_chosen_pair_among_them():
    widget = PositionExplorer(length=20)
    widget.row, widget.column = 19, 18
    widget.length = 5
    assert (widget.row, widget.column) == (4, 4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"scheme": "absolute"}, "scheme is 'absolute'; expected one of sinusoidal"),
        ({"width": 0}, "width is 0; expected 1 to 64"),
        ({"length": 33}, "length is 33; expected 2 to 32"),
        ({"head": 9}, "head is 9; expected 1 to 8"),
        ({"furthest": 0}, "furthest is 0; expected 1 to 8"),
        ({"base": 1.0}, "base is 1.0; expected a number above 1"),
        ({"table": [[1.0, 2.0]]}, r"table has the shape \(1, 2\); expected \(place, feature\)"),
        ({"table": [[1.0], [math.nan]]}, "table holds NaN"),
        ({"bias": [1.0, 2.0]}, r"bias has the shape \(2,\).*an odd number"),
        ({"bias": [1.0, math.inf, 0.0]}, "bias holds NaN or infinity"),
    ],
)
def test_what_cannot_be_shown_is_refused_with_a_reason(arguments, message):
    with pytest.raises(ValueError, match=message):
        PositionExplorer(**arguments)


@pytest.mark.parametrize(
    ("value", "text"), [(-0.0039, "\u22120.0039"), (0.0625, "0.063"), (12.34, "12.3"), (0, "0")]
)
def test_numbers_have_the_digits_that_say_something(value, text):
    assert position_words.number(value) == text


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_still_picture_and_its_tables_say_what_is_shown(scheme):
    widget = PositionExplorer(scheme, width=4, length=5)
    data, _ = widget._repr_mimebundle_()
    picture = ElementTree.fromstring(data["image/svg+xml"])
    drawn = sum(path.get("d").count("M") for path in picture.findall(".//{*}g/{*}path[@class]"))
    assert drawn > 20
    assert position_words.law(widget.scores.tolist()) in picture.find("{*}desc").text
    page = data["text/html"]
    corner = position_words.number(widget.scores[0, -1].item())
    assert f"<td>{corner}</td></tr>" in page
    assert page.count('<th scope="row">') == (10 if widget.vectors is not None else 5)
    assert widget.says(widget.row, widget.column) in page
    assert repr(widget) == f"PositionExplorer({scheme}, 5 places)"
