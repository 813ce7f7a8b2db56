"""One sentence and many models on the built site: every picture is what torch computes.

The page is that of chapter 2.2; three translators of different kinds stand on a page of their own.
"""

import re
import sys
from collections.abc import Iterator

import pytest
import torch
from ipywidgets import Widget
from playwright.sync_api import Browser, Page, Route
from site_models import stored_model

from conftest import ROOT, Visit, until, visitor
from seq2bert import corpus, runs
from seq2bert.tracing import trace
from seq2bert.vocabulary import EOS, Vocabulary
from seq2bert.widgets import Compare

sys.path.insert(0, str(ROOT / "book" / "_sphinx"))
from live_outputs import SITE_SCRIPT, SITE_STYLES, WIDGET, WIDGET_STATE, Converter, script_json

PAGE = "book/attention/energies"
VIEW = ".s2b-comparison"
THUMB = f"{VIEW} [role=option]"
ENGLISH, FRENCH = Vocabulary(corpus.ENGLISH_WORDS), Vocabulary(corpus.FRENCH_WORDS)
CHECKED = ("dot", "location", "dot, sparsemax", "dot, sigmoid")
"""Models whose every number is compared; the unit tests do it for all energies."""


def weights_name(title: str) -> str:
    """The stored weights of a model, by the title that the widget shows."""
    energy, _, distribution = title.rpartition(", ")
    if distribution not in ("sparsemax", "sigmoid"):
        energy, distribution = title, "softmax"
    return f"energies.{energy}-{distribution}".replace(", ", "-").replace(" ", "-")


@pytest.fixture(scope="module")
def models() -> dict[str, torch.nn.Module]:
    return {title: stored_model(weights_name(title)) for title in CHECKED}


def view_is_done(page: Page, seconds: float = 180) -> None:
    """Wait until every model has been asked."""
    until(
        page,
        f"!document.querySelector('{VIEW}').matches('[aria-busy], .s2b-stale') && "
        f"!document.querySelector('{VIEW}').querySelector('.s2b-old')",
        seconds,
    )


def type_in(page: Page, text: str) -> None:
    """Type a sentence and wait until every model has answered."""
    page.locator(f"{VIEW} input.s2b-input").first.fill(text)
    page.wait_for_timeout(50)
    view_is_done(page)


def titles(page: Page) -> list[str]:
    return page.locator(VIEW).first.locator(".s2b-thumb-title").all_inner_texts()


def choose(page: Page, title: str) -> None:
    page.locator(VIEW).first.locator("[role=option]").nth(titles(page).index(title)).click()
    page.wait_for_timeout(50)


def facts(page: Page, title: str) -> list[str]:
    thumb = page.locator(VIEW).first.locator("[role=option]").nth(titles(page).index(title))
    return thumb.locator(".s2b-thumb-fact").all_inner_texts()


def table(page: Page) -> list[list[float]]:
    """The table of the large picture's weights, opened if it is not."""
    fold = page.locator(f"{VIEW} .s2b-twin", has_text="Table of the weights").first
    fold.evaluate("fold => { fold.open = true }")
    page.wait_for_timeout(50)
    return fold.evaluate(
        """(fold) => [...fold.querySelectorAll("tbody tr")].map(
            (row) => [...row.querySelectorAll("td")].map((cell) => +cell.textContent))"""
    )


def test_nothing_is_loaded_until_somebody_wants_it(visit: Visit) -> None:
    page = visit.open(PAGE)
    loaded = [url for url in visit.requests if re.search(r"\.onnx|onnxruntime|safetensors", url)]
    assert loaded == []
    assert re.search(
        r"all \d+ models then run here, in this page \(\d\.\d MB, once\)",
        page.locator(f"{VIEW} .s2b-status").first.inner_text(),
    )
    assert visit.faults() == []


