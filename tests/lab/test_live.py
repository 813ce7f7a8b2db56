"""Translate and Predict in JupyterLab: the model in the learner's kernel answers."""

import subprocess
import sys

import pytest

from conftest import ROOT

OLD = ROOT / ".build" / "peers" / "ipywidgets-7.7.1"
# JupyterLab 4 has the layout of ipywidgets 8 only; nothing that the book draws depends on it.
LAYOUT_OF_7 = "Module @jupyter-widgets/base, version ^1.2.0 is not registered"

MODEL = """
import torch
from seq2bert import corpus, recurrent
from seq2bert.attention_map import AttentionMap
from seq2bert.tracing import trace
from seq2bert.vocabulary import Vocabulary
from seq2bert.widgets import Predict, Translate

torch.manual_seed(0)
ENGLISH, FRENCH = Vocabulary(corpus.ENGLISH_WORDS), Vocabulary(corpus.FRENCH_WORDS)
model = recurrent.with_attention(len(ENGLISH), len(FRENCH), recurrent.Sizes(8, 8, 6)).eval()
pair = corpus.translate("the king sleeps .".split())
widget = Translate({"mine": model}, ENGLISH, FRENCH, {"one": pair})
"""
CHECK = """
asked = trace(model, widget.source, ENGLISH, FRENCH)
print(" ".join(widget.source), widget.translation == asked.tokens,
      abs(widget.attention.weights - asked.attention["cross"].numpy()).max() == 0)
"""
EXERCISE = """
import dataclasses
links = {"sure": frozenset({(0, 0)}), "possible": frozenset({(0, 0)})}
exercise = Predict(dataclasses.replace(widget.attention, **links))
"""
CHANGED = """
with torch.no_grad():
    for weight in model.parameters():
        weight.mul_(-3)
"""


@pytest.fixture(scope="session")
def old_ipywidgets():
    """A folder with the ipywidgets that Colab has shipped, to be put before the installed one."""
    if not (OLD / "ipywidgets").is_dir():
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
        subprocess.run([*command, str(OLD), "ipywidgets==7.7.1", "ipython_genutils"], check=True)
    return OLD


def status(view) -> str:
    return view.locator(".s2b-status").inner_text()


def wait(notebook, condition: str, seconds: float = 30) -> None:
    notebook.page.wait_for_function(condition, timeout=seconds * 1000)


STATUS = "document.querySelector('.s2b-translate .s2b-status')?.textContent"
READY = f"{STATUS}.includes('in your kernel')"
SETTLED = "!document.querySelector('.s2b-translate:is([aria-busy], .s2b-stale)')"


def columns(view) -> list[str]:
    return view.locator(".s2b-cells .s2b-label").all_text_contents()


def drive(notebook) -> None:
    """Type a sentence, and find the answer of Python's own model on the page and in Python."""
    for number in range(2):
        notebook.run(number)
    view = notebook.cell(1).locator(".s2b-translate")
    view.locator("[role=grid]").wait_for(timeout=30_000)
    wait(notebook, READY)
    view.locator("input.s2b-input").fill("the zebra reads the old book .")
    wait(notebook, "document.querySelector('.s2b-translate text.s2b-unknown')")
    wait(notebook, SETTLED)
    assert columns(view) == ["the", "zebra", "reads", "the", "old", "book", "."]
    assert "zebra" in view.locator(".s2b-note").inner_text()
    notebook.run(2)
    said = notebook.cell(2).locator(".jp-OutputArea-output").inner_text()
    assert said.strip() == "the zebra reads the old book . True True"


def test_the_learner_s_model_translates_what_is_typed(open_notebook):
    notebook = open_notebook(MODEL, "widget", CHECK, CHANGED, CHECK)
    drive(notebook)
    view = notebook.cell(1).locator(".s2b-translate")
    before = view.locator(".s2b-out-word").all_inner_texts()

    # the model is changed in the kernel: what is typed next is answered by the changed one
    notebook.run(3)
    view.locator("input.s2b-input").fill("the king reads the old book .")
    wait(notebook, f"!document.querySelector('text.s2b-unknown') && {SETTLED}")
    notebook.run(4)
    said = notebook.cell(4).locator(".jp-OutputArea-output").inner_text()
    assert said.strip() == "the king reads the old book . True True"
    assert view.locator(".s2b-out-word").all_inner_texts() != before

    # another word is forced, by the pointer
    view.locator(".s2b-out-word").first.click()
    other = view.locator(".s2b-candidate").nth(3)
    word = other.locator("bdi").inner_text()
    other.click()
    wait(notebook, "document.querySelector('.s2b-out-word.s2b-pinned')")
    assert view.locator(".s2b-out-word").first.inner_text() == word


