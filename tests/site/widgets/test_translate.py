"""Translate and align on the built site: the reader's sentence, without a kernel."""

import json
import re

import pytest
import torch
from playwright.sync_api import Page
from site_models import MODELS, model_of, run

from conftest import ROOT, Visit, until
from seq2bert import corpus, runs
from seq2bert.tracing import trace
from seq2bert.translator import Interventions

PAGE = "book/attention/bahdanau"
VIEW = ".s2b-translate"
ODD = (
    "the zebra reads .",
    "🙂 🙂 .",
    "שלום the king sleeps .",
    "<script>alert(1)</script>",
    "the",
    ".",
    "the the the the the .",
    "king the sleeps not does",
    " ".join(["the king sleeps and"] * 10),
)


def until_written(page: Page, word: str) -> None:
    """Wait until a word stands in the translation."""
    until(
        page,
        f"document.querySelector('{VIEW}')?.querySelector('.s2b-out')?.textContent.includes('{word}')",
    )


def until_said(page: Page, text: str) -> None:
    """Wait until the status line holds a text."""
    until(
        page,
        f"document.querySelector('{VIEW}')?.querySelector('.s2b-status').textContent.includes('{text}')",
    )


def shown_words(text: str) -> list[str]:
    """The words of a sentence as they are drawn; marks stand by themselves."""
    return re.findall(r"\w+|[.,;:!?]|[^\s\w.,;:!?]+", text)


def words(page: Page) -> list[str]:
    """Return the translation that stands on the page."""
    found = page.locator(f"{VIEW} .s2b-out-word").all_inner_texts()
    return found[:-1] if found and found[-1] == "end" else found


def type_in(page: Page, text: str) -> None:
    """Type a sentence and wait until what stands below belongs to it."""
    page.locator(f"{VIEW} input.s2b-input").fill(text)
    until(page, f"!document.querySelector('{VIEW}:is([aria-busy], .s2b-stale)')")


def table(page: Page) -> list[list[float]]:
    """The table of the weights, opened if it is not."""
    page.locator(f"{VIEW} .s2b-twin").evaluate("fold => { fold.open = true }")
    until(page, f"document.querySelector('{VIEW} .s2b-twin tbody')")
    return page.locator(f"{VIEW} .s2b-twin").evaluate(
        """(fold) => [...fold.querySelectorAll("tbody tr")].map(
            (row) => [...row.querySelectorAll("td")].map((cell) => +cell.textContent))"""
    )


def test_what_the_reader_types_is_translated_by_the_model_in_the_page(visit: Visit):
    page = visit.open(PAGE)
    assert not [url for url in visit.requests if ".onnx" in url or "onnxruntime" in url]
    model = model_of("query with word")
    for pair in corpus.pairs("valid", 5):
        type_in(page, " ".join(pair.source))
        expected = trace(model, pair.source, run.ENGLISH, run.FRENCH)
        assert words(page) == list(expected.tokens)
        weights = expected.attention["cross"][0, 0]
        assert torch.allclose(torch.tensor(table(page)), weights, atol=0.00501)
    assert visit.faults() == []


@pytest.mark.parametrize("text", ODD)
def test_odd_sentences_are_answered_and_shown_as_text(typist: Visit, text: str):
    page = typist.page
    type_in(page, text)
    page.locator(f"{VIEW} .s2b-twin").evaluate("fold => { fold.open = true }")
    source = f"document.querySelector('{VIEW}').querySelectorAll('.s2b-twin thead th').length"
    until(page, f"{source} === {len(shown_words(text))}")
    assert page.locator(f"{VIEW} script").count() == 0
    if "zebra" in text:
        assert "zebra" in page.locator(f"{VIEW} .s2b-note").inner_text()
    assert typist.faults() == []


def test_nothing_and_too_much_end_in_one_sentence_and_the_picture_stays(typist: Visit):
    page = typist.page
    before = words(page)
    field = page.locator(f"{VIEW} input.s2b-input")
    field.fill("")
    assert "Type a sentence" in page.locator(f"{VIEW} .s2b-status").inner_text()
    field.fill("the " * 500)
    assert "500 words" in page.locator(f"{VIEW} .s2b-status").inner_text()
    assert words(page) == before
    assert typist.faults() == []