@pytest.mark.parametrize("title", CHECKED)
def test_a_sentence_without_truth_is_shown_with_each_model_s_own_words(
    typist: Visit, models: dict[str, torch.nn.Module], title: str
) -> None:
    page = typist.page
    source = "the zebra reads ."
    if page.locator(f"{VIEW} input.s2b-input").first.input_value() != source:
        type_in(page, source)
    expected = trace(models[title], source.split(), ENGLISH, FRENCH)
    choose(page, title)
    assert facts(page, title)[0] == " ".join(expected.tokens)
    weights = expected.attention["cross"][0, 0]
    assert torch.allclose(torch.tensor(table(page), dtype=torch.float32), weights, atol=0.00501)
    note = page.locator(f"{VIEW} .s2b-note").first.inner_text()
    assert "zebra" in note
    assert "not known here" in note
    assert typist.faults() == []


def test_where_the_truth_is_known_all_pictures_have_its_rows(
    typist: Visit, models: dict[str, torch.nn.Module]
) -> None:
    page = typist.page
    page.locator(VIEW).get_by_role("button", name="Another sentence").first.click()
    page.wait_for_timeout(50)
    view_is_done(page)
    source = page.locator(f"{VIEW} input.s2b-input").first.input_value().split()
    pair, scored = corpus.translate(source), []
    for title, model in models.items():
        forced = trace(model, source, ENGLISH, FRENCH, prefix=[*pair.target, EOS])
        choose(page, title)
        weights = forced.attention["cross"][0, 0]
        assert torch.allclose(
            torch.tensor(table(page), dtype=torch.float32), weights, atol=0.00501
        ), title
        own = trace(model, source, ENGLISH, FRENCH).tokens
        right = "✓ right" if own == pair.target else "✗ other words"
        assert facts(page, title)[0] == right
        two = weights[:-1].sort(dim=-1, descending=True).values[:, :2]
        # where two weights are equal but for rounding, either may be the largest
        if bool((two[:, 0] - two[:, 1] > 1e-4).all()):
            links = {(query, int(row.argmax())) for query, row in enumerate(weights[:-1])}
            hits = len(links & set(pair.sure)) + len(links & set(pair.possible | pair.sure))
            error = 1 - hits / (len(links) + len(pair.sure))
            said = float(facts(page, title)[1].removeprefix("error "))
            assert said == pytest.approx(error, abs=0.00501), title
            scored.append(title)
        drawn = page.locator(f"{VIEW} .s2b-cells").first.locator("rect.s2b-sure").count()
        assert drawn == len(pair.sure)
    assert "dot" in scored
    assert typist.faults() == []


def test_each_model_is_loaded_once_and_one_after_another(visit: Visit) -> None:
    page = visit.open(PAGE)
    type_in(page, "the king sleeps and the queen reads .")
    type_in(page, "the queen reads .")
    files = [url.rpartition("/")[2] for url in visit.requests if "/models/" in url]
    assert len(files) == len(set(files)) == 3 * len(titles(page))
    weights = [name for name in files if "safetensors" in name]
    assert weights[0].startswith(weights_name(titles(page)[0]))
    assert visit.faults() == []


def test_whoever_types_on_gets_the_last_sentence_from_every_model(typist: Visit) -> None:
    page = typist.page
    field = page.locator(f"{VIEW} input.s2b-input").first
    typed = "the small cat sleeps ."
    field.fill("")
    field.press_sequentially(typed, delay=15)
    page.wait_for_timeout(50)
    view_is_done(page)
    large = page.locator(f"{VIEW} .s2b-cells").first
    for title in (titles(page)[0], titles(page)[-1]):
        choose(page, title)
        assert " ".join(large.locator(".s2b-label").all_text_contents()) == typed
    assert typist.faults() == []


