"""The static picture and its table show the same numbers, at the right places, to everybody."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser

import numpy as np
import pytest
from widget_fixture import KEYS, PLANTED, QUERIES, TOKENS, planted_map, small_map

from seq2bert import pictures
from seq2bert.attention_map import AttentionMap

SVG = "{http://www.w3.org/2000/svg}"


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def painted(svg: str, attention: AttentionMap) -> np.ndarray:
    """Read the levels back from the drawing: shape (query, key)."""
    place = pictures.layout(attention.query_tokens, attention.key_tokens)
    levels = np.full(attention.shape[2:], -1)
    for path in parsed(svg).iter(f"{SVG}path"):
        step = int(path.get("class").removeprefix("s2b-w"))
        for x, y in re.findall(r"M([\d.]+) ([\d.]+)h", path.get("d")):
            key = (float(x) - 0.5 - place.left) / place.cell
            query = (float(y) - 0.5 - place.top) / place.cell
            assert levels[int(query), int(key)] == -1, "a cell is painted twice"
            levels[int(query), int(key)] = step
    return levels


def uniform(queries, keys) -> AttentionMap:
    weights = np.full((len(queries), len(keys)), 1 / len(keys), dtype=np.float32)
    return AttentionMap(
        weights=weights, query_tokens=tuple(queries), key_tokens=tuple(keys), kind="cross"
    )


def test_every_cell_is_painted_once_with_its_own_weight():
    attention = planted_map()
    levels = painted(pictures.heat_map_svg(attention, 1, 0), attention)
    assert (
        levels.tolist()
        == np.floor(attention.head(1, 0).astype(float) * 100 + 0.5).astype(int).tolist()
    )
    assert tuple(np.argwhere(levels > 50)[0]) == PLANTED


def test_rows_are_labelled_with_queries_and_columns_with_keys_in_their_order():
    texts = [
        (text.text, "transform" in text.attrib)
        for text in parsed(pictures.heat_map_svg(planted_map())).iter(f"{SVG}text")
        if text.get("class") == "s2b-label"
    ]
    assert [token for token, slanted in texts if not slanted] == list(QUERIES)
    assert [token for token, slanted in texts if slanted] == list(KEYS)


def test_another_head_is_another_picture():
    attention = planted_map()
    assert pictures.heat_map_svg(attention, 1, 0) != pictures.heat_map_svg(attention, 0, 0)


def test_the_picture_says_what_it_is():
    root = parsed(pictures.heat_map_svg(planted_map(), 1, 0))
    assert root.get("role") == "img"
    assert root.find(f"{SVG}title").text == "Cross-attention, layer 2 of 2, head 1 of 2"
    assert root.find(f"{SVG}desc").text == (
        "Cross-attention, layer 2 of 2, head 1 of 2: 12 queries in rows, 7 keys in columns; "
        "strongest: dort to sleeps 0.97, la to the 0.14, 10 to the 0.14."
    )


def test_a_map_that_attends_to_nothing_says_so():
    empty = AttentionMap(
        weights=np.zeros((1, 2), dtype=np.float32),
        query_tokens=("a",),
        key_tokens=("b", "c"),
        kind="decoder",
    )
    assert pictures.describe(empty) == (
        "Decoder self-attention: 1 query in rows, 2 keys in columns; all weights are 0."
    )


def test_the_picture_is_the_same_at_every_run_and_in_another_process():
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from widget_fixture import planted_map; "
        "from seq2bert.pictures import figure_html; print(figure_html(planted_map()))"
    )
    here = str(__import__("pathlib").Path(__file__).parent)
    other = subprocess.run(
        [sys.executable, "-c", code, here], capture_output=True, text=True, check=True
    )
    assert other.stdout.strip() == pictures.figure_html(planted_map())


def test_nothing_in_a_figure_has_an_id_so_that_many_fit_on_a_page():
    assert not re.search(r'\bid="', pictures.figure_html(planted_map()))


def test_numbers_have_at_most_three_digits():
    assert not re.search(r"\d\.\d{4,}", pictures.figure_html(planted_map()))


def test_a_large_map_stays_small_as_text():
    rng = np.random.default_rng(0)
    tokens = [f"word{number}" for number in range(30)]
    large = AttentionMap(
        weights=rng.dirichlet([0.3] * 30, size=(6, 8, 30)).astype(np.float32),
        query_tokens=tuple(tokens),
        key_tokens=tuple(tokens),
        kind="encoder",
    )
    assert len(pictures.heat_map_svg(large)) < 60_000


@pytest.mark.parametrize("token", TOKENS)
def test_any_token_leaves_the_picture_well_formed(token):
    root = parsed(pictures.heat_map_svg(uniform([token, "a"], ["b", token])))
    assert not list(root.iter(f"{SVG}script"))


def test_markup_in_a_token_stays_text():
    figure = pictures.figure_html(uniform(["<script>x</script>"], ["<img src=x>", "&amp;"]))
    tags = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, _: tags.append(tag)
    parser.feed(figure)
    assert not {"script", "img"} & set(tags)


def test_the_table_has_a_caption_and_headers_on_both_axes():
    table = ElementTree.fromstring(pictures.table_html(planted_map(), 1, 0))
    assert table.find("caption").text.startswith("Cross-attention, layer 2 of 2, head 1 of 2")
    headers = list(table.iter("th"))
    assert [cell.get("scope") for cell in headers] == ["col"] * 7 + ["row"] * 12
    row = table.find("tbody").findall("tr")[3]
    assert [cell.text for cell in row.findall("td")] == ["0.00", "0.97"] + ["0.00"] * 5


def test_gold_is_outlined_solid_when_sure_and_dashed_when_possible():
    place = pictures.layout(QUERIES, KEYS)
    outlines = {
        (
            (int(box.get("y")) - place.top) // place.cell,
            (int(box.get("x")) - place.left) // place.cell,
        ): "stroke-dasharray" in box.attrib
        for box in parsed(pictures.heat_map_svg(planted_map())).iter(f"{SVG}rect")
        if (box.get("class") or "").startswith("s2b-gold s2b-")
    }
    assert outlines == {(3, 1): False, (8, 5): False, (9, 1): True}


def test_a_head_that_is_not_there_is_refused_by_number():
    with pytest.raises(ValueError, match="layer 2, head 0"):
        pictures.heat_map_svg(planted_map(), 2, 0)


def test_a_single_cell_is_a_picture_too():
    one = uniform(["a"], ["b"])
    assert painted(pictures.heat_map_svg(one), one).tolist() == [[100]]
    assert "0.00" in pictures.table_html(small_map())


def test_pictures_do_not_import_torch():
    modules = "seq2bert.pictures, seq2bert.charts, seq2bert.widgets.heatmap"
    code = f"import sys, {modules}; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
