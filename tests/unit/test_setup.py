"""Setting up and building: what is chosen, what is built again, and what the user is told."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "book" / "_tools"))

from execute import VIEW_TYPE, tidy
from prepare import explain
from seq2bert.widgets.stored import STATE_TYPE
from stamps import BUNDLED, digest, files_below


def fake_python(folder, name, version):
    """A program that answers `-c` as a Python of that version would."""
    path = folder / name
    pretend = f"import sys; sys.version_info = ({version.replace('.', ', ')}, 0)"
    lines = [
        "#!/bin/sh",
        f'[ "$1" = --version ] && echo "Python {version}" && exit 0',
        f'exec {sys.executable} -c "{pretend}',
        '$2"',
    ]
    path.write_text("\n".join(lines) + "\n")
    path.chmod(0o755)
    return path


def find_python(folder, **environment):
    return subprocess.run(
        ["/bin/sh", str(ROOT / "book" / "_tools" / "find-python")],
        capture_output=True,
        text=True,
        cwd=folder,
        env={"PATH": f"{folder}:/usr/bin:/bin", **environment},
    )


def test_the_usual_python_is_taken_when_it_fits(tmp_path):
    fake_python(tmp_path, "python3", "3.12.1")
    fake_python(tmp_path, "python3.13", "3.13.0")
    assert find_python(tmp_path).stdout.strip() == "python3"


def test_another_python_is_taken_when_the_usual_one_is_too_old(tmp_path):
    fake_python(tmp_path, "python3", "3.9.2")
    fake_python(tmp_path, "python3.12", "3.12.1")
    assert find_python(tmp_path).stdout.strip() == "python3.12"


@pytest.mark.parametrize("version", ["3.9.2", "3.14.0"])
def test_without_a_python_that_fits_one_sentence_says_so(tmp_path, version):
    for name in ("python3", "python", "python3.11", "python3.12", "python3.13"):
        fake_python(tmp_path, name, version)
    done = find_python(tmp_path)
    assert done.returncode == 1
    assert f"needs Python 3.11, 3.12 or 3.13 with its venv module and found Python {version}" in (
        done.stderr
    )
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("printed", "says"),
    [
        ("Temporary failure in name resolution", "there is no network, or it is blocked"),
        ("npm error code ENOTFOUND", "there is no network"),
        ("OSError: [Errno 28] No space left on device", "the disk is full"),
        ("something else", "see .build/logs/x.log"),
    ],
)
def test_a_failed_command_is_explained_in_one_sentence(printed, says):
    log = ROOT / ".build" / "logs" / "x.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text(f"Traceback\n{printed}\n")
    try:
        sentence = explain("pip could not install the packages", log)
    finally:
        log.unlink()
    assert says in sentence
    assert "\n" not in sentence


def test_a_changed_file_changes_the_digest_and_what_the_build_makes_does_not_count():
    templates = ROOT / "book" / "_sphinx" / "templates"
    assert list(files_below(templates))
    assert not list(files_below(BUNDLED))
    assert digest(templates) != digest(ROOT / "book" / "_sphinx")


def stored_notebook():
    cell = nbformat.v4.new_code_cell("show()")
    cell.outputs = [
        nbformat.v4.new_output("display_data", data={VIEW_TYPE: {"model_id": "a"}}),
        nbformat.v4.new_output("stream", name="stderr", text="\r 10%|#  |\r       \r"),
        nbformat.v4.new_output("stream", name="stderr", text="Warning: look\n"),
    ]
    notebook = nbformat.v4.new_notebook(cells=[cell])
    models = {
        "a": {"state": {"layout": "IPY_MODEL_b", "_esm": "code", "x": 1}},
        "b": {"state": {}},
        "left-over": {"state": {}},
    }
    notebook.metadata["widgets"] = {STATE_TYPE: {"state": models}}
    return notebook


def test_an_executed_notebook_keeps_what_is_shown_and_no_more():
    notebook = stored_notebook()
    tidy(notebook)
    models = notebook.metadata["widgets"][STATE_TYPE]["state"]
    assert models == {"a": {"state": {"layout": "IPY_MODEL_b", "x": 1}}, "b": {"state": {}}}
    assert [output.get("text") for output in notebook.cells[0].outputs] == [
        None,
        "Warning: look\n",
    ]


def imported(folder):
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
            if isinstance(node, ast.Import):
                yield from (alias.name.split(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                yield node.module.split(".")[0]


PROVIDES = {
    "pyyaml": "yaml",
    "scikit-learn": "sklearn",
    "beautifulsoup4": "bs4",
    "ipython": "IPython",
    "fonttools": "fontTools",
}


@pytest.mark.parametrize(
    ("folder", "groups"),
    [
        ("book/seq2bert", ("dependencies",)),
        ("book/runs", ("dependencies",)),
        ("book/_sphinx", ("site",)),
        ("book/_tools", ("site", "test")),
        ("tests", ("dependencies", "site", "test")),
    ],
)
def test_every_imported_package_is_declared(folder, groups):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = {"seq2bert"}
    for group in groups:
        lines = project.get(group) or project["optional-dependencies"][group]
        for line in lines:
            name = re.match(r"[\w.-]+", line).group().lower()
            declared.add(PROVIDES.get(name, name.replace("-", "_")))
            # sphinx_book_theme and the like; vl-convert-python provides vl_convert
            declared.add(name.replace("-", "_").removesuffix("_python"))
            declared.add(name.split("-")[0])
    own = {path.stem for path in ROOT.glob("book/_*/*.py")} | {
        path.stem for path in ROOT.glob("tests/**/*.py")
    }
    own |= {path.stem for path in ROOT.glob("book/runs/*.py")}
    optional = {"vl_convert", "onnx"} if folder == "book/seq2bert" else set()
    unknown = set(imported(ROOT / folder)) - declared - own - optional - sys.stdlib_module_names
    assert not unknown


def test_installed_packages_fit_together():
    done = subprocess.run(
        [sys.executable, "-m", "pip", "check"],
        capture_output=True,
        text=True,
        env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
    )
    assert done.returncode == 0, done.stdout
