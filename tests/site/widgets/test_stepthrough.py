"""Step through on the built site: the reader's sentence, every state, without a kernel.

The browser is compared with torch holding the same rounded weights: states and cosines agree to
1e-5, dot products (whose size is about 30) to 1e-5 of their size.
"""

import numpy as np
import pytest
from playwright.sync_api import Page

from conftest import SITE, Visit, until
from seq2bert import corpus, runs
from seq2bert.encoder_decoder import EncoderDecoder
from seq2bert.stepping import Walk, walk
from seq2bert.vocabulary import Vocabulary

PAGE = "book/seq2seq/encoder_decoder"
VIEW = ".s2b-stepthrough"
STORED = "encoder_decoder.gru"
TOLERANCE = 1e-5
ENGLISH, FRENCH = Vocabulary(corpus.ENGLISH_WORDS), Vocabulary(corpus.FRENCH_WORDS)

ASK = """
async ({ engine, onnx, subject, requests, vectors, width }) => {
  const { BrowserEngine, Loader } = await import(engine);
  const places = { runtime: engine, models: new URL('../models/', engine).href };
  const asked = new BrowserEngine(new Loader(places, () => import(onnx)), subject, () => {});
  const bytes = Uint8Array.from(vectors);
  const head = { offset: 0, width, vectors: new DataView(bytes.buffer) };
  const found = [];
  for (const request of requests) {
    const { answer, buffers } = await asked.ask('steps', { ...request, head });
    const numbers = new Float32Array(buffers[0].buffer);
    found.push({ answer, numbers: [...numbers] });
  }
  return found;
}
"""


@pytest.fixture(scope="module")
def model() -> EncoderDecoder:
    """The model that the site runs, with the rounded weights that the site has."""
    made = EncoderDecoder(len(ENGLISH), len(FRENCH))
    runs.load_weights(made, STORED)
    return made


def ask(visit: Visit, model: EncoderDecoder, requests: list[dict]) -> list[dict]:
    """What the shipped engine answers."""
    visit.page.goto(f"{visit.address}/book/reference/notation.html")
    (engine,) = (SITE / "_static" / "frontend").glob("engine-*.js")
    (onnx,) = (SITE / "_static" / "frontend").glob("onnx-*.js")
    vectors = model.word_vectors.detach().numpy().astype("<f2")
    return visit.page.evaluate(
        ASK,
        {
            "engine": f"{visit.address}/_static/frontend/{engine.name}",
            "onnx": f"{visit.address}/_static/frontend/{onnx.name}",
            "subject": {
                "models": [
                    {
                        "title": "GRU",
                        "stored": {"name": STORED, "files": runs.stored_files(STORED)},
                    }
                ],
                "sourceWords": list(ENGLISH.tokens),
                "targetWords": list(FRENCH.tokens),
            },
            "requests": requests,
            "vectors": list(vectors.tobytes()),
            "width": vectors.shape[1],
        },
    )


def numbers_of(found: Walk) -> np.ndarray:
    """(token, what it is compared by) of all words of all steps: dot, cosine, log-probability."""
    return np.array(
        [
            [word.dot, word.cosine, word.log_prob]
            for moment in found.moments
            for word in (moment.written, *moment.best, moment.nearest)
        ]
    )


def words_of(answer: dict) -> list[list]:
    return [
        word
        for moment in answer["moments"]
        for word in (moment["written"], *moment["best"], moment["nearest"])
    ]


def test_states_and_similarities_are_those_of_torch(visit: Visit, model: EncoderDecoder, capsys):
    requests = [
        {"source": list(pair.source), "model": 0, "prefix": []} for pair in corpus.pairs("test", 12)
    ]
    requests.append({"source": ["the", "zebra", "🙂"], "model": 0, "prefix": ["elle", "jamais"]})
    states, similar = [], []
    for request, got in zip(requests, ask(visit, model, requests), strict=True):
        expected = walk(model, request["source"], ENGLISH, FRENCH, prefix=request["prefix"])
        answer = got["answer"]
        read = [moment["read"] for moment in answer["moments"]]
        assert read == [moment.read for moment in expected.moments]
        tokens = [
            word.token
            for moment in expected.moments
            for word in (moment.written, *moment.best, moment.nearest)
        ]
        assert [word[0] for word in words_of(answer)] == tokens
        both = np.concatenate([expected.encoder.numpy(), expected.decoder.numpy()])
        states.append(np.abs(np.array(got["numbers"]) - both.ravel()).max())
        numbers = np.array([word[1:] for word in words_of(answer)])
        # a dot product of 30 has no more than seven digits in single precision
        scale = np.maximum(1, np.abs(numbers_of(expected)))
        similar.append((np.abs(numbers - numbers_of(expected)) / scale).max())
    with capsys.disabled():
        print(
            f"\nlargest difference of states {max(states):.1e}, of similarities {max(similar):.1e}"
        )
    assert max(states) <= TOLERANCE
    assert max(similar) <= TOLERANCE
    assert visit.faults() == []


