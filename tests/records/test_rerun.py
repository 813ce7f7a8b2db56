"""One row of one record is trained again and must land where the record says.

Which row is decided by the day, so that all come round; `RECORD_ROW=5 make test-records` chooses
one. Numbers need not be equal: a training that rounds differently ends elsewhere. How far is
stated by the run (`TOLERANCE`).

A row takes minutes. `make test` therefore trains only up to its first check, on all of its data
and with the whole schedule, and compares the validation loss there; `make test-records` (and the
weekly workflow) trains it to its end. `RECORD_SHARE` says how much. Stored weights are judged in
the same way: one file in turn, or all of them.
"""

import datetime
import importlib
import os
import sys
from functools import partial

import pytest
import torch

from seq2bert import corpus, evaluation, runs, training

sys.path.insert(0, str(runs.runs_folder()))

ROWS = [
    (path.stem, index)
    for path in sorted(runs.runs_folder().glob("*.json"))
    for index in range(len(runs.load(path.stem).rows))
]


SHARE = float(os.environ.get("RECORD_SHARE", 1))
# A loss falls so fast at first that rounding alone moves it by a third; other models or settings
# are further away (`test_the_check_of_a_part_tells_variants_apart`).
LOSS_TOLERANCE = 0.5


TURN = int(os.environ.get("RECORD_ROW", datetime.date.today().toordinal()))


def chosen() -> tuple[str, int]:
    return ROWS[TURN % len(ROWS)]


def value(row: dict, path: str) -> float:
    for key in path.split("."):
        row = row[key]
    return row


def test_there_are_records():
    assert ROWS


def mark(row: dict, share: float = SHARE) -> dict:
    """The check of a row at which a training of this share of it ends."""
    checks = row["valid_loss"]
    return checks[max(1, round(share * len(checks))) - 1]


def test_a_row_trained_again_lands_within_its_tolerance(monkeypatch):
    name, index = chosen()
    run = importlib.import_module(name)
    stored = runs.load(name).rows[index]
    keys = [stored[key] for key in run.KEYS]
    if SHARE < 1:
        end = mark(stored)
        fit = partial(training.fit, after_check=lambda _, check: check.step >= end["step"])
        monkeypatch.setattr(training, "fit", fit)
        torch.set_num_threads(1)
        _, history = run.train(*keys, run.data())
        found = history[-1].valid_loss
        print(f"{name}, {keys}, step {end['step']}: loss {found}, was {end['loss']}")
        assert history[-1].step == end["step"]
        assert found == pytest.approx(end["loss"], rel=LOSS_TOLERANCE)
        return
    fresh = run.row(*keys)
    print(f"{name}, {keys}: {fresh}")
    for path, tolerance in run.TOLERANCE.items():
        if path.split(".")[-1] not in value(stored, path.rpartition(".")[0]):
            continue  # a model without attention has no alignment error
        assert value(fresh, path) == pytest.approx(value(stored, path), abs=tolerance), path


def test_the_check_of_a_part_tells_variants_apart():
    """What a part of a training is held against is no number that any model would reach."""
    rows = runs.load("bahdanau").rows
    losses = {
        kind: [mark(row, share=1 / 12)["loss"] for row in rows if row["variant"] == kind]
        for kind in ("fixed context", "query with word")
    }
    assert min(losses["fixed context"]) > (1 + LOSS_TOLERANCE) * max(losses["query with word"])


WEIGHTS = [
    (path.stem, row)
    for path in sorted(runs.runs_folder().glob("*.json"))
    for row in runs.load(path.stem).rows
    if "weights" in row
]
JUDGED = WEIGHTS if SHARE == 1 else [WEIGHTS[TURN % len(WEIGHTS)]]


@pytest.mark.parametrize(("name", "row"), JUDGED, ids=lambda value: str(value)[:20])
def test_stored_weights_give_the_numbers_of_their_row(name, row, capsys):
    """Rounding to half precision may move a sentence or two in a thousand."""
    run = importlib.import_module(name)
    model = run.model_of(row)
    runs.load_weights(model, row["weights"])
    pairs = corpus.pairs("test", run.PAIRS["test"])
    align = "aer" in row["test"]
    # where weights need not sum to 1, the run has a way of its own to read them as links
    own = getattr(run, "alignment", None)
    report = evaluation.report(model, pairs, run.ENGLISH, run.FRENCH, align and own is None)
    if align and own is not None:
        report |= own(model, pairs)
    kind = ", ".join(str(row[key]) for key in run.KEYS)
    with capsys.disabled():
        print(f"\n{name}, {kind}: what rounding the weights to half precision changes")
        for measure in ("exact", "bleu", "aer", "aer_sure"):
            if measure in report:
                print(f"  {measure:<9} {row['test'][measure]:.4f} -> {report[measure]:.4f}")
    assert report["exact"] == pytest.approx(row["test"]["exact"], abs=0.005)
    if align:
        assert report["aer"] == pytest.approx(row["test"]["aer"], abs=0.005)
