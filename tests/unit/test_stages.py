"""The stages of `make test`: all run, in their order, and one that fails fails the whole."""

import re
import sys

import pytest

from contents import ROOT

sys.path.insert(0, str(ROOT / "book" / "_tools"))
import run_tests

ALL = ("lint", "unit", "pages", "widgets", "lab", "records", "single", "notebooks")


@pytest.fixture
def stage(monkeypatch, capfd):
    """Run stages that print their name and fail as they are told to; the code and the text."""

    def run(*names, failing=()):
        known = {
            name: [
                [
                    sys.executable,
                    "-c",
                    "import os, time; began = time.monotonic(); time.sleep(0.05); "
                    f"print('ran {name}', os.environ.get('RECORD_SHARE'), "
                    "began, time.monotonic()); "
                    f"raise SystemExit({int(name in failing)})",
                ]
            ]
            for name in ALL
        }
        monkeypatch.delenv("RECORD_SHARE", raising=False)
        monkeypatch.setattr(run_tests, "stages", lambda: known)
        code = run_tests.main(names)
        return code, capfd.readouterr().out

    return run


def test_everything_runs_and_of_a_record_a_part(stage):
    code, text = stage()
    assert code == 0
    for name in ALL:
        assert text.count(f"ran {name} ") == 1
        assert f"== {name} ==" in text
    assert "ran records 0.08" in text


def test_two_run_at_a_time_and_the_chapters_that_are_timed_alone(stage):
    _, text = stage()
    found = re.findall(r"ran (\w+) \S+ (\S+) (\S+)", text)
    times = {name: (float(began), float(ended)) for name, began, ended in found}
    assert set(times) == set(ALL)
    beside = {
        name: [n for n, other in times.items() if n != name and other[0] <= began < other[1]]
        for name, (began, _) in times.items()
    }
    assert max(map(len, beside.values())) == 1
    assert times["notebooks"][0] >= max(times[name][1] for name in ALL[:-1])


@pytest.mark.parametrize("name", ALL)
def test_any_stage_that_fails_fails_the_whole_and_stops_no_other(stage, name):
    code, text = stage(failing=(name,))
    assert code == 1
    assert text.count("FAILED") == 1
    assert text.count("passed") == len(ALL) - 1


def test_a_record_by_itself_is_trained_to_its_end(stage):
    code, text = stage("records")
    assert code == 0
    assert "ran records None" in text
    assert "ran unit" not in text


def test_every_test_belongs_to_a_stage_and_every_stage_is_known_here():
    stages = run_tests.stages()
    assert set(stages) == {*ALL, "frontend"}
    folders = [word for commands in stages.values() for command in commands for word in command]
    for file in (ROOT / "tests").rglob("test_*.py"):
        above = [
            parent.relative_to(ROOT).as_posix() for parent in file.parents if ROOT in parent.parents
        ]
        assert "tests/benchmarks" in above or set(above) & set(folders), file


def test_a_stage_that_is_not_there_is_named(stage):
    with pytest.raises(SystemExit, match="no stage unti"):
        stage("unti")
