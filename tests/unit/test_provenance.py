"""The hash of the code behind a run: what changes it, and what does not."""

import ast

import pytest

from seq2bert import provenance, runs

SCRIPT = "from seq2bert import maths\n\n\ndef row(seed):\n    return maths.double(seed)\n"
MATHS = "FACTOR = 2\n\n\ndef double(x):\n    return x * FACTOR\n\n\ndef unused(x):\n    return x\n"


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Write a small package and a script; the hash of the script."""
    folder = tmp_path / "seq2bert"
    monkeypatch.setattr(provenance, "PACKAGE", folder)

    def write(script=SCRIPT, **modules):
        for file in tmp_path.rglob("*.py"):
            file.unlink()
        for name, text in ({"__init__": "", "maths": MATHS} | modules).items():
            file = folder.joinpath(*name.split("__in__")).with_suffix(".py")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        path = tmp_path / "run.py"
        path.write_text(script)
        for known in (provenance._module, provenance._uses, provenance._definition):
            known.cache_clear()
        return path

    return write


def normal(source):
    return provenance._normal_form(ast.parse(source))


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


def test_what_a_row_reaches_is_named(package):
    assert provenance.definitions_behind(package()) == ["maths.FACTOR", "maths.double"]


@pytest.mark.parametrize(
    "maths",
    [
        MATHS.replace("x * FACTOR", "x + FACTOR"),
        MATHS.replace("FACTOR = 2", "FACTOR = 3"),
        MATHS + "FACTOR += 1\n",
        MATHS + "for _ in range(3):\n    FACTOR = FACTOR + 1\n",
    ],
    ids=["a function", "a constant behind it", "the constant again", "a loop on the top level"],
)
def test_a_change_behind_the_row_changes_the_hash(package, maths):
    before = provenance.code_hash(package())
    assert provenance.code_hash(package(maths=maths)) != before


@pytest.mark.parametrize(
    ("script", "modules"),
    [
        (SCRIPT, {"maths": MATHS.replace("return x\n", "return -x\n")}),
        (SCRIPT + "\n\ndef record():\n    return [row(1)]\n", {}),
        (
            SCRIPT,
            {
                "maths": "from seq2bert.deep.numbers import double\n",
                "deep__in__numbers": MATHS,
                "deep__in____init__": "",
            },
        ),
        (
            SCRIPT,
            {
                "maths": "from .deep.numbers import double\n",
                "deep__in__numbers": "from .constants import FACTOR\n"
                "def double(x):\n    return x * FACTOR\n",
                "deep__in__constants": "FACTOR = 2\n",
            },
        ),
    ],
    ids=["an unused neighbour", "how the row is called", "another module", "relative imports"],
)
def test_what_the_row_cannot_depend_on_does_not_count(package, script, modules):
    before = provenance.code_hash(package())
    assert provenance.code_hash(package(script, **modules)) == before


def test_another_function_of_the_same_name_is_another_function(package):
    other = MATHS.replace("x * FACTOR", "x - FACTOR")
    both = {"maths": MATHS, "others": other}
    used = "from seq2bert import maths, others\nBOTH = maths.double, others.double\n"
    swapped = used.replace("maths.double, others.double", "others.double, maths.double")
    row = "def row(seed):\n    return BOTH[0](seed)\n"
    before = provenance.code_hash(package(used + row, **both))
    # the same two definitions are reached, and `BOTH` reads the same but for the modules
    assert provenance.code_hash(package(swapped + row, **both)) != before


def test_another_library_of_the_same_name_counts(package):
    script = "from {} import sqrt\n\n\ndef row(seed):\n    return sqrt(seed)\n"
    before = provenance.code_hash(package(script.format("math")))
    assert provenance.code_hash(package(script.format("cmath"))) != before


def test_imports_inside_a_function_are_followed(package):
    script = "def row(seed):\n    from seq2bert.maths import double\n    return double(seed)\n"
    assert provenance.definitions_behind(package(script)) == ["maths.FACTOR", "maths.double"]


def test_what_is_missing_is_named(package, tmp_path):
    with pytest.raises(ValueError, match=r"no script none\.py"):
        provenance.code_hash(tmp_path / "none.py")
    with pytest.raises(ValueError, match=r"run\.py defines no row"):
        provenance.code_hash(package("EPOCHS = 3\n"))
    with pytest.raises(ValueError, match="no nothing in seq2bert"):
        provenance.code_hash(package("from seq2bert import nothing\nrow = nothing\n"))
    with pytest.raises(ValueError, match="imports everything of seq2bert"):
        provenance.code_hash(package("from seq2bert import *\nrow = 1\n"))


def test_the_runs_of_the_book_reach_the_language_and_the_training():
    for script in sorted(runs.runs_folder().glob("*.py")):
        behind = provenance.definitions_behind(script)
        assert {"corpus.splits.pairs", "training.fit", "evaluation.report"} <= set(behind)
        assert not any(name.startswith("runs.") for name in behind)
