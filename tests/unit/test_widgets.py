"""The heat map's Python half: what is stored is what was given, and nothing else gets in."""

import base64
import copy
from html import escape

import ipywidgets
import nbformat
import numpy as np
import pytest
import widget_fixture
from hypothesis import given, settings
from hypothesis import strategies as st
from IPython.core.formatters import DisplayFormatter
from widget_fixture import planted_map, small_map

from seq2bert.attention_map import AttentionMap
from seq2bert.widgets import HeatMap, bundle, stored_maps, strip_stored_state
from seq2bert.widgets.stored import STATE_TYPE, decode_maps, encode_maps

VIEW = "application/vnd.jupyter.widget-view+json"


@pytest.fixture
def built(monkeypatch):
    """A built front end, whether or not this copy has one."""
    monkeypatch.setattr(bundle, "script", lambda name: "export default { render() {} }")


def notebook_of(*widgets: ipywidgets.Widget) -> dict:
    """A notebook as it is stored with the state of these widgets (and of their layouts)."""
    state = ipywidgets.Widget.get_manager_state(widgets=[*widgets])
    notebook = nbformat.v4.new_notebook()
    notebook["metadata"]["widgets"] = {STATE_TYPE: state}
    nbformat.validate(notebook)
    return notebook


def same(first: AttentionMap, second: AttentionMap) -> bool:
    fields = ("query_tokens", "key_tokens", "kind", "sure", "possible", "normalised")
    return np.array_equal(first.weights, second.weights) and all(
        getattr(first, name) == getattr(second, name) for name in fields
    )


def test_the_fixture_of_the_typescript_tests_is_what_python_writes_today():
    assert widget_fixture.PATH.read_text(encoding="utf-8") == widget_fixture.as_text(), (
        "run: python tests/unit/widget_fixture.py"
    )


def test_a_stored_notebook_gives_the_maps_back_bit_by_bit():
    widget = HeatMap({"planted": planted_map(), "small": small_map()})
    (found,) = stored_maps(notebook_of(widget)).values()
    assert list(found) == ["planted", "small"]
    assert same(found["planted"], planted_map())
    assert same(found["small"], small_map())


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(*[st.integers(1, 3)] * 4, st.booleans(), st.text(max_size=3)),
        min_size=1,
        max_size=3,
    )
)
def test_encoding_and_decoding_are_inverse_for_any_maps(shapes):
    rng = np.random.default_rng(len(shapes))
    maps = {}
    for layers, heads, queries, keys, normalised, token in shapes:
        weights = rng.random((layers, heads, queries, keys), dtype=np.float32)
        if normalised:
            weights /= weights.sum(-1, keepdims=True)
        maps[str(len(maps))] = AttentionMap(
            weights=weights,
            query_tokens=(token,) * queries,
            key_tokens=(token,) * keys,
            kind="decoder",
            sure=frozenset({(queries - 1, keys - 1)}),
            normalised=normalised,
        )
    back = decode_maps(*encode_maps(maps))
    assert all(same(maps[title], back[title]) for title in maps)


def test_bytes_are_little_endian_floats_in_the_order_query_then_key():
    _, weights = encode_maps({"": small_map()})
    assert np.frombuffer(weights, "<f4").tolist() == [0.25, 0.75, 0, 0, 1, 0]


def test_stripping_takes_code_and_styles_and_leaves_the_picture():
    notebook = notebook_of(HeatMap(planted_map()))
    before = copy.deepcopy(notebook)
    strip_stored_state(notebook)
    for model_id, model in notebook["metadata"]["widgets"][STATE_TYPE]["state"].items():
        gone = set(before["metadata"]["widgets"][STATE_TYPE]["state"][model_id]["state"])
        gone -= set(model["state"])
        assert gone <= {"_esm", "_css"}
    (model,) = (
        model
        for model in notebook["metadata"]["widgets"][STATE_TYPE]["state"].values()
        if model["model_name"] == "AnyModel"
    )
    assert "_esm" not in model["state"]
    assert model["state"]["_anywidget_id"] == "seq2bert.widgets.heatmap.HeatMap"
    assert stored_maps(notebook).keys() == stored_maps(before).keys()
    strip_stored_state(notebook)
    strip_stored_state({"metadata": {}})


def test_a_notebook_without_weights_is_refused_by_the_widgets_name():
    notebook = notebook_of(HeatMap(planted_map()))
    for model in notebook["metadata"]["widgets"][STATE_TYPE]["state"].values():
        model["buffers"] = []
    with pytest.raises(ValueError, match="stored without its weights"):
        stored_maps(notebook)


def test_cut_weights_are_refused_with_both_numbers():
    records, weights = encode_maps({"a": planted_map()})
    with pytest.raises(ValueError, match="needs the weights 0 to 335, but only 335"):
        decode_maps(records, weights[:-4])


