"""The browser computes what torch computes, number for number.

The engine that the site ships is asked in a real Chromium, without the widget around it; torch
holds the same rounded weights. Tokens are equal; nearly all weights and log-probabilities agree to
1e-5. For the others single precision itself is about as far from double precision, in torch as in
the browser, and there the browser may be at most four times as far as torch is. (How far torch is
depends on the processor.)
"""

import base64
import copy
import random

import numpy as np
import pytest
import torch
from site_models import MODELS, model_of, run

from conftest import SITE, Visit
from seq2bert import corpus, runs
from seq2bert.tracing import Trace, trace
from seq2bert.translator import Interventions

TOLERANCE = 1e-5


def odd_sentences(count: int = 50) -> list[tuple[str, ...]]:
    """Sentences of no grammar: scrambled, cut, repeated, unknown words, marks, other scripts."""
    rng = random.Random(7)
    others = ("zebra", "🙂", "שלום", "<b>", "l'été", "<unk>", "<eos>", "🏳️‍🌈", "x" * 80, "…")
    pairs = corpus.pairs("valid", count)
    made: list[tuple[str, ...]] = [("the",), (".",), ("🙂",), ("the",) * 60, others]
    for pair in pairs[: count - len(made)]:
        words = list(pair.source)
        kind = len(made) % 5
        if kind == 0:
            rng.shuffle(words)
        elif kind == 1:
            words = words[: rng.randint(1, len(words))]
        elif kind == 2:
            words = words * 2
        elif kind == 3:
            words[rng.randrange(len(words))] = rng.choice(others)
        else:
            words = rng.choices(corpus.ENGLISH_WORDS, k=rng.randint(1, 30))
        made.append(tuple(words[:60]))
    return made


ASK = """
async ({ engine, onnx, subject, requests }) => {
  const { BrowserEngine, Loader } = await import(engine);
  const places = { runtime: engine, models: new URL('../models/', engine).href };
  const loader = new Loader(places, () => import(onnx));
  const asked = new BrowserEngine(loader, subject, () => {});
  const model = await loader.model(subject.models[0].stored.files, () => {});
  const text = (array) => {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    let out = '';
    for (let at = 0; at < bytes.length; at += 8192) {
      out += String.fromCharCode(...bytes.subarray(at, at + 8192));
    }
    return btoa(out);
  };
  const found = [];
  for (const { request, ids, targets } of requests) {
    const { answer, map, buffers: [weights] } = await asked.ask("translate", request);
    // all log-probabilities of every step, along the tokens that torch wrote
    const reader = await model.read(ids, request);
    let state = reader.start();
    const logProbs = [];
    for (const token of targets) {
      const stepped = await reader.step([token], state);
      state = stepped.state;
      logProbs.push(text(stepped.logProbs[0]));
    }
    found.push({ answer, shape: map.shape, weights: text(weights), logProbs });
  }
  return found;
}
"""


def floats(text: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), dtype="<f4")


def ask(visit: Visit, title: str, requests: list[dict], expected: list) -> list[dict]:
    """What the shipped engine answers."""
    page = visit.page
    page.goto(f"{visit.address}/book/reference/notation.html")
    (engine,) = (SITE / "_static" / "frontend").glob("engine-*.js")
    (onnx,) = (SITE / "_static" / "frontend").glob("onnx-*.js")
    stored = {"name": MODELS[title], "files": runs.stored_files(MODELS[title])}
    bos = run.FRENCH.encode(["<bos>"])
    sent = [
        {
            "request": request,
            "ids": run.ENGLISH.encode(request["source"]),
            "targets": [*bos, *run.FRENCH.encode([s.token for s in one.steps])][:-1],
        }
        for request, one in zip(requests, expected, strict=True)
    ]
    return page.evaluate(
        ASK,
        {
            "engine": f"{visit.address}/_static/frontend/{engine.name}",
            "onnx": f"{visit.address}/_static/frontend/{onnx.name}",
            "subject": {
                "models": [{"title": title, "stored": stored}],
                "sourceWords": list(run.ENGLISH.tokens),
                "targetWords": list(run.FRENCH.tokens),
            },
            "requests": sent,
        },
    )


def request_of(source, width=1, scale=1.0, temperature=1.0, prefix=()) -> dict:
    return {
        "source": list(source),
        "model": 0,
        "prefix": list(prefix),
        "width": width,
        "temperature": temperature,
        "scale": scale,
    }


@torch.no_grad()
def replay(model, source, trace_: Trace, changes: Interventions) -> tuple[np.ndarray, np.ndarray]:
    """Each step along the tokens of a trace: log-probabilities (step, vocabulary), and weights."""
    ids = torch.tensor([run.ENGLISH.encode(source)])
    memory = model.encode(ids, torch.ones_like(ids, dtype=torch.bool), changes)
    state = model.start(memory)
    rows, weights = [], []
    for token in run.FRENCH.encode(["<bos>", *(step.token for step in trace_.steps)])[:-1]:
        row, state, attention = model.step(torch.tensor([token]), state, memory, changes)
        rows.append(row[0].numpy())
        weights.append(attention["cross"][0, :, :, 0].numpy())
    return np.stack(rows), np.stack(weights, axis=2)


