"""The mask explorer: its masks, the weights under them, and what the leak test finds."""

import json
from xml.etree import ElementTree

import position_and_mask_fixture as fixture
import pytest
import torch
from test_decoding_fixture import flat

from seq2bert import mask_picture
from seq2bert.widgets import MaskExplorer
from seq2bert.widgets.masks import ENERGIES, SETTINGS, leak_says, other_word
from seq2bert.word_numbers import word_numbers

TWO = ["the dog sleeps", "it sings"]


def test_the_fixture_is_what_python_computes():
    stored = flat(json.loads(fixture.MASKS.read_text(encoding="utf-8")))
    now = flat(json.loads(fixture.as_text(fixture.masks())))
    assert [path for path, _ in stored] == [path for path, _ in now]
    for (path, one), (_, other) in zip(stored, now, strict=True):
        expected = pytest.approx(other, abs=1e-9) if isinstance(other, float) else other
        assert one == expected, path


def test_the_padding_mask_takes_columns_away_and_no_rows():
    widget = MaskExplorer(TWO)
    assert widget.mask[0].all()
    assert widget.mask[1].tolist() == [[True, True, False]] * 3


def test_both_masks_together_by_hand():
    widget = MaskExplorer(TWO, padding=True, causal=True)
    expected = [[True, False, False], [True, True, False], [True, True, False]]
    assert widget.mask[1].tolist() == expected


def test_a_window_counts_places_in_both_directions():
    widget = MaskExplorer(["a b c d"], padding=False, window=1)
    distance = torch.arange(4)[:, None] - torch.arange(4)
    assert torch.equal(widget.mask[0], distance.abs() <= 1)


def test_masked_weights_are_exactly_0_and_other_rows_sum_to_1():
    widget = MaskExplorer(TWO, causal=True)
    assert (widget.weights[~widget.mask] == 0).all()
    assert torch.allclose(widget.weights.sum(-1), torch.ones(2, 3, dtype=torch.float64))


def test_a_query_without_keys_gives_a_row_of_zeros_and_an_output_of_zeros():
    widget = MaskExplorer(TWO)
    widget.switched = [[1, 0, 0], [1, 0, 1]]
    assert widget.mask[1, 0].tolist() == [False, False, False]
    assert widget.weights[1, 0].tolist() == [0.0, 0.0, 0.0]
    assert widget.output[1, 0].tolist() == [0.0] * 4
    assert widget.weights[1, 1].sum().item() == pytest.approx(1.0)


def test_equal_energies_share_the_weight_among_the_allowed_keys():
    widget = MaskExplorer(TWO, causal=True, energy=ENERGIES[1])
    assert widget.weights[0].tolist()[1] == [0.5, 0.5, 0.0]


def test_a_cell_switched_by_hand_renormalises_its_row_and_no_other():
    widget = MaskExplorer(TWO)
    before = widget.weights[0]
    widget.switched = [[0, 1, 2]]
    after = widget.weights[0]
    assert after[1, 2] == 0
    assert torch.allclose(after[1, :2], before[1, :2] / before[1, :2].sum())
    assert torch.equal(after[0], before[0])


def test_under_the_causal_mask_only_the_last_row_moves_and_the_others_not_by_a_bit():
    widget = MaskExplorer(["the old car stops here"], causal=True)
    moved = widget.moved
    assert (moved[:-1] == 0).all()
    assert moved[-1] > 0.01


def test_without_it_every_row_that_sees_the_last_word_moves():
    widget = MaskExplorer(["the old car stops here"])
    assert (widget.moved > 0).all()
    # ... and the test notices a mask with one hole in it
    widget.causal = True
    widget.switched = [[0, 1, 4]]
    assert (widget.moved > 0).tolist() == [False, True, False, False, True]


