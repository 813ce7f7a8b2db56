"""Charts whose controls the reader uses: the table of chapter 2.2, sorted by the column chosen."""

import statistics
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from conftest import Visit, until, visitor
from seq2bert import runs

PAGE = "book/attention/energies"
CHART = "figure.s2b-chart-bound"
CHOICE = f"{CHART} .vega-bindings select"
SCREENS = {"desk": {}, "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True}}


@pytest.fixture(scope="module")
def measured() -> dict[str, dict[str, float]]:
    """The column of each title: the middle of three seeds for each variant of the record."""
    record = runs.load("energies")
    variants: dict[str, list[dict]] = {}
    for row in record.rows:
        plain = row["distribution"] == "softmax"
        name = row["energy"] if plain else f"{row['energy']}, {row['distribution']}"
        variants.setdefault(name, []).append(row)
    return {
        title: {
            name: statistics.median(round(value(row), 3) for row in rows)
            for name, rows in variants.items()
        }
        for title, value in {
            "exact": lambda row: row["test"]["exact"],
            "AER": lambda row: row["test"]["aer"],
            "parameters": lambda row: row["energy_parameters"],
        }.items()
    }


@pytest.fixture(scope="module", params=SCREENS)
def sorter(browser: Browser, address: str, request: pytest.FixtureRequest) -> Iterator[Visit]:
    """One reader who sorts the table again and again."""
    one = visitor(browser, address, SCREENS[request.param])
    page = one.open(PAGE)
    page.locator(CHART).scroll_into_view_if_needed()
    page.locator(CHART).hover()
    until(page, f"document.querySelector('{CHART}').dataset.live === 'true'")
    yield one
    one.context.close()


def names(page: Page, measured: dict[str, dict[str, float]]) -> list[str]:
    """The names at the left of the table, from above."""
    labels = page.locator(CHART).evaluate(
        """(chart) => [...chart.querySelectorAll(".role-axis-label text")]
            .map((text) => [text.getBoundingClientRect().top, text.textContent])
            .sort(([one], [other]) => one - other)
            .map(([, words]) => words)"""
    )
    return [name for name in labels if name in measured["exact"]]


@pytest.mark.parametrize("title", ["AER", "parameters", "exact"])
def test_the_table_stands_in_the_order_of_the_column_that_was_chosen(
    sorter: Visit, measured: dict[str, dict[str, float]], title: str
) -> None:
    page = sorter.page
    page.locator(CHOICE).select_option(title)
    page.wait_for_timeout(200)
    found = names(page, measured)
    assert sorted(found) == sorted(measured[title])
    values = [measured[title][name] for name in found]
    assert values == sorted(values, reverse=title == "exact")
    assert sorter.faults() == []


def test_the_choice_is_made_by_keyboard(
    sorter: Visit, measured: dict[str, dict[str, float]]
) -> None:
    page = sorter.page
    page.locator(CHOICE).select_option("exact")
    page.wait_for_timeout(200)
    before = names(page, measured)
    page.locator(CHOICE).focus()
    page.keyboard.press("ArrowDown")
    page.wait_for_timeout(200)
    assert page.locator(CHOICE).input_value().strip('"') == "AER"
    assert names(page, measured) != before


def test_no_word_covers_another_and_none_is_cut(sorter: Visit) -> None:
    boxes = sorter.page.locator(CHART).evaluate(
        """(chart) => [chart, ...chart.querySelectorAll("svg text, .vega-bindings select")]
            .map((one) => one.getBoundingClientRect())
            .map((box) => [box.left, box.top, box.right, box.bottom])"""
    )
    chart, *words = boxes
    for number, (left, top, right, bottom) in enumerate(words):
        assert left >= chart[0]
        assert bottom <= chart[3]
        for other in words[:number]:
            # lines stand close: letters do not fill the boxes of their lines
            apart = right <= other[0] or left >= other[2] or bottom <= other[1] + 3
            assert apart or top >= other[3] - 3, (words[number], other)


def test_the_choice_has_a_name_and_room_for_a_finger(sorter: Visit) -> None:
    page = sorter.page
    choice = page.get_by_role("combobox", name="Sort by")
    box = choice.bounding_box()
    assert box is not None
    assert box["height"] >= 24
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