class Differences:
    """How far the browser is from torch: attention, and log-probabilities of every word."""

    def __init__(self) -> None:
        self.attention: list[np.ndarray] = []
        self.scores: list[float] = []
        self.log_probs: list[np.ndarray] = []
        # from double precision: log-probabilities, weights
        self.browser: list[tuple[float, float]] = []
        self.torch: list[tuple[float, float]] = []

    def check(self) -> None:
        """Assert what this book promises."""
        assert max(self.scores) <= TOLERANCE
        assert (np.concatenate(self.attention) <= TOLERANCE).mean() >= 0.999
        for browser, torch_ in zip(
            zip(*self.browser, strict=True), zip(*self.torch, strict=True), strict=True
        ):
            assert max(browser) <= max(TOLERANCE, 4 * max(torch_))

    def __str__(self) -> str:
        every = np.concatenate(self.log_probs)
        return (
            f"largest difference of weights {np.concatenate(self.attention).max():.1e}, of scores "
            f"{max(self.scores):.1e}; of {len(every)} log-probabilities "
            f"{(every <= TOLERANCE).mean():.1%} within 1e-5, the largest difference "
            f"{every.max():.1e}; from double precision (log-probabilities, weights) torch is "
            f"{_largest(self.torch)} away, the browser {_largest(self.browser)}"
        )


def _largest(distances: list[tuple[float, float]]) -> str:
    return ", ".join(f"{max(kind):.1e}" for kind in zip(*distances, strict=True))


def compare(visit: Visit, title: str, requests: list[dict]) -> Differences:
    """Assert that tokens are equal, and collect the differences of all numbers."""
    model = model_of(title)
    exact = copy.deepcopy(model).double()
    changes = [Interventions(scale=r["scale"], temperature=r["temperature"]) for r in requests]
    expected = [
        trace(
            model,
            request["source"],
            run.ENGLISH,
            run.FRENCH,
            prefix=request["prefix"],
            width=request["width"],
            interventions=change,
        )
        for request, change in zip(requests, changes, strict=True)
    ]
    answers = ask(visit, title, requests, expected)
    found = Differences()
    for request, change, one, answer in zip(requests, changes, expected, answers, strict=True):
        tokens = [step["token"] for step in answer["answer"]["steps"]]
        assert tokens == [step.token for step in one.steps], request
        hypotheses = answer["answer"]["hypotheses"]
        assert [h[0] for h in hypotheses] == [list(h[0]) for h in one.hypotheses]
        weights = floats(answer["weights"]).reshape(answer["shape"])
        found.attention.append(np.abs(weights - one.attention["cross"].numpy()).ravel())
        found.scores += [
            abs(mine[1] - theirs[1])
            for mine, theirs in zip(hypotheses, one.hypotheses, strict=True)
        ]
        browser_ = np.stack([floats(text) for text in answer["logProbs"]])
        single, single_weights = replay(model, request["source"], one, change)
        double, double_weights = replay(exact, request["source"], one, change)
        # what is all but impossible is left out: no reader sees it
        seen = double > -15
        found.log_probs.append(np.abs(browser_ - single)[seen])
        for distances, numbers, given in (
            (found.browser, browser_, weights),
            (found.torch, single, single_weights),
        ):
            far = np.abs(numbers - double)[seen].max(), np.abs(given - double_weights).max()
            distances.append((float(far[0]), float(far[1])))
    return found


@pytest.mark.parametrize(
    ("title", "ordinary_count", "odd_count"),
    [("query with word", 200, 50), ("published query", 20, 5)],
)
def test_tokens_are_equal_and_numbers_agree(
    visit: Visit, title: str, ordinary_count: int, odd_count: int, capsys
):
    pairs = corpus.pairs("test", ordinary_count)
    ordinary = compare(visit, title, [request_of(pair.source) for pair in pairs])
    odd = compare(visit, title, [request_of(source) for source in odd_sentences(odd_count)])
    with capsys.disabled():
        print(
            f"\n{title}\n{ordinary_count} sentences of the corpus: {ordinary}"
            f"\n{odd_count} odd ones: {odd}"
        )
    for found in (ordinary, odd):
        found.check()
        every = np.concatenate(found.log_probs)
        assert (every <= TOLERANCE).mean() >= 0.95
    assert visit.faults() == []


def test_beams_prefixes_and_interventions_agree(visit: Visit):
    requests = [
        request_of(pair.source, width, scale, temperature, prefix)
        for pair in corpus.pairs("valid", 4)
        for width, scale, temperature, prefix in (
            (4, 1.0, 1.0, ()),
            (8, 0.5, 2.0, ()),
            (1, 0.0, 1.0, pair.target[:2]),
            (2, 4.0, 0.5, ("elle",)),
        )
    ]
    compare(visit, "query with word", requests).check()