def test_the_same_with_the_ipywidgets_of_colab(open_notebook, old_ipywidgets):
    notebook = open_notebook(
        "import ipywidgets\nprint(ipywidgets.__version__)\n" + MODEL,
        "widget",
        CHECK,
        EXERCISE + "exercise",
        "print(exercise.marks)",
        path=old_ipywidgets,
        exempt=LAYOUT_OF_7,
    )
    drive(notebook)
    assert notebook.cell(0).locator(".jp-OutputArea-output").inner_text().strip() == "7.7.1"
    notebook.run(3)
    view = notebook.cell(3).locator(".s2b-predict")
    view.locator("[role=gridcell]").nth(1).click()
    notebook.page.wait_for_timeout(300)
    notebook.run(4)
    said = notebook.cell(4).locator(".jp-OutputArea-output").inner_text()
    assert said.strip() == "{'0': [[0, 1]]}"


def test_shown_twice_it_is_two_views_of_one_answer(open_notebook):
    notebook = open_notebook(MODEL, "widget", "widget")
    for number in range(3):
        notebook.run(number)
    first, second = (notebook.cell(n).locator(".s2b-translate") for n in (1, 2))
    second.locator("[role=grid]").wait_for(timeout=30_000)
    wait(notebook, READY)
    first.locator("input.s2b-input").fill("the queen reads .")
    queens = "[...document.querySelectorAll('.s2b-cells .s2b-label')].filter"
    wait(notebook, f"{queens}(label => label.textContent === 'queen').length === 2")
    assert columns(first) == columns(second) == ["the", "queen", "reads", "."]
    # a view in which nobody types shows the sentence, too
    assert second.locator("input.s2b-input").input_value() == "the queen reads ."
    second.locator(".s2b-out-word").first.click()
    notebook.page.wait_for_timeout(500)
    pressed = [
        v.locator(".s2b-out-word").first.get_attribute("aria-pressed") for v in (first, second)
    ]
    assert pressed == ["true", "true"]


def test_a_busy_kernel_is_waited_for_and_only_the_last_sentence_counts(open_notebook):
    # a sleep that lets no other thread of the kernel run, as a long call into C may
    busy = "import ctypes; ctypes.PyDLL(None).sleep(9)"
    notebook = open_notebook(MODEL, "widget", busy, CHECK)
    for number in range(2):
        notebook.run(number)
    view = notebook.cell(1).locator(".s2b-translate")
    wait(notebook, READY)
    notebook.start(2)
    field = view.locator("input.s2b-input")
    for sentence in ("the king .", "the queen .", "the queen reads ."):
        field.fill(sentence)
        notebook.page.wait_for_timeout(200)
    # the picture stays, and after some seconds a sentence says what it waits for
    assert columns(view) == ["the", "king", "sleeps", "."]
    wait(notebook, f"{STATUS}.includes('busy')")
    wait(notebook, "document.querySelectorAll('.s2b-cells .s2b-label')[1].textContent === 'queen'")
    wait(notebook, SETTLED)
    assert columns(view) == ["the", "queen", "reads", "."]
    notebook.run(3)
    said = notebook.cell(3).locator(".jp-OutputArea-output").inner_text()
    assert said.strip() == "the queen reads . True True"


def test_after_a_restart_the_widget_says_what_to_do_and_its_cell_brings_it_back(open_notebook):
    notebook = open_notebook(MODEL, "widget", CHECK)
    for number in range(2):
        notebook.run(number)
    view = notebook.cell(1).locator(".s2b-translate")
    wait(notebook, READY)
    notebook.restart()
    field = view.locator("input.s2b-input")
    # the old view is still there: it must not pretend
    field.fill("the queen reads .")
    wait(notebook, f"{STATUS}.includes('run this cell')")
    drive(notebook)


def test_predict_keeps_the_marks_in_python(open_notebook):
    notebook = open_notebook(
        MODEL + EXERCISE,
        "exercise",
        "print(exercise.marks, exercise.revealed)",
        "exercise.revealed = [0]",
    )
    for number in range(2):
        notebook.run(number)
    view = notebook.cell(1).locator(".s2b-predict")
    view.locator("[role=gridcell]").first.wait_for(timeout=30_000)
    assert view.locator("[class*='s2b-w'][role=gridcell]").count() == 0
    view.locator("[role=gridcell]").nth(0).click()
    view.locator("[role=gridcell]").nth(0).focus()
    notebook.page.keyboard.press("ArrowDown")
    notebook.page.keyboard.press(" ")
    notebook.page.wait_for_timeout(300)
    notebook.run(2)
    said = notebook.cell(2).locator(".jp-OutputArea-output").inner_text()
    assert said.strip() == "{'0': [[0, 0], [1, 0]]} []"
    # revealed from Python, the weights and the scores appear
    notebook.run(3)
    wait(notebook, "document.querySelector('.s2b-scores')")
