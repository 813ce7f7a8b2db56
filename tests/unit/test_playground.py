"""The playground: what it shows is what the energies and distributions of the chapter give."""

import json
from xml.etree import ElementTree

import playground_fixture
import pytest
import torch
from test_decoding_fixture import flat

from seq2bert import plane_picture
from seq2bert.attention import energies
from seq2bert.attention.distributions import masked_softmax
from seq2bert.attention.energy_layers import MAKERS
from seq2bert.widgets import Playground
from seq2bert.widgets.playground import DISTRIBUTIONS, ENERGIES, MOST_KEYS, SETTINGS


def test_the_fixture_is_what_python_computes():
    stored = flat(json.loads(playground_fixture.PATH.read_text(encoding="utf-8")))
    now = flat(json.loads(playground_fixture.as_text()))
    assert [path for path, _ in stored] == [path for path, _ in now]
    for (path, one), (_, other) in zip(stored, now, strict=True):
        expected = pytest.approx(other, abs=1e-9) if isinstance(other, float) else other
        assert one == expected, path


def test_every_energy_of_the_chapter_can_be_chosen():
    # a learned strength is what the slider does by hand
    assert set(ENERGIES) == set(MAKERS) - {"cosine, strength"}


def test_a_worked_example():
    widget = Playground([1.0, 2.0], [[1.0, 0.0], [0.0, 3.0], [2.0, 1.0]])
    assert widget.energies.tolist() == [1.0, 6.0, 4.0]
    expected = torch.tensor([1.0, 6.0, 4.0], dtype=torch.float64).softmax(0)
    assert torch.allclose(widget.weights, expected)
    assert torch.allclose(widget.context, expected @ torch.tensor(widget.key_vectors).double())


def test_a_masked_key_weighs_nothing_and_the_scale_counts_before_the_distribution():
    widget = Playground([1.0, 2.0], [[1.0, 0.0], [0.0, 3.0], [2.0, 1.0]], "distance", scale=0.5)
    widget.allowed = [True, False, True]
    query, keys = torch.tensor([widget.query]), torch.tensor(widget.key_vectors)
    expected = masked_softmax(
        0.5 * energies.distance_energy(query, keys), torch.tensor([[True, False, True]])
    )
    assert torch.allclose(widget.weights, expected[0].double())
    assert widget.weights[1] == 0


def test_new_keys_may_be_attended_to():
    widget = Playground()
    widget.allowed = [False, True, True]
    widget.key_vectors = [*widget.key_vectors, [0.0, 1.0]]
    assert widget.allowed == [False, True, True, True]
    widget.key_vectors = widget.key_vectors[:1]
    assert widget.allowed == [False]


@pytest.mark.parametrize("title", SETTINGS)
def test_settings_are_such_states_as_the_widget_takes(title):
    query, keys = SETTINGS[title]
    widget = Playground(query, keys)
    assert torch.isfinite(widget.weights).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"query": (1.0, 4.0)}, "query is .* between -3 and 3"),
        ({"query": (1.0, 1.0, 1.0)}, "two numbers"),
        ({"keys": []}, "0 keys; expected 1 to 6"),
        ({"keys": [(0.0, 0.0)] * (MOST_KEYS + 1)}, "7 keys"),
        ({"keys": [(0.0, 0.0), (9.0, 0.0)]}, "key 2 is"),
        ({"energy": "bilinear"}, "energy is 'bilinear'; expected one of dot"),
        ({"distribution": "hardmax"}, "expected one of softmax, sparsemax, sigmoid"),
    ],
)
def test_what_cannot_be_shown_is_refused_with_a_reason(arguments, message):
    with pytest.raises(ValueError, match=message):
        Playground(**arguments)


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_the_still_picture_and_its_table_say_what_is_shown(distribution):
    widget = Playground(distribution=distribution)
    widget.allowed = [True, False, True]
    data, _ = widget._repr_mimebundle_()
    picture = ElementTree.fromstring(data["image/svg+xml"])
    circles = picture.findall(".//{*}circle")
    assert len(circles) == 4
    said = picture.find("{*}desc").text
    for weight in widget.weights.tolist():
        assert plane_picture.weight_text(weight).replace("&lt;", "<") in said
    assert repr(widget) == f"Playground(dot, {distribution}, 3 keys)"
    assert data["text/html"].count('<th scope="row">') == 4
