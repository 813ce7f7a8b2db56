"""What the TypeScript tests of decoding read: searches and distributions, as Python computes them.

`python tests/unit/decoding_fixture.py` writes the file; `test_decoding_fixture.py` fails when it is
stale.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from seq2bert import bars, tree_picture
from seq2bert.labels import label
from seq2bert.sampling import top_k, top_p, with_temperature
from seq2bert.search_tree import grow
from seq2bert.table_model import TableModel
from seq2bert.vocabulary import Vocabulary

PATH = Path(__file__).parents[2] / "book/frontend/tests/decoding.json"
WORDS = Vocabulary(["a", "bb", "mmm"])
WIDTHS = (1, 2, 3, 5)
LIMIT = 4
PENALTIES = (0.0, 0.7, 1.0, 2.0)
RULES = (
    (1.0, 0, 1.0),
    (0.0, 0, 1.0),
    (0.5, 0, 1.0),
    (2.0, 4, 1.0),
    (1.0, 0, 0.8),
    (1.5, 6, 0.9),
    (3.0, 2, 0.3),
    (0.05, 1, 0.05),
)
"""Temperature, k (0 keeps all), p."""


def tables() -> list[torch.Tensor]:
    """Log-probabilities of tables: some by chance, one with ties, one where much is impossible."""
    impossible = [WORDS.pad, WORDS.bos, WORDS.unk]
    found = []
    for seed in range(3):
        generator = torch.Generator().manual_seed(seed)
        logits = 2 * torch.randn(len(WORDS), len(WORDS), generator=generator)
        logits[:, impossible] = -math.inf
        found.append(logits.log_softmax(-1))
    ties = torch.zeros(len(WORDS), len(WORDS))
    ties[:, impossible] = -math.inf
    found.append(ties.log_softmax(-1))
    only = torch.full((len(WORDS), len(WORDS)), -math.inf)
    (a,) = WORDS.encode(["a"])
    only[:, WORDS.eos] = only[WORDS.bos, a] = 0.0
    found.append(only.log_softmax(-1))
    return found


def tree(log_probs: torch.Tensor, width: int) -> dict[str, Any]:
    """A search, its layout, and its results under some penalties."""
    model = TableModel(log_probs)
    memory = model.encode(torch.ones(1, 1, dtype=torch.long), torch.ones(1, 1, dtype=torch.bool))
    grown = grow(model, memory, WORDS, width, LIMIT)
    # ranked as the widget has them: with six digits, which decide between what is nearly equal
    nodes = tuple(replace(node, log_prob=round(node.log_prob, 6)) for node in grown.nodes)
    grown = replace(grown, nodes=nodes)
    labels = [label(tree_picture.box_label(WORDS.tokens[n.token])) for n in grown.nodes]
    place = tree_picture.layout(grown, labels)
    return {
        "width": width,
        "nodes": [[n.parent, WORDS.tokens[n.token], n.log_prob, int(n.kept)] for n in grown.nodes],
        "found": list(grown.found),
        "ranked": [tree_picture.ranked(grown, penalty) for penalty in PENALTIES],
        "scores": [
            [round(grown.score(n, p), 6) for n in tree_picture.ranked(grown, p)] for p in PENALTIES
        ],
        "spots": [list(spot) for spot in place.spots],
        "size": [place.width, place.height, place.wide, place.across, place.steps],
    }


def distributions() -> list[dict[str, Any]]:
    """Distributions, and what the rules make of them."""
    generator = torch.Generator().manual_seed(7)
    rounded = (3 * torch.randn(40, generator=generator)).round(decimals=0)  # with ties
    found = []
    for logits in (3 * torch.randn(40, generator=generator), rounded, torch.zeros(5)):
        log_probs = logits.log_softmax(-1)
        rules = []
        for temperature, k, p in RULES:
            double = with_temperature(log_probs.double(), temperature)
            changed = top_p(top_k(double, k or len(logits)), p)
            rules.append(
                {
                    "temperature": temperature,
                    "k": k,
                    "p": p,
                    "probabilities": [round(x, 9) for x in changed.exp().tolist()],
                    "staying": int((changed > -math.inf).sum()),
                    "entropy": round(bars.entropy(changed.tolist()), 6),
                }
            )
        found.append({"log_probs": [round(x, 9) for x in log_probs.tolist()], "rules": rules})
    return found


def build() -> dict[str, Any]:
    """The content of the file."""
    return {
        "words": list(WORDS.tokens),
        "limit": LIMIT,
        "penalties": PENALTIES,
        "searches": [
            {
                "table": [[x if x > -math.inf else None for x in row] for row in table.tolist()],
                "trees": [tree(table, width) for width in WIDTHS],
            }
            for table in tables()
        ],
        "distributions": distributions(),
        "percents": [
            {"probability": p, "text": bars.percent(p)} for p in (0.0, 0.0002, 0.05, 0.5, 0.9999, 1)
        ],
    }


def as_text() -> str:
    """The file, letter by letter."""
    return json.dumps(build(), ensure_ascii=True) + "\n"


if __name__ == "__main__":
    PATH.write_text(as_text(), encoding="utf-8")
    print(PATH.name)
