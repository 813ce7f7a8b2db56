"""The corpus explorer on the site: no kernel, and everything works by mouse, keyboard and touch."""

import pytest
from playwright.sync_api import Locator, Page

from conftest import Visit, until

PAGE = "book/seq2seq/translation"
VIEW = ".s2b-explorer"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


def words(page: Page, side: str) -> list[str]:
    return page.locator(f"{VIEW} [data-side={side}] text").all_text_contents()


def status(page: Page) -> str:
    return page.locator(f"{VIEW} .s2b-status").inner_text()


def word(page: Page, side: str, at: int) -> Locator:
    return page.locator(f"{VIEW} .s2b-pair-word[data-side={side}][data-at='{at}']")


def lit(page: Page) -> list[str]:
    return page.locator(f"{VIEW} .s2b-pair-word.s2b-lit text").all_text_contents()


def test_a_phenomenon_is_chosen_and_every_pair_that_is_left_shows_it(visit: Visit) -> None:
    page = visit.open(PAGE)
    choice = page.locator(f"{VIEW} select").first
    options = choice.locator("option").all_inner_texts()
    (negation,) = (one for one in options if one.startswith("negation ("))
    choice.select_option(label=negation)
    count = int(negation.split("(")[1].rstrip(")"))
    said = f"document.querySelector('{VIEW} .s2b-status').textContent"
    until(page, f"{said}.startsWith('{count} of')")
    for turn in range(count):
        assert page.locator(f"{VIEW} .s2b-count").inner_text() == f"{turn + 1} of {count}"
        assert {"ne", "n'", "non"} & set(words(page, "target"))
        assert page.locator(f"{VIEW} .s2b-found").count() >= 1
        page.locator(VIEW).get_by_role("button", name="Next").click()
    assert visit.faults() == []


def test_a_word_is_searched_for_in_either_language(visit: Visit) -> None:
    page = visit.open(PAGE)
    field = page.locator(f"{VIEW} input")
    field.press_sequentially("voiture")
    until(page, f"document.querySelector('{VIEW} .s2b-found')")
    found = status(page)
    assert "voiture" in words(page, "target")
    field.fill("car")
    until(page, f"document.querySelector('{VIEW} [data-side=source].s2b-found')")
    assert "car" in words(page, "source")
    assert found.endswith("pairs fit.")
    assert visit.faults() == []


def test_when_nothing_fits_it_says_so_and_leads_back(visit: Visit) -> None:
    page = visit.open(PAGE)
    page.locator(f"{VIEW} input").fill("zebra")
    message = page.locator(f"{VIEW} .s2b-message")
    message.wait_for()
    assert message.inner_text().startswith("None of these pairs has “zebra”.")
    message.get_by_role("button").click()
    page.locator(f"{VIEW} .s2b-pair").wait_for()
    assert status(page) == "All 250 pairs."
    assert visit.faults() == []


def test_everything_is_reached_by_keyboard(visit: Visit) -> None:
    page = visit.open(PAGE)
    page.locator(f"{VIEW} input").focus()
    reached = []
    for _ in range(7):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.textContent.slice(0, 8).trim()"))
        if page.evaluate("document.activeElement.classList.contains('s2b-pair-word')"):
            break
    assert [text for text in reached if text in {"Previous", "Next", "Another"}] == [
        "Previous",
        "Next",
        "Another",
    ]
    first = words(page, "source")[0]
    assert first in lit(page)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.dataset.side") == "target"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"
    assert visit.faults() == []


def test_a_word_that_is_pointed_at_shows_what_it_goes_with(visit: Visit) -> None:
    page = visit.open(PAGE)
    page.locator(f"{VIEW} input").fill("does not")
    until(page, f"document.querySelector('{VIEW} [data-side=source].s2b-found')")
    at = words(page, "source").index("not")
    word(page, "source", at).hover()
    assert len(lit(page)) >= 3
    said = page.locator(f"{VIEW} .s2b-readout").inner_text()
    assert said.startswith("English not")
    assert "pas" in said
    page.locator(f"{VIEW} .s2b-status").hover()
    assert lit(page) == []


def test_the_table_names_the_links_that_are_drawn(visit: Visit) -> None:
    page = visit.open(PAGE)
    page.locator(f"{VIEW} .s2b-twin summary").click()
    rows = page.locator(f"{VIEW} .s2b-twin tbody tr")
    rows.first.wait_for()
    kinds = [row.split("\t")[-1].strip() for row in rows.all_inner_texts()]
    for kind in ("sure", "possible"):
        assert kinds.count(kind) == page.locator(f"{VIEW} .s2b-links .s2b-{kind}").count()


@pytest.mark.parametrize("visit", [PHONE], indirect=True)
def test_on_a_phone_words_can_be_tapped_and_long_pairs_scroll_in_their_box(visit: Visit) -> None:
    page = visit.open(PAGE)
    length = page.locator(f"{VIEW} select").nth(1)
    (longest,) = (one for one in length.locator("option").all_inner_texts() if "long" in one)
    length.select_option(label=longest)
    until(page, f"document.querySelectorAll('{VIEW} [data-side=source]').length > 14")
    box = page.locator(f"{VIEW} .s2b-scroll")
    assert box.evaluate("(box) => box.scrollWidth > box.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    last = word(page, "target", len(words(page, "target")) - 1)
    last.scroll_into_view_if_needed()
    last.tap()
    assert last.get_attribute("aria-pressed") == "true"
    assert len(lit(page)) >= 2
    assert visit.faults() == []


@pytest.mark.parametrize("visit", [PHONE], indirect=True)
def test_on_a_phone_nothing_is_too_small_for_a_finger(visit: Visit) -> None:
    page = visit.open(PAGE)
    field = page.locator(f"{VIEW} input")
    assert field.evaluate("(field) => parseFloat(getComputedStyle(field).fontSize)") >= 16
    targets = f"{VIEW} :is(button, select, input, summary, .s2b-pair-box)"
    for target in page.locator(targets).all():
        box = target.bounding_box()
        if box and box["width"]:
            assert box["height"] >= 24, target.evaluate("(one) => one.outerHTML")


def test_what_a_reader_chose_is_there_when_they_come_back(visit: Visit) -> None:
    page = visit.open(PAGE)
    page.locator(VIEW).get_by_role("button", name="Next").click()
    until(page, f"document.querySelector('{VIEW} .s2b-count').textContent === '2 of 250'")
    page.goto(f"{visit.address}/book/intro.html")
    page.go_back()
    until(page, f"document.querySelector('{VIEW} .s2b-count')?.textContent === '2 of 250'")


def test_typing_a_sentence_loads_no_model(visit: Visit) -> None:
    page = visit.open(PAGE)
    page.locator(f"{VIEW} input").fill("the car is old .")
    page.locator(f"{VIEW} .s2b-message").wait_for()
    assert not [url for url in visit.requests if "onnx" in url or "/models/" in url]
