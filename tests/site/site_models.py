"""The models that the site runs, in torch, with the rounded weights that the site has."""

import importlib
import sys

from seq2bert import runs

sys.path.insert(0, str(runs.runs_folder()))
run = importlib.import_module("bahdanau")
MODELS = {
    "query with word": "bahdanau.query-with-word",
    "published query": "bahdanau.published-query",
}


def model_of(title: str):
    """A model by the title that the widget shows."""
    model = run.MAKERS[title](len(run.ENGLISH), len(run.FRENCH))
    runs.load_weights(model, MODELS[title])
    return model