def test_the_leak_test_says_which_rows_changed():
    only = leak_says("here", [0.0, 0.0, 0.2])
    assert only.startswith("“here” became “something”: of 3 words only row 3, the last, changes.")
    assert "rows 1 and 3 change. Rows before the last see" in leak_says("here", [0.1, 0.0, 0.2])
    assert "row 2 changes. Rows before" in leak_says("here", [0.0, 0.1, 0.0])
    assert "no row of a word changes" in leak_says("here", [0.0, 0.0])


def test_the_last_word_becomes_another_one():
    widget = MaskExplorer(["say something"])
    widget.changed = True
    assert widget.batch == (("say", "nothing"),)
    assert other_word("nothing") == "something"


def test_other_sentences_forget_what_was_switched():
    widget = MaskExplorer(TWO)
    widget.sentence, widget.switched, widget.changed = 1, [[1, 0, 0]], True
    widget.sentences = ["one"]
    assert (widget.sentence, widget.switched, widget.changed) == (0, [], False)


def test_numbers_of_words_follow_from_their_letters():
    first = word_numbers(["dog", "cat"], "query")
    assert torch.equal(first, word_numbers(["dog", "cat"], "query"))
    assert not torch.equal(first[0], first[1])
    assert not torch.equal(first[0], word_numbers(["dog"], "key")[0])
    many = word_numbers([f"word {number}" for number in range(2000)], "value")
    assert many.min() >= -1
    assert many.max() < 1
    # even over the whole range, in each feature: mean 0, variance 1/3
    assert many.mean(0).abs().max() < 0.05
    assert (many.var(0) - 1 / 3).abs().max() < 0.05
    # no feature follows from another
    assert (torch.corrcoef(many.T) - torch.eye(4)).abs().max() < 0.1


def test_numbers_of_words_have_one_of_three_roles():
    with pytest.raises(ValueError, match="role is 'context'; expected one of query, key, value"):
        word_numbers(["dog"], "context")


@pytest.mark.parametrize("title", SETTINGS)
def test_settings_are_such_states_as_the_widget_takes(title):
    widget = MaskExplorer(SETTINGS[title], causal=True, window=2)
    assert torch.isfinite(widget.output).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sentences": []}, "0 sentences; expected 1 to 4"),
        ({"sentences": ["a"] * 5}, "5 sentences; expected 1 to 4"),
        ({"sentences": ["a " * 11]}, "11 words in a sentence; at most 10"),
        ({"sentences": ["", " "]}, "no sentence has a word"),
        ({"window": -1}, "window is -1; expected 0 to 10"),
        ({"energy": "random"}, "energy is 'random'; expected one of"),
    ],
)
def test_what_cannot_be_shown_is_refused_with_a_reason(arguments, message):
    with pytest.raises(ValueError, match=message):
        MaskExplorer(**arguments)


def test_a_cell_outside_of_the_batch_is_refused():
    widget = MaskExplorer(TWO)
    with pytest.raises(ValueError, match=r"switched holds \[0, 3, 0\]"):
        widget.switched = [[0, 3, 0]]
    with pytest.raises(ValueError, match="sentence is 2; there are 2"):
        widget.sentence = 2


def test_the_still_picture_and_its_tables_say_what_is_shown():
    widget = MaskExplorer(TWO, causal=True)
    widget.sentence, widget.switched, widget.changed = 0, [[0, 0, 2]], True
    data, _ = widget._repr_mimebundle_()
    picture = ElementTree.fromstring(data["image/svg+xml"])
    # 9 cells: 6 of the causal mask, one by hand; a cross is two strokes
    assert "7 of 9 cells allowed" in picture.find("{*}desc").text
    crosses = picture.find(".//{*}path[@class='s2b-forbidden']").get("d")
    assert crosses.count("M") == 2
    assert len(picture.findall(".//{*}circle")) == 1
    page = data["text/html"]
    assert page.count("<td>0 forbidden</td>") == 2
    assert page.count("moves by") == 2
    assert page.count("<td>the same</td>") == 1
    assert mask_picture.batch_html(widget._scene()) in page
    assert repr(widget) == "MaskExplorer(2 sentences, padding, causal)"
