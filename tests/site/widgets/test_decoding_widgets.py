"""Beam tree and distribution sliders on the built site: what the browser shows, torch computes."""

import base64
import json
import math
import re

import numpy as np
import pytest
import torch
from playwright.sync_api import Page

from conftest import SITE, Visit, until
from seq2bert import bars, corpus, runs, tree_picture
from seq2bert.encoder_decoder import EncoderDecoder
from seq2bert.sampled import next_word
from seq2bert.sampling import top_k, top_p, with_temperature
from seq2bert.search_tree import SearchTree, grow
from seq2bert.vocabulary import EOS, Vocabulary

PAGE = "book/seq2seq/decoding"
TREE, BARS = ".s2b-beamtree", ".s2b-distribution"
STORED = "encoder_decoder.gru"
ENGLISH, FRENCH = Vocabulary(corpus.ENGLISH_WORDS), Vocabulary(corpus.FRENCH_WORDS)
SENTENCES = [
    *(" ".join(pair.source) for pair in corpus.pairs("valid", 8)),
    "the",
    "the zebra reads .",
    "king the sleeps not does",
    " ".join(["the king sleeps and"] * 5),
]


@pytest.fixture(scope="module")
def model() -> EncoderDecoder:
    """The model of the page, with the rounded weights that the page has."""
    made = EncoderDecoder(len(ENGLISH), len(FRENCH))
    runs.load_weights(made, STORED)
    return made.eval()


def memory_of(model: EncoderDecoder, source: list[str]) -> dict[str, torch.Tensor]:
    ids = torch.tensor([ENGLISH.encode(source)])
    return model.encode(ids, torch.ones_like(ids, dtype=torch.bool))


@torch.no_grad()
def tree_of(model: EncoderDecoder, sentence: str, width: int) -> SearchTree:
    return grow(model, memory_of(model, sentence.split()), FRENCH, width)


def type_in(page: Page, view: str, text: str) -> None:
    """Type a sentence and wait until what stands below belongs to it."""
    page.locator(f"{view} input.s2b-input").fill(text)
    until(page, f"!document.querySelector('{view}:is([aria-busy], .s2b-stale)')")
    page.wait_for_timeout(50)


def results(page: Page) -> list[str]:
    return page.locator(f"{TREE} .s2b-results bdi").all_inner_texts()


def slide(page: Page, view: str, name: str, value: float) -> None:
    page.locator(f"{view} .s2b-slider", has_text=name).locator("input").fill(str(value))


ASK = """
async ({ engine, onnx, subject, questions }) => {
  const { BrowserEngine, Loader } = await import(engine);
  const places = { runtime: engine, models: new URL('../models/', engine).href };
  const asked = new BrowserEngine(new Loader(places, () => import(onnx)), subject, () => {});
  const found = [];
  for (const [kind, question] of questions) {
    const { answer, buffers } = await asked.ask(kind, { model: 0, ...question });
    const bytes = buffers[0] ? new Uint8Array(buffers[0].buffer) : [];
    found.push({ answer, numbers: btoa(String.fromCharCode(...bytes)) });
  }
  return found;
}
"""


def ask(visit: Visit, questions: list[tuple[str, dict]]) -> list[dict]:
    """What the engine that the site ships answers, without the widget around it."""
    visit.page.goto(f"{visit.address}/book/reference/notation.html")
    (engine,) = (SITE / "_static" / "frontend").glob("engine-*.js")
    (onnx,) = (SITE / "_static" / "frontend").glob("onnx-*.js")
    stored = {"name": STORED, "files": runs.stored_files(STORED)}
    subject = {
        "models": [{"title": "encoder-decoder", "stored": stored}],
        "sourceWords": list(ENGLISH.tokens),
        "targetWords": list(FRENCH.tokens),
    }
    where = f"{visit.address}/_static/frontend/"
    sent = {"engine": where + engine.name, "onnx": where + onnx.name, "subject": subject}
    return visit.page.evaluate(ASK, {**sent, "questions": [list(one) for one in questions]})


