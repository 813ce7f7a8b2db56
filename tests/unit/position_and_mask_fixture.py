"""What the TypeScript tests of the position explorer and the mask explorer read.

`python tests/unit/position_and_mask_fixture.py` writes the files; `test_position_explorer.py` and
`test_mask_explorer.py` fail when they are stale.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from seq2bert import mask_picture, position_picture, position_words
from seq2bert.widgets import MaskExplorer, PositionExplorer
from seq2bert.widgets.masks import ENERGIES, INVITATION, MOST_SENTENCES, MOST_WORDS, leak_says
from seq2bert.widgets.positions import BASES, HEADS, MOST_PLACES, MOST_WIDTH, SCHEMES
from seq2bert.word_numbers import word_numbers

FRONTEND = Path(__file__).parents[2] / "book/frontend/tests"
POSITIONS, MASKS = FRONTEND / "positions.json", FRONTEND / "masks.json"

SETTINGS: tuple[dict[str, Any], ...] = (
    {"width": 8, "length": 10},
    {"width": 20, "length": 12, "base": 100.0, "head": 8, "furthest": 8},
    {"width": 2, "length": 2, "base": 1.5, "head": 1, "furthest": 1},
    {"width": 6, "length": 9, "base": 100000.0, "head": 5, "furthest": 3},
    {"width": 7, "length": 5},
    {"width": 1, "length": 3},
)
TRAINED = {
    "table": [[0.02, -0.01, 0.004], [0.5, 0.25, -1.0], [0.0, 0.0, 3.0]],
    "bias": [-1.0, 0.5, 2.0, 0.0, -0.001],
}
NUMBERS = (0.0, 1e-15, -0.00391, 0.0999, 0.1, -0.256, 1.0, 9.994, -12.34, 123.4, -1e-4)

BATCHES: tuple[dict[str, Any], ...] = (
    {"sentences": ["the queen sees a small bird", "it sings"]},
    {"sentences": ["the queen sees a small bird", "it sings"], "causal": True},
    {"sentences": ["the queen sees a small bird", "it sings"], "padding": False},
    {"sentences": ["a b", "", "l'été où 🙂 ."], "padding": True, "causal": True, "window": 1},
    {"sentences": ["something"], "energy": ENERGIES[1]},
    {"sentences": ["we sleep", "the bird sings something"], "energy": ENERGIES[1], "window": 2},
)
SWITCHED = {0: [[1, 0, 0], [1, 0, 1], [0, 5, 5]], 3: [[0, 2, 2]]}


@contextmanager
def double() -> Iterator[None]:
    """TypeScript computes with 64 bits: so does Python here."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def outcome(widget: PositionExplorer) -> dict[str, Any]:
    """What the widget shows now."""
    vectors = widget.vectors
    names = ("scheme", "width", "length", "base", "head", "furthest")
    scores = widget.scores.tolist()
    return {
        "settings": {name: getattr(widget, name) for name in names},
        "places": widget.places,
        "vectors": None if vectors is None else vectors.tolist(),
        "scores": scores,
        "spread": position_words.spread(scores),
        "law": position_words.law(scores),
        "says": [[at, 0, widget.says(at, 0)] for at in range(min(3, widget.places))],
    }


def positions() -> dict[str, Any]:
    """Everything that the tests of the position explorer need."""
    state = PositionExplorer()
    trained = PositionExplorer("learned", **TRAINED)
    with double():
        cases = [
            outcome(PositionExplorer(scheme, **settings))
            for scheme in SCHEMES
            for settings in SETTINGS
        ]
        learned = [outcome(trained)]
        trained.scheme = "relative"
        learned.append(outcome(trained))
    return {
        "schemes": state.schemes,
        "parameters": state.parameters,
        "trained": trained.parameters,
        "cases": cases,
        "learned": learned,
        "numbers": [[number, position_words.number(number)] for number in NUMBERS],
        "limits": [MOST_PLACES, MOST_WIDTH, HEADS],
        "bases": list(BASES),
        "empty": position_picture.EMPTY,
        "ticks": [[n, list(position_picture.ticks(n))] for n in (1, 2, 9, 10, 32, 64, 512)],
        "profile_ticks": [[n, position_picture.profile_ticks(n)] for n in (2, 3, 16, 32)],
    }


def batch(number: int, settings: dict[str, Any]) -> dict[str, Any]:
    """What each sentence of a batch gives."""
    widget = MaskExplorer(**settings)
    widget.switched = SWITCHED.get(number, [])
    names = ("sentences", "padding", "causal", "window", "energy", "switched")
    found: dict[str, Any] = {"state": {name: getattr(widget, name) for name in names}, "shown": []}
    for sentence, text in enumerate(widget.sentences):
        widget.sentence, widget.changed = sentence, False
        words = text.split()
        shown = {
            "batch": widget.batch,
            "mask": widget.mask[sentence].tolist(),
            "weights": widget.weights[sentence].tolist(),
            "output": widget.output[sentence].tolist(),
            "moved": widget.moved.tolist(),
            "said": mask_picture.describe(widget._scene()),
        }
        if words:
            shown["leak"] = leak_says(words[-1], widget.moved[: len(words)].tolist())
        widget.changed = True
        shown |= {"changed": widget.batch, "changed_output": widget.output[sentence].tolist()}
        found["shown"].append(shown)
    return found


def masks() -> dict[str, Any]:
    """Everything that the tests of the mask explorer need."""
    words = ["queen", "", "été", "🙂", "<pad>", "a" * 300]
    return {
        "settings": MaskExplorer().settings,
        "cases": [batch(number, settings) for number, settings in enumerate(BATCHES)],
        "numbers": [
            {"word": word} | {role: word_numbers([word], role)[0].tolist() for role in ROLES}
            for word in words
        ],
        "energies": list(ENERGIES),
        "limits": [MOST_SENTENCES, MOST_WORDS],
        "invitation": INVITATION,
        "allowed": mask_picture.ALLOWED,
    }


ROLES = ("query", "key", "value")


def as_text(content: dict[str, Any]) -> str:
    """A file, letter by letter."""
    return json.dumps(content, ensure_ascii=True) + "\n"


if __name__ == "__main__":
    POSITIONS.write_text(as_text(positions()), encoding="utf-8")
    MASKS.write_text(as_text(masks()), encoding="utf-8")
    print(POSITIONS.name, MASKS.name)
