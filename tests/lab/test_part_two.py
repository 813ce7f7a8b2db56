"""The widgets of chapter 2.2 in JupyterLab: the learner's kernel answers, and follows."""

MODELS = """
import torch
from seq2bert import corpus
from seq2bert.attention.distributions import masked_sigmoid, masked_softmax
from seq2bert.attention.energy_layers import MAKERS
from seq2bert.luong import LuongTranslator, Sizes
from seq2bert.tracing import trace
from seq2bert.vocabulary import Vocabulary
from seq2bert.widgets import Compare

torch.manual_seed(0)
ENGLISH, FRENCH = Vocabulary(corpus.ENGLISH_WORDS), Vocabulary(corpus.FRENCH_WORDS)

def make(energy, distribution=masked_softmax):
    return LuongTranslator(len(ENGLISH), len(FRENCH), MAKERS[energy](8, 8, 4), distribution,
                           Sizes(6, 8)).eval()

models = {"dot": make("dot"), "deep": make("deep"), "sigmoid": make("dot", masked_sigmoid)}
examples = {"one": corpus.translate("the king sleeps .".split())}
"""


def said(notebook, number: int) -> str:
    notebook.run(number)
    return notebook.cell(number).locator(".jp-OutputArea-output").inner_text().strip()


def prepare(notebook):
    """Run the models' cell and the widget's; the view, once its kernel has answered."""
    for number in range(2):
        notebook.run(number)
    view = notebook.cell(1).locator(".s2b-comparison")
    view.locator(".s2b-status", has_text="in your kernel answer").wait_for(timeout=30_000)
    return view


def write(notebook, view, sentence: str, old: int = 0) -> None:
    """Type a sentence and wait until all but so many models have answered."""
    view.locator("input.s2b-input").fill(sentence)
    notebook.page.wait_for_timeout(300)
    busy = ".s2b-comparison[aria-busy]"
    notebook.page.wait_for_function(
        f"!document.querySelector({busy!r}) && "
        f"document.querySelectorAll('.s2b-comparison .s2b-old').length === {old}",
        timeout=60_000,
    )


def test_all_of_the_learner_s_models_answer_and_python_sees_what_is_chosen(open_notebook):
    check = """
pair = corpus.translate("the queen sleeps .".split())
forced = trace(models["sigmoid"], pair.source, ENGLISH, FRENCH, prefix=[*pair.target, "<eos>"])
own = [" ".join(trace(m, pair.source, ENGLISH, FRENCH).tokens) for m in models.values()]
print(*widget.source)
print((widget.attention.weights == forced.attention["cross"].numpy()).all())
print([" ".join(words) for words in widget.translations.values()] == own)
print(*(f"{error:.2f}" for error in widget.errors.values()))
"""
    widget = "widget = Compare(models, ENGLISH, FRENCH, examples)\nwidget"
    notebook = open_notebook(MODELS, widget, check, "widget.chosen = 1")
    view = prepare(notebook)
    write(notebook, view, "the queen sleeps .")
    view.locator("[role=option]").nth(2).click()
    notebook.page.wait_for_timeout(300)
    sentence, same, own, errors = said(notebook, 2).splitlines()
    assert (sentence, same, own) == ("the queen sleeps .", "True", "True")
    facts = [thumb.inner_text() for thumb in view.locator("[role=option]").all()]
    for error, fact in zip(errors.split(), facts, strict=True):
        assert f"error {error}" in fact
    assert "made to write the reference" in view.locator(".s2b-note").inner_text()
    # a choice in Python moves the view
    notebook.run(3)
    view.locator("[aria-selected=true] .s2b-thumb-title", has_text="deep").wait_for()
    view.locator(".s2b-writes", has_text="deep").wait_for()


def test_a_model_that_fails_says_why_and_the_others_answer(open_notebook):
    widget = "widget = Compare(models, ENGLISH, FRENCH, examples)\nwidget"
    breaks = "models['deep'].start = lambda memory: 1 / 0"
    notebook = open_notebook(MODELS, widget, breaks)
    view = prepare(notebook)
    notebook.run(2)
    write(notebook, view, "the queen sleeps .", old=1)
    assert "2 of 3 models have answered." in view.locator(".s2b-count").inner_text()
    facts = view.locator("[role=option]").nth(1).inner_text()
    assert "ZeroDivisionError" in facts


def test_the_playground_and_python_move_each_other(open_notebook):
    check = (
        "print([f'{number:.2f}' for number in widget.query], widget.energy, widget.distribution)"
    )
    change = "widget.query = [0.0, 2.0]; widget.allowed = [True, False, True]"
    notebook = open_notebook(
        "from seq2bert.widgets import Playground\nwidget = Playground()\nwidget",
        check,
        change,
        "print([f'{weight:.2f}' for weight in widget.weights])",
    )
    notebook.run(0)
    view = notebook.cell(0).locator(".s2b-playground")
    query = view.get_by_role("slider", name="query", exact=True)
    query.focus()
    for key in ("ArrowLeft", "ArrowLeft", "Shift+ArrowDown"):
        notebook.page.keyboard.press(key)
    view.locator("select:visible").nth(0).select_option(label="cosine")
    view.locator("select:visible").nth(1).select_option(label="sparsemax")
    notebook.page.wait_for_timeout(300)
    assert said(notebook, 1) == "['1.30', '0.00'] cosine sparsemax"
    notebook.run(2)
    notebook.page.wait_for_timeout(300)
    assert (query.get_attribute("aria-valuetext") or "").startswith("x 0.00, y 2.00")
    weights = said(notebook, 3)
    cells = view.locator(".s2b-keys tbody tr:not(.s2b-sum) td:last-child").all_inner_texts()
    texts = [cell.strip() for cell in cells]
    assert texts[1] == "0"
    shown = [f"{float(text):.2f}" for text in texts]
    assert str(shown) == weights
