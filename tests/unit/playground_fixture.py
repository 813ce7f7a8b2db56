"""What the TypeScript tests of the playground read, as Python computes it.

`python tests/unit/playground_fixture.py` writes the file; `test_playground.py` fails when it is
stale.
"""

import json
from pathlib import Path
from typing import Any

from seq2bert import plane_picture
from seq2bert.widgets import Playground
from seq2bert.widgets.playground import DISTRIBUTIONS, ENERGIES

PATH = Path(__file__).parents[2] / "book/frontend/tests/playground.json"
CASES = (
    ([1.5, 0.5], [[1.0, 1.0], [-1.0, 1.2], [0.4, -1.5]], [True, True, True], 1.0),
    ([0.0, 0.0], [[0.0, 0.0], [3.0, -3.0]], [True, True], 1.0),
    (
        [-2.7, 1.1],
        [[0.3, 2.9], [0.3, 2.9], [-1.0, 0.0], [2.2, 1.0]],
        [True, True, False, True],
        4.0,
    ),
    ([1.0, -1.0], [[1.0, 1.0]], [False], 1.0),
    (
        [3.0, 3.0],
        [[3.0, 3.0], [-3.0, -3.0], [1.0, 2.0], [0.1, 0.1], [2.0, -2.0], [0.5, 3.0]],
        [True] * 6,
        8.0,
    ),
    ([1.2, 0.4], [[0.8, 0.2], [2.6, 1.4], [-1.0, 0.5]], [True, True, True], 0.0),
)
"""Query, keys, which of them are allowed, scale."""


def outcomes(query: Any, keys: Any, allowed: Any, scale: float) -> list[dict[str, Any]]:
    """What every energy with every distribution makes of a case."""
    widget = Playground(query, keys, scale=scale)
    widget.allowed = allowed
    found = []
    for energy in ENERGIES:
        for distribution in DISTRIBUTIONS:
            widget.energy, widget.distribution = energy, distribution
            found.append(
                {
                    "energy": energy,
                    "distribution": distribution,
                    "energies": widget.energies.tolist(),
                    "weights": widget.weights.tolist(),
                    "context": widget.context.tolist(),
                }
            )
    return found


def build() -> dict[str, Any]:
    """Everything that the tests need."""
    state = Playground()
    return {
        "parameters": state.parameters,
        "formulas": state.formulas,
        "settings": state.settings,
        "reach": plane_picture.REACH,
        "cases": [
            {"query": q, "keys": k, "allowed": a, "scale": s, "outcomes": outcomes(q, k, a, s)}
            for q, k, a, s in CASES
        ],
        "numbers": [
            {
                "number": n,
                "signed": plane_picture.signed(n),
                "weight": plane_picture.weight_text(abs(n)),
            }
            for n in (0.0, -0.001, -1.5, 0.3, 0.004, 2.0)
        ],
    }


def as_text() -> str:
    """The file, letter by letter."""
    return json.dumps(build(), ensure_ascii=True) + "\n"


if __name__ == "__main__":
    PATH.write_text(as_text(), encoding="utf-8")
    print(PATH.name)
