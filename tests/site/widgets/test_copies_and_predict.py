"""Taking a picture along, and marking an alignment before it is revealed, by every kind of hand."""

import csv
import io
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page

from conftest import Visit, until, visitor

PAGE = "book/attention/bahdanau"
VIEW = ".s2b-translate"
CLIPBOARD = {"permissions": ["clipboard-read", "clipboard-write"]}


@pytest.fixture
def allowed(browser: Browser, address: str) -> Iterator[Visit]:
    """A reader whose browser lets pages write to the clipboard."""
    one = visitor(browser, address, CLIPBOARD)
    one.open(PAGE)
    yield one
    one.context.close()


def copy(page: Page, what: str) -> str:
    """Press one of the buttons that copy; what the widget says about it."""
    page.locator(f"{VIEW} .s2b-menu").get_by_role("button", name=what).click()
    until(page, f"document.querySelector('{VIEW} .s2b-taken').textContent")
    return page.locator(f"{VIEW} .s2b-taken").inner_text()


def clipboard(page: Page) -> str:
    return page.evaluate("navigator.clipboard.readText()")


def shown(page: Page) -> tuple[list[str], list[str], list[list[float]]]:
    """Rows, columns and weights of the table of the first Translate."""
    page.locator(f"{VIEW} .s2b-twin summary").click()
    page.locator(f"{VIEW} .s2b-twin tbody tr").first.wait_for()
    view = page.locator(f"{VIEW} .s2b-twin")
    weights = view.evaluate(
        """(fold) => [...fold.querySelectorAll("tbody tr")].map(
            (row) => [...row.querySelectorAll("td")].map((cell) => +cell.textContent))"""
    )
    rows = view.locator("tbody th").all_inner_texts()
    return rows, view.locator("thead th").all_inner_texts(), weights


def test_numbers_picture_and_link_can_be_copied(allowed: Visit) -> None:
    page = allowed.page
    rows, columns, weights = shown(page)

    assert copy(page, "CSV") == "CSV copied"
    table = list(csv.reader(io.StringIO(clipboard(page))))
    assert table[0][1:] == columns
    assert [row[0] for row in table[1:]] == rows
    for row, expected in zip(table[1:], weights, strict=True):
        assert [float(text) for text in row[1:]] == pytest.approx(expected, abs=0.00501)

    assert copy(page, "SVG") == "SVG copied"
    picture = ElementTree.fromstring(clipboard(page))
    namespace = "{http://www.w3.org/2000/svg}"
    texts = [element.text for element in picture.iter(f"{namespace}text")]
    assert set(columns) <= set(texts)
    # it stands alone: colours are written into it, no class and no script is left
    cells = [r for r in picture.iter(f"{namespace}rect") if r.get("fill", "").startswith("rgb")]
    assert len(cells) >= len(rows) * len(columns)
    assert not re.search(r"class=|<script|var\(", clipboard(page))

    assert copy(page, "PNG") == "PNG copied"
    size = page.evaluate(
        """async () => {
          const [item] = await navigator.clipboard.read();
          const image = await createImageBitmap(await item.getType('image/png'));
          return [image.width, image.height];
        }"""
    )
    assert min(size) > 400

    assert copy(page, "Link") == "link copied"
    link = clipboard(page)
    assert link.startswith(f"{allowed.address}/{PAGE}.html#translate?s=")
    assert allowed.faults() == []


def test_where_the_clipboard_is_closed_a_file_is_offered(visit: Visit) -> None:
    closed = "Object.defineProperty(navigator, 'clipboard', { value: undefined })"
    visit.page.add_init_script(closed)
    page = visit.open(PAGE)
    for what, suffix in (("SVG", ".svg"), ("CSV", ".csv"), ("PNG", ".png")):
        with page.expect_download() as waiting:
            page.locator(f"{VIEW} .s2b-menu").get_by_role("button", name=what).click()
        assert waiting.value.suggested_filename.endswith(suffix)
        until(page, f"document.querySelector('{VIEW} .s2b-taken').textContent.includes('saved')")
    assert visit.faults() == []


def exercise(page: Page) -> Locator:
    return page.locator(".s2b-predict").first


def marked(view: Locator) -> int:
    return view.locator("[role=gridcell][aria-selected=true]").count()


def reveal(view: Locator) -> None:
    view.get_by_role("button", name="Reveal").click()
    view.locator(".s2b-scores").wait_for()


def test_links_are_marked_by_mouse_and_keyboard_and_then_scored(visit: Visit) -> None:
    page = visit.open(PAGE)
    view = exercise(page)
    assert view.locator("[role=gridcell][class*='s2b-w']").count() == 0
    cells = view.locator("[role=gridcell]")
    cells.nth(0).click()
    cells.nth(0).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    assert marked(view) == 2
    page.keyboard.press("Enter")
    assert marked(view) == 1
    reveal(view)
    scores = view.locator(".s2b-scores").inner_text()
    assert "you" in scores
    assert "model" in scores
    assert view.locator("[role=gridcell][class*='s2b-w']").count() == cells.count()
    assert visit.faults() == []


@pytest.mark.parametrize(
    "visit", [{"viewport": {"width": 390, "height": 844}, "has_touch": True}], indirect=True
)
def test_links_are_marked_by_touch_on_a_phone(visit: Visit) -> None:
    page = visit.open(PAGE)
    view = exercise(page)
    view.scroll_into_view_if_needed()
    cells = view.locator("[role=gridcell]")
    box = cells.nth(1).bounding_box()
    assert box is not None
    # large enough for a finger
    assert min(box["width"], box["height"]) >= 24
    cells.nth(1).tap()
    assert marked(view) == 1
    cells.nth(1).tap()
    assert marked(view) == 0
    cells.nth(1).tap()
    reveal(view)
    assert visit.faults() == []
