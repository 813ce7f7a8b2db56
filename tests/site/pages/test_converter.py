"""What the site cannot show as it should is named with its cell; what it can becomes a figure."""

import json
import re
import sys
from typing import Any

import pytest

from conftest import ROOT

sys.path.insert(0, str(ROOT / "book" / "_sphinx"))
from live_outputs import CHART, WIDGET, WIDGET_STATE, Converter, script_json
from page_policy import digest, faults, policy

NAMED = '<svg role="img" aria-label="a map"><rect/></svg>'
NAMELESS = "<svg><rect/></svg>"
VEGA = "application/vnd.vegalite.v6+json"


def notebook(
    data: dict[str, Any], cell: dict[str, Any] | None = None, **model: Any
) -> dict[str, Any]:
    output = {"output_type": "display_data", "data": data, "metadata": {}}
    cells = [
        {"cell_type": "markdown", "source": "# Title", "metadata": {}},
        {"cell_type": "code", "source": "show()", "metadata": cell or {}, "outputs": [output]},
    ]
    states = {WIDGET_STATE: {"state": {"m1": model}}} if model else {}
    return {"cells": cells, "metadata": {"widgets": states}}


def converted(book: dict[str, Any]) -> Converter:
    converter = Converter(book)
    converter.run()
    return converter


def heat_map(**changes: Any) -> dict[str, Any]:
    model = {
        "state": {"_anywidget_id": "seq2bert.widgets.heatmap.HeatMap", "layout": "x", "head": 0},
        "buffers": [{"path": ["weights"], "encoding": "base64", "data": "AAAA"}],
    } | changes
    html = f"<figure>{NAMED}<table></table></figure>"
    return notebook({WIDGET: {"model_id": "m1"}, "text/html": html}, **model)


def only_output(converter: Converter) -> dict[str, Any]:
    data: dict[str, Any] = converter.notebook["cells"][1]["outputs"][0]["data"]
    return data


def test_a_widget_becomes_its_picture_in_a_figure_that_names_its_model() -> None:
    converter = converted(heat_map())
    assert converter.faults == []
    assert only_output(converter)["text/html"].startswith(
        '<figure class="s2b-widget" data-model="m1">'
    )
    assert NAMED in only_output(converter)["text/html"]


def test_the_state_of_a_widget_keeps_its_own_values_and_drops_the_framework_s() -> None:
    live = converted(heat_map()).live.widgets["m1"]
    assert live["module"] == "heatmap"
    assert live["state"] == {"head": 0}
    assert live["buffers"][0]["data"] == "AAAA"


def test_the_notebook_s_own_widget_state_is_not_put_into_the_page_a_second_time() -> None:
    assert "widgets" not in converted(heat_map()).notebook["metadata"]


@pytest.mark.parametrize(("second", "wrong"), [("another", False), ("translate", True)])
def test_two_widgets_that_a_link_could_not_tell_apart_are_a_fault(second: str, wrong: bool) -> None:
    book = heat_map()
    states = book["metadata"]["widgets"][WIDGET_STATE]["state"]
    states["m1"]["state"]["key"] = "translate"
    states["m2"] = json.loads(json.dumps(states["m1"]))
    states["m2"]["state"]["key"] = second
    (output,) = book["cells"][1]["outputs"]
    # the first is shown twice, which is no fault
    again, other = json.loads(json.dumps(output)), json.loads(json.dumps(output))
    other["data"][WIDGET]["model_id"] = "m2"
    book["cells"][1]["outputs"] += [again, other]
    faults = converted(book).faults
    assert len(faults) == wrong
    assert all("has the key 'translate'" in fault for fault in faults)


def test_a_chart_becomes_its_picture_and_its_specification() -> None:
    converter = converted(notebook({VEGA: {"mark": "bar"}, "image/svg+xml": NAMED}))
    assert converter.faults == []
    html = only_output(converter)["text/html"]
    assert html.startswith('<figure class="s2b-chart"><svg')
    specification = re.search(r'class="s2b-chart-spec">(.*?)</script>', html)
    assert specification is not None
    assert json.loads(specification[1]) == {"mark": "bar"}


@pytest.mark.parametrize(
    "kind", [VEGA, "application/vnd.vegalite.v5+json", "application/vnd.vegalite.v5.20.1+json"]
)
def test_every_version_of_vega_lite_is_known(kind: str) -> None:
    assert CHART.match(kind)


@pytest.mark.parametrize(
    ("book", "fault"),
    [
        (notebook({VEGA: {}, "text/plain": "Chart"}), "without a static picture"),
        (notebook({VEGA: {}, "image/svg+xml": NAMELESS}), "no alternative text"),
        (notebook({"image/svg+xml": NAMELESS}), "no alternative text"),
        (notebook({"image/png": "AAAA"}), 'add "alt"'),
        (notebook({"application/vnd.plotly.v1+json": {}}), "application/vnd.plotly.v1+json"),
        (notebook({"application/javascript": "alert(1)"}), "application/javascript"),
        (notebook({"text/html": "<script>alert(1)</script>"}), "holds a script"),
        (
            notebook({WIDGET: {"model_id": "m1"}, "text/plain": "HeatMap"}),
            "without a static picture",
        ),
        (notebook({WIDGET: {"model_id": "m1"}, "text/html": NAMED}), "is not stored"),
        (heat_map(state={"value": 3}, model_name="IntSliderModel"), "not one of the book's own"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_shown_is_named_with_its_cell(book: dict[str, Any], fault: str) -> None:
    found = converted(book).faults
    assert any(fault in line and line.startswith("cell 2: ") for line in found), found


def test_a_stored_error_is_a_fault() -> None:
    book = notebook({})
    book["cells"][1]["outputs"] = [
        {"output_type": "error", "ename": "ValueError", "evalue": "no", "traceback": []}
    ]
    assert "ValueError: no" in converted(book).faults[0]


def test_a_bitmap_gets_the_alternative_text_of_its_cell() -> None:
    converter = converted(notebook({"image/png": "AAAA"}, {"alt": "A falling line"}))
    assert converter.faults == []
    assert converter.notebook["cells"][1]["metadata"]["mystnb"]["image"]["alt"] == "A falling line"


def test_data_in_a_page_cannot_end_the_script_that_holds_them() -> None:
    text = "</script><script>alert(1)</script><!--"
    element = script_json({"token": text}, "")
    assert element.count("</script>") == 1
    assert "<!--" not in element
    assert json.loads(re.sub(r"</?script[^>]*>", "", element)) == {"token": text}


def test_the_policy_allows_the_inline_scripts_of_the_page_and_no_data() -> None:
    page = (
        '<head></head><script>let a = 1</script><script type="application/json">{}</script>'
        '<script src="x.js"></script>'
    )
    assert policy(page).count("sha256-") == 1
    assert f"'sha256-{digest('let a = 1')}'" in policy(page)


@pytest.mark.parametrize(
    "markup",
    [
        '<script src="https://cdn.example.org/x.js"></script>',
        '<img alt="" src="//cdn.example.org/x.png">',
        '<link rel="stylesheet" href="https://fonts.example.org/x.css">',
        '<button class="a" onclick="go()">',
    ],
)
def test_a_page_that_would_load_or_run_what_it_may_not_is_a_fault(markup: str) -> None:
    assert list(faults(markup))


def test_a_link_that_the_reader_follows_is_no_fault() -> None:
    assert list(faults('<a href="https://arxiv.org/abs/1409.0473">paper</a>')) == []
