"""What a record may be confirmed by: a row that is equal in every number but the clock's."""

import sys
from pathlib import Path

import pytest

from seq2bert import runs
from seq2bert.provenance import code_hash

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "book" / "_tools"))
from confirm import cheapest, commit_of, differences, keys_of

ROW = {
    "variant": "a",
    "seconds": 12.0,
    "milliseconds_per_step": 3.0,
    "test": {"exact": 0.5, "aer": 0.1},
    "valid_loss": [{"step": 1, "loss": 2.0}, {"step": 2, "loss": 1.0}],
}


def test_only_the_clock_may_differ():
    slower = ROW | {"seconds": 24.0, "milliseconds_per_step": 6.0}
    assert differences(ROW, slower) == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"test": {"exact": 0.5000001, "aer": 0.1}}, "test.exact: 0.5 became 0.5000001"),
        ({"test": {"exact": 0.5}}, "test: "),
        ({"valid_loss": ROW["valid_loss"][:1]}, "valid_loss: "),
        (
            {"valid_loss": [ROW["valid_loss"][0], {"step": 2, "loss": 1.5}]},
            "valid_loss[1].loss: 1.0 became 1.5",
        ),
    ],
)
def test_any_other_number_is_told(change, told):
    (found,) = differences(ROW, ROW | change)
    assert found.startswith(told)


def test_the_cheapest_row_with_all_measures_is_chosen():
    plain = {"seconds": 1.0, "test": {"exact": 0.5}}
    assert cheapest([plain, ROW, ROW | {"seconds": 6.0}]) == 2


def test_the_keys_of_a_row_are_what_its_script_takes():
    record = runs.load("bahdanau")
    row = record.rows[4]
    assert keys_of(runs.runs_folder() / "bahdanau.py", row) == [row["variant"], row["seed"]]


def test_a_record_of_no_commit_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("confirm.COMMITS", 1)
    record = runs.load("bahdanau")
    stranger = runs.Record(**(vars(record) | {"code": "0" * 64}))
    with pytest.raises(ValueError, match="none of the last 1 commits"):
        commit_of(stranger, tmp_path / "before")


@pytest.mark.parametrize("name", [path.stem for path in runs.runs_folder().glob("*.json")])
def test_what_was_confirmed_leads_to_the_present_code(name):
    record = runs.load(name)
    codes = [proof["code"] for proof in record.confirmed]
    assert len({*codes, record.code}) == len(codes) + 1
    assert all(0 <= proof["row"] < len(record.rows) for proof in record.confirmed)
    assert record.code == code_hash(runs.runs_folder() / f"{name}.py")
