"""Query and keys in the plane on the built site: by mouse, keyboard and touch, as Python computes.

The page is that of chapter 2.2.
"""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page

from conftest import Visit, visitor
from seq2bert.plane_picture import signed, weight_text
from seq2bert.widgets import Playground
from seq2bert.widgets.playground import DISTRIBUTIONS, ENERGIES

PAGE = "book/attention/energies"
VIEW = ".s2b-playground"


@pytest.fixture(scope="module")
def player(browser: Browser, address: str) -> Iterator[Visit]:
    """One reader who tries many things; each test begins with a setting of its own."""
    one = visitor(browser, address, {})
    one.open(PAGE)
    yield one
    one.context.close()


def select(page: Page, name: str, label: str) -> None:
    control = page.locator(f"{VIEW} label.s2b-control", has_text=name).first
    control.locator("select").select_option(label=label)
    page.wait_for_timeout(50)


def point(page: Page, name: str) -> Locator:
    return page.locator(VIEW).first.get_by_role("slider", name=name, exact=True)


def rows(page: Page) -> list[list[str]]:
    """The text twin: x, y, energy and weight of each key."""
    found = page.locator(f"{VIEW} .s2b-keys").first.evaluate(
        """(table) => [...table.querySelectorAll("tbody tr:not(.s2b-sum)")].map(
            (row) => [...row.querySelectorAll("td")].slice(1).map((cell) => cell.textContent))"""
    )
    return [[cell.strip() for cell in row] for row in found]


def expected(widget: Playground) -> list[list[str]]:
    """The same as Python computes it."""
    lines = zip(widget.key_vectors, widget.energies.tolist(), widget.weights.tolist(), strict=True)
    return [
        [*(signed(number) for number in (*key, energy)), weight_text(weight).replace("&lt;", "<")]
        for key, energy, weight in lines
    ]


def agree(found: list[list[str]], wanted: list[list[str]]) -> bool:
    """Whether two tables are the same; what lies halfway may be rounded up or down."""

    def same(one: str, other: str) -> bool:
        if one == other:
            return True
        try:
            apart = float(one.replace("\u2212", "-")) - float(other.replace("\u2212", "-"))
        except ValueError:
            return False
        return abs(apart) < 0.0101

    return [len(row) for row in found] == [len(row) for row in wanted] and all(
        same(*cells)
        for rows_ in zip(found, wanted, strict=True)
        for cells in zip(*rows_, strict=True)
    )


def shown(page: Page, widget: Playground) -> Playground:
    """The widget of Python with the points that the page shows."""
    place = point(page, "query").get_attribute("aria-valuetext") or ""
    numbers = [part.split()[1] for part in place.split(";")[0].split(",")]
    widget.query = [float(number.replace("\u2212", "-")) for number in numbers]
    widget.key_vectors = [
        [float(number.replace("\u2212", "-")) for number in row[:2]] for row in rows(page)
    ]
    return widget


def bring_into_view(page: Page, handle: Locator) -> None:
    """Scroll there, and wait until the page has come to rest: it scrolls smoothly."""
    handle.scroll_into_view_if_needed()
    page.wait_for_timeout(600)


def drag(page: Page, handle: Locator, right: float, down: float) -> None:
    bring_into_view(page, handle)
    box = handle.locator(".s2b-grip").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + right / 2, y + down / 2)
    page.mouse.move(x + right, y + down)
    page.mouse.up()
    page.wait_for_timeout(50)


def test_every_energy_with_every_distribution_is_what_python_computes(player: Visit) -> None:
    page = player.page
    select(page, "Keys", "two keys alike")
    widget = Playground((0.5, 1.5), [(1.0, 1.0), (1.1, 1.0), (-1.5, 0.2), (0.5, -1.5)])
    seen = set()
    for energy in ENERGIES:
        select(page, "Energy", energy)
        for distribution in DISTRIBUTIONS:
            select(page, "Distribution", distribution)
            widget.energy, widget.distribution = energy, distribution
            assert agree(rows(page), expected(widget)), (energy, distribution)
            seen.add(str(rows(page)))
        formula = page.locator(f"{VIEW} .s2b-formula").first.inner_text()
        assert formula == ENERGIES[energy][1]
    assert len(seen) > 20
    select(page, "Energy", "dot")
    select(page, "Distribution", "softmax")
    assert player.faults() == []


