"""Recorded runs: what they store, and when they are no longer current."""

import hashlib
import json

import pytest
import torch

from seq2bert import runs
from seq2bert.recurrent import Sizes, with_attention

RECORDS = sorted(path.stem for path in runs.runs_folder().glob("*.json"))


def normal(source):
    return runs._normal_form(runs.ast.parse(source))


def test_comments_docstrings_and_layout_do_not_change_the_code():
    plain = "def f(x):\n    return x + 1\n"
    dressed = '"""Module."""\n\ndef f(x):  # why\n    """Add."""\n    return (x\n        + 1)\n'
    assert normal(plain) == normal(dressed)


@pytest.mark.parametrize(
    "changed",
    [
        "def f(x):\n    return x + 2\n",
        "def f(x):\n    return x - 1\n",
        "def g(x):\n    return x + 1\n",
    ],
)
def test_a_changed_number_operator_or_name_changes_the_code(changed):
    assert normal("def f(x):\n    return x + 1\n") != normal(changed)


def write(folder, text):
    path = folder / "run.py"
    path.write_text(text)
    return path


def test_modules_behind_a_script_are_found_through_others(tmp_path):
    script = write(tmp_path, "from seq2bert import decoding, runs\nimport torch\n")
    behind = runs.modules_behind(script)
    assert {"decoding", "attention_map", "batching", "translator", "vocabulary"} <= set(behind)
    assert "runs" not in behind


def test_code_hash_covers_the_script_and_every_module_of_a_package(tmp_path):
    plain = runs.code_hash(write(tmp_path, "EPOCHS = 3\n"))
    assert runs.code_hash(write(tmp_path, "EPOCHS = 4\n")) != plain
    with_corpus = runs.code_hash(write(tmp_path, "from seq2bert import corpus\nEPOCHS = 3\n"))
    assert with_corpus != plain
    assert len(runs._files("corpus")) > 10


def test_a_missing_script_or_module_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"no script none\.py"):
        runs.code_hash(tmp_path / "none.py")
    with pytest.raises(ValueError, match=r"no module seq2bert\.nothing"):
        runs.code_hash(write(tmp_path, "from seq2bert import nothing\n"))


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
    current = runs.code_hash(runs.runs_folder() / f"{name}.py")
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