def type_in(page: Page, text: str) -> None:
    """Type a sentence and wait until what stands below belongs to it."""
    page.locator(f"{VIEW} input.s2b-input").first.fill(text)
    until(page, f"!document.querySelector('{VIEW}:is([aria-busy], .s2b-stale)')", 60)


def translation(page: Page) -> list[str]:
    """The words that the rows of the decoder say were written."""
    rows = page.locator(f"{VIEW} .s2b-part").nth(1).locator(".s2b-state-word").all_text_contents()
    return [row.split(" → ")[1] for row in rows[1:]]


def test_what_the_reader_types_walks_through_the_model_in_the_page(
    visit: Visit, model: EncoderDecoder
):
    page = visit.open(PAGE)
    assert not [url for url in visit.requests if ".onnx" in url or "onnxruntime" in url]
    for pair in corpus.pairs("valid", 3):
        type_in(page, " ".join(pair.source))
        assert translation(page) == [*walk(model, pair.source, ENGLISH, FRENCH).tokens, "end"]
    assert visit.faults() == []


def test_steps_can_be_walked_by_keyboard_and_another_word_chosen(
    visit: Visit, model: EncoderDecoder
):
    page = visit.open(PAGE)
    type_in(page, "the red car is old .")
    view = page.locator(VIEW).first
    view.locator(".s2b-slider").focus()
    page.keyboard.press("Home")
    assert "encoder reads the" in view.locator(".s2b-readout").inner_text()
    for _ in range(7):
        page.keyboard.press("ArrowRight")
    assert "reads <bos> and writes la" in view.locator(".s2b-readout").inner_text()
    other = view.locator(".s2b-choose").nth(1)
    word = other.inner_text()
    other.focus()
    page.keyboard.press("Enter")
    until(page, f"document.querySelector('{VIEW} .s2b-readout').textContent.includes('{word}')")
    source = ["the", "red", "car", "is", "old", "."]
    expected = walk(model, source, ENGLISH, FRENCH, prefix=[word])
    assert translation(page) == [*expected.tokens, "end"]
    assert visit.faults() == []


def test_odd_sentences_are_shown_as_text(visit: Visit):
    page = visit.open(PAGE)
    for text in ("<script>alert(1)</script>", "שלום 🙂 the", "the"):
        type_in(page, text)
        assert page.locator(f"{VIEW} script").count() == 0
    type_in(page, "the zebra sleeps .")
    assert "zebra" in page.locator(f"{VIEW} .s2b-note").first.inner_text()
    page.locator(f"{VIEW} input.s2b-input").first.fill("the " * 61)
    assert "61 words" in page.locator(f"{VIEW} .s2b-status").first.inner_text()
    assert visit.faults() == []


@pytest.mark.parametrize(
    "visit", [{"viewport": {"width": 390, "height": 844}}], indirect=True, ids=["phone"]
)
def test_on_a_phone_nothing_is_wider_than_the_page_and_targets_are_large_enough(visit: Visit):
    page = visit.open(PAGE)
    type_in(page, "the woman sells the red car because it is old .")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    sizes = page.evaluate(
        f"""[...document.querySelectorAll("{VIEW} :is(button, select, input, summary)")]
            .map((e) => e.getBoundingClientRect()).filter((r) => r.width > 0)
            .map((r) => [r.width, r.height])"""
    )
    assert min(min(size) for size in sizes) >= 24
    assert visit.faults() == []


@pytest.mark.parametrize("visit", [{"reduced_motion": "reduce"}], indirect=True, ids=["reduced"])
def test_whoever_wants_no_motion_is_offered_none(visit: Visit):
    page = visit.open(PAGE)
    assert not page.locator(f"{VIEW} .s2b-play").first.is_visible()
    assert page.locator(f"{VIEW} .s2b-slider").first.is_visible()
