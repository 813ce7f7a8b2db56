"""Position explorer and mask explorer on the built site, as Python computes what they show.

The page is that of chapter 3.2.
"""

import pytest
from playwright.sync_api import Locator, Page

from conftest import Visit
from seq2bert import position_words
from seq2bert.widgets import MaskExplorer, PositionExplorer
from seq2bert.widgets.masks import ENERGIES
from seq2bert.widgets.positions import BASES, SCHEMES

PAGE = "book/transformers/order_and_masks"
POSITIONS, MASKS = ".s2b-positions", ".s2b-masks"


def view(page: Page, which: str) -> Locator:
    return page.locator(which).first


def select(page: Page, which: str, name: str, label: str) -> None:
    control = view(page, which).locator("label.s2b-control", has_text=name).first
    control.locator("select").select_option(label=label)
    page.wait_for_timeout(50)


def slide(page: Page, which: str, name: str, value: int) -> None:
    control = view(page, which).locator("label.s2b-slider", has_text=name).first
    control.locator("input").fill(str(value))
    page.wait_for_timeout(50)


def table(page: Page, which: str, summary: str) -> list[list[str]]:
    """The cells of a text twin, which is opened if it is not yet."""
    fold = view(page, which).locator("details", has_text=summary).first
    if fold.get_attribute("open") is None:
        fold.locator("summary").click()
        page.wait_for_timeout(50)
    found: list[list[str]] = fold.evaluate(
        """(fold) => [...fold.querySelectorAll("tbody tr")].map(
            (row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent))"""
    )
    return found


def agree(found: list[list[str]], wanted: list[list[float]]) -> bool:
    """Whether a table has these numbers; browsers compute with twice as many digits."""
    largest = position_words.largest(wanted)

    def same(text: str, value: float) -> bool:
        digits = len(text.partition(".")[2])
        shown = float(text.replace("\N{MINUS SIGN}", "-"))
        return abs(shown - value) <= 0.5001 * 10**-digits + 1e-4 * largest

    return [len(row) for row in found] == [len(row) for row in wanted] and all(
        same(*cell) for rows in zip(found, wanted, strict=True) for cell in zip(*rows, strict=True)
    )


def pair(page: Page) -> Locator:
    return view(page, POSITIONS).get_by_role("slider", name="pair of places")


def go_to(page: Page, row: int, column: int) -> None:
    pair(page).focus()
    page.keyboard.press("Control+Home")
    for key, count in (("ArrowDown", row), ("ArrowRight", column)):
        for _ in range(count):
            page.keyboard.press(key)
    page.wait_for_timeout(50)


def test_every_scheme_is_what_python_computes_and_only_the_learned_one_minds_the_place(
    typist: Visit,
) -> None:
    page = typist.page
    sizes = {"length": 9, "width": 10, "base": 1000.0, "head": 3, "furthest": 2}
    slide(page, POSITIONS, "Places", 9)
    for scheme in SCHEMES:
        select(page, POSITIONS, "Scheme", scheme)
        if scheme in ("sinusoidal", "learned", "rotary"):
            slide(page, POSITIONS, "Width", 10)
        if scheme in ("sinusoidal", "rotary"):
            slide(page, POSITIONS, "Base", BASES.index(1000))
        if scheme == "ALiBi":
            slide(page, POSITIONS, "Head", 3)
        if scheme == "relative":
            slide(page, POSITIONS, "Furthest", 2)
        widget = PositionExplorer(scheme, **sizes)
        scores = widget.scores.tolist()
        assert agree(table(page, POSITIONS, "Table of the scores"), scores), scheme
        if widget.vectors is not None:
            shown = table(page, POSITIONS, "Table of the vectors")
            assert agree(shown, widget.vectors.tolist()), scheme
        law = view(page, POSITIONS).locator(".s2b-law").inner_text()
        assert ("the distance alone counts" in law) == (scheme != "learned")
        assert law.split(" differ")[0] == position_words.law(scores).split(" differ")[0]
    assert typist.faults() == []


