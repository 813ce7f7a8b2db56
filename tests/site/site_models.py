"""The models that the site runs, in torch, with the rounded weights that the site has."""

import importlib
import sys

from torch import nn

from seq2bert import runs

sys.path.insert(0, str(runs.runs_folder()))
run = importlib.import_module("bahdanau")
MODELS = {
    "query with word": "bahdanau.query-with-word",
    "published query": "bahdanau.published-query",
}


def stored_model(weights: str) -> nn.Module:
    """The model of a run whose weights have this name (`<run>.<which>`)."""
    name = weights.partition(".")[0]
    (row,) = runs.load(name).select(weights=weights)
    model = importlib.import_module(name).model_of(row)
    runs.load_weights(model, weights)
    return model


def model_of(title: str) -> nn.Module:
    """A model of chapter 2.1 by the title that the widget shows."""
    return stored_model(MODELS[title])
