"""Charts are stored so that a notebook stays valid, and so that everybody can read them."""

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import altair as alt
import nbformat
import numpy as np
import pytest

from seq2bert import charts
from seq2bert.palette import OTHERS, ROLES

ROWS = [{"length": length, "accuracy": 1 / length, "model": "rnn"} for length in range(3, 15)]
DESCRIPTION = 'Accuracy "falls" from 0.33 to 0.07 & stays <low> \\1'


@pytest.fixture(autouse=True)
def _enabled():
    charts.enable()


def chart(**changes) -> alt.Chart:
    settings = {"description": DESCRIPTION} | changes
    return (
        alt.Chart(alt.Data(values=ROWS), **settings)
        .mark_line(point=True)
        .encode(x="length:Q", y="accuracy:Q", color="model:N")
    )


def test_a_chart_is_stored_as_specification_picture_and_text():
    bundle = chart()._repr_mimebundle_()
    assert set(bundle) == {"application/vnd.vegalite.v6+json", "image/svg+xml", "text/plain"}
    assert bundle["text/plain"] == "Chart(line, 12 rows)"


def test_a_notebook_with_a_chart_in_it_is_valid():
    data = chart()._repr_mimebundle_()
    output = nbformat.v4.new_output("display_data", data=data)
    cell = nbformat.v4.new_code_cell("chart", outputs=[output])
    nbformat.validate(nbformat.v4.new_notebook(cells=[cell]))
    assert json.loads(json.dumps(data)) == data


def test_numbers_of_numpy_and_tuples_become_plain_json():
    spec = {"description": "x", "mark": "bar", "data": {"values": [{"a": (1, 2)}]}}
    stored = charts.mime_bundle(spec | {"usermeta": {"pair": (1, 2)}})
    assert stored["application/vnd.vegalite.v6+json"]["usermeta"] == {"pair": [1, 2]}
    frame = alt.Chart(
        alt.Data(values=[{"a": float(np.float32(0.5))}]), description="One bar of a half"
    ).mark_bar()
    assert frame._repr_mimebundle_()["text/plain"] == "Chart(bar, 1 row)"


@pytest.mark.parametrize("missing", [None, "", "  "])
def test_a_chart_without_a_description_is_refused(missing):
    with pytest.raises(ValueError, match="it is the alternative text"):
        charts.mime_bundle({"mark": "line", "description": missing})


def test_the_picture_has_the_description_as_its_only_name():
    root = ElementTree.fromstring(chart()._repr_mimebundle_()["image/svg+xml"])
    assert root.get("role") == "img"
    assert root.get("aria-label") == DESCRIPTION
    inner = [element for element in root.iter() if element is not root]
    assert not [element for element in inner if "role" in element.attrib]


def test_the_picture_is_the_same_at_every_run_even_with_clips_and_gradients():
    def drawn() -> str:
        gradient = alt.Gradient(
            gradient="linear",
            stops=[
                alt.GradientStop(color="#ffffff", offset=0),
                alt.GradientStop(color="#0072b2", offset=1),
            ],
        )
        marks = chart().mark_area(color=gradient, clip=True)
        return marks._repr_mimebundle_()["image/svg+xml"]

    first, second = drawn(), drawn()
    assert first == second
    ids = re.findall(r'\bid="([^"]+)"', first)
    assert ids
    assert all(name.startswith("s2b-chart-") for name in ids)
    assert all(f"url(#{name})" in first for name in ids)


def test_every_colour_of_the_theme_is_a_mark_that_the_site_can_repaint():
    known = {pair["light"] for pair in (ROLES | OTHERS).values()}
    drawn = chart()._repr_mimebundle_()["image/svg+xml"]
    used = set(re.findall(r'(?:fill|stroke)="(#[0-9a-fA-F]+)"', drawn))
    assert used <= known, used - known
    assert not re.search(r'(?:fill|stroke)="(?:black|white)"', drawn)


def test_marks_of_layers_and_panels_are_all_named_in_the_text():
    layered = alt.layer(chart(), chart().mark_rule(), description="Two layers")
    assert layered._repr_mimebundle_()["text/plain"] == "Chart(line + rule, 12 rows)"


def test_a_chart_without_the_converter_keeps_specification_and_text(monkeypatch):
    monkeypatch.setattr(charts, "_converter", lambda: None)
    assert set(chart()._repr_mimebundle_()) == {"application/vnd.vegalite.v6+json", "text/plain"}


def test_the_module_works_where_the_converter_is_not_installed():
    code = (
        "import sys; sys.modules['vl_convert'] = None; from seq2bert import charts; "
        "print(sorted(charts.mime_bundle({'mark': 'bar', 'description': 'x'})))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "svg" not in done.stdout
    assert "vegalite" in done.stdout
