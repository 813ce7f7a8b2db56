"""The heat map as a learner meets it: in JupyterLab, drawn from a kernel, changed from Python."""

import re

PLANT = """
import numpy as np
from seq2bert.attention_map import AttentionMap
from seq2bert.widgets import HeatMap

weights = np.full((1, 2, 5, 4), 0.25, dtype=np.float32)
weights[0, 1, 3] = [0.02, 0.94, 0.02, 0.02]
planted = AttentionMap(
    weights=weights,
    query_tokens=("la", "10", "2", "dort", "la"),
    key_tokens=("the", "sleeps", "100", "20"),
    kind="cross",
    sure=frozenset({(3, 1)}),
)
widget = HeatMap(planted)
"""
BRIGHT = (3, 1)


def levels(view) -> list[list[int]]:
    """What is painted, row by row."""
    return [
        [
            int(re.search(r"s2b-w(\d+)", cell.get_attribute("class"))[1])
            for cell in row.locator("[role=gridcell]").all()
        ]
        for row in view.locator("[role=row]").all()
    ]


def cell_of(view, query, key):
    return view.locator(f'[role=gridcell][data-query="{query}"][data-key="{key}"]')


def test_the_widget_is_drawn_read_and_steered_in_a_notebook(open_notebook):
    notebook = open_notebook(PLANT, "widget", "widget.head = 1", "print(widget.query, widget.head)")
    notebook.run(0)
    notebook.run(1)
    view = notebook.cell(1).locator(".s2b-heatmap")
    view.locator("[role=grid]").wait_for(timeout=30_000)
    labels = view.locator(".s2b-rows .s2b-label").all_text_contents()
    assert labels == ["la", "10", "2", "dort", "la"]
    columns = view.locator(".s2b-cells .s2b-label").all_text_contents()
    assert columns == ["the", "sleeps", "100", "20"]
    assert levels(view) == [[25] * 4] * 5

    # a change in Python moves the picture
    notebook.run(2)
    notebook.page.wait_for_function(
        "document.querySelector('[data-query=\"3\"][data-key=\"1\"]').classList.contains('s2b-w94')"
    )
    assert levels(view)[3] == [2, 94, 2, 2]

    # pointing reads out the cell
    cell_of(view, *BRIGHT).hover()
    readout = view.locator("[role=status]")
    assert readout.inner_text() == "query dort (4) → key sleeps (2): 0.94"

    # so do the keys, which JupyterLab must not take for its own; Enter holds the row
    cell_of(view, 0, 0).focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight"):
        notebook.page.keyboard.press(key)
    assert readout.inner_text() == "query dort (4) → key sleeps (2): 0.94"
    notebook.page.keyboard.press("Enter")
    notebook.page.wait_for_timeout(300)
    notebook.run(3)
    assert "3 1" in notebook.cell(3).locator(".jp-OutputArea-output").inner_text()


def test_shown_twice_it_is_two_views_that_stay_in_step(open_notebook):
    notebook = open_notebook(PLANT, "widget", "widget")
    for number in range(3):
        notebook.run(number)
    first = notebook.cell(1).locator(".s2b-heatmap")
    second = notebook.cell(2).locator(".s2b-heatmap")
    second.locator("[role=grid]").wait_for(timeout=30_000)
    first.locator("label", has_text="Head").locator("select").select_option(index=1)
    notebook.page.wait_for_function("document.querySelectorAll('.s2b-w94').length === 2")
    assert levels(first) == levels(second)
    assert second.locator("label", has_text="Head").locator("select").input_value() == "1"


def test_running_its_cell_again_replaces_the_picture(open_notebook):
    notebook = open_notebook(PLANT, "widget")
    notebook.run(0)
    for _ in range(3):
        notebook.run(1)
        notebook.cell(1).locator("[role=grid]").wait_for(timeout=30_000)
    assert notebook.cell(1).locator("[role=grid]").count() == 1


def test_other_maps_take_the_place_of_the_old_ones(open_notebook):
    notebook = open_notebook(
        PLANT,
        "widget",
        "widget.update(AttentionMap(weights=np.eye(2, dtype=np.float32), query_tokens=('x', 'y'), "
        "key_tokens=('u', 'v'), kind='encoder'))",
    )
    for number in range(3):
        notebook.run(number)
    view = notebook.cell(1).locator(".s2b-heatmap")
    notebook.page.wait_for_function("document.querySelectorAll('[role=gridcell]').length === 4")
    assert levels(view) == [[100, 0], [0, 100]]
    assert view.locator(".s2b-rows .s2b-label").all_text_contents() == ["x", "y"]


def test_it_follows_the_dark_theme(open_notebook):
    notebook = open_notebook(PLANT, "widget", dark=True)
    notebook.run(0)
    notebook.run(1)
    view = notebook.cell(1).locator(".s2b-heatmap")
    view.locator("[role=grid]").wait_for(timeout=30_000)
    colour = view.locator(".s2b-label").first.evaluate("text => getComputedStyle(text).fill")
    assert min(int(part) for part in re.findall(r"\d+", colour)) > 200


def test_a_chart_of_the_book_is_drawn_in_a_notebook(open_notebook):
    notebook = open_notebook(
        "import altair as alt\nfrom seq2bert import charts\ncharts.enable()\n"
        "alt.Chart(alt.Data(values=[{'x': 1, 'y': 2}, {'x': 2, 'y': 1}]), "
        "description='It falls').mark_line().encode(x='x:Q', y='y:Q')"
    )
    notebook.run(0)
    output = notebook.cell(0).locator(".jp-OutputArea-output")
    output.locator("svg, canvas, img").first.wait_for(timeout=30_000)
