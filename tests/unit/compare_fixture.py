"""What the TypeScript tests of the comparison read, as Python says and draws it.

`python tests/unit/compare_fixture.py` writes the file; `test_compare.py` fails when it is stale.
"""

from __future__ import annotations

import base64
import json
from dataclasses import replace
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
    alone = attention([[1, 0, 0], [0, 0, 0]], ("le", "chat"))
    return [
        one("sharp", REFERENCE, REFERENCE, attention(sharp, ended, **gold)),
        one("soft", ("un", "chat"), REFERENCE, attention(soft, ended, **gold)),
        one("both", (), REFERENCE, attention(soft, ended, **gold, possible=possible)),
        one("alone", ("le", "chat"), None, alone),
        one("silent", (), None, attention([[0, 0, 1]], ("<eos>",))),
        one("no links", REFERENCE, REFERENCE, attention(sharp, ended)),
    ]


def mixed() -> list[Compared]:
    """Models with several heads, the mean of them or one of them drawn, and without attention."""
    numbers = np.random.default_rng(0).dirichlet(np.ones(3), size=(2, 3, 4)).astype(np.float32)
    several = AttentionMap(numbers, (*REFERENCE, "<eos>"), SOURCE, "cross", sure=SURE)
    return [
        one("mean", REFERENCE, REFERENCE, several),
        one("first", REFERENCE, REFERENCE, several, (0, 0)),
        one("fifth", ("un", "chat"), REFERENCE, several, (1, 1)),
        one("single", REFERENCE, REFERENCE, replace(several, weights=numbers[:1, :1])),
        one("none, right", REFERENCE, REFERENCE, None),
        one("none, wrong", ("un", "chat"), REFERENCE, None),
        one("none, silent", (), None, None),
    ]


def one(title: str, written: tuple[str, ...], *others: Any) -> Compared:
    """One model and the sentence of the fixture."""
    return Compared(title, SOURCE, written, *others)


def build() -> dict[str, Any]:
    """The content of the file."""
    cases = compared() + mixed()
    there = {one.title: one.attention for one in cases if one.attention is not None}
    records, weights = encode_maps(there)
    places = {title: place for place, title in enumerate(there)}
    return {
        "maps": records,
        "weights": base64.b64encode(weights).decode(),
        "cases": [case(one, places.get(one.title)) for one in cases],
        "rows": [
            still_compare.rows_note(15, REFERENCE),
            still_compare.rows_note(1, REFERENCE),
            still_compare.rows_note(15, None),
            still_compare.rows_note(3, REFERENCE, 1),
            still_compare.rows_note(3, REFERENCE, 2),
            still_compare.rows_note(3, REFERENCE, 3),
        ],
        "caption": still_compare.CAPTION,
        "heads": still_compare.HEADS,
        "heads_mixed": still_compare.HEADS_MIXED,
        "choice": still_compare.CHOICE,
        "draws": still_compare.DRAWS,
        "no_picture_note": still_compare.no_picture_note("fixed"),
    }


def case(one: Compared, place: int | None) -> dict[str, Any]:
    """What is said and drawn of one model; `place` is that of its map."""
    said: dict[str, Any] = {
        "title": one.title,
        "map": place,
        "head": one.head,
        "written": one.written,
        "reference": one.reference,
        "error": one.error,
        "facts": one.facts,
        "writes": still_compare.writes_note(one),
        "cells": still_compare.cells(one),
        "cells_mixed": still_compare.cells(one, several=True),
        "drawn_note": still_compare.drawn_note(one),
        "name": still_compare.name_of(one),
        "no_picture": still_compare.no_picture(one),
    }
    if (drawn := one.drawn) is not None:
        squares = thumbnails.squares(drawn.head().tolist()).items()
        said["weights"] = drawn.head().tolist()
        said["squares"] = [[f"s2b-w{step}", path] for step, path in squares]
        said["gold"] = thumbnails.gold_outlines(drawn)
    return said


def as_text() -> str:
    """The file, letter by letter."""
    return json.dumps(build(), ensure_ascii=True) + "\n"


if __name__ == "__main__":
    PATH.write_text(as_text(), encoding="utf-8")
    print(PATH.name)
