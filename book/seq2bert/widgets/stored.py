"""The stored form of a widget: how attention maps become state, and how they are read back.

The state of a heat map is a list of records (`maps`) and one run of float32 numbers (`weights`,
little-endian, C order, all maps one after another); `book/frontend/src/shared/state.ts` reads it.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from seq2bert.attention_map import AttentionMap, Kind

STATE_TYPE = "application/vnd.jupyter.widget-state+json"
BUNDLED = ("_esm", "_css")
"""What every widget's state repeats, and what the site and the package have as files."""


def encode_maps(maps: Mapping[str, AttentionMap]) -> tuple[list[dict[str, Any]], bytes]:
    """The records and the bytes of some maps, by title."""
    records: list[dict[str, Any]] = []
    runs: list[bytes] = []
    offset = 0
    for title, attention in maps.items():
        records.append(
            {
                "title": title,
                "kind": attention.kind,
                "shape": list(attention.shape),
                "offset": offset,
                "query_tokens": list(attention.query_tokens),
                "key_tokens": list(attention.key_tokens),
                "sure": [list(cell) for cell in sorted(attention.sure)],
                "possible": [list(cell) for cell in sorted(attention.possible)],
                "normalised": attention.normalised,
            }
        )
        runs.append(attention.weights.astype("<f4").tobytes(order="C"))
        offset += attention.weights.size
    return records, b"".join(runs)


def decode_maps(records: list[dict[str, Any]], weights: bytes) -> dict[str, AttentionMap]:
    """The maps of a state, by title: the exact inverse of `encode_maps`.

    Raises:
        ValueError: a map's weights are not all there, or do not fit its tokens.
    """
    numbers = np.frombuffer(weights, dtype="<f4")
    maps: dict[str, AttentionMap] = {}
    for record in records:
        shape = tuple(int(size) for size in record["shape"])
        start = int(record["offset"])
        end = start + int(np.prod(shape))
        if end > numbers.size:
            raise ValueError(
                f"map {record['title']!r} needs the weights {start} to {end - 1}, but only "
                f"{numbers.size} are stored; execute the notebook again"
            )
        maps[record["title"]] = AttentionMap(
            weights=numbers[start:end].reshape(shape),
            query_tokens=tuple(record["query_tokens"]),
            key_tokens=tuple(record["key_tokens"]),
            kind=cast(Kind, record["kind"]),
            sure=frozenset((query, key) for query, key in record["sure"]),
            possible=frozenset((query, key) for query, key in record["possible"]),
            normalised=bool(record.get("normalised", True)),
        )
    return maps


def strip_stored_state(notebook: Mapping[str, Any]) -> None:
    """Take the code and the styles of the front end out of a notebook's stored widgets, in place.

    They are the same for every widget and would go stale in the file; `_anywidget_id` stays and
    names the module that draws.
    """
    for model in _models(notebook).values():
        for name in BUNDLED:
            model.get("state", {}).pop(name, None)


def stored_maps(notebook: Mapping[str, Any]) -> dict[str, dict[str, AttentionMap]]:
    """The attention maps of a notebook's stored widgets: model id -> title -> map.

    Raises:
        ValueError: a widget with maps is stored without its weights, or they do not fit its tokens.
    """
    found: dict[str, dict[str, AttentionMap]] = {}
    for model_id, model in _models(notebook).items():
        state = model.get("state", {})
        if not (str(state.get("_anywidget_id", "")).startswith("seq2bert.") and "maps" in state):
            continue
        buffers = {tuple(buffer["path"]): buffer for buffer in model.get("buffers", [])}
        stored = buffers.get(("weights",))
        if stored is None or stored.get("encoding") != "base64":
            raise ValueError(
                f"widget {model_id} is stored without its weights; execute the notebook again "
                "with the widget state stored"
            )
        found[model_id] = decode_maps(state["maps"], base64.b64decode(stored["data"]))
    return found


def _models(notebook: Mapping[str, Any]) -> dict[str, Any]:
    widgets = notebook.get("metadata", {}).get("widgets", {})
    models: dict[str, Any] = widgets.get(STATE_TYPE, {}).get("state", {})
    return models
