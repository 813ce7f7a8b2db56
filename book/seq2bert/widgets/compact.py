"""Sentence pairs in little room: how widgets store many of them."""

from __future__ import annotations

from typing import Any

from seq2bert.corpus import Pair


def short_pair(pair: Pair) -> list[Any]:
    """A pair as four entries: source, target, sure links, links that are only possible.

    Sentences are one text each, links one flat list of places (target, source, target, ...); the
    front end reads them in `book/frontend/src/shared/pairs.ts`.
    """
    sure, possible = sorted(pair.sure), sorted(pair.possible - pair.sure)
    flat = [[place for link in links for place in link] for links in (sure, possible)]
    return [" ".join(pair.source), " ".join(pair.target), *flat]
