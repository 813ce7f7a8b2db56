"""What the TypeScript tests of the corpus explorer read: stored pairs, and what Python says.

`python tests/unit/explorer_fixture.py` writes the file; `test_explorer.py` fails when it is stale.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from seq2bert import corpus, link_picture
from seq2bert.widgets import CorpusExplorer

PATH = Path(__file__).parents[2] / "book/frontend/tests/explorer.json"

SENTENCES = (
    "the boy does not sleep .",
    "the red car stops .",
    "the king reads the letter when the queen reads the small books .",
    "does the bird sleep ?",
    "I see the bird .",
)


def some_pairs() -> list[corpus.Pair]:
    """Five pairs that every test knows by heart."""
    return [corpus.translate(text.split()) for text in SENTENCES]


def content() -> dict[str, Any]:
    """The file's content."""
    pairs = some_pairs()
    state = CorpusExplorer(pairs).get_state()
    layouts = [link_picture.layout(pair.source, pair.target) for pair in pairs]
    typed, _ = CorpusExplorer(pairs).ask("translate", {"source": ["the", "car", "is", "old", "."]})
    return {
        "state": {name: state[name] for name in ("pairs", "spans", "phenomena")},
        "layouts": [
            {
                "width": place.width,
                "source": [[word.x, word.width] for word in place.source],
                "target": [[word.x, word.width] for word in place.target],
            }
            for place in layouts
        ],
        "height": link_picture.HEIGHT,
        "counts": [link_picture.counts(pair) for pair in pairs],
        "typed": typed,
    }


if __name__ == "__main__":
    PATH.write_text(json.dumps(content(), ensure_ascii=False, indent=1) + "\n", encoding="utf8")
