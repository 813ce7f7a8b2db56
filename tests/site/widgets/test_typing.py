"""Whether it is plain that one can type, and whether typing is pleasant on a phone."""

import pytest

from conftest import Visit, until

PAGE = "book/attention/bahdanau"
VIEW = ".s2b-translate"


def test_words_of_the_language_are_offered_and_taken_by_keyboard(visit: Visit) -> None:
    page = visit.open(PAGE)
    field = page.locator(f"{VIEW} input.s2b-input")
    field.fill("")
    openers = page.locator(f"{VIEW} .s2b-word").all_inner_texts()
    assert "the" in openers
    field.press_sequentially("the qu")
    assert page.locator(f"{VIEW} .s2b-word").first.inner_text() == "queen"
    field.press("ArrowDown")
    field.press("Enter")
    assert field.input_value() == "the queen "
    field.press_sequentially("sleeps .")
    until(page, f"document.querySelector('{VIEW} .s2b-out').textContent.includes('dort')")
    assert visit.faults() == []


@pytest.mark.parametrize(
    "visit", [{"viewport": {"width": 390, "height": 844}, "has_touch": True}], indirect=True
)
def test_on_a_phone_words_can_be_tapped_and_nothing_scrolls_sideways(visit: Visit) -> None:
    page = visit.open(PAGE)
    field = page.locator(f"{VIEW} input.s2b-input")
    # smaller letters make phones zoom in when one types
    size = field.evaluate("(field) => parseFloat(getComputedStyle(field).fontSize)")
    assert size >= 16
    field.tap()
    field.fill("the king rea")
    page.locator(f"{VIEW} .s2b-word", has_text="reads").first.tap()
    assert field.input_value() == "the king reads "
    until(page, f"document.querySelector('{VIEW} .s2b-out').textContent.includes('lit')")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for target in page.locator(f"{VIEW} :is(button, .s2b-word, select)").all():
        box = target.bounding_box()
        if box and box["width"]:
            assert box["height"] >= 24, target.inner_text()
    assert visit.faults() == []


PLACES = """
() => [...document.querySelectorAll('main section > *')].map((block) => {
  const { top, height } = block.getBoundingClientRect();
  return [top + scrollY, height];
})
"""
RENDERED = """
() => [...document.querySelectorAll('main section > :is(div.cell, p) > :first-child')]
  .filter((block) => block.checkVisibility({ contentVisibilityAuto: true })).length
"""


@pytest.mark.parametrize("name", [PAGE, "book/seq2seq/encoder_decoder"])
def test_off_the_screen_blocks_rest_while_one_types_and_nothing_moves(
    visit: Visit, name: str
) -> None:
    page = visit.open(name)
    field = page.locator("input.s2b-input").first
    field.scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    at, places, rendered = page.evaluate("scrollY"), page.evaluate(PLACES), page.evaluate(RENDERED)
    field.evaluate("(field) => field.focus({ preventScroll: true })")
    page.wait_for_timeout(300)
    assert page.evaluate(RENDERED) < rendered / 3
    assert page.evaluate("scrollY") == at
    for before, now in zip(places, page.evaluate(PLACES), strict=True):
        assert now == pytest.approx(before, abs=1)
    field.evaluate("(field) => field.blur()")
    page.wait_for_timeout(300)
    assert page.evaluate(RENDERED) == rendered
    assert page.evaluate("scrollY") == at
