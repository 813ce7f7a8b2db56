"""What the TypeScript tests of the comparison read, as Python says and draws it.

`python tests/unit/compare_fixture.py` writes the file; `test_compare.py` fails when it is stale.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np

from seq2bert import thumbnails
from seq2bert.attention_map import AttentionMap
from seq2bert.widgets import still_compare
from seq2bert.widgets.still_compare import Compared
from seq2bert.widgets.stored import encode_maps

PATH = Path(__file__).parents[2] / "book/frontend/tests/compare.json"

SOURCE = ("the", "cat", "sleeps")
REFERENCE = ("le", "chat", "dort")
SURE = frozenset({(0, 0), (1, 1), (2, 2)})


def attention(rows: list[list[float]], queries: tuple[str, ...], **gold: Any) -> AttentionMap:
    """A map of the sentence."""
    weights = np.array(rows, dtype=np.float32)
    return AttentionMap(weights, queries, SOURCE, "cross", normalised=False, **gold)


def compared() -> list[Compared]:
    """A right model, a wrong one, one with links that are only possible, two without truth."""
    ended = (*REFERENCE, "<eos>")
    sharp = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]]
    soft = [[0.2, 0.5, 0.3], [0.1, 0.6, 0.3], [0.3, 0.3, 0.4], [0.9, 0.9, 0.004]]
    possible = frozenset({(0, 1)})
    gold = {"sure": SURE}
    return [
        Compared("sharp", REFERENCE, REFERENCE, attention(sharp, ended, **gold)),
        Compared("soft", ("un", "chat"), REFERENCE, attention(soft, ended, **gold)),
        Compared("both", (), REFERENCE, attention(soft, ended, **gold, possible=possible)),
        Compared("alone", ("le", "chat"), None, attention([[1, 0, 0], [0, 0, 0]], ("le", "chat"))),
        Compared("silent", (), None, attention([[0, 0, 1]], ("<eos>",))),
        Compared("no links", REFERENCE, REFERENCE, attention(sharp, ended)),
    ]


def build() -> dict[str, Any]:
    """The content of the file."""
    cases = compared()
    records, weights = encode_maps({one.title: one.attention for one in cases})
    return {
        "maps": records,
        "weights": base64.b64encode(weights).decode(),
        "cases": [
            {
                "title": one.title,
                "written": one.written,
                "reference": one.reference,
                "error": one.error,
                "facts": one.facts,
                "writes": still_compare.writes_note(one),
                "cells": still_compare.cells(one),
                "squares": [
                    [f"s2b-w{step}", path]
                    for step, path in thumbnails.squares(one.attention.head().tolist()).items()
                ],
                "gold": thumbnails.gold_outlines(one.attention),
            }
            for one in cases
        ],
        "rows": [
            still_compare.rows_note(15, REFERENCE),
            still_compare.rows_note(1, REFERENCE),
            still_compare.rows_note(15, None),
        ],
        "caption": still_compare.CAPTION,
        "heads": still_compare.HEADS,
    }


def as_text() -> str:
    """The file, letter by letter."""
    return json.dumps(build(), ensure_ascii=True) + "\n"


if __name__ == "__main__":
    PATH.write_text(as_text(), encoding="utf-8")
    print(PATH.name)