def test_the_bundle_has_a_live_view_a_picture_a_table_and_a_stable_text(built):
    widget = HeatMap(planted_map())
    data, _ = widget._repr_mimebundle_()
    assert set(data) == {VIEW, "image/svg+xml", "text/html", "text/plain"}
    assert data["text/plain"] == "HeatMap(cross, 1 map, 12 x 7)"
    assert data[VIEW]["model_id"] == widget.model_id
    assert data["image/svg+xml"] in data["text/html"]
    assert "<table" in data["text/html"]


def test_ipython_shows_the_bundle_and_nothing_that_prints_by_itself(built):
    data, _ = DisplayFormatter().format(HeatMap(planted_map()))
    assert {VIEW, "image/svg+xml", "text/html"} <= set(data)


def test_without_the_front_end_the_picture_stays_and_one_sentence_says_what_to_do(monkeypatch):
    monkeypatch.setattr(bundle, "script", lambda name: "")
    data, _ = HeatMap(planted_map())._repr_mimebundle_()
    assert VIEW not in data
    assert "<svg" in data["text/html"]
    assert data["text/html"].count("make book") == 1


def test_every_map_of_several_stands_in_the_bundle_as_a_table(built):
    widget = HeatMap({"planted": planted_map(), "small": small_map()})
    page = widget._repr_mimebundle_()[0]["text/html"]
    assert page.count("<table") == 2
    for token in (*planted_map().query_tokens, *small_map().query_tokens):
        assert escape(token) in page


def test_the_picture_follows_what_is_chosen(built):
    widget = HeatMap(planted_map())
    before = widget._repr_mimebundle_()[0]["image/svg+xml"]
    widget.layer = 1
    assert widget._repr_mimebundle_()[0]["image/svg+xml"] != before


def test_several_maps_are_counted_and_chosen_by_number():
    widget = HeatMap({"planted": planted_map(), "small": small_map()})
    widget.layer, widget.head, widget.query = 1, 1, 11
    widget.map = 1
    assert (widget.layer, widget.head, widget.query) == (0, 0, -1)
    assert repr(widget) == "HeatMap(encoder, 2 maps, 3 x 2)"
    assert same(widget.attention, small_map())


@pytest.mark.parametrize(
    ("name", "value", "bounds"),
    [
        ("layer", 2, "0 to 1"),
        ("head", -1, "0 to 1"),
        ("query", 12, "-1 to 11"),
        ("map", 1, "0 to 0"),
    ],
)
def test_a_choice_that_does_not_exist_is_refused_with_the_bounds(name, value, bounds):
    widget = HeatMap(planted_map())
    with pytest.raises(ValueError, match=f"{name} is {value}; this widget has {name} {bounds}"):
        setattr(widget, name, value)


def test_a_selection_that_arrives_in_one_message_is_taken_as_a_whole():
    widget = HeatMap({"small": small_map(), "planted": planted_map()})
    # in this order layer 1 does not exist yet when it is read
    widget.set_state({"layer": 1, "query": 11, "map": 1})
    assert (widget.map, widget.layer, widget.query) == (1, 1, 11)


def test_update_shows_other_maps_and_keeps_what_still_exists():
    widget = HeatMap(planted_map())
    widget.layer, widget.query = 1, 7
    widget.update(small_map())
    assert (widget.layer, widget.query) == (0, 2)
    assert same(widget.attention, small_map())


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({}, "maps is empty"),
        ([1], "maps is a list"),
        ({"a": np.ones((2, 2))}, r"maps\['a'\] is a ndarray"),
    ],
)
def test_what_is_no_map_is_refused_before_anything_is_shown(unchecked, wrong, message):
    with pytest.raises(ValueError, match=message):
        unchecked("widgets.heatmap").HeatMap(wrong)


def test_a_picture_of_too_many_cells_is_refused_with_the_remedy():
    side = 151
    tokens = tuple(str(number) for number in range(side))
    huge = AttentionMap(
        weights=np.eye(side, dtype=np.float32),
        query_tokens=tokens,
        key_tokens=tokens,
        kind="encoder",
    )
    with pytest.raises(ValueError, match=r"151 queries x 151 keys.*cut the weights"):
        HeatMap(huge)


def test_six_layers_of_eight_heads_over_thirty_words_fit_into_a_notebook():
    tokens = tuple(f"w{number}" for number in range(30))
    weights = np.full((6, 8, 30, 30), 1 / 30, dtype=np.float32)
    widget = HeatMap(
        AttentionMap(weights=weights, query_tokens=tokens, key_tokens=tokens, kind="encoder")
    )
    (found,) = stored_maps(notebook_of(widget)).values()
    assert found[""].shape == (6, 8, 30, 30)
    assert len(base64.b64encode(widget.weights)) < 300_000
