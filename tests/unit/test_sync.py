"""`make sync` copies definitions into cells, and tells when they differ."""

import sys
from pathlib import Path

import nbformat
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "book" / "_tools"))

from sync import definition, sync


def test_a_definition_is_taken_letter_by_letter():
    text = definition("seq2bert.attention.distributions.masked_softmax")
    assert text.startswith("def masked_softmax(\n")
    assert text.endswith("masked_fill(nothing, 0.0)")


def test_a_decorator_belongs_to_the_definition():
    assert definition("seq2bert.recurrent.Sizes").startswith("@dataclass(frozen=True)\nclass Sizes")


def test_a_method_is_taken_without_its_indentation():
    assert definition("seq2bert.recurrent.RecurrentTranslator.start").startswith("def start(")


@pytest.mark.parametrize("name", ["seq2bert.nothing.x", "seq2bert.attention.nothing"])
def test_what_is_not_there_is_named(name):
    with pytest.raises(ValueError, match="nothing"):
        definition(name)


@pytest.fixture
def notebook(tmp_path):
    cell = nbformat.v4.new_code_cell("def masked_softmax(): ...")
    cell.metadata["source"] = "seq2bert.attention.distributions.masked_softmax"
    path = tmp_path / "chapter.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)
    return path


def test_checking_finds_a_difference_and_changes_nothing(notebook):
    before = notebook.read_text()
    assert sync(notebook, check=True) == ["seq2bert.attention.distributions.masked_softmax"]
    assert notebook.read_text() == before


def test_filling_makes_the_difference_go(notebook):
    sync(notebook, check=False)
    assert sync(notebook, check=True) == []
    assert "masked_fill" in nbformat.read(notebook, as_version=4).cells[0].source