def test_the_browser_grows_the_tree_that_torch_grows(visit: Visit, model: EncoderDecoder) -> None:
    wanted = [(sentence, width) for sentence in SENTENCES for width in (1, 3, 5)]
    found = ask(visit, [("tree", {"source": s.split(), "width": w}) for s, w in wanted])
    furthest = 0.0
    for (sentence, width), one in zip(wanted, found, strict=True):
        expected = tree_of(model, sentence, width)
        nodes = one["answer"]["nodes"]
        assert [(parent, token, kept) for parent, token, _, kept in nodes] == [
            (n.parent, FRENCH.tokens[n.token], int(n.kept)) for n in expected.nodes
        ], (sentence, width)
        assert one["answer"]["found"] == list(expected.found)
        apart = [abs(n[2] - e.log_prob) for n, e in zip(nodes, expected.nodes, strict=True)]
        furthest = max(furthest, *apart)
    print(f"log-probabilities of beginnings differ by at most {furthest:.1e}")
    # sums over up to 60 words, each within 1e-5 or as far as single precision goes
    assert furthest < 1e-3


def test_the_browser_distributes_the_next_word_as_torch_does(
    visit: Visit, model: EncoderDecoder
) -> None:
    asked = [(s.split(), prefix) for s in SENTENCES for prefix in ([], ["le"], ["la", "reine"])]
    found = ask(visit, [("next", {"source": s, "prefix": p}) for s, p in asked])
    furthest = 0.0
    for (source, prefix), one in zip(asked, found, strict=True):
        expected = next_word(model, memory_of(model, source), FRENCH, prefix)
        numbers = np.frombuffer(base64.b64decode(one["numbers"]), dtype="<f4")
        furthest = max(furthest, float(np.abs(np.exp(numbers) - expected.exp().numpy()).max()))
    print(f"probabilities differ by at most {furthest:.1e}")
    assert furthest < 1e-5


@pytest.mark.parametrize("sentence", ["the queen reads the letter .", "the zebra sleeps ."])
def test_a_typed_sentence_is_searched_in_the_page(
    typist: Visit, model: EncoderDecoder, sentence: str
) -> None:
    page = typist.page
    type_in(page, TREE, sentence)
    expected = tree_of(model, sentence, 3)
    order = tree_picture.ranked(expected, 1.0)
    words = [[w for w in FRENCH.decode(expected.tokens(n)) if w != EOS] for n in order]
    assert results(page) == [" ".join(one) for one in words]
    assert page.locator(f"{TREE} .s2b-node").count() == len(expected.nodes)
    assert typist.faults() == []


def test_the_penalty_ranks_anew_without_asking(typist: Visit, model: EncoderDecoder) -> None:
    page = typist.page
    # long and hard: there short results and long ones are found
    sentence = "the woman sells the red car because it is old and the children do not sleep ."
    page.locator(f"{TREE} select:visible").nth(1).select_option(label="5")
    type_in(page, TREE, sentence)
    expected = tree_of(model, sentence, 5)
    orders = set()
    for penalty in (0, 1, 2):
        slide(page, TREE, "Length penalty", penalty)
        page.wait_for_timeout(50)
        order = tree_picture.ranked(expected, penalty)
        orders.add(tuple(order))
        words = [[w for w in FRENCH.decode(expected.tokens(n)) if w != EOS] for n in order]
        assert results(page) == [" ".join(one) for one in words]
    assert len(orders) > 1
    slide(page, TREE, "Length penalty", 1)
    page.locator(f"{TREE} select:visible").nth(1).select_option(label="3")
    assert typist.faults() == []


def test_steps_grow_the_tree_and_a_box_is_read_by_keyboard(typist: Visit) -> None:
    page = typist.page
    type_in(page, TREE, "the small cat sleeps .")
    shown = page.locator(f"{TREE} .s2b-node:not(.s2b-off)")
    whole = shown.count()
    page.get_by_role("button", name="First step").click()
    page.wait_for_timeout(50)
    assert shown.count() == 3
    page.get_by_role("button", name="Step forward").click()
    page.wait_for_timeout(50)
    assert shown.count() == 12
    page.locator(f"{TREE} .s2b-target[tabindex='0']").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(50)
    assert re.match(r"Word 2: le \S+: log p", page.locator(f"{TREE} .s2b-readout").inner_text())
    page.get_by_role("button", name="Whole tree").click()
    page.wait_for_timeout(50)
    assert shown.count() == whole