def test_another_word_can_be_chosen_and_is_let_go_again(typist: Visit):
    page = typist.page
    type_in(page, "the woman sells the red car because it is old .")
    before = words(page)
    page.locator(f"{VIEW} .s2b-out-word").nth(before.index("elle")).click()
    other = page.locator("bdi", has_text=re.compile(r"^il$"))
    page.locator(f"{VIEW} .s2b-candidate").filter(has=other).click()
    until_written(page, "vieux")
    assert words(page)[: before.index("elle")] == before[: before.index("elle")]
    page.get_by_role("button", name="Let it choose").click()
    until_written(page, "vieille")
    assert words(page) == before
    assert typist.faults() == []


def test_a_beam_and_its_energies_are_those_of_torch(typist: Visit):
    page = typist.page
    pair = corpus.pairs("valid", 3)[2]
    type_in(page, " ".join(pair.source))
    page.locator(f"{VIEW} label", has_text="Search").locator("select").select_option("beam of 4")
    page.locator(f"{VIEW} label", has_text="Energies").locator("select").select_option(index=2)
    until(page, f"document.querySelector('{VIEW} .s2b-beam li')")
    until(page, f"!document.querySelector('{VIEW}:is([aria-busy], .s2b-stale)')")
    expected = trace(
        model_of("query with word"),
        pair.source,
        run.ENGLISH,
        run.FRENCH,
        width=4,
        interventions=Interventions(scale=0.5),
    )
    assert words(page) == list(expected.tokens)
    beam = page.locator(f"{VIEW} .s2b-beam li bdi").all_inner_texts()
    assert beam == [" ".join(tokens) for tokens, _ in expected.hypotheses]


def test_a_link_restores_what_was_asked(visit: Visit):
    visit.page.goto(f"{visit.address}/{PAGE}.html#translate?s=the+king+sleeps+.&m=1&w=2")
    until_written(visit.page, "roi")
    assert words(visit.page) == ["le", "roi", "dort", "."]
    model = visit.page.locator(f"{VIEW} label", has_text="Model").locator("select")
    assert model.evaluate("s => s.selectedOptions[0].textContent") == "published query"
    assert visit.faults() == []


@pytest.mark.parametrize("missing", ["onnxruntime-", "safetensors", "step.onnx", "onnx-*.js"])
def test_what_cannot_be_loaded_is_named_and_the_picture_stays(visit: Visit, missing: str):
    visit.context.route(f"**/*{missing}*", lambda route: route.abort())
    page = visit.open(PAGE)
    before = words(page)
    page.locator(f"{VIEW} input.s2b-input").fill("the king sleeps .")
    status = page.locator(f"{VIEW} .s2b-status")
    until_said(page, "off for now")
    assert "could not be loaded" in status.inner_text()
    assert words(page) == before
    visit.context.unroute(f"**/*{missing}*")
    page.locator(VIEW).get_by_role("button", name="Try again").click()
    if missing == "onnx-*.js":
        return  # a browser remembers that a module could not be had until the page is loaded anew
    until_written(page, "roi")
    assert words(page) == ["le", "roi", "dort", "."]


def test_a_file_that_is_cut_short_is_noticed(visit: Visit):
    def cut(route):
        body = (runs.runs_folder() / "bahdanau.query-with-word.safetensors").read_bytes()
        route.fulfill(body=body[:1000], content_type="application/octet-stream")

    visit.context.route("**/*query-with-word.safetensors*", cut)
    page = visit.open(PAGE)
    page.locator(f"{VIEW} input.s2b-input").fill("the king sleeps .")
    until_said(page, "did not arrive whole")


def test_twenty_edits_in_a_second_end_with_the_last(visit: Visit):
    page = visit.open(PAGE)
    type_in(page, "the king sleeps .")
    field = page.locator(f"{VIEW} input.s2b-input")
    for number in range(20):
        field.fill(
            "the queen sleeps ." if number == 19 else "the king sleeps and " * (number % 5 + 1)
        )
    until_written(page, "reine")
    assert words(page) == ["la", "reine", "dort", "."]
    assert page.locator(f"{VIEW} [role=grid]").count() == 1
    assert visit.faults() == []


