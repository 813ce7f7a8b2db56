"""One row of one record is trained again and must land where the record says.

Which row is decided by the day, so that all come round; `RECORD_ROW=5 make test-records` chooses
one. Numbers need not be equal: a training that rounds differently ends elsewhere. How far is
stated by the run (`TOLERANCE`).
"""

import datetime
import importlib
import os
import sys

import pytest

from seq2bert import corpus, evaluation, runs

sys.path.insert(0, str(runs.runs_folder()))

ROWS = [
    (path.stem, index)
    for path in sorted(runs.runs_folder().glob("*.json"))
    for index in range(len(runs.load(path.stem).rows))
]


def chosen() -> tuple[str, int]:
    turn = int(os.environ.get("RECORD_ROW", datetime.date.today().toordinal()))
    return ROWS[turn % len(ROWS)]


def value(row: dict, path: str) -> float:
    for key in path.split("."):
        row = row[key]
    return row


def test_there_are_records():
    assert ROWS


def test_a_row_trained_again_lands_within_its_tolerance():
    name, index = chosen()
    run = importlib.import_module(name)
    stored = runs.load(name).rows[index]
    print(f"{name}, row {index}: {[stored[key] for key in run.KEYS]}")
    fresh = run.row(*(stored[key] for key in run.KEYS))
    for path, tolerance in run.TOLERANCE.items():
        if path.split(".")[-1] not in value(stored, path.rpartition(".")[0]):
            continue  # a model without attention has no alignment error
        assert value(fresh, path) == pytest.approx(value(stored, path), abs=tolerance), path


WEIGHTS = [
    (path.stem, row)
    for path in sorted(runs.runs_folder().glob("*.json"))
    for row in runs.load(path.stem).rows
    if "weights" in row
]


@pytest.mark.parametrize(("name", "row"), WEIGHTS, ids=lambda value: str(value)[:20])
def test_stored_weights_give_the_numbers_of_their_row(name, row):
    """Rounding to half precision may move a sentence or two in a thousand."""
    run = importlib.import_module(name)
    model = run.MAKERS[row["variant"]](len(run.ENGLISH), len(run.FRENCH))
    runs.load_weights(model, row["weights"])
    pairs = corpus.pairs("test", run.PAIRS["test"])
    report = evaluation.report(model, pairs, run.ENGLISH, run.FRENCH)
    assert report["exact"] == pytest.approx(row["test"]["exact"], abs=0.005)
    assert report["aer"] == pytest.approx(row["test"]["aer"], abs=0.005)