def test_the_table_holds_what_the_picture_shows(typist: Visit, model: EncoderDecoder) -> None:
    page = typist.page
    type_in(page, TREE, "the queen sleeps .")
    page.locator(f"{TREE} .s2b-twin").evaluate("fold => { fold.open = true }")
    until(page, f"document.querySelector('{TREE} .s2b-twin tbody')")
    rows = page.locator(f"{TREE} .s2b-twin tbody tr")
    expected = tree_of(model, "the queen sleeps .", 3)
    assert rows.count() == len(expected.nodes)
    first = rows.first.locator("td").all_inner_texts()
    assert first[1] == tree_picture.minus(expected.nodes[0].log_prob, 3)


def column(page: Page, place: int) -> list[str]:
    return page.locator(
        f"{BARS} .s2b-bars tbody tr:not([hidden]) td:nth-child({place})"
    ).all_inner_texts()


def test_words_are_written_by_choosing_them_and_sliders_change_what_may_come(
    typist: Visit, model: EncoderDecoder
) -> None:
    page = typist.page
    sentence = "the king saw the birds of the garden ."
    type_in(page, BARS, sentence)
    prefix: list[str] = []
    for word in ("le", "roi", "a"):
        page.locator(f"{BARS} .s2b-next", has_text=re.compile(f"^{word}$")).click()
        prefix.append(word)
        until(
            page,
            f"document.querySelectorAll('{BARS} .s2b-out-word').length === {len(prefix)}"
            f" && !document.querySelector('{BARS}[aria-busy]')",
        )
    said = next_word(model, memory_of(model, sentence.split()), FRENCH, prefix)
    order = bars.likeliest(said.tolist())
    labels = [bars.word_label(FRENCH.tokens[place]) for place in order]
    assert page.locator(f"{BARS} .s2b-next").all_inner_texts() == labels
    assert column(page, 2)[:20] == [bars.percent(math.exp(float(said[n]))) for n in order]
    slide(page, BARS, "Temperature", 2)
    slide(page, BARS, "Top-p", 0.6)
    page.wait_for_timeout(50)
    after = top_p(top_k(with_temperature(said.double(), 2), len(said)), 0.6)
    wanted = [bars.percent(math.exp(float(after[n]))) for n in order]
    assert column(page, 3)[:20] == [w if w != "0 %" else "✕ left out" for w in wanted]
    count = int((after > -math.inf).sum())
    assert page.locator(f"{BARS} .s2b-facts").inner_text().startswith(f"{count} of {len(FRENCH)}")
    page.get_by_role("button", name="Draw 100").click()
    assert sum(int(n) for n in column(page, 4)) == 100
    assert typist.faults() == []


@pytest.mark.parametrize(
    "visit", [{"viewport": {"width": 390, "height": 844}, "has_touch": True}], indirect=True
)
def test_on_a_phone_wide_trees_scroll_inside_and_targets_are_large(visit: Visit) -> None:
    page = visit.open(PAGE)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    box = page.locator(f"{TREE} .s2b-tree-box")
    assert box.evaluate("box => box.scrollWidth > box.clientWidth")
    for selector in (f"{TREE} .s2b-target", f"{BARS} .s2b-next", f"{BARS} .s2b-range"):
        height = page.locator(selector).first.evaluate("e => e.getBoundingClientRect().height")
        assert height >= 23.9, selector
    font = page.locator(f"{TREE} input.s2b-input").evaluate(
        "e => parseFloat(getComputedStyle(e).fontSize)"
    )
    assert font >= 16


@pytest.mark.parametrize("visit", [{"java_script_enabled": False}], indirect=True)
def test_without_scripts_there_is_a_picture_and_its_numbers(visit: Visit) -> None:
    page = visit.open(PAGE, live=False)
    assert page.locator(f"{TREE} svg.s2b-tree").is_visible()
    assert page.locator(f"{TREE} .s2b-results li").count() == 3
    assert page.locator(f"{BARS} svg").is_visible()
    stored = json.loads(page.locator("#s2b-widget-state").inner_text())
    assert {one["module"] for one in stored.values()} == {"beamtree", "distribution"}
