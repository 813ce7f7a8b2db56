"""All heads of a translator on the built site: what a switch changes is what torch computes.

The page is that of chapter 3.1.
"""

import json
import re
from typing import Any

import pytest
import torch
from playwright.sync_api import Browser, Locator, Page
from site_models import stored_model

from conftest import Visit, until, visitor
from seq2bert import corpus
from seq2bert.decoding import greedy
from seq2bert.tracing import trace
from seq2bert.translator import Interventions
from seq2bert.vocabulary import Vocabulary

PAGE = "book/transformers/self_attention"
VIEW = ".s2b-head-explorer"
ENGLISH, FRENCH = Vocabulary(corpus.ENGLISH_WORDS), Vocabulary(corpus.FRENCH_WORDS)
KINDS = ("encoder", "decoder", "cross")
SOURCE = "the queen who reads does not see the small bird ."


def state_of(page: Page) -> dict[str, Any]:
    """The stored state of the page's first head explorer."""
    text = page.locator("#s2b-widget-state").first.text_content()
    widgets = json.loads(text or "{}").values()
    return next(one["state"] for one in widgets if one["module"] == "heads")


@pytest.fixture(scope="module")
def model(typist: Visit) -> torch.nn.Module:
    """The model that the widget runs, with the same rounded weights."""
    return stored_model(state_of(typist.page)["models"][0]["stored"]["name"])


def part(page: Page, name: str) -> Locator:
    return page.locator(f"{VIEW} .s2b-{name}").first


def is_done(page: Page, seconds: float = 60) -> None:
    """Wait until the translation and the count are those of the switches."""
    page.wait_for_timeout(50)
    until(
        page,
        f"(view => !view.matches('[aria-busy], .s2b-stale') && "
        f"!view.querySelector('.s2b-right').textContent.includes('anew'))"
        f"(document.querySelector('{VIEW}'))",
        seconds,
    )


def choose_kind(page: Page, kind: str) -> None:
    choice = page.locator(VIEW).first.locator("label.s2b-control", has_text="Attention")
    choice.locator("select").select_option(str(KINDS.index(kind)))
    page.wait_for_timeout(50)


def switches(page: Page) -> list[Locator]:
    return page.locator(VIEW).first.locator("button.s2b-switch").all()


def flip(page: Page, kind: str, layer: int, head: int) -> None:
    """Press the switch of a head, in whatever kind is shown."""
    choose_kind(page, kind)
    switches(page)[layer * heads_in_a_layer(page) + head].click()
    page.wait_for_timeout(50)


def heads_in_a_layer(page: Page) -> int:
    row = page.locator(VIEW).first.locator(".s2b-row").first
    return row.locator("button.s2b-switch").count()


def all_on(page: Page) -> None:
    button = page.locator(VIEW).first.get_by_role("button", name="Switch all on")
    if button.is_visible():
        button.click()
    is_done(page)


def type_in(page: Page, text: str) -> None:
    page.locator(f"{VIEW} input.s2b-input").first.fill(text)
    is_done(page)


def lines(page: Page) -> list[str]:
    """What is written with all heads, and with those that are on."""
    return page.locator(VIEW).first.locator(".s2b-line bdi").all_inner_texts()


def table(page: Page) -> list[list[float]]:
    """The table of the large picture's weights, opened if it is not."""
    fold = page.locator(f"{VIEW} .s2b-twin", has_text="Table of the weights").first
    fold.evaluate("fold => { fold.open = true }")
    page.wait_for_timeout(50)
    return fold.evaluate(
        """(fold) => [...fold.querySelectorAll("tbody tr")].map(
            (row) => [...row.querySelectorAll("td")].map((cell) => +cell.textContent))"""
    )


def mask_of(page: Page, off: list[tuple[str, int, int]]) -> dict[Any, torch.Tensor]:
    shapes = {one["kind"]: one["shape"][:2] for one in state_of(page)["maps"]}
    masks: dict[Any, torch.Tensor] = {kind: torch.ones(*shape) for kind, shape in shapes.items()}
    for kind, layer, head in off:
        masks[kind][layer, head] = 0
    return masks


def test_nothing_is_loaded_until_somebody_wants_it(visit: Visit) -> None:
    visit.open(PAGE)
    loaded = [url for url in visit.requests if re.search(r"\.onnx|onnxruntime|safetensors", url)]
    assert loaded == []
    assert visit.faults() == []


OFF = [("cross", 0, 0), ("cross", 1, 1), ("encoder", 1, 0), ("decoder", 0, 1)]


def test_without_some_heads_all_is_as_torch_computes_it(
    typist: Visit, model: torch.nn.Module
) -> None:
    page = typist.page
    type_in(page, SOURCE)
    all_on(page)
    for head in OFF:
        flip(page, *head)
    is_done(page)
    changed = Interventions(mask_of(page, OFF))
    expected = trace(model, SOURCE.split(), ENGLISH, FRENCH, interventions=changed)
    whole = trace(model, SOURCE.split(), ENGLISH, FRENCH)
    assert lines(page) == [" ".join(whole.tokens), " ".join(expected.tokens)]
    for kind in KINDS:
        choose_kind(page, kind)
        for layer, head in ((0, 0), (1, 1)):
            opened = page.locator(VIEW).first.locator("button.s2b-open").all()
            opened[layer * heads_in_a_layer(page) + head].click()
            page.wait_for_timeout(50)
            weights = expected.attention[kind][layer, head]
            shown = torch.tensor(table(page), dtype=torch.float32)
            assert torch.allclose(shown, weights, atol=0.00501), (kind, layer, head)
    assert typist.faults() == []


