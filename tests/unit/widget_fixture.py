"""What the TypeScript tests read: stored widgets, and what Python says about it.

`python tests/unit/widget_fixture.py` writes the file; `test_widgets.py` fails when it is stale.
"""

from __future__ import annotations

import base64
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from seq2bert import pictures
from seq2bert.attention_map import AttentionMap, Cells
from seq2bert.labels import label, shown, text_width
from seq2bert.metrics import score_alignment
from seq2bert.palette import level
from seq2bert.widgets.stored import encode_maps

PATH = Path(__file__).parents[2] / "book/frontend/tests/fixture.json"

# the vocabularies of the two axes share no token; '10' and '2' would change places if sorted
QUERIES = ("la", "10", "2", "dort", "la", "b", "a", "und", "voiture", "s'", "z", "<eos>")
KEYS = ("the", "sleeps", "100", "20", "the", "car", ".")

PLANTED = (3, 1)
"""The one bright cell: query *dort*, key *sleeps*."""

TOKENS = (
    "",
    " ",
    "a\nb",
    "l'",
    "W.M.",
    "été",
    "e\u0301te\u0301",
    "Donaudampfschifffahrtsgesellschaft",
    "שלום",
    "مرحبا",
    "注意力",
    "👩\u200d👩\u200d👧",
    "👍🏽" * 12,
    "<script>alert(1)</script>",
    "\x00\x1b",
)


def planted_map() -> AttentionMap:
    """Dim everywhere, bright in one cell; two layers of two heads, of which only one has it."""
    weights = np.full((2, 2, len(QUERIES), len(KEYS)), 1 / len(KEYS), dtype=np.float32)
    query, key = PLANTED
    weights[1, 0, query] = 0.005
    weights[1, 0, query, key] = 0.97
    return AttentionMap(
        weights=weights,
        query_tokens=QUERIES,
        key_tokens=KEYS,
        kind="cross",
        sure=frozenset({PLANTED, (8, 5)}),
        possible=frozenset({(9, 1)}),
    )


def small_map() -> AttentionMap:
    """A second map of another shape, so that offsets matter; one row attends to nothing."""
    weights = np.array([[0.25, 0.75], [0, 0], [1, 0]], dtype=np.float32)
    return AttentionMap(
        weights=weights, query_tokens=("x", "y", "z"), key_tokens=("u", "v"), kind="encoder"
    )


def scored_maps() -> dict[str, AttentionMap]:
    """Maps of one head with gold: a tie, a row of zeros, links that are only possible."""
    ties = np.array(
        [[0.1, 0.8, 0.1, 0.0], [0.4, 0.1, 0.4, 0.1], [0.0, 0.0, 0.0, 0.0], [0.2, 0.1, 0.1, 0.6]],
        dtype=np.float32,
    )
    return {
        "two for one": AttentionMap(
            weights=ties,
            query_tokens=("le", "chat", "ne", "dort"),
            key_tokens=("the", "cat", "not", "sleeps"),
            kind="cross",
            sure=frozenset({(0, 0), (1, 1), (3, 3)}),
            possible=frozenset({(2, 2), (0, 1)}),
        ),
        "all sure": AttentionMap(
            weights=np.array([[1, 0], [0.25, 0.75]], dtype=np.float32),
            query_tokens=("il", "dort"),
            key_tokens=("he", "sleeps"),
            kind="cross",
            sure=frozenset({(0, 0), (1, 1)}),
        ),
    }


MARKS: tuple[tuple[tuple[int, int], ...], ...] = (
    (),
    ((0, 0), (1, 1), (3, 3)),
    ((0, 1), (2, 2)),
    ((0, 0), (0, 1), (1, 3), (3, 3)),
)
"""What readers might mark in the first of `scored_maps`."""


def scores(attention: AttentionMap, links: Cells) -> dict[str, Any]:
    """What Python says about some links."""
    score = score_alignment(links, attention.sure, attention.possible)
    return {
        "predicted": score.predicted,
        "sure": score.sure,
        "hitsSure": score.hits_sure,
        "hitsPossible": score.hits_possible,
        "errorRate": score.error_rate,
        "errorRateSure": score.error_rate_sure,
    }


def exercise() -> dict[str, Any]:
    """The state of an exercise, and the scores of its readers and of its model."""
    maps = scored_maps()
    records, weights = encode_maps(maps)
    first = next(iter(maps.values()))
    return {
        "maps": records,
        "weights": base64.b64encode(weights).decode(),
        "hidden": [pictures.describe_hidden(attention) for attention in maps.values()],
        "model": [
            {
                "links": sorted(attention.argmax()),
                "score": scores(attention, attention.argmax()),
            }
            for attention in maps.values()
        ],
        "readers": [{"marks": marks, "score": scores(first, frozenset(marks))} for marks in MARKS],
    }


def build() -> dict[str, Any]:
    """The content of the file."""
    maps = {"planted": planted_map(), "small": small_map()}
    records, weights = encode_maps(maps)
    return {
        "maps": records,
        "weights": base64.b64encode(weights).decode(),
        "planted": {"layer": 1, "head": 0, "query": PLANTED[0], "key": PLANTED[1], "text": "0.97"},
        "layouts": [
            asdict(pictures.layout(attention.query_tokens, attention.key_tokens))
            for attention in (*maps.values(),)
        ],
        "odd_layout": asdict(pictures.layout(TOKENS, TOKENS[::-1])),
        "descriptions": [
            pictures.describe(maps["planted"], 1, 0),
            pictures.describe(maps["small"]),
        ],
        "tokens": [
            {
                "token": token,
                "shown": shown(token),
                "label": label(token),
                "width": round(text_width(token), 6),
            }
            for token in TOKENS
        ],
        "exercise": exercise(),
        "levels": [
            {"weight": weight, "level": level(weight), "text": pictures.two_digits(weight)}
            for weight in (0.0, 0.004, 0.005, 0.125, 0.145, 0.5, 0.625, 0.994, 0.995, 1.0)
        ],
    }


def as_text() -> str:
    """The file, letter by letter."""
    return json.dumps(build(), indent=1, ensure_ascii=True) + "\n"


if __name__ == "__main__":
    PATH.write_text(as_text(), encoding="utf-8")
    print(PATH)