def test_arrow_keys_and_clicks_choose_a_pair_that_is_read_out(typist: Visit) -> None:
    page = typist.page
    select(page, POSITIONS, "Scheme", "ALiBi")
    slide(page, POSITIONS, "Places", 8)
    slide(page, POSITIONS, "Head", 1)
    go_to(page, 2, 5)
    widget = PositionExplorer("ALiBi", length=8, head=1)
    readout = view(page, POSITIONS).locator(".s2b-readout")
    assert readout.inner_text() == widget.says(2, 5)
    assert pair(page).get_attribute("aria-valuetext") == widget.says(2, 5)
    picture = view(page, POSITIONS).locator("svg.s2b-scores-of-places")
    picture.scroll_into_view_if_needed()
    page.wait_for_timeout(600)
    box = picture.bounding_box()
    assert box is not None
    # 48 and 34 of 342 pixels are margins, a cell has an eighth of 290
    x, y = (box["width"] / 342 * (begin + 290 / 8 * (at + 0.5)) for begin, at in ((48, 1), (34, 6)))
    page.mouse.click(box["x"] + x, box["y"] + y)
    page.wait_for_timeout(50)
    assert readout.inner_text() == widget.says(6, 1)


def labels(page: Page, which: int) -> list[list[str]]:
    """What the cells of the mask (0) or of the weights (1) say to a screen reader."""
    grid = view(page, MASKS).locator("svg[role=grid]").nth(which)
    found: list[list[str]] = grid.evaluate(
        """(grid) => [...grid.querySelectorAll("[role=row]")].map((row) => [
            ...row.querySelectorAll("[role=gridcell]")].map((one) => one.ariaLabel))"""
    )
    return found


def cell(page: Page, which: int, query: int, key: int) -> Locator:
    grid = view(page, MASKS).locator("svg[role=grid]").nth(which)
    return grid.locator(f"[role=gridcell][data-query='{query}'][data-key='{key}']")


def put_masks(page: Page, batch: str, padding: bool, causal: bool, window: int) -> MaskExplorer:
    """A batch under some masks, and the widget of Python that is to show the same."""
    field = view(page, MASKS).locator("textarea")
    field.fill(batch)
    for name, on in (("padding mask", padding), ("causal mask", causal)):
        view(page, MASKS).get_by_role("checkbox", name=name).set_checked(on)
    slide(page, MASKS, "Window", window)
    return MaskExplorer(batch.split("\n"), padding, causal, window)


def look_at(page: Page, sentence: int) -> None:
    view(page, MASKS).get_by_role("radio", name=f"sentence {sentence + 1}").check()
    page.wait_for_timeout(50)


def weights_agree(page: Page, widget: MaskExplorer) -> bool:
    """Whether the cells say what Python computes; a forbidden one says that its weight is 0."""
    mask, weights = (part[widget.sentence].tolist() for part in (widget.mask, widget.weights))
    for shown, row, may in zip(labels(page, 1), weights, mask, strict=True):
        for text, weight, on in zip(shown, row, may, strict=True):
            if not on and (text != "0, forbidden" or weight != 0):
                return False
            if on and abs(float(text) - weight) > 0.00501:
                return False
    return True


@pytest.mark.parametrize("padding", [True, False])
@pytest.mark.parametrize("causal", [True, False])
def test_masks_and_weights_are_what_python_computes(
    typist: Visit, padding: bool, causal: bool
) -> None:
    page = typist.page
    for window in (0, 1):
        widget = put_masks(page, "the dog sleeps here\nit sings", padding, causal, window)
        for energy in ENERGIES:
            select(page, MASKS, "Energies", energy)
            widget.energy = energy
            for sentence in (0, 1):
                look_at(page, sentence)
                widget.sentence = sentence
                words = {True: "allowed", False: "forbidden"}
                expected = [[words[may] for may in row] for row in widget.mask[sentence].tolist()]
                assert labels(page, 0) == expected
                assert weights_agree(page, widget)
    assert typist.faults() == []