def test_the_count_of_held_out_sentences_is_that_of_torch(
    typist: Visit, model: torch.nn.Module
) -> None:
    page = typist.page
    all_on(page)
    pairs = [[side.split() for side in pair] for pair in state_of(page)["held_out"]]

    def right(off: list[tuple[str, int, int]]) -> int:
        changed = Interventions(mask_of(page, off))
        sources = [source for source, _ in pairs]
        done = greedy(model, sources, ENGLISH, FRENCH, interventions=changed)
        return sum(
            one.finished and list(one.tokens) == target
            for one, (_, target) in zip(done, pairs, strict=True)
        )

    off: list[tuple[str, int, int]] = []
    for head in OFF[:3]:
        flip(page, *head)
        off.append(head)
        is_done(page)
        said = part(page, "right").inner_text()
        numbers = [int(number) for number in re.findall(r"\d+", said)]
        assert numbers == [right(off), len(pairs), right([]), len(pairs)]
    assert typist.faults() == []


def test_a_link_leads_to_the_same_switches(visit: Visit, typist: Visit) -> None:
    page = typist.page
    all_on(page)
    flip(page, "cross", 1, 0)
    is_done(page)
    expected = lines(page), part(page, "count").inner_text()
    other = visit.page
    key = state_of(page)["key"]
    source = page.locator(f"{VIEW} input.s2b-input").first.input_value().replace(" ", "+")
    other.goto(f"{visit.address}/{PAGE}.html#{key}?s={source}&o=cross.2.1&h=cross.2.1")
    until(other, f"!!document.querySelector('{VIEW} button.s2b-switch')", 30)
    until(
        other,
        f"document.querySelector('{VIEW} .s2b-count').textContent.includes('changes') || "
        f"document.querySelector('{VIEW} .s2b-count').textContent.includes('same')",
        60,
    )
    is_done(other)
    assert (lines(other), part(other, "count").inner_text()) == expected
    assert visit.faults() == []


def test_heads_are_switched_by_keyboard_alone(typist: Visit) -> None:
    page = typist.page
    all_on(page)
    choose_kind(page, "cross")
    view = page.locator(VIEW).first
    view.locator("button.s2b-switch[tabindex='0']").focus()
    page.keyboard.press("Home")
    page.keyboard.press("PageUp")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    is_done(page)
    states = [one.get_attribute("aria-pressed") for one in switches(page)]
    assert states[:2] == ["true", "false"]
    assert "cross 1.2" in part(page, "count").inner_text()
    page.keyboard.press("Enter")
    is_done(page)
    assert part(page, "count").inner_text().startswith("All ")
    assert typist.faults() == []


HEIGHTS = """() => [...document.querySelectorAll("figure.s2b-widget")]
    .map((figure) => figure.getBoundingClientRect().height)"""


@pytest.mark.parametrize("width", [1440, 768, 390])
def test_coming_to_life_moves_nothing(browser: Browser, address: str, width: int) -> None:
    settings = {"viewport": {"width": width, "height": 844}}
    still = visitor(browser, address, {**settings, "java_script_enabled": False})
    live = visitor(browser, address, settings)
    heights = [one.open(PAGE).evaluate(HEIGHTS) for one in (still, live)]
    for one in (still, live):
        one.context.close()
    for before, after in zip(*heights, strict=True):
        assert abs(before - after) <= 2


@pytest.mark.parametrize(
    "visit",
    [{"viewport": {"width": 390, "height": 844}, "has_touch": True, "color_scheme": "dark"}],
    indirect=True,
)
def test_on_a_phone_switches_are_large_enough_and_stay_under_the_finger(visit: Visit) -> None:
    page = visit.open(PAGE)
    boxes = [one.bounding_box() for one in switches(page)]
    assert all(box and box["height"] >= 24 and box["width"] >= 44 for box in boxes)
    top = switches(page)[1].evaluate("e => e.getBoundingClientRect().top + scrollY")
    switches(page)[1].tap()
    is_done(page)
    assert switches(page)[1].get_attribute("aria-pressed") == "false"
    after = switches(page)[1].evaluate("e => e.getBoundingClientRect().top + scrollY")
    assert abs(after - top) <= 2
    assert page.evaluate("document.documentElement.scrollWidth") == 390


@pytest.mark.parametrize("visit", [{"java_script_enabled": False}], indirect=True)
def test_without_scripts_all_heads_are_there_with_pictures_and_a_table(visit: Visit) -> None:
    page = visit.open(PAGE, live=False)
    view = page.locator(VIEW).first
    assert view.locator(".s2b-open svg").first.is_visible()
    assert view.locator(".s2b-models tbody tr").count() > view.locator(".s2b-open").count()
    assert "heads are on" in part(page, "count").inner_text()