def test_the_query_and_a_key_are_dragged_by_mouse(player: Visit) -> None:
    page = player.page
    select(page, "Keys", "three directions")
    before = rows(page)
    drag(page, point(page, "query"), -60, 30)
    widget = shown(page, Playground())
    # 360 pixels are 6 units
    size = page.locator(f"{VIEW} svg.s2b-plane").first.bounding_box()
    assert size is not None
    unit = 6 / size["width"]
    assert widget.query == pytest.approx([1.5 - 60 * unit, 0.5 - 30 * unit], abs=0.02)
    assert agree(rows(page), expected(widget))
    assert rows(page) != before
    drag(page, point(page, "key 2"), 1000, 0)
    page.mouse.move(0, 0)
    assert rows(page)[1][0] == "3.00"
    assert agree(rows(page), expected(shown(page, Playground())))
    said = page.locator(f"{VIEW} .s2b-readout").first.inner_text()
    assert said.startswith("Key 2: x 3.00")
    assert player.faults() == []


def test_points_are_moved_by_keyboard_in_small_and_large_steps(player: Visit) -> None:
    page = player.page
    select(page, "Keys", "three directions")
    point(page, "key 1").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowUp")
    page.wait_for_timeout(50)
    assert rows(page)[0][:2] == ["1.10", "1.50"]
    assert agree(rows(page), expected(shown(page, Playground())))
    assert (point(page, "key 1").get_attribute("aria-valuetext") or "").startswith("x 1.10, y 1.50")
    for _ in range(8):
        page.keyboard.press("Shift+ArrowUp")
    page.wait_for_timeout(50)
    assert rows(page)[0][1] == "3.00"


def test_a_key_that_may_not_be_looked_at_weighs_nothing(player: Visit) -> None:
    page = player.page
    select(page, "Keys", "three directions")
    page.get_by_role("checkbox", name="the query may look at key 1").first.uncheck()
    page.wait_for_timeout(50)
    widget = Playground()
    widget.allowed = [False, True, True]
    assert agree(rows(page), expected(widget))
    assert rows(page)[0][3] == "0"
    page.get_by_role("checkbox", name="the query may look at key 1").first.check()
    page.wait_for_timeout(50)
    assert agree(rows(page), expected(Playground()))


def test_keys_come_and_go_and_a_factor_sharpens(player: Visit) -> None:
    page = player.page
    select(page, "Keys", "three directions")
    page.get_by_role("button", name="Add a key").first.click()
    page.wait_for_timeout(50)
    assert len(rows(page)) == 4
    assert agree(rows(page), expected(shown(page, Playground())))
    page.get_by_role("button", name="Take one away").first.click()
    page.locator(f"{VIEW} input[type=range]").first.fill("5")
    page.wait_for_timeout(50)
    assert agree(rows(page), expected(Playground(scale=4)))
    page.locator(f"{VIEW} input[type=range]").first.fill("3")
    assert player.faults() == []


@pytest.mark.parametrize(
    "visit", [{"viewport": {"width": 390, "height": 844}, "has_touch": True}], indirect=True
)
def test_on_a_phone_a_point_is_dragged_with_a_finger(visit: Visit) -> None:
    page = visit.open(PAGE)
    handle = point(page, "query")
    bring_into_view(page, handle)
    box = handle.locator(".s2b-grip").bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 24
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    plane = page.locator(f"{VIEW} svg.s2b-plane").first
    before = plane.bounding_box()
    touch = visit.context.new_cdp_session(page)
    for kind, down in (("touchStart", 0), ("touchMove", 20), ("touchMove", 40)):
        points = [{"x": x, "y": y + down}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_timeout(100)
    widget = shown(page, Playground())
    assert widget.query[1] < 0.2
    assert widget.query[0] == pytest.approx(1.5, abs=0.05)
    assert agree(rows(page), expected(widget))
    # the finger moved the point, and the plane stayed where it was on the screen
    assert plane.bounding_box() == before
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert visit.faults() == []