def test_a_cell_is_switched_by_mouse_and_by_keyboard(typist: Visit) -> None:
    page = typist.page
    widget = put_masks(page, "the dog sleeps\nit", padding=True, causal=False, window=0)
    select(page, MASKS, "Energies", ENERGIES[0])
    look_at(page, 0)
    widget.sentence = 0
    cell(page, 0, 1, 2).click()
    page.wait_for_timeout(50)
    widget.switched = [[0, 1, 2]]
    assert weights_agree(page, widget)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    page.wait_for_timeout(50)
    widget.switched = [[0, 1, 2], [0, 1, 1], [0, 1, 0]]
    assert weights_agree(page, widget)
    said = view(page, MASKS).locator(".s2b-readout").inner_text()
    assert said.endswith("This query may attend to no key: its row is 0.")
    view(page, MASKS).get_by_role("button", name="Undo what was by hand").click()
    page.wait_for_timeout(50)
    widget.switched = []
    assert weights_agree(page, widget)


@pytest.mark.parametrize("causal", [True, False])
def test_the_leak_test_finds_the_rows_that_change(typist: Visit, causal: bool) -> None:
    page = typist.page
    widget = put_masks(page, "the dog sleeps here\nit", True, causal, 0)
    look_at(page, 0)
    widget.sentence = 0
    button = view(page, MASKS).get_by_role("button", name="Change the last word")
    button.click()
    page.wait_for_timeout(50)
    widget.changed = True
    rows = view(page, MASKS).locator(".s2b-outputs tbody tr")
    cells = [row.locator("td").nth(2).inner_text() for row in rows.all()]
    assert [text == "the same" for text in cells] == [far == 0 for far in widget.moved.tolist()]
    assert cells.count("the same") == (3 if causal else 0)
    assert view(page, MASKS).locator(".s2b-leak").inner_text() == widget._leak()
    button.click()
    page.wait_for_timeout(50)
    assert rows.locator("td:nth-of-type(3)").all_inner_texts() == [""] * 4


def test_a_batch_that_is_too_large_is_refused_with_a_reason(typist: Visit) -> None:
    page = typist.page
    put_masks(page, "we sleep", True, False, 0)
    before = labels(page, 0)
    view(page, MASKS).locator("textarea").fill("a " * 11)
    note = view(page, MASKS).locator(".s2b-batch-note")
    assert "11 words in a sentence; at most 10" in note.inner_text()
    assert labels(page, 0) == before
    view(page, MASKS).locator("textarea").fill("we sleep")
    assert note.inner_text() == ""


@pytest.mark.parametrize(
    "visit", [{"viewport": {"width": 390, "height": 844}, "has_touch": True}], indirect=True
)
def test_on_a_phone_cells_are_chosen_with_a_finger(visit: Visit) -> None:
    page = visit.open(PAGE)
    picture = view(page, POSITIONS).locator("svg.s2b-scores-of-places")
    picture.scroll_into_view_if_needed()
    page.wait_for_timeout(600)
    picture.tap()
    page.wait_for_timeout(100)
    size = len(table(page, POSITIONS, "Table of the scores"))
    row, column = divmod(int(pair(page).get_attribute("aria-valuenow") or 0), size)
    # the middle of the picture lies a little before the middle of the cells
    assert 0 <= size / 2 - row <= 2
    assert 0 <= size / 2 - column <= 2
    first = cell(page, 0, 0, 0)
    before = first.get_attribute("aria-label")
    first.scroll_into_view_if_needed()
    page.wait_for_timeout(600)
    first.tap()
    page.wait_for_timeout(100)
    assert first.get_attribute("aria-label") != before
    assert (first.get_attribute("aria-label") or "").endswith("by hand")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert visit.faults() == []
