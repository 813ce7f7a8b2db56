"""The exercise's Python half: it stores what it was given, and keeps its answer to itself."""

import re
from dataclasses import replace

import numpy as np
import pytest
from widget_fixture import planted_map, scored_maps, small_map

from seq2bert import pictures
from seq2bert.attention_map import AttentionMap
from seq2bert.widgets import Predict, bundle
from seq2bert.widgets.predict import exercise_html
from seq2bert.widgets.stored import decode_maps

VIEW = "application/vnd.jupyter.widget-view+json"


@pytest.fixture
def built(monkeypatch):
    """A built front end, whether or not this copy has one."""
    monkeypatch.setattr(bundle, "script", lambda name: "export default { render() {} }")


def test_the_state_holds_the_maps_and_nothing_is_marked_or_revealed():
    state = Predict(scored_maps()).get_state()
    stored = decode_maps(state["maps"], state["weights"])
    assert all(np.array_equal(stored[name].weights, m.weights) for name, m in scored_maps().items())
    assert [stored[title].sure for title in stored] == [m.sure for m in scored_maps().values()]
    assert (state["map"], state["marks"], state["revealed"]) == (0, {}, [])


def test_marks_are_kept_in_order_and_once_each_and_an_empty_list_is_none():
    widget = Predict(scored_maps())
    widget.set_state({"marks": {"0": [[3, 3], [0, 0], [3, 3]], "1": []}, "revealed": [1, 0]})
    assert widget.marks == {"0": [[0, 0], [3, 3]]}
    assert widget.revealed == [0, 1]


@pytest.mark.parametrize(
    ("trait", "value", "message"),
    [
        ("marks", {"2": [[0, 0]]}, "example '2'; this widget has the examples '0' to '1'"),
        ("marks", {"1": [[2, 0]]}, "query is 2; this widget has .* 0 to 1"),
        ("marks", {"0": [[0, 4]]}, "key is 4; this widget has .* 0 to 3"),
        ("revealed", [2], "revealed is 2; this widget has revealed 0 to 1"),
        ("map", -1, "map is -1; this widget has map 0 to 1"),
    ],
)
def test_what_does_not_exist_can_be_neither_marked_nor_revealed_nor_shown(trait, value, message):
    with pytest.raises(ValueError, match=message):
        setattr(Predict(scored_maps()), trait, value)


@pytest.mark.parametrize(
    ("attention", "message"),
    [
        (small_map(), r"maps\['a'\] has no sure gold links .*make it from a pair of the corpus"),
        (planted_map(), r"maps\['a'\] has 2 layers and 2 heads.*attention.head\(layer, head\)"),
    ],
)
def test_a_map_that_cannot_be_scored_is_refused_by_name_with_the_remedy(attention, message):
    with pytest.raises(ValueError, match=message):
        Predict({"b": scored_maps()["all sure"], "a": attention})


def test_what_is_no_map_is_refused_in_the_words_of_the_heat_map(unchecked):
    with pytest.raises(ValueError, match=r"maps\['a'\] is a ndarray"):
        unchecked("widgets.predict").Predict({"a": np.ones((2, 2))})


def test_its_text_counts_the_examples_and_never_changes():
    widget = Predict(scored_maps())
    widget.marks, widget.revealed = {"0": [[0, 0]]}, [0]
    assert repr(widget) == "Predict(2 examples)"
    assert repr(Predict({"one": scored_maps()["all sure"]})) == "Predict(1 example)"


def without_answer(attention: AttentionMap) -> AttentionMap:
    """The same tokens; the same weight everywhere, and no gold."""
    weights = np.full(attention.shape, 1 / attention.shape[-1], dtype=np.float32)
    return replace(attention, weights=weights, sure=frozenset(), possible=frozenset())


def test_the_picture_is_the_same_whatever_the_weights_and_the_gold_are(built):
    widget = Predict(scored_maps())
    widget.revealed = [0]  # who opens the stored notebook begins anew
    picture = widget._repr_mimebundle_()[0]["image/svg+xml"]
    assert picture == pictures.blank_svg(without_answer(scored_maps()["two for one"]))


def test_outside_the_fold_the_page_is_the_same_whatever_the_weights_and_the_gold_are(built):
    page = Predict(scored_maps())._repr_mimebundle_()[0]["text/html"]
    blank = {title: without_answer(attention) for title, attention in scored_maps().items()}
    fold = re.compile(r"(<details[^>]*>)<summary>.*?</summary>.*</details>", re.DOTALL)
    assert fold.sub(r"\1", page) == fold.sub(r"\1", exercise_html(blank, "two for one"))
    assert fold.search(page)[1] == '<details class="s2b-later-answer">'


def test_inside_the_fold_every_example_has_its_weights_and_its_gold_in_words(built):
    page = Predict(scored_maps())._repr_mimebundle_()[0]["text/html"]
    answer = page[page.index("<details") :]
    assert answer.count("<table") == 2
    assert "<td>0.80 possible</td>" in answer
    assert "<td>0.60 sure</td>" in answer


def test_a_title_is_text_on_the_page_even_in_an_attribute(built):
    maps = {'"><b onclick="x">': scored_maps()["all sure"]}
    assert "<b" not in re.sub("<bdi>", "", Predict(maps)._repr_mimebundle_()[0]["text/html"])


def test_the_live_view_stands_beside_the_still_one(built):
    widget = Predict(scored_maps())
    data, _ = widget._repr_mimebundle_()
    assert set(data) == {VIEW, "image/svg+xml", "text/html", "text/plain"}
    assert data[VIEW]["model_id"] == widget.model_id
    assert data["image/svg+xml"] in data["text/html"]


def test_no_cell_is_too_small_for_a_finger():
    tokens = tuple(str(number) for number in range(30))
    wide = AttentionMap(
        weights=np.eye(30, dtype=np.float32), query_tokens=tokens, key_tokens=tokens, kind="encoder"
    )
    place = pictures.layout(tokens, tokens)
    (least,) = re.findall(r"min-width:(\d+)px", pictures.blank_svg(wide))
    assert (place.cell - 1) * int(least) / place.width >= 24
