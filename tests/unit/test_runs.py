"""Recorded runs: what they store, and when they are no longer current."""

import hashlib
import importlib
import json
import sys

import pytest
import torch

from seq2bert import runs
from seq2bert.provenance import code_hash
from seq2bert.recurrent import Sizes, with_attention

RECORDS = sorted(path.stem for path in runs.runs_folder().glob("*.json"))


def make_record(**changes):
    fields = {
        "name": "toy",
        "command": "make runs RUN=toy",
        "code": "0" * 64,
        "settings": {"epochs": 2},
        "machine": runs.this_machine(),
        "rows": [{"seed": 0, "exact": 0.5}, {"seed": 1, "exact": 0.6}],
    }
    return runs.Record(**(fields | changes))


def test_a_record_comes_back_as_it_was_saved(tmp_path):
    record = make_record()
    path = record.save(tmp_path)
    assert runs.load("toy", tmp_path) == record
    assert json.loads(path.read_text())["rows"][1]["exact"] == 0.6


def test_rows_are_selected_by_their_fields():
    assert make_record().select(seed=1) == [{"seed": 1, "exact": 0.6}]
    with pytest.raises(ValueError, match="no row with"):
        make_record().select(seed=2)


def test_a_missing_record_names_those_that_there_are(tmp_path):
    make_record().save(tmp_path)
    with pytest.raises(ValueError, match=r"no record 'other'.*there are: toy"):
        runs.load("other", tmp_path)


def test_weights_come_back_rounded_to_half_precision(tmp_path):
    model, other = (with_attention(20, 20, Sizes(8, 8, 8)) for _ in range(2))
    digest = runs.save_weights(model, "w", tmp_path)
    runs.load_weights(other, "w", tmp_path)
    assert digest == hashlib.sha256((tmp_path / "w.safetensors").read_bytes()).hexdigest()
    for mine, theirs in zip(model.parameters(), other.parameters(), strict=True):
        assert torch.equal(mine.half().float(), theirs)
    assert not other.training


def test_weights_above_the_limit_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"the limit is 1,000,000"):
        runs.save_weights(with_attention(4000, 4000), "w", tmp_path)


def test_missing_weights_say_what_makes_them(tmp_path):
    with pytest.raises(ValueError, match="make runs"):
        runs.load_weights(with_attention(20, 20), "none", tmp_path)


def test_every_script_has_its_record_and_every_record_its_script():
    assert RECORDS
    assert sorted(path.stem for path in runs.runs_folder().glob("*.py")) == RECORDS


@pytest.mark.parametrize("name", RECORDS)
def test_every_record_was_made_by_the_code_as_it_is(name):
    record = runs.load(name)
    current = code_hash(runs.runs_folder() / f"{name}.py")
    assert record.code == current, f"the code has changed since; run: {record.command}"


@pytest.mark.parametrize("name", RECORDS)
def test_stored_weights_are_small_and_belong_to_a_row(name):
    told = {row["weights"]: row["sha256"] for row in runs.load(name).rows if "weights" in row}
    files = sorted(runs.runs_folder().glob(f"{name}.*.safetensors"))
    assert {path.stem for path in files} == set(told)
    for path in files:
        assert path.stat().st_size <= runs.LARGEST_WEIGHTS
        assert hashlib.sha256(path.read_bytes()).hexdigest() == told[path.stem]


def test_weights_of_another_shape_are_refused(tmp_path):
    runs.save_weights(with_attention(20, 20, Sizes(8, 8, 8)), "w", tmp_path)
    with pytest.raises(ValueError, match="another shape"):
        runs.load_weights(with_attention(21, 20, Sizes(8, 8, 8)), "w", tmp_path)


RUN = """
from pathlib import Path

HERE = Path(__file__)


def row(number, word):
    with HERE.with_name("calls.txt").open("a") as file:
        file.write(f"{number}\\n")
    if HERE.with_name("stop").is_file() and number == 2:
        raise KeyboardInterrupt
    return {"number": number, "word": word, "seconds": 0.0}
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A small run in a folder of its own, and how often its rows were made."""
    folder = tmp_path / "book" / "runs"
    folder.mkdir(parents=True)
    script = folder / "toy_run.py"
    script.write_text(RUN)
    monkeypatch.syspath_prepend(str(folder))
    sys.modules.pop("toy_run", None)
    return script


def carry_out(script, jobs):
    row = importlib.import_module("toy_run").row
    return runs.make(script, row, jobs, {"epochs": 1})


JOBS = [(0, "a"), (1, "b"), (2, "c")]


def test_a_run_collects_its_rows_in_the_order_of_the_jobs(run):
    record = carry_out(run, JOBS)
    assert [row["number"] for row in record.rows] == [0, 1, 2]
    assert (record.name, record.settings) == ("toy_run", {"epochs": 1})
    assert record.code == code_hash(run)
    assert not runs.unfinished(run, record.code).is_file()


def test_a_run_that_was_stopped_goes_on_where_it_was(run):
    run.with_name("stop").touch()
    with pytest.raises(KeyboardInterrupt):
        carry_out(run, JOBS)
    kept = runs.unfinished(run, code_hash(run))
    before = len(kept.read_text().splitlines())
    with kept.open("a") as file:
        file.write('{"job": "cut o')
    run.with_name("stop").unlink()
    run.with_name("calls.txt").unlink()
    record = carry_out(run, JOBS)
    assert [row["number"] for row in record.rows] == [0, 1, 2]
    assert len(run.with_name("calls.txt").read_text().split()) == len(JOBS) - before


def test_rows_of_other_code_are_not_taken_over(run):
    kept = runs.unfinished(run, code_hash(run))
    kept.write_text(json.dumps({"job": json.dumps(JOBS[0]), "row": {"number": 99}}) + "\n")
    run.write_text(RUN + "\n\nrow = row\n")
    assert carry_out(run, JOBS).rows[0]["number"] == 0
