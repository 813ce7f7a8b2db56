"""The browser computes what torch computes, number for number.

The engine that the site ships is asked in a real Chromium, without the widget around it; torch
holds the same rounded weights. Then the rounding itself: what half precision changes.
"""

import base64
import importlib
import json
import random
import sys

import numpy as np
import pytest
import torch

from conftest import SITE, Visit
from seq2bert import corpus, decoding, runs
from seq2bert.batching import make_batches
from seq2bert.tracing import trace
from seq2bert.translator import Interventions

sys.path.insert(0, str(runs.runs_folder()))
run = importlib.import_module("bahdanau")
TOLERANCE = 1e-5
MODELS = {
    "query with word": "bahdanau.query-with-word",
    "published query": "bahdanau.published-query",
}


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


def model_of(title: str):
    model = run.MAKERS[title](len(run.ENGLISH), len(run.FRENCH))
    runs.load_weights(model, MODELS[title])
    return model


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
    const { answer, map, weights } = await asked.translate(request);
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


def compare(visit: Visit, title: str, requests: list[dict]) -> dict[str, float]:
    """Assert that tokens are equal; the largest differences of all numbers."""
    model = model_of(title)
    expected = [
        trace(
            model,
            request["source"],
            run.ENGLISH,
            run.FRENCH,
            prefix=request["prefix"],
            width=request["width"],
            interventions=Interventions(
                scale=request["scale"], temperature=request["temperature"]
            ),
        )
        for request in requests
    ]
    largest = {"log-probability": 0.0, "attention": 0.0, "score": 0.0}
    answers = ask(visit, title, requests, expected)
    for request, one, found in zip(requests, expected, answers, strict=True):
        tokens = [step["token"] for step in found["answer"]["steps"]]
        assert tokens == [step.token for step in one.steps], request
        assert [h[0] for h in found["answer"]["hypotheses"]] == [list(h[0]) for h in one.hypotheses]
        weights = floats(found["weights"]).reshape(found["shape"])
        differences = {
            "attention": np.abs(weights - one.attention["cross"].numpy()).max(),
            "score": max(
                abs(mine[1] - theirs[1])
                for mine, theirs in zip(found["answer"]["hypotheses"], one.hypotheses, strict=True)
            ),
            "log-probability": max(
                abs(floats(text)[run.FRENCH.encode([token])[0]] - log_prob)
                for text, step in zip(found["logProbs"], one.steps, strict=True)
                for token, log_prob in step.alternatives
            ),
        }
        for name, difference in differences.items():
            largest[name] = max(largest[name], float(difference))
    return largest


@pytest.mark.parametrize("title", MODELS)
def test_tokens_are_equal_and_numbers_agree(visit: Visit, title: str, capsys):
    sources = [pair.source for pair in corpus.pairs("test", 200)] + odd_sentences()
    assert len(sources) == 250
    largest = compare(visit, title, [request_of(source) for source in sources])
    with capsys.disabled():
        print(f"\n{title}, 250 sentences, largest differences: {json.dumps(largest)}")
    assert max(largest.values()) <= TOLERANCE
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
    assert max(compare(visit, "query with word", requests).values()) <= TOLERANCE