def test_thumbnails_are_walked_and_chosen_by_keyboard(typist: Visit) -> None:
    page = typist.page
    choose(page, titles(page)[0])
    page.locator(f"{THUMB}[tabindex='0']").first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(50)
    chosen = page.locator(f"{THUMB}[aria-selected=true] .s2b-thumb-title").first
    assert chosen.inner_text() == titles(page)[1]
    columns = page.evaluate(
        """(selector) => {
            const all = [...document.querySelector(selector).querySelectorAll("[role=option]")];
            return all.filter((one) => one.offsetTop === all[0].offsetTop).length;
        }""",
        VIEW,
    )
    page.keyboard.press("ArrowDown")
    page.wait_for_timeout(50)
    assert chosen.inner_text() == titles(page)[1 + columns]
    assert page.locator(f"{VIEW} .s2b-control", has_text=chosen.inner_text()).count() >= 1
    page.keyboard.press("End")
    page.wait_for_timeout(50)
    assert chosen.inner_text() == titles(page)[-1]


def test_a_model_that_cannot_be_loaded_keeps_its_picture_and_says_why(visit: Visit) -> None:
    name = weights_name("location")
    visit.context.route(re.compile(rf"{name}\.safetensors"), lambda route: route.abort())
    page = visit.open(PAGE)
    page.locator(f"{VIEW} input.s2b-input").first.fill("the queen reads .")
    all_others = "14 of 15 models have answered"
    counted = f"document.querySelector('{VIEW} .s2b-count').textContent"
    until(page, f"{counted}.includes('{all_others}')", 60)
    assert facts(page, "location") == [
        "no answer yet",
        f"{name}.safetensors could not be loaded: is the connection there?",
    ]
    assert page.locator(f"{VIEW} .s2b-old").count() == 1
    choose(page, "location")
    assert "the sentence before" in page.locator(f"{VIEW} .s2b-writes").first.inner_text()
    visit.context.unroute(re.compile(rf"{name}\.safetensors"))
    page.locator(VIEW).get_by_role("button", name="Ask the others").first.click()
    view_is_done(page)
    assert page.locator(f"{VIEW} .s2b-count").first.inner_text().strip() == ""
    failed = [url for url in visit.failures if name not in url]
    assert failed == []


def test_nothing_and_too_much_end_in_one_sentence_and_the_pictures_stay(typist: Visit) -> None:
    page = typist.page
    before = [facts(page, title) for title in titles(page)]
    field = page.locator(f"{VIEW} input.s2b-input").first
    field.fill("")
    assert "Type a sentence" in page.locator(f"{VIEW} .s2b-status").first.inner_text()
    field.fill("the " * 61)
    assert "61 words" in page.locator(f"{VIEW} .s2b-status").first.inner_text()
    assert [facts(page, title) for title in titles(page)] == before
    assert typist.faults() == []


def test_the_longest_sentence_has_a_place_in_every_model(typist: Visit) -> None:
    page = typist.page
    type_in(page, " ".join(["the king sleeps and"] * 15))
    assert page.locator(f"{VIEW} .s2b-old").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
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
    assert len(heights[0]) >= 2
    for before, after in zip(*heights, strict=True):
        assert abs(before - after) <= 2


@pytest.mark.parametrize(
    "visit", [{"viewport": {"width": 390, "height": 844}, "has_touch": True}], indirect=True
)
def test_on_a_phone_pictures_wrap_and_are_tapped(visit: Visit) -> None:
    page = visit.open(PAGE)
    boxes = [one.bounding_box() for one in page.locator(THUMB).all()[:15]]
    assert len({round(box["x"]) for box in boxes if box}) in (2, 3)
    assert all(box and box["height"] >= 24 and box["width"] >= 90 for box in boxes)
    page.locator(THUMB).nth(4).tap()
    page.wait_for_timeout(50)
    assert page.locator(THUMB).nth(4).get_attribute("aria-selected") == "true"
    page.evaluate("window.scrollTo(500, 0)")
    assert page.evaluate("[scrollX, document.documentElement.scrollWidth]") == [0, 390]
    font = page.locator(f"{VIEW} input.s2b-input").first
    assert font.evaluate("e => parseFloat(getComputedStyle(e).fontSize)") >= 16


