"""Widgets and charts on the site: a picture first, alive when scripts run, right in every cell."""

import base64
import json
import re
import struct
from math import prod
from typing import Any

import pytest

from conftest import PAGES, ROOT, SITE, Visit

STATE = "application/vnd.jupyter.widget-state+json"


def stored_heat_maps(name: str) -> dict[str, dict[str, Any]]:
    """Return the stored models of a page's heat maps: maps and the floats of their weights."""
    file = ROOT / f"{name}.ipynb"
    if not file.is_file():
        return {}
    notebook = json.loads(file.read_text(encoding="utf-8"))
    models = notebook["metadata"].get("widgets", {}).get(STATE, {}).get("state", {})
    found = {}
    for key, model in models.items():
        if str(model["state"].get("_anywidget_id", "")).endswith(".HeatMap"):
            data = next(b["data"] for b in model["buffers"] if b["path"] == ["weights"])
            raw = base64.b64decode(data)
            found[key] = {
                **model["state"],
                "weights": struct.unpack(f"<{len(raw) // 4}f", raw),
            }
    return found


WIDGETS = sorted(f.name for f in (ROOT / "book/frontend/src/widgets").iterdir() if f.is_dir())
HEAT_MAPS = "figure.s2b-widget:has(> .s2b-live > .s2b-heatmap)"
WITH_MAPS = [name for name in PAGES if stored_heat_maps(name)]


def test_there_are_heat_maps_and_charts() -> None:
    assert WITH_MAPS
    pages = [(SITE / f"{name}.html").read_text(encoding="utf-8") for name in PAGES]
    assert any("s2b-chart" in page for page in pages)


def shown_weights(model: dict[str, Any]) -> list[list[float]]:
    """Return the matrix that a stored model shows first: rows are queries."""
    chosen = model["maps"][model["map"]]
    _, heads, queries, keys = chosen["shape"]
    assert prod(chosen["shape"]) + chosen["offset"] <= len(model["weights"])
    start = chosen["offset"] + (model["layer"] * heads + model["head"]) * queries * keys
    return [list(model["weights"][start + q * keys :][:keys]) for q in range(queries)]


def test_every_widget_comes_to_life_and_every_stored_one_is_there(opened: Visit) -> None:
    page = opened.page
    for figure in page.locator("figure.s2b-widget").all():
        assert figure.get_attribute("data-live") == "true"
        assert figure.locator(":is(.s2b-message, .s2b-why):not([hidden])").count() == 0
    if opened.name in PAGES:
        assert page.locator(HEAT_MAPS).count() == len(stored_heat_maps(opened.name))
    assert opened.faults() == []


STILL = """() => [...document.querySelectorAll("figure.s2b-widget, figure.s2b-chart")]
    .map((figure) => ({
        height: figure.getBoundingClientRect().height,
        picture: Boolean(figure.querySelector("svg")?.checkVisibility()),
        tables: figure.querySelectorAll("table").length,
        chart: figure.matches(".s2b-chart"),
    }))"""


def check_pictures_and_tables(figures: list[dict[str, Any]]) -> None:
    for figure in figures:
        assert figure["picture"]
        assert figure["tables"] >= 1 or figure["chart"]


@pytest.mark.parametrize(
    "visit", [pytest.param({"java_script_enabled": False}, id="no-scripts")], indirect=True
)
def test_without_scripts_text_pictures_and_tables_are_there_and_live_ones_take_no_other_room(
    visit: Visit, used: Visit
) -> None:
    page = visit.open(used.name)
    assert page.locator("article h1").is_visible()
    still = page.evaluate(STILL)
    check_pictures_and_tables(still)
    live = used.page.evaluate(STILL)
    for one, other in zip(still, live, strict=True):
        assert abs(one["height"] - other["height"]) <= 2
    assert visit.failures == []


def test_a_chart_comes_to_life_when_it_is_pointed_at_and_not_before(used: Visit) -> None:
    page = used.page
    charts = page.locator("figure.s2b-chart")
    if charts.count() == 0:
        pytest.skip("the page has no chart")
    assert not [url for url in used.requests if "vega" in url]
    for chart in charts.all():
        before = chart.bounding_box()
        chart.hover()
        page.wait_for_function("(f) => f.dataset.live === 'true'", arg=chart.element_handle())
        after = chart.bounding_box()
        assert chart.locator("svg, canvas").count() >= 1
        assert before is not None
        assert after is not None
        assert abs(before["height"] - after["height"]) <= 24
    assert used.faults() == []


