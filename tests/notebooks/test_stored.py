"""What notebooks store: in the contents, in order, small, clean, and in step with the package."""

import json
import re
import statistics
import subprocess
import sys

import nbformat
import pytest

from contents import ROOT, notebooks_in_contents, pages_in_contents

NOTEBOOKS = notebooks_in_contents()
LARGEST = 1_000_000
IMPORTS = {
    "torch",
    "numpy",
    "matplotlib",
    "sklearn",
    "ipywidgets",
    "altair",
    "seq2bert",
    "einops",
    "jaxtyping",
}


def names(path):
    return path.relative_to(ROOT).as_posix()


@pytest.fixture(params=NOTEBOOKS, ids=names)
def path(request):
    return request.param


@pytest.fixture
def notebook(path):
    return nbformat.read(path, as_version=4)


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_every_page_of_the_contents_exists():
    for page in pages_in_contents():
        assert any((ROOT / f"{page}{suffix}").is_file() for suffix in (".ipynb", ".md")), page


def test_every_notebook_of_the_book_stands_in_the_contents():
    stored = {
        path
        for path in (ROOT / "book").rglob("*.ipynb")
        if not {"node_modules", ".ipynb_checkpoints"} & set(path.parts)
    }
    assert stored == set(NOTEBOOKS)


def test_cells_that_show_package_code_agree_with_the_package():
    tool = ROOT / "book" / "_tools" / "sync.py"
    done = subprocess.run([sys.executable, tool, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_all_cells_ran_once_in_order_without_error(notebook):
    cells = [cell for cell in code_cells(notebook) if cell.source.strip()]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert not [o for cell in cells for o in cell.outputs if o.output_type == "error"]


def test_cells_are_short(notebook):
    written = [cell for cell in code_cells(notebook) if "source" not in cell.metadata]
    lengths = [len(cell.source.splitlines()) for cell in written]
    assert statistics.median(lengths) <= 8
    assert max(lengths) <= 25


def test_no_word_of_a_chart_is_cut(notebook):
    outputs = [output for cell in code_cells(notebook) for output in cell.outputs]
    pictures = [output.get("data", {}).get("image/svg+xml", "") for output in outputs]
    assert [word for svg in pictures for word in re.findall(r">([^<]*…)<", svg)] == []


def test_file_is_small(path):
    assert path.stat().st_size <= LARGEST


def test_widget_state_holds_no_front_end_and_nothing_that_is_not_shown(notebook):
    state = notebook.metadata.get("widgets", {}).get("application/vnd.jupyter.widget-state+json")
    models = state["state"] if state else {}
    for model in models.values():
        assert not {"_esm", "_css"} & set(model["state"])
    view = "application/vnd.jupyter.widget-view+json"
    shown = {
        output["data"][view]["model_id"]
        for cell in code_cells(notebook)
        for output in cell.outputs
        if view in output.get("data", {})
    }
    referred = set(re.findall(r"IPY_MODEL_(\w+)", json.dumps(models)))
    assert shown <= set(models) <= shown | referred


def test_metadata_tell_nothing_of_the_machine(notebook):
    assert set(notebook.metadata) <= {
        "kernelspec",
        "language_info",
        "widgets",
        "jupytext",
        "mystnb",
    }
    assert notebook.metadata.language_info == {"name": "python"}
    text = json.dumps(notebook)
    assert "/home/" not in text
    assert "/tmp/" not in text


def test_imports_are_the_few_that_colab_has(notebook):
    import ast

    for cell in code_cells(notebook):
        tree = ast.parse("\n".join(x for x in cell.source.splitlines() if not x.startswith("%")))
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                modules = [node.module or ""]
            else:
                continue
            tops = {module.partition(".")[0] for module in modules}
            assert tops <= IMPORTS | set(sys.stdlib_module_names)


def test_no_number_in_an_output_is_nan_or_infinite_unannounced(notebook):
    for cell in code_cells(notebook):
        if "expects-infinity" in cell.metadata.get("tags", []):
            continue
        for output in cell.outputs:
            text = output.get("text", "") or output.get("data", {}).get("text/plain", "")
            words = text.replace("(", " ").replace(",", " ").replace("]", " ").split()
            assert not {"nan", "inf", "-inf"} & set(words), cell.source


def test_no_cell_holds_a_placeholder(notebook):
    for cell in notebook.cells:
        assert not re.search(r"\b(TODO|FIXME|[A-Z]{4,}PROSE)\b", cell.source), cell.source


def test_lines_do_not_hide_their_output_with_a_semicolon(notebook):
    for cell in code_cells(notebook):
        assert not cell.source.rstrip().endswith(";")