@pytest.mark.parametrize("visit", [{"java_script_enabled": False}], indirect=True)
def test_without_scripts_all_models_are_there_with_pictures_and_tables(visit: Visit) -> None:
    page = visit.open(PAGE, live=False)
    count = page.locator(f"{VIEW} li.s2b-thumb").count()
    assert count >= 15
    assert page.locator(f"{VIEW} li.s2b-thumb svg").first.is_visible()
    assert page.locator(f"{VIEW} .s2b-models tbody tr").count() == count
    assert (ROOT / f"{PAGE}.ipynb").is_file()


# --- without attention, with one head, with several: three translators ---------------------------

HOST = "book/reference/notation"
"""A page without widgets of its own."""
THREE = {
    "fixed context": "transformer.fixed-context",
    "recurrent attention": "transformer.recurrent-attention",
    "Transformer": "transformer.transformer",
}
RED_CAR = "the small red car stops because it is old ."
UNKNOWN = "the zebra reads ."
KNOWN = ["the king does not see the old queen .", "the queen sleeps ."]


@pytest.fixture(scope="module")
def three() -> dict[str, torch.nn.Module]:
    return {title: stored_model(name) for title, name in THREE.items()}


@pytest.fixture(scope="module")
def best() -> tuple[int, int]:
    """The head of the Transformer that the record names."""
    (row,) = runs.load("transformer").select(weights=THREE["Transformer"])
    layer, head = row["test"]["best_head"]
    return layer, head


def body_of(widget: Compare) -> str:
    """A widget as the site has it: its still picture, its state, and what brings it to life."""
    name = str(widget.model_id)
    view = {WIDGET: {"model_id": name}, "text/html": widget._repr_mimebundle_()[0]["text/html"]}
    output = {"output_type": "display_data", "data": view}
    state = Widget.get_manager_state(widgets=[widget])
    converter = Converter(
        {"metadata": {"widgets": {WIDGET_STATE: state}}, "cells": [{"outputs": [output]}]}
    )
    converter.run()
    assert converter.faults == []
    static = "../../_static"
    stored = script_json(converter.live.widgets, 'id="s2b-widget-state"')
    return (
        f'<link rel="stylesheet" href="{static}/{SITE_STYLES}"/>{output["data"]["text/html"]}'
        f'{stored}<script type="module" src="{static}/{SITE_SCRIPT}"></script>'
    )