def test_a_policy_that_forbids_webassembly_is_named_and_the_picture_stays(visit: Visit):
    def forbid(route):
        answer = route.fetch()
        assert "'wasm-unsafe-eval'" in answer.text()
        route.fulfill(response=answer, body=answer.text().replace("'wasm-unsafe-eval'", ""))

    visit.context.route(f"**/{PAGE}.html", forbid)
    page = visit.open(PAGE)
    before = words(page)
    page.locator(f"{VIEW} input.s2b-input").fill("the king sleeps .")
    until_said(page, "does not let WebAssembly run")
    assert words(page) == before


def test_a_slow_model_says_how_far_it_is_and_the_last_sentence_counts(visit: Visit):
    waiting = []
    visit.context.route("**/*query-with-word.safetensors*", lambda route: waiting.append(route))
    page = visit.open(PAGE)
    before = words(page)
    field = page.locator(f"{VIEW} input.s2b-input")
    field.fill("the king sleeps .")
    until_said(page, "Loading the translator")
    until(page, f"document.querySelector('{VIEW}[aria-busy]')")
    field.fill("the queen sleeps .")
    assert words(page) == before
    page.wait_for_timeout(500)
    assert waiting
    for route in waiting:
        route.continue_()
    until_written(page, "reine")
    assert words(page) == ["la", "reine", "dort", "."]
    assert visit.faults() == []


def test_pasted_lines_become_one_sentence(typist: Visit):
    page = typist.page
    field = page.locator(f"{VIEW} input.s2b-input")
    field.fill("")
    field.evaluate(
        """(field) => {
          const data = new DataTransfer();
          data.setData('text/plain', 'the king\\r\\n  sleeps\\n.');
          field.focus();
          const paste = new ClipboardEvent('paste', {
            clipboardData: data, bubbles: true, cancelable: true,
          });
          if (field.dispatchEvent(paste)) throw new Error('nobody took the lines');
        }"""
    )
    assert field.input_value() == "the king sleeps ."
    until_written(page, "roi")
    assert words(page) == ["le", "roi", "dort", "."]
    assert typist.faults() == []


def test_five_views_on_a_page_share_one_model_and_one_runtime(visit: Visit):
    def repeat(route):
        answer = route.fetch()
        opening = r'<figure class="s2b-widget"[^>]*>(?=<figure[^>]*><div class="s2b s2b-translate)'
        (figure,) = re.findall(opening, answer.text())
        body = answer.text().replace(figure, f"{figure}</figure>" * 4 + figure, 1)
        route.fulfill(response=answer, body=body)

    visit.context.route(f"**/{PAGE}.html", repeat)
    page = visit.open(PAGE)
    views = page.locator(VIEW)
    assert views.count() == 5
    views.nth(3).locator("input.s2b-input").fill("the queen sleeps .")
    for number in (0, 3, 4):
        until(
            page,
            f"document.querySelectorAll('{VIEW}')[{number}].querySelector('.s2b-out')"
            ".textContent.includes('reine')",
        )
    identities = page.evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(identities) == len(set(identities))
    loaded = [url for url in visit.requests if "onnxruntime" in url or "safetensors" in url]
    assert len(loaded) == 2
    assert visit.faults() == []


def test_who_comes_back_finds_the_page_as_it_was_left(visit: Visit):
    page = visit.open(PAGE)
    type_in(page, "the queen sleeps .")
    until_written(page, "reine")
    page.locator(f"{VIEW} .s2b-out-word").nth(1).click()
    page.wait_for_timeout(500)
    visit.open("book/intro")
    page.go_back(wait_until="load")
    until_written(page, "reine")
    assert words(page) == ["la", "reine", "dort", "."]
    assert page.locator(f"{VIEW} input.s2b-input").input_value() == "the queen sleeps ."
    pressed = page.locator(f"{VIEW} .s2b-out-word[aria-pressed=true]").all_inner_texts()
    assert pressed == ["reine"]
    type_in(page, "the king sleeps .")
    until_written(page, "roi")
    assert visit.faults() == []


def test_the_site_holds_the_very_models_that_the_page_names():
    notebook = json.loads((ROOT / f"{PAGE}.ipynb").read_text())
    state = notebook["metadata"]["widgets"]["application/vnd.jupyter.widget-state+json"]["state"]
    (widget,) = [m["state"] for m in state.values() if "models" in m["state"]]
    assert [m["title"] for m in widget["models"]] == list(MODELS)
    for model in widget["models"]:
        assert model["stored"]["files"] == runs.stored_files(model["stored"]["name"])
        assert sum(file["bytes"] for file in model["stored"]["files"]) <= 1_000_000
