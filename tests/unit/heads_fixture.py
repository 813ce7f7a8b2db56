"""What the TypeScript tests of the head explorer read, as Python says it.

`python tests/unit/heads_fixture.py` writes the file; `test_head_explorer.py` fails when it is
stale.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np

from seq2bert.attention_map import AttentionMap, Kind
from seq2bert.widgets import still_heads
from seq2bert.widgets.still_heads import Count, Head
from seq2bert.widgets.stored import encode_maps

PATH = Path(__file__).parents[2] / "book/frontend/tests/heads.json"

SOURCE, TARGET = ("the", "cat", "sleeps"), ("le", "chat", "dort", "<eos>")


def maps() -> dict[Kind, AttentionMap]:
    """Three kinds with different numbers of layers and heads: a tie, and a head without weights."""
    encoder = np.full((2, 2, 3, 3), 1 / 3, dtype=np.float32)
    encoder[1, 0] = np.eye(3, dtype=np.float32)[::-1]
    encoder[1, 1] = [[0.2, 0.5, 0.3], [0.5, 0.3, 0.2], [0.1, 0.4, 0.5]]
    decoder = np.zeros((1, 3, 4, 4), dtype=np.float32)
    decoder[0, 0] = np.tril(np.ones((4, 4))) / np.arange(1, 5)[:, None]
    decoder[0, 1] = np.eye(4, dtype=np.float32)
    cross = np.full((2, 2, 4, 3), 1 / 3, dtype=np.float32)
    cross[0, 1] = [[0.9, 0.05, 0.05], [0.0, 1.0, 0.0], [0.0, 0.004, 0.996], [0.1, 0.1, 0.8]]
    return {
        "encoder": AttentionMap(encoder, SOURCE, SOURCE, "encoder"),
        "decoder": AttentionMap(decoder, TARGET, ("<bos>", *TARGET[:-1]), "decoder"),
        "cross": AttentionMap(cross, TARGET, SOURCE, "cross", frozenset({(0, 0), (1, 1), (2, 2)})),
    }


OFF: tuple[tuple[Head, ...], ...] = (
    (),
    (("cross", 0, 1),),
    (("encoder", 1, 0), ("decoder", 0, 2), ("cross", 1, 1)),
)
COUNTS: tuple[tuple[Count, bool], ...] = (
    ({"right": 49, "whole": 49, "total": 50}, False),
    ({"right": 41, "whole": 49, "total": 50}, True),
    ({"right": 0, "whole": 1, "total": 1}, True),
)


def build() -> dict[str, Any]:
    """The content of the file."""
    found = maps()
    records, weights = encode_maps({str(kind): one for kind, one in found.items()})
    return {
        "maps": records,
        "weights": base64.b64encode(weights).decode(),
        "strongest": [
            [kind, layer, head, still_heads.strongest(one, layer, head)]
            for kind, one in found.items()
            for layer in range(one.shape[0])
            for head in range(one.shape[1])
        ],
        "off": [[off, still_heads.off_note(off, 11)] for off in OFF],
        "counts": [[count, off, still_heads.count_note(count, off)] for count, off in COUNTS],
        "names": [still_heads.head_name(layer, head) for layer, head in ((0, 0), (1, 3))],
        "titles": [still_heads.kind_title(one) for one in found.values()],
        "caption": still_heads.CAPTION,
        "columns": still_heads.HEADS,
    }


def as_text() -> str:
    """The file, letter by letter."""
    return json.dumps(build(), ensure_ascii=True) + "\n"


if __name__ == "__main__":
    PATH.write_text(as_text(), encoding="utf-8")
    print(PATH.name)