def open_with(visit: Visit, widget: Compare) -> Page:
    """Open a page of the site with a widget at its end; the site may not have its models yet."""
    body = body_of(widget)

    def put(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(
            response=answer, body=answer.text().replace("</article>", f"{body}</article>")
        )

    def model(route: Route) -> None:
        name = route.request.url.rpartition("/")[2].partition("?")[0]
        route.fulfill(path=runs.runs_folder() / name)

    visit.context.route(f"**/{HOST}.html", put)
    visit.context.route("**/_static/models/transformer.*", model)
    return visit.open(HOST, live=visit.scripts)


def compare_three(
    models: dict[str, torch.nn.Module], best: tuple[int, int], chosen: int = 0
) -> Compare:
    widget = Compare(
        models,
        ENGLISH,
        FRENCH,
        {"a red car": corpus.translate(RED_CAR.split())},
        # a page knows the truth about these
        [corpus.translate(sentence.split()) for sentence in KNOWN],
        stored=THREE,
        heads={"Transformer": best},
    )
    widget.chosen = chosen
    return widget


@pytest.fixture(scope="module")
def trio(
    browser: Browser,
    address: str,
    three: dict[str, torch.nn.Module],
    best: tuple[int, int],
) -> Iterator[Visit]:
    """A reader who tries many things with the three translators."""
    one = visitor(browser, address, {})
    open_with(one, compare_three(three, best))
    yield one
    one.context.close()


def draw(page: Page, what: str) -> None:
    page.locator(f"{VIEW} .s2b-control", has_text="Heads").locator("select").select_option(what)
    page.wait_for_timeout(50)


@pytest.mark.parametrize("source", [UNKNOWN, KNOWN[0]])
def test_what_is_drawn_of_several_heads_is_what_torch_computes(
    trio: Visit, three: dict[str, torch.nn.Module], best: tuple[int, int], source: str
) -> None:
    page = trio.page
    type_in(page, source)
    words = source.split()
    gold = corpus.translate(words) if source in KNOWN else None
    prefix = [] if gold is None else [*gold.target, EOS]
    for title in ("recurrent attention", "Transformer"):
        found = trace(three[title], words, ENGLISH, FRENCH, prefix=prefix).attention["cross"]
        choose(page, title)
        for what, head in (("best head", best), ("mean of all heads", None)):
            draw(page, what)
            one_only = found.shape[:2] == (1, 1)
            weights = found[0, 0] if one_only else found.mean(dim=(0, 1))
            weights = weights if head is None or one_only else found[head]
            shown = torch.tensor(table(page), dtype=torch.float32)
            assert torch.allclose(shown, weights, atol=0.00501), (title, what)
            if gold is not None:
                links = {(query, int(row.argmax())) for query, row in enumerate(weights[:-1])}
                hits = len(links & gold.sure) + len(links & (gold.possible | gold.sure))
                said = float(facts(page, title)[1].removeprefix("error "))
                expected = 1 - hits / (len(links) + len(gold.sure))
                assert said == pytest.approx(expected, abs=0.00501), (title, what)
    assert trio.faults() == []


@pytest.mark.parametrize("source", [UNKNOWN, KNOWN[1]])
def test_a_translator_without_attention_says_so_and_what_it_writes(
    trio: Visit, three: dict[str, torch.nn.Module], source: str
) -> None:
    page = trio.page
    type_in(page, source)
    expected = trace(three["fixed context"], source.split(), ENGLISH, FRENCH).tokens
    tile = page.locator(THUMB).first
    assert tile.locator("svg").count() == 0
    lines = tile.locator(".s2b-thumb-none > span").all_inner_texts()
    assert lines == ["No attention, so no picture.", f"It writes: {' '.join(expected)}"]
    if source == UNKNOWN:
        assert facts(page, "fixed context")[0] == "no reference"
    else:
        right = expected == corpus.translate(source.split()).target
        assert facts(page, "fixed context")[0] == ("✓ right" if right else "✗ other words")
    choose(page, "fixed context")
    message = page.locator(f"{VIEW} .s2b-holder")
    assert "this translator has no attention" in message.inner_text()
    for part in (".s2b-readout", ".s2b-foot", ".s2b-weights", ".s2b-copies"):
        assert not page.locator(f"{VIEW} {part}").first.is_visible()
    choose(page, "Transformer")
    assert page.locator(f"{VIEW} .s2b-foot").is_visible()
    assert trio.faults() == []


@pytest.mark.parametrize("chosen", [0, 2])
@pytest.mark.parametrize("width", [1440, 390])
def test_three_translators_come_to_life_without_a_jump(
    browser: Browser,
    address: str,
    three: dict[str, torch.nn.Module],
    best: tuple[int, int],
    width: int,
    chosen: int,
) -> None:
    widget = compare_three(three, best, chosen)
    settings = {"viewport": {"width": width, "height": 844}}
    heights = []
    for changes in ({"java_script_enabled": False}, {}):
        one = visitor(browser, address, settings | changes)
        page = open_with(one, widget)
        heights.append(page.locator("figure.s2b-widget").evaluate("e => e.offsetHeight"))
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert one.faults() == []
        one.context.close()
    assert abs(heights[0] - heights[1]) <= 2