def heat_maps_of(used: Visit) -> dict[str, dict[str, Any]]:
    """The stored heat maps of the page; one without any has nothing to test."""
    found = stored_heat_maps(used.name)
    if not found:
        pytest.skip("the page has no heat map")
    return found


def test_each_cell_is_painted_and_read_out_with_the_stored_weight(used: Visit) -> None:
    models = heat_maps_of(used)
    for figure in used.page.locator(HEAT_MAPS).all():
        model = models[figure.get_attribute("data-model") or ""]
        weights = shown_weights(model)
        cells = figure.evaluate(
            """(f) => [...f.querySelectorAll("rect[data-query][data-key]")].map((r) => ({
                query: +r.dataset.query, key: +r.dataset.key,
                level: +/(?:^| )s2b-w(\\d+)(?: |$)/.exec(r.getAttribute("class"))[1]}))"""
        )
        assert len(cells) == sum(len(row) for row in weights)
        for cell in cells:
            expected = weights[cell["query"]][cell["key"]]
            assert abs(cell["level"] / 100 - expected) <= 0.00501
        figure.locator(".s2b-twin summary").click()
        figure.locator("table tbody tr").first.wait_for()
        rows = figure.evaluate(
            """(f) => [...f.querySelectorAll("table tbody tr")].map(
                (row) => [...row.querySelectorAll("td")].map((cell) => +cell.textContent))"""
        )
        assert len(rows) == len(weights)
        for row, expected_row in zip(rows, weights, strict=True):
            assert row == pytest.approx(expected_row, abs=0.00501)


def test_a_cell_names_the_query_and_the_key_that_it_stands_for(used: Visit) -> None:
    models = heat_maps_of(used)
    figure = used.page.locator(HEAT_MAPS).first
    model = models[figure.get_attribute("data-model") or ""]
    shown = model["maps"][model["map"]]
    query, key = len(shown["query_tokens"]) - 1, 0
    figure.locator(f'rect[data-query="{query}"][data-key="{key}"]').hover()
    said = figure.locator(".s2b-readout").inner_text()
    assert said.index(shown["query_tokens"][query]) < said.index(shown["key_tokens"][key])
    assert f"{shown_weights(model)[query][key]:.2f}" in said


def test_arrow_keys_walk_through_the_cells(used: Visit) -> None:
    page = used.page
    heat_maps_of(used)
    first = page.locator(f"{HEAT_MAPS} rect[data-query='0'][data-key='0']").first
    first.focus()
    rows = first.evaluate(
        "(cell) => new Set([...cell.closest('svg').querySelectorAll('[data-query]')]"
        ".map((other) => other.dataset.query)).size"
    )
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    place = page.evaluate(
        "[document.activeElement.dataset.query, document.activeElement.dataset.key]"
    )
    # in a map of a single row there is nowhere to go down to
    assert place == [str(min(1, rows - 1)), "1"]


def test_if_the_site_s_script_cannot_be_had_pictures_and_tables_stay(visit: Visit) -> None:
    visit.context.route("**/frontend/*.js*", lambda route: route.abort())
    page = visit.open("book/attention/bahdanau", live=False)
    figures = page.evaluate(STILL)
    check_pictures_and_tables(figures)
    assert {figure["chart"] for figure in figures} == {True, False}


@pytest.mark.parametrize("name", PAGES)
def test_if_a_widget_s_module_cannot_be_had_its_picture_stays_and_says_why(
    visit: Visit, name: str
) -> None:
    module = re.compile(rf"/frontend/({'|'.join(WIDGETS)})-\w+\.js")
    visit.context.route(module, lambda route: route.abort())
    page = visit.open(name)
    for figure in page.locator("figure.s2b-widget").all():
        assert figure.locator("svg").first.is_visible()
        assert figure.locator(".s2b-why").inner_text()
